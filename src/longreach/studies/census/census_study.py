"""`longreach study census`: what is trained, what is judged, and the odds that come of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from longreach.errors import InputError
from longreach.forecast.odds_model import OddsModel, fitted_odds
from longreach.studies.census.canonical_form import Part
from longreach.studies.census.census_analysis import CensusAnalysis, analyse
from longreach.studies.census.census_figure import FORMATS
from longreach.studies.census.census_members import language_table
from longreach.studies.census.census_run import CensusRun
from longreach.studies.census.census_settings import settings
from longreach.studies.census.odds_fit import fit_odds


@dataclass(frozen=True, kw_only=True)
class CensusStudy:
    """Beside the others in the list of studies."""

    name: str = "census"
    title: str = "How right are forecasts on languages that nobody picked?"
    source: str = "random regular languages, a third for development and the rest held out"
    about: str = "how right forecasts are on languages that nobody picked, and what odds to give"
    time: str = "laptop: about four hours on two cores"

    formats = FORMATS


STUDY = CensusStudy()


def judge(part: Part, runs: Sequence[CensusRun], development: Sequence[CensusRun]) -> CensusAnalysis:
    """What the runs of a part say of the verdict, its rivals and the odds of this version."""
    return analyse(part, runs, language_table(), development=development, model=fitted_odds())


def fit(runs: Sequence[CensusRun]) -> OddsModel:
    """Odds from the runs on development languages; others among them are left out."""
    table = language_table()
    mine = [run for run in runs if run.recipe is None and table[run.language].part == "development"]
    if not mine:
        raise InputError("there are no runs on development languages to fit odds on")
    return fit_odds(mine, table, setting=setting_in_words())


def setting_in_words() -> str:
    """What the runs of the census have in common.

    >>> setting_in_words()
    '2 layers, 4 heads, width 64, 1000 steps of 64 words, log-length attention'
    """
    found = settings().setting.given
    words = f"{found['layers']} layers, {found['heads']} heads, width {found['width']}, "
    words += f"{found['max_steps']} steps of {found['batch']} words"
    return words + (", log-length attention" if found["log_length"] else "")
