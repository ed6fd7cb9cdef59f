"""Scores of several numbers at once, fitted on some runs and kept in a file, to be judged on others."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, ClassVar, Literal

import numpy as np
from pydantic import ConfigDict, Field, TypeAdapter, ValidationError

from longreach.errors import File, InputError
from longreach.forecast.logistic_model import PENALTY, FloatArray, fit_logistic, logistic
from longreach.inspection.run_features import FEATURES, FROM_INSPECTION
from longreach.inspection.scored_run import ScoredRun
from longreach.results.line_table import refusal_in_words

FITTED = Path(__file__).with_name("score.json")
"""The scores that the package has; made by `longreach study inspection-score --fit`."""
COMMAND = "longreach study inspection-score --fit"
FOLDS = 10
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
            raise ValueError(f"no feature is named {unknown[0]!r}")
        if len(self.coefficients) != len(self.features):
            raise ValueError(f"{len(self.features)} features need as many coefficients")

    def probabilities(self, runs: Sequence[ScoredRun]) -> FloatArray:
        """For each run the probability that it works."""
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
        """As its file has it."""
        document = _ADAPTER.dump_python(self, mode="json")
        return json.dumps(document, ensure_ascii=False, indent=1) + "\n"


_ADAPTER = TypeAdapter(FittedScore)


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
                constant=_short(model.constant),
                coefficients=tuple(map(_short, model.coefficients)),
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
    """The scores in a file."""
    try:
        return _ADAPTER.validate_json(path.read_bytes())
    except FileNotFoundError:
        reason = f"there is no score yet; {COMMAND} makes one from development runs"
        raise InputError(reason, place=File(str(path))) from None
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror or error}", place=File(str(path))) from None
    except ValidationError as error:
        raise InputError(refusal_in_words(error), place=File(str(path))) from None


def left_out(runs: Sequence[ScoredRun], names: Sequence[str], *, seed: int = 0) -> FloatArray:
    """For each run the probability by a model that was fitted without its language.

    Not a number where there are too few languages, or all others end alike.
    """
    features = _values(runs, names)
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


def _values(runs: Sequence[ScoredRun], names: Sequence[str]) -> FloatArray:
    return np.array([[run.features[name] for name in names] for run in runs], dtype=np.float64)


def _folds(languages: Sequence[str], seed: int) -> np.ndarray:
    known = sorted(set(languages))
    order = np.random.default_rng(seed).permutation(len(known))
    fold = {language: int(place) % FOLDS for language, place in zip(known, order, strict=True)}
    return np.array([fold[each] for each in languages])


def _short(value: float) -> float:
    """Six digits: no more are known."""
    return float(f"{value:.6g}")
