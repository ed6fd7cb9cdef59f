"""Automata from examples. The oracle: every example, and what made them is found again."""

from __future__ import annotations

from itertools import count, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from longreach.languages.regular.named_languages import named_automaton
from longreach.synthesis.answers_to_automaton import NotLearned
from longreach.synthesis.examples_to_automaton import FittingAutomaton, fit_automaton


def _words(longest: int) -> list[tuple[str, ...]]:
    return [word for size in range(longest + 1) for word in product("ab", repeat=size)]


@given(
    st.dictionaries(
        st.lists(st.sampled_from("ab"), max_size=6).map(tuple),
        st.sampled_from("xyz"),
        min_size=1,
        max_size=25,
    )
)
@settings(max_examples=60, deadline=None)
def test_any_examples_are_agreed_with(examples: dict[tuple[str, ...], str]) -> None:
    found = fit_automaton(examples, "ab", states=200)
    assert isinstance(found, FittingAutomaton)
    assert all(found.machine.class_of(word) == label for word, label in examples.items())


@pytest.mark.parametrize("name", ["tomita-3", "tomita-4", "tomita-5", "tomita-6", "tomita-7"])
def test_a_language_is_found_again_from_all_short_words(name: str) -> None:
    automaton = named_automaton(name)
    words = [tuple("01"["ab".index(letter)] for letter in word) for word in _words(8)]
    found = fit_automaton({w: "yes" if automaton.accepts(w) else "no" for w in words}, automaton.alphabet)
    assert isinstance(found, FittingAutomaton)
    assert found.machine.language("yes") == automaton
    assert found.used < found.examples


def test_long_random_examples_are_enough() -> None:
    rng = np.random.default_rng(0)
    words = [tuple("ab"[k] for k in rng.integers(0, 2, rng.integers(1, 31))) for _ in range(2000)]
    found = fit_automaton({word: str(word.count("a") % 3) for word in words}, "ab")
    assert isinstance(found, FittingAutomaton)
    assert len(found.machine) == 3


def test_limits() -> None:
    majority = {word: str(2 * word.count("a") >= len(word)) for word in _words(9)}
    assert fit_automaton(majority, "ab", states=3) == NotLearned(
        "no automaton with at most 3 states was found that agrees with the examples"
    )
    ticks = count()
    late = fit_automaton(majority, "ab", seconds=1, clock=lambda: 2.0 * next(ticks))
    assert late == NotLearned("the budget of 1 s is spent")
