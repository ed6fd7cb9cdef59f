"""Transition monoids, their stable semigroups and idempotents, under a cap."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from longreach.languages.budget import DEFAULT_BUDGET, Budget
from longreach.languages.regular.automaton import Automaton, Word

IntArray = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class TransitionMonoid:
    """All maps of states that words induce; element 0 is the identity, the map of the empty word."""

    automaton: Automaton
    elements: IntArray
    """One row per element: the image of each state."""
    right: IntArray
    """`right[element, letter]` is the element followed by the letter."""
    parent: tuple[tuple[int, int], ...]
    """The element and letter from which each element was first reached; (-1, -1) for the identity."""

    def __len__(self) -> int:
        return len(self.elements)

    def word(self, element: int) -> Word:
        """A shortest word that induces the element."""
        letters: Word = ()
        while element:
            element, letter = self.parent[element]
            letters = (self.automaton.alphabet[letter], *letters)
        return letters

    def semigroup(self) -> IntArray:
        """The elements induced by nonempty words."""
        return np.unique(self.right)


@dataclass(frozen=True, eq=False)
class StableSemigroup:
    """The maps of all words of length s, for the least s such that words of length 2s give the same maps."""

    monoid: TransitionMonoid
    length: int
    members: IntArray
    layers: tuple[BoolArray, ...]
    """Which elements words of length 0, 1, …, s induce."""

    def word(self, element: int) -> Word:
        """A word of length exactly s that induces the element."""
        letters: Word = ()
        for layer in reversed(self.layers[:-1]):
            before, letter = np.nonzero((self.monoid.right == element) & layer[:, None])
            element = int(before[0])
            letters = (self.monoid.automaton.alphabet[int(letter[0])], *letters)
        return letters


def transition_monoid(
    automaton: Automaton, limit: int, budget: Budget = DEFAULT_BUDGET
) -> TransitionMonoid | None:
    """The transition monoid, which is the syntactic monoid; None if it has more than `limit` elements.

    >>> from longreach.languages.regular.expression_to_automaton import from_expression
    >>> len(transition_monoid(from_expression("(ab)*"), 100))
    6
    """
    table = automaton.table.astype(np.uint16)
    rows = [np.arange(len(automaton), dtype=np.uint16)]
    number = {rows[0].tobytes(): 0}
    parent = [(-1, -1)]
    right: list[list[int]] = []
    while len(right) < len(rows):
        # A whole layer at a time: one gather instead of one per element.
        done = len(right)
        budget.check()
        budget.reserve(
            2 * (len(rows) - done) * len(automaton) * len(automaton.alphabet),
            "a layer of the transition monoid",
        )
        products = table[np.stack(rows[done:])]
        for offset in range(len(products)):
            row = []
            for letter in range(len(automaton.alphabet)):
                product = products[offset, :, letter]
                key = product.tobytes()
                if key not in number:
                    if len(rows) >= limit:
                        return None
                    number[key] = len(rows)
                    rows.append(product)
                    parent.append((done + offset, letter))
                row.append(number[key])
            right.append(row)
    return TransitionMonoid(
        automaton, np.stack(rows).astype(np.int64), np.array(right, dtype=np.int64), tuple(parent)
    )


def stable_semigroup(monoid: TransitionMonoid) -> StableSemigroup:
    """The stable semigroup with its length.

    >>> from longreach.languages.regular.expression_to_automaton import from_expression
    >>> stable_semigroup(transition_monoid(from_expression("(aa)*"), 100)).length
    2
    """
    layer = np.zeros(len(monoid), dtype=np.bool_)
    layer[0] = True
    layers = [layer]
    first_seen: dict[bytes, int] = {}
    while True:
        layer = np.zeros(len(monoid), dtype=np.bool_)
        layer[monoid.right[layers[-1]]] = True
        key = np.packbits(layer).tobytes()
        if key in first_seen:
            period = len(layers) - first_seen[key]
            # Layers repeat from here on; the least multiple of the period in the repeating part is stable.
            length = -(-first_seen[key] // period) * period
            break
        first_seen[key] = len(layers)
        layers.append(layer)
    while len(layers) <= length:
        layers.append(layers[len(layers) - period])
    return StableSemigroup(monoid, length, np.flatnonzero(layers[length]), tuple(layers[: length + 1]))


def idempotents(elements: IntArray) -> IntArray:
    """Which rows are idempotent maps."""
    return np.flatnonzero((np.take_along_axis(elements, elements, axis=1) == elements).all(axis=1))


def idempotent_representatives(elements: IntArray) -> list[int]:
    """At least one idempotent of every D-class that has one, and few more; `elements` is a semigroup of
    maps.

    Idempotents with the same image, or the same kernel, lie in one D-class. Chains of such steps need not
    reach every idempotent of the class, so pairs that are left are compared by maps between their images.
    """
    chosen: list[int] = []
    for candidate in _chained(elements, idempotents(elements)):
        image = np.flatnonzero(elements[candidate] == np.arange(elements.shape[1]))
        moved = np.unique(elements[:, image], axis=0)
        if not any(_equivalent(elements, moved, candidate, other) for other in chosen):
            chosen.append(candidate)
    return chosen


def _chained(elements: IntArray, members: IntArray) -> list[int]:
    leader: dict[tuple[str, bytes], int] = {}
    root = {int(e): int(e) for e in members}

    def find(e: int) -> int:
        while root[e] != e:
            root[e] = root[root[e]]
            e = root[e]
        return e

    for e in map(int, members):
        row = elements[e]
        kernel = np.unique(row, return_index=True, return_inverse=True)
        for key in (("image", kernel[0].tobytes()), ("kernel", kernel[1][kernel[2]].tobytes())):
            other = leader.setdefault(key, e)
            root[find(e)] = find(other)
    return sorted({find(int(e)) for e in members}, key=lambda e: (-len(np.unique(elements[e])), e))


def _equivalent(elements: IntArray, moved: IntArray, first: int, second: int) -> bool:
    """Whether maps of the semigroup carry the image of each idempotent onto that of the other."""
    here, there = (np.flatnonzero(elements[e] == np.arange(elements.shape[1])) for e in (first, second))
    if len(here) != len(there):
        return False
    return _onto(elements[second][moved], len(here)) and _onto(elements[first][elements[:, there]], len(here))


def _onto(rows: IntArray, size: int) -> bool:
    return (
        bool((np.sort(rows, axis=1)[:, 1:] != np.sort(rows, axis=1)[:, :-1]).all(axis=1).any()) or size <= 1
    )
