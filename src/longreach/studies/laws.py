"""How a length grows with a parameter: slopes, rank correlations and intervals.

Intervals come from a bootstrap over languages. Lengths lie on a grid, and are missing where no tested length
was enough: the slope leaves those languages out, the rank correlation ranks them last.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from longreach.answers.odds import FloatArray
from longreach.studies.statistics import Estimate, Line, draws, estimate, slopes, taus

RESAMPLES = 2000


@dataclass(frozen=True, kw_only=True)
class GrowthLaw:
    """How lengths depend on one quantity."""

    quantity: str
    languages: int
    """With a length."""
    missing: int
    """Without one: none was long enough."""
    slope: Estimate
    """Of log₂ length against log₂ quantity: 1 is linear, 0 is not at all."""
    tau: Estimate
    """Kendall's τ_b of length and quantity."""

    def document(self) -> dict[str, Any]:
        return asdict(self)


def growth_law(
    quantity: str, values: Sequence[float], lengths: Sequence[int | None], *, seed: int = 0
) -> GrowthLaw:
    """The law in languages with these values of a quantity, all positive, and these lengths.

    >>> found = growth_law("states", [2, 4, 8, 8], [5, 10, 20, None])
    >>> round(found.slope.value, 6), found.missing, found.tau.value > 0.8
    (1.0, 1, True)
    """
    known = np.array([length is not None for length in lengths], dtype=np.bool_)
    x = np.log2(np.asarray(values, dtype=np.float64))
    y = np.array([np.inf if length is None else np.log2(length) for length in lengths], dtype=np.float64)
    rng = np.random.default_rng(seed)
    return GrowthLaw(
        quantity=quantity,
        languages=int(known.sum()),
        missing=int((~known).sum()),
        slope=_estimate(slopes, x[known], y[known], rng),
        tau=_estimate(taus, x, y, rng),
    )


def _estimate(
    statistic: Callable[[FloatArray, FloatArray], FloatArray],
    x: FloatArray,
    y: FloatArray,
    rng: np.random.Generator,
) -> Estimate:
    value = statistic(x[None], y[None])
    if np.isnan(value):
        return Estimate()
    drawn = draws(len(x), RESAMPLES, rng)
    found = statistic(x[drawn], y[drawn])
    # Samples in which nothing varies say nothing; where they are many, neither does the interval.
    few = 2 * np.isfinite(found).sum() < RESAMPLES
    return estimate(value if few else np.append(value, found))


LEAST_VALUES = 3
"""Of the parameter: a line through fewer says nothing."""


@dataclass(frozen=True, kw_only=True)
class Law:
    """How the least training length N grows with a parameter, the others fixed."""

    parameter: str
    fixed: str
    """The other parameters, as in "k=1"; empty if there are none."""
    values: tuple[float, ...]
    """Of the parameter, where the least N of some run lies between two that were trained."""
    missing: tuple[float, ...]
    """Where not every run reached it at any N that was trained: N is larger, or the run failed."""
    below: tuple[float, ...]
    """Where some run reached it with the smallest N already: how small N may be is not known."""
    line: Line | None
    """N against the parameter; None where there are too few values."""
    power: Line | None
    """log N against the logarithm of the parameter: its slope is the exponent."""

    @property
    def is_linear(self) -> bool | None:
        """Whether N grows, and in proportion to the parameter: the interval of the exponent holds 1."""
        if self.power is None:
            return None
        return self.power.low <= 1 <= self.power.high and self.power.low > 0

    @property
    def words(self) -> str:
        where = f" ({self.fixed})" if self.fixed else ""
        if self.line is None or self.power is None:
            return f"{self.parameter}{where}: too few values with a least N for a line"
        line, power = self.line, self.power
        found = (
            f"{self.parameter}{where}: N grows by {line.slope:.2f} [{line.low:.2f}, {line.high:.2f}] "
            f"per unit, as {self.parameter}^{power.slope:.2f} [{power.low:.2f}, {power.high:.2f}]"
        )
        if self.is_linear:
            return f"{found}: linear within the interval"
        reason = "that it grows at all is not shown" if power.low <= 0 else "not linear"
        return f"{found}: {reason}"

    def document(self) -> dict[str, Any]:
        return {**asdict(self), "linear": self.is_linear, "words": self.words}


def law_of(
    parameter: str,
    fixed: str,
    points: Sequence[tuple[float, float]],
    *,
    missing: Sequence[float] = (),
    below: Sequence[float] = (),
) -> Law:
    """The law through points (value, least N), one for each run."""
    values = tuple(sorted({value for value, _ in points}))
    line = power = None
    if len(values) >= LEAST_VALUES:
        x, y = [value for value, _ in points], [length for _, length in points]
        line = Line.through(x, y)
        power = Line.through([math.log(each) for each in x], [math.log(each) for each in y])
    return Law(
        parameter=parameter,
        fixed=fixed,
        values=values,
        missing=tuple(sorted(set(missing))),
        below=tuple(sorted(set(below))),
        line=line,
        power=power,
    )
