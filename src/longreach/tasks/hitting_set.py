"""The fewest columns that meet every row of a table of truth values."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from longreach.tasks.task import BoolArray

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
