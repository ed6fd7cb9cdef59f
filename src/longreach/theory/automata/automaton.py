"""Minimal complete automata, with or without an answer class at each state."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from longreach.errors import InputError
from longreach.theory.automata.paths import reached

if TYPE_CHECKING:
    from automata.fa.dfa import DFA

IntArray = npt.NDArray[np.int64]
Word = tuple[str, ...]


@dataclass(frozen=True)
class Moves:
    """The letters and transitions of a complete deterministic automaton."""

    alphabet: tuple[str, ...]
    transitions: tuple[tuple[int, ...], ...]
    """`transitions[state][letter]`, letters by their place in the alphabet."""

    def __len__(self) -> int:
        return len(self.transitions)

    @cached_property
    def table(self) -> IntArray:
        """The transitions as an array of shape (states, letters)."""
        return np.array(self.transitions, dtype=np.int64).reshape(len(self), len(self.alphabet))

    def run_many(self, words: IntArray) -> IntArray:
        """The states after each letter of words of one length, rows of letters by place in the alphabet."""
        states = np.empty((len(words), words.shape[1] + 1), dtype=np.int64)
        states[:, 0] = 0
        for column in range(words.shape[1]):
            states[:, column + 1] = self.table[states[:, column], words[:, column]]
        return states[:, 1:]

    @cached_property
    def letter_index(self) -> dict[str, int]:
        return {token: index for index, token in enumerate(self.alphabet)}

    def run(self, word: Iterable[str], state: int = 0) -> int:
        """The state reached from `state` by reading the word."""
        for token in word:
            if token not in self.letter_index:
                raise InputError(f"token {token!r} is not in the alphabet {' '.join(self.alphabet)}")
            state = self.transitions[state][self.letter_index[token]]
        return state


@dataclass(frozen=True)
class Automaton(Moves):
    """The minimal complete automaton of a language, states numbered in breadth-first order from 0.

    Two automata over the same alphabet are equal exactly when their languages are.

    >>> even = minimal(("a",), [[1], [0]], 0, {0})
    >>> even.accepts("aa"), even.accepts("aaa")
    (True, False)
    """

    accepting: frozenset[int]

    @cached_property
    def alike(self) -> dict[int, tuple[int, ...]]:
        """Groups of letters with the same transitions, by the first letter of each."""
        found: dict[tuple[int, ...], list[int]] = {}
        for letter, column in enumerate(zip(*self.transitions, strict=True)):
            found.setdefault(column, []).append(letter)
        return {letters[0]: tuple(letters) for letters in found.values()}

    @cached_property
    def essential(self) -> Automaton:
        """The automaton over one letter of every group that is alike; it is in the same classes.

        >>> minimal("abc", [[0, 0, 1], [0, 0, 1]], 0, {1}).essential.alphabet
        ('a', 'c')
        """
        if len(self.alike) == len(self.alphabet):
            return self
        rows = tuple(tuple(row[letter] for letter in self.alike) for row in self.transitions)
        return Automaton(tuple(self.alphabet[letter] for letter in self.alike), rows, self.accepting)

    @cached_property
    def accepting_mask(self) -> npt.NDArray[np.bool_]:
        return np.isin(np.arange(len(self)), list(self.accepting))

    @cached_property
    def live(self) -> frozenset[int]:
        """The states from which an accepting state can be reached.

        >>> sorted(from_expression("ab").live)
        [0, 1, 3]
        """
        live = set(self.accepting)
        # Components come with successors later, so one pass from the back is enough.
        for members in reversed(strong_components(self.transitions)):
            if any(target in live for q in members for target in self.transitions[q]):
                live |= set(members)
        return frozenset(live)

    def legal_at(self, letter: int) -> frozenset[int]:
        """The states after which the letter may follow in a word of the language."""
        return frozenset(q for q, row in enumerate(self.transitions) if row[letter] in self.live)

    def accepts(self, word: Iterable[str]) -> bool:
        return self.run(word) in self.accepting

    def complement(self) -> Automaton:
        """The automaton of all other words."""
        return Automaton(self.alphabet, self.transitions, frozenset(range(len(self))) - self.accepting)

    def with_accepting(self, accepting: Iterable[int]) -> Automaton:
        """The minimal automaton after the accepting states are replaced."""
        return minimal(self.alphabet, self.transitions, 0, accepting)

    def left_quotient(self, word: Iterable[str]) -> Automaton:
        """The automaton of the words v such that `word` followed by v is in the language."""
        return minimal(self.alphabet, self.transitions, self.run(word), self.accepting)

    def right_quotient(self, word: Sequence[str]) -> Automaton:
        """The automaton of the words v such that v followed by `word` is in the language."""
        return self.with_accepting(q for q in range(len(self)) if self.run(word, q) in self.accepting)


def minimal(
    alphabet: Sequence[str], transitions: Sequence[Sequence[int]], initial: int, accepting: Iterable[int]
) -> Automaton:
    """The canonical automaton of a complete transition table.

    >>> minimal(("a",), [[1], [2], [1]], 0, {0, 2})
    Automaton(alphabet=('a',), transitions=((1,), (0,)), accepting=frozenset({0}))
    """
    marked = set(accepting)
    rows, states = _least(alphabet, transitions, initial, lambda state: state in marked)
    return Automaton(
        tuple(alphabet), rows, frozenset(place for place, state in enumerate(states) if state in marked)
    )


def _least(
    alphabet: Sequence[str],
    transitions: Sequence[Sequence[int]],
    initial: int,
    kind: Callable[[int], Hashable],
) -> tuple[tuple[tuple[int, ...], ...], list[int]]:
    """The least table in which states that no word tells apart by their kinds are one, and a state of the
    given table for each of its own; both in breadth-first order (Hopcroft's algorithm)."""
    if not alphabet:
        raise InputError("the alphabet is empty; a language needs at least one letter")
    order = reached(initial, transitions.__getitem__)
    sources: dict[int, list[list[int]]] = {state: [[] for _ in alphabet] for state in order}
    by_kind: dict[Hashable, set[int]] = {}
    for state in order:
        by_kind.setdefault(kind(state), set()).add(state)
        for letter, target in enumerate(transitions[state]):
            sources[target][letter].append(state)
    blocks = list(by_kind.values())
    block_of = {state: number for number, block in enumerate(blocks) for state in block}
    waiting = set(range(len(blocks)))
    while waiting:
        splitter = list(blocks[waiting.pop()])
        for letter in range(len(alphabet)):
            into: dict[int, set[int]] = {}
            for state in splitter:
                for source in sources[state][letter]:
                    into.setdefault(block_of[source], set()).add(source)
            for number, inside in into.items():
                if len(inside) < len(blocks[number]):
                    blocks[number] -= inside
                    block_of |= dict.fromkeys(inside, len(blocks))
                    smaller = number in waiting or len(inside) <= len(blocks[number])
                    waiting.add(len(blocks) if smaller else number)
                    blocks.append(inside)
    first: dict[int, int] = {}
    for state in order:
        first.setdefault(block_of[state], state)
    place = {block: number for number, block in enumerate(first)}
    states = list(first.values())
    return tuple(tuple(place[block_of[t]] for t in transitions[state]) for state in states), states


def from_automata_lib(dfa: DFA) -> Automaton:
    """The canonical automaton of an automata-lib DFA, completed with a sink if it is partial.

    >>> from automata.fa.dfa import DFA
    >>> ends_in_b = DFA(states={"x", "y"}, input_symbols={"a", "b"}, initial_state="x", final_states={"y"},
    ...                 transitions={"x": {"a": "x", "b": "y"}, "y": {"a": "x", "b": "y"}})
    >>> from_automata_lib(ends_in_b).transitions
    ((0, 1), (0, 1))
    """
    alphabet = sorted(dfa.input_symbols)
    number = {state: index for index, state in enumerate(dfa.states)}
    sink = len(number)
    rows = [[sink] * len(alphabet) for _ in range(sink + 1)]
    for state, moves in dfa.transitions.items():
        for letter, token in enumerate(alphabet):
            if token in moves:
                rows[number[state]][letter] = number[moves[token]]
    return minimal(alphabet, rows, number[dfa.initial_state], (number[q] for q in dfa.final_states))


def combine(left: Automaton, right: Automaton, keep: Callable[[bool, bool], bool]) -> Automaton:
    """The automaton of the words for which `keep(in left, in right)` holds; alphabets must be equal.

    >>> even = minimal(("a",), [[1], [0]], 0, {0})
    >>> len(combine(even, even, lambda x, y: x and not y))
    1
    """
    if left.alphabet != right.alphabet:
        raise InputError("the two automata have different alphabets")
    width = len(right)
    rows = [
        [t * width + u for t, u in zip(p, q, strict=True)]
        for p in left.transitions
        for q in right.transitions
    ]
    accepting = (
        p * width + q
        for p in range(len(left))
        for q in range(width)
        if keep(p in left.accepting, q in right.accepting)
    )
    return minimal(left.alphabet, rows, 0, accepting)


def with_end(automaton: Automaton, end: str) -> Automaton:
    """The words of a language with an end symbol behind them, which is a letter now.

    >>> with_end(minimal("a", [[1], [0]], 0, {0}), "EOS").accepts(["a", "a", "EOS"])
    True
    """
    accepted = len(automaton)
    dead = accepted + 1
    rows = [
        (*row, accepted if state in automaton.accepting else dead)
        for state, row in enumerate(automaton.transitions)
    ]
    sinks = [[dead] * (len(automaton.alphabet) + 1)] * 2
    return minimal((*automaton.alphabet, end), [*rows, *sinks], 0, {accepted})


def strong_components(successors: Sequence[Sequence[int]]) -> list[list[int]]:
    """Strongly connected components, each sorted, in an order in which edges only lead forward.

    >>> strong_components([[1], [0, 2], [2]])
    [[0, 1], [2]]
    """
    count = len(successors)
    index = [-1] * count
    low = [0] * count
    open_component = [False] * count
    stack: list[int] = []
    found: list[list[int]] = []
    clock = 0
    for start in range(count):
        if index[start] >= 0:
            continue
        work = [(start, 0)]
        while work:
            vertex, place = work.pop()
            if place == 0:
                index[vertex] = low[vertex] = clock
                clock += 1
                stack.append(vertex)
                open_component[vertex] = True
            for position in range(place, len(successors[vertex])):
                target = successors[vertex][position]
                if index[target] < 0:
                    work.append((vertex, position + 1))
                    work.append((target, 0))
                    break
                if open_component[target]:
                    low[vertex] = min(low[vertex], index[target])
            else:
                if low[vertex] == index[vertex]:
                    component: list[int] = []
                    while not component or component[-1] != vertex:
                        component.append(stack.pop())
                        open_component[component[-1]] = False
                    found.append(sorted(component))
                if work:
                    parent = work[-1][0]
                    low[parent] = min(low[parent], low[vertex])
    return found[::-1]


# Automata with an answer class at every state: more than accept and reject.


@dataclass(frozen=True)
class LabelledAutomaton(Moves):
    """The least complete automaton that gives each word its class, states in breadth-first order from 0.

    >>> modulo = labelled(("a",), [[1], [2], [0]], 0, ["zero", "one", "two"])
    >>> modulo.class_of("aaaa"), modulo.classes, modulo.language("zero").accepts("aaa")
    ('one', ('zero', 'one', 'two'), True)
    """

    outputs: tuple[str, ...]

    @cached_property
    def classes(self) -> tuple[str, ...]:
        """The classes, each once, in the order in which a search from the first state meets them."""
        return tuple(dict.fromkeys(self.outputs))

    def class_of(self, word: Iterable[str]) -> str:
        return self.outputs[self.run(word)]

    def language(self, label: str) -> Automaton:
        wanted = (state for state, output in enumerate(self.outputs) if output == label)
        return minimal(self.alphabet, self.transitions, 0, wanted)


def labelled(
    alphabet: Sequence[str], transitions: Sequence[Sequence[int]], initial: int, outputs: Sequence[str]
) -> LabelledAutomaton:
    """The least automaton of a complete transition table with classes.

    >>> len(labelled(("a",), [[1], [2], [3], [0]], 0, ["even", "odd", "even", "odd"]))
    2
    """
    rows, states = _least(alphabet, transitions, initial, outputs.__getitem__)
    return LabelledAutomaton(tuple(alphabet), rows, tuple(outputs[state] for state in states))


# Whether a language is finite, and how long its longest word is.


def longest_word(automaton: Automaton) -> int | None:
    """The number of letters of the longest word; -1 for the empty language, None for an infinite one.

    >>> longest_word(from_expression("a|ab?c")), longest_word(from_expression("a*"))
    (3, None)
    """
    live = automaton.live
    length = dict.fromkeys(range(len(automaton)), -1)
    for members in reversed(strong_components(automaton.transitions)):
        state = members[0]
        if state not in live:
            continue
        if len(members) > 1 or state in automaton.transitions[state]:
            return None
        ends = 0 if state in automaton.accepting else -1
        further = [length[target] + 1 for target in automaton.transitions[state] if target in live]
        length[state] = max([ends, *further])
    return length[0]
