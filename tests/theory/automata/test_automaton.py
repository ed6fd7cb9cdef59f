"""Automata, with and without answer classes, and the shortest words in them."""

from __future__ import annotations

import random
from itertools import product

import pytest
from automata.fa.dfa import DFA
from hypothesis import given
from hypothesis import strategies as st

from longreach.theory.automata.automaton import (
    combine,
    from_automata_lib,
    labelled,
    longest_word,
    minimal,
    strong_components,
)
from longreach.theory.automata.paths import distinguishing_word, shortest_word
from longreach.theory.automata.regex import from_expression
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


@given(automata(states=5))
def test_live_states_by_definition(automaton) -> None:
    assert automaton.live == live(automaton)


def test_live_states_of_the_empty_language() -> None:
    assert from_expression("a&b").live == frozenset()
    assert from_expression(".*", "ab").live == {0}


# Automata with answer classes, against running the table that they were made of.


Table = tuple[list[list[int]], int, list[str]]


@st.composite
def tables(draw: st.DrawFn, letters: int = 2) -> Table:
    states = draw(st.integers(1, 5))
    target = st.integers(0, states - 1)
    rows = draw(
        st.lists(st.lists(target, min_size=letters, max_size=letters), min_size=states, max_size=states)
    )
    outputs = draw(st.lists(st.sampled_from(["x", "y", "z"]), min_size=states, max_size=states))
    return rows, draw(target), outputs


@given(tables())
def test_every_word_keeps_its_class(table: Table) -> None:
    rows, initial, outputs = table
    machine = labelled("ab", rows, initial, outputs)
    assert len(machine) <= len(rows)
    for length in range(6):
        for word in product("ab", repeat=length):
            state = initial
            for letter in word:
                state = rows[state]["ab".index(letter)]
            assert machine.class_of(word) == outputs[state]
            for label in machine.classes:
                assert machine.language(label).accepts(word) == (outputs[state] == label)


@given(tables())
def test_no_two_states_are_alike_and_the_least_automaton_is_its_own(table: Table) -> None:
    rows, initial, outputs = table
    machine = labelled("ab", rows, initial, outputs)
    behaviours = {
        tuple(machine.outputs[machine.run(word, state)] for n in range(6) for word in product("ab", repeat=n))
        for state in range(len(machine))
    }
    assert len(behaviours) == len(machine)
    assert labelled("ab", machine.transitions, 0, machine.outputs) == machine
    # States numbered otherwise give the same automaton.
    count = len(rows)
    turned = [[(t + 1) % count for t in rows[(q - 1) % count]] for q in range(count)]
    again = labelled("ab", turned, (initial + 1) % count, [outputs[(q - 1) % count] for q in range(count)])
    assert again == machine


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


@given(st.randoms(use_true_random=False), st.integers(1, 40), st.integers(1, 3))
def test_as_few_states_as_automata_lib_finds(chance: random.Random, size: int, kinds: int) -> None:
    rows = [[chance.randrange(size) for _ in "ab"] for _ in range(size)]
    accepting = {state for state in range(size) if chance.randrange(kinds) == 0}
    dfa = DFA(
        states=set(range(size)),
        input_symbols={"a", "b"},
        transitions={state: dict(zip("ab", row, strict=True)) for state, row in enumerate(rows)},
        initial_state=0,
        final_states=accepting,
    )
    found = minimal("ab", rows, 0, accepting)
    assert len(found) == len(dfa.minify().states)
    for word in words("ab", 6):
        assert found.accepts(word) == dfa.accepts_input("".join(word))


@given(automata(states=5))
def test_shortest_and_distinguishing_words_are_the_first_listed(automaton) -> None:
    listed = list(words("ab", len(automaton)))
    for goal in range(len(automaton)):
        for start in range(len(automaton)):
            reaching = [word for word in listed if automaton.run(word, start) == goal]
            if reaching:
                assert shortest_word(automaton, start, goal) == reaching[0]
            if start != goal:
                ends = [(automaton.run(word, start), automaton.run(word, goal)) for word in listed]
                telling = [(p in automaton.accepting) != (q in automaton.accepting) for p, q in ends]
                assert distinguishing_word(automaton, start, goal) == listed[telling.index(True)]


def test_words_that_do_not_exist() -> None:
    sink = from_expression("ab")
    with pytest.raises(ValueError, match="no word leads there"):
        shortest_word(sink, 1, 0)
    with pytest.raises(ValueError, match="equivalent"):
        distinguishing_word(sink, 1, 1)
