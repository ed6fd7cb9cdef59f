"""From the name of a task, a library program or a predicate to what programs are searched for."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from longreach.config.task_name import REGEX, TaskName
from longreach.crasp.library import ENTRIES, PREFIX, load_program
from longreach.errors import Argument, InputError
from longreach.languages.regular.expression_to_automaton import from_expression
from longreach.synthesis.search_target import (
    ExamplesTarget,
    PredicateTarget,
    ProgramTarget,
    RegularTarget,
    Target,
    target_of,
)
from longreach.tasks.catalog import load_task
from longreach.tasks.labelled_words import read_labelled_words
from longreach.tasks.language_task import RegularLanguage
from longreach.tasks.outside_task import attribute_value
from longreach.tasks.predicate_language import PredicateLanguage
from longreach.tasks.program_task import ProgramTask
from longreach.tasks.task import Task


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
    """The language of a regular expression."""
    return RegularTarget(from_expression(expression, tuple(alphabet) if alphabet is not None else None))


def examples_target(path: Path, alphabet: Sequence[str] | None = None) -> ExamplesTarget:
    """The labelled words of a file."""
    found = target_of(read_labelled_words(path), alphabet)
    assert isinstance(found, ExamplesTarget)
    return found
