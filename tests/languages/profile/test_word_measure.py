"""The distribution of uniform words against all words of a length."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from longreach.errors import InputError
from longreach.languages.profile.word_measure import WordMeasure
from longreach.languages.regular.automaton import Automaton
from longreach.languages.regular.expression_to_automaton import from_expression
from longreach.tasks.language_task import RegularLanguage
from longreach.tasks.uniform_words import UniformWords
from tests.helpers.language_oracles import automata


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
