"""Does what is seen inside a run at its training length tell whether it works at longer ones? ROC over runs.

Every number is judged by itself, with the sign that the theory gives it, and some of them together, by a
logistic model that has not seen the language of the run: one that was fitted to the other languages, or one
that was fitted before, to other runs. Intervals are over languages.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from longreach.comparison.calibration import FloatArray, IntArray, roc_curve
from longreach.comparison.resampling import SAMPLES, Estimate, Resampling
from longreach.errors import InputError
from longreach.inspection.fitted_score import JOINT, FittedScore, left_out
from longreach.inspection.run_features import FEATURES
from longreach.inspection.scored_run import ScoredRun

NOTICED = 0.1


@dataclass(frozen=True, kw_only=True)
class ScoreRow:
    """How well one number tells runs that work from those that do not."""

    name: str
    kind: str
    """ "feature", "together" or "beside"."""
    runs: int
    auc: Estimate
    gain: Estimate | None = None
    """By how much the area is larger than that of the reference, on the runs that have both."""

    def document(self) -> dict[str, Any]:
        """As JSON has it."""
        gain = None if self.gain is None else self.gain.rounded()
        return {"name": self.name, "kind": self.kind, "runs": self.runs, "auc": self.auc.rounded(),
                "minus_reference": gain}  # fmt: skip


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
            "scores": [row.document() for row in self.rows],
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


def judge_scores(
    runs: Sequence[ScoredRun],
    fitted: FittedScore | None = None,
    *,
    reference: str | None = None,
    samples: int = SAMPLES,
) -> tuple[ScoreSlice, ...]:
    """The scores over all runs, over those of each encoding, and over those that learned.

    Several numbers together are those that were fitted; without any, they are fitted here, each language left
    out in turn. `reference` names the score with which all others are compared. Slices without both outcomes
    are left out.
    """
    encodings = sorted({run.encoding for run in runs})
    slices = {
        "all runs": list(runs),
        **{each: [run for run in runs if run.encoding == each] for each in encodings},
        "runs that learned": [run for run in runs if run.learned],
    }
    found = [
        _slice(name, chosen, fitted, reference, samples)
        for name, chosen in slices.items()
        if len({run.works for run in chosen}) == 2
    ]
    if not found:
        raise InputError("a ROC curve needs runs that work and runs that do not")
    return tuple(found)


def _slice(
    name: str, runs: Sequence[ScoredRun], fitted: FittedScore | None, reference: str | None, samples: int
) -> ScoreSlice:
    scores: dict[str, tuple[str, FloatArray]] = {
        feature: ("feature", about.sign * np.array([run.features[feature] for run in runs]))
        for feature, about in FEATURES.items()
    }
    if fitted is None:
        scores |= {joint: ("together", left_out(runs, names)) for joint, names in JOINT.items()}
    else:
        scores |= {joint.name: ("together", joint.probabilities(runs)) for joint in fitted.scores}
    for other in dict.fromkeys(key for run in runs for key in run.beside):
        scores[other] = ("beside", np.array([run.beside.get(other, np.nan) for run in runs]))
    wins = np.array([float(run.works) for run in runs])
    against = None if reference is None else scores.get(reference, (None, None))[1]
    rows, curves = [], {}
    for title, (kind, values) in scores.items():
        known = np.flatnonzero(np.isfinite(values))
        if len(known) == 0 or len(set(wins[known].tolist())) < 2:
            continue
        drawn = _resampling(runs, known, samples)
        auc = drawn.auc(values[known], wins[known], 1 - wins[known])
        gain = None
        if against is not None and title != reference:
            both = np.flatnonzero(np.isfinite(values) & np.isfinite(against))
            if len(both):
                gain = _resampling(runs, both, samples).auc_gain(
                    values[both], against[both], wins[both], 1 - wins[both]
                )
        rows.append(ScoreRow(name=title, kind=kind, runs=len(known), auc=auc, gain=gain))
        curves[title] = roc_curve(values[known], wins[known])
    return ScoreSlice(
        name=name,
        runs=len(runs),
        languages=len({run.language for run in runs}),
        work=int(wins.sum()),
        rows=tuple(rows),
        curves=curves,
    )


def _resampling(runs: Sequence[ScoredRun], places: IntArray, samples: int) -> Resampling:
    return Resampling([runs[each].language for each in places.tolist()], samples=samples)
