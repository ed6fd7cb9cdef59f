"""The census as one document: how right the verdict, its rivals and the odds are, and where a "no" ends."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from longreach.comparison.resampling import SAMPLES
from longreach.errors import InputError
from longreach.forecast.odds_model import OddsModel
from longreach.studies.census.canonical_form import Part
from longreach.studies.census.census_cell import Cell, cells
from longreach.studies.census.census_language_table import LanguageFacts
from longreach.studies.census.census_run import CensusRun
from longreach.studies.census.census_scores import SliceScore, census_scores
from longreach.studies.census.odds_judgement import OddsJudgement, judge_odds
from longreach.studies.census.predicted_failures import Failure, failure_document, failures


@dataclass(frozen=True, eq=False, kw_only=True)
class CensusAnalysis:
    """All that is said of one part of the census."""

    part: Part
    runs: tuple[CensusRun, ...]
    cells: tuple[Cell, ...]
    scores: tuple[SliceScore, ...]
    odds: OddsJudgement | None
    """None where no odds were given to judge."""
    failures: tuple[Failure, ...]
    samples: int

    def document(self) -> dict[str, Any]:
        """As `--json` prints it."""
        return {
            "part": self.part,
            "languages": len({run.language for run in self.runs}),
            "runs": len(self.runs),
            "failed": sum(run.failed for run in self.runs),
            "settings": sorted({run.settings for run in self.runs}),
            "code": sorted({run.code for run in self.runs}),
            "hours": round(sum(run.seconds for run in self.runs) / 3600, 2),
            "scores": [each.document() for each in self.scores],
            "odds": None if self.odds is None else self.odds.document(),
            "failures": failure_document(self.failures, samples=self.samples),
        }


def analyse(
    part: Part,
    runs: Sequence[CensusRun],
    languages: Mapping[str, LanguageFacts],
    *,
    development: Sequence[CensusRun],
    model: OddsModel | None = None,
    samples: int = SAMPLES,
) -> CensusAnalysis:
    """The analysis of the runs of one part; `development` runs make predictors into probabilities."""
    mine = tuple(run for run in runs if run.recipe is None)
    stranger = next((run for run in mine if languages[run.language].part != part), None)
    if stranger is not None:
        raise InputError(f"the run {stranger.run} is not of a {part} language: {stranger.language}")
    found = cells(mine, languages)
    fitted = found if part == "development" else cells(development, languages)
    return CensusAnalysis(
        part=part,
        runs=mine,
        cells=found,
        scores=census_scores(found, fitted, samples=samples),
        odds=None if model is None else judge_odds(model, mine, languages, samples=samples),
        failures=failures(found),
        samples=samples,
    )
