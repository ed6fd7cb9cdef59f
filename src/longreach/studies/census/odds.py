"""Odds fitted on the census, and how good they are on held-out languages.

`fit_odds` accepts development languages only.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from longreach.answers.odds import Comparable, FloatArray, OddsModel, logistic
from longreach.answers.odds_features import CANDIDATES, CONTEXT, KNOWN, odds_features
from longreach.errors import InputError
from longreach.studies.census.draw import Part
from longreach.studies.census.scores import (
    OddsTable,
    by_run,
    counts,
    odds_table,
    reliability_document,
    rounded_fields,
)
from longreach.studies.census.tables import CensusCell, CensusRun, LanguageFacts, cells
from longreach.studies.statistics import SAMPLES, Estimate, ReliabilityBin, Resampling, reliability

# Fitting: features are chosen by cross-validation over languages.


COMMAND = "longreach study census --fit"
BEYOND = (2, 3, 5)
"""The ratios for which odds are given."""
MOST_FEATURES = 6
"""Beside those that say what is asked."""
PENALTIES = (1.0, 3.0, 10.0, 30.0)
REPLICATES = 300
SIZES = ((2, 3), (4, 5), (6, 8))
VERDICT_ALONE = (*CONTEXT, "verdict yes", "verdict yes, learned positions")


def fit_odds(
    runs: Iterable[CensusRun],
    languages: Mapping[str, LanguageFacts],
    *,
    setting: str,
    command: str = COMMAND,
    replicates: int = REPLICATES,
) -> OddsModel:
    """The model of the odds that a run works, from runs on development languages.

    `setting` says in words what was trained, as odds hold for nothing else.
    """
    given = tuple(run for run in runs if run.recipe is None)
    wrong = next((run for run in given if languages[run.language].part != "development"), None)
    if wrong is not None:
        raise InputError(f"odds are fitted on development languages, and {wrong.language} is held out")
    found = [cell for cell in cells(given, languages) if cell.ratio in BEYOND]
    rows = [odds_features(cell.case) for cell in found]
    known = [name for name, column in zip(KNOWN, zip(*rows, strict=True), strict=True) if None not in column]
    table = odds_table(found, known, lambda cell: odds_features(cell.case, tuple(known)))
    names, penalty = choose_features(table, [name for name in CANDIDATES if name in known])
    model = table.fit(names, penalty=penalty)
    return OddsModel(
        command=command,
        settings=tuple(sorted({run.settings for run in given})),
        setting=setting,
        languages=len(set(table.languages)),
        cells=len(found),
        runs=int(table.runs.sum()),
        penalty=penalty,
        features=names,
        constant=_short(model.constant),
        coefficients=tuple(map(_short, model.coefficients)),
        replicates=_replicates(table, names, penalty, replicates),
        verdict_alone=_coefficients(table, VERDICT_ALONE, penalty),
        ranges=_ranges(found, names),
        encodings=tuple(sorted({cell.encoding for cell in found}, reverse=True)),
        ratios=tuple(sorted({cell.ratio for cell in found})),
        trained_to=tuple(sorted({cell.trained_to for cell in found})),
        comparable=_comparable(found),
    )


def choose_features(table: OddsTable, candidates: Sequence[str]) -> tuple[tuple[str, ...], float]:
    """Features and penalty: one feature more as long as it helps on languages that were not fitted.

    A feature helps if the loss on languages that were left out falls by more than its standard error over
    languages. Of the penalties, the one with the least loss.
    """
    chosen: list[str] = list(CONTEXT)
    penalty = PENALTIES[0]
    losses = table.losses(table.out_of_sample(chosen, penalty=penalty))
    if not np.isfinite(losses).all():  # too few languages to leave some out
        return tuple(chosen), penalty
    while len(chosen) < len(CONTEXT) + MOST_FEATURES:
        tried = {
            name: table.losses(table.out_of_sample([*chosen, name], penalty=penalty))
            for name in candidates
            if name not in chosen
        }
        if not tried:
            break
        best = min(tried, key=lambda name: float(tried[name].sum()))
        gains = _by_language(table, losses - tried[best])
        if gains.sum() <= gains.std() * np.sqrt(len(gains)):
            break
        chosen.append(best)
        losses = tried[best]
    penalty = min(
        PENALTIES, key=lambda each: float(table.losses(table.out_of_sample(chosen, penalty=each)).sum())
    )
    return tuple(chosen), penalty


def _by_language(table: OddsTable, values: np.ndarray) -> np.ndarray:
    _, places = np.unique(np.array(table.languages), return_inverse=True)
    return np.bincount(places, weights=values)


def _short(value: float) -> float:
    """Six digits: no more are known."""
    return float(f"{value:.6g}")


def _coefficients(
    table: OddsTable, names: Sequence[str], penalty: float, rows: np.ndarray | None = None
) -> tuple[float, ...]:
    model = table.fit(names, rows, penalty=penalty)
    return tuple(map(_short, (model.constant, *model.coefficients)))


def _replicates(
    table: OddsTable, names: Sequence[str], penalty: float, count: int
) -> tuple[tuple[float, ...], ...]:
    """The model for languages drawn anew; a draw in which all runs end alike is drawn again."""
    languages = np.array(table.languages)
    members = [np.flatnonzero(languages == each) for each in np.unique(languages)]
    random = np.random.default_rng(0)
    found: list[tuple[float, ...]] = []
    for _ in range(10 * count):
        drawn = random.integers(0, len(members), len(members))
        rows = np.concatenate([members[each] for each in drawn.tolist()])
        if 0 < table.shares[rows].mean() < 1:
            found.append(_coefficients(table, names, penalty, rows))
        if len(found) == count:
            return tuple(found)
    raise InputError("too few languages to draw them anew")


def _ranges(found: Sequence[CensusCell], names: Sequence[str]) -> dict[str, tuple[float, float]]:
    """Between which numbers odds hold: those of the languages, and all features that are not asked for."""
    columns = {
        "states": [float(cell.language.states) for cell in found],
        "letters": [float(cell.language.letters) for cell in found],
        "training length": [float(cell.trained_to) for cell in found],
        "chance": [cell.chance for cell in found],
        "entropy of answers": [value for cell in found if (value := _entropy(cell)) is not None],
    }
    for name in names:
        if name not in CONTEXT:
            columns[name] = [v for cell in found if (v := odds_features(cell.case, (name,))[0]) is not None]
    return {name: (_short(min(values)), _short(max(values))) for name, values in columns.items()}


def _entropy(cell: CensusCell) -> float | None:
    return None if cell.case.tested is None else cell.case.tested.entropy


def _comparable(found: Sequence[CensusCell]) -> tuple[Comparable, ...]:
    groups: dict[tuple[str, str, tuple[int, int], int], list[CensusCell]] = {}
    for cell in found:
        size = next(each for each in SIZES if each[0] <= cell.language.states <= each[1])
        groups.setdefault((cell.encoding, cell.case.side.verdict, size, cell.ratio), []).append(cell)
    return tuple(
        Comparable(
            encoding=encoding,
            verdict=verdict,
            states=size,
            ratio=ratio,
            languages=len({cell.language.key for cell in members}),
            cells=len(members),
            runs=sum(len(cell.works) for cell in members),
            work=sum(sum(cell.works) for cell in members),
        )
        for (encoding, verdict, size, ratio), members in sorted(groups.items())
    )


# Judging: Brier score and skill, ROC area and reliability.


@dataclass(frozen=True, kw_only=True)
class OddsScore:
    """The scores of the odds on some cells; None: of all encodings, training lengths or ratios."""

    encoding: str | None
    trained_to: int | None
    ratio: int | None
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

    def document(self) -> dict[str, Any]:
        return {**rounded_fields(self), "work": round(self.work, 4)}


@dataclass(frozen=True, kw_only=True)
class OddsJudgement:
    """What came true of the odds."""

    part: Part
    outside: int
    """Cells for which there are no odds: a number is over the budget or outside what was fitted."""
    scores: tuple[OddsScore, ...]
    """Of all cells first, then by encoding, training length and ratio."""
    reliability: tuple[ReliabilityBin, ...]
    spread: tuple[Estimate, ...]
    """For each bin of the reliability what was found, with an interval over languages."""

    def document(self) -> dict[str, Any]:
        return {
            "part": self.part,
            "outside": self.outside,
            "scores": [each.document() for each in self.scores],
            "reliability": [
                {**each, "found_low": spread.rounded()["low"], "found_high": spread.rounded()["high"]}
                for each, spread in zip(reliability_document(self.reliability), self.spread, strict=True)
            ],
        }


def judge_odds(
    model: OddsModel,
    runs: Iterable[CensusRun],
    languages: Mapping[str, LanguageFacts],
    *,
    samples: int = SAMPLES,
) -> OddsJudgement:
    """The scores of frozen odds on runs of one part; on held-out ones no language was ever fitted."""
    found = [cell for cell in cells(runs, languages) if cell.ratio in model.ratios]
    parts = {cell.language.part for cell in found}
    if len(parts) != 1:
        raise InputError("odds are judged on one part of the census at a time, and on at least one run")
    kept, said, verdict = probabilities(model, found)
    if not kept:
        raise InputError("no cell lies within what the odds were fitted on")
    values: list[tuple[str | None, int | None, int | None]] = [(None, None, None)]
    values += [(each, None, None) for each in model.encodings]
    values += [(None, each, None) for each in sorted({cell.trained_to for cell in kept})]
    values += [(None, None, each) for each in model.ratios]
    scores = []
    for key in values:
        rows = [number for number, cell in enumerate(kept) if _matches(cell, key)]
        if rows:
            here = [kept[number] for number in rows]
            scores.append(_score(here, said[rows], verdict[rows], key, samples))
    bins = reliability(*by_run(kept, said))
    return OddsJudgement(
        part=parts.pop(),
        outside=len(found) - len(kept),
        scores=tuple(scores),
        reliability=bins,
        spread=tuple(_spread(kept, said, each, samples) for each in bins),
    )


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


def _spread(found: Sequence[CensusCell], said: FloatArray, part: ReliabilityBin, samples: int) -> Estimate:
    """The share of runs that work among those of a bin; 1 belongs to the last."""
    upper = np.nextafter(1, 2) if part.high == 1 else part.high
    here = [cell for cell, value in zip(found, said.tolist(), strict=True) if part.low <= value < upper]
    wins, losses = counts(here)
    drawn = Resampling([cell.language.key for cell in here], samples=samples)
    return drawn.mean(wins, wins + losses)


def _matches(cell: CensusCell, key: tuple[str | None, int | None, int | None]) -> bool:
    own = (cell.encoding, cell.trained_to, cell.ratio)
    return all(asked in (None, has) for asked, has in zip(key, own, strict=True))


def _score(
    found: Sequence[CensusCell],
    said: FloatArray,
    verdict: FloatArray,
    key: tuple[str | None, int | None, int | None],
    samples: int,
) -> OddsScore:
    drawn = Resampling([cell.language.key for cell in found], samples=samples)
    wins, losses = counts(found)
    return OddsScore(
        encoding=key[0],
        trained_to=key[1],
        ratio=key[2],
        languages=drawn.size,
        cells=len(found),
        runs=int((wins + losses).sum()),
        work=float(wins.sum() / (wins + losses).sum()),
        brier=drawn.brier(said, wins, losses),
        skill=drawn.skill(said, wins, losses),
        skill_over_verdict=drawn.skill(said, wins, losses, verdict),
        auc=drawn.auc(said, wins, losses),
    )
