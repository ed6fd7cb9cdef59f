"""How well the verdict, its rivals and determinacy tell which cells work.

Each predictor becomes a probability by a logistic model of the predictor and the question, fitted on
development languages. For a development language itself the model has not seen that language.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Self, get_args

import numpy as np

from longreach.answers.odds import FloatArray
from longreach.answers.odds_features import CONTEXT, ODDS_ENCODINGS, odds_features
from longreach.errors import InputError
from longreach.studies.census.sources import Source
from longreach.studies.census.tables import CRITERIA, CensusCell
from longreach.studies.statistics import (
    PENALTY,
    SAMPLES,
    Estimate,
    IntArray,
    LogisticModel,
    ReliabilityBin,
    Resampling,
    fit_logistic,
    left_out,
    reliability,
)


@dataclass(frozen=True, eq=False, kw_only=True)
class OddsTable:
    """A row for each cell: features, the share of its runs that work, how many there are, the language."""

    names: tuple[str, ...]
    features: FloatArray
    shares: FloatArray
    runs: FloatArray
    languages: tuple[str, ...]

    @classmethod
    def of(
        cls, found: Sequence[CensusCell], names: Sequence[str], rows: Iterable[Sequence[float | None]]
    ) -> Self:
        """The table of cells, each with its row of features."""
        wins, losses = counts(found)
        return cls(
            names=tuple(names),
            features=np.array([*rows], dtype=np.float64).reshape(-1, len(names)),
            shares=wins / (wins + losses),
            runs=wins + losses,
            languages=tuple(cell.language.key for cell in found),
        )

    @property
    def varies(self) -> bool:
        """Whether some runs work and others do not."""
        return bool((self.shares > 0).any() and (self.shares < 1).any())

    def columns(self, names: Sequence[str]) -> FloatArray:
        return self.features[:, [self.names.index(name) for name in names]]

    def fit(
        self, names: Sequence[str], rows: IntArray | slice = slice(None), *, penalty: float
    ) -> LogisticModel:
        """The model with these features, fitted to some rows, or all."""
        return fit_logistic(
            names, self.columns(names)[rows], self.shares[rows], weights=self.runs[rows], penalty=penalty
        )

    def out_of_sample(self, names: Sequence[str], *, penalty: float) -> FloatArray:
        """For each row the probability by a model that has not seen its language; see `left_out`."""
        return left_out(
            names, self.columns(names), self.shares, self.languages, weights=self.runs, penalty=penalty
        )

    def losses(self, names: Sequence[str], *, penalty: float) -> FloatArray:
        """For each row how unlikely its runs are by a model that has not seen its language."""
        said = np.clip(self.out_of_sample(names, penalty=penalty), 1e-9, 1 - 1e-9)
        return -self.runs * (self.shares * np.log(said) + (1 - self.shares) * np.log(1 - said))


_DEPTHS = {"0": 0.0, "1": -1.0, "2": -2.0, "≥ 2": -3.0}
_NO_PROGRAM = -20.0
"""Below every program: the logarithm of a size never comes near."""


def _dot_depth(cell: CensusCell) -> float | None:
    """Lower classes first; languages that are not star-free come last, as they have none."""
    if cell.language.star_free is False:
        return min(_DEPTHS.values()) - 1
    return _DEPTHS.get(cell.language.dot_depth or "")


def _of_program(cell: CensusCell, number: int | None, scale: Callable[[int], float]) -> float | None:
    if not cell.says_yes:
        return _NO_PROGRAM
    return None if number is None else -scale(number)


PREDICTORS: dict[str, Callable[[CensusCell], float | None]] = {
    "verdict": lambda cell: cell.case.says_yes,
    "star-free": lambda cell: cell.language.star_free,
    "dot-depth": _dot_depth,
    "few states": lambda cell: -cell.language.states,
    "small program": lambda cell: _of_program(cell, cell.case.side.size, math.log2),
    "shallow program": lambda cell: _of_program(cell, cell.case.side.depth, float),
    "window enough": lambda cell: cell.case.by_window,
    "seen in training": lambda cell: cell.case.seen(16),
}
"""One number for each cell, higher if it is more likely to work; None if not known.

The last two are determinacy: of eight letters at the test length, and of what training shows."""
BINS = 5
"""Of the probabilities of one predictor."""
_COLUMNS = (*CONTEXT, "predictor", "predictor, learned positions", "predictor, last occurrences")


@dataclass(frozen=True, kw_only=True)
class PredictorScore:
    """How well one number tells runs that work from those that do not."""

    cells: int
    """In which it is known."""
    auc: Estimate
    brier: Estimate
    skill: Estimate
    """Over the share of runs that work."""
    reliability: tuple[ReliabilityBin, ...]
    """What came true of its probabilities."""


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
    without_positions: Estimate
    """The share in which most runs agree with the verdict without positions, whatever the encoding."""
    predictors: dict[str, PredictorScore]


def census_scores(
    found: Sequence[CensusCell], development: Sequence[CensusCell], *, samples: int = SAMPLES
) -> tuple[SliceScore, ...]:
    """Scores by encoding: for each training length and ratio, for each ratio, beyond training, by source.

    `development` are the cells that make predictors into probabilities.
    """
    if not found:
        raise InputError("there are no runs to score")
    values = {name: _values(name, found) for name in PREDICTORS}
    said = {name: _probabilities(found, values[name], development, name) for name in PREDICTORS}
    lengths = sorted({cell.trained_to for cell in found})
    ratios = sorted({cell.ratio for cell in found})
    keys: list[tuple[int | None, int | None, str | None]] = [
        *((length, ratio, None) for length in lengths for ratio in ratios),
        *((None, ratio, None) for ratio in ratios if len(lengths) > 1),
        (None, None, None),
        *((None, ratio, source) for source in get_args(Source) for ratio in (None, *ratios[1:])),
    ]
    scores = []
    for encoding in ODDS_ENCODINGS:
        for trained_to, ratio, source in keys:
            rows = rows_of(found, encoding, trained_to, ratio, source)
            if not rows:
                continue
            here = [found[number] for number in rows]
            drawn = resampled(here, samples)
            wins, losses = counts(here)
            yes = np.array([cell.says_yes for cell in here], dtype=np.float64)
            # A failed run stands at every ratio, and counts once.
            failed = {(cell.language.key, cell.trained_to): cell.failed for cell in here}
            scores.append(
                SliceScore(
                    encoding=encoding,
                    trained_to=trained_to,
                    ratio=ratio,
                    source=source,
                    languages=drawn.size,
                    cells=len(here),
                    runs=int((wins + losses).sum()),
                    failed=sum(failed.values()),
                    yes=drawn.mean(yes * wins, yes * (wins + losses)),
                    no=drawn.mean((1 - yes) * wins, (1 - yes) * (wins + losses)),
                    agreement={
                        each: drawn.mean([cell.worked(each) == cell.says_yes for cell in here], yes**0)
                        for each in CRITERIA
                    },
                    without_positions=drawn.mean(
                        [cell.worked() == (cell.language.sides["nope"].verdict == "yes") for cell in here],
                        yes**0,
                    ),
                    predictors={
                        name: _predictor(here, values[name][rows], said[name][rows], samples)
                        for name in PREDICTORS
                    },
                )
            )
    return tuple(scores)


def _predictor(
    found: Sequence[CensusCell], values: FloatArray, said: FloatArray, samples: int
) -> PredictorScore:
    known = np.flatnonzero(np.isfinite(values)).tolist()
    # Where nothing could be fitted there are no probabilities, though the order of cells is there.
    judged = np.flatnonzero(np.isfinite(values) & np.isfinite(said)).tolist()
    auc = brier = skill = Estimate()
    bins: tuple[ReliabilityBin, ...] = ()
    if known:
        here = [found[number] for number in known]
        auc = resampled(here, samples).auc(values[known], *counts(here))
    if judged:
        here = [found[number] for number in judged]
        drawn, outcomes = resampled(here, samples), counts(here)
        brier, skill = drawn.brier(said[judged], *outcomes), drawn.skill(said[judged], *outcomes)
        bins = reliability(*by_run(here, said[judged]), bins=BINS)
    return PredictorScore(cells=len(known), auc=auc, brier=brier, skill=skill, reliability=bins)


def rows_of(
    found: Sequence[CensusCell],
    encoding: str | None = None,
    trained_to: int | None = None,
    ratio: int | None = None,
    source: str | None = None,
) -> list[int]:
    """The places of the cells of a slice; None: any, of the ratios any beyond training, of the sources all
    but the typed ones."""
    return [
        place
        for place, cell in enumerate(found)
        if encoding in (None, cell.encoding)
        and trained_to in (None, cell.trained_to)
        and (cell.ratio == ratio if ratio else cell.ratio > 1)
        and (cell.language.source == source if source else cell.language.kind == "drawn")
    ]


def resampled(found: Iterable[CensusCell], samples: int) -> Resampling:
    """Samples of the languages of cells."""
    return Resampling([cell.language.key for cell in found], samples=samples)


def by_run(found: Sequence[CensusCell], said: FloatArray) -> tuple[FloatArray, FloatArray]:
    """What is said of each run, and what came of it."""
    outcomes = [float(works) for cell in found for works in cell.works]
    return np.repeat(said, [len(cell.works) for cell in found]), np.array(outcomes)


def counts(found: Iterable[CensusCell]) -> tuple[FloatArray, FloatArray]:
    """How many runs of each cell work and how many do not."""
    works = np.array([(sum(cell.works), len(cell.works)) for cell in found], dtype=np.float64).reshape(-1, 2)
    return works[:, 0], works[:, 1] - works[:, 0]


def _values(name: str, found: Sequence[CensusCell]) -> FloatArray:
    """By cell; not a number where the predictor is unknown."""
    return np.array([PREDICTORS[name](cell) for cell in found], dtype=np.float64)


def _table(found: Sequence[CensusCell], values: FloatArray) -> OddsTable:
    """The cells in which the predictor is known."""
    known = [(cell, value) for cell, value in zip(found, values.tolist(), strict=True) if np.isfinite(value)]
    rows = [
        [
            *odds_features(cell.case, tuple(CONTEXT)),
            value,
            *(value * (cell.encoding == name) for name in ("ape", "reach")),
        ]
        for cell, value in known
    ]
    return OddsTable.of([cell for cell, _ in known], _COLUMNS, rows)


def _probabilities(
    found: Sequence[CensusCell], values: FloatArray, development: Sequence[CensusCell], name: str
) -> FloatArray:
    """By cell; not a number where the predictor is unknown, or all that is fitted works, or fails."""
    said = np.full(len(found), np.nan)
    known = np.isfinite(values)
    here, other = _table(found, values), _table(development, _values(name, development))
    if not known.any() or not other.varies:
        return said
    if set(here.languages) & set(other.languages):
        if list(found) != list(development):
            raise InputError("languages that are scored stand among those that are fitted")
        said[known] = here.out_of_sample(_COLUMNS, penalty=PENALTY)
    else:
        said[known] = other.fit(_COLUMNS, penalty=PENALTY).probabilities(here.columns(_COLUMNS))
    return said
