"""How the report writes numbers, names and commands."""

from __future__ import annotations

import json
import math
import re
import shlex
from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from html import escape
from typing import Any

from longreach.config.architectures import CARRIED, DECODER, architecture_row
from longreach.config.encodings import side_title
from longreach.config.model import CellLabel
from longreach.config.run import (
    FROM_PYTHON_ONLY,
    OWN_SIZES,
    RESOLVED,
    SWITCHES,
    RunConfig,
    option_name,
    usual,
)
from longreach.tasks.lengths import LengthRange, write_options
from longreach.theory.automata.named import NAMED_LANGUAGES
from longreach.theory.names import TaskName
from longreach.wording import visible

NO_BREAK = "\u00a0"


def encoding_name(name: str) -> str:
    """How the papers write an encoding; with a penalty on positions, if there is one.

    >>> encoding_name("nope"), encoding_name("mine"), encoding_name("ape + 0.0001")
    ('NoPE', 'mine', 'APE, penalty 0.0001')
    """
    return CellLabel.read(name).title


def encoding_title(name: str) -> str:
    """An encoding in words that need no paper; with a penalty on positions, if there is one.

    >>> encoding_title("nope"), encoding_title("ape + 0.0001")
    ('without positions (NoPE)', 'with learned positions (APE), penalty 0.0001')
    """
    return CellLabel.read(name).words


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


def escaped(text: str) -> str:
    """Text for HTML and SVG.

    >>> escaped("<a>")
    '&lt;a&gt;'
    """
    return escape(visible(text))


_LOWERED = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")


def task_title(name: str) -> str:
    """The title of a task: its expression where it is a language of no better name.

    >>> [task_title(name) for name in ("aa", "regex:(ab)*", "tomita-4", "d-12", "sort", "my.tasks:reverse")]
    ['(aa)*', '(ab)*', 'Tomita 4', 'D₁₂', 'sort', 'my.tasks:reverse']
    >>> task_title("data:sums.jsonl#0123456789abcdef")
    'data:sums.jsonl'
    """
    if found := re.fullmatch(r"(data:.+)#[0-9a-f]{8,64}", name):
        return found[1]
    if found := re.fullmatch(r"tomita-([1-7])", name):
        return f"Tomita {found[1]}"
    if found := re.fullmatch(r"d-([0-9]{1,4})", name):
        return f"D{found[1].translate(_LOWERED)}"
    if name in NAMED_LANGUAGES:
        return NAMED_LANGUAGES[name].expression
    return TaskName(TaskName(name).short).expression or name


# Settings that are named whatever they are: their defaults depend on the task, or tell what was measured.
_ALWAYS = ("layers", "heads", "width", "lr", "max_steps", "warmup", "test_size", "evaluate_every")
# Settings that are written in a way of their own.
_REST = (
    "task", "alphabet", "encoding", "train_lengths", "test_lengths", "seed", "architecture", "model_options",
)  # fmt: skip
_KNOWN = RunConfig.model_fields.keys() - {"seed"}
# The others are named when they are not as usual.
_SELDOM = [
    name for name in RunConfig.model_fields if name not in (*_ALWAYS, *_REST, *SWITCHES, *FROM_PYTHON_ONLY)
]


def train_command(config: Mapping[str, Any], seeds: Sequence[int | None]) -> str | None:
    """The command for the runs with a configuration and these seeds; None if there is none.

    >>> train_command({"task": "parity"}, [0]) is None
    True
    """
    usually: dict[str, Any] = {name: usual(name) for name in RunConfig.later}
    config = usually | dict(config)
    row = architecture_row(str(config["architecture"]))
    if row.is_of_session:  # which no command can find
        return None
    if row.is_own:
        config = OWN_SIZES | config
    if config.keys() != _KNOWN or any(config[name] != usual(name) for name in FROM_PYTHON_ONLY):
        return None
    task, alphabet = config["task"], config["alphabet"]
    numbers = sorted(seed for seed in seeds if seed is not None)
    if not numbers or not isinstance(task, str) or not isinstance(config["model_options"], dict):
        return None
    words = ["longreach", "train", TaskName(task).argument]
    words += [] if row.name == DECODER else ["--model", row.name]
    words += ["--encoding", str(config["encoding"])] if "positions" in row.can else []
    for name, value in config["model_options"].items():
        words += [] if name in CARRIED else ["--model-option", f"{name}={json.dumps(value)}"]
    if alphabet is not None:
        if not isinstance(alphabet, list) or any(len(str(letter)) != 1 for letter in alphabet):
            return None
        words += ["--alphabet", "".join(alphabet)]
    for name in _ALWAYS:
        if name in OWN_SIZES and name not in row.sizes:
            continue
        words += [option_name(name), _number(config[name])]
    for name in _SELDOM:
        words += [] if config[name] == usual(name) else [option_name(name), _number(config[name])]
    words += [text for name in SWITCHES if (text := _switch(name, config[name])) is not None]
    try:
        words += ["--train-lengths", LengthRange(*config["train_lengths"]).option]
        words += ["--test-lengths", write_options(LengthRange(*each) for each in config["test_lengths"])]
    except (TypeError, ValueError):
        return None
    in_order = numbers == list(range(len(numbers)))
    words += ["--seeds", str(len(numbers))] if in_order else ["--seed", str(numbers[0])]
    return command(*words)


def command(*words: str) -> str | None:
    """A command line for a shell; None where a word would not be shown as it is, or pass for an option.

    >>> command("longreach", "forecast", "regex:(a|b)*; rm -rf ~")
    "longreach forecast 'regex:(a|b)*; rm -rf ~'"
    """
    task = words[2] if len(words) > 2 else ""
    if TaskName(task).is_session:  # which no command can find
        return None
    if task.startswith("-") or any(visible(word) != word or "\n" in word for word in words):
        return None
    return shlex.join(words)


def _number(value: Any) -> str:
    return value if isinstance(value, str) else repr(value)


def _switch(name: str, value: Any) -> str | None:
    """The option for a setting that is true or false, where it has to be named."""
    if value == usual(name) and name not in RESOLVED:
        return None
    on, off = SWITCHES[name]
    return on if value else off
