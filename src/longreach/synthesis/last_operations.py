"""Which sets of behaviours are two operations away from a target: a fast test that forgets none.

Only some words are looked at: 64 for truth values, a few for counts. Sets that pass are few, and are then
extended in full. A difference is never the last operation but one: C1 − C2 ≤ C3 is C1 ≤ C2 + C3, and as
long. For a conditional the two branches are tried apart: P ? C1 : C2 ≤ C3 where P holds is C1 ≤ C3, and
elsewhere C2 ≤ C3.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from longreach.crasp.core import is_boolean
from longreach.synthesis.behaviours import Array, Behaviours, Kind
from longreach.synthesis.program_sets import Sets
from longreach.synthesis.word_tree import Bits

Hits = NDArray[np.bool_]
NODES = 16
"""Words on which counts are compared."""


class Finisher:
    """Tests sets against the labels of words, as far as these are known."""

    def __init__(self, behaviours: Behaviours, said: Bits, known: Bits) -> None:
        self._behaviours = behaviours
        self._labels = said, known
        self._word = int(np.argmax(np.bitwise_count(known)))
        self._said, self._known = said[self._word], known[self._word]
        truth = behaviours.tree.unpack(np.stack([said, known]))
        self._nodes = _spread(truth[0], truth[1])
        self._signs = _as_numbers(truth[0][self._nodes][None])[0]

    def right(self, numbers: Array) -> Hits:
        """Whether behaviours have the labels, on all words."""
        said, known = self._labels
        found: Hits = (((self._behaviours.bits[numbers] ^ said) & known) == 0).all(axis=1)
        return found

    def rows(self, sets: Sets) -> NDArray[np.int64]:
        """The sets that may be two operations away; all that are, and few others."""
        hit = np.zeros(len(sets), bool)
        if not len(sets):
            return np.flatnonzero(hit)
        booleans = [self._packed(sets.booleans[:, k]) for k in range(sets.shape[0])]
        lower = self._comparisons(sets)
        self._by_tests(hit, booleans, lower)
        self._by_conditionals(hit, booleans, lower)
        self._by_sums(hit, sets)
        return np.flatnonzero(hit)

    def _packed(self, numbers: Array) -> Array:
        packed: Array = self._behaviours.bits[numbers, self._word]
        return packed

    def _wrong(self, bits: Array) -> Array:
        """The words on which truth values are not as wanted."""
        wrong: Array = (bits ^ self._said) & self._known
        return wrong

    def _comparisons(self, sets: Sets) -> dict[tuple[int, int], Array]:
        """C1 ≤ C2 for all pairs of columns."""
        found: dict[tuple[int, int], Array] = {}
        for a in range(sets.shape[1]):
            for b in range(sets.shape[1]):
                if a == b:
                    found[a, b] = np.full(len(sets), self._behaviours.tree.everywhere[self._word])
                else:
                    results = self._behaviours.apply(Kind.LEQ, sets.counts[:, a], sets.counts[:, b])
                    found[a, b] = self._packed(results)
        return found

    def _by_tests(self, hit: Hits, booleans: list[Array], lower: dict[tuple[int, int], Array]) -> None:
        """The last operation is ¬P or P ∧ Q, with P new."""
        fresh = [~p for p in booleans]
        fresh += [p & q for k, p in enumerate(booleans) for q in booleans[:k]]
        fresh += [bits for (a, b), bits in lower.items() if a != b]
        for op, number in self._behaviours.atoms.items():
            if is_boolean(op):
                fresh.append(np.full(len(hit), self._behaviours.bits[number, self._word]))
        for p in fresh:
            hit |= self._wrong(~p) == 0
            for q in booleans:
                hit |= self._wrong(p & q) == 0

    def _by_conditionals(self, hit: Hits, booleans: list[Array], lower: dict[tuple[int, int], Array]) -> None:
        """The last operation compares P ? C1 : C2 with C3."""
        wrong = {pair: self._wrong(bits) for pair, bits in lower.items()}
        counts = range(max((a + 1 for a, _ in lower), default=0))
        for p in booleans:
            for c in counts:
                for pairs in ([(a, c) for a in counts], [(c, a) for a in counts]):
                    then = np.zeros(len(hit), bool)
                    other = np.zeros(len(hit), bool)
                    for pair in pairs:
                        then |= (wrong[pair] & p) == 0
                        other |= (wrong[pair] & ~p) == 0
                    hit |= then & other

    def _by_sums(self, hit: Hits, sets: Sets) -> None:
        """The last operation compares a new count, sum or 1 with an old count."""
        values = self._behaviours.counts[:, self._nodes]
        old = [values[sets.counts[:, k]] for k in range(sets.shape[1])]
        for fresh in self._fresh_counts(sets, values, old):
            for c in old:
                hit |= self._as_wanted(fresh <= c)
                hit |= self._as_wanted(c <= fresh)

    def _fresh_counts(self, sets: Sets, values: Array, old: list[Array]) -> Iterator[Array]:
        yield values[self._behaviours.one][None]
        for k, a in enumerate(old):
            for b in old[: k + 1]:
                yield a + b
        for guard in range(len(self._behaviours.guards)):
            for k in range(sets.shape[0]):
                results = self._behaviours.apply(Kind.COUNT + guard, sets.booleans[:, k])
                yield self._behaviours.counts[results[:, None], self._nodes]

    def _as_wanted(self, truth: Hits) -> Hits:
        found: Hits = (_as_numbers(truth) == self._signs).all(axis=1)
        return found


def _as_numbers(truth: Hits) -> Array:
    """Rows of 16 truth values as two numbers."""
    return np.ascontiguousarray(truth).view(np.uint64)


def _spread(said: Hits, known: Hits) -> NDArray[np.int64]:
    """Known words of both labels, among short and long ones; some more than once where there are few."""
    nodes: list[int] = []
    for label in (True, False):
        of_label = np.flatnonzero(known & (said == label))
        if not len(of_label):
            of_label = np.flatnonzero(known)
        nodes += of_label[np.linspace(0, len(of_label) - 1, NODES // 2).round().astype(int)].tolist()
    return np.array(nodes)


def two_more(shape: tuple[int, int], guards: int) -> int:
    """How many programs the test decides for a set: all pairs of last operations of which one reads the
    other.
    """
    booleans, counts = shape
    tests = booleans + booleans * (booleans - 1) // 2 + counts * (counts - 1)
    numbers = (
        1 + counts * (counts + 1) // 2 + counts**2 + guards * booleans + booleans * counts * (counts - 1)
    )
    return tests * (1 + booleans) + numbers * 2 * counts
