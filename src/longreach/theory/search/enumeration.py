"""Programs in order of size, with equal behaviours merged.

The size of a program is the number of its operations, equal ones shared. So programs grow by one operation
at a time, as sets of behaviours, and a behaviour that turns up for the first time among programs of size s
has no smaller program. The last operation of a smallest program reads everything that nothing else reads,
which leaves few to try; with that, sets of s − 2 behaviours are enough to find all behaviours of size s.

Which sets are two operations away from a target is tested fast, on some words only: 64 for truth values, a
few for counts. The test has no false negatives; the few sets that pass are extended in full. A difference is
never the last operation but one: C1 − C2 ≤ C3 is C1 ≤ C2 + C3, and as long. For a conditional the two
branches are tried apart: P ? C1 : C2 ≤ C3 where P holds is C1 ≤ C3, and elsewhere C2 ≤ C3.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from longreach.theory.budget import Budget, OverBudget
from longreach.theory.crasp.core import is_boolean
from longreach.theory.search.behaviours import (
    Array,
    Behaviours,
    KeyTable,
    Kind,
    Numbers,
    Sets,
    Shape,
    Step,
    concatenated,
    start,
    steps,
)
from longreach.theory.search.space import Bits, Family, WordTree

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


CHUNK = 1 << 14
"""Sets that are extended at once."""
WIDEST = 24
"""Behaviours of a set that a mask has bits for, and more than any search reaches."""
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
        return self.behaviours.nbytes + sum(sets.nbytes for sets in self.sets.values())

    @property
    def found(self) -> tuple[Found, ...]:
        """What is known, in order of size and then of discovery."""
        return tuple(self._found)

    def of_size(self, size: int) -> list[Found]:
        """The behaviours whose smallest programs have this size; raises `OverBudget` beyond the budget."""
        while self.known_to < size:
            self.next_size()
        return [each for each in self._found if each.size == size]

    @property
    def known_to(self) -> int:
        """All behaviours up to this size are known; those of sets are, and `complete` may be one or two
        ahead.
        """
        return max(self.complete, self.level)

    def next_size(self) -> None:
        """Find all behaviours of the next size."""
        size = self.known_to + 1
        try:
            self._grow_to(size - 1)
        except MemoryLimit:
            if self.level < size - 2:
                raise
        for chunk in self._chunks():
            if self.level == size - 1:
                for results, sets in self._finish(chunk):
                    self._note(results, size, sets)
            elif self.level < size:
                self._note_two(chunk, size)
                self._keep_within()
        self.complete = size

    def matching(self, size: int, finisher: Finisher) -> Iterator[Found]:
        """The behaviours with a finisher's labels that have a program of this size, each once.

        All of them have no smaller one only where nothing matched at the size before.
        """
        self._grow_to(size - 2)
        if size <= self.known_to:
            same = [each for each in self._found if each.size == size]
            if same:
                right = finisher.right(np.array([each.behaviour for each in same]))
                yield from (same[k] for k in np.flatnonzero(right).tolist())
            return
        pairs: Iterable[tuple[Numbers, Sets]]
        if self.level == size - 2:
            kept = (self._promising(sets, finisher) for sets in self.sets.values())
            pairs = (pair for sets in kept for pair in self._extend(sets))
        else:
            pairs = (pair for sets in self.sets.values() for pair in self._finish(sets))
        seen: set[int] = set()
        for results, sets in pairs:
            for row in np.flatnonzero(finisher.right(results)).tolist():
                if int(results[row]) not in seen:
                    seen.add(int(results[row]))
                    yield _found(int(results[row]), size, sets, row)

    def _promising(self, sets: Sets, finisher: Finisher) -> Sets:
        """The sets that may be two operations away from the labels."""
        self.candidates += len(sets) * two_more(sets.shape, len(self.behaviours.guards))
        kept = []
        for chunk in sets.chunks(CHUNK):
            self.budget.check()
            kept.append(chunk.take(finisher.rows(chunk)))
        return concatenated(kept)

    def _chunks(self) -> Iterator[Sets]:
        for sets in self.sets.values():
            for chunk in sets.chunks(CHUNK):
                self.budget.check()
                yield chunk

    def _grow_to(self, level: int) -> None:
        if level > WIDEST:
            raise MemoryLimit(f"programs beyond {WIDEST} operations are not searched")
        # Each operation at most doubles the largest count; the finisher adds once more.
        if self.tree.longest << max(0, level - 1) > np.iinfo(self.behaviours.dtype).max:
            raise MemoryLimit(
                f"counts of programs beyond {level} operations are too large for small integers"
            )
        while self.level < max(1, level):
            self.grow()

    def restore(
        self, sets: dict[Shape, Sets], found: list[Found], *, level: int, complete: int, candidates: int
    ) -> None:
        """Go on from what was known before."""
        self.sets, self._found = sets, found
        self.level, self.complete, self.candidates = level, complete, candidates
        self._sizes = np.zeros(max(64, len(self.behaviours.bits)), np.int16)
        self._sizes[[each.behaviour for each in found]] = [each.size for each in found]

    # Sets of one more behaviour

    def grow(self) -> None:
        """From all sets of a level to all of the next."""
        collected: dict[Shape, _Collected] = {}
        for chunk in self._chunks():
            fresh: dict[Shape, list[Sets]] = {}
            for step in self._steps(chunk.shape):
                results, grown = self._grown(chunk, step)
                if len(grown):
                    fresh.setdefault(grown.shape, []).append(grown)
                if step.gives_boolean:
                    self._note(results, self.level + 1, grown)
            for shape, parts in fresh.items():
                collected.setdefault(shape, _Collected()).add(concatenated(parts))
            self._keep_within(sum(each.nbytes for each in collected.values()))
        self.sets = {shape: collected[shape].sets() for shape in sorted(collected)}
        self.level += 1

    def _grown(self, chunk: Sets, step: Step) -> tuple[Numbers, Sets]:
        """The sets with a step's behaviour added, where it is new to them."""
        results = step.results(self.behaviours, chunk)
        self.candidates += len(results)
        rows = _absent(chunk.booleans if step.gives_boolean else chunk.counts, results)
        return results[rows], chunk.take(rows).extended(
            results[rows], step.gives_boolean, step.used(chunk.shape[0])
        )

    def _keep_within(self, more: int = 0) -> None:
        if self.nbytes + more > self.budget.bytes:
            raise MemoryLimit(f"the memory limit of {self.budget.bytes / 1e6:.0f} MB is reached")

    def _steps(self, shape: Shape) -> Iterator[Step]:
        for op, number in self.behaviours.atoms.items():
            yield Step(Kind.NOT if is_boolean(op) else Kind.ADD, atom=number)
        yield from steps(shape, len(self.behaviours.guards))

    # Last operations

    def _extend(self, chunk: Sets) -> Iterator[tuple[Numbers, Sets]]:
        """Two operations more, of which the last reads all that nothing else reads."""
        for step in self._steps(chunk.shape):
            # At most one column may stay unread beside the new one.
            left = chunk.unused & ~np.uint32(step.used(chunk.shape[0]))
            _, grown = self._grown(chunk.take(np.flatnonzero(np.bitwise_count(left) <= 1)), step)
            yield from self._finish(grown)

    def _note_two(self, chunk: Sets, size: int) -> None:
        for step in self._steps(chunk.shape):
            results, grown = self._grown(chunk, step)
            if step.gives_boolean:
                self._note(results, size - 1, grown)
            for last, sets in self._finish(grown):
                self._note(last, size, sets)

    def _finish(self, chunk: Sets) -> Iterator[tuple[Numbers, Sets]]:
        """Every last operation that reads all that nothing else reads, with the sets that it is added to."""
        for step in steps(chunk.shape, 0):
            if step.gives_boolean:
                reads = np.uint32(step.used(chunk.shape[0]))
                some = chunk.take(np.flatnonzero((chunk.unused & ~reads) == 0))
                if len(some):
                    self.candidates += len(some)
                    yield step.results(self.behaviours, some), some

    def _note(self, results: Numbers, size: int, sets: Sets) -> None:
        """Keep Boolean behaviours that are new, each with the first set that gives it."""
        total = len(self.behaviours.bits)
        if total > len(self._sizes):
            self._sizes = np.concatenate([self._sizes, np.zeros(2 * total - len(self._sizes), np.int16)])
        fresh = np.flatnonzero(self._sizes[results] == 0)
        if not len(fresh):
            return
        numbers, first = np.unique(results[fresh], return_index=True)
        self._sizes[numbers] = size
        for row in fresh[np.sort(first)].tolist():
            self._found.append(_found(int(results[row]), size, sets, row))


def _found(behaviour: int, size: int, sets: Sets, row: int) -> Found:
    booleans = sorted({behaviour, *sets.booleans[row].tolist()})
    return Found(behaviour=behaviour, size=size, members=(tuple(booleans), tuple(sets.counts[row].tolist())))


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
    """Integers that hold every count of a program that can be reached."""
    return "int16" if tree.longest <= 60 else "int32"
