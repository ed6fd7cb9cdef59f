from __future__ import annotations

from pathlib import Path

import pytest

from longreach.advice.task_to_remedies import remedies
from longreach.advice.trial_members import AdviceQuestion, remedy_members
from longreach.answer import ask
from longreach.answer.question import Question
from longreach.answer.question_to_members import first_members, trained_to
from longreach.answer.what_helps import advice
from longreach.forecast import forecast
from tests.helpers.asked_results import asked, other_lengths, write_results


@pytest.mark.parametrize(
    ("task", "changes"),
    [
        ("regex:(aa)*", ["learned positions (APE) instead of none", "positions with a whole period of 2"]),
        ("regex:(a|b)*bb(a|b)*", ["learned positions (APE) instead of none", "positions that single out"]),
        ("binary-majority", []),
        ("parity", ["its steps written down before the answer (+scratchpad)"]),
        ("addition", ["the answer written from its end (+reversed)"]),
        ("boolean-expressions", ["its steps written down before the answer (+scratchpad)"]),
    ],
)
def test_the_encoding_under_which_it_is_a_yes(task: str, changes: list[str]) -> None:
    found = advice(forecast(task), (), None, {}, ("nope", "ape"))
    assert len(found) == len(changes)
    for each, change in zip(found, changes, strict=True):
        assert each.change.startswith(change)
        assert each.measured is None


def test_what_was_measured_stands_beside_it(tmp_path: Path) -> None:
    found = asked("aa", tmp_path, {"nope": 0, "ape": 2}).advice
    first = found[0]
    assert first.measured is not None
    assert "0 of 3 runs work" in first.measured
    assert "2 of 3 runs work" in first.measured
    assert not any(each.change.startswith("training to") for each in found)  # every length works
    assert any("several seeds" in each.change for each in found)


def test_runs_that_contradict_say_what_to_try(tmp_path: Path) -> None:
    found = asked("aa", tmp_path, {"nope": 0, "ape": 0}).advice
    assert any("train on longer inputs" in each.change for each in found)


def test_the_length_from_which_on_it_works(tmp_path: Path) -> None:
    first = first_members(Question(task="aa"), 1.0)
    write_results(tmp_path, first, lambda member: member.encoding == "ape")
    for member in first:
        others = [trained_to(member, length) for length in other_lengths(member)]
        write_results(tmp_path, others, lambda member: member.train_lengths.last >= 12)
    changes = [each.change for each in ask("aa", runs=tmp_path).advice]
    assert "training to 12 or more" in changes


def test_the_form_that_was_measured(tmp_path: Path) -> None:
    remedy = remedies(forecast("parity"))[0]
    members = remedy_members(AdviceQuestion(task="parity"), remedy, 1.0)
    (before,) = advice(forecast("parity"), (), None, {}, ("nope", "ape"), runs=tmp_path)
    assert before.measured is None
    assert before.basis.endswith("longreach advise parity tries it in 5 minutes")
    write_results(tmp_path, members, lambda member: True)
    (after,) = advice(forecast("parity"), (), None, {}, ("nope", "ape"), runs=tmp_path)
    assert after.measured is not None
    assert after.measured.startswith("measured: 2 of 2 runs work at ")
    assert after.change == before.change
