"""Simulation strings of one-layer models with finite precision (Theorem 4.1 of arXiv 2510.27015).

From x a word z, no longer than a bound that does not depend on x, on which f and g give what they give on x
up to ε each. docs/simulation.md has the construction and the proof of its constants.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import ceil, inf

import numpy as np

from longreach.bounds.model_quantities import ModelQuantities, combined, quantities
from longreach.bounds.simulation.attended_classes import (
    attended,
    check_one_layer,
    class_counts,
    sensitivity,
)
from longreach.bounds.simulation.model_pair import Errors, ModelPair, Word
from longreach.bounds.simulation.simulation_counts import Case, Plan, Scales, plan
from longreach.errors import Argument, Field, InputError
from longreach.limit.run.softmax_weights import RelativePrecision


@dataclass(frozen=True, kw_only=True, eq=False)
class FiniteString:
    """z, how it was made, and what it achieves. Lengths count tokens, without $."""

    z: Word
    case: Case
    bound: float
    """No z is longer, whatever x is; infinite where attention is not hard below 2^62 tokens."""
    hard_from: float
    """The length from which attention is hard for both, ⌈2^(p/γ)⌉ − 1."""
    scales: Scales
    sensitivity: float
    """Λ, the larger of the two."""
    errors: Errors


@dataclass(frozen=True, eq=False)
class FiniteSimulation:
    """A pair of one-layer models at a precision: makes a z for each x and ε.

    >>> from longreach.limit.compile.attention_averages import simple_task_model
    >>> model = simple_task_model()
    >>> pair = ModelPair(model, model)
    >>> found = FiniteSimulation(pair, precision=8).string(pair.encode("0012" * 5000), error=0.1)
    >>> len(found.z), found.case.value, found.errors.f < 0.1
    (1604, 'shared', True)
    """

    pair: ModelPair
    precision: int

    def __post_init__(self) -> None:
        check_one_layer(self.pair.f, Argument("model"))
        check_one_layer(self.pair.g, Field("against"))

    @cached_property
    def _quantities(self) -> tuple[ModelQuantities, ModelQuantities]:
        f = quantities(self.pair.f, precision=self.precision)
        return f, f if self.pair.g is self.pair.f else quantities(self.pair.g, precision=self.precision)

    @property
    def hard_from(self) -> float:
        """Positions, $ counted, from which attention is hard for both."""
        exponent = combined(*self._quantities).hard_from
        return ceil(2.0**exponent) if exponent < 62 else inf

    @cached_property
    def sensitivity(self) -> float:
        """Λ, the larger of the two."""
        with np.errstate(over="ignore", invalid="ignore"):  # where parameters are near 10^308
            found = max(sensitivity(self.pair, model) for model in self.pair.models)
        if not np.isfinite(found):
            raise InputError("parameters so large that no finite Lipschitz constant is found")
        return found

    def scales(self, error: float) -> Scales:
        """The construction's numbers for outputs within `error`."""
        if not (error > 0 and np.isfinite(error)):
            raise InputError(f"{error:g}: an error is a positive number", place=Field("error"))
        per_weight = Fraction(self.sensitivity)
        tolerance = Fraction(error) / per_weight if per_weight else Fraction(1)
        return Scales(
            tolerance=min(tolerance, Fraction(1)),
            tokens=len(self.pair.tokens),
            period=self.pair.period,
            kept=self.pair.locality + 2,
        )

    def string(self, x: Word, error: float) -> FiniteString:
        """A simulation string of x."""
        scales, hard = self.scales(error), self.hard_from
        made = self._plan(x, scales, hard)
        z = x if made is None else _assembled(made, x, period=self.pair.period)
        return FiniteString(
            z=z,
            case=Case.WHOLE if made is None else made.case,
            bound=max(hard + scales.period, scales.longest) - 1,
            hard_from=hard - 1,
            scales=scales,
            sensitivity=self.sensitivity,
            errors=self.pair.errors(x, z, RelativePrecision(self.precision)),
        )

    def _plan(self, x: Word, scales: Scales, hard: float) -> Plan | None:
        middle = len(x) + 1 - scales.kept
        if middle < scales.period or len(x) + 1 < hard:
            return None
        counts = class_counts(self.pair, x, middle)
        f, g = (
            attended(self.pair, model, x, counts, margin=found.logit_margin)
            for model, found in zip(self.pair.models, self._quantities, strict=True)
        )
        least = max(0, int(hard) - scales.kept)
        made = plan(counts, f, g, scales, least=least)
        return None if made.case is Case.WHOLE else made


def _assembled(made: Plan, x: Word, *, period: int) -> Word:
    """The counted tokens, residue by residue, and the last tokens of x."""
    middle = int(made.counts.sum())
    removed = made.removed * period
    z = np.empty(len(x) - removed, dtype=np.intp)
    for residue in range(period):
        start = residue - 1 if residue else period - 1
        z[start:middle:period] = np.repeat(np.arange(len(made.counts)), made.counts[:, residue])
    z[middle:] = x[middle + removed :]
    return z
