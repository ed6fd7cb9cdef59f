"""How a length grows with a quantity of languages: a slope and a rank correlation, with intervals.

Languages are the sample: intervals are those of a bootstrap over them. Lengths stand on a grid and may be
missing where none was long enough; the slope leaves these out, the rank correlation has them as the longest.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

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
