"""Numbers from inside a run at its training length, fitted and judged as predictors of longer ones.

Models are large and numbers are small: a table can be judged, and judged again, where the models are gone.

Every number is judged by itself, with the sign that the theory gives it, and some of them together, by a
logistic model that has not seen the language of the run: one that was fitted to the other languages, or one
that was fitted before, to other runs. Intervals are over languages.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
import torch
from pydantic import ConfigDict, Field, TypeAdapter

from longreach.answers.odds import FloatArray, logistic
from longreach.errors import File, InputError
from longreach.files import read_document
from longreach.inspection.attention import softness
from longreach.inspection.limit import LengthRow, accuracy_by_length, answers_of, cannot_be_limit, correct
from longreach.inspection.models import Subject, batch_at, nearest_length
from longreach.inspection.positions import (
    fit_positions,
    has_position_functions,
    offset_variance,
    position_products,
    window_shift,
)
from longreach.inspection.report import limit_summary, summarized
from longreach.inspection.trace import trace_and_fold
from longreach.runs.table import read_lines
from longreach.studies.census.tables import LanguageRun
from longreach.studies.statistics import (
    PENALTY,
    SAMPLES,
    Estimate,
    IntArray,
    Resampling,
    fit_logistic,
    left_out,
    roc_curve,
    rounded,
    six_digits,
)
from longreach.theory.limit.model import Array

FEATURES = {
    "offset variance": -1,  # log₁₀ of the largest Var_offset of a head
    "window shift": -1,  # how attention by positions alone differs between offsets, the largest
    "fit residual": -1,  # what the local and periodic fit leaves, in logits, the largest of a head
    "entropy": -1,  # mean entropy of attention over that of even attention
    "largest weight": +1,  # mean largest weight of a query
    "margin": +1,  # mean distance of the answer's output from the next one
    "least margin": +1,  # the same for the least of an input
    "unlike its limit": -1,  # share of places where the approximate limit transformer says otherwise
}
"""What the theory expects: +1 if runs with larger values are more likely to work on longer inputs, else −1.

None of them looks at a longer input, and none at a right answer."""
FROM_INSPECTION = ("offset variance", "fit residual", "entropy", "largest weight")
"""What a score from inspection alone rests on: offset variance, the periodic fit, hardness."""
LEAST = 1e-8
ROWS = 64


def run_features(found: Subject, *, rows: int = ROWS, seed: int = 0) -> dict[str, float]:
    """The features of a run; its inputs are drawn anew."""
    if found.task is None or found.trained_to is None or found.trained_size is None:
        raise InputError(f"{found.name}: features need a run with its task")
    batch = batch_at(found, found.trained_to, rows, np.random.default_rng([seed, 7]))
    tokens = torch.from_numpy(batch.tokens)
    mask = torch.from_numpy(np.arange(tokens.shape[1]) < batch.sizes[:, None])
    seen, model = trace_and_fold(found.parameters, found.config, tokens, mask)
    matrices = [np.zeros((3, 3))] * found.config.heads * found.config.layers
    if has_position_functions(found.config):
        matrices = [each.matrix for each in position_products(model, found.parameters)]
    fits = [fit_positions(matrix) for matrix in matrices]
    soft = [
        softness(layer[:, head].double().numpy(), mask.numpy())
        for layer in seen.weights
        for head in range(found.config.heads)
    ]
    margins = _margins(seen.outputs, torch.from_numpy(batch.mask))
    unlike = 0.0
    if cannot_be_limit(found.config) is None:
        summary = summarized(found, model, matrices, fits)
        _, said = correct(batch, answers_of(found, summary.kept))
        own = seen.outputs.argmax(dim=-1)
        unlike = float((said != own)[torch.from_numpy(batch.mask)].double().mean())
    size = found.trained_size
    return {
        "offset variance": math.log10(LEAST + max(map(offset_variance, matrices))),
        "window shift": max(_shift(matrix, size) for matrix in matrices),
        "fit residual": max(fit.residual for fit in fits),
        "entropy": float(np.mean([each.entropy for each in soft])),
        "largest weight": float(np.mean([each.largest for each in soft])),
        "margin": float(np.mean(margins)),
        "least margin": float(np.mean([row.min() for row in margins if row.size])),
        "unlike its limit": unlike,
    }


def beyond_training(found: Subject, length: int, *, rows: int = ROWS) -> LengthRow | None:
    """How a run and its approximate limit transformer do at a length that was never trained.

    No feature: this looks at longer inputs. None where there is no such limit transformer.
    """
    if found.task is None or cannot_be_limit(found.config) is not None:
        return None
    summary = limit_summary(found)
    near = nearest_length(found.task, length)
    return accuracy_by_length(found, [near], summary=summary, rows=rows)[0]


def _shift(matrix: Array, size: int) -> float:
    return 0.0 if len(matrix) <= size else window_shift(matrix, size).distance


def _margins(outputs: torch.Tensor, mask: torch.Tensor) -> list[Array]:
    """By row, at each supervised place, the largest output minus the next."""
    two = outputs.topk(2, dim=-1).values
    apart = (two[..., 0] - two[..., 1]).double()
    return [row[used].numpy() for row, used in zip(apart, mask, strict=True)]


@dataclass(frozen=True, kw_only=True)
class ScoredRun(LanguageRun):
    """A run with its features, what others say of it, and what came of it; its language is its task."""

    reached: Annotated[float, Field(ge=0, le=1)]
    """The accuracy at three times the training length …"""
    works: bool
    """… and whether that is halfway from chance to 1."""
    learned: bool
    """At the training length itself."""
    features: Mapping[str, float]
    beside: Mapping[str, float]
    """Scores to compare with, such as the forecast's; higher is more likely to work."""
    beyond: LengthRow | None = None
    """What the run and its approximate limit transformer do at three times the training length."""

    def __post_init__(self) -> None:
        if set(self.features) != set(FEATURES):
            raise ValueError("the features are not those of this version: look into the runs again")


_SCORED_RUN = TypeAdapter(ScoredRun)


def scored_text(runs: Iterable[ScoredRun]) -> str:
    """A table of runs as text, sorted, numbers with six digits."""
    lines = []
    for run in sorted(runs, key=lambda each: each.order):
        made = asdict(run)
        made["features"] = {name: six_digits(value) for name, value in run.features.items()}
        lines.append(json.dumps(made, ensure_ascii=False))
    return "".join(f"{line}\n" for line in lines)


def read_scored(path: Path) -> tuple[ScoredRun, ...]:
    return read_lines(path, _SCORED_RUN)


FITTED = Path(__file__).with_name("score.json")
"""The scores that the package has; made by `longreach study inspection-score --fit`."""
COMMAND = "longreach study inspection-score --fit"
TOGETHER = "inspection alone, together"
ALL_TOGETHER = "all of them, together"
JOINT: Mapping[str, tuple[str, ...]] = {TOGETHER: FROM_INSPECTION, ALL_TOGETHER: tuple(FEATURES)}
_STRICT = ConfigDict(strict=True, extra="forbid", allow_inf_nan=False)


@dataclass(frozen=True, kw_only=True)
class JointScore:
    """The logarithm of the odds that a run works: a constant plus coefficients times features."""

    __pydantic_config__: ClassVar[ConfigDict] = _STRICT

    name: str
    features: tuple[str, ...]
    constant: float
    coefficients: tuple[float, ...]

    def __post_init__(self) -> None:
        unknown = [name for name in self.features if name not in FEATURES]
        if unknown:
            raise ValueError(f"no feature named {unknown[0]!r}")
        if len(self.coefficients) != len(self.features):
            raise ValueError(f"{len(self.features)} features need as many coefficients")

    def probabilities(self, runs: Sequence[ScoredRun]) -> FloatArray:
        values = _values(runs, self.features)
        return logistic(self.constant + values @ np.array(self.coefficients))


@dataclass(frozen=True, kw_only=True)
class FittedScore:
    """All that is fixed before other runs are judged."""

    __pydantic_config__: ClassVar[ConfigDict] = _STRICT

    version: Literal[1] = 1
    command: str
    runs: int
    languages: int
    work: int
    trained_to: tuple[int, ...]
    encodings: tuple[str, ...]
    penalty: Annotated[float, Field(ge=0)]
    best: str
    """The number with the largest ROC area on these runs; the one that was named before others are judged."""
    areas: dict[str, float]
    """On these runs, of every number with the sign of the theory; joint ones with the language left out."""
    scores: tuple[JointScore, ...]

    def text(self) -> str:
        document = _FITTED_SCORE.dump_python(self, mode="json")
        return json.dumps(document, ensure_ascii=False, indent=1) + "\n"


_FITTED_SCORE = TypeAdapter(FittedScore)


def fit_scores(runs: Sequence[ScoredRun], areas: Mapping[str, float]) -> FittedScore:
    """The scores of these runs; `areas` is what each number is worth on them."""
    wins = np.array([float(run.works) for run in runs])
    scores = []
    for name, features in JOINT.items():
        model = fit_logistic(features, _values(runs, features), wins, penalty=PENALTY)
        scores.append(
            JointScore(
                name=name,
                features=features,
                constant=six_digits(model.constant),
                coefficients=tuple(map(six_digits, model.coefficients)),
            )
        )
    return FittedScore(
        command=COMMAND,
        runs=len(runs),
        languages=len({run.language for run in runs}),
        work=int(wins.sum()),
        trained_to=tuple(sorted({run.trained_to for run in runs})),
        encodings=tuple(sorted({run.encoding for run in runs})),
        penalty=PENALTY,
        best=max(areas, key=lambda name: areas[name]),
        areas={name: round(value, 4) for name, value in areas.items()},
        scores=tuple(scores),
    )


def read_score(path: Path = FITTED) -> FittedScore:
    if not path.exists():
        reason = f"no score yet; create one from development runs with {COMMAND}"
        raise InputError(reason, place=File(str(path)))
    return read_document(path, _FITTED_SCORE.validate_json)


def _left_out(runs: Sequence[ScoredRun], names: Sequence[str]) -> FloatArray:
    wins = np.array([float(run.works) for run in runs])
    return left_out(names, _values(runs, names), wins, [run.language for run in runs])


def _values(runs: Sequence[ScoredRun], names: Sequence[str]) -> FloatArray:
    return np.array([[run.features[name] for name in names] for run in runs], dtype=np.float64)


NOTICED = 0.1


@dataclass(frozen=True, kw_only=True)
class ScoreRow:
    """How well one number tells runs that work from those that do not."""

    name: str
    kind: str
    """ "feature", "together" or "beside"."""
    runs: int
    auc: Estimate
    minus_reference: Estimate | None = None
    """By how much the area is larger than that of the reference, on the runs that have both."""


@dataclass(frozen=True, eq=False, kw_only=True)
class ScoreSlice:
    name: str
    runs: int
    languages: int
    work: int
    rows: tuple[ScoreRow, ...]
    curves: Mapping[str, tuple[FloatArray, FloatArray]]
    """By name of a row, shares of failures and of successes."""

    def document(self) -> dict[str, Any]:
        return {
            "runs_of": self.name,
            "runs": self.runs,
            "languages": self.languages,
            "work": self.work,
            "scores": rounded(self.rows),
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
        feature: ("feature", sign * np.array([run.features[feature] for run in runs]))
        for feature, sign in FEATURES.items()
    }
    if fitted is None:
        scores |= {joint: ("together", _left_out(runs, names)) for joint, names in JOINT.items()}
    else:
        scores |= {joint.name: ("together", joint.probabilities(runs)) for joint in fitted.scores}
    for other in dict.fromkeys(key for run in runs for key in run.beside):
        scores[other] = ("beside", np.array([run.beside.get(other, np.nan) for run in runs]))
    wins = np.array([float(run.works) for run in runs])
    against = scores.get(reference or "", (None, None))[1]
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
        rows.append(ScoreRow(name=title, kind=kind, runs=len(known), auc=auc, minus_reference=gain))
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
