"""Summaries of a prefix, and the graph of summaries and states.

A window is followed not by its letters but by what they say: for j = 1, 2, … k the vector that gives for each
state the least length of a prefix from which the last j letters lead there. Windows that say the same are
one, which keeps them few: before a synchronizing word nothing matters. Where the answer is not determined
no word is followed further.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from longreach.errors import InputError
from longreach.theory.budget import OverBudget
from longreach.theory.shares.words import IntArray, WordMeasure


@dataclass(frozen=True, kw_only=True)
class Summary:
    """What is kept of a prefix; by default nothing.

    A prefix shorter than the window is seen whole, and that it is so: the window shows the start.

    >>> Summary(window=2, modulus=3).value("abbab"), Summary(window=2).value("a")
    (((), 2, False, ('a', 'b')), ((), 0, True, ('a',)))
    >>> Summary(clip=2).value("bbab")
    ((('a', 1), ('b', 2)), 0, False, ())
    >>> str(Summary(window=2, modulus=3))
    'last 2 letters, position modulo 3'
    """

    window: int = 0
    """How many of the last letters are seen."""
    modulus: int = 1
    """The number of letters read is known modulo this."""
    clip: int = 0
    """The count of each letter is known up to this, from where on it reads "at least"."""

    def __post_init__(self) -> None:
        for name, least in (("window", 0), ("modulus", 1), ("clip", 0)):
            if getattr(self, name) < least:
                raise InputError(f"the {name} of a summary is at least {least}, not {getattr(self, name)}")

    def value(self, prefix: Sequence[str]) -> tuple[tuple[tuple[str, int], ...], int, bool, tuple[str, ...]]:
        """Of one prefix: clipped counts, residue of the length, whether the start is seen, and the window."""
        counts = {letter: min(prefix.count(letter), self.clip) for letter in sorted(set(prefix))}
        start = len(prefix) - self.window
        clipped = tuple(counts.items()) if self.clip else ()
        return clipped, len(prefix) % self.modulus, start < 0, tuple(prefix[max(start, 0) :])

    def __str__(self) -> str:
        parts = []
        if self.window:
            parts.append("last letter" if self.window == 1 else f"last {self.window} letters")
        if self.modulus > 1:
            parts.append(f"position modulo {self.modulus}")
        if self.clip:
            parts.append(f"letter counts up to {self.clip}")
        return ", ".join(parts) or "nothing"


@dataclass(frozen=True, eq=False, kw_only=True)
class Carried:
    """Live states together with residue and clipped counts, as far as prefixes reach them; first the start.

    The window is not among them: `determinacy` follows what it says instead of its letters.
    """

    states: IntArray
    """The live state of each pair."""
    values: IntArray
    """The number of its residue and counts."""
    targets: IntArray
    """Where each letter leads, of shape (pairs, letters); -1: to no live state."""
    depth: IntArray
    """The length of the shortest prefix that leads there."""


def carried(words: WordMeasure, summary: Summary, most: int) -> Carried:
    """The pairs of live states and what the summary keeps beside its window.

    >>> found = carried(WordMeasure(from_expression("(ab)*")), Summary(modulus=4), 100)
    >>> found.states.tolist(), found.values.tolist(), found.depth.tolist()
    ([0, 1, 0, 1], [0, 1, 2, 3], [0, 1, 2, 3])
    """
    rows = words.targets.tolist()
    start = (0, 0, (0,) * len(words.automaton.alphabet))
    depth = {start: 0}
    queue = [start]
    moves: list[list[int]] = []
    number = {start: 0}
    for here in queue:
        state, residue, counts = here
        moves.append([])
        for letter, target in enumerate(rows[state]):
            if target < 0:
                moves[-1].append(-1)
                continue
            more = list(counts)
            more[letter] = min(more[letter] + 1, summary.clip)
            there = (target, (residue + 1) % summary.modulus, tuple(more))
            if there not in number:
                if len(number) == most:
                    raise OverBudget(f"{summary}: more than the budget of {most} states with their summaries")
                number[there] = len(number)
                depth[there] = depth[here] + 1
                queue.append(there)
            moves[-1].append(number[there])
    values: dict[tuple[int, tuple[int, ...]], int] = {}
    return Carried(
        states=np.array([state for state, _, _ in queue], dtype=np.int64),
        values=np.array([values.setdefault(each[1:], len(values)) for each in queue], dtype=np.int64),
        targets=np.array(moves, dtype=np.int64),
        depth=np.array([depth[each] for each in queue], dtype=np.int64),
    )


MOST_NODES = 200_000
"""Pairs of state and summary that are followed before the work is given up."""
MOST_VECTORS = 20_000
"""Distinct windows."""
NEVER = 1 << 40
"""Longer than any word."""
_START = 0  # the number of the vector that stands for letters before the start
_ALL = 1  # that of the vector of the empty window


@dataclass(frozen=True, eq=False, kw_only=True)
class SummaryGraph:
    """Nodes: a state with the value of the summary, as far as determined prefixes lead; first the start."""

    states: IntArray
    labels: IntArray
    targets: IntArray
    """Of shape (nodes, letters); the number of nodes stands for what is not followed."""
    first: IntArray
    """The least length of a word with a prefix of this value, if beyond the least length asked about."""
    first_label: IntArray
    """The label of that prefix."""
    second: IntArray
    """The least length of a word with a prefix of this value and another label, likewise."""

    def determined(self, within: int) -> npt.NDArray[np.bool_]:
        """At which nodes words up to a length determine the answer."""
        found: npt.NDArray[np.bool_] = (self.first <= within) & (within < self.second)
        found &= self.first_label == self.labels
        return found


def summary_graph(
    words: WordMeasure,
    summary: Summary,
    longest: int,
    *,
    least: int = 0,
    within: int | None = None,
    most: int = MOST_NODES,
) -> SummaryGraph:
    """The graph for words up to a length; raises `OverBudget`.

    It is followed as far as words up to some N determine the answers: N is `within`, or else any number from
    `least` on.

    >>> graph = summary_graph(WordMeasure(from_expression("(ab)*")), Summary(window=1), 10, within=10)
    >>> graph.targets.tolist(), graph.determined(10).tolist()
    ([[1, 3], [3, 2], [1, 3]], [True, True, True])
    """
    return _Exploration(words, summary, least, within, most).graph(longest)


class _Exploration:
    """Finds the nodes, letter by letter from the start."""

    def __init__(
        self, words: WordMeasure, summary: Summary, least: int, within: int | None, most: int
    ) -> None:
        self.summary, self.most = summary, most
        self.fixed = within is not None
        self.least = least if within is None else within
        self.pairs: Carried = carried(words, summary, most)
        self.labels = words.labels[self.pairs.states]
        self.to_end = words.to_end[self.pairs.states]
        # Only lengths from `least` on are asked about: what is in play by then need not be told apart.
        floor = self.least - summary.window - int(self.to_end.max())
        self.vectors = [np.zeros(0, dtype=np.int64), np.maximum(self.pairs.depth, floor)]
        self.numbers = {self.vectors[_ALL].tobytes(): _ALL}
        letters = self.pairs.targets.shape[1]
        self.pushed = np.full((2, letters), _START, dtype=np.int64)
        self.ready = np.array([True, False])
        self.meanings: dict[int, tuple[IntArray, IntArray, IntArray]] = {}

    def graph(self, longest: int) -> SummaryGraph:
        window = self.summary.window
        rows = np.zeros((1, 1 + window), dtype=np.int64)  # a pair, then a vector for each number of letters
        numbers = {rows.tobytes(): 0}
        found: list[IntArray] = []
        tables: list[tuple[IntArray, IntArray, IntArray]] = []
        targets: list[IntArray] = []
        for done in range(longest + 1):
            found.append(rows)
            tables.append(self._judged(rows, done))
            open_ = self._worth_following(rows, *tables[-1])
            there = np.full((len(rows), self.pushed.shape[1]), -1, dtype=np.int64)
            fresh: list[IntArray] = []
            if done < longest:
                for letter, (places, moved) in enumerate(self._successors(rows, open_)):
                    for place, row in zip(places.tolist(), moved, strict=True):
                        key = row.tobytes()
                        known = numbers.get(key)
                        if known is None:
                            known = numbers[key] = len(numbers)
                            fresh.append(row)
                        there[place, letter] = known
                if len(numbers) > self.most:
                    what = f"more than the budget of {self.most} states with their summaries"
                    raise OverBudget(f"{self.summary}: {what}")
            targets.append(there)
            if not fresh:
                break
            rows = np.array(fresh)
        nodes = np.concatenate(found)
        moves = np.concatenate(targets)
        first, first_label, second = (np.concatenate(parts) for parts in zip(*tables, strict=True))
        return SummaryGraph(
            states=self.pairs.states[nodes[:, 0]],
            labels=self.labels[nodes[:, 0]],
            targets=np.where(moves < 0, len(nodes), moves),
            first=first,
            first_label=first_label,
            second=second,
        )

    def _worth_following(
        self, rows: IntArray, first: IntArray, first_label: IntArray, second: IntArray
    ) -> IntArray:
        """The places of nodes that some of the lengths asked about determine."""
        good = second > self.least
        if self.fixed:
            good &= (first <= self.least) & (first_label == self.labels[rows[:, 0]])
        return np.flatnonzero(good)

    def _successors(self, rows: IntArray, open_: IntArray) -> Iterator[tuple[IntArray, IntArray]]:
        """For each letter: the places of rows from which it may come, and the rows after it."""
        self._push(np.append(np.unique(rows[:, 1:]), _ALL))
        for letter in range(self.pushed.shape[1]):
            targets = self.pairs.targets[rows[open_, 0], letter]
            places = open_[targets >= 0]
            moved = np.empty((len(places), rows.shape[1]), dtype=np.int64)
            moved[:, 0] = targets[targets >= 0]
            if self.summary.window:
                moved[:, 1] = self.pushed[_ALL, letter]
                moved[:, 2:] = self.pushed[rows[places, 1:-1], letter]
            yield places, moved

    def _push(self, wanted: IntArray) -> None:
        """What windows say after one more letter."""
        for number in wanted[~self.ready[wanted]].tolist():
            vector = self.vectors[number]
            reached = vector < NEVER
            for letter in range(self.pushed.shape[1]):
                targets = self.pairs.targets[:, letter]
                legal = reached & (targets >= 0)
                moved = np.full_like(vector, NEVER)
                np.minimum.at(moved, targets[legal], vector[legal])
                self.pushed[number, letter] = self._number(moved)
            self.ready[number] = True

    def _number(self, vector: IntArray) -> int:
        key = vector.tobytes()
        if key not in self.numbers:
            if len(self.vectors) >= MOST_VECTORS:
                raise OverBudget(f"{self.summary}: more than {MOST_VECTORS:,} distinct windows (budget)")
            self.numbers[key] = len(self.vectors)
            self.vectors.append(vector)
            if len(self.vectors) > len(self.ready):
                self.pushed = np.concatenate([self.pushed, np.zeros_like(self.pushed)])
                self.ready = np.concatenate([self.ready, np.zeros_like(self.ready)])
        return self.numbers[key]

    def _judged(self, rows: IntArray, done: int) -> tuple[IntArray, IntArray, IntArray]:
        """For each node when its value is first seen, with which label, and when with another."""
        pairs = rows[:, 0]
        if done < self.summary.window:  # the whole prefix is seen
            return done + self.to_end[pairs], self.labels[pairs], np.full(len(rows), NEVER)
        last = rows[:, -1] if self.summary.window else np.full(len(rows), _ALL)
        found = np.empty((3, len(rows)), dtype=np.int64)
        for number in np.unique(last).tolist():
            here = last == number
            found[:, here] = [says[self.pairs.values[pairs[here]]] for says in self._meaning(number)]
        return found[0], found[1], found[2]

    def _meaning(self, number: int) -> tuple[IntArray, IntArray, IntArray]:
        """What one vector says, for each value of residue and counts."""
        if number not in self.meanings:
            vector, values = self.vectors[number], self.pairs.values
            shape = (int(values.max()) + 1, int(self.labels.max()) + 2)
            seen = np.full(shape, NEVER, dtype=np.int64)  # one column more, in which nothing is seen
            total = np.where(vector < NEVER, vector + self.to_end + self.summary.window, NEVER)
            np.minimum.at(seen, (values, self.labels), total)
            two = np.partition(seen, 1, axis=1)
            self.meanings[number] = (two[:, 0], seen.argmin(axis=1), two[:, 1])
        return self.meanings[number]
