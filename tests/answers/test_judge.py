"""Tests of `answers.judge`."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longreach.answers.agreement import level
from longreach.answers.judge import MeasuredCell, judge_runs
from longreach.answers.measurement import first_members
from longreach.answers.question import Question
from longreach.runs.cells import ByAccuracy, Cell, Tally, sure_at
from longreach.runs.index import row_of
from longreach.tasks.catalog import load_task
from longreach.tasks.lengths import LengthRange
from longreach.theory.verdicts.verdict import Answer
from longreach.training.result import Final
from tests.helpers.asked_results import result_of
from tests.helpers.result_samples import sample, sample_failure


def test_runs_are_counted_one_by_one() -> None:
    members = first_members(Question(task="parity", encodings=("ape",)), 1.0)
    shares = [(1.0, 0.9, 0.75), (0.99, 0.9, 0.74)]
    found = [result_of(member, share) for member, share in zip(members, shares, strict=False)]
    results = {each.key: each for each in found}
    (cell,) = MeasuredCell.of(members, results, ByAccuracy(0.5))
    assert (cell.tally.runs, cell.tally.learned, cell.tally.work) == (2, 1, 1)
    assert cell.span(cell.tested) == (0.74, 0.75)
    assert cell.words == "1 of 2 runs works, 1 not finished"
    assert cell.keys == tuple(member.key for member in members[:2])
    document = cell.document()
    wanted = {"encoding": "ape", "train_to": 20, "tested": "41-60", "runs": 2, "work": 1, "learned": 1}
    assert document == {**document, **wanted}


def test_results_of_others_do_not_count() -> None:
    members = first_members(Question(task="parity", seeds=1), 1.0)
    stranger = result_of(members[0].with_seed(7), (1.0, 1.0, 1.0))
    cells = MeasuredCell.of(members, {stranger.key: stranger}, ByAccuracy(0.5))
    assert [cell.tally.runs for cell in cells] == [0, 0]
    assert [cell.words for cell in cells] == ["no run has finished"] * 2


def test_without_a_forecast_it_still_says_that_runs_did_not_fit() -> None:
    assert judge_runs(None, Tally(runs=3, learned=1, work=0)).reasons == (
        "2 runs did not fit the training range: train for more steps, or a larger model",
    )
    assert judge_runs(None, Tally(runs=3, learned=1, work=3)).reasons == ()


LAST = LengthRange(101, 150)


@st.composite
def tallies(draw: st.DrawFn) -> Tally:
    runs = draw(st.integers(0, 6))
    return Tally(runs=runs, learned=draw(st.integers(0, runs)), work=draw(st.integers(0, runs)))


@given(st.sampled_from(["parity", "majority", "aa", "binary-majority-interleave"]), st.floats(0, 1))
def test_one_definition_of_what_works(task: str, accuracy: float) -> None:
    assert ByAccuracy(load_task(task).chance).works(accuracy) is (accuracy >= level(task))


def test_runs_without_a_number_are_not_counted() -> None:
    def ending(share: float) -> Final:
        return Final(steps=1, reached=True, accuracy={"1-50": 1.0, LAST.name: share})

    results = [sample(0, final=ending(1.0)), sample(1, final=ending(0.7))]
    results += [sample_failure(7), sample(8, final=Final(steps=1, reached=True, accuracy={"1-50": 1.0}))]
    cell = Cell.of({"task": "parity"}, map(row_of, results))
    # The failed one, and the one that was not measured there, are not among the runs.
    assert cell.count(ByAccuracy(0.5), LAST) == Tally(runs=2, learned=2, work=1)
    assert cell.count(ByAccuracy(0.0), LAST).work == 2


def test_counts_in_words() -> None:
    said = {(1, 1): "1 of 1 run works", (1, 0): "0 of 1 run works", (3, 1): "1 of 3 runs works"}
    assert {(runs, work): Tally(runs=runs, learned=runs, work=work).words for runs, work in said} == said


@given(st.sampled_from([*Answer, None]), tallies())
def test_findings_against_the_rule_said_again(forecast: Answer | None, tally: Tally) -> None:
    found = judge_runs(forecast, tally)
    share = tally.work / tally.runs if tally.runs else 0.0
    if not tally.runs or forecast not in (Answer.YES, Answer.NO):
        expected = "cannot be judged"
    elif share < 0.5 and tally.learned / tally.runs < 0.5:
        expected = "not learned"
    else:
        expected = "agrees" if (share >= 0.5) == (forecast is Answer.YES) else "contradicts"
    assert found.state == expected
    assert tally.words in found.words
    if found.state in ("contradicts", "not learned"):
        assert found.reasons
    if found.state in ("agrees", "contradicts"):
        assert ("mixed" in found.words) == (0 < tally.work < tally.runs)


def test_what_a_person_reads() -> None:
    def said(forecast: Answer, runs: int, learned: int, work: int) -> str:
        return judge_runs(forecast, Tally(runs=runs, learned=learned, work=work)).words

    assert said(Answer.YES, 1, 1, 1) == (
        "the measured run agrees with the forecast: 1 of 1 run works, as expected"
    )
    assert said(Answer.NO, 3, 3, 3) == (
        "the measured runs contradict the forecast: 3 of 3 runs work, expected to fail"
    )
    assert said(Answer.YES, 3, 3, 1) == (
        "the measured runs are mixed: 1 of 3 runs works; fewer than half, which contradicts the forecast "
        "(expected to work)"
    )
    assert said(Answer.NO, 3, 0, 0) == (
        "not learned: 0 of 3 runs are right on the whole training range, and 0 of 3 runs work on longer "
        "inputs (expected to fail)"
    )


@given(st.lists(st.tuples(st.floats(0, 1), st.none() | st.floats(0, 1), st.booleans()), max_size=5))
def test_a_run_is_sure_where_it_works_and_its_worst_loop_does(
    shares: list[tuple[float, float | None, bool]],
) -> None:
    """Against the definition, run by run: a half is the chance of random words, 0.2 that of probing ones."""
    results = []
    for seed, (share, worst, fits) in enumerate(shares):
        other = (
            {} if worst is None else {f"worst loop {LAST.name}": worst, f"chance probing {LAST.name}": 0.2}
        )
        accuracy = {"1-50": 1.0 if fits else 0.9, LAST.name: share}
        final = Final(steps=1, reached=fits, accuracy=accuracy, other=other)
        results.append(sample(seed, config={"train_lengths": [1, 50]}, final=final))
    rows = [row_of(each) for each in results]
    sure = [fits and share >= 0.75 and worst >= 0.6 for share, worst, fits in shares if worst is not None]
    tally = Cell.of({"task": "parity", "train_lengths": [1, 50]}, rows).count(ByAccuracy(0.5), LAST)
    assert (tally.probed, tally.sure) == (len(sure), sum(sure))
    known = [sure_at(row)[LAST.name] for row in rows if sure_at(row)]
    assert known == sure


@pytest.mark.parametrize("answer", [Answer.YES, Answer.NO])
@pytest.mark.parametrize("ability", [False, True])
def test_runs_that_fail_on_a_loop_judge_no_forecast(answer: Answer, ability: bool) -> None:
    found = judge_runs(answer, Tally(runs=3, learned=3, work=2, probed=3, sure=1), ability=ability)
    assert found.state == "cannot be judged"
    assert "1 of 3 sure" in found.words
    failing = judge_runs(answer, Tally(runs=3, learned=3, work=1, probed=3), ability=ability)
    assert failing == judge_runs(answer, Tally(runs=3, learned=3, work=1), ability=ability)


def test_reasons_fit_what_happened() -> None:
    failing = judge_runs(Answer.YES, Tally(runs=3, learned=2, work=1)).reasons
    assert "1 run did not fit" in failing[0]
    assert "train on longer inputs" in failing[1]
    working = judge_runs(Answer.NO, Tally(runs=1, learned=1, work=1)).reasons
    assert "short window" in working[0]
    assert "one seed only" in working[1]
    assert judge_runs(Answer.YES, Tally(runs=3, learned=0, work=3)).reasons == ()
