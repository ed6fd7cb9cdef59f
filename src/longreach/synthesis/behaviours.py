"""Behaviours: what operations come to on a tree of words, each known once, by a number.

Operations with equal values at all nodes are one behaviour. What an operation gives on behaviours is looked
up where it has been asked before, so that a program costs a look-up and not an evaluation.
"""

from __future__ import annotations

from enum import IntEnum
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from longreach.crasp import core as c
from longreach.synthesis.key_table import Keys, KeyTable
from longreach.synthesis.program_family import Family
from longreach.synthesis.word_tree import WordTree

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
        """The packed truth values of the Boolean behaviours."""
        return self._bits.values[: self._bits.count]

    @property
    def counts(self) -> Array:
        """The values of the count behaviours."""
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
            return self._counts.intern(tree.count(bits[operands[0]], guard, self.dtype))
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
