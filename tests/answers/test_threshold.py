"""Tests of `answers.threshold`."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from longreach.answers.bounds import ratio_of
from longreach.answers.forecast import forecast
from longreach.answers.sweep import Doubling, Grid, start_of
from longreach.answers.threshold import (
    ThresholdAnswer,
    ThresholdQuestion,
    threshold,
)
from longreach.answers.threshold_figure import figure_content, plot_threshold
from longreach.answers.threshold_theory import (
    NO_BOUND,
    NOT_INFERRED,
    bound_words,
    family_for,
    inferred_length,
    inferred_words,
    length_theory,
)
from longreach.config.run import RunConfig
from longreach.errors import InputError
from longreach.figures import FORMATS
from longreach.runs import timed as timed_training
from longreach.runs.resolve import resolve
from longreach.runs.train import Nobody
from longreach.tasks.lengths import LengthRange
from longreach.tasks.task import Task
from longreach.theory.automata.named import named_automaton
from longreach.theory.search.space import Family
from longreach.training.result import Result, write_result
from tests.helpers.asked_results import result_of
from tests.helpers.made_up_training import Rule, replace_training


def _from(length: int) -> Rule:
    return lambda member: member.train_lengths.last >= length


def _lengths(asked: list[list[RunConfig]]) -> list[list[tuple[int, int]]]:
    return [[(member.train_lengths.last, member.seed) for member in members] for members in asked]


Search = Callable[..., tuple[ThresholdAnswer, list[list[RunConfig]]]]


@pytest.fixture
def search(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Search:
    """A threshold of (aa)* with made-up training, and what was trained for it."""

    def found(works: Rule, *, interrupt: bool = False, **given: Any) -> Any:
        asked = replace_training(monkeypatch, works, given.pop("seconds", 0.0), interrupt=interrupt)
        return threshold("aa", runs=tmp_path, **given), asked

    return found


def test_it_doubles_then_bisects_with_as_many_seeds_as_decide(search: Search) -> None:
    found, asked = search(_from(8), to=60)
    assert found.threshold == 8
    assert _lengths(asked) == [[(n, 0), (n, 1)] for n in (5, 10, 20, 40, 7, 8)]
    assert (found.words, found.remarks, found.stopped) == ("from 8 on", (), None)
    assert {cell.tested.name for cell in found.cells} == {"41-60"}


def test_a_third_seed_decides_where_two_differ(search: Search) -> None:
    found, asked = search(
        lambda member: member.seed != 1 and member.train_lengths.last >= 10, most=20, within=5
    )
    assert found.threshold == 10
    assert _lengths(asked) == [[(5, 0), (5, 1)], [(10, 0), (10, 1)], [(10, 2)], [(20, 0), (20, 1)], [(20, 2)]]
    assert [cell.tested.name for cell in found.cells] == ["11-15", "21-30", "41-60"]
    assert [(cell.tally.work, cell.tally.runs) for cell in found.cells] == [(0, 2), (2, 3), (2, 3)]


def test_every_seed_where_it_is_asked_for(search: Search) -> None:
    found, asked = search(_from(1), lengths=(5, 10), every_seed=True, seeds=2)
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


def test_the_same_command_resumes(search: Search) -> None:
    """Interrupted after every round: no run is trained twice, and the answer is the same."""
    rounds = [search(_from(8), interrupt=True, to=60) for _ in range(6)]
    trained = [member.key for _, asked in rounds for members in asked for member in members]
    assert [each.stopped for each, _ in rounds] == [*["interrupted"] * 5, None]
    assert [each.threshold for each, _ in rounds] == [None, 10, 10, 10, 10, 8]
    assert len(trained) == len(set(trained)) == 12


def test_without_minutes_what_is_there_counts(search: Search) -> None:
    whole, _ = search(_from(8), to=60)
    again, asked = search(_from(8), to=60, minutes=0)
    assert asked == []
    assert {**again.document(), "seconds": 0} == {**whole.document(), "seconds": 0}


def test_the_time_ends_it_with_what_there_is(search: Search) -> None:
    found, _ = search(lambda member: None if member.train_lengths.last > 5 else False)
    assert (found.threshold, found.stopped) == (None, "time")
    assert [cell.train_to for cell in found.cells] == [5]
    assert not found.document()["whole"]


def test_what_was_not_tried_is_said(search: Search) -> None:
    found, _ = search(lambda member: None if member.train_lengths.last > 5 else True)
    assert (found.threshold, found.stopped) == (5, "time")
    assert found.remarks[0] == "longer training lengths were not tried"


def test_it_says_at_once_what_it_will_do(search: Search) -> None:
    said: list[str] = []

    class Listener(Nobody):
        def say(self, remark: str) -> None:
            said.append(remark)

    search(_from(8), seconds=1.0, to=60, progress=Listener())
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


def test_runs_that_are_not_learned_or_fail_end_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = replace_training(monkeypatch, _from(99))

    def unlearned(members: list[RunConfig], runs: Path, **_: object) -> dict[str, Result]:
        asked.append(list(members))
        for member in members:
            write_result(runs, result_of(member, [0.2, *[0.0] * len(member.test_lengths)]))
        return {}

    def failing(members: list[RunConfig], runs: Path, **_: object) -> dict[str, Result]:
        made = [result_of(member, [1.0] * len(member.ranges)) for member in members]
        return {each.key: each.model_copy(update={"status": "failed", "error": "no"}) for each in made}

    monkeypatch.setattr(timed_training, "train_pending", unlearned)
    found = threshold("aa", runs=tmp_path / "unlearned")
    assert len(asked) == 1
    assert (found.stopped, found.document()["whole"]) == ("not learned", True)
    assert "more steps" in found.remarks[0]
    assert "does not work from any length up to 5 on" in repr(found)
    monkeypatch.setattr(timed_training, "train_pending", failing)
    found = threshold("aa", runs=tmp_path / "failing")
    assert (found.stopped, len(found.failed), found.cells) == ("failed", 2, ())


def test_outcomes_that_are_not_monotone_are_said(search: Search) -> None:
    found, _ = search(lambda member: member.train_lengths.last in (5, 20, 40), within=20)
    assert found.threshold == 20
    assert found.remarks == ("not monotone: 5 works, 10 does not",)
    assert "not monotone" in repr(found)
    assert "not monotone" in found._repr_html_()


def test_a_task_of_ones_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    replace_training(monkeypatch, _from(6))
    last = Task.from_function(
        lambda length, rng: ["ab"[k] for k in rng.integers(0, 2, length)], lambda x: x[-1], name="last"
    )
    found = threshold(last, "nope", most=12, runs=tmp_path)
    assert found.threshold == 6
    assert found.sentence == "works from 6 on: half right from 6, 95 % right from 6"
    assert found.theory.bounds == ()
    assert found.title == "last without positions (NoPE)"


def test_every_run_is_drawn(search: Search) -> None:
    from matplotlib.figure import Figure

    found, _ = search(_from(8), to=60)
    axes = plot_threshold(found, Figure().subplots())
    marks = [line for line in axes.lines if line.get_marker() in ("o", "X")]
    assert len(marks) == sum(cell.tally.runs for cell in found.cells) == 12
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


# The question


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


# What theory says of the training length


def test_large_alphabets_and_relations_are_not_tried() -> None:
    assert inferred_length(named_automaton("aa-bb-cc-dd-ee"), Family()) is None
    assert inferred_length(named_automaton("aa"), Family(modulus=8)) is None


def test_families_are_those_that_are_needed() -> None:
    assert family_for("nope", None, None) == Family()
    assert family_for("ape", 3, 1) == Family(modulus=3, distance=1)
    assert family_for("ape", None, None) == Family(modulus=2, distance=1)
    assert family_for("ape", 1, 30) is None
    assert family_for("rope", 1, 1) is None


def test_what_is_not_found_is_said() -> None:
    run = inferred_length(named_automaton("aa"), Family())
    assert run is not None
    assert inferred_words(run).endswith("a program for words up to 8 letters needs 8 operations or more")


@pytest.mark.parametrize(("task", "states"), [("tomita-3", 5), ("aa", 2), ("regex:(ab)*", 3)])
def test_the_bound_of_an_automaton(task: str, states: int) -> None:
    found = length_theory(forecast(task), "nope")
    (bound,) = (each for each in found.bounds if each.definition.name == "automaton")
    assert bound.value.number() == 2 * states - 2
    assert ratio_of(bound.value, 4) == (2 * states - 2) / 4
    assert ratio_of(bound.value, None) is None
    assert "bound / measured ≥" in bound_words(bound, 4, or_less=True)
    assert "measured" not in bound_words(bound, None)


def test_what_is_not_known_is_said() -> None:
    found = length_theory(forecast("copy-repeat"), "rope")
    assert found.answer is None
    assert found.words.startswith("not known")
    document = found.document(None)
    assert (document["verdict"], document["bounds"]) == (None, [])
    assert document["notes"] == [NO_BOUND, NOT_INFERRED]
    assert document["inference"] is None


@pytest.mark.parametrize("encoding", ["nope", "ape"])
@pytest.mark.parametrize("task", ["parity", "binary-majority", "binary-majority-interleave"])
def test_the_verdict_is_that_of_the_forecast(task: str, encoding: str) -> None:
    known = forecast(task)
    found = length_theory(known, encoding)
    assert found.answer is known.sides[encoding].trained
    assert found.words.startswith(known.sides[encoding].trained.expectation)


def test_the_inference_procedure_stands_beside_it() -> None:
    found = length_theory(forecast("aa"), "ape")
    assert found.inference is not None
    assert (found.inference.n0, found.inference.n0_trained_to) == (1, 1)
    assert found.document(8)["inference"]["n0"] == 1
    assert found.notes[-1].startswith("N₀ = 1 of the inference procedure")
    without = length_theory(forecast("aa"), "nope")
    assert without.notes[-1].startswith(
        "N₀ of the inference procedure is not known: a program for words up to 8"
    )
