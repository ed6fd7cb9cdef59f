"""Odds fitted on the census, and how good they are on held-out languages.

`fit_odds` accepts development languages only.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import get_args

import numpy as np

from longreach.answers.odds import Comparable, FloatArray, OddsModel, StratumSkill, logistic
from longreach.answers.odds_features import CANDIDATES, CONTEXT, GROUPS, KNOWN, ODDS_ENCODINGS, odds_features
from longreach.errors import InputError
from longreach.studies.census.draw import FAR, SIZES, Part
from longreach.studies.census.scores import OddsTable, by_run, counts, resampled, rows_of
from longreach.studies.census.sources import Source
from longreach.studies.census.strata import group_of
from longreach.studies.census.tables import CensusCell, CensusRun, Kind, cells, language_table
from longreach.studies.statistics import SAMPLES, Estimate, IntArray, ReliabilityBin, reliability, six_digits

COMMAND = "longreach study census --fit"
BEYOND = FAR[1:]
"""The ratios for which odds are given."""
MOST_FEATURES = 6
"""Beside those that say what is asked."""
PENALTIES = (1.0, 3.0, 10.0, 30.0)
REPLICATES = 300
VERDICT_ALONE = (
    *CONTEXT, "verdict yes", "verdict yes, learned positions", "verdict yes, last occurrences",
)  # fmt: skip


def fit_odds(runs: Iterable[CensusRun], *, setting: str, replicates: int = REPLICATES) -> OddsModel:
    """The model of the odds that a run works, from runs on development languages.

    `setting` says in words what was trained, as odds hold for nothing else.
    """
    given = tuple(run for run in runs if run.recipe is None)
    wrong = next((run for run in given if language_table()[run.language].part != "development"), None)
    if wrong is not None:
        raise InputError(f"odds are fitted on development languages, and {wrong.language} is held out")
    found = [cell for cell in cells(given) if cell.ratio in BEYOND]
    table = known_features(found)
    names, penalty = choose_features(table)
    model = table.fit(names, penalty=penalty)
    return OddsModel(
        command=COMMAND,
        settings=tuple(sorted({run.settings for run in given})),
        setting=setting,
        languages=len(set(table.languages)),
        cells=len(found),
        runs=int(table.runs.sum()),
        penalty=penalty,
        features=names,
        constant=six_digits(model.constant),
        coefficients=tuple(map(six_digits, model.coefficients)),
        replicates=_replicates(table, names, penalty, replicates),
        verdict_alone=_coefficients(table, VERDICT_ALONE, penalty),
        ranges=_ranges(found, names),
        encodings=tuple(each for each in ODDS_ENCODINGS if any(cell.encoding == each for cell in found)),
        ratios=tuple(sorted({cell.ratio for cell in found})),
        trained_to=tuple(sorted({cell.trained_to for cell in found})),
        comparable=_comparable(found),
        tested=_tested(found),
    )


def _tested(found: Sequence[CensusCell]) -> dict[str, dict[str, tuple[int, ...]]]:
    """By encoding and training length, the ratios of the cells."""
    return {
        encoding: {
            str(length): tuple(
                sorted({c.ratio for c in found if (c.encoding, c.trained_to) == (encoding, length)})
            )
            for length in sorted({cell.trained_to for cell in found if cell.encoding == encoding})
        }
        for encoding in ODDS_ENCODINGS
        if any(cell.encoding == encoding for cell in found)
    }


def known_features(found: Sequence[CensusCell]) -> OddsTable:
    """The features that are known of all cells."""
    if not found:
        raise InputError("there are no cells to fit odds on")
    rows = [odds_features(cell.case) for cell in found]
    columns = {
        name: column
        for name, column in zip(KNOWN, zip(*rows, strict=True), strict=True)
        if None not in column
    }
    return OddsTable.of(found, tuple(columns), zip(*columns.values(), strict=True))


def choose_features(table: OddsTable) -> tuple[tuple[str, ...], float]:
    """Features and penalty: one feature more as long as it helps on languages that were not fitted.

    A feature helps if the loss on languages that were left out falls by more than its standard error over
    languages. Of the penalties, the one with the least loss.
    """
    chosen: list[str] = list(CONTEXT)
    penalty = PENALTIES[0]
    losses = table.losses(chosen, penalty=penalty)
    if not np.isfinite(losses).all():  # too few languages to leave some out
        return tuple(chosen), penalty
    languages = np.unique(table.languages, return_inverse=True)[1]
    while len(chosen) < len(CONTEXT) + MOST_FEATURES:
        tried = {
            name: table.losses([*chosen, name], penalty=penalty)
            for name in CANDIDATES
            if name in table.names and name not in chosen
        }
        if not tried:
            break
        best = min(tried, key=lambda name: float(tried[name].sum()))
        gains = np.bincount(languages, weights=losses - tried[best])
        if gains.sum() <= gains.std() * np.sqrt(len(gains)):
            break
        chosen.append(best)
        losses = tried[best]
    penalty = min(PENALTIES, key=lambda each: float(table.losses(chosen, penalty=each).sum()))
    return tuple(chosen), penalty


def _coefficients(
    table: OddsTable, names: Sequence[str], penalty: float, rows: IntArray | slice = slice(None)
) -> tuple[float, ...]:
    model = table.fit(names, rows, penalty=penalty)
    return tuple(map(six_digits, (model.constant, *model.coefficients)))


def _replicates(
    table: OddsTable, names: Sequence[str], penalty: float, count: int
) -> tuple[tuple[float, ...], ...]:
    """The model for languages drawn anew; a draw in which all runs end alike is drawn again."""
    languages = np.array(table.languages)
    groups = [np.flatnonzero(languages == each) for each in np.unique(languages)]
    random = np.random.default_rng(0)
    found: list[tuple[float, ...]] = []
    for _ in range(10 * count):
        drawn = random.integers(0, len(groups), len(groups))
        rows = np.concatenate([groups[each] for each in drawn.tolist()])
        if 0 < table.shares[rows].mean() < 1:
            found.append(_coefficients(table, names, penalty, rows))
        if len(found) == count:
            return tuple(found)
    raise InputError("too few languages to draw them anew")


def _ranges(found: Sequence[CensusCell], names: Sequence[str]) -> dict[str, tuple[float, float]]:
    """Between which numbers odds hold: those of the languages, and all features that are not asked for."""
    columns: dict[str, list[float | None]] = {
        "states": [cell.language.states for cell in found],
        "letters": [cell.language.letters for cell in found],
        "training length": [cell.trained_to for cell in found],
        "chance": [cell.chance for cell in found],
    }
    for name in ("entropy of answers", *names):
        if name not in CONTEXT:
            columns[name] = [odds_features(cell.case, (name,))[0] for cell in found]
    known = {name: [each for each in values if each is not None] for name, values in columns.items()}
    return {name: (six_digits(min(values)), six_digits(max(values))) for name, values in known.items()}


def _comparable(found: Sequence[CensusCell]) -> tuple[Comparable, ...]:
    groups: dict[tuple[str, str, tuple[int, int], int], list[CensusCell]] = {}
    for cell in found:
        size = SIZES[cell.language.size]
        groups.setdefault((cell.encoding, cell.case.side.verdict, size, cell.ratio), []).append(cell)
    return tuple(
        Comparable(
            encoding=encoding,
            verdict=verdict,
            states=size,
            ratio=ratio,
            languages=len({cell.language.key for cell in alike}),
            cells=len(alike),
            runs=sum(len(cell.works) for cell in alike),
            work=sum(sum(cell.works) for cell in alike),
        )
        for (encoding, verdict, size, ratio), alike in sorted(groups.items())
    )


@dataclass(frozen=True, kw_only=True)
class OddsScore:
    """The scores of the odds on some cells; None: of all encodings, training lengths or ratios."""

    encoding: str | None
    trained_to: int | None
    ratio: int | None
    source: str | None
    """None: of all languages but those that are drawn as people type them."""
    languages: int
    cells: int
    runs: int
    work: float
    """The share of runs that work."""
    brier: Estimate
    skill: Estimate
    """Over the share of runs that work."""
    skill_over_verdict: Estimate
    """Over odds that know the verdict alone, beside encoding, training length and ratio."""
    auc: Estimate


@dataclass(frozen=True, kw_only=True)
class OddsBin(ReliabilityBin):
    """What was found of some odds, with an interval over languages."""

    found_low: float | None
    found_high: float | None


@dataclass(frozen=True, kw_only=True)
class OddsJudgement:
    """What came true of the odds."""

    part: Part
    outside: int
    """Cells for which there are no odds: a number is over the budget or outside what was fitted."""
    scores: tuple[OddsScore, ...]
    """Of all cells first, then by encoding, training length, ratio and source."""
    strata: tuple[StratumSkill, ...]
    reliability: tuple[OddsBin, ...]


def judge_odds(model: OddsModel, runs: Iterable[CensusRun], *, samples: int = SAMPLES) -> OddsJudgement:
    """The scores of frozen odds on runs of one part; on held-out ones no language was ever fitted."""
    runs = tuple(runs)
    found = [cell for cell in cells(runs) if cell.ratio in model.ratios]
    parts = {cell.language.part for cell in found}
    if len(parts) != 1:
        raise InputError("odds are judged on one part of the census at a time, and on at least one run")
    (part,) = parts
    kept, said, verdict = probabilities(model, found)
    if not kept:
        raise InputError("no cell lies within what the odds were fitted on")
    keys: list[tuple[str | None, int | None, int | None, Source | None]] = [
        (None, None, None, None),
        *((each, None, None, None) for each in model.encodings),
        *((None, each, None, None) for each in sorted({cell.trained_to for cell in kept})),
        *((None, None, each, None) for each in model.ratios),
        *((None, None, None, source) for source in get_args(Source)),
        *((each, None, None, "typed") for each in model.encodings),
    ]
    scores = []
    for key in keys:
        rows = rows_of(kept, *key)
        if not rows:
            continue
        here = [kept[number] for number in rows]
        drawn, (wins, losses) = resampled(here, samples), counts(here)
        encoding, trained_to, ratio, source = key
        scores.append(
            OddsScore(
                encoding=encoding,
                trained_to=trained_to,
                ratio=ratio,
                source=source,
                languages=drawn.size,
                cells=len(here),
                runs=int((wins + losses).sum()),
                work=float(wins.sum() / (wins + losses).sum()),
                brier=drawn.brier(said[rows], wins, losses),
                skill=drawn.skill(said[rows], wins, losses),
                skill_over_verdict=drawn.skill(said[rows], wins, losses, verdict[rows]),
                auc=drawn.auc(said[rows], wins, losses),
            )
        )
    return OddsJudgement(
        part=part,
        outside=len(found) - len(kept),
        scores=tuple(scores),
        strata=stratum_skills(model, runs, samples=samples) if part == "held-out" else (),
        reliability=tuple(_bin(kept, said, each, samples) for each in reliability(*by_run(kept, said))),
    )


def stratum_skills(
    model: OddsModel, runs: Iterable[CensusRun], *, samples: int = SAMPLES
) -> tuple[StratumSkill, ...]:
    """How good frozen odds are on held-out languages, by encoding, stratum and kind of language."""
    found = [cell for cell in cells(runs) if cell.ratio in model.ratios]
    wrong = next((cell for cell in found if cell.language.part != "held-out"), None)
    if wrong is not None:
        raise InputError(f"odds are judged on held-out languages, and {wrong.language.key} is not")
    kept, said, _ = probabilities(model, found)
    places: dict[tuple[int, int, Kind], list[int]] = {}
    for place, cell in enumerate(kept):
        key = ODDS_ENCODINGS.index(cell.encoding), GROUPS.index(group_of(cell.language)), cell.language.kind
        places.setdefault(key, []).append(place)
    scores = []
    for (encoding, group, kind), rows in sorted(places.items()):
        here = [kept[place] for place in rows]
        drawn, (wins, losses) = resampled(here, samples), counts(here)
        brier, skill = (score(said[rows], wins, losses).value for score in (drawn.brier, drawn.skill))
        scores.append(
            StratumSkill(
                encoding=ODDS_ENCODINGS[encoding], group=GROUPS[group], kind=kind, languages=drawn.size,
                runs=int((wins + losses).sum()), work=six_digits(float(wins.sum() / (wins + losses).sum())),
                brier=six_digits(brier or 0.0), skill=None if skill is None else six_digits(skill),
            )
        )  # fmt: skip
    return tuple(scores)


def probabilities(
    model: OddsModel, found: Sequence[CensusCell]
) -> tuple[list[CensusCell], FloatArray, FloatArray]:
    """The cells that the odds cover, with what odds and verdict alone say of each."""
    kept, rows, rivals = [], [], []
    for cell in found:
        row = odds_features(cell.case, model.features)
        rival = odds_features(cell.case, VERDICT_ALONE)
        if None in (*row, *rival) or cell.encoding not in model.encodings:
            continue
        if model.outside(dict(zip(model.features, [each or 0.0 for each in row], strict=True))) is None:
            kept.append(cell)
            rows.append(row)
            rivals.append(rival)
    if not kept:
        return [], np.zeros(0), np.zeros(0)
    line = np.array(model.verdict_alone)
    return (
        kept,
        model.probabilities(np.array(rows, dtype=np.float64)),
        logistic(line[0] + np.array(rivals, dtype=np.float64) @ line[1:]),
    )


def _bin(found: Sequence[CensusCell], said: FloatArray, each: ReliabilityBin, samples: int) -> OddsBin:
    """With the interval of the share of its runs that work; 1 belongs to the last bin."""
    upper = np.nextafter(1, 2) if each.high == 1 else each.high
    here = [cell for cell, value in zip(found, said.tolist(), strict=True) if each.low <= value < upper]
    wins, losses = counts(here)
    spread = resampled(here, samples).mean(wins, wins + losses)
    return OddsBin(**vars(each), found_low=spread.low, found_high=spread.high)
