"""The committed runs of all architectures: whole, and what the page says of them is what they say."""

from __future__ import annotations

import pytest

from longreach.config.run import RunConfig
from longreach.runs.index import Row, read_index
from longreach.studies.architectures import MODELS, STUDY, TASKS, by_model
from longreach.studies.cells import Outcome
from longreach.studies.study import StudyOptions, study_members
from tests.helpers.paths import ROOT
from tests.helpers.study_members import outcomes_of

RUNS = ROOT / "results" / "architectures"
PAGE = ROOT / "docs" / "studies" / "architectures.md"


@pytest.fixture(scope="module")
def rows() -> list[Row]:
    with read_index(RUNS) as index:
        return index.rows()


@pytest.fixture(scope="module")
def outcomes(rows: list[Row]) -> list[Outcome]:
    return outcomes_of(STUDY, rows, seeds=3)


def test_all_runs_of_the_first_seed_are_there_and_none_failed(rows: list[Row]) -> None:
    assert {row.status for row in rows} == {"done"}
    keys = {row.key for row in rows}
    assert keys >= {config.key for config in study_members(STUDY, StudyOptions(seeds=1))}
    assert keys <= {config.key for config in study_members(STUDY, StudyOptions(seeds=3))}
    assert len(keys) >= len(TASKS) * len(MODELS)
    for row in rows:
        assert RunConfig.read(row.config).key == row.key


def test_the_page_has_the_numbers_of_the_runs(outcomes: list[Outcome]) -> None:
    (table,) = by_model(outcomes).tables
    page = PAGE.read_text(encoding="utf-8")
    lines = [line for line in table.markdown().splitlines() if line.startswith("|")]
    assert len(lines) == len(MODELS) + 2
    for line in lines:
        assert line in page


def test_no_run_works_where_theory_says_no_unless_the_page_says_so(outcomes: list[Outcome]) -> None:
    page = PAGE.read_text(encoding="utf-8")
    for each in outcomes:
        if each.forecast == "no" and each.tallies[-1].work:
            assert f"`{each.place.task}`" in page, each.place
