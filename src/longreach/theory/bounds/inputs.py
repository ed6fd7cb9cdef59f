"""What bounds can use of a program or an automaton."""

from __future__ import annotations

from fractions import Fraction

from longreach.theory.bounds.definition import BoundInputs
from longreach.theory.bounds.theorems import NO_BOUND
from longreach.theory.crasp.core import Core
from longreach.theory.crasp.ranges import comparison_forms
from longreach.theory.names import END

ONE_LAYER = ("L", "gamma", "period", "alphabet", "locality")


TWO_LAYERS = ("C_f", "C_g", "gamma_f", "gamma_g")


def without_model(reason: str) -> BoundInputs:
    """What is said where no model is measured, and why: no theorem speaks of it, or there is none."""
    return BoundInputs(absent=dict.fromkeys((*ONE_LAYER, *TWO_LAYERS), reason))


LETTERS = 2
"""Of the class for which O(T²) is shown."""


def program_inputs(core: Core) -> BoundInputs:
    """T of a program of counting depth one, or why there is none.

    >>> program_inputs(parse('P = 3 * # "a" >= 2 * # "b"').core).values
    {'T': Fraction(3, 1)}
    >>> program_inputs(parse('P = # (# "a" >= # "b") >= 1').core).absent["T"]
    'the program has counting depth 2'
    """
    if core.depth > 1:
        return BoundInputs(absent={"T": f"the program has counting depth {core.depth}"}, notes=(NO_BOUND,))
    reason = _outside(core)
    if reason is not None:
        return BoundInputs(absent={"T": reason})
    return BoundInputs(values={"T": Fraction(_largest_number(core))})


def _outside(core: Core) -> str | None:
    if core.depth < 1:
        return "the program counts nothing"
    if core.class_name != "C-RASP[∅]":
        return f"the program is in {core.class_name}, and O(T²) is shown without relations of positions"
    # A predictor answers EOS, and never reads it.
    read = [letter for letter in core.alphabet if not (core.is_predictor and letter == END)]
    if len(read) > LETTERS:
        return f"the program reads {len(read)} letters, and O(T²) is shown for {LETTERS}"
    if any(form.bounds is None for form in comparison_forms(core)):
        return "a comparison has too many conditionals to be written with numbers"
    return None


def _largest_number(core: Core) -> int:
    """The largest factor or constant of a comparison, written as ≥ or as <."""
    numbers = [1]
    for form in comparison_forms(core):
        numbers += [abs(factor) for _, factor in form.factors]
        numbers += [abs(end) for end in form.bounds or ()]
    return max(numbers)


def automaton_inputs(states: int) -> BoundInputs:
    """The states of the minimal complete automaton."""
    return BoundInputs(values={"states": Fraction(states)})


def together(*inputs: BoundInputs) -> BoundInputs:
    """What several sources say; a value counts more than a reason for its absence."""
    values = {name: value for each in inputs for name, value in each.values.items()}
    absent = {name: reason for each in inputs for name, reason in each.absent.items() if name not in values}
    return BoundInputs(
        values=values,
        absent=absent,
        assumed={name: text for each in inputs for name, text in each.assumed.items()},
        notes=tuple(dict.fromkeys(note for each in inputs for note in each.notes)),
    )
