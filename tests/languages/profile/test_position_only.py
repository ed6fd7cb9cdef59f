"""Chance and entropy against all words and all sequences of labels."""

from __future__ import annotations

from collections import defaultdict
from itertools import product
from math import log2

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from longreach.errors import InputError
from longreach.languages.profile.position_only import label_entropy, position_chance
from longreach.languages.regular.automaton import Automaton
from longreach.languages.regular.expression_to_automaton import from_expression
from longreach.languages.regular.named_languages import named_automaton
from longreach.tasks.language_task import RegularLanguage
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
