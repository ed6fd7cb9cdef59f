"""Scores of probabilities written plainly, to compare others with."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from longreach.studies.statistics import roc_curve


def brier(probabilities: npt.ArrayLike, outcomes: npt.ArrayLike) -> float:
    """The mean squared distance of probabilities from outcomes."""
    return float(((np.asarray(probabilities, float) - np.asarray(outcomes, float)) ** 2).mean())


def brier_skill(
    probabilities: npt.ArrayLike, outcomes: npt.ArrayLike, reference: npt.ArrayLike | None = None
) -> float:
    """The share of the reference's Brier score that is saved; by default of always saying the mean."""
    wins = np.asarray(outcomes, float)
    worst = brier(np.full(len(wins), wins.mean()) if reference is None else reference, wins)
    return 1 - brier(probabilities, wins) / worst if worst else float("nan")


def roc_auc(scores: npt.ArrayLike, outcomes: npt.ArrayLike) -> float:
    """The area under the ROC curve, by trapezoids."""
    wrong, right = roc_curve(scores, outcomes)
    return float((np.diff(wrong) * (right[1:] + right[:-1]) / 2).sum())
