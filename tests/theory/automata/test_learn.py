"""Automata learned by asking and from examples, and the words they are tried on."""

from __future__ import annotations

from itertools import count, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from longreach.theory.automata.automaton import LabelledAutomaton, labelled, longest_word
from longreach.theory.automata.evidence import doubt
from longreach.theory.automata.learn import (
    FittingAutomaton,
    LearnedAutomaton,
    LearningLimits,
    NotLearned,
    fit_automaton,
    learn_automaton,
)
from longreach.theory.automata.named import NAMED_LANGUAGES, named_automaton
from longreach.theory.automata.regex import from_expression
from longreach.theory.automata.samples import class_words, long_words, near_words, short_words, state_words
from longreach.theory.budget import Budget

# Automata learned by asking. The oracle: random automata, which are to be found exactly.


FEW = LearningLimits(short=200, long=100, near=200, sparse=1000, length=40)
SMALL = LearningLimits(short=200, long=100, near=200, sparse=1000, states=12)


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
    limits = LearningLimits(short=1, long=0, near=0, sparse=0, beyond=0, length=40, extra=2)
    found = learn_automaton(machine.class_of, machine.alphabet, limits)
    assert isinstance(found, LearnedAutomaton)
    assert found.machine == machine or len(machine) > found.exact_states


@pytest.mark.parametrize("name", sorted(NAMED_LANGUAGES))
def test_the_languages_of_the_benchmark_are_learned(name: str) -> None:
    automaton = named_automaton(name)
    limits = LearningLimits(short=4000, long=100, near=200, sparse=4000)
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
    assert few == NotLearned("no automaton was found after asking about 50 words")
    ticks = count()
    timed = LearningLimits(budget=Budget(seconds=20, clock=lambda: float(next(ticks))))
    assert learn_automaton(endless, "ab", timed) == NotLearned("the budget of 20 s is spent")


def test_no_word_is_longer_than_said() -> None:
    asked: list[int] = []

    def teacher(word: tuple[str, ...]) -> str:
        asked.append(len(word))
        return str(len(word) % 3)

    found = learn_automaton(teacher, "ab", LearningLimits(length=11, short=50, long=50, beyond=0))
    assert isinstance(found, LearnedAutomaton)
    assert max(asked) <= 11
    assert found.length == 11
    assert found.asked == len(asked)


# Automata from examples. The oracle: every example, and what made them is found again.


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
    late = fit_automaton(majority, "ab", budget=Budget(seconds=1, clock=lambda: 2.0 * next(ticks)))
    assert late == NotLearned("the budget of 1 s is spent")


# The words on which learned automata are tried.


@given(letters=st.integers(1, 4), most=st.integers(1, 300), longest=st.integers(0, 9))
def test_short_words_are_all_of_them(letters: int, most: int, longest: int) -> None:
    alphabet = "abcd"[:letters]
    length, words = short_words(alphabet, most, longest=longest)
    found = list(words)
    assert found == [word for size in range(length + 1) for word in product(alphabet, repeat=size)]
    assert len(found) <= most
    assert length <= longest
    assert length == longest or len(found) + letters ** (length + 1) > most


def test_state_words_join_state_middle_and_suffix() -> None:
    access, suffixes = [(), ("a",)], [(), ("b",)]
    found = set(state_words(access, "ab", suffixes, 1))
    middles = [middle for size in range(3) for middle in product("ab", repeat=size)]
    assert found == {(*s, *m, *e) for s in access for m in middles for e in suffixes}


@given(st.integers(1, 40), st.integers(0, 60), st.integers(0, 5))
def test_long_words_keep_to_letters_and_length(longest: int, count: int, start: int) -> None:
    words = list(long_words("abc", longest, count, np.random.default_rng(start)))
    assert len(words) == count
    assert all(1 <= len(word) <= longest and set(word) <= set("abc") for word in words)


def test_some_long_words_repeat_a_letter_many_times() -> None:
    words = list(long_words("ab", 60, 400, np.random.default_rng(0)))
    assert any("a" * 30 in "".join(word) for word in words)
    assert any("ab" * 12 in "".join(word) for word in words)


# Words that are rarely drawn, and what counts as having been seen.


def test_words_of_a_class_are_right_and_of_the_lengths_asked_for() -> None:
    machine = named_automaton("abab")
    labels = labelled(
        machine.alphabet, machine.transitions, 0, [str(s in machine.accepting) for s in range(len(machine))]
    )
    words = list(class_words(labels, "True", range(13), np.random.default_rng(0)))
    assert [len(word) for word in words] == [0, 4, 8, 12]
    assert all(machine.accepts(word) for word in words)
    others = list(class_words(labels, "False", range(13), np.random.default_rng(0)))
    assert [len(word) for word in others] == list(range(1, 13))
    assert not any(machine.accepts(word) for word in others)


@given(st.lists(st.text("abc", max_size=5).map(tuple), max_size=4), st.integers(1, 30))
@settings(max_examples=40, deadline=None)
def test_words_near_others_are_no_longer_than_said(words: list[tuple[str, ...]], longest: int) -> None:
    found = list(near_words(words, "abc", longest, 30, np.random.default_rng(0)))
    assert all(len(word) <= longest and {*word} <= {*"abc"} for word in found)
    assert bool(found) <= bool(words)


@given(machines())
@settings(max_examples=40, deadline=None)
def test_every_answer_is_counted_in_every_range(machine: LabelledAutomaton) -> None:
    """Of the machine itself enough is seen, unless an answer is constant, or finite and rare."""
    found = learn_automaton(machine.class_of, machine.alphabet, FEW)
    assert isinstance(found, LearnedAutomaton)
    assert sum(map(sum, found.seen.values())) == found.asked
    why = doubt(machine, found.seen, found.length)
    ends = [longest_word(machine.language(label)) for label in machine.classes]
    if len(ends) == 1:
        assert why == f"all {found.asked:,} words tried have the answer {machine.classes[0]}"
    elif ends == [None] * len(ends):
        assert why is None
    else:
        assert why is None or " only " in f" {why}"


def test_a_language_of_rare_words_is_found_or_doubted() -> None:
    for expression in ("((cca(a)*ccbbbbb)*)*", "(abcabcabcabc)*", "a|(ccccccccb)*"):
        automaton = from_expression(expression, "abc")
        found = learn_automaton(lambda w, a=automaton: "yes" if a.accepts(w) else "no", "abc")  # type: ignore[misc]
        assert isinstance(found, LearnedAutomaton)
        right = found.machine.language("yes") == automaton
        assert right or doubt(found.machine, found.seen, found.length) is not None


def test_answers_that_change_beyond_the_length_are_no_automaton() -> None:
    found = learn_automaton(lambda w: str("a" in w and len(w) < 150), "ab", FEW)
    assert isinstance(found, NotLearned)
    assert found.reason.startswith(
        "an automaton with 2 states gives the answers to length 40, but not to a word of 1"
    )
