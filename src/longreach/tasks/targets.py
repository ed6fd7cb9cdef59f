"""From the name of a task, a program or a file of words to the target of a search for programs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from longreach.errors import Argument, InputError
from longreach.files import read_text
from longreach.tasks.catalog import load_task
from longreach.tasks.data import json_object, tokens_of
from longreach.tasks.outside import ProgramTask, attribute_value
from longreach.tasks.predicates import PredicateLanguage
from longreach.tasks.regular import RegularLanguage
from longreach.tasks.task import Task
from longreach.theory.automata.regex import from_expression
from longreach.theory.crasp.library import ENTRIES, PREFIX, load_program
from longreach.theory.names import REGEX, TaskName
from longreach.theory.search.targets import (
    ExamplesTarget,
    PredicateTarget,
    ProgramTarget,
    RegularTarget,
    Target,
    target_of,
)
from longreach.wording import EMPTY

LABELS = {
    **dict.fromkeys(("1", "true", "yes", "accept", "+"), True),
    **dict.fromkeys(("0", "false", "no", "reject", "-"), False),
}
EXPECTED = f"expected one of {' '.join(LABELS)}"


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
        raise InputError(f"{place}: {value!r} is not a label; {EXPECTED}")
    return LABELS[text]


def target_named(name: str, alphabet: Sequence[str] | None = None, *, length: int | None = None) -> Target:
    """What is meant by a name: a task that is a language, `lib:NAME`, or a function `module:attribute`.

    A function takes a word, a tuple of letters, and says whether it is accepted; its letters must be given.

    >>> target_named("tomita-4").alphabet, target_named("lib:dyck-1").alphabet
    (('0', '1'), ('(', ')'))
    """
    try:
        return _named(name, alphabet, length)
    except InputError as error:
        if TaskName(name).is_file or TaskName(name).is_text:
            raise
        raise InputError(error.about_argument, place=Argument("target")) from None


def _named(name: str, alphabet: Sequence[str] | None, length: int | None) -> Target:
    read = TaskName(name)
    if read.is_regex:
        return regex_target(name.removeprefix(REGEX), alphabet)
    if read.is_data:
        return examples_target(Path(read.file), alphabet)
    if name.startswith(PREFIX):
        return _acceptor(name)
    if read.is_attribute:
        value = attribute_value(name)
        if callable(value) and not isinstance(value, Task | type):
            if alphabet is None:
                raise InputError(f"{name}: a function needs its letters: --alphabet")
            return PredicateTarget(value, tuple(alphabet), length)
    try:
        task = load_task(name, alphabet)
    except InputError:
        if name not in ENTRIES:
            raise
        return _acceptor(PREFIX + name)
    if isinstance(task, RegularLanguage):
        return RegularTarget(task.automaton)
    if isinstance(task, PredicateLanguage):
        return PredicateTarget(task.contains, task.letters, length)
    if isinstance(task, ProgramTask) and not task.core.is_predictor:
        return ProgramTarget(task.core)
    if name in ENTRIES:
        return _acceptor(PREFIX + name)
    raise InputError(
        f"{name}: says more of a word than yes or no; expected a language, an acceptor or a function"
    )


def _acceptor(name: str) -> ProgramTarget:
    core = load_program(name).core
    if core.is_predictor:
        raise InputError(f"{name}: is a predictor; expected an acceptor")
    return ProgramTarget(core)


def regex_target(expression: str, alphabet: Sequence[str] | None = None) -> RegularTarget:
    return RegularTarget(from_expression(expression, tuple(alphabet) if alphabet is not None else None))


def examples_target(path: Path, alphabet: Sequence[str] | None = None) -> ExamplesTarget:
    found = target_of(read_labelled_words(path), alphabet)
    assert isinstance(found, ExamplesTarget)
    return found
