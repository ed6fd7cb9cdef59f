from __future__ import annotations

import random

import pytest
from automata.fa.dfa import DFA
from hypothesis import given
from hypothesis import strategies as st

from longreach.errors import InputError
from longreach.languages.regular.automaton import (
    combine,
    from_automata_lib,
    live_states,
    minimal,
    strong_components,
)
from longreach.languages.regular.expression_to_automaton import from_expression
from tests.helpers.language_oracles import all_minimal, automata, live, mutual_reachability, words


def test_number_of_small_minimal_automata() -> None:
    assert [len(all_minimal(n)) for n in (1, 2, 3)] == [2, 24, 1028]


@given(automata())
def test_minimal_is_canonical(automaton) -> None:
    count = len(automaton)
    order = list(range(count))
    random.Random(count).shuffle(order)
    # The same language with states renamed, doubled and an unreachable one added.
    rows = [None] * (2 * count + 1)
    for q in range(count):
        for copy in (0, 1):
            rows[order[q] + copy * count] = [order[t] + (1 - copy) * count for t in automaton.transitions[q]]
    rows[-1] = [0] * len(automaton.alphabet)
    accepting = [order[q] + copy * count for q in automaton.accepting for copy in (0, 1)]
    assert minimal(automaton.alphabet, rows, order[0], [*accepting, 2 * count]) == automaton


@given(automata(), automata())
def test_operations_on_words(left, right) -> None:
    either = combine(left, right, lambda x, y: x != y)
    shifted = left.left_quotient("ab")
    cut = left.right_quotient("ab")
    for word in words("ab", 4):
        assert either.accepts(word) == (left.accepts(word) != right.accepts(word))
        assert left.complement().accepts(word) != left.accepts(word)
        assert shifted.accepts(word) == left.accepts(("a", "b", *word))
        assert cut.accepts(word) == left.accepts((*word, "a", "b"))


def test_partial_automata_get_a_sink() -> None:
    dfa = DFA.from_finite_language({"a", "b"}, {"ab", "b"})
    automaton = from_automata_lib(dfa)
    for word in words("ab", 4):
        assert automaton.accepts(word) == ("".join(word) in {"ab", "b"})


@given(st.integers(1, 7).flatmap(lambda n: st.lists(st.lists(st.integers(0, n - 1)), min_size=n, max_size=n)))
def test_components(successors) -> None:
    edges = [(q, 0, t) for q, targets in enumerate(successors) for t in targets]
    parts = strong_components(successors)
    assert sorted(parts) == sorted(mutual_reachability(len(successors), edges))
    position = {q: i for i, part in enumerate(parts) for q in part}
    assert all(position[s] <= position[t] for s, _, t in edges)


def test_errors() -> None:
    with pytest.raises(InputError, match="alphabet is empty"):
        minimal((), [[]], 0, [])
    with pytest.raises(InputError, match="'c' is not in the alphabet a b"):
        all_minimal(2)[0].accepts("abc")
    with pytest.raises(InputError, match="different alphabets"):
        combine(minimal("a", [[0]], 0, []), minimal("b", [[0]], 0, []), lambda x, y: x)


@given(automata(states=5))
def test_live_states_by_definition(automaton) -> None:
    assert live_states(automaton) == live(automaton)


def test_live_states_of_the_empty_language() -> None:
    assert live_states(from_expression("a&b")) == frozenset()
    assert live_states(from_expression(".*", "ab")) == {0}
