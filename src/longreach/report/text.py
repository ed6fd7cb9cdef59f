"""How the report writes numbers and names."""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Iterable
from hashlib import sha256
from html import escape

from longreach.config.cell_label import CellLabel
from longreach.config.encoding_table import ENCODINGS
from longreach.config.hyperparameters import BASELINE
from longreach.verdicts.plain_words import side_title

NO_BREAK = "\u00a0"


def encoding_name(name: str) -> str:
    """How the papers write an encoding; with a penalty on positions, if there is one.

    >>> encoding_name("nope"), encoding_name("mine"), encoding_name("ape + 0.0001")
    ('NoPE', 'mine', 'APE, penalty 0.0001')
    """
    label = CellLabel.read(name)
    plain = label.encoding
    shown = ENCODINGS[plain].title if plain in ENCODINGS else plain
    if plain == BASELINE:
        shown = "baseline (MLP)"
    return f"{shown}, penalty {label.penalty:g}" if label.penalty else shown


def encoding_title(name: str) -> str:
    """An encoding in words that need no paper; with a penalty on positions, if there is one.

    >>> encoding_title("nope"), encoding_title("ape + 0.0001")
    ('without positions (NoPE)', 'with learned positions (APE), penalty 0.0001')
    """
    label = CellLabel.read(name)
    title = side_title(label.encoding)
    return f"{title}, penalty {label.penalty:g}" if label.penalty else title


def encoding_note(name: str) -> str:
    """What stands beside the name of an encoding: what it is, where a few words say it.

    >>> encoding_note("nope"), encoding_note("mine")
    ('without positions', '')
    """
    found = re.fullmatch(r"(.+) \(.+\)", side_title(name))
    return "" if found is None else found[1]


def sentence_case(text: str) -> str:
    """With a large first letter, as a sentence begins.

    >>> sentence_case("position 0 is even")
    'Position 0 is even'
    """
    return text[:1].upper() + text[1:]


def lengths(name: str) -> str:
    """A range of lengths as people write it.

    >>> lengths("41-60"), lengths("51-100*")
    ('41–60', '51–100*')
    """
    return re.sub(r"(?<=[0-9])-(?=[0-9])", "–", name)


def percent(share: float | None) -> str:
    """A share in per cent; what is not exactly all or nothing is never rounded to it.

    >>> [percent(share).replace(NO_BREAK, " ") for share in (1.0, 0.99996, 0.5, 0.0001, None)]
    ['100 %', '>99.9 %', '50.0 %', '<0.1 %', '–']
    """
    if share is None or math.isnan(share):
        return "–"
    if share in (0.0, 1.0):
        number = f"{100 * share:.0f}"
    elif 0.9995 <= share < 1:
        number = ">99.9"
    elif 0 < share < 0.0005:
        number = "<0.1"
    else:
        number = f"{100 * share:.1f}"
    return f"{number}{NO_BREAK}%"


def duration(seconds: float | None) -> str:
    """A time that people read.

    >>> duration(4.21), duration(75), duration(7300)
    ('4.2 s', '1 min 15 s', '2 h 1 min')
    """
    if seconds is None:
        return "–"
    if seconds < 60:
        return f"{seconds:.1f} s"
    whole = round(seconds)
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"


def plural(number: int, word: str) -> str:
    """A number with its noun.

    >>> plural(1, "run"), plural(1200, "run")
    ('1 run', '1,200 runs')
    """
    return f"{number:,} {word}{'' if number == 1 else 's'}"


def slugs(names: Iterable[str]) -> dict[str, str]:
    """For every name a different one that can stand in a link; a plain name stays itself.

    >>> slugs(["tomita-4", "regex:(ab)*"])
    {'tomita-4': 'tomita-4', 'regex:(ab)*': 'regex-ab-...'}
    """
    found = {}
    for name in names:
        plain = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")
        digest = sha256(name.encode("utf-8", "backslashreplace")).hexdigest()[:8]
        found[name] = name if plain == name != "" else f"{plain[:40]}-{digest}".lstrip("-")
    return found


_UNSEEN = ("Cc", "Cf", "Cs")


def printable(text: str) -> str:
    """Text without characters that would not show or would turn the text around them.

    >>> printable("a\\x00b\\u202ec")
    'a·b·c'
    """
    return "".join(
        "·" if unicodedata.category(char) in _UNSEEN and char not in "\n\t" else char for char in text
    )


def visible(text: str) -> str:
    r"""Text with what would not show, or would turn the text around it, written as escapes.

    >>> visible("a\x00b\u202ec")
    'a\\x00b\\u202ec'
    """
    return "".join(
        ascii(char)[1:-1] if unicodedata.category(char) in _UNSEEN and char not in "\n\t" else char
        for char in text
    )


def escaped(text: str) -> str:
    """Text for HTML and SVG.

    >>> escaped("<a>")
    '&lt;a&gt;'
    """
    return escape(printable(text))


def shortened(text: str, most: int) -> str:
    """The beginning of a text that is too long."""
    return text if len(text) <= most else text[: most - 1] + "…"
