"""Strata against the verdicts as the commands print them."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

from longreach.languages.budget import Budget
from longreach.languages.regular.automaton import Automaton
from longreach.languages.regular.expression_to_automaton import from_expression
from longreach.languages.regular.named_languages import named_automaton
from longreach.studies.census.strata import STRATA, size_class, stratum_of, verdict_pair
from longreach.verdicts.automaton_to_verdicts import judge
from tests.helpers.language_oracles import automata


@settings(max_examples=40)
@given(automata(states=6))
def test_a_stratum_is_what_is_forecast_for_training(automaton: Automaton) -> None:
    verdicts = judge(automaton)
    pair = f"{verdicts.nope.prediction.value}/{verdicts.ape.prediction.value}"
    found = stratum_of(automaton)
    assert verdict_pair(automaton) == (None if "undecided" in pair else pair)
    assert found in (*STRATA, None)
    if found is not None:
        first, last = map(int, found.size.split("-"))
        assert first <= len(automaton) <= last
        assert found.verdict == pair
    else:
        assert len(automaton) == 1 or "undecided" in pair


def test_there_are_nine() -> None:
    assert len(set(STRATA)) == 9
    assert [size_class(states) for states in range(1, 10)] == [
        None, "2-3", "2-3", "4-5", "4-5", "6-8", "6-8", "6-8", None,
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "pair"), [("d-4", "yes/yes"), ("tomita-4", "no/yes"), ("tomita-3", "no/no"), ("aa", "no/yes")]
)
def test_the_benchmark(name: str, pair: str) -> None:
    assert verdict_pair(named_automaton(name)) == pair


def test_what_is_undecided_has_no_stratum() -> None:
    spent = Budget(samples=0, monoid=1, window=2, window_states=50)
    language = from_expression("(a|ba*b)*")
    assert stratum_of(language) is not None
    assert stratum_of(language, spent) is None
