"""How well the verdict and its rivals predict which cells work.

Each predictor becomes a probability by a logistic model of the predictor and the question, fitted on
development languages. For a development language itself the model has not seen that language.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from longreach.answers.odds import FloatArray
from longreach.answers.odds_features import CONTEXT, ODDS_ENCODINGS, odds_features
from longreach.errors import InputError
from longreach.studies.census.tables import CRITERIA, CensusCell
from longreach.studies.statistics import (
    PENALTY,
    SAMPLES,
    Estimate,
    LogisticModel,
    ReliabilityBin,
    Resampling,
    fit_logistic,
    reliability,
)

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

# Cells as rows of numbers.


FOLDS = 10


@dataclass(frozen=True, eq=False, kw_only=True)
class OddsTable:
    """A row for each cell: features, the share of its runs that work, how many there are, the language."""

    names: tuple[str, ...]
    features: FloatArray
    shares: FloatArray
    runs: FloatArray
    languages: tuple[str, ...]

    def columns(self, names: Sequence[str]) -> FloatArray:
        places = [self.names.index(name) for name in names]
        return np.asarray(self.features[:, places], dtype=np.float64)

    def fit(
        self, names: Sequence[str], rows: npt.NDArray[np.int64] | None = None, *, penalty: float
    ) -> LogisticModel:
        """The model with these features, fitted to some rows, or all."""
        here = np.arange(len(self.shares)) if rows is None else rows
        return fit_logistic(
            names, self.columns(names)[here], self.shares[here], weights=self.runs[here], penalty=penalty
        )

    def out_of_sample(self, names: Sequence[str], *, penalty: float, seed: int = 0) -> FloatArray:
        """For each row the probability by a model that has not seen its language.

        Not a number where all other languages have the same outcome, so that there is nothing to fit.
        """
        found = np.full(len(self.shares), np.nan)
        folds = folds_of(self.languages, seed)
        for fold in np.unique(folds):
            others, here = np.flatnonzero(folds != fold), folds == fold
            if len(others) == 0 or not 0 < np.average(self.shares[others], weights=self.runs[others]) < 1:
                continue
            model = self.fit(names, others, penalty=penalty)
            found[here] = model.probabilities(self.columns(names)[here])
        return found

    def losses(self, probabilities: FloatArray) -> FloatArray:
        """For each row how unlikely its runs are, all together."""
        said = np.clip(probabilities, 1e-9, 1 - 1e-9)
        wins = self.shares
        return np.asarray(-self.runs * (wins * np.log(said) + (1 - wins) * np.log(1 - said)))


def odds_table(
    cells: Iterable[CensusCell], names: Sequence[str], numbers: Callable[[CensusCell], Sequence[float | None]]
) -> OddsTable:
    """The rows of cells whose numbers are all known.

    A column that is unknown somewhere costs those rows; whoever chooses columns should look first.
    """
    kept = [(cell, row) for cell in cells if None not in (row := list(numbers(cell)))]
    if not kept:
        raise InputError("no cell has all the numbers that are asked for")
    return OddsTable(
        names=tuple(names),
        features=np.array([row for _, row in kept], dtype=np.float64),
        shares=np.array([sum(cell.works) / len(cell.works) for cell, _ in kept]),
        runs=np.array([float(len(cell.works)) for cell, _ in kept]),
        languages=tuple(cell.language.key for cell, _ in kept),
    )


def folds_of(languages: Sequence[str], seed: int = 0) -> npt.NDArray[np.int64]:
    """A fold for each row, the same for all rows of a language.

    >>> folds_of(["x", "y", "x"]).tolist()
    [0, 1, 0]
    """
    known = sorted(set(languages))
    order = np.random.default_rng(seed).permutation(len(known))
    fold = {language: int(place) % FOLDS for language, place in zip(known, order, strict=True)}
    return np.array([fold[language] for language in languages], dtype=np.int64)


# Predictors: one number for each cell, higher if it is more likely to work; None if not known.


_DEPTHS = {"0": 0.0, "1": -1.0, "2": -2.0, "≥ 2": -3.0}
_NO_PROGRAM = -20.0
"""Below every program: the logarithm of a size never comes near."""


def _star_free(cell: CensusCell) -> float | None:
    found = cell.language.star_free
    return None if found is None else float(found)


def _dot_depth(cell: CensusCell) -> float | None:
    """Lower classes first; languages that are not star-free come last, as they have none."""
    if cell.language.star_free is False:
        return min(_DEPTHS.values()) - 1
    return _DEPTHS.get(cell.language.dot_depth or "")


def _size(cell: CensusCell) -> float | None:
    side = cell.language.sides[cell.encoding]
    if side.verdict != "yes":
        return _NO_PROGRAM
    return None if side.size is None else -math.log2(side.size)


def _depth(cell: CensusCell) -> float | None:
    side = cell.language.sides[cell.encoding]
    if side.verdict != "yes":
        return _NO_PROGRAM
    return None if side.depth is None else -float(side.depth)


PREDICTORS: dict[str, Callable[[CensusCell], float | None]] = {
    "verdict": lambda cell: float(cell.says_yes),
    "star-free": _star_free,
    "dot-depth": _dot_depth,
    "few states": lambda cell: -float(cell.language.states),
    "small program": _size,
    "shallow program": _depth,
    "window enough": lambda cell: cell.case.by_window,
    "seen in training": lambda cell: cell.case.seen(16),
}
"""By name. The last two are determinacy: of eight letters at the test length, and of what training shows."""


# Scores: agreement, ROC area and Brier score, with intervals over languages.


BINS = 5
"""Of the probabilities of one predictor."""
_COLUMNS = (*CONTEXT, "predictor", "predictor, learned positions")


def rounded_fields(found: DataclassInstance) -> dict[str, Any]:
    """The fields of a dataclass, estimates among them as JSON has them."""
    values = {each.name: getattr(found, each.name) for each in fields(found)}
    return {name: each.rounded() if isinstance(each, Estimate) else each for name, each in values.items()}


@dataclass(frozen=True, kw_only=True)
class PredictorScore:
    """How well one number tells runs that work from those that do not."""

    name: str
    cells: int
    """In which it is known."""
    auc: Estimate
    brier: Estimate
    skill: Estimate
    """Over the share of runs that work."""
    reliability: tuple[ReliabilityBin, ...]
    """What came true of its probabilities."""

    def document(self) -> dict[str, Any]:
        """As JSON has it, by its name."""
        found = rounded_fields(self)
        del found["name"]
        return {**found, "reliability": reliability_document(self.reliability)}


@dataclass(frozen=True, kw_only=True)
class SliceScore:
    """The scores of some cells of one encoding; None: of all training lengths, ratios or sources."""

    encoding: str
    trained_to: int | None
    ratio: int | None
    source: str | None
    languages: int
    cells: int
    runs: int
    failed: int
    yes: Estimate
    """The share of runs that work where the verdict is yes."""
    no: Estimate
    agreement: dict[str, Estimate]
    """The share of cells in which verdict and most runs agree, by criterion."""
    predictors: tuple[PredictorScore, ...]

    def document(self) -> dict[str, Any]:
        return {
            **rounded_fields(self),
            "agreement": {name: each.rounded() for name, each in self.agreement.items()},
            "predictors": {each.name: each.document() for each in self.predictors},
        }


def census_scores(
    found: Sequence[CensusCell], development: Sequence[CensusCell], *, samples: int = SAMPLES
) -> tuple[SliceScore, ...]:
    """Scores by encoding: for each training length and ratio, for each ratio, beyond training, by source.

    `development` are the cells that make predictors into probabilities.
    """
    if not found:
        raise InputError("there are no runs to score")
    values = {name: _values(name, found) for name in PREDICTORS}
    fitted = values if found is development else {name: _values(name, development) for name in PREDICTORS}
    said = {name: _probabilities(found, values[name], development, fitted[name]) for name in PREDICTORS}
    lengths = sorted({cell.trained_to for cell in found})
    ratios = sorted({cell.ratio for cell in found})
    # None for the ratio: all beyond training.
    keys: list[tuple[int | None, int | None, str | None]] = [
        *((length, ratio, None) for length in lengths for ratio in ratios),
        *((None, ratio, None) for ratio in ratios if len(lengths) > 1),
        (None, None, None),
        *((None, ratio, source) for source in ("expression", "automaton") for ratio in (None, *ratios[1:])),
    ]
    scores = []
    for encoding in ODDS_ENCODINGS:
        for trained_to, ratio, source in keys:
            rows = [
                number
                for number, cell in enumerate(found)
                if cell.encoding == encoding
                and trained_to in (None, cell.trained_to)
                and (cell.ratio == ratio if ratio else cell.ratio > 1)
                and source in (None, cell.language.source)
            ]
            if rows:
                here = [found[number] for number in rows]
                known = {name: (values[name][rows], said[name][rows]) for name in PREDICTORS}
                scores.append(_slice(here, known, (encoding, trained_to, ratio, source), samples))
    return tuple(scores)


def _slice(
    found: Sequence[CensusCell],
    known: dict[str, tuple[FloatArray, FloatArray]],
    key: tuple[str, int | None, int | None, str | None],
    samples: int,
) -> SliceScore:
    drawn = _drawn(found, samples)
    wins, losses = counts(found)
    yes = np.array([cell.says_yes for cell in found], dtype=np.float64)
    ones = np.ones(len(found))
    agreement: dict[str, Estimate] = {
        each: drawn.mean([cell.worked(each) == cell.says_yes for cell in found], ones) for each in CRITERIA
    }
    encoding, trained_to, ratio, source = key
    return SliceScore(
        encoding=encoding,
        trained_to=trained_to,
        ratio=ratio,
        source=source,
        languages=drawn.size,
        cells=len(found),
        runs=int((wins + losses).sum()),
        failed=sum(cell.failed for cell in found) if ratio else _failed(found),
        yes=drawn.mean(yes * wins, yes * (wins + losses)),
        no=drawn.mean((1 - yes) * wins, (1 - yes) * (wins + losses)),
        agreement=agreement,
        predictors=tuple(_predictor(name, found, *known[name], samples) for name in PREDICTORS),
    )


def _failed(found: Sequence[CensusCell]) -> int:
    """Each failed run once, though it stands at every ratio."""
    return sum({(c.language.key, c.encoding, c.trained_to): c.failed for c in found}.values())


def _predictor(
    name: str, found: Sequence[CensusCell], values: FloatArray, said: FloatArray, samples: int
) -> PredictorScore:
    known = np.flatnonzero(np.isfinite(values)).tolist()
    # Where nothing could be fitted there are no probabilities, though the order of cells is there.
    judged = np.flatnonzero(np.isfinite(values) & np.isfinite(said)).tolist()
    auc = brier = skill = Estimate(value=None, low=None, high=None)
    bins: tuple[ReliabilityBin, ...] = ()
    if known:
        here = [found[number] for number in known]
        auc = _drawn(here, samples).auc(values[known], *counts(here))
    if judged:
        here = [found[number] for number in judged]
        drawn, outcomes = _drawn(here, samples), counts(here)
        brier, skill = drawn.brier(said[judged], *outcomes), drawn.skill(said[judged], *outcomes)
        bins = reliability(*by_run(here, said[judged]), bins=BINS)
    return PredictorScore(name=name, cells=len(known), auc=auc, brier=brier, skill=skill, reliability=bins)


def _drawn(found: Sequence[CensusCell], samples: int) -> Resampling:
    return Resampling([cell.language.key for cell in found], samples=samples)


def by_run(found: Sequence[CensusCell], said: FloatArray) -> tuple[FloatArray, FloatArray]:
    """What is said of each run, and what came of it."""
    outcomes = [float(works) for cell in found for works in cell.works]
    return np.repeat(said, [len(cell.works) for cell in found]), np.array(outcomes)


def reliability_document(found: Iterable[ReliabilityBin]) -> list[dict[str, float]]:
    """Bins as JSON has them."""
    names = ("low", "high", "rows", "said", "found")
    return [{name: round(getattr(each, name), 4) for name in names} for each in found]


def counts(found: Iterable[CensusCell]) -> tuple[FloatArray, FloatArray]:
    """How many runs of each cell work and how many do not."""
    works = [(sum(cell.works), len(cell.works)) for cell in found]
    wins = np.array([each for each, _ in works], dtype=np.float64)
    return wins, np.array([runs for _, runs in works], dtype=np.float64) - wins


def _values(name: str, found: Sequence[CensusCell]) -> FloatArray:
    """By cell; not a number where the predictor is unknown."""
    return np.array([np.nan if (value := PREDICTORS[name](cell)) is None else value for cell in found])


def _table(found: Sequence[CensusCell], values: FloatArray) -> OddsTable:
    """The cells in which the predictor is known."""
    numbers = {
        id(cell): [*odds_features(cell.case, tuple(CONTEXT)), value, value * (cell.encoding == "ape")]
        for cell, value in zip(found, values.tolist(), strict=True)
    }
    known = [cell for cell, value in zip(found, values, strict=True) if np.isfinite(value)]
    return odds_table(known, _COLUMNS, lambda cell: numbers[id(cell)])


def _probabilities(
    found: Sequence[CensusCell], values: FloatArray, development: Sequence[CensusCell], fitted: FloatArray
) -> FloatArray:
    """By cell; not a number where the predictor is unknown, or all that is fitted works, or fails."""
    said = np.full(len(found), np.nan)
    known = np.isfinite(values)
    used = [cell for cell, value in zip(development, fitted, strict=True) if np.isfinite(value)]
    outcomes = {works for cell in used for works in cell.works}
    if not known.any() or len(outcomes) < 2:
        return said
    here, other = _table(found, values), _table(development, fitted)
    if set(here.languages) & set(other.languages):
        if list(found) != list(development):
            raise InputError("languages that are scored stand among those that are fitted")
        said[known] = here.out_of_sample(_COLUMNS, penalty=PENALTY)
    else:
        said[known] = other.fit(_COLUMNS, penalty=PENALTY).probabilities(here.columns(_COLUMNS))
    return said
