from __future__ import annotations

import pytest
from hypothesis import given

from longreach.languages.regular.expression_to_automaton import from_expression
from longreach.languages.regular.longest_word import longest_word
from tests.helpers.language_oracles import automata, words


@given(automata(4, "ab"))
def test_by_listing_words(automaton) -> None:
    """A language with a word of as many letters as states is infinite; one without has no longer words."""
    lengths = {len(word) for word in words("ab", 2 * len(automaton)) if automaton.accepts(word)}
    infinite = any(length >= len(automaton) for length in lengths)
    assert longest_word(automaton) == (None if infinite else max(lengths, default=-1))


@pytest.mark.parametrize(
    ("expression", "longest"), [("()", 0), ("a{2,5}", 5), ("a|bcd", 3), ("a*", None), ("a&b", -1)]
)
def test_expressions(expression, longest) -> None:
    assert longest_word(from_expression(expression, "abcd")) == longest
