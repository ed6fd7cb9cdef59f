"""Tests of `studies.census.members`."""

from __future__ import annotations

import subprocess
from collections import Counter
from functools import partial
from pathlib import Path

import pytest

from longreach.config.run import RunConfig
from longreach.errors import InputError
from longreach.runs.index import Row
from longreach.studies.census.draw import STRATA, Part
from longreach.studies.census.members import (
    SETTINGS,
    Member,
    collect,
    commit_of,
    fingerprint,
    in_turn,
    members,
    recipe_members,
    recipe_scores,
    recipes,
    run_of,
    settings,
)
from longreach.studies.census.strata import group_of
from longreach.studies.census.tables import CensusRun, language_table, read_runs
from longreach.training.result import range_number
from tests.helpers.paths import ROOT

# Runs of the census from a table and from results.


def _row(config: RunConfig, *values: float, **other: float) -> Row:
    return Row(
        key=config.key, status="done" if values else "failed", error=None if values else "out of\nmemory",
        code="1.0", seconds=2.54,
        accuracy=dict(zip([each.name for each in config.ranges], values, strict=True)) if values else {},
        other=other,
    )  # fmt: skip


def _members() -> dict[Member, RunConfig]:
    found = members(settings(), parts=("development",), trained_to=(20,))
    return dict(list(found.items())[:4])


def test_accuracies_stand_in_the_order_of_the_ratios_and_failures_are_kept() -> None:
    wanted = _members()
    (_, first), (_, second), (member, third), _ = wanted.items()
    rows = [_row(first, 1.0, 0.75, 0.5, 0.25, 0.0), _row(second)]
    known = run_of(member, _row(third, 0.5, 0.5, 0.5, 0.5, 0.5), "old")
    found, missing = collect(wanted, rows, "now", [known])
    assert missing == 1
    done, failed, from_table = found
    assert (done.accuracy, done.seconds, done.settings) == ((1.0, 0.75, 0.5, 0.25, 0.0), 2.5, "now")
    assert (failed.accuracy, failed.error) == ((), "out of memory")
    assert from_table == known
    assert [each.run for each in found] == [each.key for each in (first, second, third)]


def test_a_failure_in_the_table_gives_way_to_a_later_success() -> None:
    member, config = next(iter(_members().items()))
    failed = run_of(member, _row(config), "now")
    assert collect({member: config}, [], "now", [failed]) == ((failed,), 0)
    (done,), _ = collect({member: config}, [_row(config, 1.0, 1.0, 1.0, 1.0, 1.0)], "now", [failed])
    assert not done.failed


def test_probing_words_stand_beside_random_ones_where_there_are_any() -> None:
    member, config = next(iter(_members().items()))
    probed = {range_number("probing", "41-60"): 0.75, range_number("worst loop", "41-60"): 0.5}
    run = run_of(member, _row(config, 1.0, 1.0, 1.0, 1.0, 1.0, **probed), "now")
    assert (run.probing, run.worst_loop) == ((None, None, 0.75, None, None), (None, None, 0.5, None, None))
    assert (run.probed_at(3), run.probed_at(10)) == ((0.75, 0.5), None)
    without = run_of(member, _row(config, 1.0, 1.0, 1.0, 1.0, 1.0), "now")
    assert (without.probing, without.probed_at(3)) == (None, None)


def test_the_runs_that_were_kept_before_have_the_keys_of_nearer_tests() -> None:
    kept = {run.run: run for run in read_runs(ROOT / "results" / "census" / "runs.jsonl")}
    drawn = partial(members, settings(), trained_to=(20,), encodings=("nope", "ape"), kinds=("drawn",))
    nearer = drawn(parts=("held-out",), far=False)
    assert all(len(kept[config.key].accuracy) == 4 for config in nearer.values())
    today = drawn(parts=("held-out",))
    assert not {config.key for config in today.values()} & {config.key for config in nearer.values()}
    # Where nothing is tested farther, they are the same runs.
    for far in (True, False):
        again = members(settings(), parts=("development",), trained_to=(50,), encodings=("ape",), far=far)
        assert all(config.key in kept for config in again.values())


def test_strata_and_layers_choose_runs() -> None:
    outside = members(
        settings(), parts=("held-out",), trained_to=(20,), encodings=("ape",), seeds=1,
        groups=["no/no, outside AC⁰"], layers=4, kinds=["drawn"],
    )  # fmt: skip
    assert len(outside) == 31
    assert {each.recipe for each in outside} == {"4 layers"}
    assert {config.layers for config in outside.values()} == {4}
    assert not any(language_table()[each.language].in_ac0 for each in outside)


# The members of the census: which languages, in which order, with which configuration.


def test_a_census_that_is_ended_early_has_a_bit_of_everything() -> None:
    found = list(members(settings(), parts=("held-out",), trained_to=(20,), seeds=3, kinds=["drawn"]))
    assert len(found) == len(set(found)) == 126 * 3 * 3
    first = [language_table()[each.language].stratum for each in found[: 3 * len(STRATA)]]
    assert Counter(first) == dict.fromkeys(STRATA, 3)
    assert [each.seed for each in found] == sorted(each.seed for each in found)


def test_parts_are_kept_apart_and_each_has_its_seeds() -> None:
    found = members(settings(), parts=("development", "held-out"), trained_to=(10, 20, 50), kinds=["drawn"])
    counts = Counter((language_table()[each.language].part, each.trained_to, each.seed) for each in found)
    for (part, trained_to, seed), count in counts.items():
        assert count == 3 * len(STRATA) * settings().count(trained_to, part)
        assert seed < settings().seeds[part]


def test_the_configuration_is_that_of_the_settings() -> None:
    chosen = members(settings(), parts=("development",), trained_to=(20,))
    for member, config in list(chosen.items())[:4]:
        assert config.task == language_table()[member.language].task
        assert [each.name for each in config.ranges] == ["1-20", "21-40", "41-60", "81-100", "181-200"]
        assert (config.encoding, config.seed) == (member.encoding, member.seed)
        given = {**settings().setting.given, "test_size": 200}
        assert {name: getattr(config, name) for name in given} == given


def test_what_people_type_is_a_census_of_its_own() -> None:
    counts: dict[Part, int] = {"development": 60, "held-out": 120}
    for part, count in counts.items():
        found = members(
            settings(), parts=(part,), trained_to=(10, 20), seeds=1, encodings=("ape",), kinds=["typed"]
        )
        assert len(found) == count
        assert {each.trained_to for each in found} == {20}
        first = [group_of(language_table()[each.language]) for each in list(found)[:9]]
        assert len(set(first)) >= 3


def test_a_smaller_census_is_the_beginning_of_a_larger_one() -> None:
    assert in_turn("held-out", 14)[:27] == in_turn("held-out", 3)


# The settings of the census: complete, committed before held-out languages are looked at.


def _git(folder: Path, *arguments: str) -> str:
    identity = ["-c", "user.name=a", "-c", "user.email=a@b"]
    command = ["git", "-C", str(folder), *identity, *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    _git(tmp_path, "init", "-q")
    (tmp_path / "settings.json").write_bytes(SETTINGS.read_bytes())
    return tmp_path


def test_the_setting_says_every_field_so_that_no_other_default_can_change_it() -> None:
    of_a_member = {"task", "alphabet", "encoding", "train_lengths", "test_lengths", "seed"}
    # Fields that came later stand in no document while they have their default, which never changes.
    asked = RunConfig.model_fields.keys() - of_a_member - set(RunConfig.later)
    assert settings().setting.given.keys() == asked


def test_settings_are_refused_from_a_change_to_its_commit(repository: Path) -> None:
    path = repository / "settings.json"
    with pytest.raises(InputError, match="not committed"):
        commit_of(path)
    _git(repository, "add", ".")
    _git(repository, "commit", "-qm", "first")
    first = commit_of(path)
    assert first == _git(repository, "rev-parse", "HEAD")
    before = fingerprint(path)
    path.write_text(path.read_text().replace("0.003", "0.002"))
    assert fingerprint(path) != before
    with pytest.raises(InputError, match="not committed"):
        commit_of(path)
    _git(repository, "add", ".")
    with pytest.raises(InputError, match="not committed"):
        commit_of(path)
    _git(repository, "commit", "-qm", "second")
    assert commit_of(path) != first
    (repository / "other").write_text("")
    _git(repository, "add", ".")
    _git(repository, "commit", "-qm", "third")
    assert commit_of(path) == _git(repository, "rev-parse", "HEAD~1")


def test_without_history_the_settings_are_those_of_the_release(tmp_path: Path) -> None:
    path = tmp_path / "settings.json"
    path.write_bytes(SETTINGS.read_bytes())
    assert "." in commit_of(path)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (('"layers"', '"layer"'), "setting"),
        (('"held-out": 3}', '"others": 3}'), "seeds"),
        (("{", "["), "JSON"),
    ],
)
def test_bad_settings_and_recipes_are_refused_in_one_line(
    tmp_path: Path, change: tuple[str, str], message: str
) -> None:
    path = tmp_path / "settings.json"
    path.write_text(SETTINGS.read_text().replace(*change, 1))
    with pytest.raises(InputError, match=message) as caught:
        settings(path)
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)
    for read in (settings, recipes):
        with pytest.raises(InputError, match="no such file"):
            read(tmp_path / "none.json")


# Recipes: what they change, and how they are compared.


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
    wanted = recipe_members(recipes())
    assert len({config.key for config in wanted.values()}) == len(wanted)
    first = next(iter(wanted.values()))
    for member, config in wanted.items():
        assert member.recipe is not None
        if config.task == first.task:
            changed = {
                field for field in config.model_fields_set if getattr(config, field) != getattr(first, field)
            }
            said = {
                field for field, value in recipes().recipes[member.recipe].given.items() if value != "ape"
            }
            assert changed == said, member


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
    found = {each.recipe: each for each in recipe_scores(runs, recipes())}
    assert list(found) == ["as is", "3000 steps", "log-length"]
    score = found["log-length"]
    assert (score.runs, score.compared, score.learned) == (3, 2, 3)
    assert score.gain == pytest.approx(0.3)
    assert score.interval == pytest.approx((0.2, 0.4))
    assert score.work == (3, 3, 3, 0)
    assert found["3000 steps"].runs == 1
    assert found["3000 steps"].gain is None


def test_every_recipe_has_been_tried_on_every_language() -> None:
    kept = ROOT / "results" / "census" / "recipes.jsonl"
    scores = recipe_scores(read_runs(kept), recipes())
    assert [each.recipe for each in scores] == [*recipes().recipes]
    assert {each.runs for each in scores} == {len(recipes().languages)}
