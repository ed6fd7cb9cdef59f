"""All minimal automata up to a number of states."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from longreach.theory.automata.automaton import Automaton, minimal


def small_automata(states: int, alphabet: str) -> Iterator[Automaton]:
    """Every language over the alphabet whose minimal automaton has at most so many states, once."""
    seen: set[Automaton] = set()
    for count in range(1, states + 1):
        for moves in product(range(count), repeat=len(alphabet) * count):
            rows = [moves[len(alphabet) * q : len(alphabet) * (q + 1)] for q in range(count)]
            for mask in range(2**count):
                found = minimal(alphabet, rows, 0, [q for q in range(count) if mask >> q & 1])
                if len(found) == count and found not in seen:
                    seen.add(found)
                    yield found
