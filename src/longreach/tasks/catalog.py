"""All tasks by name, and the name of a task."""

from __future__ import annotations

import hashlib
import re
import sys
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from importlib import import_module
from typing import Any

from longreach.errors import Argument, Field, InputError, near_names
from longreach.files import canonical_json
from longreach.tasks.changes import changed_task
from longreach.tasks.data import DataTask, read_examples
from longreach.tasks.layouts import ChangedTask
from longreach.tasks.names import NUMBER_FAMILIES, FamilyName, Value, has_numbers
from longreach.tasks.outside import ProgramTask, automaton_file, automaton_task, program_task
from longreach.tasks.own import remember, session_task
from longreach.tasks.plain import attribute_task, plain_task, takes_words
from longreach.tasks.regular import LabelledLanguage, LanguageTask, RegularLanguage, StateTask
from longreach.tasks.task import Task
from longreach.theory.automata.automaton import Automaton, LabelledAutomaton
from longreach.theory.automata.files import write_automaton
from longreach.theory.automata.named import NAMED_LANGUAGES, named_automaton
from longreach.theory.automata.regex import expression_hint, from_expression
from longreach.theory.names import (
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
    python_hint,
)
from longreach.wording import counted


def _named(name: str) -> Task:
    brackets = re.fullmatch(r"d-(\d+)", name)
    about = (
        f"brackets a, b nested at most {brackets[1]} deep" if brackets else NAMED_LANGUAGES[name].expression
    )
    return RegularLanguage(name, named_automaton(name), about)


ALGORITHMIC = {
    "binary-majority": "counting:BinaryMajority",
    "binary-majority-interleave": "counting:BinaryMajorityInterleave",
    "majority": "counting:Majority",
    "sort": "copying:Sort",
    "copy-unique": "copying:CopyUnique",
    "copy-repeat": "copying:CopyRepeat",
    "parity": "counting:Parity",
    "addition": "arithmetic:Addition",
    "addition-no-leading-zeros": "arithmetic:AdditionWithoutLeadingZeros",
    "multiplication": "arithmetic:Multiplication",
    "parity-with-empty": "arithmetic:ParityWithEmpty",
    "repeated-copy": "copying:RepeatedCopy",
    "repeated-sort": "copying:RepeatedSort",
    "count": "counting:Count",
    "mode": "counting:Mode",
    "reverse": "copying:Reverse",
    "duplicate-string": "copying:DuplicateString",
    "bucket-sort": "copying:BucketSort",
    "even-pairs": "counting:EvenPairs",
    "cycle-navigation": "counting:CycleNavigation",
    "modular-arithmetic": "counting:ModularArithmetic",
    "boolean-expressions": "arithmetic:BooleanExpressions",
}
NOT_REGULAR = {
    "dyck-1": "formal:Dyck1",
    "shuffle-dyck": "formal:ShuffleDyck",
    "anbn": "formal:AnBn",
    "anbncn": "formal:AnBnCn",
}
FAMILIES = {
    "sparse-parity": "families:SparseParity",
    "parity-scratchpad": "families:ParityScratchpad",
    "variable-assignment": "families:VariableAssignment",
    "kgram-retrieval": "families:KgramRetrieval",
    "word-problem": "groups:word_problem",
    "flip-flop": "recall:flip_flop",
    "mqar": "recall:Mqar",
    "selective-copy": "recall:SelectiveCopy",
    "recall-then-fold": "recall:RecallThenFold",
}
"""Where the class of a task lives: a module of this package, and its name there. Families have parameters."""


def _made(place: str, *values: Value) -> Task:
    module, _, name = place.partition(":")
    task: Task = getattr(import_module(f"longreach.tasks.{module}"), name)(*values)
    return task


def _member(name: str) -> Task:
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
}


def load_task(name: str, alphabet: Sequence[str] | None = None) -> Task:
    """Load a task by name: one of `TASKS`, `d-N` for any N, one of a family such as `parity-scratchpad:2`,
    a regular expression (`regex:…`) or the states of its automaton (`states:…`, `states-after:…`), an
    automaton (`dfa:FILE`), a program (`crasp:FILE`), examples (`data:FILE`), or your own Python
    (`module:attribute`, which is imported).

    >>> load_task("sort").name, load_task("d-5").name
    ('sort', 'd-5')
    >>> load_task("regex:(ab)*").tokens
    ('PAD', 'SOS', 'a', 'b', '{a,EOS}', '{b}')
    >>> load_task("copy-uniqe")
    Traceback (most recent call last):
    longreach.errors.InputError: no task named 'copy-uniqe'; did you mean 'copy-unique'...

    A `+` changes the form of the task (`longreach.tasks.changes`):

    >>> load_task("parity+scratchpad").answer("110")
    ('odd', 'even', 'even', 'EOS')
    """
    if not isinstance(name, str):
        raise InputError(f"expected the name of a task, not {type(name).__name__}")
    read = TaskName(name)
    if read.changes:
        return changed_task(load_task(read.base, alphabet), read.changes)
    if TaskName(name).is_regex:
        expression = TaskName(name).expression
        return RegularLanguage(name, from_expression(expression, alphabet), expression)
    if TaskName(name).is_states:
        return _states(name, alphabet)
    if TaskName(name).is_attribute:
        return attribute_task(name, alphabet)
    if alphabet is not None:
        raise InputError(f"{name}: an alphabet is only for {REGEX}…, {STATES}… and plain functions")
    if name in TASKS:
        return TASKS[name]()
    if re.fullmatch(r"d-\d+", name):
        return _named(name)
    if has_numbers(name):
        known = FamilyName.read(name).text
        raise InputError(f"{known} has numbers as answers: longreach train, threshold and study take it")
    if FamilyName.is_one(name):
        return _member(name)
    if TaskName(name).is_session:
        return session_task(name)
    outside = _OUTSIDE.get(TaskName(name).origin)
    if outside is not None:
        return outside(name)
    raise InputError(f"no task named {name!r}{_hint(name)}")


def _states(name: str, alphabet: Sequence[str] | None) -> StateTask:
    expression, after = TaskName(name).source, TaskName(name).prefix == STATES_AFTER
    language = from_expression(expression, alphabet)
    states = counted(len(language.live), "state")
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
    near = (
        python_hint(name) or expression_hint(name) or near_names(name, (*TASKS, *FAMILIES, *NUMBER_FAMILIES))
    )
    return near or f"; `longreach tasks` lists the names; others are {FORMS}"


def load_argument(name: str, alphabet: Sequence[str] | None = None) -> Task:
    """The same for what a caller gives as its task; errors name that as their place, or the file.

    >>> load_argument("sort-of")
    Traceback (most recent call last):
    longreach.errors.InputError: task: no task named 'sort-of'; did you mean 'sort'...
    """
    try:
        return load_task(name, alphabet)
    except InputError as error:
        if TaskName(name).is_file or TaskName(name).is_text or isinstance(error.place, Field | Argument):
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
    if FamilyName.is_one(name) and not has_numbers(name):
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


MOST_LETTERS = 40  # of a task in a file's name


def name_of_task(
    task: str | Task | Callable[[Any], Any], alphabet: Sequence[str] | None = None
) -> tuple[str, tuple[str, ...] | None]:
    """The name of a task and, for a regular expression, its alphabet; of a plain function of words, whose
    letters may be given, that of its task.

    An object that another process can find has the name by which it does (`catalog.name_of`); any other is an
    object of this session.

    >>> from longreach.tasks.copying import Sort
    >>> name_of_task("regex:a*", "ab"), name_of_task(Sort()), name_of_task(load_task("regex:a*", "ab"))
    (('regex:a*', ('a', 'b')), ('sort', None), ('regex:a*', ('a', 'b')))
    >>> name_of_task(Sort(9)), name_of_task(lambda word: "ab" in word, "ab")
    (('object:sort@...', None), ('object:lambda@...', None))
    """
    if isinstance(task, str):
        return task, None if alphabet is None else tuple(alphabet)
    if not isinstance(task, Task | type) and takes_words(task):
        return remember(plain_task(task, alphabet)), None
    if not isinstance(task, Task):
        kind = f"the class {task.__name__}" if isinstance(task, type) else type(task).__name__
        raise InputError(f"expected the name of a task or a Task, not {kind}", place=Argument("task"))
    if alphabet is not None:
        raise InputError(f"an alphabet is only for {REGEX}…; a Task has its own", place=Argument("task"))
    if isinstance(task, LanguageTask) and TaskName(task.name).has_alphabet and _leads_to(task, task.letters):
        return task.name, task.letters
    return name_of(task) or remember(task), None


def _leads_to(task: Task, alphabet: tuple[str, ...]) -> bool:
    try:
        return load_task(task.name, alphabet) == task
    except InputError:
        return False


def file_name(task: str, alphabet: tuple[str, ...] | None) -> str:
    """What stands for a task in names of files.

    >>> file_name("aa", None)
    'aa'
    """
    if task in TASKS:
        return task
    whole = canonical_json({"task": self_contained(task), "alphabet": alphabet})
    slug = re.sub(r"[^A-Za-z0-9]+", "-", TaskName(task).short).strip("-")[:MOST_LETTERS]
    return f"{slug}-{hashlib.sha256(whole.encode()).hexdigest()[:4]}"
