"""Which runs of a directory can be looked into."""

from __future__ import annotations

from pathlib import Path

from longreach.studies.census.census_members import language_table
from longreach.studies.inspectable_runs import chosen_runs, look_into, spread
from tests.helpers.inspected_runs import small_member, write_run


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


def test_some_of_many_at_even_distances(tmp_path: Path) -> None:
    for seed in range(5):
        write_run(tmp_path, small_member(seed=seed))
    found = list(chosen_runs(tmp_path, held_out=False))
    assert [each.key for each in spread(found, 3)] == [found[place].key for place in (0, 2, 4)]
    assert spread(found, None) == found


def test_a_language_of_the_census_trained_otherwise(tmp_path: Path) -> None:
    """There is no verdict for such positions, and no chance for such a length: only what the run has."""
    task = next(each.task for each in language_table().values() if each.part == "development")
    write_run(tmp_path, small_member(task, "rope"), (1.0, 1.0, 0.9))
    (chosen,) = chosen_runs(tmp_path, held_out=False)
    found = look_into(chosen)
    assert found.beside.keys() == {"accuracy at the training length"}
    assert (found.trained_to, found.reached, found.learned) == (6, 0.9, True)
