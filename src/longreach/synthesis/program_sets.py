"""Sets of behaviours: a straight-line program is known by the behaviours of its operations alone.

Whatever can follow a program depends on the set of its operations' behaviours, not on their order, so
programs with one set are one. Rows of a table are sets of one shape: so many Boolean behaviours, so many
counts.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from longreach.synthesis.behaviours import BOOLEAN_KINDS, Behaviours, Kind, Numbers
from longreach.synthesis.key_table import Keys

Masks: TypeAlias = NDArray[np.uint32]
Shape: TypeAlias = tuple[int, int]


@dataclass(frozen=True, eq=False)
class Sets:
    """Sets of one shape; the numbers of a row increase within each sort."""

    booleans: Numbers
    counts: Numbers
    unused: Masks
    """A bit per column, Boolean ones first: surely read by no other operation of the set, however it is
    written.
    """
    keys: Keys
    """A number per set that does not depend on the order of its elements."""

    def __len__(self) -> int:
        return len(self.keys)

    @property
    def shape(self) -> Shape:
        return self.booleans.shape[1], self.counts.shape[1]

    @property
    def nbytes(self) -> int:
        return self.booleans.nbytes + self.counts.nbytes + self.unused.nbytes + self.keys.nbytes

    def take(self, rows: NDArray[np.int64] | slice) -> Sets:
        """Some of the sets."""
        return Sets(self.booleans[rows], self.counts[rows], self.unused[rows], self.keys[rows])

    def chunks(self, size: int) -> Iterator[Sets]:
        """All of them, in pieces."""
        for start in range(0, len(self), size):
            yield self.take(slice(start, start + size))

    def extended(self, results: Numbers, boolean: bool, used: int) -> Sets:
        """Each set with one more behaviour, which reads the columns of `used` (a bit each)."""
        columns = self.booleans if boolean else self.counts
        place = (columns < results[:, None]).sum(axis=1, dtype=np.uint32)
        if not boolean:
            place += np.uint32(self.shape[0])
        one = np.uint32(1)
        left = self.unused & ~np.uint32(used)
        below = left & ((one << place) - one)
        unused = below | ((left ^ below) << one) | (one << place)
        grown = np.concatenate([columns, results[:, None]], axis=1)
        grown.sort(axis=1)
        keys = self.keys + element_keys(results, boolean)
        return Sets(
            grown if boolean else self.booleans,
            self.counts if boolean else grown,
            unused.astype(np.uint32),
            keys,
        )


def start() -> Sets:
    """The empty set alone."""
    none = np.zeros((1, 0), np.int32)
    return Sets(none, none, np.zeros(1, np.uint32), np.ones(1, np.uint64))


def concatenated(parts: list[Sets]) -> Sets:
    """Sets of one shape, one after another."""
    return Sets(
        np.concatenate([part.booleans for part in parts]),
        np.concatenate([part.counts for part in parts]),
        np.concatenate([part.unused for part in parts]),
        np.concatenate([part.keys for part in parts]),
    )


def element_keys(numbers: Numbers, boolean: bool) -> Keys:
    """A random-looking number for each behaviour (mixed as by SplitMix64); a set's key is their sum."""
    mixed = (numbers.astype(np.uint64) * np.uint64(2) + np.uint64(boolean)) * np.uint64(0x9E3779B97F4A7C15)
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return mixed ^ (mixed >> np.uint64(31))


@dataclass(frozen=True, slots=True)
class Step:
    """An operation by its kind and the columns that it reads; an atom has its behaviour instead."""

    kind: int
    booleans: tuple[int, ...] = ()
    counts: tuple[int, ...] = ()
    atom: int | None = None

    @property
    def gives_boolean(self) -> bool:
        return self.kind in BOOLEAN_KINDS

    def used(self, width: int) -> int:
        """A bit per column that is read; `width` Boolean columns come first."""
        bits = 0
        for column in self.booleans:
            bits |= 1 << column
        for column in self.counts:
            bits |= 1 << (width + column)
        return bits

    def results(self, behaviours: Behaviours, sets: Sets) -> Numbers:
        """What it gives for each set."""
        if self.atom is not None:
            return np.full(len(sets), self.atom, np.int32)
        operands = [sets.booleans[:, k] for k in self.booleans] + [sets.counts[:, k] for k in self.counts]
        return behaviours.apply(self.kind, *operands)


def steps(shape: Shape, guards: int) -> Iterator[Step]:
    """All operations with operands on sets of a shape, up to the order of operands that may be exchanged.

    P ∧ P, C ≤ C and P ? C : C are left out: they say what P, ⊤ and C say.
    """
    booleans, counts = range(shape[0]), range(shape[1])
    for p in booleans:
        yield Step(Kind.NOT, (p,))
        for guard in range(guards):
            yield Step(Kind.COUNT + guard, (p,))
        for q in range(p + 1, shape[0]):
            yield Step(Kind.AND, (p, q))
    for a in counts:
        for b in counts:
            if a != b:
                yield Step(Kind.LEQ, (), (a, b))
            if a <= b:
                yield Step(Kind.ADD, (), (a, b))
            yield Step(Kind.SUBTRACT, (), (a, b))
            if a != b:
                for p in booleans:
                    yield Step(Kind.CONDITIONAL, (p,), (a, b))
