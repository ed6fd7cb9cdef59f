"""All tasks by name."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from importlib import import_module

from longreach.config.family_name import FamilyName, Value
from longreach.config.regression_name import FAMILIES as WITH_NUMBERS
from longreach.config.regression_name import RegressionName
from longreach.config.task_name import (
    AUTOMATON,
    CHANGES,
    DATA,
    FORMS,
    PROGRAM,
    REGEX,
    STATES,
    STATES_AFTER,
    Origin,
    TaskName,
)
from longreach.errors import Argument, InputError, near_names
from longreach.languages.regular.automaton import Automaton, live_states
from longreach.languages.regular.automaton_documents import write_automaton
from longreach.languages.regular.expression_to_automaton import expression_hint, from_expression
from longreach.languages.regular.labelled_automaton import LabelledAutomaton
from longreach.languages.regular.named_languages import NAMED_LANGUAGES, named_automaton
from longreach.tasks.changed_task import changed_task
from longreach.tasks.data_task import DataTask, read_examples
from longreach.tasks.labelled_language import LabelledLanguage
from longreach.tasks.language_task import RegularLanguage
from longreach.tasks.outside_task import attribute_task, automaton_file, automaton_task, program_task
from longreach.tasks.program_task import ProgramTask
from longreach.tasks.session_task import session_task
from longreach.tasks.state_task import StateTask
from longreach.tasks.task import Task
from longreach.tasks.task_change import ChangedTask
from longreach.wording import counted


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
    "multiplication": "multiplication:Multiplication",
    "parity-with-empty": "as_scripted:ParityWithEmpty",
    "repeated-copy": "repeated_copy:RepeatedCopy",
    "repeated-sort": "repeated_sort:RepeatedSort",
    "count": "count:Count",
    "mode": "mode:Mode",
    "reverse": "reverse:Reverse",
    "duplicate-string": "duplicate_string:DuplicateString",
    "bucket-sort": "bucket_sort:BucketSort",
    "even-pairs": "even_pairs:EvenPairs",
    "cycle-navigation": "cycle_navigation:CycleNavigation",
    "modular-arithmetic": "modular_arithmetic:ModularArithmetic",
    "boolean-expressions": "boolean_expressions:BooleanExpressions",
}
NOT_REGULAR = {
    "dyck-1": "dyck_1:Dyck1",
    "shuffle-dyck": "shuffle_dyck:ShuffleDyck",
    "anbn": "anbn:AnBn",
    "anbncn": "anbncn:AnBnCn",
}
FAMILIES = {
    "sparse-parity": "sparse_parity:SparseParity",
    "parity-scratchpad": "parity_scratchpad:ParityScratchpad",
    "variable-assignment": "variable_assignment:VariableAssignment",
    "kgram-retrieval": "kgram_retrieval:KgramRetrieval",
}
"""Where the class of a task lives: a module of this package, and its name there. Families have parameters."""


def _made(place: str, *values: Value) -> Task:
    module, _, name = place.partition(":")
    task: Task = getattr(import_module(f"longreach.tasks.{module}"), name)(*values)
    return task


def _member(name: str) -> Task:
    """Of a family."""
    read = FamilyName.read(name)
    return _made(FAMILIES[read.family], *read.values)


TASKS: dict[str, Callable[[], Task]] = {
    **{name: partial(_made, place) for name, place in ALGORITHMIC.items()},
    **{name: partial(_named, name) for name in NAMED_LANGUAGES},
    **{name: partial(_made, place) for name, place in NOT_REGULAR.items()},
    **{name: partial(_member, name) for name in FAMILIES},
}


_OUTSIDE: dict[Origin, Callable[[str], Task]] = {
    Origin.PROGRAM: program_task,
    Origin.AUTOMATON: automaton_task,
    Origin.DATA: read_examples,
    Origin.ATTRIBUTE: attribute_task,
}


def load_task(name: str, alphabet: Sequence[str] | None = None) -> Task:
    """The task of a name: one of `TASKS`, `d-N` for any N, a member of a family such as
    `parity-scratchpad:2`, `regex:…` with its alphabet, the states of its
    automaton as `states:…` and `states-after:…`, an automaton as `dfa:FILE`, a program as `crasp:FILE`,
    examples as `data:FILE`, or a task of one's own as `module:attribute`, which is imported.

    >>> load_task("sort").name, load_task("d-5").name
    ('sort', 'd-5')
    >>> load_task("regex:(ab)*").tokens
    ('PAD', 'SOS', 'a', 'b', '{a,EOS}', '{b}')
    >>> load_task("copy-uniqe")
    Traceback (most recent call last):
    longreach.errors.InputError: no task is named 'copy-uniqe'; did you mean 'copy-unique'...

    Behind a `+` stands how a task is changed (`longreach.tasks.changed_task`).

    >>> load_task("parity+scratchpad").answer("110")
    ('odd', 'even', 'even', 'EOS')
    """
    read = TaskName(name)
    if read.changes:
        return changed_task(load_task(read.base, alphabet), read.changes)
    if TaskName(name).is_regex:
        expression = TaskName(name).expression
        return RegularLanguage(name, from_expression(expression, alphabet), expression)
    if TaskName(name).is_states:
        return _states(name, alphabet)
    if alphabet is not None:
        raise InputError(f"{name}: an alphabet goes with {REGEX}… and {STATES}…")
    if name in TASKS:
        return TASKS[name]()
    if re.fullmatch(r"d-\d+", name):
        return _named(name)
    if FamilyName.is_one(name):
        return _member(name)
    if TaskName(name).is_session:
        return session_task(name)
    outside = _OUTSIDE.get(TaskName(name).origin)
    if outside is not None:
        return outside(name)
    if RegressionName.is_one(name):
        known = RegressionName.read(name).text
        raise InputError(f"{known} has numbers as answers: longreach train, threshold and study take it")
    raise InputError(f"no task is named {name!r}{_hint(name)}")


def _states(name: str, alphabet: Sequence[str] | None) -> StateTask:
    expression, after = TaskName(name).source, TaskName(name).prefix == STATES_AFTER
    language = from_expression(expression, alphabet)
    states = counted(len(live_states(language)), "state")
    about = f"which of {states}, {'after' if after else 'at'} each letter of words of {expression}"
    return StateTask(name, language, about, after)


_ENDINGS = {".json": AUTOMATON, ".jsonl": DATA, ".cr": PROGRAM}


def _hint(name: str) -> str:
    """What may have been meant: a file, a regular expression, or another name; else what is expected."""
    kind, colon, rest = name.strip().partition(":")
    if TaskName(kind.lower() + colon).prefix:  # such as Regex:(aa)*
        return f"; did you mean {kind.lower() + colon + rest!r}?"
    prefix = next((prefix for ending, prefix in _ENDINGS.items() if name.endswith(ending)), None)
    if prefix is not None:
        return f"; did you mean {prefix + name!r}?"
    base, sign, _ = name.partition("+")
    if sign and base in TASKS:  # no expression: a change of a task that is mistyped
        return near_names(name, [f"{base}+{change}" for change in CHANGES])
    near = expression_hint(name) or near_names(name, (*TASKS, *FAMILIES, *WITH_NUMBERS))
    return near or f"; `longreach tasks` lists the names, others are written {FORMS}"


def load_argument(name: str, alphabet: Sequence[str] | None = None) -> Task:
    """The same for what a caller gives as its task; errors name that as their place, or the file.

    >>> load_argument("sort-of")
    Traceback (most recent call last):
    longreach.errors.InputError: task: no task is named 'sort-of'; did you mean 'sort'...
    """
    try:
        return load_task(name, alphabet)
    except InputError as error:
        if TaskName(name).is_file or TaskName(name).is_text:
            raise
        raise error.at(Argument("task")) from None


def self_contained(name: str) -> str:
    """A name by which another process finds the same task: that of a program or an automaton is its text,
    and that of examples says what the file holds.

    What stands behind `module:attribute` is known by its name only.

    >>> self_contained("crasp:lib:tomita-1")
    'crasp:#alphabet 0 1\\nD = # "0" == 0'
    """
    read = TaskName(name)
    if read.changes:
        return "+".join([self_contained(read.base), *read.changes])
    if FamilyName.is_one(name):
        return FamilyName.read(name).text
    if read.is_program:
        return program_task(name).self_contained
    if read.is_automaton:
        return AUTOMATON + automaton_file(name).text
    return read_examples(name).self_contained if read.is_data else name


def stored_as(name: str, known: Iterable[str]) -> str:
    """Which of the names in results is meant: by itself, by its short form, or by the file that it is from.

    >>> stored_as("crasp:lib:tomita-1", ["sort"])
    'crasp:#alphabet 0 1\\nD = # "0" == 0'
    """
    names = list(known)
    if name in names:
        return name
    short = next((each for each in names if TaskName(each).short == name), None)
    if short is not None or not TaskName(name).is_file:
        return name if short is None else short
    try:
        return self_contained(name)
    except InputError:  # such as a file that is gone
        return name


def name_of(task: Task) -> str | None:
    """A name by which `load_task` finds the same task; None if there is none.

    Of one's own Python that is `module:attribute`, where the task stands in a module that has been imported
    by its name: a script that is run, or a notebook, is `__main__`, which no other process can import.

    >>> name_of(load_task("sort")), name_of(load_task("regex:(aa)*"))
    ('sort', 'regex:(aa)*')
    """
    if isinstance(task, ChangedTask):
        base = name_of(task.base)
        return None if base is None else TaskName(base).changed(task.change)
    if isinstance(task, ProgramTask) or (isinstance(task, DataTask) and task.ids is None):
        return task.self_contained
    machine = getattr(task, "automaton", None) or getattr(task, "machine", None)
    if type(task) is LabelledLanguage or (type(task) is RegularLanguage and not _found(task)):
        assert isinstance(machine, Automaton | LabelledAutomaton)
        return AUTOMATON + write_automaton(machine)
    return task.name if _found(task) else _attribute(task)


def _found(task: Task) -> bool:
    """Whether the task is what its own name says."""
    if TaskName(task.name).origin not in (Origin.BUILT_IN, Origin.REGEX, Origin.STATES):
        return False
    try:
        return type(task).__eq__ is not object.__eq__ and load_task(task.name) == task
    except InputError:
        return False


def _attribute(task: Task) -> str | None:
    for module in list(sys.modules.values()):
        content = getattr(module, "__dict__", {})
        for attribute, value in list(content.items()):
            if value is task and getattr(module, "__name__", "__main__") != "__main__":
                name = f"{module.__name__}:{attribute}"
                return name if TaskName(name).is_attribute else None
    return None
