from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from longreach.answer import ask
from longreach.answer.question import Question
from longreach.answer.question_to_members import first_members, trained_to
from longreach.results.files import write_result
from tests.helpers.asked_results import asked, other_lengths, result_of


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
    found = ask("aa", runs=tmp_path)
    assert found.findings["nope"].state == "agrees"
    assert "the same steps were enough" in found.findings["nope"].words


def test_the_forecast_alone() -> None:
    document = ask("regex:(aa)*", minutes=0).document()
    assert document["task"] == "regex:(aa)*"
    assert (document["measured"], document["threshold"], document["odds"]) == ([], None, None)
    assert document["forecast"]["nope"]["verdict"] == "no"
    assert document["forecast"]["ape"]["modulus"] == 2
    assert [set(each) for each in document["advice"]] == [{"change", "basis", "measured"}] * 2


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
    found = ask("aa", runs=tmp_path)
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
        "the minutes were enough for 25% of the usual steps",
    )
    assert not any("train for more steps" in each.change for each in found.advice)
