from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from longreach.answer import measurement
from longreach.answer.measurement import Measurement, measure
from longreach.answer.question import Question
from longreach.answer.question_to_members import first_members, length_rule, trained_to
from longreach.config.training import TrainConfig
from longreach.experiments import timed_training
from longreach.experiments.running import Nobody
from longreach.experiments.timed_training import SHARES
from longreach.forecast import forecast
from tests.helpers.asked_results import write_results
from tests.helpers.made_up_training import Rule, replace_training


class _Listener(Nobody):
    def __init__(self) -> None:
        self.said: list[str] = []

    def say(self, remark: str) -> None:
        self.said.append(remark)


@pytest.fixture
def training(monkeypatch: pytest.MonkeyPatch) -> Callable[..., list[list[TrainConfig]]]:
    """Replaces training: results appear as a rule says, and each step takes some seconds by the estimate."""

    def replace(works: Rule, seconds: float = 0.0, interrupt: bool = False) -> list[list[TrainConfig]]:
        return replace_training(monkeypatch, works, seconds, interrupt=interrupt)

    return replace


def _measure(task: str, runs: Path, *, listener: _Listener | None = None, **given: Any) -> Measurement:
    return measure(Question(task=task, **given), forecast(task), runs, progress=listener)


def test_no_minutes_no_measurement(tmp_path: Path) -> None:
    assert _measure("aa", tmp_path, minutes=0) == Measurement()
    assert list(tmp_path.iterdir()) == []


def test_shorter_lengths_where_it_works(tmp_path: Path, training: Any) -> None:
    asked = training(lambda member: member.encoding == "ape" and member.train_lengths.last >= 12)
    found = _measure("aa", tmp_path)
    assert [(cell.encoding, cell.tally.work, cell.tally.runs) for cell in found.cells] == [
        ("nope", 0, 3),
        ("ape", 3, 3),
    ]
    assert [(cell.train_to, cell.tally.work) for cell in found.lengths] == [(10, 0), (15, 2), (12, 2)]
    # The third seed would decide nothing.
    assert {(cell.tally.runs, cell.planned) for cell in found.lengths} == {(2, 2)}
    assert {cell.encoding for cell in found.lengths} == {"ape"}
    assert (found.share, found.is_whole, found.interrupted) == (1.0, True, False)
    assert [len(members) for members in asked] == [6, 2, 2, 2]


def test_longer_lengths_where_a_yes_fails(tmp_path: Path, training: Any) -> None:
    training(lambda member: member.train_lengths.last >= 35)
    found = _measure("aa", tmp_path)
    assert [(cell.train_to, cell.tally.work) for cell in found.lengths] == [
        (40, 2),
        (30, 0),
        (35, 2),
        (32, 0),
        (33, 0),
    ]


def test_no_other_length_where_theory_and_runs_say_no(tmp_path: Path, training: Any) -> None:
    asked = training(lambda member: False)
    found = _measure("parity", tmp_path)
    assert found.lengths == ()
    assert len(asked) == 1


def test_runs_that_contradict_a_no_are_followed(tmp_path: Path, training: Any) -> None:
    training(lambda member: member.encoding == "nope")
    found = _measure("parity", tmp_path)
    assert {cell.encoding for cell in found.lengths} == {"nope"}


@pytest.mark.parametrize(("minutes", "seconds"), [(2.0, 10.0), (2.0, 30.0), (0.5, 10.0), (10.0, 10.0)])
def test_the_plan_fits_the_minutes(tmp_path: Path, training: Any, minutes: float, seconds: float) -> None:
    training(lambda member: True, seconds)
    found = _measure("aa", tmp_path, minutes=minutes)
    question = Question(task="aa", minutes=minutes)
    whole = [
        share
        for share in SHARES
        if sum(each.max_steps for each in first_members(question, share))
        * seconds
        / 2000
        * timed_training.MARGIN
        <= measurement.FIRST_PART * 60 * minutes
    ]
    assert found.share <= max(whole, default=SHARES[-1])
    assert (found.seconds_for_all is None) == (found.share == 1.0)


def test_the_same_question_keeps_its_plan(tmp_path: Path, training: Any) -> None:
    """Otherwise a machine that is busier the second time would train other members from the start."""
    training(lambda member: True, 20.0)
    first = _measure("aa", tmp_path)
    assert first.share < 1
    plan = json.loads((tmp_path / "ask-aa.plan.json").read_text())
    assert plan["share"] == first.share
    asked = training(lambda member: True, 500.0)
    assert _measure("aa", tmp_path).cells == first.cells
    assert asked == []


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b'{"question": 1, "share": 2}', b"\xff"])
def test_a_damaged_plan_is_made_anew(tmp_path: Path, training: Any, content: bytes) -> None:
    (tmp_path / "ask-aa.plan.json").write_bytes(content)
    training(lambda member: True)
    assert _measure("aa", tmp_path).share == 1.0
    assert json.loads((tmp_path / "ask-aa.plan.json").read_text())["share"] == 1.0


def test_an_interruption_ends_with_what_there_is(tmp_path: Path, training: Any) -> None:
    training(lambda member: True if member.seed == 0 else None, interrupt=True)
    found = _measure("aa", tmp_path)
    assert found.interrupted
    assert not found.is_whole
    assert [(cell.tally.runs, cell.planned) for cell in found.cells] == [(1, 3), (1, 3)]
    assert found.lengths == ()


def test_what_is_done_is_not_trained_again(tmp_path: Path, training: Any) -> None:
    question = Question(task="aa")
    first = first_members(question, 1.0)
    write_results(tmp_path, first, lambda member: member.encoding == "ape")
    own = [member for member in first if member.encoding == "ape"]
    known, rule = {20: True}, length_rule(own[0])
    while lengths := rule.next_lengths(known):
        known |= dict.fromkeys(lengths, True)
        write_results(tmp_path, [trained_to(own[seed], *lengths) for seed in (0, 1)], lambda member: True)
    asked = training(lambda member: False)
    found = _measure("aa", tmp_path)
    assert asked == []
    assert [(cell.train_to, cell.tally.work) for cell in found.lengths] == [(10, 2), (5, 2), (3, 2)]


def test_lengths_for_which_there_is_no_time_are_not_begun(tmp_path: Path, training: Any) -> None:
    slow = training(lambda member: member.encoding == "ape", seconds=10_000.0)
    found = _measure("sort", tmp_path)
    assert len(slow) == 1
    assert (found.lengths, found.more_lengths, found.is_whole) == ((), True, False)


def test_it_says_at_once_what_it_will_do(tmp_path: Path, training: Any) -> None:
    training(lambda member: True, 1.0)
    listener = _Listener()
    _measure("aa", tmp_path, listener=listener)
    assert listener.said[0].startswith("measuring 6 runs trained to 20, 1,000 steps each: about ")
    assert listener.said[0].endswith(", then other training lengths; Ctrl-C ends it with what there is")
    assert listener.said[1].startswith("measuring 2 runs trained to 10, 1,000 steps each: about ")
