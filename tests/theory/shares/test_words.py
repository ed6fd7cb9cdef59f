"""Chance, entropy and the distribution of uniform words, against all words of a length."""

from __future__ import annotations

from collections import defaultdict
from itertools import product
from math import log2

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from longreach.errors import InputError
from longreach.tasks.regular import RegularLanguage
from longreach.tasks.uniform import UniformWords
from longreach.theory.automata.automaton import Automaton
from longreach.theory.automata.named import named_automaton
from longreach.theory.automata.regex import from_expression
from longreach.theory.shares.words import WordMeasure, label_entropy, position_chance
from tests.helpers.examples import at_most
from tests.helpers.language_oracles import automata


def _by_length(automaton: Automaton, lengths: list[int]) -> list[list[tuple[str, ...]]]:
    """The labels of all words, for each length that has some."""
    task = RegularLanguage("mine", automaton)
    found = [
        [task.answer(word) for word in product(automaton.alphabet, repeat=length) if automaton.accepts(word)]
        for length in lengths
    ]
    return [labels for labels in found if labels]


LENGTHS = st.lists(st.integers(0, 5), min_size=1, max_size=4, unique=True)


@settings(max_examples=at_most(60))
@given(automata(states=4), LENGTHS)
def test_chance_is_that_of_the_best_sequence_of_labels(automaton: Automaton, lengths: list[int]) -> None:
    assume(automaton.accepting)
    found = _by_length(automaton, lengths)
    assume(found)
    names = sorted({label for words in found for word in words for label in word})
    best = max(
        sum(sum(word == guess[: len(word)] for word in words) / len(words) for words in found) / len(found)
        for guess in product(names, repeat=max(lengths) + 1)
    )
    assert position_chance(automaton, lengths, tolerance=0.0) == pytest.approx(best, rel=1e-12)
    rough = position_chance(automaton, lengths, tolerance=0.1)
    assert best - 0.1 - 1e-12 <= rough <= best + 1e-12


@given(automata(states=5), LENGTHS, st.integers(0, 3))
def test_entropy_is_that_of_all_labels(automaton: Automaton, lengths: list[int], after: int) -> None:
    assume(automaton.accepting)
    found = _by_length(automaton, [length for length in lengths if length >= after])
    assume(found)
    shares: dict[str, float] = defaultdict(float)
    for words in found:
        for word in words:
            for label in word[after:]:
                shares[label] += 1 / len(word[after:]) / len(words) / len(found)
    wanted = -sum(share * log2(share) for share in shares.values())
    assert label_entropy(automaton, lengths, after=after) == pytest.approx(wanted, abs=1e-12)


@pytest.mark.parametrize(
    ("name", "least", "most"),
    [("aa", 1.0, 1.0), ("parity-language", 0.0, 0.0), ("l-bb", 0.1, 0.2), ("tomita-1", 1.0, 1.0)],
)
def test_long_words_of_the_benchmark(name: str, least: float, most: float) -> None:
    assert least <= position_chance(named_automaton(name), range(81, 101)) <= most


def test_it_does_not_know_the_length() -> None:
    """Of one length the position tells when a word ends; of two it must guess wrongly on one."""
    language = from_expression("aab|aaaab")
    assert [position_chance(language, lengths) for lengths in ([3], [5], [3, 5])] == [1.0, 1.0, 0.5]


def test_lengths_without_words() -> None:
    language = from_expression("(aa)*")
    assert position_chance(language, [1, 2, 3]) == position_chance(language, [2])
    for function in (position_chance, label_entropy):
        with pytest.raises(InputError, match="no word has one of the lengths"):
            function(language, [1, 3])


def test_what_many_sequences_share_does_not_multiply_them() -> None:
    """Words that ended fit every continuation; were those all kept, there would be millions of them."""
    language = from_expression("(a|bb*a)*(bb*(c(b|c)*)?)?")
    rough, fine = (position_chance(language, range(81, 101), tolerance=each) for each in (1e-2, 1e-3))
    assert 0.0 < rough <= fine <= rough + 1e-2


@given(automata(), st.integers(0, 8))
def test_states_are_visited_as_often_as_in_all_words(automaton: Automaton, length: int) -> None:
    assume(automaton.accepting)
    measure = WordMeasure(automaton)
    words = [word for word in product(automaton.alphabet, repeat=length) if automaton.accepts(word)]
    assert measure.count(length) == len(words) == UniformWords(automaton).count(length)
    if not words:
        with pytest.raises(InputError, match=f"no word has length {length}"):
            measure.occupation(length)
        return
    wanted = np.zeros((length + 1, len(measure.states)))
    for word in words:
        for place in range(length + 1):
            wanted[place, measure.states.index(automaton.run(word[:place]))] += 1 / len(words)
    np.testing.assert_allclose(measure.occupation(length), wanted, rtol=1e-12, atol=1e-15)


@given(automata())
def test_labels_and_ways_to_the_end(automaton: Automaton) -> None:
    assume(automaton.accepting)
    measure, task = WordMeasure(automaton), RegularLanguage("mine", automaton)
    by_task = [task.labels.index(task.state_labels[state]) for state in measure.states]
    assert measure.labels.tolist() == by_task
    for state, distance in zip(measure.states, measure.to_end.tolist(), strict=True):
        ends = [
            any(automaton.run(word, state) in automaton.accepting for word in product("ab", repeat=length))
            for length in range(distance + 1)
        ]
        assert ends == [False] * distance + [True]


def test_long_words_have_exact_counts() -> None:
    assert WordMeasure(from_expression("(a|b|c)*")).count(700) == 3**700
    assert WordMeasure(from_expression("(a|b)*a")).steps(900)[0].tolist() == [0.5, 0.5]


def test_an_empty_language_has_no_words() -> None:
    with pytest.raises(InputError, match="the language is empty"):
        WordMeasure(from_expression("a&b"))
