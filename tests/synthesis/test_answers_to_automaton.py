"""Automata learned by asking. The oracle: random automata, which are to be found exactly."""

from __future__ import annotations

from itertools import count

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from longreach.languages.regular.labelled_automaton import LabelledAutomaton, labelled
from longreach.languages.regular.named_languages import NAMED_LANGUAGES, named_automaton
from longreach.synthesis.answers_to_automaton import (
    LearnedAutomaton,
    LearningLimits,
    NotLearned,
    learn_automaton,
)

FEW = LearningLimits(short=200, long=100, length=40)
SMALL = LearningLimits(short=200, long=100, states=12)


@st.composite
def machines(draw: st.DrawFn) -> LabelledAutomaton:
    states, letters = draw(st.integers(1, 7)), draw(st.integers(1, 3))
    rows = draw(
        st.lists(
            st.lists(st.integers(0, states - 1), min_size=letters, max_size=letters),
            min_size=states,
            max_size=states,
        )
    )
    outputs = draw(st.lists(st.sampled_from(["x", "y", "z"]), min_size=states, max_size=states))
    return labelled("abc"[:letters], rows, 0, outputs)


@given(machines())
@settings(max_examples=40, deadline=None)
def test_random_machines_are_learned_exactly(machine: LabelledAutomaton) -> None:
    found = learn_automaton(machine.class_of, machine.alphabet, FEW)
    assert isinstance(found, LearnedAutomaton)
    assert found.machine == machine


@given(machines())
@settings(max_examples=50, deadline=None)
def test_the_promise_of_exact_states_needs_no_long_words(machine: LabelledAutomaton) -> None:
    """With the words that the states call for alone, what has no more states than promised is right."""
    limits = LearningLimits(short=1, long=0, length=40, extra=2)
    found = learn_automaton(machine.class_of, machine.alphabet, limits)
    assert isinstance(found, LearnedAutomaton)
    assert found.machine == machine or len(machine) > found.exact_states


@pytest.mark.parametrize("name", sorted(NAMED_LANGUAGES))
def test_the_languages_of_the_benchmark_are_learned(name: str) -> None:
    automaton = named_automaton(name)
    limits = LearningLimits(short=4000, long=100)
    found = learn_automaton(lambda w: "yes" if automaton.accepts(w) else "no", automaton.alphabet, limits)
    assert isinstance(found, LearnedAutomaton)
    assert found.machine.language("yes") == automaton


def test_a_rare_word_is_found_where_it_is_shown() -> None:
    hidden = tuple("abcde" * 3)

    def teacher(word: tuple[str, ...]) -> str:
        return "yes" if word == hidden else "no"

    blind = learn_automaton(teacher, "abcde", FEW)
    shown = learn_automaton(teacher, "abcde", FEW, also=[hidden])
    assert isinstance(blind, LearnedAutomaton)
    assert isinstance(shown, LearnedAutomaton)
    assert len(blind.machine) == 1
    assert shown.machine.class_of(hidden) == "yes"
    assert len(shown.machine) == len(hidden) + 2


def test_what_is_not_regular_ends_at_the_states() -> None:
    found = learn_automaton(
        lambda w: str(w == tuple(sorted(w)) and w.count("a") == w.count("b")), "ab", SMALL
    )
    assert found == NotLearned("no automaton with at most 12 states gives the answers")


def test_words_and_seconds_are_limits() -> None:
    def endless(word: tuple[str, ...]) -> str:
        return str(2 * word.count("a") >= len(word))

    few = learn_automaton(endless, "ab", LearningLimits(asked=50))
    assert few == NotLearned("50 words were asked about without an end")
    ticks = count()
    timed = LearningLimits(seconds=20, clock=lambda: float(next(ticks)))
    assert learn_automaton(endless, "ab", timed) == NotLearned("the budget of 20 s is spent")


def test_no_word_is_longer_than_said() -> None:
    asked: list[int] = []

    def teacher(word: tuple[str, ...]) -> str:
        asked.append(len(word))
        return str(len(word) % 3)

    found = learn_automaton(teacher, "ab", LearningLimits(length=11, short=50, long=50))
    assert isinstance(found, LearnedAutomaton)
    assert max(asked) <= 11
    assert found.length == 11
    assert found.asked == len(asked)
