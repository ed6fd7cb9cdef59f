"""Behaviours of operations on all words of the tree, and sets of programs that share them.

Operations with equal values at all nodes are one behaviour. What an operation gives on behaviours is looked
up where it has been asked before, so that a program costs a look-up and not an evaluation.

Whatever can follow a program depends on the set of its operations' behaviours, not on their order, so
programs with one set are one. Rows of a table are sets of one shape: so many Boolean behaviours, so many
counts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import IntEnum
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from longreach.theory.crasp import core as c
from longreach.theory.search.space import Family, WordTree

Keys = NDArray[np.uint64]
Values = NDArray[np.int32]
_SPREAD = np.uint64(0x9E3779B97F4A7C15)
LOAD = 0.5
"""How full the table gets before it is doubled."""


class KeyTable:
    """Keys are positive and below 2⁶⁴, values at least 0; open addressing with linear probing.

    >>> table = KeyTable()
    >>> table.insert(np.array([7, 9], np.uint64), np.array([0, 1], np.int32))
    >>> table.find(np.array([9, 8, 7], np.uint64)).tolist()
    [1, -1, 0]
    """

    def __init__(self, bits: int = 10) -> None:
        self._bits = bits
        self._keys: Keys = np.zeros(1 << bits, np.uint64)
        self._values: Values = np.full(1 << bits, -1, np.int32)
        self._count = 0

    def __len__(self) -> int:
        return self._count

    @property
    def nbytes(self) -> int:
        return self._keys.nbytes + self._values.nbytes

    def _slots(self, keys: Keys) -> NDArray[np.int64]:
        return ((keys * _SPREAD) >> np.uint64(64 - self._bits)).astype(np.int64)

    def find(self, keys: Keys) -> Values:
        """The value of each key; −1 where there is none."""
        slots = self._slots(keys)
        there = self._keys[slots]
        found = np.where(there == keys, self._values[slots], np.int32(-1))
        # Few are left after the first look: those whose place is another key's.
        open_ = np.flatnonzero((there != keys) & (there != 0))
        last = len(self._keys) - 1
        while len(open_):
            at = slots[open_] = (slots[open_] + 1) & last
            there = self._keys[at]
            hit = there == keys[open_]
            found[open_[hit]] = self._values[at[hit]]
            open_ = open_[~hit & (there != 0)]
        return found

    def insert(self, keys: Keys, values: Values) -> None:
        """Add distinct new keys."""
        while self._count + len(keys) > LOAD * len(self._keys):
            self._double()
        self._place(keys, values)
        self._count += len(keys)

    def _double(self) -> None:
        kept = self._keys != 0
        keys, values = self._keys[kept], self._values[kept]
        self._bits += 1
        self._keys = np.zeros(1 << self._bits, np.uint64)
        self._values = np.full(1 << self._bits, -1, np.int32)
        self._place(keys, values)

    def _place(self, keys: Keys, values: Values) -> None:
        slots, last = self._slots(keys), len(self._keys) - 1
        while len(keys):
            free = self._keys[slots] == 0
            # Of several keys that want one slot the last writer gets it; the others move on.
            self._keys[slots[free]] = keys[free]
            placed = free & (self._keys[slots] == keys)
            self._values[slots[placed]] = values[placed]
            keys, values, slots = keys[~placed], values[~placed], (slots[~placed] + 1) & last


Numbers: TypeAlias = NDArray[np.int32]
Array: TypeAlias = NDArray[Any]
BATCH = 4096
"""Rows that are evaluated at once: they stay in the cache."""
MOST = 1 << 21
"""Behaviours of a sort: three numbers make one key."""


class Kind(IntEnum):
    """The operations with operands; counts with a relation have kinds of their own from COUNT on."""

    NOT = 0
    AND = 1
    LEQ = 2
    ADD = 3
    SUBTRACT = 4
    CONDITIONAL = 5
    COUNT = 6


OPERATIONS: dict[int, Callable[..., c.Op]] = {
    Kind.NOT: c.Not,
    Kind.AND: c.And,
    Kind.LEQ: c.Leq,
    Kind.ADD: c.Add,
    Kind.SUBTRACT: c.Subtract,
    Kind.CONDITIONAL: c.Conditional,
}
"""All but counts."""
BOOLEAN_KINDS = (Kind.NOT, Kind.AND, Kind.LEQ)


class _Rows:
    """Distinct rows of one sort, numbered in the order in which they come."""

    def __init__(self, width: int, dtype: np.dtype[Any], rng: np.random.Generator) -> None:
        self.values: Array = np.zeros((64, width), dtype)
        self.count = 0
        words = -(-width * dtype.itemsize // 8)
        self._odd = rng.integers(0, 1 << 63, (2, words), np.uint64) * np.uint64(2) + np.uint64(1)
        self._table = KeyTable()

    @property
    def nbytes(self) -> int:
        return self.values.nbytes + self._table.nbytes

    def intern(self, rows: Array) -> Numbers:
        """The number of each row, new ones added."""
        keys = self._keys(rows)
        unique, first, inverse = np.unique(keys, return_index=True, return_inverse=True)
        found = self._table.find(unique)
        order = np.argsort(first[found < 0])  # numbers follow the order of the rows
        fresh = np.flatnonzero(found < 0)[order]
        found[fresh] = np.arange(self.count, self.count + len(fresh))
        self._append(rows[first[fresh]])
        self._table.insert(unique[fresh], found[fresh])
        numbers: Numbers = found[inverse]
        if not np.array_equal(self.values[numbers], rows):  # then equal keys would not mean equal rows
            raise RuntimeError("two behaviours have one key; another random seed is needed")
        return numbers

    def _append(self, rows: Array) -> None:
        end = self.count + len(rows)
        if end > len(self.values):
            grown = np.zeros((max(end, 2 * len(self.values)), self.values.shape[1]), self.values.dtype)
            grown[: self.count] = self.values[: self.count]
            self.values = grown
        self.values[self.count : end] = rows
        self.count = end

    def _keys(self, rows: Array) -> Keys:
        """A key per row: equal rows have equal keys, others hardly ever."""
        plain = np.ascontiguousarray(rows).view(np.uint8).reshape(len(rows), -1)
        padded = plain
        if plain.shape[1] % 8:
            padded = np.zeros((len(plain), self._odd.shape[1] * 8), np.uint8)
            padded[:, : plain.shape[1]] = plain
        numbers = padded.view(np.uint64)
        mixed = (numbers ^ (numbers >> np.uint64(31))) * self._odd[0]
        mixed ^= mixed >> np.uint64(29)
        keys: Keys = (mixed * self._odd[1]).sum(axis=1, dtype=np.uint64)
        return np.maximum(keys, np.uint64(1))


class Behaviours:
    """The behaviours of a family's operations on a tree of words.

    >>> found = Behaviours(WordTree.of("ab", length=3), Family())
    >>> [str(op) for op in found.atoms]
    ["Token(symbol='a')", "Token(symbol='b')", 'Top()', 'One()']
    """

    def __init__(self, tree: WordTree, family: Family, *, dtype: str = "int16") -> None:
        self.tree, self.family = tree, family
        rng = np.random.default_rng(0)
        self.dtype = np.dtype(dtype)
        self._bits = _Rows(tree.width, np.dtype(np.uint64), rng)
        self._counts = _Rows(len(tree), self.dtype, rng)
        self.guards = family.guards
        self._results = [KeyTable() for _ in range(Kind.COUNT + len(self.guards))]
        self.atoms: dict[c.Op, int] = {}
        """Operations without operands, with their numbers; those that say the same as one before are left
        out.
        """
        tests: list[c.Op] = [*(c.Token(letter) for letter in tree.alphabet), c.Top(), *family.position_tests]
        for op in tests:
            number = int(self._bits.intern(tree.pack(self._truth(op)[None]))[0])
            if number not in self.atoms.values():
                self.atoms[op] = number
        self.one = int(self._counts.intern(np.ones((1, len(tree)), self.dtype))[0])
        self.atoms[c.One()] = self.one

    def _truth(self, op: c.Op) -> NDArray[np.bool_]:
        match op:
            case c.Token(symbol):
                return self.tree.token(self.tree.alphabet.index(symbol))
            case c.Periodic(modulus, residues):
                return self.tree.position(modulus, residues)
            case _:
                return np.ones(len(self.tree), bool)

    @property
    def bits(self) -> Array:
        return self._bits.values[: self._bits.count]

    @property
    def counts(self) -> Array:
        return self._counts.values[: self._counts.count]

    def restore(self, bits: Array, counts: Array) -> None:
        """Take in behaviours that were known before, with their numbers; a ValueError if they do not fit."""
        for rows, values in ((self._bits, bits), (self._counts, counts)):
            if values.shape[1:] != rows.values.shape[1:] or values.dtype != rows.values.dtype:
                raise ValueError("behaviours of another tree of words")
            if not np.array_equal(rows.intern(values), np.arange(len(values))):
                raise ValueError("behaviours in another order")

    @property
    def nbytes(self) -> int:
        return self._bits.nbytes + self._counts.nbytes + sum(table.nbytes for table in self._results)

    def apply(self, kind: int, *operands: Numbers) -> Numbers:
        """The behaviour of an operation on behaviours, for arrays of operands."""
        keys = _joined(operands)
        table = self._results[kind]
        found = table.find(keys)
        missing = np.flatnonzero(found < 0)
        if len(missing):
            _, first = np.unique(keys[missing], return_index=True)
            first.sort()
            rows = missing[first]
            for start in range(0, len(rows), BATCH):
                some = rows[start : start + BATCH]
                table.insert(keys[some], self._evaluate(kind, *(each[some] for each in operands)))
            found[missing] = table.find(keys[missing])
        return found

    def _evaluate(self, kind: int, *operands: Numbers) -> Numbers:
        bits, counts = self._bits.values, self._counts.values
        tree = self.tree
        if kind >= Kind.COUNT:
            guard = self.guards[kind - Kind.COUNT]
            return self._counts.intern(tree.count(tree.unpack(bits[operands[0]]), guard, self.dtype))
        match kind:
            case Kind.NOT:
                return self._bits.intern(bits[operands[0]] ^ tree.everywhere)
            case Kind.AND:
                return self._bits.intern(bits[operands[0]] & bits[operands[1]])
            case Kind.LEQ:
                return self._bits.intern(tree.pack(counts[operands[0]] <= counts[operands[1]]))
            case Kind.ADD:
                return self._counts.intern(counts[operands[0]] + counts[operands[1]])
            case Kind.SUBTRACT:
                return self._counts.intern(counts[operands[0]] - counts[operands[1]])
            case _:
                test = tree.unpack(bits[operands[0]])
                return self._counts.intern(np.where(test, counts[operands[1]], counts[operands[2]]))


def _joined(operands: tuple[Numbers, ...]) -> Keys:
    keys = operands[0].astype(np.uint64) + np.uint64(1)
    for each in operands[1:]:
        keys = keys * np.uint64(MOST) + each.astype(np.uint64)
    return keys


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
        return sum(column.nbytes for column in vars(self).values())

    def take(self, rows: NDArray[np.int64] | slice) -> Sets:
        return Sets(*(column[rows] for column in vars(self).values()))

    def chunks(self, size: int) -> Iterator[Sets]:
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
    none = np.zeros((1, 0), np.int32)
    return Sets(none, none, np.zeros(1, np.uint32), np.ones(1, np.uint64))


def concatenated(parts: list[Sets]) -> Sets:
    """Sets of one shape, one after another."""
    return Sets(*map(np.concatenate, zip(*(vars(part).values() for part in parts), strict=True)))


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
        columns = {*self.booleans, *(width + column for column in self.counts)}
        return sum(1 << column for column in columns)

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
