"""When a cell works, and which runs belong to it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from longreach.errors import InputError
from longreach.studies.census.census_cell import Cell, cells
from longreach.studies.census.census_run import RATIOS, CensusRun
from tests.helpers.census_samples import census_languages, synthetic_runs


def _cell(*shares: float) -> Cell:
    facts = next(each for each in census_languages().values() if each.chance(10, 2) > 0.1)
    first = next(run for run in synthetic_runs("development") if not run.failed)
    runs = [
        replace(
            first, run=f"r{n}", seed=n, language=facts.key, trained_to=10, accuracy=(1.0, share, 0.0, 0.0)
        )
        for n, share in enumerate(shares)
    ]
    return next(cell for cell in cells(runs, census_languages()) if cell.ratio == 2)


def test_a_run_works_half_way_from_chance_to_one() -> None:
    level = _cell(1.0).level
    assert level == (1 + _cell(1.0).chance) / 2
    assert _cell(level, level - 1e-9).works == (True, False)


def test_most_runs_decide_and_half_are_not_most() -> None:
    assert _cell(1.0, 0.0, 1.0).worked()
    assert not _cell(1.0, 0.0).worked()
    low = _cell(1.0).level + 0.01
    assert _cell(low, low, low).worked()
    assert not _cell(low, low, low).worked("0.9")
    assert _cell(1.0, 1.0, 0.0).worked("0.9")
    assert _cell(1.0, low - 0.02, low - 0.02).worked("mean")
    assert not _cell(1.0, 0.0, 0.0, 0.0).worked("mean")


def test_every_run_stands_in_one_cell_of_each_ratio() -> None:
    runs = synthetic_runs("development", lengths=(10,), failed=4)
    found = cells(runs, census_languages())
    done = [run for run in runs if not run.failed]
    for ratio in RATIOS:
        assert sum(len(cell.accuracies) for cell in found if cell.ratio == ratio) == len(done)
    # Three runs failed together and have no cell; the fourth is counted beside its fellows.
    assert sum(cell.failed for cell in found if cell.ratio == 2) == 1


def test_other_recipes_and_encodings_are_none_of_the_census() -> None:
    run: CensusRun = synthetic_runs("development")[0]
    assert not cells([replace(run, recipe="more steps"), replace(run, encoding="alibi")], census_languages())
    with pytest.raises(InputError, match="not in the table: 0000"):
        cells([replace(run, language="0000")], census_languages())
