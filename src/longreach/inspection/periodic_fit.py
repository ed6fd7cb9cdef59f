"""Is a function of two positions local, periodic or neither (Huang et al., arXiv 2410.02140, section 3)?

The fit is M_ij ≈ π((i − j) mod Δ) + λ(i − j), where λ is 0 beyond the distance τ: by least squares over the
lower triangle, for every Δ and τ. Of two fits the one with more numbers must explain enough more: Δ + τ + 1
of them are compared by the Bayesian information criterion over distances, as entries of one diagonal are no
independent observations.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from longreach.inspection.offset_variance import diagonal_means, offset_variance, total_variance
from longreach.limit.model import Array

Shape: TypeAlias = Literal["constant", "local", "periodic", "local and periodic", "neither"]
MOST_PERIOD = 12
ENOUGH = 0.25
"""A fit that leaves more of the variance than this share describes nothing."""
FLOOR, TIE = 1e-12, 1e-9
FLAT = 0.05
"""Logits whose standard deviation is below this are constant: weights change by about as small a share."""


@dataclass(frozen=True, kw_only=True)
class PeriodicFit:
    """What the fit found for one head."""

    shape: Shape
    local_to: int
    """τ: the largest distance at which the local part is not 0; −1: there is none."""
    period: int
    """Δ; 1: no distances repeat."""
    periodic: Array
    """π, by distance modulo Δ."""
    local: Array
    """λ at the distances 0 … τ."""
    residual: float
    """The root mean square of what the fit leaves, in logits."""
    unexplained: float
    """The share of the variance that is left: of offsets, and of distances that the fit does not follow."""
    by_offsets: float
    """The share of the variance within diagonals, which no function of the distance explains."""

    def at(self, distances: Array) -> Array:
        """The fitted value at each distance."""
        whole = distances.astype(np.int64)
        found = self.periodic[whole % self.period].astype(np.float64)
        near = whole <= self.local_to
        found[near] += self.local[whole[near]]
        return found

    @property
    def words(self) -> str:
        """The shape with its numbers; of what is neither, those of the nearest fit."""
        if self.shape == "constant":
            return self.shape
        near = [f"τ={self.local_to}"] if self.local_to >= 0 else []
        turns = [f"Δ={self.period}"] if self.period > 1 else []
        nearest = ["(nearest"] if self.shape == "neither" and near + turns else []
        return " ".join([self.shape, *nearest, *near, *turns]) + (")" if nearest else "")

    def document(self) -> dict[str, object]:
        """As JSON has it."""
        return {
            "shape": self.shape,
            "tau": self.local_to,
            "delta": self.period,
            "periodic": [round(value, 6) for value in self.periodic.tolist()],
            "local": [round(value, 6) for value in self.local.tolist()],
            "residual": self.residual,
            "unexplained": self.unexplained,
            "by_offsets": self.by_offsets,
        }


def fit_positions(
    matrix: Array, *, most_period: int = MOST_PERIOD, most_local: int | None = None
) -> PeriodicFit:
    """The local and periodic function that is nearest to a matrix with rows for queries.

    >>> parity = np.fromfunction(lambda i, j: ((i - j) % 2 == 0) * 3.5 - 1.5, (24, 24))
    >>> found = fit_positions(parity)
    >>> found.shape, found.period, found.local_to, found.periodic.tolist(), found.residual
    ('periodic', 2, -1, [2.0, -1.5], 0.0)
    """
    size = len(matrix)
    means = diagonal_means(matrix)
    counts = np.arange(size, 0, -1, dtype=np.float64)  # entries of each diagonal
    total, within = total_variance(matrix), offset_variance(matrix)
    longest = min(size // 3 - 1, size - 2) if most_local is None else min(most_local, size - 2)
    best = _least(means, counts, max(1, min(most_period, size // 3)), longest)
    period, local_to, periodic = best
    local = means[: local_to + 1] - periodic[np.arange(local_to + 1) % period]
    left = _left(means, counts, period, local_to, periodic)
    residual = math.sqrt(max(within + left / counts.sum(), 0.0))
    unexplained = min(residual**2 / total, 1.0) if total > 0 else 0.0
    shape = _shape(math.sqrt(total), unexplained, period, local_to)
    return PeriodicFit(
        shape=shape,
        local_to=local_to,
        period=period,
        periodic=periodic,
        local=local,
        residual=residual,
        unexplained=unexplained,
        by_offsets=within / total if total > 0 else 0.0,
    )


def _shape(deviation: float, unexplained: float, period: int, local_to: int) -> Shape:
    if deviation <= FLAT:
        return "constant"
    if unexplained > ENOUGH:
        return "neither"
    if period > 1:
        return "periodic" if local_to < 0 else "local and periodic"
    return "local" if local_to >= 0 else "constant"


def _least(means: Array, counts: Array, most_period: int, most_local: int) -> tuple[int, int, Array]:
    """Δ, τ and π of the least criterion; ties go to fewer numbers.

    For each Δ the sums over the distances beyond every τ are made at once.
    """
    size, distances, starts = len(means), np.arange(len(means)), np.arange(most_local + 2)
    centre = float(np.average(means, weights=counts))  # differences of squares of small numbers are exact
    values = means - centre
    squares = _tails(counts * values**2)[starts]
    found: tuple[float, int, int] | None = None
    for period in range(1, most_period + 1):
        member = (distances % period)[:, None] == np.arange(period)
        weights = _tails(counts[:, None] * member)[starts]
        sums = _tails((counts * values)[:, None] * member)[starts]
        enough = (weights > 0).all(axis=1)
        explained = (sums**2 / np.maximum(weights, 1e-300)).sum(axis=1)
        left = np.maximum(squares - explained, 0.0) / counts.sum()
        criterion = size * np.log(left + FLOOR) + (period + starts) * math.log(size)
        criterion[~enough] = math.inf
        for start in np.flatnonzero(criterion <= criterion.min() + TIE)[:1].tolist():
            least, numbers = float(criterion[start]), period + start
            if found is None or least < found[0] - TIE or (least < found[0] + TIE and numbers < found[1]):
                found = (least, numbers, period)
    assert found is not None
    _, numbers, period = found
    local_to = numbers - period - 1
    beyond = distances[local_to + 1 :]
    residues = [beyond[beyond % period == residue] for residue in range(period)]
    periodic = np.array([np.average(means[each], weights=counts[each]) for each in residues])
    return period, local_to, periodic


def _tails(values: Array) -> Array:
    """The sum from each place on."""
    return np.asarray(np.cumsum(values[::-1], axis=0)[::-1])


def _left(means: Array, counts: Array, period: int, local_to: int, periodic: Array) -> float:
    """The sum of squares, over entries, of diagonal means beyond τ that π leaves."""
    beyond = np.arange(local_to + 1, len(means))
    return float((counts[beyond] * (means[beyond] - periodic[beyond % period]) ** 2).sum())
