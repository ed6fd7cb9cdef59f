"""Recipes: what they change, and how they are compared."""

from __future__ import annotations

from pathlib import Path

import pytest

from longreach.errors import InputError
from longreach.studies.census.census_members import language_table
from longreach.studies.census.census_run import CensusRun, read_runs
from longreach.studies.census.census_settings import settings
from longreach.studies.census.recipes import RECIPES, read_recipes, recipe_members, recipe_scores, recipes


def _run(recipe: str, language: str, at_three: float, *, error: str | None = None) -> CensusRun:
    accuracy = () if error else (1.0, 1.0, at_three, 0.0)
    return CensusRun(
        run=f"{recipe} {language}", language=language, encoding="ape", trained_to=20, seed=0,
        accuracy=accuracy, code="1", seconds=1.0, settings="x", error=error, recipe=recipe,
    )  # fmt: skip


def test_recipes_are_tried_on_development_languages_that_are_yes_with_positions() -> None:
    for key in recipes().languages:
        facts = language_table()[key]
        assert facts.part == "development"
        assert facts.verdict.endswith("/yes")


def test_each_recipe_changes_what_it_says_and_no_two_are_the_same_run() -> None:
    wanted = recipe_members(recipes(), language_table())
    assert len({config.key for config in wanted.values()}) == len(wanted)
    first = next(iter(wanted.values()))
    for (name, _), config in wanted.items():
        if config.task == first.task:
            changed = {
                field for field in config.model_fields_set if getattr(config, field) != getattr(first, field)
            }
            said = {field for field, value in recipes().recipes[name].given.items() if value != "ape"}
            assert changed == said, name


def test_the_setting_of_the_census_is_among_the_recipes() -> None:
    key = recipes().languages[0]
    config = recipes().config("batch 64, log-length", language_table()[key].task, 0)
    assert {name: getattr(config, name) for name in settings().setting.given} == settings().setting.given


def test_gains_are_over_the_same_languages_and_failed_runs_count_as_runs() -> None:
    first, second, third = recipes().languages[:3]
    runs = [
        _run("as is", first, 0.2),
        _run("as is", second, 0.4),
        _run("log-length", first, 0.6),
        _run("log-length", second, 0.6),
        _run("log-length", third, 1.0),
        _run("3000 steps", first, 0.0, error="killed"),
    ]
    found = {each.recipe: each for each in recipe_scores(runs, recipes(), language_table())}
    assert list(found) == ["as is", "3000 steps", "log-length"]
    score = found["log-length"]
    assert (score.runs, score.compared, score.learned) == (3, 2, 3)
    assert score.gain == pytest.approx(0.3)
    assert score.interval == pytest.approx((0.2, 0.4))
    assert score.work == (3, 3, 3, 0)
    assert found["3000 steps"].runs == 1
    assert found["3000 steps"].gain is None


def test_every_recipe_has_been_tried_on_every_language() -> None:
    kept = Path(__file__).parents[3] / "results" / "census" / "recipes.jsonl"
    scores = recipe_scores(read_runs(kept), recipes(), language_table())
    assert [each.recipe for each in scores] == [*recipes().recipes]
    assert {each.runs for each in scores} == {len(recipes().languages)}


def test_bad_recipes_are_refused() -> None:
    path = RECIPES.with_name("no-such-file.json")
    with pytest.raises(InputError, match="cannot be read"):
        read_recipes(path)
