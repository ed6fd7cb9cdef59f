"""What studies say with numbers of runs: odds and scores, each with its interval.

Runs of one language are alike, so that intervals come from drawing whole languages anew. `bootstrap` takes
any number of the rows that are drawn. `Resampling` is for sums over rows and for areas under a ROC curve,
which are linear and quadratic in how often each language is drawn: a thousand samples cost little more than
one.

Features of odds are standardized before they are fitted, and their coefficients, not the constant, are held
small by a penalty: half of it times the sum of their squares is added to the loss. Where one feature alone
separates the outcomes, as a verdict may, odds stay finite.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, fields, is_dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from longreach.answers.odds import FloatArray, logistic
from longreach.errors import InputError

IntArray = npt.NDArray[np.int64]

SAMPLES = 1000
LEVEL = 0.95


@dataclass(frozen=True, kw_only=True)
class Estimate:
    """A number with the middle 95 % of what it is for languages drawn anew; None where it has no meaning."""

    value: float | None = None
    low: float | None = None
    high: float | None = None

    def words(self, spec: str = ".2f", unknown: str = "not to be told") -> str:
        """The number and its interval.

        >>> Estimate(value=0.5, low=0.25, high=0.75).words("+.3f")
        '+0.500 (+0.250 to +0.750)'
        """
        if self.value is None:
            return unknown
        between = "" if self.low is None else f" ({self.low:{spec}} to {self.high:{spec}})"
        return f"{self.value:{spec}}{between}"


def rounded(found: Any) -> Any:
    """A dataclass as JSON has it, with all that it holds; numbers with four decimals.

    >>> rounded(Estimate(value=1 / 3, high=0.5))
    {'value': 0.3333, 'low': None, 'high': 0.5}
    """
    if isinstance(found, float):
        return round(found, 4)
    if isinstance(found, dict):
        return {name: rounded(each) for name, each in found.items()}
    if isinstance(found, tuple):
        return [rounded(each) for each in found]
    if is_dataclass(found):
        return {each.name: rounded(getattr(found, each.name)) for each in fields(found)}
    return found


def six_digits(value: float) -> float:
    """What is kept of a fitted number: no more digits are known."""
    return float(f"{value:.6g}")


def interval(values: FloatArray) -> tuple[float, float]:
    """Between which values the middle 95 % of the samples lie.

    >>> [round(end) for end in interval(np.arange(201.0))]
    [5, 195]
    """
    if not len(values):
        raise InputError("no sample has a value")
    low, high = np.quantile(values, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return float(low), float(high)


def estimate(values: FloatArray) -> Estimate:
    """What was found, first, with the interval of the samples that have a value."""
    first, samples = float(values[0]), values[1:][np.isfinite(values[1:])]
    if not np.isfinite(first):
        return Estimate()
    if not len(samples):
        return Estimate(value=first)
    low, high = interval(samples)
    return Estimate(value=first, low=low, high=high)


def bootstrap(
    clusters: Sequence[Hashable],
    statistic: Callable[[IntArray], float],
    *,
    samples: int = SAMPLES,
) -> FloatArray:
    """The statistic for samples in which whole clusters are drawn with replacement, as many as there are.

    `statistic` gets the numbers of the rows. Samples for which it raises `InputError` or is not a number, as
    an AUC without a failure, are left out.

    >>> rows = np.array([1.0, 1.0, 0.0])
    >>> found = bootstrap(["x", "x", "y"], lambda drawn: rows[drawn].mean(), samples=50)
    >>> sorted(set(found.round(2).tolist()))
    [0.0, 0.67, 1.0]
    """
    by_cluster: dict[Hashable, list[int]] = {}
    for row, cluster in enumerate(clusters):
        by_cluster.setdefault(cluster, []).append(row)
    if not by_cluster:
        raise InputError("there is nothing to draw from")
    groups = [np.array(rows, dtype=np.int64) for rows in by_cluster.values()]
    found = []
    for drawn in np.random.default_rng(0).integers(0, len(groups), (samples, len(groups))).tolist():
        try:
            found.append(float(statistic(np.concatenate([groups[each] for each in drawn]))))
        except InputError:
            continue
    values = np.array(found, dtype=np.float64)
    return values[~np.isnan(values)]


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


def _quotient(above: FloatArray, below: FloatArray) -> FloatArray:
    found: FloatArray = np.full(len(above), np.nan)
    np.divide(above, below, out=found, where=below != 0)
    return found


def squares(probabilities: npt.ArrayLike, wins: npt.ArrayLike, losses: npt.ArrayLike) -> FloatArray:
    """For each row the sum of squared distances of its probability from its outcomes."""
    said, won, lost = (np.asarray(each, dtype=np.float64) for each in (probabilities, wins, losses))
    return np.asarray(won * (1 - said) ** 2 + lost * said**2, dtype=np.float64)


PENALTY = 1.0
FOLDS = 10
_MOST_STEPS = 100
_CLOSE = 1e-10


@dataclass(frozen=True, kw_only=True)
class LogisticModel:
    """A fitted model: the logarithm of the odds is the constant plus the coefficients times the features."""

    names: tuple[str, ...]
    constant: float
    coefficients: tuple[float, ...]
    """In the units of the features as they are given."""

    def probabilities(self, features: npt.ArrayLike) -> FloatArray:
        """The probability of success for each row of features."""
        values = _table(features, len(self.names))
        return logistic(self.constant + values @ np.array(self.coefficients, dtype=np.float64))


def fit_logistic(
    names: Sequence[str],
    features: npt.ArrayLike,
    outcomes: npt.ArrayLike,
    *,
    weights: npt.ArrayLike | None = None,
    penalty: float = PENALTY,
) -> LogisticModel:
    """The model that makes the outcomes most likely, with a penalty on standardized coefficients.

    >>> model = fit_logistic(["verdict"], [[1], [1], [1], [0]] * 25, [1, 1, 0, 0] * 25)
    >>> model.probabilities([[1], [0]]).round(2).tolist()
    [0.66, 0.03]
    """
    values = _table(features, len(names))
    wins = np.asarray(outcomes, dtype=np.float64)
    counts = np.ones(len(wins)) if weights is None else np.asarray(weights, dtype=np.float64)
    _check(values, wins, counts, penalty)
    middle = np.average(values, axis=0, weights=counts)
    spread = np.sqrt(np.average((values - middle) ** 2, axis=0, weights=counts))
    scale = np.where(spread > 0, spread, 1.0)
    design = np.column_stack([np.ones(len(wins)), (values - middle) / scale])
    held = np.array([0.0] + [penalty] * len(names))
    found = _newton(design, wins, counts, held)
    coefficients = np.where(spread > 0, found[1:] / scale, 0.0)
    return LogisticModel(
        names=tuple(names),
        constant=float(found[0] - middle @ coefficients),
        coefficients=tuple(coefficients.tolist()),
    )


def _table(features: npt.ArrayLike, width: int) -> FloatArray:
    values = np.asarray(features, dtype=np.float64)
    if values.ndim != 2 or values.shape[1] != width:
        raise InputError(f"features: a table with {width} columns is needed, not the shape {values.shape}")
    return values


def _check(values: FloatArray, wins: FloatArray, counts: FloatArray, penalty: float) -> None:
    if not (len(values) == len(wins) == len(counts)):
        raise InputError(f"{len(values)} rows of features, {len(wins)} outcomes, {len(counts)} weights")
    if not all(np.isfinite(each).all() for each in (values, wins, counts)):
        raise InputError("a feature, outcome or weight is not a finite number")
    if not ((wins >= 0) & (wins <= 1)).all():
        raise InputError("outcomes lie between 0 and 1")
    if (counts < 0).any() or not counts.sum():
        raise InputError("weights are not negative, and one is positive")
    share = np.average(wins, weights=counts)
    if not 0 < share < 1:
        raise InputError("all outcomes are the same: there is nothing to fit")
    if penalty < 0:
        raise InputError("the penalty is not negative")


def _newton(design: FloatArray, wins: FloatArray, counts: FloatArray, held: FloatArray) -> FloatArray:
    share = np.average(wins, weights=counts)
    found = np.zeros(design.shape[1])
    found[0] = np.log(share / (1 - share))
    loss = _loss(design @ found, wins, counts) + 0.5 * float(held @ found**2)
    for _ in range(_MOST_STEPS):
        guess = logistic(design @ found)
        gradient = design.T @ (counts * (guess - wins)) + held * found
        curvature = (design.T * (counts * guess * (1 - guess))) @ design + np.diag(held)
        # A feature that never varies has neither curvature nor gradient: it stays where it is.
        step = np.linalg.lstsq(curvature, gradient, rcond=None)[0]
        size = 1.0
        while True:
            tried = found - size * step
            reached = _loss(design @ tried, wins, counts) + 0.5 * float(held @ tried**2)
            if reached <= loss or size < _CLOSE:
                break
            size /= 2
        gained, found, loss = loss - reached, tried, reached
        if gained <= _CLOSE * _CLOSE * (1 + abs(loss)) and np.abs(size * step).max() < 1e-6:
            return found
    raise InputError("the features separate the outcomes: a penalty is needed")


def _loss(values: FloatArray, wins: FloatArray, counts: FloatArray) -> float:
    """Minus the logarithm of the likelihood."""
    return float(counts @ (np.logaddexp(0.0, values) - wins * values))


def folds_of(groups: Sequence[str]) -> IntArray:
    """A fold for each row, the same for all rows of a group.

    >>> folds_of(["x", "y", "x"]).tolist()
    [0, 1, 0]
    """
    known = sorted(set(groups))
    order = np.random.default_rng(0).permutation(len(known))
    fold = {group: int(place) % FOLDS for group, place in zip(known, order, strict=True)}
    return np.array([fold[group] for group in groups], dtype=np.int64)


def left_out(
    names: Sequence[str],
    features: FloatArray,
    outcomes: FloatArray,
    groups: Sequence[str],
    *,
    weights: FloatArray | None = None,
    penalty: float = PENALTY,
) -> FloatArray:
    """For each row the probability by a model that has not seen its group.

    Not a number where all others have the same outcome, so that there is nothing to fit.
    """
    counts = np.ones(len(outcomes)) if weights is None else weights
    found = np.full(len(outcomes), np.nan)
    folds = folds_of(groups)
    for fold in np.unique(folds):
        others, here = folds != fold, folds == fold
        if others.any() and 0 < np.average(outcomes[others], weights=counts[others]) < 1:
            model = fit_logistic(
                names, features[others], outcomes[others], weights=counts[others], penalty=penalty
            )
            found[here] = model.probabilities(features[here])
    return found


def roc_curve(scores: npt.ArrayLike, outcomes: npt.ArrayLike) -> tuple[FloatArray, FloatArray]:
    """Shares of failures and of successes at or above each score, from none to all; ties are one step.

    >>> wrong, right = roc_curve([3, 2, 2, 1], [1, 1, 0, 0])
    >>> wrong.tolist(), right.tolist()
    ([0.0, 0.0, 0.5, 1.0], [0.0, 0.5, 1.0, 1.0])
    """
    values, wins = _rows(scores, outcomes)
    if wins.min() == wins.max():
        raise InputError("a ROC curve needs successes and failures")
    order = np.argsort(-values, kind="stable")
    steps = np.append(np.flatnonzero(np.diff(values[order])), len(values) - 1)
    right = np.append(0.0, np.cumsum(wins[order])[steps] / wins.sum())
    wrong = np.append(0.0, np.cumsum(1 - wins[order])[steps] / (1 - wins).sum())
    return wrong, right


@dataclass(frozen=True, kw_only=True)
class ReliabilityBin:
    """The rows whose probability lies in one interval; its upper end belongs to it only if it is 1."""

    low: float
    high: float
    rows: int
    said: float
    """The mean probability."""
    found: float
    """The share of successes."""


def reliability(
    probabilities: npt.ArrayLike, outcomes: npt.ArrayLike, bins: int = 10
) -> tuple[ReliabilityBin, ...]:
    """What came true of what was said, for equal intervals of probability; empty ones are left out.

    >>> [(each.low, each.rows, each.said, each.found) for each in reliability([0.1, 0.2, 0.9], [0, 1, 1], 2)]
    [(0.0, 2, 0.15..., 0.5), (0.5, 1, 0.9, 1.0)]
    """
    said, wins = _rows(probabilities, outcomes)
    if ((said < 0) | (said > 1)).any():
        raise InputError("a probability lies between 0 and 1")
    edges = np.arange(bins + 1) / bins
    place = np.clip(np.searchsorted(edges, said, side="right") - 1, 0, bins - 1)
    return tuple(
        ReliabilityBin(
            low=float(edges[each]),
            high=float(edges[each + 1]),
            rows=int((place == each).sum()),
            said=float(said[place == each].mean()),
            found=float(wins[place == each].mean()),
        )
        for each in np.unique(place).tolist()
    )


def _rows(values: npt.ArrayLike, outcomes: npt.ArrayLike) -> tuple[FloatArray, FloatArray]:
    given, wins = np.asarray(values, dtype=np.float64), np.asarray(outcomes, dtype=np.float64)
    if given.shape != wins.shape or given.ndim != 1 or not len(given):
        raise InputError(
            f"{given.shape} values for {wins.shape} outcomes: two lists of one length are needed"
        )
    if not np.isfinite(given).all():
        raise InputError("a value is not a finite number")
    if not np.isin(wins, (0.0, 1.0)).all():
        raise InputError("outcomes are 0 or 1")
    return given, wins
