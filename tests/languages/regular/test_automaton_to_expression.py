"""Expressions of automata have the automata they were made from."""

from __future__ import annotations

import pytest
from hypothesis import assume, given

from longreach.errors import InputError
from longreach.languages.regular.automaton import Automaton, minimal
from longreach.languages.regular.automaton_to_expression import to_expression
from longreach.languages.regular.expression_to_automaton import from_expression
from longreach.languages.regular.named_languages import NAMED_LANGUAGES, named_automaton
from tests.helpers.language_oracles import automata


@given(automata(states=7))
def test_there_and_back(automaton: Automaton) -> None:
    assume(automaton.accepting)
    assert from_expression(to_expression(automaton), automaton.alphabet) == automaton


@given(automata(states=4, letters="abc"))
def test_there_and_back_over_three_letters(automaton: Automaton) -> None:
    assume(automaton.accepting)
    assert from_expression(to_expression(automaton), automaton.alphabet) == automaton


@pytest.mark.parametrize("name", sorted(NAMED_LANGUAGES))
def test_the_benchmark(name: str) -> None:
    automaton = named_automaton(name)
    assert from_expression(to_expression(automaton), automaton.alphabet) == automaton


def test_at_least_once_or_not_at_all_is_any_number_of_times() -> None:
    assert to_expression(from_expression("b(aa*)?", "ab")) == "ba*"


def test_the_empty_word_and_the_empty_language() -> None:
    only_empty = minimal("ab", [[1, 1], [1, 1]], 0, {0})
    assert from_expression(to_expression(only_empty), "ab") == only_empty
    with pytest.raises(InputError, match="the language is empty"):
        to_expression(minimal("ab", [[0, 0]], 0, set()))


@pytest.mark.parametrize("letter", ["*", "ab", "("])
def test_letters_with_a_meaning_are_refused(letter: str) -> None:
    with pytest.raises(InputError, match="needs letters or digits"):
        to_expression(minimal((letter,), [[0]], 0, {0}))
