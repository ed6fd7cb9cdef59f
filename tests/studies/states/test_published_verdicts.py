"""The published labels and accuracies beside our verdicts."""

from __future__ import annotations

from itertools import product

from longreach.languages.regular.expression_to_automaton import from_expression
from longreach.studies.states.published_verdicts import LEVELS, agreements, judged_languages
from tests.helpers.language_oracles import plain_membership, predictable

FOUND = judged_languages()


def test_every_label_is_ours() -> None:
    counts = agreements(FOUND)
    assert counts["languages"] == 175
    assert counts["labels"] == {"c_rasp": 175, "r_trivial": 175}


def test_published_runs_that_do_as_forecast() -> None:
    assert {level: found["nope_after_letter"] for level, found in agreements(FOUND)["levels"].items()} == {
        "0.5": 170, "0.9": 170, "0.99": 169,
    }  # fmt: skip
    apart = {level: [each for each in FOUND if not each.agrees(level)] for level in LEVELS}
    assert {each.published.name for each in apart[0.99]} == {
        "1396", "1531", "ABplus_BBAA", "dyck2", "ab_bb_aabb", "362",
    }  # fmt: skip
    for level, each in product(LEVELS, FOUND):
        assert each.agrees(level) == ((each.published.last >= level) == each.published.c_rasp)


def test_verdicts_are_those_of_the_literal_criteria() -> None:
    for each in FOUND[::5]:
        automaton = from_expression(each.published.expression)
        if len(automaton) <= 7:
            assert each.after_letter == plain_membership(automaton)[1]
            assert each.at_letter == predictable(automaton)


def test_the_easier_reading_would_not_explain_the_published_runs() -> None:
    differ = [each for each in FOUND if each.at_letter != each.after_letter]
    assert len(differ) == 30
    assert all(each.at_letter and each.published.last < 0.99 for each in differ)
    assert agreements(FOUND)["readings_differ"] == {"languages": 30, "fail": 30}


def test_depth() -> None:
    assert agreements(FOUND)["by_depth"] == {
        "0": {"languages": 44, "work": 43},
        "1": {"languages": 44, "work": 41},
        "2": {"languages": 2, "work": 0},
    }
    by_name = {each.published.name: each for each in FOUND}
    assert by_name["ABplus_BBAA"].reason == "counts must nest 2 deep, 6 states; below 0.99 from 101-150 on"
    assert by_name["927"].reason == (
        "tested to 2.5 times the training length 200 only, where it has fallen to 0.842; "
        "the letter itself would tell the state"
    )
