"""Automata with answer classes, against running the table that they were made of."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longreach.errors import InputError
from longreach.languages.regular.labelled_automaton import labelled

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


def test_what_cannot_be_read() -> None:
    machine = labelled("a", [[0]], 0, ["x"])
    with pytest.raises(InputError, match="token 'b' is not in the alphabet a"):
        machine.run("ab")
    with pytest.raises(InputError, match="alphabet is empty"):
        labelled("", [[]], 0, ["x"])
