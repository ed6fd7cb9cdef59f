"""What theory says of the training length for a task and a loss, beside what was measured."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from longreach.bounds.bound_definition import ERROR
from longreach.bounds.bound_size import Number, Size
from longreach.bounds.finite_precision import WORKSHOP, WORST_CASE
from longreach.bounds.infinite_precision import IN_CONTEXT_GRAMS
from longreach.tasks.regression_catalog import load_regression


@dataclass(frozen=True)
class LossBound:
    """A bound on the training length, its unknown constants taken as 1."""

    name: str
    formula: str
    value: Size

    def ratio(self, measured: float | None) -> float | None:
        """Bound / measured; None where either is missing or too large."""
        number = self.value.number()
        return None if number is None or not measured else float(number) / measured

    def document(self, measured: float | None) -> dict[str, Any]:
        """As JSON has it."""
        return {
            "name": self.name,
            "formula": self.formula,
            "value": self.value.number(),
            "log2": self.value.logarithm,
            "bound_over_measured": self.ratio(measured),
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
