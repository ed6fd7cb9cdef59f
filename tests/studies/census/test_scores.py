"""Scores against their definitions, cell by cell and run by run."""

from __future__ import annotations

from functools import cache

import pytest

from longreach.errors import InputError
from longreach.studies.census.scores import PREDICTORS, SliceScore, census_scores
from longreach.studies.census.tables import CensusCell, cells
from longreach.studies.statistics import rounded
from tests.helpers.census_samples import synthetic_runs
from tests.helpers.scores import roc_auc


@cache
def _cells(part: str) -> tuple[CensusCell, ...]:
    runs = synthetic_runs("development" if part == "development" else "held-out", lengths=(10, 20), seeds=2)
    return cells(runs)


@cache
def _scores() -> tuple[SliceScore, ...]:
    return census_scores(_cells("held-out"), _cells("development"), samples=50)


def _of(**wanted: object) -> SliceScore:
    [found] = [s for s in _scores() if all(getattr(s, name) == value for name, value in wanted.items())]
    return found


@pytest.mark.parametrize("encoding", ["nope", "ape"])
@pytest.mark.parametrize("source", [None, "expression"])
def test_agreement_is_counted_over_cells_and_roc_over_runs(encoding: str, source: str | None) -> None:
    here = [
        cell
        for cell in _cells("held-out")
        if (cell.encoding, cell.ratio) == (encoding, 3) and source in (None, cell.language.source)
    ]
    found = _of(encoding=encoding, ratio=3, trained_to=None, source=source)
    agree = sum((2 * sum(cell.works) >= len(cell.works)) == cell.says_yes for cell in here)
    assert found.agreement["half way"].value == pytest.approx(agree / len(here))
    for name, score in found.predictors.items():
        rows = [(PREDICTORS[name](cell), works) for cell in here for works in cell.works]
        known = [(value, float(works)) for value, works in rows if value is not None]
        slow = roc_auc([value for value, _ in known], [works for _, works in known])
        assert score.auc.value == pytest.approx(slow)
        assert sum(each.rows for each in score.reliability) == len(known)
    verdict = found.predictors["verdict"]
    assert verdict.auc.low is not None
    assert verdict.auc.high is not None
    assert verdict.auc.low <= (verdict.auc.value or 0) <= verdict.auc.high


def test_the_true_predictor_has_skill_and_slices_add_up() -> None:
    whole = _of(encoding="ape", ratio=None, trained_to=None, source=None)
    assert (whole.predictors["verdict"].skill.value or 0) > 0.2
    parts = [
        each
        for each in _scores()
        if each.encoding == "ape" and each.trained_to and each.ratio != 1 and each.source is None
    ]
    assert sum(each.runs for each in parts) == whole.runs
    assert rounded(whole)["predictors"]["verdict"]["auc"]["value"] == round(
        whole.predictors["verdict"].auc.value or 0, 4
    )


def test_on_development_no_language_is_scored_by_what_it_taught() -> None:
    found = _cells("development")
    assert census_scores(found, found, samples=10)
    with pytest.raises(InputError, match="stand among those that are fitted"):
        census_scores(found[:100], found, samples=10)
    with pytest.raises(InputError, match="no runs"):
        census_scores([], found)
