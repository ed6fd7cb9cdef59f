from __future__ import annotations

from pathlib import Path

import pytest

from longreach.errors import InputError
from longreach.studies.census.census_members import language_table
from longreach.studies.inspection_score import STUDY, chosen_runs, forecast_odds, spread
from longreach.studies.standalone_study import StandaloneAsked
from tests.helpers.inspected_runs import small_member, write_run


def _asked(runs: Path) -> StandaloneAsked:
    nothing = [].append
    return StandaloneAsked(
        scale="smoke", seeds=None, runs=runs, held_out=False, train=False, tell=nothing, progress=nothing
    )


def test_held_out_languages_are_passed_over(tmp_path: Path) -> None:
    table = language_table().values()
    tasks = {
        part: next(each.task for each in table if each.part == part) for part in ("development", "held-out")
    }
    keys = {part: write_run(tmp_path, small_member(task)).name for part, task in tasks.items()}
    outside = write_run(tmp_path, small_member()).name
    usual = {each.key for each in chosen_runs(tmp_path, held_out=False)}
    assert usual == {keys["development"], outside}
    assert {each.key for each in chosen_runs(tmp_path, held_out=True)} == {keys["held-out"]}


def test_runs_that_cannot_be_looked_into(tmp_path: Path) -> None:
    path = write_run(tmp_path, small_member())
    (path / "model.safetensors").unlink()
    (write_run(tmp_path, small_member(seed=1)) / "result.json").write_text("{")
    with pytest.raises(InputError, match="no run with a model"):
        STUDY.run(_asked(tmp_path))
    with pytest.raises(InputError, match="no such directory"):
        STUDY.run(_asked(tmp_path / "none"))


def test_some_of_many_at_even_distances(tmp_path: Path) -> None:
    for seed in range(5):
        write_run(tmp_path, small_member(seed=seed))
    found = list(chosen_runs(tmp_path, held_out=False))
    assert [each.key for each in spread(found, 3)] == [found[place].key for place in (0, 2, 4)]
    assert spread(found, None) == found
    assert forecast_odds(found) == {}
