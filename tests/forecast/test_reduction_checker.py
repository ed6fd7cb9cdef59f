"""Why reductions may do what they may: the classes are closed under what a reduction does to a language."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from longreach.forecast.reduction_checker import same_but_for_the_empty_word
from longreach.languages.decide.automaton_to_decisions import decide
from longreach.languages.regular.automaton import Automaton, minimal
from longreach.languages.regular.expression_to_automaton import from_expression

Images = tuple[tuple[str, ...], tuple[str, ...]]


@st.composite
def automata(draw: st.DrawFn) -> Automaton:
    states = draw(st.integers(2, 4))
    row = st.lists(st.integers(0, states - 1), min_size=2, max_size=2)
    rows = draw(st.lists(row, min_size=states, max_size=states))
    return minimal("ab", rows, 0, draw(st.sets(st.integers(0, states - 1), min_size=1)))


WORD = st.lists(st.sampled_from("ab"), min_size=1, max_size=3).map(tuple)


def reduced(automaton: Automaton, images: Images, after: tuple[str, ...]) -> Automaton:
    """The words over x, y whose image, followed by `after`, is in the language."""
    rows = [[automaton.run(image, state) for image in images] for state in range(len(automaton))]
    wanted = [q for q in range(len(automaton)) if automaton.run(after, q) in automaton.accepting]
    return minimal("xy", rows, 0, wanted)


def test_reduced_is_what_it_says() -> None:
    automaton = reduced(from_expression("(ab|b)*a"), (("a", "b"), ("b",)), ("a",))
    for word in product("xy", repeat=4):
        assert automaton.accepts(word)
    assert not reduced(from_expression("(ab)*"), (("a", "b"), ("b",)), ()).accepts("xy")


@settings(deadline=None, max_examples=60)
@given(automata(), WORD, WORD, st.lists(st.sampled_from("ab"), max_size=2).map(tuple))
def test_a_language_with_a_program_is_not_reduced_to_one_without(
    automaton: Automaton, x: tuple[str, ...], y: tuple[str, ...], after: tuple[str, ...]
) -> None:
    found = decide(automaton)
    smaller = decide(reduced(automaton, (x, y), after))
    if found.nope.answer:
        assert smaller.nope.answer
        # A program that has read more can be read after the last letter.
        assert smaller.nope.at_end or not after
    if found.local.answer:
        assert smaller.local.answer
    if found.ape.answer and len(x) == len(y):
        assert smaller.ape.answer


def test_with_positions_modulo_a_number_letters_must_have_one_size() -> None:
    even = from_expression("(aa)*", "ab")
    assert decide(even).ape.answer
    assert decide(reduced(from_expression("((a|b)(a|b))*"), (("a",), ("a", "a")), ())).ape.answer is False


@pytest.mark.parametrize(("left", "right", "same"), [("a*", "aa*", True), ("a*", "(aa)*", False)])
def test_the_empty_word_does_not_matter(left: str, right: str, same: bool) -> None:
    assert same_but_for_the_empty_word(from_expression(left), from_expression(right)) == same


@given(automata())
def test_the_empty_word_alone_may_differ(automaton: Automaton) -> None:
    start = len(automaton)  # a first state that nothing leads to
    rows = [*automaton.transitions, automaton.transitions[0]]
    with_it, without = (
        minimal("ab", rows, start, accepting)
        for accepting in (automaton.accepting | {start}, automaton.accepting)
    )
    assert with_it != without
    assert same_but_for_the_empty_word(with_it, without)
