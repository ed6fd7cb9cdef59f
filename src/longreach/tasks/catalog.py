"""All tasks by name."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import partial
from importlib import import_module

from longreach.config.task_name import REGEX, TaskName
from longreach.errors import Argument, InputError, near_names
from longreach.languages.regular.expression_to_automaton import expression_hint, from_expression
from longreach.languages.regular.named_languages import NAMED_LANGUAGES, named_automaton
from longreach.tasks.language_task import RegularLanguage
from longreach.tasks.outside_task import attribute_task, program_task
from longreach.tasks.task import Task


def _named(name: str) -> Task:
    brackets = re.fullmatch(r"d-(\d+)", name)
    about = (
        f"brackets a, b nested at most {brackets[1]} deep" if brackets else NAMED_LANGUAGES[name].expression
    )
    return RegularLanguage(name, named_automaton(name), about)


ALGORITHMIC = {
    "binary-majority": "binary_majority:BinaryMajority",
    "binary-majority-interleave": "binary_majority_interleave:BinaryMajorityInterleave",
    "majority": "majority:Majority",
    "sort": "sort:Sort",
    "copy-unique": "copy_unique:CopyUnique",
    "copy-repeat": "copy_repeat:CopyRepeat",
    "parity": "parity:Parity",
    "addition": "addition:Addition",
    "addition-no-leading-zeros": "as_scripted:AdditionWithoutLeadingZeros",
    "parity-with-empty": "as_scripted:ParityWithEmpty",
    "repeated-copy": "repeated_copy:RepeatedCopy",
    "repeated-sort": "repeated_sort:RepeatedSort",
}
NOT_REGULAR = {"dyck-1": "dyck_1:Dyck1", "anbncn": "anbncn:AnBnCn"}
"""Where the class of a task lives: a module of this package, and its name there."""


def _made(place: str) -> Task:
    module, _, name = place.partition(":")
    task: Task = getattr(import_module(f"longreach.tasks.{module}"), name)()
    return task


TASKS: dict[str, Callable[[], Task]] = {
    **{name: partial(_made, place) for name, place in ALGORITHMIC.items()},
    **{name: partial(_named, name) for name in NAMED_LANGUAGES},
    **{name: partial(_made, place) for name, place in NOT_REGULAR.items()},
}


def load_task(name: str, alphabet: Sequence[str] | None = None) -> Task:
    """The task of a name: one of `TASKS`, `d-N` for any N, `regex:…` with its alphabet, a program as
    `crasp:FILE`, or a task of one's own as `module:attribute`, which is imported.

    >>> load_task("sort").name, load_task("d-5").name
    ('sort', 'd-5')
    >>> load_task("regex:(ab)*").tokens
    ('PAD', 'SOS', 'a', 'b', '{a,EOS}', '{b}')
    >>> load_task("copy-uniqe")
    Traceback (most recent call last):
    longreach.errors.InputError: no task is named 'copy-uniqe'; did you mean 'copy-unique'...
    """
    if TaskName(name).is_regex:
        expression = TaskName(name).expression
        return RegularLanguage(name, from_expression(expression, alphabet), expression)
    if alphabet is not None:
        raise InputError(f"{name}: an alphabet goes with {REGEX}…")
    if name in TASKS:
        return TASKS[name]()
    if re.fullmatch(r"d-\d+", name):
        return _named(name)
    if TaskName(name).is_program:
        return program_task(name)
    if TaskName(name).is_attribute:
        return attribute_task(name)
    raise InputError(f"no task is named {name!r}{expression_hint(name) or near_names(name, TASKS)}")


def load_argument(name: str, alphabet: Sequence[str] | None = None) -> Task:
    """The same for what a caller gives as its task; errors name that as their place, or the file.

    >>> load_argument("sort-of")
    Traceback (most recent call last):
    longreach.errors.InputError: task: no task is named 'sort-of'; did you mean 'sort'...
    """
    try:
        return load_task(name, alphabet)
    except InputError as error:
        if TaskName(name).is_program:
            raise
        raise error.at(Argument("task")) from None


def self_contained(name: str) -> str:
    """A name by which another process finds the same task: a program's is its text.

    What stands behind `module:attribute` is known by its name only.

    >>> self_contained("crasp:lib:tomita-1")
    'crasp:#alphabet 0 1\\nD = # "0" == 0'
    """
    return program_task(name).self_contained if TaskName(name).is_program else name
