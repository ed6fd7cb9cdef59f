"""How a length grows with a parameter: slopes, rank correlations and intervals.

Intervals come from a bootstrap over languages. Lengths lie on a grid, and are missing where no tested length
was enough: the slope leaves those languages out, the rank correlation ranks them last.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from typing import Any

import numpy as np

from longreach.answers.odds import FloatArray
from longreach.studies.statistics import LEVEL, Estimate, estimate

FEWEST = 3
"""Points from which on there is a slope."""


def slopes(x: FloatArray, y: FloatArray) -> FloatArray:
    """The slopes of the least-squares lines of several samples, a row each; NaN where x does not vary."""
    if x.shape[-1] < FEWEST:
        return np.full(x.shape[:-1], np.nan)
    dx = x - x.mean(axis=-1, keepdims=True)
    spread = (dx**2).sum(axis=-1)
    with np.errstate(invalid="ignore", divide="ignore"):
        found: FloatArray = np.where(spread > 1e-12, (dx * y).sum(axis=-1) / spread, np.nan)
    return found


def taus(x: FloatArray, y: FloatArray) -> FloatArray:
    """Kendall's τ_b of several samples, a row each; NaN where one of the two does not vary."""
    # Ranks, so that infinite values can be subtracted.
    ranks = np.unique(y, return_inverse=True)[1].reshape(y.shape)
    signs_x = np.sign(x[..., :, None] - x[..., None, :])
    signs_y = np.sign(ranks[..., :, None] - ranks[..., None, :])
    both = (signs_x * signs_y).sum(axis=(-2, -1))
    size = np.sqrt((signs_x**2).sum(axis=(-2, -1)) * (signs_y**2).sum(axis=(-2, -1)))
    with np.errstate(invalid="ignore", divide="ignore"):
        found: FloatArray = np.where(size > 0, both / size, np.nan)
    return found


@dataclass(frozen=True)
class Line:
    """A line through points by least squares, with the 95 % interval of its slope."""

    slope: float
    low: float
    high: float
    intercept: float

    @staticmethod
    def through(x: Sequence[float], y: Sequence[float]) -> Line:
        """Of at least three points, not all with one x.

        >>> line = Line.through([1, 2, 3, 4], [3, 5, 7, 9])
        >>> round(line.slope, 9), round(line.intercept, 9), round(line.high - line.low, 6)
        (2.0, 1.0, 0.0)
        """
        a, b = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
        centred = a - a.mean()
        spread = float(centred @ centred)
        slope = float(centred @ b) / spread
        intercept = float(b.mean() - slope * a.mean())
        rest, free = b - slope * a - intercept, len(a) - 2
        reach = student(free) * math.sqrt(float(rest @ rest) / free / spread)
        return Line(slope, slope - reach, slope + reach, intercept)


@cache
def student(free: int) -> float:
    """Between its negative and this number, Student's t lies with a probability of 95 %.

    >>> round(student(1), 3), round(student(10), 3)
    (12.706, 2.228)
    """
    nodes, weights = np.polynomial.legendre.leggauss(200)

    def below(angle: float) -> float:
        """The density over angles: t is √free times the tangent."""
        return float(angle / 2 * (weights @ np.cos(angle / 2 * (nodes + 1)) ** (free - 1)))

    low, high = 0.0, math.pi / 2
    wanted = LEVEL * below(high)
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if below(middle) < wanted else (low, middle)
    return math.sqrt(free) * math.tan(low)


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
    drawn = rng.integers(0, len(x), (RESAMPLES, len(x)))
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
