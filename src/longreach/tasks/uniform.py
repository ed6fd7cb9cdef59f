"""Words of a regular language, exactly uniform among those of their length, for a batch at once.

Counting first: `n(m, q)` is the number of words of length m that lead from state q to acceptance, an integer
of any size. A word is then drawn letter by letter; with m letters to go, the states that may follow q are
chosen in the ratio of their n(m − 1, ·), and the letter uniformly among those that lead there.

To choose exactly, think of a real number U, uniform in [0, 1), given by its binary digits. The first digits
are drawn for all steps at once and compared with the boundaries of the choices, cut to as many digits. They
decide unless they equal the digits of a boundary; only then are more drawn, for this step, and compared with
the exact fractions. So no probability is ever rounded.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from longreach.tasks.task import BoolArray, IntArray
from longreach.theory.automata.automaton import Automaton

_BITS = 62
_STEP = 64  # tables grow by so many lengths


@dataclass(frozen=True, eq=False)
class Walks:
    """Words with the states that they visit; columns are examples, rows are steps."""

    letters: IntArray
    """Places in the alphabet; arbitrary from the length of the word on."""
    states: IntArray
    """The state before each letter; one row more, and the last state stays from the length on."""


@dataclass(frozen=True)
class UniformWords:
    """Draws words of the language of an automaton.

    >>> words = UniformWords(from_expression("a*b"))
    >>> words.draw(np.array([3, 2]), np.random.default_rng(0)).letters.T.tolist()
    [[0, 0, 1], [0, 1, 0]]
    """

    automaton: Automaton
    bits: int = _BITS
    """Digits drawn at once for a step."""
    _tables: dict[int, _Table] = field(default_factory=dict, init=False, repr=False, compare=False)

    def has(self, lengths: IntArray) -> BoolArray:
        wanted = np.maximum(lengths, 0)
        found: BoolArray = self._table(int(wanted.max(initial=0))).known[wanted] & (lengths >= 0)
        return found

    def count(self, length: int) -> int:
        return int(self._table(length).counts[length][0])

    def draw(self, lengths: IntArray, rng: np.random.Generator) -> Walks:
        """A word for each length; there must be words of that length."""
        return self._table(int(lengths.max())).draw(lengths, rng)

    def _table(self, longest: int) -> _Table:
        size = -(-(longest + 1) // _STEP) * _STEP
        if size not in self._tables:
            self._tables[size] = _Table(self._graph, size, self.bits)
        return self._tables[size]

    @cached_property
    def _graph(self) -> _Graph:
        return _Graph(self.automaton)


class _Graph:
    """The live part of an automaton: for each state the live states that may follow, and by which letters."""

    def __init__(self, automaton: Automaton) -> None:
        self.accepting = automaton.accepting
        live = automaton.live
        self.moves: list[dict[int, list[int]]] = []
        for state, row in enumerate(automaton.transitions):
            targets: dict[int, list[int]] = {}
            for letter, target in enumerate(row):
                if state in live and target in live:
                    targets.setdefault(target, []).append(letter)
            self.moves.append(targets)

    def within(self, steps: int) -> list[int]:
        """The states that can be reached in so many steps, the initial one first."""
        found = {0: None}
        border = [0]
        for _ in range(steps):
            new = dict.fromkeys(target for state in border for target in self.moves[state])
            border = [state for state in new if state not in found]
            found |= dict.fromkeys(border)
        return list(found)


class _Table:
    """Counts and boundaries for all lengths below `size`.

    A place is a state together with the number m of letters to go. A choice is a place and one of the
    states that may follow; the choices of a place are neighbours, so `place + k` is the k-th of them.
    """

    def __init__(self, graph: _Graph, size: int, bits: int) -> None:
        self.bits = bits
        self.names = np.array(graph.within(size), dtype=np.int64)
        number = {int(name): index for index, name in enumerate(self.names)}
        # Walks have fewer than `size` steps, so they never come to the states whose moves lead outside.
        moves = [
            [(number[target], letters) for target, letters in graph.moves[name].items() if target in number]
            for name in number
        ]
        self.width = max(1, *map(len, moves))
        shape = (len(moves), self.width)
        self.stride = len(moves) * self.width
        self.targets = np.zeros(shape, dtype=np.int64)
        self.ways = np.zeros(shape, dtype=np.int64)  # how many letters; a choice with none is never made
        first = np.zeros(shape, dtype=np.int64)
        letters: list[int] = []
        for state, row in enumerate(moves):
            for k, (target, group) in enumerate(row):
                self.targets[state, k], self.ways[state, k], first[state, k] = (
                    target,
                    len(group),
                    len(letters),
                )
                letters += group
        self.letters = np.array(letters or [0], dtype=np.int64)
        self.first_letters = first.reshape(-1)

        self.counts = [np.array([int(name in graph.accepting) for name in number], dtype=object)]
        while len(self.counts) < size:
            self.counts.append(self._weights(len(self.counts)).sum(axis=1))
        self.known = np.array([row[0] > 0 for row in self.counts])
        self.boundaries = np.concatenate([self._boundaries(to_go) for to_go in range(size)])
        following = np.arange(-1, size - 1)[:, None, None] * self.stride + self.targets * self.width
        following[0] = np.arange(len(moves))[:, None] * self.width  # with no letter to go one stays
        self.following = following.reshape(-1)

    def _weights(self, to_go: int) -> NDArray[np.object_]:
        """The number of words behind each choice."""
        weights: NDArray[np.object_] = self.ways * self.counts[to_go - 1][self.targets]
        return weights

    def _boundaries(self, to_go: int) -> IntArray:
        """The first digits of where each choice but the first begins, for all states one after the other."""
        found = np.full(self.targets.shape, 1 << self.bits, dtype=np.int64)
        if to_go:
            sums = np.cumsum(self._weights(to_go), axis=1)
            some = sums[:, -1] > 0
            found[some, :-1] = (sums[some, :-1] << self.bits) // sums[some, -1:]
        return found.reshape(-1)

    def draw(self, lengths: IntArray, rng: np.random.Generator) -> Walks:
        width = int(lengths.max())
        choices = np.empty((width + 1, len(lengths)), dtype=np.int64)
        # One state may follow everywhere: nothing is to be drawn.
        drawn = self.width > 1
        digits = rng.integers(0, 1 << self.bits if drawn else 1, (width, len(lengths)))
        self._choose(lengths, digits, choices)
        self._settle(lengths, digits, choices, rng)
        choices %= self.stride
        letters = self.first_letters[choices[:-1]]
        if self.ways.max() > 1:
            letters += rng.integers(0, np.maximum(self.ways, 1).reshape(-1)[choices[:-1]])
        return Walks(self.letters[letters], self.names[choices // self.width])

    def _choose(self, lengths: IntArray, digits: IntArray, choices: IntArray) -> None:
        """Walks for all examples at once by the digits drawn."""
        place = lengths * self.stride
        boundary = np.empty_like(place)
        for choice, drawn in zip(choices, digits, strict=False):
            choice[:] = place
            for k in range(self.width - 1):
                self.boundaries.take(place + k if k else place, out=boundary, mode="clip")
                choice += drawn >= boundary
            self.following.take(choice, out=place, mode="clip")
        choices[-1] = place

    def _settle(
        self, lengths: IntArray, digits: IntArray, choices: IntArray, rng: np.random.Generator
    ) -> None:
        """Walks again, in exact arithmetic, where the digits drawn are those of a boundary."""
        places = choices[:-1] - choices[:-1] % self.width
        unsettled = np.zeros(len(lengths), dtype=np.bool_)
        for k in range(self.width - 1):
            unsettled |= (digits == self.boundaries[places + k]).any(axis=0)
        for example in unsettled.nonzero()[0].tolist():
            place = int(lengths[example]) * self.stride
            for step, drawn in enumerate(digits[:, example].tolist()):
                to_go, rest = divmod(place, self.stride)
                if to_go:
                    weights = self._weights(to_go)[rest // self.width].tolist()
                    place += choose_exactly(weights, drawn, self.bits, rng)
                choices[step, example] = place
                place = int(self.following[place])
            choices[-1, example] = place


def choose_exactly(weights: list[int], drawn: int, bits: int, rng: np.random.Generator) -> int:
    """A choice with probabilities exactly in the ratio of the weights.

    `drawn` holds the first digits of a uniform real number; more are drawn from `rng` until they decide.

    >>> choose_exactly([1, 1], 0b10, 2, np.random.default_rng(0))
    1
    """
    total = sum(weights)
    begins = list(accumulate(weights))[:-1]
    scale = 1 << bits
    while True:
        surely = sum(begin * scale <= drawn * total for begin in begins)
        perhaps = sum(begin * scale < (drawn + 1) * total for begin in begins)
        if surely == perhaps:
            return surely
        drawn = drawn << bits | int(rng.integers(0, 1 << bits))
        scale <<= bits
