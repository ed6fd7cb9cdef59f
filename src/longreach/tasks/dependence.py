"""Measured sparsity: how few earlier tokens determine each answer.

For one example and one supervised place, parents are a smallest set of earlier tokens such that no other
sequence of the task's sampler agrees with the example on all of them and has another answer there. Tokens of
the answer that were written before count as earlier tokens: that is what makes a scratchpad sparse. What
tells where to look, such as a sign between two numbers, counts as well.

Only drawn sequences speak against a set, and inputs that differ from the example in some tokens, answered by
the task; so the numbers are lower bounds. How many of all these agreed with an example on its parents, and so
could have spoken against them, is `tested`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from longreach.errors import Field, InputError
from longreach.tasks.layouts import joined
from longreach.tasks.task import Batch, BoolArray, IntArray, Task
from longreach.wording import Column, Table

ADDED = 4
"""Rows that a failed try brings in."""


def least_hitting_set(rows: BoolArray, most: int, costs: Sequence[float]) -> tuple[int, ...] | None:
    """A smallest set of columns with a true cell in every row; of several one whose highest cost is least.

    None where more than `most` columns are needed, or where a row is empty.

    >>> rows = np.array([[True, False, True], [False, True, True], [True, True, False]])
    >>> least_hitting_set(rows, 2, [1, 2, 3])
    (0, 1)
    """
    if not rows.any(axis=1).all():
        return None
    found = None
    for size in range(most + 1):
        found = _of_size(rows, size, range(rows.shape[1]), costs)
        if found is not None:
            break
    while found:
        top = max(costs[column] for column in found)
        cheaper = [column for column in range(rows.shape[1]) if costs[column] < top]
        better = _of_size(rows, len(found), cheaper, costs)
        if better is None:
            break
        found = better
    return found


def _of_size(
    rows: BoolArray, size: int, columns: Sequence[int], costs: Sequence[float]
) -> tuple[int, ...] | None:
    """At most so many of these columns that meet every row. A few rows suffice to find most tries wrong."""
    kept = list(columns)
    allowed = rows[:, kept]
    if not allowed.any(axis=1).all():
        return None
    order = sorted(range(len(kept)), key=lambda place: costs[kept[place]])
    counts, family = allowed.sum(axis=1), list[frozenset[int]]()
    while True:
        tried = _search(family, size, order)
        if tried is None:
            return None
        missed = np.flatnonzero(~allowed[:, sorted(tried)].any(axis=1))
        if not len(missed):
            return tuple(sorted(kept[place] for place in tried))
        hardest = missed[np.argsort(counts[missed], kind="stable")[:ADDED]]
        family += [frozenset(np.flatnonzero(allowed[row]).tolist()) for row in hardest.tolist()]


def _search(family: Sequence[frozenset[int]], size: int, order: Sequence[int]) -> frozenset[int] | None:
    """Columns that meet each of these sets: those of the smallest set are tried one after the other."""
    if not family:
        return frozenset()
    if not size or _disjoint(family) > size:
        return None
    smallest = min(family, key=len)
    for column in order:
        if column in smallest:
            rest = _search([each for each in family if column not in each], size - 1, order)
            if rest is not None:
                return rest | {column}
    return None


def _disjoint(family: Sequence[frozenset[int]]) -> int:
    """How many sets, greedily, have nothing in common: each needs a column of its own."""
    used: set[int] = set()
    count = 0
    for each in sorted(family, key=len):
        if not used & each:
            used |= each
            count += 1
    return count


ENOUGH = 8
"""Other sequences that agree on the parents, from which on a number is taken at its word."""


@dataclass(frozen=True, kw_only=True)
class PlaceParents:
    """Of one supervised place, over all examples that have it."""

    place: int
    """The supervised places of an example are counted from 1."""
    examples: int
    mean: float | None
    """Parents on average; None where some example needs more than were tried."""
    most: int | None
    """Parents at most; None where some example needs more than were tried."""
    beyond: int
    """Examples that need more parents than were tried, or that all earlier tokens do not determine."""
    distance: int | None
    """The largest distance of ids between a parent and the token that is read at the place."""
    span: int | None
    """The largest distance of ids between two parents, which locality is about in theory."""
    tested: int
    """At least so many sequences agreed with an example on its parents."""

    @property
    def is_tested(self) -> bool:
        """Whether enough sequences could have spoken against the parents."""
        return self.tested >= ENOUGH


@dataclass(frozen=True, kw_only=True)
class MeasuredParents:
    """All supervised places of a task at one length.

    >>> from longreach.tasks.copying import Reverse
    >>> found = measured_parents(Reverse(), 3, np.random.default_rng(0))
    >>> [(each.most, each.distance) for each in found.places]
    [(1, 1), (1, 3), (1, 5), (0, 0)]
    """

    task: str
    length: int
    tried: int
    """Parents that were tried at most."""
    places: tuple[PlaceParents, ...]

    @property
    def most(self) -> int | None:
        """The most parents of any place; None where some place needs more than were tried."""
        return _largest(each.most for each in self.places)

    @property
    def is_tested(self) -> bool:
        """Whether enough sequences could have spoken against the parents of every place."""
        return all(each.is_tested or each.beyond for each in self.places)

    @property
    def distance(self) -> int | None:
        """The largest distance of a parent from the token that is read; None where that is not known."""
        return _largest(each.distance for each in self.places)

    @property
    def span(self) -> int | None:
        """The largest distance of two parents; None where that is not known."""
        return _largest(each.span for each in self.places)

    def document(self) -> dict[str, Any]:
        return {
            "task": self.task, "length": self.length, "tried": self.tried, "most": self.most,
            "distance": self.distance, "span": self.span,
            "places": [asdict(each) for each in self.places],
        }  # fmt: skip

    def text(self) -> str:
        titles = ("place", "parents", "at most", "distance", "span", "tested")
        return "\n".join(Table(map(Column, titles), map(self._row, self.places)).terminal())

    def _row(self, each: PlaceParents) -> tuple[str | int | None, ...]:
        sign = "" if each.is_tested or each.mean is None else "≥ "
        mean = "" if each.mean is None else f"{sign}{each.mean:.3g}"
        most = f"> {self.tried}" if each.most is None else f"{sign}{each.most}"
        return each.place, mean, most, each.distance, each.span, each.tested


def _largest(numbers: Iterable[int | None]) -> int | None:
    found = list(numbers)
    known = [each for each in found if each is not None]
    return max(known) if len(known) == len(found) else None


def measured_parents(
    task: Task,
    length: int,
    rng: np.random.Generator,
    *,
    ids: IntArray | None = None,
    batch: Batch | None = None,
    examples: int = 24,
    pool: int = 4096,
    changed: int = 200,
    tried: int = 6,
) -> MeasuredParents:
    """Parents of every supervised place, for examples of one length.

    `ids` has the position id of each token, one row for each example or one for all; without it the examples'
    own count. `batch` has the examples, where they are given; else so many are drawn. Of several smallest
    sets the one with the least distance is taken. `pool` sequences are drawn to speak against sets of up to
    `tried` parents, and beside them up to `changed` inputs that differ from each example in some tokens.
    """
    if min(examples, pool) < 1 or tried < 0:
        raise InputError("at least one example and one sequence are needed", place=Field("examples"))
    mine = task.sample(np.full(examples, length), rng) if batch is None else batch
    others = task.sample(np.full(pool, length), rng)
    known = _ids(mine, ids)
    found: dict[int, list[_Parents]] = {}
    for row in range(len(mine)):
        near = task.counterfactuals(mine, row, others, count=changed, rng=rng) if changed else None
        rivals = others if near is None else joined(others, near)
        for number, column in enumerate(np.flatnonzero(mine.mask[row]).tolist(), 1):
            found.setdefault(number, []).append(_parents(mine, row, column, rivals, known[row], tried))
    places = tuple(_place(number, each) for number, each in sorted(found.items()))
    if not places:
        raise InputError(f"{task.name}: nothing is supervised at length {length}", place=Field("length"))
    return MeasuredParents(task=task.name, length=length, tried=tried, places=places)


def _ids(batch: Batch, ids: IntArray | None) -> IntArray:
    given = batch.position_ids if ids is None else np.asarray(ids)
    shape = batch.tokens.shape
    if given.shape not in (shape, shape[1:]):
        reason = f"must have the shape {shape} or {shape[1:]}, not {given.shape}"
        raise InputError(reason, place=Field("ids"))
    return np.broadcast_to(given, shape)


@dataclass(frozen=True)
class _Parents:
    columns: tuple[int, ...] | None
    distance: int
    span: int
    tested: int


def _parents(batch: Batch, row: int, column: int, others: Batch, ids: IntArray, tried: int) -> _Parents:
    mine = batch.tokens[row, : column + 1]
    if column >= others.tokens.shape[1]:  # no drawn sequence is as long
        return _Parents((), 0, 0, 0)
    rivals = others.mask[:, column]
    differs = others.tokens[rivals, : column + 1] != mine
    wrong = others.targets[rivals, column] != batch.targets[row, column]
    distances = np.abs(ids[: column + 1] - ids[column]).tolist()
    columns = least_hitting_set(_distinct(differs[wrong]), tried, distances)
    if columns is None:
        return _Parents(None, 0, 0, 0)
    tested = int((~differs[:, list(columns)].any(axis=1)).sum())
    if len(differs) >= ENOUGH and len(columns) == differs.any(axis=0).sum():
        tested = max(tested, ENOUGH)  # all that ever varies: nothing is left that could speak against it
    own = [int(ids[each]) for each in columns]
    return _Parents(
        columns,
        max((distances[each] for each in columns), default=0),
        max(own, default=0) - min(own, default=0),
        tested,
    )


def _distinct(rows: BoolArray) -> BoolArray:
    """Each row once, in the order of their bits; sorted as one number each, where they are short enough.

    >>> _distinct(np.array([[True, False], [False, True], [True, False]])).tolist()
    [[False, True], [True, False]]
    """
    packed = np.packbits(rows, axis=1)
    if packed.shape[1] > 8:
        return rows[np.unique(packed, axis=0, return_index=True)[1]]
    filled = np.zeros((len(packed), 8), dtype=np.uint8)
    filled[:, : packed.shape[1]] = packed
    return rows[np.unique(filled.view(">u8")[:, 0], return_index=True)[1]]


def _place(number: int, found: Sequence[_Parents]) -> PlaceParents:
    sizes = [len(each.columns) for each in found if each.columns is not None]
    beyond = len(found) - len(sizes)
    return PlaceParents(
        place=number,
        examples=len(found),
        mean=None if beyond else sum(sizes) / len(sizes),
        most=None if beyond else max(sizes),
        beyond=beyond,
        distance=None if beyond else max(each.distance for each in found),
        span=None if beyond else max(each.span for each in found),
        tested=min((each.tested for each in found if each.columns is not None), default=0),
    )
