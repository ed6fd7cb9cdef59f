"""A file of labelled words: a word, a tab and a label, or JSON lines of input and output."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from longreach.crasp.parser import read_text
from longreach.errors import InputError
from longreach.tasks.data_task import json_object, tokens_of

LABELS = {
    **dict.fromkeys(("1", "true", "yes", "accept", "+"), True),
    **dict.fromkeys(("0", "false", "no", "reject", "-"), False),
}
EXPECTED = f"expected one of {' '.join(LABELS)}"
EMPTY = "ε"


def read_labelled_words(path: Path) -> dict[tuple[str, ...], bool]:
    """The words of a file with their labels.

    A line is a word, a tab and a label, or {"input": word, "output": label} as `data:` tasks have them.
    Letters stand apart with blanks, or together when each is one character; ε is the empty word. Empty lines
    and lines that begin with // are skipped.
    """
    found: dict[tuple[str, ...], bool] = {}
    lines: dict[tuple[str, ...], int] = {}
    for number, line in enumerate(read_text(path).split("\n"), 1):
        if not line.strip() or line.lstrip().startswith("//"):
            continue
        place = f"{path}:{number}"
        word, label = _from_json(line, place) if line.lstrip().startswith("{") else _from_text(line, place)
        if found.setdefault(word, label) != label:
            raise InputError(f"{place}: the word of line {lines[word]} again, with another label")
        lines.setdefault(word, number)
    if not found:
        raise InputError(f"{path}: no examples; expected lines of a word, a tab and a label")
    return found


def _from_text(line: str, place: str) -> tuple[tuple[str, ...], bool]:
    word, tab, label = line.rstrip("\r").rpartition("\t")
    if not tab:
        raise InputError(f"{place}: no tab; expected a word, a tab and a label")
    written = word.strip()
    if "\t" in written:
        raise InputError(f"{place}: more than one tab; expected a word, a tab and a label")
    letters = written.split() if " " in written else list(written)
    return (() if written == EMPTY else tuple(letters)), _label(label, place)


def _from_json(line: str, place: str) -> tuple[tuple[str, ...], bool]:
    document = json_object(line, place)
    if "output" not in document:
        raise InputError(f"{place}: output: missing")
    word = tokens_of(document, "input", place)
    return (() if word == (EMPTY,) else word), _label(document["output"], f"{place}: output")


def _label(value: Any, place: str) -> bool:
    if isinstance(value, list) and len(value) == 1:
        value = value[0]
    text = str(value).strip().lower()
    if isinstance(value, list | dict) or text not in LABELS:
        raise InputError(f"{place}: {value!r} is no label; {EXPECTED}")
    return LABELS[text]
