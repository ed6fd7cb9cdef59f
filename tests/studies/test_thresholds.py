"""The law of thresholds: what is trained round by round, and what is said of it."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from longreach.config.run import RunConfig
from longreach.errors import InputError
from longreach.studies import study as runner
from longreach.studies import thresholds
from longreach.studies.study import StudyOptions, run_study, study_members
from longreach.studies.thresholds import (
    SCALES,
    THRESHOLDS,
    THRESHOLDS_HELD_OUT,
    law_languages,
    law_report,
    threshold_law,
)
from longreach.training.setup import task_of
from tests.helpers.asked_results import write_results

SMOKE = StudyOptions(scale="smoke")


@pytest.fixture
def replaced(monkeypatch: pytest.MonkeyPatch) -> list[list[RunConfig]]:
    """The first seed works from length 5 on, the others never."""
    asked: list[list[RunConfig]] = []

    def train(members: list[RunConfig], runs: Path, **_: object) -> dict[str, object]:
        asked.append(members)
        write_results(runs, members, lambda member: member.seed == 0 and member.train_lengths.last >= 5)
        return {}

    monkeypatch.setattr(runner, "train_pending", train)
    return asked


@pytest.mark.slow
def test_languages_of_each_part_are_expected_to_work(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(thresholds, "commit_of", lambda: "committed")
    own = law_languages("development", 1)
    assert {each.stratum.verdict for each in own} == {"yes/yes", "no/yes"}
    assert len(own) == len({each.stratum for each in own}) == 6
    other = law_languages("held-out", 1)
    assert {each.part for each in other} == {"held-out"}
    assert not {each.key for each in own} & {each.key for each in other}
    assert set(law_languages("development", 1, ("2-3",))) < set(own)


def test_held_out_languages_wait_for_the_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse() -> str:
        raise InputError("not committed")

    monkeypatch.setattr(thresholds, "commit_of", refuse)
    law_languages.cache_clear()
    with pytest.raises(InputError, match="not committed"):
        THRESHOLDS_HELD_OUT.members(SMOKE)


def test_members_are_all_seeds_of_all_lengths() -> None:
    members = study_members(THRESHOLDS, SMOKE)
    assert len(members) == 2 * 2 * 1
    assert {member.train_lengths.last for member in members} == {3, 5}
    assert {member.test_lengths[-1].name for member in members} == {"11-15"}
    assert len(study_members(THRESHOLDS, replace(SMOKE, seeds=3))) == 3 * len(members)


def test_a_run_of_the_study(tmp_path: Path, replaced: list[list[RunConfig]]) -> None:
    asked = replace(SMOKE, seeds=2, runs=tmp_path)
    none = threshold_law("development", asked)
    assert (replaced, none.measured) == ([], ())
    assert "not measured" in law_report(none).markdown()
    report = run_study(THRESHOLDS, asked).report
    # One seed of two is at least half: only where it fails the second is trained.
    assert [len(members) for members in replaced] == [4, 2]
    found = threshold_law("development", asked)
    assert [row.answer.threshold for row in found.measured] == [5, 5]
    assert [row.bound for row in found.rows] == [2 * row.states - 2 for row in found.rows]
    assert report is not None
    document = json.loads(json.dumps(report.document))
    assert [law["quantity"] for law in document["laws"]] == ["states", "window", "modulus"]
    assert document["languages"][0]["bound_by_measured"] == found.rows[0].bound / 5
    assert "| 5 |" in report.markdown()
    assert "3: 0 of 2 · 5: 1 of 1" in report.markdown()
    assert b"bound" in THRESHOLDS.content(report, "smoke", ".svg")


@pytest.mark.slow
@pytest.mark.parametrize(("start", "inside"), [("bound", True), ("same", False)])
def test_the_law_of_the_bound(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, start: str, inside: bool
) -> None:
    """Lengths that are the bound follow it; lengths that are the same for all languages do not."""

    def train(members: list[RunConfig], runs: Path, **_: object) -> dict[str, object]:
        for member in members:
            least = 2 * len(task_of(member).automaton) - 2 if start == "bound" else 5  # type: ignore[attr-defined]
            write_results(runs, [member], lambda each, least=least: each.train_lengths.last >= least)
        return {}

    setting = replace(SCALES["smoke"], sizes=("2-3", "4-5", "6-8"), lengths=tuple(range(4, 16)), to=60)
    monkeypatch.setitem(SCALES, "smoke", setting)
    monkeypatch.setattr(runner, "train_pending", train)
    asked = replace(SMOKE, runs=tmp_path)
    run_study(THRESHOLDS, asked)
    found = threshold_law("development", asked)
    assert len(found.measured) == 6
    assert found.follows_bound is inside
    assert f"{'inside' if inside else 'outside'} the interval" in law_report(found).markdown()
    assert found.document()["bound"]["inside"] is inside
    if start == "bound":
        assert found.laws[0].slope.value == pytest.approx(found.bound_slope)
        assert {row.ratio for row in found.rows} == {1.0}


@pytest.mark.parametrize("scale", SCALES)
def test_settings_have_room_between_training_and_tests(scale: str) -> None:
    setting = SCALES[scale]  # type: ignore[index]
    assert 3 * max(setting.lengths) <= setting.to
