"""Automata with an answer class at every state: more than accept and reject."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from longreach.errors import InputError
from longreach.languages.regular.automaton import Automaton, Moves, breadth_first, minimal


@dataclass(frozen=True)
class LabelledAutomaton(Moves):
    """The least complete automaton that gives each word its class, states in breadth-first order from 0.

    >>> modulo = labelled(("a",), [[1], [2], [0]], 0, ["zero", "one", "two"])
    >>> modulo.class_of("aaaa"), modulo.classes, modulo.language("zero").accepts("aaa")
    ('one', ('zero', 'one', 'two'), True)
    """

    outputs: tuple[str, ...]
    """The class of each state."""

    @cached_property
    def classes(self) -> tuple[str, ...]:
        """The classes, each once, in the order in which a search from the first state meets them."""
        return tuple(dict.fromkeys(self.outputs))

    def class_of(self, word: Iterable[str]) -> str:
        """The class of a word."""
        return self.outputs[self.run(word)]

    def language(self, label: str) -> Automaton:
        """The automaton of the words of a class."""
        wanted = (state for state, output in enumerate(self.outputs) if output == label)
        return minimal(self.alphabet, self.transitions, 0, wanted)


def labelled(
    alphabet: Sequence[str], transitions: Sequence[Sequence[int]], initial: int, outputs: Sequence[str]
) -> LabelledAutomaton:
    """The least automaton of a complete transition table with classes: states that no word tells apart are
    one (Moore's algorithm).

    >>> len(labelled(("a",), [[1], [2], [3], [0]], 0, ["even", "odd", "even", "odd"]))
    2
    """
    if not alphabet:
        raise InputError("the alphabet is empty; a language needs at least one letter")
    order = breadth_first(transitions, initial)
    names = {label: number for number, label in enumerate(dict.fromkeys(outputs))}
    numbered, count = {state: names[outputs[state]] for state in order}, 0
    while True:
        groups: dict[tuple[int, ...], int] = {}
        for state in order:
            groups.setdefault((numbered[state], *(numbered[t] for t in transitions[state])), len(groups))
        if len(groups) == count:
            break
        numbered = {
            state: groups[numbered[state], *(numbered[t] for t in transitions[state])] for state in order
        }
        count = len(groups)
    # The order of a breadth-first search is that of the first members of the groups.
    first: dict[int, int] = {}
    for state in order:
        first.setdefault(numbered[state], state)
    place = {group: number for number, group in enumerate(first)}
    return LabelledAutomaton(
        tuple(alphabet),
        tuple(tuple(place[numbered[t]] for t in transitions[state]) for state in first.values()),
        tuple(outputs[state] for state in first.values()),
    )
