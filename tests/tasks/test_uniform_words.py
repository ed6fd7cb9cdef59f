"""Words of regular languages: as many as there are, each one as likely as the others."""

from __future__ import annotations

import random
from collections import Counter
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from longreach.languages.regular.automaton import Automaton, minimal
from longreach.languages.regular.expression_to_automaton import from_expression
from longreach.languages.regular.named_languages import NAMED_LANGUAGES, named_automaton
from longreach.tasks.uniform_words import UniformWords, choose_exactly
from tests.helpers.enumeration import chi_square_is_usual, distribution
from tests.helpers.language_oracles import automata, random_automaton
from tests.languages.regular.test_named_languages import DEFINITIONS


def _words(automaton: Automaton, length: int) -> list[tuple[int, ...]]:
    letters = range(len(automaton.alphabet))
    return [
        word
        for word in product(letters, repeat=length)
        if automaton.accepts(automaton.alphabet[letter] for letter in word)
    ]


def _drawn(words: UniformWords, length: int) -> Any:
    return lambda rng: tuple(words.draw(np.array([length]), rng).letters[:, 0].tolist())


@pytest.mark.parametrize("name", list(NAMED_LANGUAGES))
def test_counts_are_those_of_the_definition(name: str) -> None:
    words = UniformWords(named_automaton(name))
    letters = NAMED_LANGUAGES[name].alphabet
    for length in range(7):
        expected = sum(DEFINITIONS[name]("".join(word)) for word in product(letters, repeat=length))
        assert words.count(length) == expected
        assert words.has(np.array([length])).tolist() == [expected > 0]


@given(automata(states=6, letters="abc"), st.integers(0, 5))
def test_counts_of_any_automaton(automaton: Automaton, length: int) -> None:
    assert UniformWords(automaton).count(length) == len(_words(automaton, length))


EXPRESSIONS = ["(a|b)*b", "a*ba*", "b*(ab*ab*)*", "(a|b|c)*bc*", "(a|ba|cba)*c?", "[a-e]b*|a*c", "(aa|b)*c"]


@pytest.mark.parametrize("expression", EXPRESSIONS)
@pytest.mark.parametrize("bits", [1, 2, 3])
def test_the_exact_probability_of_every_word(expression: str, bits: int) -> None:
    """With so few digits at once most choices need more; what is decided never exceeds 1/n."""
    automaton = from_expression(expression)
    words = UniformWords(automaton, bits)
    for length in (1, 2, 3):
        every = _words(automaton, length)
        if not every:
            continue
        found, unsettled = distribution(_drawn(words, length), 2 * length + 2)
        assert set(found) <= set(every)
        assert sum(found.values(), unsettled) == 1
        share = Fraction(1, len(every))
        for word in every:
            assert found.get(word, Fraction(0)) <= share <= found.get(word, Fraction(0)) + unsettled
        assert unsettled <= Fraction(2, 8**bits)


@pytest.mark.parametrize(
    "weights", [[1, 2], [1, 1, 1], [0, 3, 4], [5, 0, 2], [7, 0], [10**40, 1, 2 * 10**40]]
)
def test_a_choice_has_exactly_the_ratio_of_the_weights(weights: list[int]) -> None:
    def run(rng: Any) -> int:
        return choose_exactly(weights, int(rng.integers(0, 4)), 2, rng)

    found, unsettled = distribution(run, 6)
    assert unsettled <= Fraction(len(weights) - 1, 4**6)
    for k, weight in enumerate(weights):
        share = Fraction(weight, sum(weights))
        assert found.get(k, Fraction(0)) <= share <= found.get(k, Fraction(0)) + unsettled
        assert weight or k not in found


def test_digits_decide_as_more_digits_would() -> None:
    """The quick walk and the exact one agree: few digits at once and many give the same distribution."""
    automaton = named_automaton("tomita-4")
    rng = np.random.default_rng(0)
    for bits in (2, 5, 62):
        walks = UniformWords(automaton, bits).draw(np.full(6000, 5), rng)
        counts = Counter(map(tuple, walks.letters.T.tolist()))
        assert set(counts) == set(_words(automaton, 5))
        assert chi_square_is_usual(list(counts.values()), 6000 / len(counts))


@pytest.mark.parametrize("name", ["tomita-3", "tomita-5", "tomita-6", "d-3", "ab-d-bc", "012-0-2", "l-bb"])
def test_words_are_uniform_with_a_real_generator(name: str) -> None:
    automaton = named_automaton(name)
    words = UniformWords(automaton)
    for length in (4, 6):
        every = _words(automaton, length)
        lengths = np.full(100 * len(every), length)
        counts = Counter(map(tuple, words.draw(lengths, np.random.default_rng(1)).letters.T.tolist()))
        assert set(counts) <= set(every)
        assert chi_square_is_usual([counts[word] for word in every], 100)


def test_random_automata_are_sampled_within_their_language() -> None:
    chance = random.Random(0)
    rng = np.random.default_rng(2)
    for _ in range(40):
        automaton = random_automaton(8, "abc", chance, sink=0.4)
        words = UniformWords(automaton)
        lengths = np.arange(40)[words.has(np.arange(40))]
        if not len(lengths):
            continue
        walks = words.draw(lengths, rng)
        for example, length in enumerate(lengths.tolist()):
            word = [automaton.alphabet[letter] for letter in walks.letters[:length, example]]
            assert automaton.accepts(word)
            states = [automaton.run(word[:end]) for end in range(length + 1)]
            assert walks.states[: length + 1, example].tolist() == states
            assert set(walks.states[length:, example].tolist()) == {states[-1]}


def test_long_words_with_huge_counts() -> None:
    words = UniformWords(named_automaton("tomita-6"))
    assert words.count(500) > 2**498
    walks = words.draw(np.full(200, 500), np.random.default_rng(3))
    ones = walks.letters.sum(axis=0)
    assert ((500 - 2 * ones) % 3 == 0).all()
    assert abs(ones.mean() - 250) < 4 * (500 / 4 / 200) ** 0.5


def test_the_place_of_a_rare_letter_is_uniform() -> None:
    """One b among 300: a sampler that rounds or that walks without counting would prefer some places."""
    words = UniformWords(from_expression("a*ba*"))
    walks = words.draw(np.full(30_000, 300), np.random.default_rng(4))
    assert chi_square_is_usual(np.bincount(walks.letters.argmax(axis=0), minlength=300).tolist(), 100)


def test_deep_brackets_need_only_the_states_within_reach() -> None:
    shallow, deep = UniformWords(named_automaton("d-40")), UniformWords(named_automaton("d-1500"))
    assert shallow.count(60) == deep.count(60)
    assert len(deep._table(60).names) < 80


def test_words_without_letters() -> None:
    only_empty = UniformWords(minimal(("a",), [[1], [1]], 0, {0}))
    assert only_empty.has(np.array([-1, 0, 1, 2])).tolist() == [False, True, False, False]
    assert only_empty.draw(np.array([0, 0]), np.random.default_rng(0)).letters.shape == (0, 2)
