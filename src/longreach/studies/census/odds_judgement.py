"""How good are the odds on languages that had no part in them: Brier score and skill, ROC, reliability."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from longreach.comparison.calibration import ReliabilityBin, reliability
from longreach.comparison.resampling import SAMPLES, Estimate, Resampling
from longreach.errors import InputError
from longreach.forecast.logistic_model import FloatArray, logistic
from longreach.forecast.odds_features import odds_features
from longreach.forecast.odds_model import OddsModel
from longreach.studies.census.canonical_form import Part
from longreach.studies.census.census_cell import Cell, cells
from longreach.studies.census.census_language_table import LanguageFacts
from longreach.studies.census.census_run import CensusRun
from longreach.studies.census.census_scores import by_run, counts, reliability_document
from longreach.studies.census.odds_fit import VERDICT_ALONE


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
        """As JSON has it."""
        names = ("brier", "skill", "skill_over_verdict", "auc")
        return {
            "encoding": self.encoding,
            "trained_to": self.trained_to,
            "ratio": self.ratio,
            "languages": self.languages,
            "cells": self.cells,
            "runs": self.runs,
            "work": round(self.work, 4),
            **{name: getattr(self, name).rounded() for name in names},
        }


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
        """As JSON has it."""
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


def probabilities(model: OddsModel, found: Sequence[Cell]) -> tuple[list[Cell], FloatArray, FloatArray]:
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


def _spread(found: Sequence[Cell], said: FloatArray, part: ReliabilityBin, samples: int) -> Estimate:
    """The share of runs that work among those of a bin; 1 belongs to the last."""
    upper = np.nextafter(1, 2) if part.high == 1 else part.high
    here = [cell for cell, value in zip(found, said.tolist(), strict=True) if part.low <= value < upper]
    wins, losses = counts(here)
    drawn = Resampling([cell.language.key for cell in here], samples=samples)
    return drawn.mean(wins, wins + losses)


def _matches(cell: Cell, key: tuple[str | None, int | None, int | None]) -> bool:
    own = (cell.encoding, cell.trained_to, cell.ratio)
    return all(asked in (None, has) for asked, has in zip(key, own, strict=True))


def _score(
    found: Sequence[Cell],
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
