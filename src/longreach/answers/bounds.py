"""Bounds on the training length of a task."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

from longreach.answers.verdicts import known_program
from longreach.errors import InputError
from longreach.tasks.numbers import load_regression
from longreach.tasks.regular import LabelledLanguage
from longreach.tasks.task import Task
from longreach.theory.bounds.definition import ERROR, Bound, BoundInputs, Number, Size
from longreach.theory.bounds.inputs import automaton_inputs, program_inputs, together
from longreach.theory.bounds.theorems import (
    AUTOMATON,
    DEPTH_ONE,
    IN_CONTEXT_GRAMS,
    LEARNER,
    WORKSHOP,
    WORST_CASE,
    BoundsFound,
    bounds,
)
from longreach.theory.crasp.program import Program
from longreach.theory.verdicts.verdict import Verdict

NO_AUTOMATON = "the task is not given by an automaton"
NONE_KNOWN = "no bound on the training length is known without a model"


def task_inputs(task: Task, sides: Mapping[str, Verdict]) -> BoundInputs:
    """The states of its automaton and what its program says, where there are such.

    >>> from longreach.answers.forecast import forecast
    >>> found = forecast("tomita-4")
    >>> task_inputs(found.task, found.sides).values
    {'states': Fraction(4, 1)}
    """
    states = _states(task)
    automaton = BoundInputs(absent={"states": NO_AUTOMATON}) if states is None else automaton_inputs(states)
    program = program_or_reason(sides)
    read = BoundInputs(absent={"T": program}) if isinstance(program, str) else program_inputs(program.core)
    return together(automaton, read)


def task_bounds(task: Task, sides: Mapping[str, Verdict]) -> BoundsFound:
    """The bounds that need no ε and no model."""
    return bounds(task_inputs(task, sides), definitions=(AUTOMATON, DEPTH_ONE))


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


def program_or_reason(sides: Mapping[str, Verdict]) -> Program | str:
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


# Where answers are numbers


def ratio_of(bound: Size, measured: float | None) -> float | None:
    """Bound / measured: how loose it is, or below 1 how far from what transformers need."""
    number = bound.number()
    return None if number is None or not measured else number / measured


@dataclass(frozen=True)
class LossBound:
    """A bound on the training length, its unknown constants taken as 1."""

    name: str
    formula: str
    value: Size
    up_to_constants: ClassVar[bool] = True

    @property
    def says(self) -> str:
        return self.name

    def document(self, ratio: str = "bound_over_measured") -> dict[str, Any]:
        """`ratio` is the name of the field of bound / measured, which says nothing without the constants."""
        return {
            "name": self.name,
            "formula": self.formula,
            "value": self.value.number(),
            "log2": self.value.logarithm,
            ratio: None,
            "up_to_constants": True,
        }


def bounds_of(task: str, norm: float | None, loss: float) -> tuple[LossBound, ...]:
    """The terms of the bounds once attention is hard, for ε = √loss; `norm` is L of the trained models.

    The first terms, 2^{p/γ}, are left out: trained models have no precision p.

    >>> [each.name for each in bounds_of("simple-task:omega=2", 2.0, 0.01)]
    ['one-layer-workshop', 'one-layer-worst-case']
    >>> bounds_of("in-context-kgram:S=2,k=2", None, 0.01)[0].value.number()
    10000
    """
    known = load_regression(task)
    error = Fraction(math.sqrt(loss)).limit_denominator(10**6)
    values: dict[str, Number] = {ERROR: error}
    if known.locality:
        values["k"] = Fraction(known.locality)
        size = IN_CONTEXT_GRAMS.terms["length"].compute(values)
        return (LossBound(IN_CONTEXT_GRAMS.name, IN_CONTEXT_GRAMS.formula, size),)
    if norm is None:
        return ()
    values |= {
        "L": Fraction(norm),
        "period": Fraction(known.period),
        "alphabet": Fraction(known.symbols),
        "locality": Fraction(0),
    }
    second = {WORKSHOP.name: "τ Δ L² / ε²", WORST_CASE.name: "L² Δ⁷ |Σ|⁶ τ² / ε²"}
    return tuple(
        LossBound(each.name, second[each.name], each.terms["resolution"].compute(values))
        for each in (WORKSHOP, WORST_CASE)
    )
