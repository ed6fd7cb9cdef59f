"""One document of all, its tables and its figure."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

import pytest

from longreach.errors import InputError
from longreach.studies.census.analysis_tables import analysis_markdown, analysis_tables
from longreach.studies.census.census_analysis import CensusAnalysis, analyse
from longreach.studies.census.census_figure import census_content, draw_census
from longreach.studies.census.odds_fit import fit_odds
from tests.helpers.census_samples import census_languages, synthetic_runs


@cache
def _analysis() -> CensusAnalysis:
    development = synthetic_runs("development", lengths=(20,), seeds=1)
    model = fit_odds(development, census_languages(), setting="drawn", replicates=5)
    held_out = synthetic_runs("held-out", lengths=(20,), seeds=2, failed=1)
    return analyse("held-out", held_out, census_languages(), development=development, model=model, samples=20)


def test_the_document_is_json_and_reports_all_runs() -> None:
    document = json.loads(json.dumps(_analysis().document(), allow_nan=False))
    assert (document["part"], document["languages"], document["runs"], document["failed"]) == (
        "held-out",
        126,
        126 * 2 * 2,
        1,
    )
    assert document["odds"]["scores"][0]["languages"] == 126


def test_tables_are_whole_and_come_from_the_document_alone() -> None:
    document = json.loads(json.dumps(_analysis().document()))
    for table in analysis_tables(document):
        assert table.rows, table.title
        assert all(len(row) == len(table.columns) for row in table.rows)
    text = analysis_markdown(document)
    assert text.startswith("126 held-out languages, 504 runs, of which 1 failed")
    without = analysis_markdown({**document, "odds": None})
    assert len(without) < len(text)


def test_runs_of_another_part_are_refused() -> None:
    runs = synthetic_runs("held-out")
    with pytest.raises(InputError, match="is not of a development language"):
        analyse("development", runs, census_languages(), development=runs)


@pytest.mark.parametrize("suffix", [".svg", ".md"])
def test_the_figure_is_the_same_each_time(suffix: str, tmp_path: Path) -> None:
    first = census_content(_analysis(), suffix)
    draw_census(_analysis(), tmp_path / f"census{suffix}")
    assert (tmp_path / f"census{suffix}").read_bytes() == first
    with pytest.raises(InputError, match="must end in"):
        census_content(_analysis(), ".txt")
