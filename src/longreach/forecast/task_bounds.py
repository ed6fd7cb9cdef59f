"""TASK → bounds on the training length: by its automaton, by its program, by the compiled program."""

from __future__ import annotations

from collections.abc import Mapping

from longreach.bounds.all_bounds import BoundsFound, bounds
from longreach.bounds.bound_definition import Bound
from longreach.bounds.bound_inputs import BoundInputs
from longreach.bounds.bound_subject import Subject, limit_subject
from longreach.bounds.length_complexity import AUTOMATON, DEPTH_ONE, LEARNER
from longreach.bounds.model_inputs import without_model
from longreach.bounds.program_inputs import automaton_inputs, program_inputs, together
from longreach.crasp.program import Program
from longreach.errors import InputError
from longreach.forecast.program_answers import known_program
from longreach.limit.compile.program_to_limit import compile_program
from longreach.tasks.labelled_language import LabelledLanguage
from longreach.tasks.task import Task
from longreach.verdicts.verdict import Verdict

NO_AUTOMATON = "the task is not given by an automaton"
NONE_KNOWN = "no bound on the training length is known without a model"
MOST_OPERATIONS = 300
"""Of a program that is compiled on the way: larger ones take long, and have many layers."""


def task_inputs(task: Task, sides: Mapping[str, Verdict]) -> BoundInputs:
    """The states of its automaton and what its program says, where there are such.

    >>> from longreach.forecast import forecast
    >>> found = forecast("tomita-4")
    >>> task_inputs(found.task, found.sides).values
    {'states': Fraction(4, 1)}
    """
    states = _states(task)
    automaton = BoundInputs(absent={"states": NO_AUTOMATON}) if states is None else automaton_inputs(states)
    program = _program(sides)
    read = BoundInputs(absent={"T": program}) if isinstance(program, str) else program_inputs(program.core)
    return together(automaton, read)


def task_bounds(task: Task, sides: Mapping[str, Verdict]) -> BoundsFound:
    """The bounds that need no ε and no model."""
    return bounds(task_inputs(task, sides), definitions=(AUTOMATON, DEPTH_ONE))


def task_subject(task: Task, sides: Mapping[str, Verdict], *, precision: int | None = None) -> Subject:
    """The same, and the quantities of the compiled program where that has one or two layers."""
    inputs = task_inputs(task, sides)
    program = _program(sides)
    if isinstance(program, str):
        return Subject(inputs=together(inputs, without_model(program)))
    core = program.core
    if core.size > MOST_OPERATIONS:
        reason = (
            f"the program has {core.size} operations; those of more than {MOST_OPERATIONS} are not compiled"
        )
        return Subject(inputs=together(inputs, without_model(reason)))
    compiled = limit_subject(compile_program(core), precision=precision)
    return Subject(inputs=together(inputs, compiled.inputs), quantities=compiled.quantities)


def bounds_note(found: BoundsFound) -> str:
    """What the bounds of a forecast are about, in one line."""
    said = LEARNER if found.bounds else NONE_KNOWN
    return "; ".join([said, *found.notes, "longreach bound has those that need a model or an error"])


def bound_lines(found: BoundsFound) -> list[str]:
    """The same for people: each bound with its formula; without any, why there is none."""
    return [_line(each) for each in found.bounds] or list(found.notes)


def _line(found: Bound) -> str:
    """A number only where no constant is unknown."""
    about = found.definition
    if not about.up_to_constants:
        return f"{found.value} ({about.name}: {about.formula})"
    inputs = ", ".join(f"{name} = {value}" for name, value in found.inputs.items())
    return f"{about.formula} with {inputs} ({about.name})"


def _program(sides: Mapping[str, Verdict]) -> Program | str:
    """The program of the task, or why there is none."""
    try:
        return known_program(sides)
    except InputError as error:
        return error.message


def _states(task: Task) -> int | None:
    if isinstance(task, LabelledLanguage):
        return len(task.machine)
    automaton = getattr(task, "automaton", None)
    return None if automaton is None else len(automaton)
