"""Programs in order of size, each behaviour once: the smallest programs of all that can be told apart.

The size of a program is the number of its operations, equal ones shared. So programs grow by one operation at a
time, as sets of behaviours (`program_sets`), and a behaviour that turns up for the first time among programs of
size s has no smaller program. The last operation of a smallest program reads everything that is read by nothing
else, which leaves few to try; with that, sets of s − 2 behaviours are enough to find all behaviours of size s.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from longreach.crasp.core import is_boolean
from longreach.languages.budget import Budget, OverBudget
from longreach.synthesis.behaviours import Behaviours, Kind, Numbers
from longreach.synthesis.key_table import KeyTable
from longreach.synthesis.last_operations import Finisher, two_more
from longreach.synthesis.program_family import Family
from longreach.synthesis.program_sets import Sets, Shape, Step, concatenated, start, steps
from longreach.synthesis.word_tree import WordTree

CHUNK = 1 << 14
"""Sets that are extended at once."""
WIDEST = 24
"""Behaviours of a set that a mask has bits for, and more than any search reaches."""
SMALL = 1 << 13
"""The largest value times length of words that fits small integers with room for doubling."""
Members: TypeAlias = tuple[tuple[int, ...], tuple[int, ...]]
"""The numbers of Boolean behaviours and of counts that a set has."""


@dataclass(frozen=True, kw_only=True)
class Found:
    """A Boolean behaviour with the set of a smallest program for it."""

    behaviour: int
    size: int
    members: Members


class MemoryLimit(OverBudget):
    """The sets of the next size need more memory than is allowed."""


class Enumeration:
    """All behaviours of a family on a tree of words, by the size of their smallest programs.

    >>> found = Enumeration(WordTree.of("ab", length=4), Family())
    >>> [len(found.of_size(size)) for size in range(1, 7)]
    [3, 3, 0, 9, 16, 90]
    """

    def __init__(self, tree: WordTree, family: Family, budget: Budget | None = None) -> None:
        self.behaviours = Behaviours(tree, family, dtype=_dtype(tree))
        self.budget = Budget(seconds=float("inf")) if budget is None else budget
        self.level = 0
        """All sets of so many behaviours are known."""
        self.sets: dict[Shape, Sets] = {(0, 0): start()}
        self.complete = 0
        """All behaviours up to this size are known."""
        self.candidates = 0
        """Programs that were tried, up to the order of their operations."""
        self._sizes = np.zeros(64, np.int16)
        self._found: list[Found] = []

    @property
    def tree(self) -> WordTree:
        return self.behaviours.tree

    @property
    def family(self) -> Family:
        return self.behaviours.family

    @property
    def nbytes(self) -> int:
        """Memory of the behaviours and sets."""
        return self.behaviours.nbytes + sum(sets.nbytes for sets in self.sets.values())

    @property
    def found(self) -> tuple[Found, ...]:
        """What is known, in order of size and then of discovery."""
        return tuple(self._found)

    def of_size(self, size: int) -> list[Found]:
        """The behaviours whose smallest programs have this size; raises `OverBudget` beyond the budget."""
        while self.complete < size:
            for _ in self.next_size():
                pass
        return [each for each in self._found if each.size == size]

    def next_size(self, finisher: Finisher | None = None) -> Iterator[list[Found]]:
        """The behaviours of the next size, in parts as they turn up.

        Whoever stops early leaves the size incomplete, and can begin it again. With a finisher only those
        behaviours are sure to turn up that have its labels.
        """
        size = self.complete + 1
        if size > WIDEST:
            raise MemoryLimit(f"programs beyond {WIDEST} operations are not searched")
        while self.level < size - 2 or self.level == 0:
            yield from self._grow()
        if size > 1:
            yield from self._last(size) if self.level == size - 1 else self._last_two(size, finisher)
        self.complete = size

    # Sets of one more behaviour

    def _grow(self) -> Iterator[list[Found]]:
        """From all sets of a level to all of the next."""
        collected: dict[Shape, _Collected] = {}
        spent = self.nbytes
        for sets in self.sets.values():
            for chunk in sets.chunks(CHUNK):
                self.budget.check()
                fresh: dict[Shape, list[Sets]] = {}
                for step in self._steps(sets.shape):
                    results = step.results(self.behaviours, chunk)
                    boolean = step.gives_boolean
                    rows = _absent(chunk.booleans if boolean else chunk.counts, results)
                    self.candidates += len(results)
                    grown = chunk.take(rows).extended(results[rows], boolean, step.used(sets.shape[0]))
                    fresh.setdefault(grown.shape, []).append(grown)
                    if boolean:
                        yield self._note(results[rows], self.level + 1, grown)
                for shape, parts in fresh.items():
                    collected.setdefault(shape, _Collected()).add(concatenated(parts))
                used = spent + sum(each.nbytes for each in collected.values())
                if used > self.budget.bytes:
                    raise MemoryLimit(f"stopped at the memory limit of {self.budget.bytes / 1e6:.0f} MB")
        self.sets = {shape: collected[shape].sets() for shape in sorted(collected)}
        self.level += 1

    def _steps(self, shape: Shape) -> Iterator[Step]:
        for op, number in self.behaviours.atoms.items():
            yield Step(Kind.NOT if is_boolean(op) else Kind.ADD, atom=number)
        yield from steps(shape, len(self.behaviours.guards))

    # Last operations

    def _last(self, size: int) -> Iterator[list[Found]]:
        """Programs whose operations but the last are a set."""
        for sets in self.sets.values():
            for chunk in sets.chunks(CHUNK):
                self.budget.check()
                yield from self._finish(chunk, size)

    def _last_two(self, size: int, finisher: Finisher | None) -> Iterator[list[Found]]:
        """The same where the last operation but one is not kept either."""
        for sets in self.sets.values():
            for chunk in sets.chunks(CHUNK):
                self.budget.check()
                if finisher is not None:
                    self.candidates += len(chunk) * two_more(sets.shape, len(self.behaviours.guards))
                    chunk = chunk.take(finisher.rows(chunk))
                yield from self._extend(chunk, size)
                self._keep_within()

    def _extend(self, chunk: Sets, size: int) -> Iterator[list[Found]]:
        """Two operations more, of which the last reads all that nothing else reads."""
        width = chunk.shape[0]
        for step in self._steps(chunk.shape):
            # At most one column may stay unread beside the new one.
            left = chunk.unused & ~np.uint32(step.used(width))
            some = chunk.take(np.flatnonzero(np.bitwise_count(left) <= 1))
            results = step.results(self.behaviours, some)
            boolean = step.gives_boolean
            rows = _absent(some.booleans if boolean else some.counts, results)
            self.candidates += len(results)
            grown = some.take(rows).extended(results[rows], boolean, step.used(width))
            if boolean:
                yield self._note(results[rows], size - 1, grown)
            yield from self._finish(grown, size)

    def _keep_within(self) -> None:
        if self.nbytes > 2 * self.budget.bytes:
            raise MemoryLimit(f"stopped at the memory limit of {self.budget.bytes / 1e6:.0f} MB")

    def _finish(self, chunk: Sets, size: int) -> Iterator[list[Found]]:
        """Every last operation that reads all that nothing else reads."""
        width = chunk.shape[0]
        for step in steps(chunk.shape, 0):
            if not step.gives_boolean:
                continue
            rows = np.flatnonzero((chunk.unused & ~np.uint32(step.used(width))) == 0)
            if not len(rows):
                continue
            some = chunk.take(rows)
            results = step.results(self.behaviours, some)
            self.candidates += len(rows)
            yield self._note(results, size, some)

    def _note(self, results: Numbers, size: int, sets: Sets) -> list[Found]:
        """Keep Boolean behaviours that are new, each with the first set that gives it."""
        total = len(self.behaviours.bits)
        if total > len(self._sizes):
            self._sizes = np.concatenate([self._sizes, np.zeros(2 * total - len(self._sizes), np.int16)])
        fresh = np.flatnonzero(self._sizes[results] == 0)
        if not len(fresh):
            return []
        numbers, first = np.unique(results[fresh], return_index=True)
        self._sizes[numbers] = size
        noted: list[Found] = []
        for row in fresh[np.sort(first)].tolist():
            number = int(results[row])
            booleans = sorted({number, *sets.booleans[row].tolist()})
            members = (tuple(booleans), tuple(sets.counts[row].tolist()))
            noted.append(Found(behaviour=number, size=size, members=members))
        self._found += noted
        return noted


class _Collected:
    """Sets of one shape, equal ones merged: what some way to write them reads is read."""

    def __init__(self) -> None:
        self._table = KeyTable(12)
        self._parts: list[Sets] = []
        self._unused = np.zeros(1024, np.uint32)
        self._count = 0

    @property
    def nbytes(self) -> int:
        return self._table.nbytes + self._unused.nbytes + sum(part.nbytes for part in self._parts)

    def add(self, sets: Sets) -> None:
        order = np.argsort(sets.keys, kind="stable")
        keys = sets.keys[order]
        starts = np.flatnonzero(np.concatenate([[True], keys[1:] != keys[:-1]]))
        unused = np.bitwise_and.reduceat(sets.unused[order], starts)
        places = self._table.find(keys[starts])
        known = places >= 0
        self._unused[places[known]] &= unused[known]
        rows = order[starts[~known]]
        by_row = np.argsort(rows)  # in the order in which they came
        end = self._count + len(rows)
        if end > len(self._unused):
            self._unused = np.concatenate([self._unused, np.zeros(2 * end - len(self._unused), np.uint32)])
        self._table.insert(sets.keys[rows[by_row]], np.arange(self._count, end, dtype=np.int32))
        self._unused[self._count : end] = unused[~known][by_row]
        self._parts.append(sets.take(rows[by_row]))
        self._count = end

    def sets(self) -> Sets:
        joined = concatenated(self._parts)
        return Sets(joined.booleans, joined.counts, self._unused[: self._count].copy(), joined.keys)


def _absent(columns: Numbers, results: Numbers) -> NDArray[np.int64]:
    """The rows that do not have the behaviour yet."""
    there = np.zeros(len(results), bool)
    for column in range(columns.shape[1]):
        there |= columns[:, column] == results
    return np.flatnonzero(~there)


def _dtype(tree: WordTree) -> str:
    """Integers that hold every count of a program that can be reached: doubling at each of many operations."""
    return "int16" if tree.longest <= 60 else "int32"
