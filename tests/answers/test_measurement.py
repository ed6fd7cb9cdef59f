"""Tests of `answers.measurement`."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longreach.answers import measurement
from longreach.answers.forecast import forecast
from longreach.answers.measurement import (
    first_members,
    length_rule,
    measure,
    trained_to,
)
from longreach.answers.question import Measurement, Question
from longreach.config.run import RunConfig
from longreach.errors import Field, InputError
from longreach.runs import timed as timed_training
from longreach.runs.resolve import resolve
from longreach.runs.timed import LEAST_STEPS, SHARES, largest_share
from longreach.runs.train import Nobody
from tests.helpers.asked_results import write_results
from tests.helpers.made_up_training import Rule, replace_training


class _Listener(Nobody):
    def __init__(self) -> None:
        self.said: list[str] = []

    def say(self, remark: str) -> None:
        self.said.append(remark)


@pytest.fixture
def training(monkeypatch: pytest.MonkeyPatch) -> Callable[..., list[list[RunConfig]]]:
    """Replaces training: results appear as a rule says, and each step takes some seconds by the estimate."""

    def replace(works: Rule, seconds: float = 0.0, interrupt: bool = False) -> list[list[RunConfig]]:
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
    assert listener.said[0].endswith(
        ", then other training lengths\npress Ctrl-C to stop early and use the results so far"
    )
    assert listener.said[1].startswith("measuring 2 runs trained to 10, 1,000 steps each: about ")


def test_the_first_runs_correct_the_estimate(tmp_path: Path, training: Any) -> None:
    training(lambda member: True, 0.1)  # and each run takes a second
    timed = timed_training.TimedTraining(tmp_path, 2.0)
    first = first_members(Question(task="aa"), 1.0)
    longer = [trained_to(first[1], 30)]
    before = timed.seconds(longer)
    timed.train(first, "of aa")
    assert timed.seconds(longer) == pytest.approx(before * 10 / timed_training.MARGIN)
    training(lambda member: True, 1000.0)  # runs that stopped early
    other = timed_training.TimedTraining(tmp_path / "other", 2.0)
    other.train(first, "of aa")
    assert other.pace == 1.0


def test_a_directory_that_cannot_be_written_to_is_named_first(
    tmp_path: Path, training: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked, listener = training(lambda member: True), _Listener()
    monkeypatch.setattr("longreach.runs.train.os.access", lambda *_: False)
    with pytest.raises(InputError, match=r"runs: .* cannot be written to"):
        _measure("aa", tmp_path, listener=listener)
    assert (asked, listener.said, list(tmp_path.iterdir())) == ([], [], [])


def test_what_does_not_fit_into_the_minutes_is_said(tmp_path: Path, training: Any) -> None:
    training(lambda member: True, 10_000.0)
    listener = _Listener()
    _measure("aa", tmp_path, listener=listener, minutes=1)
    assert "100 steps each: as many as fit into 60 seconds\n" in listener.said[0]


def test_files_of_different_tasks_have_different_names() -> None:
    asked = [
        Question(task="aa"),
        Question(task="regex:(aa)*"),
        Question(task="regex:(aa)*", alphabet=("a", "b")),
        Question(task="regex:aa*"),
        Question(task="regex:" + "(ab)*" * 50),
    ]
    stems = [question.file_stem for question in asked]
    assert len(set(stems)) == len(stems)
    assert all(len(stem) < 60 and stem.replace("-", "").isalnum() for stem in stems)
    assert asked[0].file_stem == "ask-aa"


def test_questions_are_the_same_by_what_they_ask() -> None:
    first, second = (
        Question(task=f"addition{each}") for each in ("+index-hints+reversed", "+reversed+index-hints")
    )
    assert first.document() == second.document() != Question(task=first.task, minutes=1).document()


TASKS = ("aa", "parity", "sort", "addition", "copy-repeat", "012-0-2", "regex:(a|b)*abb", "crasp:lib:dyck-1")


@pytest.mark.parametrize("task", TASKS)
def test_all_steps_are_the_members_of_the_laptop(task: str) -> None:
    """What `longreach train` has done is done here too."""
    members = first_members(Question(task=task, seeds=2), 1.0)
    wanted = [
        resolve(task, encoding, scale="laptop", seed=seed) for seed in (0, 1) for encoding in ("nope", "ape")
    ]
    assert [member.key for member in members] == [member.key for member in wanted]


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("share", SHARES[1:])
def test_fewer_steps_change_nothing_else(task: str, share: float) -> None:
    whole = first_members(Question(task=task, seeds=1), 1.0)
    for member, full in zip(first_members(Question(task=task, seeds=1), share), whole, strict=True):
        assert LEAST_STEPS <= member.max_steps < full.max_steps
        assert abs(member.max_steps - share * full.max_steps) <= max(50, LEAST_STEPS)
        changed = {"max_steps", "evaluate_every", "warmup"}
        first, second = member.document(), full.document()
        assert {name for name in first if first[name] != second[name]} <= changed


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("works", [True, False])
def test_other_lengths_are_tested_on_the_same_long_inputs(task: str, works: bool) -> None:
    for member in first_members(Question(task=task, seeds=1), 0.5):
        known = {member.train_lengths.last: works}
        rule = length_rule(member)
        while lengths := rule.next_lengths(known):
            (length,) = lengths
            known[length] = works
            other = trained_to(member, length)
            assert (length < member.train_lengths.last) == works
            assert other.train_lengths == (member.train_lengths.first, length)
            assert other.test_lengths == (member.test_lengths[-1],)
            assert length < other.test_lengths[0].first
            assert (other.max_steps, other.seed) == (member.max_steps, member.seed)


@given(st.floats(1, 100_000))
def test_the_share_is_the_largest_that_fits(seconds: float) -> None:
    question = Question(task="binary-majority", seeds=1)
    share = largest_share(
        lambda share: first_members(question, share),
        seconds,
        lambda members: sum(each.max_steps for each in members),
    )
    fitting = [
        each for each in SHARES if sum(one.max_steps for one in first_members(question, each)) <= seconds
    ]
    assert share == max(fitting, default=SHARES[-1])


def test_too_short_inputs_name_what_can_be_chosen() -> None:
    for question in (Question(task="regex:a|ab"), Question(task="sort", train_to=100)):
        with pytest.raises(InputError, match=r"no input has a length in \d+:\d+, the longest") as caught:
            first_members(question, 1.0)
        assert caught.value.place == Field("train_to")
