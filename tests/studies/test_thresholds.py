""""""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from longreach.config.run import RunConfig
from longreach.errors import InputError
from longreach.runs.train import Nobody
from longreach.studies import thresholds as threshold_law
from longreach.studies.catalog import STUDIES
from longreach.studies.thresholds import SCALES, LawCells, law_languages
from longreach.training.setup import task_of
from tests.helpers.asked_results import write_results


@pytest.fixture
def replaced(monkeypatch: pytest.MonkeyPatch) -> list[list[RunConfig]]:
    """The first seed works from length 5 on, the others never."""
    asked: list[list[RunConfig]] = []

    def train(members: list[RunConfig], runs: Path, **_: object) -> dict[str, object]:
        asked.append(members)
        write_results(runs, members, lambda member: member.seed == 0 and member.train_lengths.last >= 5)
        return {}

    monkeypatch.setattr(threshold_law, "train_pending", train)
    return asked


@pytest.mark.slow
def test_languages_of_each_part_are_expected_to_work(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(threshold_law, "commit_of", lambda: "committed")
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

    monkeypatch.setattr(threshold_law, "commit_of", refuse)
    law_languages.cache_clear()
    with pytest.raises(InputError, match="not committed"):
        LawCells("held-out").members("smoke")


def test_members_are_all_seeds_of_all_lengths() -> None:
    cells = LawCells("development")
    members = cells.members("smoke")
    assert len(members) == 2 * 2 * 1
    assert {member.train_lengths.last for member in members} == {3, 5}
    assert {member.test_lengths[-1].name for member in members} == {"11-15"}
    assert len(cells.members("smoke", seeds=3)) == 3 * len(members)
    assert len({member.key for member in members}) == len(members)


def test_a_run_of_the_study(tmp_path: Path, replaced: list[list[RunConfig]]) -> None:
    found = LawCells("development").run("smoke", seeds=2, runs=tmp_path, progress=Nobody())
    # One seed of two is at least half: only where it fails the second is trained.
    assert [len(members) for members in replaced] == [4, 2]
    assert [row.answer.threshold for row in found.measured] == [5, 5]
    assert [row.bound for row in found.rows] == [2 * row.states - 2 for row in found.rows]
    document = found.document()
    assert [law["quantity"] for law in document["laws"]] == ["states", "window", "modulus"]
    assert document["languages"][0]["bound_by_measured"] == found.rows[0].bound / 5
    json.dumps(document)
    assert "| 5 |" in found.text()
    assert "3: 0 of 2 · 5: 1 of 1" in found.text()


def test_what_is_there_is_drawn_without_training(tmp_path: Path, replaced: list[list[RunConfig]]) -> None:
    cells = LawCells("development")
    none = cells.run("smoke", runs=tmp_path, train=False)
    assert (replaced, none.measured) == ([], ())
    assert "not measured" in none.text()
    assert none.content(".svg", "nothing").startswith(b"<?xml")
    cells.run("smoke", runs=tmp_path)
    found = cells.run("smoke", runs=tmp_path, train=False)
    assert len(found.measured) == 2
    first = found.content(".svg", "a title")
    assert first == found.content(".svg", "a title")
    assert b"bound" in first
    assert found.content(".md", "a title").decode() == found.text()


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
    monkeypatch.setattr(threshold_law, "train_pending", train)
    found = LawCells("development").run("smoke", runs=tmp_path)
    assert len(found.measured) == 6
    assert found.follows_bound is inside
    assert f"{'inside' if inside else 'outside'} the interval" in found.text()
    assert found.document()["bound"]["inside"] is inside
    if start == "bound":
        assert found.laws[0].slope.value == pytest.approx(found.bound_slope)
        assert {row.ratio for row in found.rows} == {1.0}


@pytest.mark.parametrize("scale", SCALES)
def test_settings_have_room_between_training_and_tests(scale: str) -> None:
    setting = SCALES[scale]  # type: ignore[index]
    assert 3 * max(setting.lengths) <= setting.to


def test_both_parts_are_studies() -> None:
    assert STUDIES["thresholds"].own == LawCells("development")
    assert STUDIES["thresholds-held-out"].own == LawCells("held-out")
