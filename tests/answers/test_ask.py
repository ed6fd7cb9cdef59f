"""Tests of `answers.ask`."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from longreach.answers.ask import (
    FROM_WHICH,
    WHAT_HELPS,
    WILL_IT,
    ThreeAnswers,
    ask,
    blocks,
    heading,
    judgement_words,
)
from longreach.answers.brief import brief
from longreach.answers.forecast import Forecast, forecast
from longreach.answers.judge import MeasuredCell
from longreach.answers.measurement import first_members, trained_to
from longreach.answers.question import Measurement, Question
from longreach.execution.jobs import Failure
from longreach.runs.cells import ByAccuracy
from longreach.runs.record import failed
from longreach.runs.train import job_of
from longreach.tasks.copying import Sort
from longreach.tasks.task import Task
from longreach.theory.program_class import ENCODING_SIDES
from longreach.theory.verdicts.verdict import Answer
from longreach.training.result import Result, range_number, read_result, write_result
from tests.helpers.asked_results import asked, other_lengths, result_of, write_results
from tests.helpers.odds_samples import MODEL

PAPERS = ("C-RASP", "idempotent", "monoid", "Corollary", "Theorem", "et al")


def test_three_questions_and_what_each_line_rests_on(tmp_path: Path) -> None:
    found = asked("aa", tmp_path, {"nope": 0, "ape": 3})
    will_it, from_which, what_helps = blocks(found)
    assert (will_it.question, from_which.question, what_helps.question) == (WILL_IT, FROM_WHICH, WHAT_HELPS)
    nope, ape, reach, odds = will_it.lines
    assert (reach.label, reach.says, reach.measured) == ("with last matches (reach)", "expected to work", "")
    assert (nope.label, nope.says) == ("without positions (NoPE)", "expected to fail")
    assert nope.basis.startswith("proved: ")
    measured = "measured: {} of 3 runs work at 41–60, trained to 20 (right on {}, chance 0 %)"
    assert nope.measured == measured.format(0, "0.0 %")
    assert ape.says == "expected to work"
    assert ape.measured == measured.format(3, "100.0 %")
    assert odds.says == "not known"
    assert from_which.lines[0].label == "measured (APE)"
    assert from_which.lines[0].says == "from 3 on, or less"
    assert from_which.lines[1].says == "2n − 2 = 2"
    assert judgement_words(found) == ("The measured runs agree with the forecast.",)


@pytest.mark.parametrize("task", ["aa", "parity", "addition", "sort", "regex:(a|b)*abb", "crasp:lib:dyck-1"])
def test_no_paper_is_needed(task: str) -> None:
    _, *lines = repr(ask(task, minutes=0)).splitlines()
    text = "\n".join(lines)
    assert not [word for word in PAPERS if word in text]
    assert "longreach ask" in text  # what was not measured says what would find out


def test_two_noes_expect_no_length(tmp_path: Path) -> None:
    found = asked("parity", tmp_path, {"nope": 0, "ape": 0})
    _, from_which, what_helps = blocks(found)
    assert from_which.lines[0].says == "none expected"
    assert what_helps.lines[0].label.startswith("write intermediate steps before the answer (+scratchpad)")
    first, study, last = what_helps.lines[0].basis.split("; ")
    assert first == "each step then depends on 2 nearby tokens"
    assert study.startswith("longreach study advice: right on ")
    assert last == "longreach ask parity --try trains it in 5 minutes"


def test_where_no_change_is_known_another_encoding_is_measured(tmp_path: Path) -> None:
    _, _, what_helps = blocks(ask("kgram-retrieval", minutes=0, runs=tmp_path))
    assert what_helps.lines[0].label == "not known"
    assert "--encoding rope" in what_helps.lines[0].basis


def test_two_yeses_need_nothing(tmp_path: Path) -> None:
    _, _, what_helps = blocks(asked("binary-majority", tmp_path, {"nope": 3, "ape": 3}))
    assert [line.label for line in what_helps.lines] == ["nothing is needed"]


def test_a_contradiction_is_said_by_encoding(tmp_path: Path) -> None:
    words = judgement_words(asked("aa", tmp_path, {"nope": 3, "ape": 3}))
    assert len(words) == 2
    assert "contradict" in words[0]


def test_text_of_the_task_is_no_markup() -> None:
    found = ask("regex:a<b>*", minutes=0)
    assert found._repr_html_().startswith("<p><b>a&lt;b&gt;*</b> ")
    assert heading(found)[0] == "a<b>*"


def test_other_encodings_say_what_is_known() -> None:
    lines = blocks(ask("aa", minutes=0, encodings=("rope", "t5")))[0].lines
    assert [line.says for line in lines[:2]] == ["not known", "not known"]
    assert "modulus 2" in lines[0].basis


def test_an_object_of_a_session_is_asked_again_in_python() -> None:
    found = ask(Sort(9), minutes=0)
    text = repr(found)
    assert text.startswith("sort   distinct numbers in increasing order")
    assert "longreach.ask(task) measures it" in text
    assert "longreach ask" not in text
    assert "longreach ask sort measures it" in repr(ask(Sort(), minutes=0))


def test_runs_that_work_need_nothing(tmp_path: Path) -> None:
    """Also where theory has no verdict."""
    path = tmp_path / "pairs.jsonl"
    lines = [{"input": "ab" * n, "output": "a"} for n in range(1, 31)]
    path.write_text("\n".join(json.dumps(line) for line in lines))
    question = Question(task=f"data:{path}")
    members, runs = first_members(question, 1.0), tmp_path / "runs"
    write_results(runs, members, lambda member: True)
    results = {member.key: read_result(runs, member.key) for member in members}
    found = ThreeAnswers(
        question=question,
        forecast=forecast(question.task),
        measurement=Measurement(cells=MeasuredCell.of(members, results, ByAccuracy(0.0))),
        seconds=1.0,
    )
    _, _, what_helps = blocks(found)
    assert [line.label for line in what_helps.lines] == ["nothing is needed"]


def _with_results(question: Question, results: list[Result], forecast: Forecast) -> ThreeAnswers:
    members = first_members(question, 1.0)
    known = {result.key: result for result in results}
    cells = MeasuredCell.of(members, known, ByAccuracy(0.5))
    return ThreeAnswers(
        question=question, forecast=forecast, measurement=Measurement(cells=cells), seconds=25.0
    )


def _draw(length: int, rng: np.random.Generator) -> list[str]:
    return ["ab"[k] for k in rng.integers(0, 2, length)]


def test_failed_runs_are_named_with_their_reason_and_a_new_answer_is_a_counterexample() -> None:
    task = Task.from_function(_draw, lambda x: "yes" if x[-1] == "a" else "no", name="ends")
    known = forecast(task)
    question = Question(task=known.stored)
    message = "ends: answer(a b) has 'maybe', which is not among the tokens"
    for error, judgement in (
        (f"longreach.tasks.task.NewAnswerError: {message}\nTraceback", "contradicts"),
        ("RuntimeError: out of memory", "agrees"),
    ):
        results = []
        for member in first_members(question, 1.0):
            if member.seed == 1:
                results.append(failed(job_of(member), Failure("exception", error)))
            else:
                right = float(known.expected(member.encoding) is Answer.YES)
                results.append(result_of(member, [1.0, right, right]))
        found = _with_results(question, results, known)
        will_it, from_which, _ = blocks(found)
        reason = message if judgement == "contradicts" else error
        for line in will_it.lines[:2]:
            assert "of 2 runs" in line.measured
            assert f"seed 1 failed: {reason}" in line.measured
        assert "not finished" not in repr(found)
        assert "out of time" not in from_which.lines[0].basis
        assert "because runs failed" in from_which.lines[0].basis
        assert found.judgement == judgement
        assert ("a run met a counterexample" in repr(found).lower()) is (judgement == "contradicts")
        document = found.document()["measured"][0]
        assert [(each["seed"], each["reason"]) for each in document["failed"]] == [(1, reason)]
        assert document["chance"] == {"1-20": 0.5, "21-40": 0.5, "41-60": 0.5}


def test_runs_that_do_not_fit_the_training_range_do_not_work() -> None:
    question, known = Question(task="parity"), forecast("parity")
    results = [result_of(each, [0.83, 0.95, 1.0]) for each in first_members(question, 1.0)]
    found = _with_results(question, results, known)
    line = blocks(found)[0].lines[0].measured
    said = "(right on 100.0 %, chance 50 %; 3 did not fit the training range, right on 83.0 %, chance 50 %)"
    assert line == f"measured: 0 of 3 runs work at 41–60, trained to 20 {said}"
    assert "several seeds" not in repr(found)
    assert found.document()["measured"][0]["unfit"] == 3


def test_runs_that_fail_on_uniform_inputs_confirm_nothing() -> None:
    question, known = Question(task="binary-majority"), forecast("binary-majority")
    for share, judgement in ((0.5, "cannot be judged"), (1.0, "agrees")):
        results = []
        for member in first_members(question, 1.0):
            result = result_of(member, [1.0, 1.0, 1.0])
            assert result.final is not None
            other = {
                range_number("uniform", "41-60"): share,
                range_number("chance", range_number("uniform", "41-60")): 0.5,
            }
            final = result.final.model_copy(update={"other": other})
            results.append(result.model_copy(update={"final": final}))
        found = _with_results(question, results, known)
        assert found.judgement == judgement
        shown = "on inputs drawn uniformly 50.0 %" in blocks(found)[0].lines[0].measured
        assert shown is (share < 1)


def test_odds_of_the_encodings_that_were_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("longreach.answers.odds.fitted_odds", lambda: MODEL)
    line = blocks(ask("regex:(a|b)*bb(a|b)*", minutes=0))[0].lines[-1]
    assert line.label == "odds for one run trained to 20"
    assert line.says.startswith("NoPE ")
    assert " · APE " in line.says
    fitted = "from 300 runs on 63 languages"
    assert line.basis == f"that it works at 41–60; {fitted}"
    alone = blocks(ask("regex:(a|b)*bb(a|b)*", minutes=0, encodings=["ape"], train_to=30))[0].lines[-1]
    assert alone.label == "odds for one run trained to 30"
    assert alone.says.startswith("APE ")
    assert alone.basis == f"that it works at 61–90; {fitted}"


def test_odds_and_verdict_are_one_sentence_with_one_number() -> None:
    line = blocks(ask("regex:(a|b)*bb(a|b)*", minutes=0))[0].lines[-1]
    assert line.says.count("APE") == 1
    assert line.basis.endswith("APE works in theory, but a run trained only to 20 may well fail")
    assert "alike" not in line.basis


def test_commands_ask_the_same_again() -> None:
    found = ask("regex:(ab)*", ["a", "b", "c"], minutes=0, encodings=["rope"], train_to=30)
    assert "longreach ask 'regex:(ab)*' --encoding rope --train-to 30 --alphabet abc measures" in repr(found)
    changed = ask("regex:(ab)*+scratchpad", minutes=0)
    assert "longreach ask 'regex:(ab)*::scratchpad' measures" in repr(changed)


@pytest.mark.parametrize(
    ("task", "encoding", "reason"),
    [
        ("parity", "ape", "odds are calibrated on next-token prediction in regular languages only"),
        ("aa", "ape", "the census covers 2–3 letters, not 1"),
        ("regex:(a|b)*bb(a|b)*", "rope", "the census covers other encodings"),
    ],
)
def test_where_there_are_no_odds_it_is_said_why(
    task: str, encoding: str, reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("longreach.answers.odds.fitted_odds", lambda: MODEL)
    line = blocks(ask(task, minutes=0, encodings=[encoding]))[0].lines[-1]
    assert (line.label, line.says, line.basis) == ("odds for one run", "not known", reason)


@pytest.mark.parametrize(
    ("task", "works", "judgement"),
    [
        ("aa", {"nope": 0, "ape": 3}, "agrees"),
        ("aa", {"nope": 0, "ape": 2}, "agrees"),
        ("aa", {"nope": 0, "ape": 1}, "contradicts"),
        ("aa", {"nope": 3, "ape": 3}, "contradicts"),
        ("parity", {"nope": 0, "ape": 0}, "agrees"),
        ("binary-majority", {"nope": 3, "ape": 3}, "agrees"),
    ],
)
def test_the_judgement(tmp_path: Path, task: str, works: dict[str, int], judgement: str) -> None:
    found = asked(task, tmp_path, works)
    assert found.judgement == judgement
    document = found.document()
    assert document["judgement"] == judgement
    assert {each["encoding"]: each["work"] for each in document["measured"][:2]} == works
    assert set(document) >= {
        "task", "forecast", "measured", "threshold", "odds", "advice", "judgement",
    }  # fmt: skip


def test_runs_that_learned_nothing_judge_nothing(tmp_path: Path) -> None:
    found = asked("parity", tmp_path, {"nope": 0, "ape": 0}, learned=False)
    assert found.judgement == "cannot be judged"
    assert {finding.state for finding in found.findings.values()} == {"not learned"}


def test_a_no_that_was_not_learned_counts_where_the_steps_were_enough(tmp_path: Path) -> None:
    for member in first_members(Question(task="aa"), 1.0):
        right = member.encoding == "ape"
        write_result(tmp_path, result_of(member, [1.0 if right else 0.5, *[float(right)] * 2]))
        for length in other_lengths(member):
            write_result(tmp_path, result_of(trained_to(member, length), [1.0, 1.0]))
    found = ask("aa", runs=tmp_path, encodings=("nope", "ape"))
    assert found.findings["nope"].state == "agrees"
    assert "the same steps were enough" in found.findings["nope"].words


def test_the_forecast_alone() -> None:
    document = ask("regex:(aa)*", minutes=0).document()
    assert document["task"] == "regex:(aa)*"
    assert (document["measured"], document["threshold"], document["odds"]) == ([], None, None)
    assert document["forecast"]["nope"]["verdict"] == "no"
    assert document["forecast"]["ape"]["modulus"] == 2
    assert [set(each) for each in document["advice"]] == [{"change", "basis", "measured"}] * 3


def test_reach_is_measured_where_it_may_help_and_advised_where_it_works(tmp_path: Path) -> None:
    """To ten times the training length; what works in the runs at hand comes first."""
    first = first_members(Question(task="aa", encodings=ENCODING_SIDES), 1.0)
    assert {member.encoding: member.test_lengths[-1].name for member in first} == {
        "nope": "41-60", "ape": "41-60", "reach": "181-200",
    }  # fmt: skip
    for working, change in (
        ("reach", "last matches (reach) instead of positions: works to 10 times the training length"),
        ("ape", "learned positions (APE)"),
    ):
        runs = tmp_path / working
        own = [member for member in first if member.encoding == working]
        shorter = [trained_to(member, length) for member in own for length in range(2, 20)]
        write_results(runs, [*first, *shorter], lambda member, working=working: member.encoding == working)
        found = ask("aa", runs=runs)
        assert found.question.encodings == ENCODING_SIDES
        assert found.advice[0].change == change
        assert found.advice[0].measured is not None
        assert "with last matches (reach): " in found.advice[0].measured
    assert found.findings["reach"].state == "contradicts"


def test_the_threshold_is_of_the_encoding_that_works(tmp_path: Path) -> None:
    threshold = asked("aa", tmp_path, {"nope": 0, "ape": 3}).document()["threshold"]
    assert threshold["encoding"] == "ape"
    assert (threshold["from"], threshold["or_less"], threshold["tested"]) == (3, True, "41-60")
    assert [each["train_to"] for each in threshold["lengths"]] == [3, 5, 10, 20]


def test_a_yes_that_works_from_a_longer_length_on_agrees(tmp_path: Path) -> None:
    """Theory speaks of training that is long enough."""
    for member in first_members(Question(task="aa"), 1.0):
        write_result(tmp_path, result_of(member, [1.0, 0.0, 0.0]))
        for length in other_lengths(member):
            write_result(tmp_path, result_of(trained_to(member, length), [1.0, float(length == 40)]))
    found = ask("aa", runs=tmp_path, encodings=("nope", "ape"))
    assert found.judgement == "agrees"
    assert found.findings["ape"].words == (
        "the measured runs agree with the forecast from training length 40 on: "
        "trained to 20 0 of 3 runs work, trained to 40 2 of 2 runs work"
    )
    assert found.threshold is not None
    assert found.threshold.start == 40


def test_more_minutes_are_advised_where_they_may_help(tmp_path: Path) -> None:
    found = asked("parity", tmp_path, {"nope": 0, "ape": 0}, learned=False)
    assert not any("--minutes" in each.change for each in found.advice)  # all steps were made
    part = replace(found.measurement, share=0.25, seconds_for_all=400.0)
    found = replace(found, measurement=part)
    (more,) = [each for each in found.advice if "--minutes" in each.change]
    assert (more.change, more.basis) == (
        "more steps: --minutes 14",
        "there was time for 25 % of the usual steps",
    )
    assert not any("train for more steps" in each.change for each in found.advice)


@pytest.mark.parametrize(
    ("task", "encoding", "said"),
    [
        ("aa", "reach(modulus=2)", "expected to work"),
        ("aa", "reach(modulus=3)", "not known"),
        ("parity", "reach(modulus=3)", "expected to fail"),
        ("parity", "reach(counting=1)", "not known"),
    ],
)
def test_options_of_an_encoding_have_their_own_row(task: str, encoding: str, said: str) -> None:
    """What theory says of some heads need not hold of others."""
    found = ask(task, encodings=encoding, minutes=0)
    for (line, *_), *_ in ((block.lines for block in told) for told in (blocks(found), brief(found))):
        assert line.says.partition(":")[0] == said
        assert (found.answer_of(encoding) is Answer.UNDECIDED) == (said == "not known")
