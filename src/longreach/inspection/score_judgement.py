"""Does what is seen inside a run at its training length tell whether it works at longer ones? ROC over runs.

Every number is judged by itself, with the sign that the theory gives it, and some of them together, by a
logistic model that has not seen the language of the run. Intervals are over languages.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from longreach.comparison.calibration import FloatArray, roc_curve
from longreach.comparison.resampling import SAMPLES, Estimate, Resampling
from longreach.errors import InputError
from longreach.forecast.logistic_model import PENALTY, fit_logistic
from longreach.inspection.limit_runs import LengthRow
from longreach.inspection.run_features import FEATURES, FROM_INSPECTION

FOLDS = 10
NOTICED = 0.1
TOGETHER = "inspection alone, together"
ALL_TOGETHER = "all of them, together"
JOINT: Mapping[str, tuple[str, ...]] = {TOGETHER: FROM_INSPECTION, ALL_TOGETHER: tuple(FEATURES)}


@dataclass(frozen=True, kw_only=True)
class ScoredRun:
    """A run with its features, what others say of it, and what came of it."""

    run: str
    language: str
    """What runs have in common; intervals and folds keep them together."""
    encoding: str
    trained_to: int
    works: bool
    """At three times the training length."""
    learned: bool
    """At the training length itself."""
    features: Mapping[str, float]
    beside: Mapping[str, float]
    """Scores to compare with, such as the forecast's; higher is more likely to work."""
    beyond: LengthRow | None = None
    """What the run and its approximate limit transformer do at three times the training length."""


@dataclass(frozen=True, kw_only=True)
class ScoreRow:
    """How well one number tells runs that work from those that do not."""

    name: str
    kind: str
    """ "feature", "together" or "beside"."""
    runs: int
    auc: Estimate


@dataclass(frozen=True, eq=False, kw_only=True)
class ScoreSlice:
    """The scores of some runs."""

    name: str
    runs: int
    languages: int
    work: int
    rows: tuple[ScoreRow, ...]
    curves: Mapping[str, tuple[FloatArray, FloatArray]]
    """By name of a row, shares of failures and of successes."""

    def document(self) -> dict[str, Any]:
        """As JSON has it."""
        return {
            "runs_of": self.name,
            "runs": self.runs,
            "languages": self.languages,
            "work": self.work,
            "scores": [{**asdict(row), "auc": row.auc.rounded()} for row in self.rows],
        }


@dataclass(frozen=True, kw_only=True)
class LimitComparison:
    """Runs beside their approximate limit transformers: mean shares of inputs that come out right."""

    name: str
    runs: int
    model: float
    kept: float
    strict: float
    better: int
    """Runs that periodic positions and local φ lift by more than a tenth …"""
    worse: int
    """… and lower by as much."""

    def document(self) -> dict[str, Any]:
        """As JSON has it."""
        return asdict(self)


def compare_limits(runs: Sequence[ScoredRun]) -> tuple[LimitComparison, ...]:
    """By encoding, all runs and those that learned."""
    found = []
    for encoding in sorted({run.encoding for run in runs}):
        for name, only in (("all", False), ("learned", True)):
            rows = [
                run.beyond
                for run in runs
                if run.encoding == encoding and (run.learned or not only) and run.beyond is not None
            ]
            known = [(r.model, r.kept, r.strict) for r in rows if r.model is not None]
            values = np.array(known, dtype=np.float64)
            if not len(values):
                continue
            gain = values[:, 1] - values[:, 0]
            model, kept, strict = values.mean(axis=0).tolist()
            found.append(
                LimitComparison(
                    name=f"{encoding}, {name}", runs=len(values), model=model, kept=kept, strict=strict,
                    better=int((gain > NOTICED).sum()), worse=int((gain < -NOTICED).sum()),
                )
            )  # fmt: skip
    return tuple(found)


def judge_scores(runs: Sequence[ScoredRun], *, samples: int = SAMPLES) -> tuple[ScoreSlice, ...]:
    """The scores over all runs, over those of each encoding, and over those that learned.

    Slices without both outcomes are left out.
    """
    encodings = sorted({run.encoding for run in runs})
    slices = {
        "all runs": list(runs),
        **{each: [run for run in runs if run.encoding == each] for each in encodings},
        "runs that learned": [run for run in runs if run.learned],
    }
    found = [
        _slice(name, chosen, samples)
        for name, chosen in slices.items()
        if len({run.works for run in chosen}) == 2
    ]
    if not found:
        raise InputError("a ROC curve needs runs that work and runs that do not")
    return tuple(found)


def _slice(name: str, runs: Sequence[ScoredRun], samples: int) -> ScoreSlice:
    scores: dict[str, tuple[str, FloatArray]] = {
        feature: ("feature", about.sign * np.array([run.features[feature] for run in runs]))
        for feature, about in FEATURES.items()
    }
    scores |= {joint: ("together", left_out(runs, names)) for joint, names in JOINT.items()}
    for other in dict.fromkeys(key for run in runs for key in run.beside):
        scores[other] = ("beside", np.array([run.beside.get(other, np.nan) for run in runs]))
    wins = np.array([float(run.works) for run in runs])
    rows, curves = [], {}
    for title, (kind, values) in scores.items():
        known = np.flatnonzero(np.isfinite(values))
        if len(known) == 0 or len(set(wins[known].tolist())) < 2:
            continue
        drawn = Resampling([runs[each].language for each in known.tolist()], samples=samples)
        auc = drawn.auc(values[known], wins[known], 1 - wins[known])
        rows.append(ScoreRow(name=title, kind=kind, runs=len(known), auc=auc))
        curves[title] = roc_curve(values[known], wins[known])
    return ScoreSlice(
        name=name,
        runs=len(runs),
        languages=len({run.language for run in runs}),
        work=int(wins.sum()),
        rows=tuple(rows),
        curves=curves,
    )


def left_out(runs: Sequence[ScoredRun], names: Sequence[str], *, seed: int = 0) -> FloatArray:
    """For each run the probability by a model that was fitted without its language.

    Not a number where there are too few languages, or all others end alike.
    """
    features = np.array([[run.features[name] for name in names] for run in runs])
    wins = np.array([float(run.works) for run in runs])
    folds = _folds([run.language for run in runs], seed)
    found = np.full(len(runs), np.nan)
    for fold in np.unique(folds):
        others, here = folds != fold, folds == fold
        if not others.any() or not 0 < wins[others].mean() < 1:
            continue
        model = fit_logistic(names, features[others], wins[others], penalty=PENALTY)
        found[here] = model.probabilities(features[here])
    return found


def _folds(languages: Sequence[str], seed: int) -> np.ndarray:
    known = sorted(set(languages))
    order = np.random.default_rng(seed).permutation(len(known))
    fold = {language: int(place) % FOLDS for language, place in zip(known, order, strict=True)}
    return np.array([fold[each] for each in languages])
