"""Odds from a few features: a logistic model, fitted by Newton's method.

Features are standardized before they are fitted, and their coefficients, not the constant, are held small by
a penalty: half of it times the sum of their squares is added to the loss. Where one feature alone separates
the outcomes, as a verdict may, odds stay finite.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from longreach.errors import InputError

FloatArray = npt.NDArray[np.float64]

PENALTY = 1.0
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
        raise InputError("a feature, outcome or weight is no finite number")
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


def logistic(values: FloatArray) -> FloatArray:
    """The probabilities that belong to logarithms of odds.

    >>> logistic(np.array([0.0, 1000.0])).tolist()
    [0.5, 1.0]
    """
    positive = np.exp(-np.abs(values))
    return np.asarray(np.where(values >= 0, 1.0, positive) / (1 + positive), dtype=np.float64)


def _loss(values: FloatArray, wins: FloatArray, counts: FloatArray) -> float:
    """Minus the logarithm of the likelihood."""
    return float(counts @ (np.logaddexp(0.0, values) - wins * values))
