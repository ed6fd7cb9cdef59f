from __future__ import annotations

import json
from pathlib import Path

import pytest

from longreach.answer import ask
from longreach.answer.answers_to_words import (
    FROM_WHICH,
    WHAT_HELPS,
    WILL_IT,
    as_html,
    as_text,
    blocks,
    heading,
    judgement_words,
)
from longreach.answer.measurement import Measurement
from longreach.answer.question import Question
from longreach.answer.question_to_members import first_members
from longreach.answer.three_answers import ThreeAnswers
from longreach.comparison.criterion import ByAccuracy
from longreach.comparison.measured_cell import MeasuredCell
from longreach.forecast import forecast
from longreach.results.files import read_result
from longreach.tasks.sort import Sort
from tests.helpers.asked_results import asked, write_results
from tests.helpers.odds_samples import MODEL

PAPERS = ("C-RASP", "idempotent", "monoid", "Corollary", "Theorem", "et al")


def test_three_questions_and_what_each_line_rests_on(tmp_path: Path) -> None:
    found = asked("aa", tmp_path, {"nope": 0, "ape": 3})
    will_it, from_which, what_helps = blocks(found)
    assert (will_it.question, from_which.question, what_helps.question) == (WILL_IT, FROM_WHICH, WHAT_HELPS)
    nope, ape, odds = will_it.lines
    assert (nope.label, nope.says) == ("without positions (NoPE)", "expected to fail")
    assert nope.basis.startswith("proved: ")
    assert nope.measured == "measured: 0 of 3 runs work at 41–60, trained to 20"
    assert ape.says == "expected to work"
    assert ape.measured == "measured: 3 of 3 runs work at 41–60, trained to 20"
    assert odds.says == "not known"
    assert from_which.lines[0].label == "measured (APE)"
    assert from_which.lines[0].says == "from 3 on, or less"
    assert from_which.lines[1].says == "2n − 2 = 2"
    assert judgement_words(found) == ("The measured runs agree with the forecast.",)


@pytest.mark.parametrize("task", ["aa", "parity", "addition", "sort", "regex:(a|b)*abb", "crasp:lib:dyck-1"])
def test_no_paper_is_needed(task: str) -> None:
    _, *lines = as_text(ask(task, minutes=0)).splitlines()
    text = "\n".join(lines)
    assert not [word for word in PAPERS if word in text]
    assert "longreach ask" in text  # what was not measured says what would find out


def test_two_noes_expect_no_length(tmp_path: Path) -> None:
    found = asked("parity", tmp_path, {"nope": 0, "ape": 0})
    _, from_which, what_helps = blocks(found)
    assert from_which.lines[0].says == "none expected"
    assert what_helps.lines[0].label.startswith("its steps written down before the answer (+scratchpad)")
    first, study, last = what_helps.lines[0].basis.split("; ")
    assert first == "each step then depends on 2 tokens near by"
    assert study.startswith("longreach study advice: right on ")
    assert last == "longreach advise parity tries it in 5 minutes"


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
    assert as_html(found).startswith("<p><b>a&lt;b&gt;*</b> ")
    assert heading(found)[0] == "a<b>*"


def test_other_encodings_say_what_is_known() -> None:
    lines = blocks(ask("aa", minutes=0, encodings=("rope", "t5")))[0].lines
    assert [line.says for line in lines[:2]] == ["not known", "not known"]
    assert "modulus 2" in lines[0].basis


def test_an_object_of_a_session_is_asked_again_in_python() -> None:
    found = ask(Sort(9), minutes=0)
    text = as_text(found)
    assert text.startswith("sort   distinct numbers in increasing order")
    assert "longreach.ask(task) tries a few lengths" in text
    assert "longreach ask" not in text
    assert "longreach ask sort tries a few lengths" in as_text(ask(Sort(), minutes=0))


def test_runs_that_work_need_nothing(tmp_path: Path) -> None:
    """Also where theory has no verdict."""
    path = tmp_path / "pairs.jsonl"
    lines = [{"input": "ab" * n, "output": "a"} for n in range(1, 31)]
    path.write_text("\n".join(json.dumps(line) for line in lines))
    question = Question(task=f"data:{path}")
    members, runs = first_members(question, 1.0), tmp_path / "runs"
    write_results(runs, members, lambda member: True)
    results = [read_result(runs, member.key) for member in members]
    found = ThreeAnswers(
        question=question,
        forecast=forecast(question.task),
        measurement=Measurement(cells=MeasuredCell.of(members, results, ByAccuracy(0.0))),
        seconds=1.0,
    )
    _, _, what_helps = blocks(found)
    assert [line.label for line in what_helps.lines] == ["nothing is needed"]


def test_odds_of_the_encodings_that_were_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("longreach.forecast.odds_of_task.fitted_odds", lambda: MODEL)
    line = blocks(ask("regex:(a|b)*bb(a|b)*", minutes=0))[0].lines[-1]
    assert line.label == "odds for one run trained to 20"
    assert line.says.startswith("NoPE ")
    assert " · APE " in line.says
    fitted = "fitted on 300 runs of 63 languages; of the most alike"
    assert line.basis == f"at 41–60; {fitted} NoPE 45 of 90 and APE 45 of 90 work"
    alone = blocks(ask("regex:(a|b)*bb(a|b)*", minutes=0, encodings=["ape"], train_to=30))[0].lines[-1]
    assert alone.label == "odds for one run trained to 30"
    assert alone.says.startswith("APE ")
    assert alone.basis == f"at 61–90; {fitted} APE 45 of 90 work"


def test_commands_ask_the_same_again() -> None:
    found = ask("regex:(ab)*", ["a", "b", "c"], minutes=0, encodings=["rope"], train_to=30)
    assert "longreach ask 'regex:(ab)*' --encoding rope --train-to 30 --alphabet abc tries" in as_text(found)


@pytest.mark.parametrize(
    ("task", "encoding", "reason"),
    [
        ("parity", "ape", "the census asks only what may follow in words of a regular language"),
        ("aa", "ape", "letters: 1 here, 2 to 3 in the census"),
        ("regex:(a|b)*bb(a|b)*", "rope", "the census has other encodings"),
    ],
)
def test_where_there_are_no_odds_it_is_said_why(
    task: str, encoding: str, reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("longreach.forecast.odds_of_task.fitted_odds", lambda: MODEL)
    line = blocks(ask(task, minutes=0, encodings=[encoding]))[0].lines[-1]
    assert (line.label, line.says, line.basis) == ("odds for one run", "not known", reason)
