"""How a length grows with a parameter: slopes, rank correlations and intervals.

Languages are the sample: intervals are those of a bootstrap over them. Lengths stand on a grid and may be
missing where none was long enough; the slope leaves these out, the rank correlation has them as the longest.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

# How a length grows with a quantity of languages: a slope and a rank correlation, with intervals.


Floats = NDArray[np.float64]

RESAMPLES = 2000
INTERVAL = (2.5, 97.5)
FEWEST = 3
"""Languages with a length from which on there is a slope."""


@dataclass(frozen=True, kw_only=True)
class Interval:
    """A number with its interval; None where it cannot be told."""

    value: float | None
    low: float | None
    high: float | None

    @property
    def words(self) -> str:
        """For people."""
        if self.value is None:
            return "not to be told"
        between = "" if self.low is None else f" ({self.low:.2f} to {self.high:.2f})"
        return f"{self.value:.2f}{between}"


@dataclass(frozen=True, kw_only=True)
class GrowthLaw:
    """How lengths depend on one quantity."""

    quantity: str
    languages: int
    """With a length."""
    missing: int
    """Without one: none was long enough."""
    slope: Interval
    """Of log₂ length against log₂ quantity: 1 is linear, 0 is not at all."""
    tau: Interval
    """Kendall's τ_b of length and quantity."""

    def document(self) -> dict[str, Any]:
        """As JSON has it."""
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
        slope=_interval(slopes, x[known], y[known], rng),
        tau=_interval(taus, x, y, rng),
    )


def slopes(x: Floats, y: Floats) -> Floats:
    """The slopes of the least-squares lines of several samples, a row each; NaN where x does not vary."""
    if x.shape[-1] < FEWEST:
        return np.full(x.shape[:-1], np.nan)
    dx = x - x.mean(axis=-1, keepdims=True)
    spread = (dx**2).sum(axis=-1)
    with np.errstate(invalid="ignore", divide="ignore"):
        found: Floats = np.where(spread > 1e-12, (dx * y).sum(axis=-1) / spread, np.nan)
    return found


def taus(x: Floats, y: Floats) -> Floats:
    """Kendall's τ_b of several samples, a row each; NaN where one of the two does not vary."""
    # Ranks, so that infinite values can be subtracted.
    ranks = np.unique(y, return_inverse=True)[1].reshape(y.shape)
    signs_x = np.sign(x[..., :, None] - x[..., None, :])
    signs_y = np.sign(ranks[..., :, None] - ranks[..., None, :])
    both = (signs_x * signs_y).sum(axis=(-2, -1))
    size = np.sqrt((signs_x**2).sum(axis=(-2, -1)) * (signs_y**2).sum(axis=(-2, -1)))
    with np.errstate(invalid="ignore", divide="ignore"):
        found: Floats = np.where(size > 0, both / size, np.nan)
    return found


def _interval(statistic: Any, x: Floats, y: Floats, rng: np.random.Generator) -> Interval:
    if not len(x):
        return Interval(value=None, low=None, high=None)
    value = float(statistic(x[None], y[None])[0])
    if np.isnan(value):
        return Interval(value=None, low=None, high=None)
    drawn = rng.integers(0, len(x), (RESAMPLES, len(x)))
    found = statistic(x[drawn], y[drawn])
    # Samples in which nothing varies say nothing; where they are many, neither does the interval.
    found = found[~np.isnan(found)]
    if 2 * len(found) < RESAMPLES:
        return Interval(value=value, low=None, high=None)
    low, high = np.percentile(found, INTERVAL)
    return Interval(value=value, low=float(low), high=float(high))


# Does the least training length grow with a parameter as a law says: lines with intervals.


# The 97.5 % points of Student's t by degrees of freedom; beyond the table the normal one is used, widened.
_T = (
    12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145, 2.131,
    2.120, 2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042,
)  # fmt: skip
LEAST_VALUES = 3
"""Of the parameter: a line through fewer says nothing."""


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
        reach = _student(free) * math.sqrt(float(rest @ rest) / free / spread)
        return Line(slope, slope - reach, slope + reach, intercept)


def _student(free: int) -> float:
    return _T[free - 1] if free <= len(_T) else 1.960 + 2.5 / free


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
        """In a sentence."""
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
        """As JSON has it."""
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
