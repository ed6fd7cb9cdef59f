"""Intervals over languages, all samples at once: how often each language is drawn is a row of weights.

Rows are groups of runs with so many successes and failures. Sums over rows are linear in the weights, and the
area under a ROC curve is a quotient of quadratic forms, so that a thousand samples cost little more than one.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from longreach.comparison.calibration import FloatArray, IntArray, interval
from longreach.errors import InputError

SAMPLES = 1000
LEVEL = 0.95


@dataclass(frozen=True, kw_only=True)
class Estimate:
    """A number with the middle 95 % of what it is for languages drawn anew; None where it has no meaning."""

    value: float | None
    low: float | None
    high: float | None

    def rounded(self, digits: int = 4) -> dict[str, float | None]:
        """As documents have it."""
        found = {"value": self.value, "low": self.low, "high": self.high}
        return {name: None if each is None else round(each, digits) for name, each in found.items()}


class Resampling:
    """Rows that belong to languages, and samples of as many languages with replacement."""

    def __init__(self, clusters: Sequence[Hashable], *, samples: int = SAMPLES, seed: int = 0) -> None:
        if not clusters:
            raise InputError("there is nothing to draw from")
        number: dict[Hashable, int] = {}
        self.places: IntArray = np.array([number.setdefault(each, len(number)) for each in clusters])
        self.size = len(number)
        draws = np.random.default_rng(seed).multinomial(self.size, np.full(self.size, 1 / self.size), samples)
        # The first row is what was found, without drawing.
        self.weights: FloatArray = np.vstack([np.ones(self.size), draws]).astype(np.float64)

    def sums(self, values: npt.ArrayLike) -> FloatArray:
        """The sum over rows, for what was found and for each sample."""
        by_language = np.bincount(
            self.places, weights=np.asarray(values, dtype=np.float64), minlength=self.size
        )
        return np.asarray(self.weights @ by_language, dtype=np.float64)

    def mean(self, values: npt.ArrayLike, counts: npt.ArrayLike) -> Estimate:
        """The sum of values over the sum of counts: a share.

        A share of 0 or 1 is so in every sample; its interval is then the exact one of Clopper and Pearson for
        as many languages, since so few cannot show that it is never otherwise.

        >>> Resampling(["x", "x", "y"]).mean([1, 0, 1], [1, 1, 1]).value
        0.666...
        >>> Resampling(range(10)).mean([0] * 10, [1] * 10).high
        0.308...
        """
        found = estimate(_quotient(self.sums(values), self.sums(counts)))
        if found.value not in (0.0, 1.0):
            return found
        known = len(np.unique(self.places[np.asarray(counts, dtype=np.float64) > 0]))
        least = (1 - LEVEL) / 2
        ends = (0.0, 1 - least ** (1 / known)) if found.value == 0.0 else (least ** (1 / known), 1.0)
        return Estimate(value=found.value, low=ends[0], high=ends[1])

    def auc(self, scores: npt.ArrayLike, wins: npt.ArrayLike, losses: npt.ArrayLike) -> Estimate:
        """How often a success scores higher than a failure, ties counting half.

        >>> Resampling("wxyz").auc([3, 2, 2, 1], [1, 1, 0, 0], [0, 0, 1, 1]).value
        0.875
        """
        return estimate(self._areas(scores, wins, losses))

    def auc_gain(
        self, scores: npt.ArrayLike, others: npt.ArrayLike, wins: npt.ArrayLike, losses: npt.ArrayLike
    ) -> Estimate:
        """By how much the area of some scores is larger than that of others, in the same samples.

        >>> Resampling("wxyz").auc_gain([3, 2, 2, 1], [4, 3, 2, 1], [1, 1, 0, 0], [0, 0, 1, 1]).value
        -0.125
        """
        return estimate(self._areas(scores, wins, losses) - self._areas(others, wins, losses))

    def _areas(self, scores: npt.ArrayLike, wins: npt.ArrayLike, losses: npt.ArrayLike) -> FloatArray:
        """For what was found and for each sample."""
        values = np.asarray(scores, dtype=np.float64)
        won, lost = (np.asarray(each, dtype=np.float64) for each in (wins, losses))
        above = (values[:, None] > values) + 0.5 * (values[:, None] == values)
        member = np.zeros((self.size, len(values)))
        member[self.places, np.arange(len(values))] = 1.0
        pairs = (member * won) @ above @ (member * lost).T
        good = np.einsum("si,ij,sj->s", self.weights, pairs, self.weights, optimize=True)
        return _quotient(good, self.sums(won) * self.sums(lost))

    def brier(self, probabilities: npt.ArrayLike, wins: npt.ArrayLike, losses: npt.ArrayLike) -> Estimate:
        """The mean squared distance of probabilities from outcomes."""
        return estimate(_quotient(self.sums(squares(probabilities, wins, losses)), self._runs(wins, losses)))

    def skill(
        self,
        probabilities: npt.ArrayLike,
        wins: npt.ArrayLike,
        losses: npt.ArrayLike,
        reference: npt.ArrayLike | None = None,
    ) -> Estimate:
        """Which share of the Brier score of a reference is saved; by default of the share of successes.

        >>> Resampling("xy").skill([1, 0], [1, 0], [0, 1]).value
        1.0
        """
        ours = self.sums(squares(probabilities, wins, losses))
        if reference is None:
            runs = self._runs(wins, losses)
            base = _quotient(self.sums(wins), runs)
            theirs = base * (1 - base) * runs
        else:
            theirs = self.sums(squares(reference, wins, losses))
        return estimate(1 - _quotient(ours, theirs))

    def _runs(self, wins: npt.ArrayLike, losses: npt.ArrayLike) -> FloatArray:
        return self.sums(wins) + self.sums(losses)


def squares(probabilities: npt.ArrayLike, wins: npt.ArrayLike, losses: npt.ArrayLike) -> FloatArray:
    """For each row the sum of squared distances of its probability from its outcomes."""
    said, won, lost = (np.asarray(each, dtype=np.float64) for each in (probabilities, wins, losses))
    return np.asarray(won * (1 - said) ** 2 + lost * said**2, dtype=np.float64)


def estimate(values: FloatArray) -> Estimate:
    """What was found, first, with the interval of the samples that have a value."""
    first, samples = float(values[0]), values[1:][np.isfinite(values[1:])]
    if not np.isfinite(first):
        return Estimate(value=None, low=None, high=None)
    if not len(samples):
        return Estimate(value=first, low=None, high=None)
    low, high = interval(samples, LEVEL)
    return Estimate(value=first, low=low, high=high)


def _quotient(above: FloatArray, below: FloatArray) -> FloatArray:
    found: FloatArray = np.full(len(above), np.nan)
    np.divide(above, below, out=found, where=below != 0)
    return found
