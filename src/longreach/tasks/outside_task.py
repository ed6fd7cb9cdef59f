"""Tasks from outside: a program, `crasp:FILE`, an automaton, `dfa:FILE`, and an object of one's own Python,
`module:attribute`. Examples, `data:FILE`, are read by `data_task`."""

from __future__ import annotations

import importlib
import os
import sys
from typing import Any

from longreach.config.task_name import AUTOMATON, EXPECTED, PROGRAM, TaskName
from longreach.errors import OWN_FAILURES, Argument, InputError, failure_line, near_names
from longreach.languages.regular.automaton_documents import AutomatonFile, read_automaton_file
from longreach.languages.regular.labelled_automaton import LabelledAutomaton
from longreach.tasks.labelled_language import LabelledLanguage
from longreach.tasks.language_task import RegularLanguage
from longreach.tasks.program_task import ProgramTask
from longreach.tasks.task import EOS, PAD, SOS, Task
from longreach.wording import counted


def program_task(name: str) -> ProgramTask:
    """The task of `crasp:FILE`, of `crasp:lib:NAME`, or of `crasp:` and the text of a program.

    >>> program_task("crasp:lib:dyck-1").letters
    ('(', ')')
    """
    from longreach.crasp.library import load_program
    from longreach.crasp.program import parse

    read = TaskName(name)
    source = read.source
    if not source:
        reason = f"the name of the program is empty; expected {PROGRAM}FILE"
        raise InputError(reason, place=Argument("task"))
    program = parse(source, read.short) if read.is_text else load_program(source)
    task = ProgramTask(name, program)
    if not task.letters:
        raise InputError(f"{source}: the program names no token; declare its letters: #alphabet a b")
    return task


def automaton_file(name: str) -> AutomatonFile:
    """The automaton of `dfa:FILE`, or of `dfa:` and the text of one."""
    from longreach.crasp.parser import read_text

    read = TaskName(name)
    if not read.source:
        reason = f"the name of the file is empty; expected {AUTOMATON}FILE"
        raise InputError(reason, place=Argument("task"))
    text = read.source if read.is_text else read_text(read.source)
    where = read.short if read.is_text else read.source
    found = read_automaton_file(text, file=where)
    reserved = next((token for token in found.machine.alphabet if token in (PAD, SOS, EOS)), None)
    if reserved is not None:
        raise InputError(f"{where}: alphabet: {reserved} cannot be a letter, the task needs it itself")
    return found


def automaton_task(name: str) -> Task:
    """The task of an automaton: what may follow within its words, or its answer classes over all words.

    >>> automaton_task('dfa:{"alphabet":["a"],"transitions":[[1],[0]],"outputs":["even","odd"]}').answer("a")
    ('{even}', '{odd}')
    """
    machine = automaton_file(name).machine
    states = counted(len(machine), "state")
    if isinstance(machine, LabelledAutomaton):
        count = len(machine.classes)
        classes = f"{count} {'class' if count == 1 else 'classes'}"
        return LabelledLanguage(name, machine, f"which of {classes}, by an automaton with {states}")
    return RegularLanguage(name, machine, f"the language of an automaton with {states}")


def attribute_task(name: str) -> Task:
    """The task that an attribute of a module is, or that it gives when it is called.

    Modules are looked for in the usual places and then in the current directory.

    >>> attribute_task("longreach.tasks.sort:Sort").name
    'sort'
    >>> attribute_task("longreach.tasks.sort:Sorted")
    Traceback (most recent call last):
    longreach.errors.InputError: module 'longreach.tasks.sort' has no attribute 'Sorted'; did you mean ...
    """
    value = attribute_value(name)
    if not isinstance(value, Task) and callable(value):
        try:
            value = value()
        except OWN_FAILURES as error:
            hint = "of a function of words Task.from_predicate or Task.from_function makes a task"
            said = f"{name}: calling it without arguments fails: {failure_line(error)}; {hint}"
            raise InputError(said) from None
    if not isinstance(value, Task):
        raise InputError(f"{name}: is a {type(value).__name__}, not a Task nor a function that gives one")
    return value


def attribute_value(name: str) -> Any:
    """Whatever an attribute of a module is, by `module:attribute`."""
    module, path = TaskName(name).attribute
    value: Any = _module(module)
    for part in path.split("."):
        try:
            value = getattr(value, part)
        except AttributeError:
            public = [other for other in dir(value) if not other.startswith("_")]
            where = f"module {module!r}" if value is sys.modules.get(module) else f"{type(value).__name__}"
            raise InputError(f"{where} has no attribute {part!r}{near_names(part, public)}") from None
    return value


def _module(name: str) -> Any:
    here = os.getcwd()
    if here not in sys.path:
        sys.path.append(here)  # at the end: a file of the user's must not hide a module of the library
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        missing = error.name or name
        if name == missing or name.startswith(f"{missing}."):
            raise InputError(
                f"no module is named {missing!r}, in the current directory neither; expected {EXPECTED}"
            ) from None
        raise InputError(f"module {name!r} cannot be imported: {failure_line(error)}") from None
    except OWN_FAILURES as error:
        raise InputError(f"module {name!r} cannot be imported: {failure_line(error)}") from None
