"""Potentials: what a C-RASP program can know of the state inside a strongly connected graph.

A potential is a function on the vertices whose change along an edge depends only on the class of the
edge's source and on its label. A program that knows the class can count such changes, hence knows the
potential; vertices that no potential separates stay together. Repeated, this refines the classes to what
programs of any depth can know.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import product
from typing import Any

import numpy as np
import numpy.typing as npt

from longreach.theory.automata.automaton import IntArray
from longreach.theory.budget import DEFAULT_BUDGET, Budget
from longreach.theory.decide.exact_algebra import Constraints, compact, null_space

# With few groups the linear system is small anyway.
_FOLD_FROM = 32
Classes = tuple[int, ...]
"""The class of each vertex; classes are numbered in the order of their first vertex."""


@dataclass(frozen=True, eq=False)
class Graph:
    """A strongly connected graph with at most one edge per vertex and label; vertices are 0, 1, …

    >>> cycle = Graph.of(2, [(0, 0, 1), (1, 0, 0)])
    >>> refine(cycle).classes
    (0, 0)
    """

    vertices: int
    source: IntArray
    label: IntArray
    target: IntArray
    start: Classes
    """The classes that are known beforehand; all vertices in one class if nothing is."""

    @staticmethod
    def of(vertices: int, edges: Sequence[tuple[int, int, int]], start: Sequence[int] | None = None) -> Graph:
        """From triples (source, label, target)."""
        table = np.array(edges, dtype=np.int64).reshape(-1, 3)
        known = numbered(start) if start is not None else (0,) * vertices
        return Graph(vertices, table[:, 0], table[:, 1], table[:, 2], known)

    @cached_property
    def edges(self) -> list[tuple[int, int, int]]:
        """The triples (source, label, target)."""
        return list(zip(self.source.tolist(), self.label.tolist(), self.target.tolist(), strict=True))

    def groups(self, classes: Sequence[int]) -> IntArray:
        """The group of each edge, as a number: edges with the same class of the source and the same label."""
        key = (
            np.asarray(classes, dtype=np.int64)[self.source] * (int(self.label.max(initial=0)) + 1)
            + self.label
        )
        return np.asarray(np.unique(key, return_inverse=True)[1], dtype=np.int64)


@dataclass(frozen=True)
class Potential:
    """An integer function on the vertices, with its change along the edges of each (class, label) group."""

    values: tuple[int, ...]
    shifts: Mapping[tuple[int, int], int] = field(hash=False)
    """By class (of the round before) and label."""


@dataclass(frozen=True, eq=False)
class Round:
    graph: Graph
    before: Classes
    classes: Classes
    _space: _Space

    @cached_property
    def potentials(self) -> tuple[Potential, ...]:
        """Potentials that together separate any two vertices which were in one class and no longer are."""
        chosen = _separating(self._space, self.before, self.classes)
        return tuple(_potential(self.graph, self.before, values) for values in chosen)

    @cached_property
    def of_parts(self) -> tuple[Potential, ...]:
        """The same without counting, where it is enough to know in which part of the graph a run began."""
        values = [0] * self.graph.vertices
        vertices = [self.classes.index(c) for c in range(max(self.classes) + 1)]
        if not _separates(values, vertices, self.before, self._space.parts):
            return self.potentials
        placed = _with_offsets(values, vertices, self.before, self._space.parts)
        return (_potential(self.graph, self.before, placed),)


@dataclass(frozen=True, eq=False)
class Refinement:
    """The steps of the refinement, up to the fixpoint or until the caller had enough."""

    start: Classes
    rounds: tuple[Round, ...]

    @property
    def classes(self) -> Classes:
        return self.rounds[-1].classes if self.rounds else self.start

    def after(self, rounds: int) -> Classes:
        return self.rounds[rounds - 1].classes if rounds else self.start


def refine(
    graph: Graph,
    enough: Callable[[Classes], bool] = lambda classes: False,
    budget: Budget = DEFAULT_BUDGET,
) -> Refinement:
    """Refines the classes until nothing changes or `enough` says so.

    >>> brackets = Graph.of(3, [(0, 0, 1), (1, 0, 2), (1, 1, 0), (2, 1, 1)])
    >>> steps = refine(brackets)
    >>> steps.classes, steps.rounds[0].potentials[0].shifts
    ((0, 1, 2), {(0, 0): 1, (0, 1): -1})
    """
    classes = graph.start
    rounds: list[Round] = []
    while len(set(classes)) < graph.vertices and not enough(classes):
        budget.check()
        space = _space(graph, classes, budget)
        finer = numbered([(old, *key) for old, key in zip(classes, space.keys(), strict=True)])
        if finer == classes:
            break
        rounds.append(Round(graph, classes, finer, space))
        classes = finer
    return Refinement(graph.start, tuple(rounds))


def numbered(keys: Sequence[Any]) -> Classes:
    """Equal keys get equal numbers, in the order of first appearance.

    >>> numbered("abca")
    (0, 1, 2, 0)
    """
    seen: dict[Any, int] = {}
    return tuple(seen.setdefault(key, len(seen)) for key in keys)


@dataclass(frozen=True, eq=False)
class _Space:
    """All potentials: combinations of the columns of `values`, plus any constant on each part."""

    parts: Classes
    values: npt.NDArray[Any]

    def keys(self) -> list[tuple[object, ...]]:
        if self.values.dtype == object:
            return [(part, *row) for part, row in zip(self.parts, self.values.tolist(), strict=True)]
        rows = np.ascontiguousarray(self.values)
        return [(part, row.tobytes()) for part, row in zip(self.parts, rows, strict=True)]


def _space(graph: Graph, classes: Sequence[int], budget: Budget = DEFAULT_BUDGET) -> _Space:
    root = np.arange(graph.vertices)
    source, target, group = graph.source, graph.target, graph.groups(classes)
    if int(group.max(initial=0)) >= _FOLD_FROM:
        root = _folded(graph.vertices, source, target, group)
        edges = np.unique(np.stack([root[source], root[target], group]), axis=1)
        source, target, group = edges
    # An edge alone in its group constrains nothing.
    shared = np.flatnonzero(np.bincount(group, minlength=1)[group] > 1)
    source, target = source[shared], target[shared]
    names, group = np.unique(group[shared], return_inverse=True)
    if len(names) <= graph.vertices:
        space = _space_by_shifts(graph.vertices, source, target, group, len(names), budget)
    else:
        space = _space_by_values(graph.vertices, source, target, group, budget)
    return _Space(tuple(space.parts[r] for r in root.tolist()), space.values[root])


def _folded(count: int, source: IntArray, target: IntArray, group: IntArray) -> IntArray:
    """A representative of each vertex: ends of two edges of one group that meet at the other end are equal.

    This only makes the linear systems smaller.
    """
    root = np.arange(count)
    while True:
        merges: set[tuple[int, int]] = set()
        for near, far in ((root[source], root[target]), (root[target], root[source])):
            first, key = np.unique(group * count + near, return_index=True, return_inverse=True)[1:]
            differ = far != far[first][key]
            merges |= set(zip(far[differ].tolist(), far[first][key][differ].tolist(), strict=True))
        if not merges:
            return root
        link = list(range(count))
        for u, v in merges:
            while link[u] != u:
                u = link[u]
            while link[v] != v:
                v = link[v]
            link[max(u, v)] = min(u, v)
        for vertex in range(count):
            # Links lead to smaller numbers, which are already final.
            link[vertex] = link[link[vertex]]
        root = np.array(link)[root]


def _space_by_shifts(
    count: int,
    source: IntArray,
    target: IntArray,
    group: IntArray,
    groups: int,
    budget: Budget = DEFAULT_BUDGET,
) -> _Space:
    """Unknown: the change in each group. A spanning forest gives values, other edges give equations."""
    budget.reserve(4 * count * groups + 8 * groups * groups, "the system of potentials")
    neighbours: list[list[tuple[int, int, int]]] = [[] for _ in range(count)]
    for s, t, g in zip(source.tolist(), target.tolist(), group.tolist(), strict=True):
        neighbours[s].append((t, g, 1))
        neighbours[t].append((s, g, -1))
    part = [-1] * count
    along = np.zeros((count, groups), dtype=np.int32)
    parts = 0
    levels: list[list[tuple[int, int, int, int]]] = []  # vertex, the one before it, group and sign
    for root in range(count):
        if part[root] >= 0:
            continue
        part[root] = parts
        level = [root]
        while level:
            reached = []
            for vertex in level:
                for other, g, sign in neighbours[vertex]:
                    if part[other] < 0:
                        part[other] = parts
                        along[other] = along[vertex]
                        along[other, g] += sign
                        reached.append((other, vertex, g, sign))
            level = [vertex for vertex, *_ in reached]
            if reached:
                levels.append(reached)
        budget.check()
        parts += 1
    steps = [np.array(level, dtype=np.int64).T for level in levels]

    def values(shifts: npt.NDArray[Any]) -> npt.NDArray[Any]:
        result = np.zeros((count, shifts.shape[1]), dtype=shifts.dtype)
        for vertex, before, g, sign in steps:
            result[vertex] = result[before] + sign[:, None] * shifts[g]
        return result

    def apply(shifts: npt.NDArray[Any]) -> npt.NDArray[Any]:
        value = values(shifts)
        return np.asarray(value[source] + shifts[group] - value[target])

    def written(chosen: IntArray) -> npt.NDArray[Any]:
        matrix = (along[source[chosen]] - along[target[chosen]]).astype(np.int64)
        matrix[np.arange(len(chosen)), group[chosen]] += 1
        return matrix

    shifts = null_space(Constraints(groups, apply, written))
    if shifts.dtype != object and int(np.abs(shifts).max(initial=0)) * (count + 1) >= 2**62:
        shifts = shifts.astype(object)
    return _Space(tuple(part), compact(values(shifts)))


def _space_by_values(
    count: int,
    source: IntArray,
    target: IntArray,
    group: IntArray,
    budget: Budget = DEFAULT_BUDGET,
) -> _Space:
    """Unknown: the value at each vertex. Each edge changes as the first edge of its group does."""
    budget.reserve(8 * count * count, "the system of potentials")
    first = np.unique(group, return_index=True)[1][group]
    rows = np.stack([source, target, source[first], target[first]], axis=1)
    rows = np.unique(rows[(rows[:, :2] != rows[:, 2:]).any(axis=1)], axis=0)
    s, t, u, v = rows.T

    def apply(columns: npt.NDArray[Any]) -> npt.NDArray[Any]:
        return np.asarray(columns[t] - columns[s] - columns[v] + columns[u])

    def written(chosen: IntArray) -> npt.NDArray[Any]:
        matrix = np.zeros((len(chosen), count), dtype=np.int64)
        for column, sign in ((t, 1), (s, -1), (v, -1), (u, 1)):
            np.add.at(matrix, (np.arange(len(chosen)), column[chosen]), sign)
        return matrix

    return _Space((0,) * count, null_space(Constraints(count, apply, written)))


def _potential(graph: Graph, classes: Sequence[int], values: Sequence[int]) -> Potential:
    shifts = dict(sorted({(classes[s], a): values[t] - values[s] for s, a, t in graph.edges}.items()))
    # Of f and -f the one whose first change counts upwards.
    sign = -1 if next((shift for shift in shifts.values() if shift), 1) < 0 else 1
    return Potential(
        tuple(sign * (value - values[0]) for value in values),
        {key: sign * shift for key, shift in shifts.items()},
    )


def _separating(space: _Space, classes: Classes, finer: Classes) -> list[list[int]]:
    """Few potentials with small values that separate the finer classes inside each old class.

    Small whole coefficients, because they end up in a program that people read: one combination if a small
    one will do, otherwise basis vectors one after the other as long as they separate more.
    """
    vertices = [finer.index(c) for c in range(max(finer) + 1)]
    count = space.values.shape[1]
    best: list[int] | None = None
    for weights in _small_weights(count):
        mixed = [int(v) for v in space.values @ np.array(weights, dtype=object)]
        if _separates(mixed, vertices, classes, space.parts):
            placed = _with_offsets(mixed, vertices, classes, space.parts)
            if best is None or _width(placed) < _width(best):
                best = placed
    if best is not None:
        return [best]
    chosen = [_with_offsets([0] * len(classes), vertices, classes, space.parts)] if max(space.parts) else []
    known = numbered(list(zip(classes, *chosen, strict=True)))
    for column in range(count):
        if max(known) == max(finer):
            break
        values = [int(v) for v in space.values[:, column]]
        more = numbered(list(zip(known, values, strict=True)))
        if max(more) > max(known):
            chosen.append(values)
            known = more
    return chosen


def _small_weights(count: int) -> list[tuple[int, ...]]:
    if count == 0:
        return [()]
    if count > 4:
        return []
    small = [w for w in product(range(-2, 3), repeat=count) if any(w) and next(x for x in w if x) > 0]
    return sorted(small, key=lambda w: (sum(map(abs, w)), [-x for x in w]))


def _separates(values: list[int], vertices: list[int], classes: Classes, parts: Classes) -> bool:
    keys = {(classes[v], parts[v], values[v]) for v in vertices}
    return len(keys) == len(vertices)


def _with_offsets(values: list[int], vertices: list[int], classes: Classes, parts: Classes) -> list[int]:
    """Parts are free up to constants: the smallest ones that keep the parts apart."""
    taken: set[tuple[int, int]] = set()
    offset: dict[int, int] = {}
    members: dict[int, list[int]] = {}
    for v in vertices:
        members.setdefault(parts[v], []).append(v)
    for part, inside in members.items():
        shift = -min(values[v] for v in inside)
        while any((classes[v], values[v] + shift) in taken for v in inside):
            shift += 1
        offset[part] = shift
        taken |= {(classes[v], values[v] + shift) for v in inside}
    return [value + offset[part] for value, part in zip(values, parts, strict=True)]


def _width(values: list[int]) -> int:
    return max(values) - min(values)
