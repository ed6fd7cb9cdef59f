"""Tests of `answers.brief`."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from longreach.answers.ask import ask, heading
from longreach.answers.brief import brief, is_tried
from tests.helpers.asked_results import asked


def test_reasons_that_two_encodings_share_stand_once() -> None:
    nope, ape, reach = brief(ask("addition", minutes=0))[0].lines
    assert (nope.basis, nope.says) == ("", ape.says)
    assert ape.basis.startswith("argument, ")
    assert reach.says == "not known: decided only for bounded memory"


def test_where_nothing_is_longer_no_training_length_is_asked_for() -> None:
    found = ask("regex:abc", minutes=1)  # there is nothing to train on and test beyond
    assert not found.measurement.cells
    assert brief(found)[1].lines[0].says == "does not apply: no word has more than 3 letters"


def test_no_training_length_is_expected_where_all_fail() -> None:
    line = brief(ask("parity", minutes=0))[1].lines[0]
    assert line.says == "none expected: expected to fail at every training length"


def test_a_dot_without_an_alphabet_is_explained() -> None:
    assert "see --alphabet" in heading(ask("regex:.*b", minutes=0))[1]
    assert "see --alphabet" not in heading(ask("regex:.*b", "ab", minutes=0))[1]


def test_measured_lines_count_runs(tmp_path: Path) -> None:
    will_it, from_which, _ = brief(asked("aa", tmp_path, {"nope": 0, "ape": 3}))
    nope, ape, reach, odds = will_it.lines
    assert nope.measured == "measured: 0 of 3 runs work at 41–60 (right on 0.0 %, chance 0 %)"
    assert ape.measured == "measured: 3 of 3 runs work at 41–60 (right on 100.0 %, chance 0 %)"
    assert (reach.measured, odds.says[:9]) == ("", "not known")
    assert from_which.lines[0].says == "from 3 on, or less"


def test_what_the_odds_speak_against_is_not_advised() -> None:
    found = ask("regex:(a|b)*bb(a|b)*", minutes=0)
    will_it, _, what_helps = brief(found)
    assert "may well fail" in will_it.lines[-1].basis
    assert "learned positions (APE)" in [each.change for each in found.advice]
    assert "learned positions (APE)" not in [line.label for line in what_helps.lines]


def test_odds_that_repeat_a_no_are_left_to_why() -> None:
    found = ask("tomita-5", minutes=0)
    assert found.odds.rows
    assert not any("odds" in line.label for line in brief(found)[0].lines)


def test_more_steps_say_why(tmp_path: Path) -> None:
    found = asked("parity", tmp_path, {"nope": 0, "ape": 0}, learned=False)
    part = replace(found.measurement, share=0.25, seconds_for_all=400.0)
    lines = brief(replace(found, measurement=part))[2].lines
    assert ("more steps: --minutes 14", "there was time for 25 % of the usual steps") in [
        (line.label, line.basis) for line in lines
    ]


@pytest.mark.parametrize(("task", "tried"), [("parity", True), ("aa", False), ("sort", False)])
def test_another_form_of_the_task_can_be_tried(task: str, tried: bool) -> None:
    assert is_tried(ask(task, minutes=0)) is tried


@pytest.mark.parametrize(
    ("task", "encoding", "says"),
    [
        ("aa", "reach", "nothing is needed: expected to work with reach"),
        ("aa", "ape", "last matches (reach) instead of positions"),
        ("aa", "rope", "last matches (reach) instead of positions"),
        ("binary-majority", "reach", "no positions (NoPE)"),
        ("binary-majority", "ape", "nothing is needed: expected to work with APE"),
        ("copy-repeat", "coupled-local", "give related symbols the same position id (coupled)"),
    ],
)
def test_what_is_asked_about_is_not_advised(task: str, encoding: str, says: str) -> None:
    first = brief(ask(task, encodings=encoding, minutes=0))[2].lines[0]
    assert (first.label or first.says) == says


def test_nothing_is_needed_only_where_something_is_expected_to_work() -> None:
    says = [brief(ask(task, minutes=0))[2].lines[0].says for task in ("sort", "d-4")]
    assert says == [
        "nothing is needed: expected to work with NoPE and APE",
        "nothing is needed: expected to work with every encoding above",
    ]
