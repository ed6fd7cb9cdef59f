"""What a search ranges over: families of programs, and the tree of words they are run on.

An operation has one value per node: the value at the last position of the word that leads there. Truth values
are packed, 64 nodes in a number; counts are small integers.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, pairwise
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import DTypeLike, NDArray

from longreach.errors import Field, InputError, near_names
from longreach.theory.crasp import core as c
from longreach.theory.crasp.core import Core, Periodic
from longreach.theory.program_class import class_name

Bits: TypeAlias = NDArray[np.uint64]
"""Truth values: rows of packed nodes."""
Counts: TypeAlias = NDArray[np.signedinteger[Any]]
"""Counts: rows with one entry per node."""
Truth: TypeAlias = NDArray[np.bool_]
Word: TypeAlias = tuple[str, ...]
MOST_NODES = 1 << 20


@dataclass(frozen=True, eq=False)
class WordTree:
    """Nodes in order of length; the first is the empty word.

    >>> tree = WordTree.of("ab", length=2)
    >>> len(tree), tree.words[4]
    (7, ('a', 'b'))
    """

    alphabet: tuple[str, ...]
    parents: NDArray[np.int32]
    """The node of the word without its last letter."""
    letters: NDArray[np.int32]
    """The last letter, by its place in the alphabet; −1 for the empty word."""
    starts: tuple[int, ...]
    """The first node of each length, and the number of nodes."""

    @staticmethod
    def of(alphabet: Iterable[str], length: int = 0, words: Iterable[Sequence[str]] = ()) -> WordTree:
        """All words up to a length, and further words with their beginnings."""
        letters = tuple(alphabet)
        place = {letter: number for number, letter in enumerate(letters)}
        if len(place) != len(letters) or not letters:
            raise InputError("an alphabet has distinct letters, at least one")
        total = sum(len(letters) ** size for size in range(length + 1))
        if total > MOST_NODES:
            raise InputError(f"{total} words up to length {length} are more than {MOST_NODES}")
        nodes: list[dict[tuple[int, ...], int]] = [{(): 0}]
        for size in range(1, length + 1):
            nodes.append({(*word, k): 0 for word in nodes[size - 1] for k in range(len(letters))})
        for word in words:
            try:
                codes = tuple(place[letter] for letter in word)
            except KeyError as missing:
                raise InputError(f"token {missing} is not in the alphabet {' '.join(letters)}") from None
            nodes += [{} for _ in range(len(codes) + 1 - len(nodes))]
            for size in range(length + 1, len(codes) + 1):
                nodes[size].setdefault(codes[:size], 0)
        parents, last, starts = [0], [-1], [0, 1]
        for size, level in enumerate(nodes[1:], 1):
            for number, code in enumerate(level, starts[size]):
                parents.append(nodes[size - 1][code[:-1]])
                last.append(code[-1])
                level[code] = number
            starts.append(starts[size] + len(level))
        return WordTree(letters, np.array(parents, np.int32), np.array(last, np.int32), tuple(starts))

    def __len__(self) -> int:
        return len(self.parents)

    @property
    def longest(self) -> int:
        return len(self.starts) - 2

    @cached_property
    def lengths(self) -> NDArray[np.int64]:
        return np.repeat(np.arange(self.longest + 1), np.diff(self.starts))

    @cached_property
    def words(self) -> tuple[Word, ...]:
        found: list[Word] = [()]
        for parent, letter in zip(self.parents[1:].tolist(), self.letters[1:].tolist(), strict=True):
            found.append((*found[parent], self.alphabet[letter]))
        return tuple(found)

    @property
    def width(self) -> int:
        """Packed numbers of a row."""
        return -(-len(self) // 64)

    @cached_property
    def everywhere(self) -> Bits:
        row: Bits = self.pack(np.ones((1, len(self)), bool))[0]
        return row

    @property
    def nowhere(self) -> Truth:
        return np.zeros(len(self), bool)

    def pack(self, truth: Truth) -> Bits:
        """Rows of truth values as rows of numbers."""
        packed = np.zeros((len(truth), self.width * 8), np.uint8)
        packed[:, : -(-len(self) // 8)] = np.packbits(truth, axis=1, bitorder="little")
        return packed.view(np.uint64)

    def unpack(self, bits: Bits) -> Truth:
        rows = np.ascontiguousarray(bits).view(np.uint8)
        return np.unpackbits(rows, axis=1, count=len(self), bitorder="little").view(np.bool_)

    def token(self, letter: int) -> Truth:
        here: Truth = self.letters == letter
        return here

    def position(self, modulus: int, residues: Sequence[int]) -> Truth:
        """Where the length has one of the residues."""
        return np.isin(self.lengths % modulus, residues)

    def count(self, truth: Truth, distances: Sequence[int] | None, dtype: DTypeLike = np.int64) -> Counts:
        """#[j ≤ i] of a row of truth values or of many, or of the positions at the distances.

        The empty word counts nothing.
        """
        found = np.zeros(truth.shape, dtype)
        if distances is None:
            for start, end in pairwise(self.starts[1:]):
                found[..., start:end] = found[..., self.parents[start:end]] + truth[..., start:end]
            return found
        padded = np.concatenate([truth, np.zeros((*truth.shape[:-1], 1), bool)], axis=-1)
        for distance in distances:
            found += padded[..., self._before(distance)]
        return found

    def per_length(self, rows: NDArray[Any]) -> NDArray[np.int64]:
        """Sums over the words of each length."""
        return np.add.reduceat(rows.astype(np.int64), self.starts[:-1], axis=-1)

    def _before(self, distance: int) -> NDArray[np.int64]:
        """The node so many letters before each; one past the last where there is no such letter."""
        nodes: NDArray[np.signedinteger[Any]] = np.arange(len(self))
        for _ in range(distance):
            nodes = self.parents[nodes]
        return np.where(self.lengths > distance, nodes, len(self))


Value: TypeAlias = NDArray[Any]


class _Arrays(c.Algebra):
    def negate(self, value: Value) -> Value:
        return ~value

    def both(self, left: Value, right: Value) -> Value:
        return left & right

    def choose(self, test: Value, then: Value, other: Value) -> Value:
        return np.where(test, then, other)


_ARRAYS = _Arrays()


def operation_value(op: c.Op, values: Sequence[Value], tree: WordTree) -> Value:
    """An operation at every node, from the values of those before it."""
    match op:
        case c.Token(symbol):
            return tree.token(tree.alphabet.index(symbol)) if symbol in tree.alphabet else tree.nowhere
        case c.Periodic(modulus, residues):
            return tree.position(modulus, residues)
        case c.Count(body, distances):
            return tree.count(values[body], distances)
        case c.Top():
            return ~tree.nowhere
        case c.One():
            return np.ones(len(tree), np.int64)
        case _:
            value: Value = _ARRAYS.value(op, values.__getitem__)
            return value


def accepted_on(core: Core, tree: WordTree) -> Truth:
    """Whether an acceptor accepts the word of each node.

    >>> accepted_on(parse('P = # "a" >= # "b"').core, WordTree.of("ab", length=1)).tolist()
    [True, True, False]
    """
    assert core.accept is not None
    values: list[Value] = []
    for op in core.ops:
        values.append(operation_value(op, values, tree))
    return values[core.accept]


MODULUS: Final = 2
DISTANCE: Final = 1
LARGEST_MODULUS: Final = 8
LARGEST_DISTANCE: Final = 6
"""A family has as many relations as there are sets of residues and of distances."""


@dataclass(frozen=True, kw_only=True)
class Family:
    """C-RASP[∅] with position tests up to a modulus and counts of near positions up to a distance.

    >>> Family.named("both").class_name
    'C-RASP[periodic, local]'
    """

    modulus: int = 1
    """The largest modulus of a position test; 1: none."""
    distance: int = 0
    """The largest distance of a local relation; 0: none."""

    def __post_init__(self) -> None:
        if not 1 <= self.modulus <= LARGEST_MODULUS:
            raise InputError(f"must be 1 to {LARGEST_MODULUS}, not {self.modulus}", place=Field("modulus"))
        if not 0 <= self.distance <= LARGEST_DISTANCE:
            raise InputError(f"must be 0 to {LARGEST_DISTANCE}, not {self.distance}", place=Field("distance"))

    @staticmethod
    def named(name: str, modulus: int = MODULUS, distance: int = DISTANCE) -> Family:
        """The family of a short name; the numbers count where the name has such relations."""
        if name not in FAMILIES:
            hint = near_names(name, FAMILIES) or f"; expected {', '.join(FAMILIES)}"
            raise InputError(f"no class named {name!r}{hint}", place=Field("class"))
        return Family(
            modulus=modulus if name in ("periodic", "both") else 1,
            distance=distance if name in ("local", "both") else 0,
        )

    @property
    def name(self) -> str:
        return next(name for name, has in FAMILIES.items() if has == (self.modulus > 1, self.distance > 0))

    @property
    def class_name(self) -> str:
        return class_name(("periodic",) * (self.modulus > 1) + ("local",) * (self.distance > 0))

    @property
    def searched(self) -> str:
        """The class with the numbers that bound a search.

        >>> Family.named("both").searched
        'C-RASP[periodic ≤ 2, local ≤ 1]'
        """
        periodic = (f"periodic ≤ {self.modulus}",) * (self.modulus > 1)
        local = (f"local ≤ {self.distance}",) * (self.distance > 0)
        return class_name(periodic + local)

    @property
    def position_tests(self) -> tuple[Periodic, ...]:
        """The tests of a position, those with a smaller modulus first."""
        return tuple(
            Periodic(modulus, residues)
            for modulus in range(2, self.modulus + 1)
            for size in range(1, modulus)
            for residues in combinations(range(modulus), size)
        )

    @property
    def guards(self) -> tuple[tuple[int, ...] | None, ...]:
        """The distances of a count: none, then sets of them.

        The distance 0 alone is left out, because a conditional says the same without a relation.
        """
        near: list[tuple[int, ...] | None] = [None]
        for size in range(1, self.distance + 2):
            near += [d for d in combinations(range(self.distance + 1), size) if d != (0,)]
        return tuple(near)


FAMILIES: Final[dict[str, tuple[bool, bool]]] = {
    "empty": (False, False),
    "periodic": (True, False),
    "local": (False, True),
    "both": (True, True),
}
"""Short names, with whether position tests and local relations are allowed."""
