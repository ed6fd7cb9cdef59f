"""How good are probabilities: scores, reliability, and how sure one can be of either.

Rows are runs; runs of one language are alike, so that intervals come from drawing whole languages anew.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from longreach.errors import InputError

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]


def brier(probabilities: npt.ArrayLike, outcomes: npt.ArrayLike) -> float:
    """The mean squared distance of probabilities from outcomes: 0 is best, ¼ is had by always saying ½.

    >>> brier([0.9, 0.2], [1, 0])
    0.025
    """
    said, wins = _rows(probabilities, outcomes)
    return float(((said - wins) ** 2).mean())


def brier_skill(
    probabilities: npt.ArrayLike, outcomes: npt.ArrayLike, reference: npt.ArrayLike | None = None
) -> float:
    """Which share of the reference's Brier score is saved: 1 is best, 0 no better than the reference.

    The reference is the share of successes among these outcomes, or the probabilities that are given. Not a
    number where the reference is never wrong.

    >>> brier_skill([0.5, 0.5], [1, 0]), brier_skill([1, 0], [1, 0])
    (0.0, 1.0)
    """
    said, wins = _rows(probabilities, outcomes)
    other = np.full(len(wins), wins.mean()) if reference is None else np.asarray(reference, dtype=np.float64)
    worst = brier(other, wins)
    return 1 - brier(said, wins) / worst if worst else float("nan")


def roc_curve(scores: npt.ArrayLike, outcomes: npt.ArrayLike) -> tuple[FloatArray, FloatArray]:
    """Shares of failures and of successes at or above each score, from none to all; ties are one step.

    >>> wrong, right = roc_curve([3, 2, 2, 1], [1, 1, 0, 0])
    >>> wrong.tolist(), right.tolist()
    ([0.0, 0.0, 0.5, 1.0], [0.0, 0.5, 1.0, 1.0])
    """
    values, wins = _rows(scores, outcomes)
    _both(wins)
    order = np.argsort(-values, kind="stable")
    steps = np.append(np.flatnonzero(np.diff(values[order])), len(values) - 1)
    right = np.append(0.0, np.cumsum(wins[order])[steps] / wins.sum())
    wrong = np.append(0.0, np.cumsum(1 - wins[order])[steps] / (1 - wins).sum())
    return wrong, right


def roc_auc(scores: npt.ArrayLike, outcomes: npt.ArrayLike) -> float:
    """How often a success scores higher than a failure, ties counting half: the area under the ROC curve.

    >>> roc_auc([3, 2, 2, 1], [1, 1, 0, 0])
    0.875
    """
    wrong, right = roc_curve(scores, outcomes)
    return float((np.diff(wrong) * (right[1:] + right[:-1]) / 2).sum())


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


def bootstrap(
    clusters: Sequence[Hashable],
    statistic: Callable[[IntArray], float],
    *,
    samples: int = 1000,
    seed: int = 0,
) -> FloatArray:
    """The statistic for samples in which whole clusters are drawn with replacement, as many as there are.

    `statistic` gets the numbers of the rows. Samples for which it raises `InputError` or is not a number, as
    an AUC without a failure, are left out.

    >>> rows = np.array([1.0, 1.0, 0.0])
    >>> found = bootstrap(["x", "x", "y"], lambda drawn: rows[drawn].mean(), samples=50)
    >>> sorted(set(found.round(2).tolist()))
    [0.0, 0.67, 1.0]
    """
    members: dict[Hashable, list[int]] = {}
    for row, cluster in enumerate(clusters):
        members.setdefault(cluster, []).append(row)
    if not members:
        raise InputError("there is nothing to draw from")
    groups = [np.array(rows, dtype=np.int64) for rows in members.values()]
    rng = np.random.default_rng(seed)
    found = []
    for _ in range(samples):
        drawn = rng.integers(0, len(groups), len(groups))
        try:
            found.append(float(statistic(np.concatenate([groups[each] for each in drawn.tolist()]))))
        except InputError:
            continue
    values = np.array(found, dtype=np.float64)
    return values[~np.isnan(values)]


def interval(values: FloatArray, level: float = 0.95) -> tuple[float, float]:
    """Between which values the middle share of the samples lies.

    >>> interval(np.arange(101.0), 0.5)
    (25.0, 75.0)
    """
    if not len(values):
        raise InputError("no sample has a value")
    low, high = np.quantile(values, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)


def _rows(values: npt.ArrayLike, outcomes: npt.ArrayLike) -> tuple[FloatArray, FloatArray]:
    given, wins = np.asarray(values, dtype=np.float64), np.asarray(outcomes, dtype=np.float64)
    if given.shape != wins.shape or given.ndim != 1 or not len(given):
        raise InputError(
            f"{given.shape} values for {wins.shape} outcomes: two lists of one length are needed"
        )
    if not np.isfinite(given).all():
        raise InputError("a value is no finite number")
    if not np.isin(wins, (0.0, 1.0)).all():
        raise InputError("outcomes are 0 or 1")
    return given, wins


def _both(wins: FloatArray) -> None:
    if wins.min() == wins.max():
        raise InputError("a ROC curve needs successes and failures")
