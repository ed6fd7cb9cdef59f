"""Tests of `answers.threshold`."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from longreach.answers.sweep import Doubling, Grid, start_of
from longreach.answers.threshold import (
    ThresholdAnswer,
    ThresholdQuestion,
    threshold,
)
from longreach.answers.threshold_figure import figure_content, plot_threshold
from longreach.config.run import RunConfig
from longreach.errors import InputError
from longreach.figures import FORMATS
from longreach.runs import timed as timed_training
from longreach.runs.resolve import resolve
from longreach.runs.train import Nobody
from longreach.tasks.lengths import LengthRange
from longreach.tasks.task import Task
from longreach.training.result import Result, write_result
from tests.helpers.asked_results import result_of
from tests.helpers.made_up_training import replace_training


def _from(length: int) -> Callable[[RunConfig], bool]:
    return lambda member: member.train_lengths.last >= length


def _lengths(asked: list[list[RunConfig]]) -> list[list[tuple[int, int]]]:
    return [[(member.train_lengths.last, member.seed) for member in members] for members in asked]


def test_it_doubles_then_bisects_with_as_many_seeds_as_decide(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = replace_training(monkeypatch, _from(8))
    found = threshold("aa", to=60, runs=tmp_path)
    assert found.threshold == 8
    assert _lengths(asked) == [[(n, 0), (n, 1)] for n in (5, 10, 20, 7, 8)]
    assert (found.words, found.remarks, found.stopped) == ("from 8 on", (), None)
    assert {cell.tested.name for cell in found.cells} == {"41-60"}


def test_a_third_seed_decides_where_two_differ(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = replace_training(monkeypatch, lambda member: member.seed != 1 and member.train_lengths.last >= 10)
    found = threshold("aa", most=20, within=5, runs=tmp_path)
    assert found.threshold == 10
    assert _lengths(asked) == [[(5, 0), (5, 1)], [(10, 0), (10, 1)], [(10, 2)], [(20, 0), (20, 1)], [(20, 2)]]
    assert [cell.tested.name for cell in found.cells] == ["11-15", "21-30", "41-60"]
    assert [(cell.tally.work, cell.tally.runs) for cell in found.cells] == [(0, 2), (2, 3), (2, 3)]


def test_every_seed_where_it_is_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = replace_training(monkeypatch, _from(1))
    found = threshold("aa", lengths=(5, 10), every_seed=True, seeds=2, runs=tmp_path)
    assert _lengths(asked) == [[(5, 0), (5, 1), (10, 0), (10, 1)]]
    assert [cell.tally.runs for cell in found.cells] == [2, 2]
    assert found.words == "from 5 on, or less"


outcomes = st.lists(st.lists(st.booleans(), min_size=3, max_size=3), min_size=21, max_size=21)


@given(outcomes, st.integers(1, 3))
@settings(max_examples=20, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_against_measuring_every_run(
    tmp_path_factory: pytest.TempPathFactory, work: list[list[bool]], seeds: int
) -> None:
    """What is said of the measured lengths is what all seeds of all lengths say of them."""
    runs = tmp_path_factory.mktemp("runs")
    with pytest.MonkeyPatch.context() as patched:
        asked = replace_training(patched, lambda member: work[member.train_lengths.last][member.seed])
        found = threshold("aa", to=30, seeds=seeds, runs=runs)
    every = {length: 2 * sum(work[length][:seeds]) >= seeds for length in range(3, 21)}
    measured = {cell.train_to: every[cell.train_to] for cell in found.cells}
    assert found.threshold == start_of(measured)
    trained = sum(map(len, asked))
    assert trained == sum(cell.tally.runs for cell in found.cells)
    assert trained <= seeds * 8  # lengths: 5, 10, 20, 3 at most, and 4 of a bisection
    start = found.threshold
    if start is not None:
        assert start == 3 or every[start - 1] is False
        lower = [length for length in measured if length < start and every[length]]
        assert list(found.document()["worked_below"]) == lower


def test_the_same_command_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Interrupted after every round: no run is trained twice, and the answer is the same."""
    trained: list[str] = []

    def rounds() -> ThresholdAnswer:
        asked = replace_training(monkeypatch, _from(8), interrupt=True)
        found = threshold("aa", to=60, runs=tmp_path)
        trained.extend(member.key for members in asked for member in members)
        return found

    answers = [rounds() for _ in range(6)]
    assert [each.stopped for each in answers] == [*["interrupted"] * 4, None, None]
    assert [each.threshold for each in answers] == [None, 10, 10, 10, 8, 8]
    assert len(trained) == len(set(trained)) == 10


def test_the_time_ends_it_with_what_there_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    replace_training(monkeypatch, lambda member: None if member.train_lengths.last > 5 else False)
    found = threshold("aa", runs=tmp_path)
    assert (found.threshold, found.stopped) == (None, "time")
    assert [cell.train_to for cell in found.cells] == [5]
    assert not found.document()["whole"]


def test_it_says_at_once_what_it_will_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[str] = []

    class Listener(Nobody):
        def say(self, remark: str) -> None:
            said.append(remark)

    replace_training(monkeypatch, _from(8), seconds=1.0)
    threshold("aa", to=60, runs=tmp_path, progress=Listener())
    assert said[0] == (
        "searching for the training length: doubling from 5, then bisecting, between 3 and 40, "
        "tested on lengths 41–60, within 10 minutes"
    )
    assert said[1].startswith("measuring 2 runs trained to 5, 1,000 steps each: about ")


def test_the_deadline_is_that_of_the_minutes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    replace_training(monkeypatch, _from(1))
    given: list[float | None] = []

    def train(*_: object, deadline: float | None, **__: object) -> dict[str, Result]:
        given.append(deadline)
        return {}

    monkeypatch.setattr(timed_training, "train_pending", train)
    before = time.monotonic()
    threshold("aa", minutes=7, runs=tmp_path)
    threshold("aa", minutes=None, runs=tmp_path)
    assert given[0] is not None
    assert before + 420 <= given[0] <= time.monotonic() + 420
    assert given[1:] == [None]


def test_without_minutes_what_is_there_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    replace_training(monkeypatch, _from(8))
    whole = threshold("aa", to=60, runs=tmp_path)
    asked = replace_training(monkeypatch, _from(8))
    again = threshold("aa", to=60, minutes=0, runs=tmp_path)
    assert asked == []
    assert {**again.document(), "seconds": 0} == {**whole.document(), "seconds": 0}


def test_what_is_not_learned_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = replace_training(monkeypatch, _from(99))

    def train(members: list[RunConfig], runs: Path, **_: object) -> dict[str, Result]:
        asked.append(list(members))
        for member in members:
            write_result(runs, result_of(member, [0.2, *[0.0] * len(member.test_lengths)]))
        return {}

    monkeypatch.setattr(timed_training, "train_pending", train)
    found = threshold("aa", runs=tmp_path)
    assert len(asked) == 1
    assert (found.stopped, found.document()["whole"]) == ("not learned", True)
    assert "more steps" in found.remarks[0]
    assert "does not work from any length up to 5 on" in repr(found)


def test_a_failed_run_ends_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    replace_training(monkeypatch, _from(1))

    def train(members: list[RunConfig], runs: Path, **_: object) -> dict[str, Result]:
        made = [result_of(member, [1.0] * len(member.ranges)) for member in members]
        return {each.key: each.model_copy(update={"status": "failed", "error": "no"}) for each in made}

    monkeypatch.setattr(timed_training, "train_pending", train)
    found = threshold("aa", runs=tmp_path)
    assert (found.stopped, len(found.failed), found.cells) == ("failed", 2, ())


def test_outcomes_that_are_not_monotone_are_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    replace_training(monkeypatch, lambda member: member.train_lengths.last in (5, 20, 40))
    found = threshold("aa", within=20, runs=tmp_path)
    assert found.threshold == 20
    assert found.remarks == ("not monotone: 5 works, 10 does not",)
    assert "not monotone" in repr(found)
    assert "not monotone" in found._repr_html_()


def test_a_task_of_ones_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    replace_training(monkeypatch, _from(6))
    last = Task.from_function(
        lambda length, rng: ["ab"[k] for k in rng.integers(0, 2, length)],
        lambda x: x[-1],
        name="last",
        about="the last letter",
    )
    found = threshold(last, "nope", most=12, runs=tmp_path)
    assert found.threshold == 6
    assert found.theory.bounds == ()
    assert found.title == "last without positions (NoPE)"


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"minutes": -1}, "minutes: -1 is less than 0"),
        ({"minutes": float("nan")}, "minutes: nan is no number of minutes"),
        ({"seed": 3}, "seed: the search chooses these itself"),
        ({"train_lengths": (1, 5)}, "train_lengths: the search chooses these itself"),
    ],
)
def test_bad_input(tmp_path: Path, given: dict[str, object], message: str) -> None:
    with pytest.raises(InputError) as error:
        threshold("aa", runs=tmp_path / "runs", **given)  # type: ignore[arg-type]
    assert str(error.value) == message
    assert not (tmp_path / "runs").exists()


def test_every_run_is_drawn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from matplotlib.figure import Figure

    replace_training(monkeypatch, lambda member: member.train_lengths.last >= 8)
    found = threshold("aa", to=60, runs=tmp_path)
    axes = plot_threshold(found, Figure().subplots())
    marks = [line for line in axes.lines if line.get_marker() in ("o", "X")]
    assert len(marks) == sum(cell.tally.runs for cell in found.cells) == 10
    text = figure_content(found, ".svg")
    assert text == figure_content(found, ".svg")
    assert b"works from 8 on" in text
    assert b"bound / measured = 0.25" in text
    assert {suffix: figure_content(found, suffix)[:4] for suffix in FORMATS[1:]} == {
        ".png": b"\x89PNG",
        ".pdf": b"%PDF",
    }
    with pytest.raises(InputError, match=r"out: threshold.txt: must end in .svg, .png or .pdf"):
        figure_content(found, ".txt")


def test_nothing_to_draw(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="nothing to plot"):
        plot_threshold(threshold("aa", minutes=0, runs=tmp_path))


@pytest.mark.parametrize("task", ["aa", "sort", "regex:(a|b)*abb", "addition", "crasp:lib:dyck-1"])
def test_at_three_times_the_members_are_those_of_train(task: str) -> None:
    question = ThresholdQuestion(task=task, encoding="nope")
    usual = resolve(task, "nope")
    assert question.member(usual.train_lengths.last, 0).key == usual.key


@pytest.mark.parametrize("length", [30, 31, 32, 60, 100])
def test_a_fixed_length_is_tested_in_its_upper_third(length: int) -> None:
    question = ThresholdQuestion(task="sort", to=length)
    tested = question.tested(1)
    lengths = [each for each in range(1, length + 1) if 3 * each > 2 * length]
    assert tested == (lengths[0], lengths[-1])
    rule = question.rule
    assert isinstance(rule, Doubling)
    assert rule.most == tested.first - 1
    for train_to in (rule.least, rule.most):
        member = question.member(train_to, 1)
        assert (member.train_lengths, member.test_lengths) == (LengthRange(1, train_to), (tested,))
    if length % 3 == 0:
        assert tested == ThresholdQuestion(task="sort").tested(length // 3)


def test_every_length_that_may_be_tried_has_inputs() -> None:
    question = ThresholdQuestion(task="regex:(aaaaaaa)*")
    rule, task = question.rule, question.loaded
    assert isinstance(rule, Doubling)
    for length in range(rule.least, rule.most + 1):
        for lengths in question.member(length, 0).ranges:
            assert task.has(np.arange(lengths.first, lengths.last + 1)).any()


def test_lengths_that_are_given_are_taken_once() -> None:
    rule = ThresholdQuestion(task="aa", lengths=(10, 5, 10)).rule
    assert rule == Grid(lengths=(10, 5))


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"seeds": 0}, "seeds: 0 is less than 1"),
        ({"within": 0}, "within: 0 is less than 1"),
        ({"most": -2}, "most: -2 is less than 1"),
        ({"to": 0}, "to: 0 is less than 1"),
        ({"to": 10**9}, "to: 1000000000 is more than 20000"),
        ({"lengths": (5, 10**9)}, "lengths: not all are from 1 to 20000"),
        ({"lengths": ()}, "lengths: none is given"),
        ({"lengths": (0,)}, "lengths: not all are from 1 to 20000"),
        ({"to": 1}, "to: 1 is less than the shortest input, of length 2"),
        ({"to": 3}, "to: no input has a length from 3 to 3"),
        ({"to": 4}, "to: 4 leaves no training length between the shortest input, of length 2, "),
        ({"most": 2}, "most: no length from 3 to 2 has inputs 2 to 3 times as long"),
        ({"to": 60, "lengths": (5, 50)}, "lengths: 50 is not possible: lengths from 3 to 40 are"),
        ({"lengths": (1,)}, "lengths: 1 is not possible"),
        ({"encoding": "ropes"}, "encoding: unknown encoding 'ropes'"),
        ({"settings": {"width": 7}}, "width: 7 is not a multiple of 4 heads"),
        ({"task": "regex:a|bb"}, "task: no length from 2 to 40 has inputs 2 to 3 times as long"),
        ({"task": "aaa"}, "task: no task is named 'aaa'"),
    ],
)
def test_bad_input_threshold_question(given: dict[str, object], message: str) -> None:
    with pytest.raises(InputError) as error:
        ThresholdQuestion(**{"task": "aa", **given})  # type: ignore[arg-type]
    assert str(error.value).startswith(message)
