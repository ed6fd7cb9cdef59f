"""Flows: the proof that no potential separates two vertices.

A flow puts a rational weight on each edge. If its net outflow is +1 at one vertex, -1 at another and 0
elsewhere, and its weights sum to 0 on every (class, label) group, then every potential has equal values at
the two vertices.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np

from longreach.theory.decide.exact_algebra import solve
from longreach.theory.decide.potentials import Graph

Weights = dict[int, Fraction]


@dataclass(frozen=True)
class Flow:
    """A flow from `first` (net outflow +1) to `second` (-1); weights by number of the edge."""

    first: int
    second: int
    weights: Mapping[int, Fraction] = field(hash=False)


def flows_between_mates(graph: Graph, classes: Sequence[int]) -> tuple[Flow, ...]:
    """For every class a flow from its first vertex to each other one, balanced on the groups of these
    classes.

    The classes must be a fixpoint of the refinement.

    >>> loop = Graph.of(2, [(0, 0, 1), (1, 0, 0)])
    >>> [(flow.first, flow.second, flow.weights) for flow in flows_between_mates(loop, (0, 0))]
    [(0, 1, {0: Fraction(1, 2), 1: Fraction(-1, 2)})]
    """
    merged = _Merged(graph, graph.groups(classes).tolist())
    merged.fold()
    leader: dict[int, int] = {}
    pairs = [(leader[c], v) for v, c in enumerate(classes) if leader.setdefault(c, v) != v]
    roots = sorted({(merged.root[u], merged.root[v]) for u, v in pairs if merged.root[u] != merged.root[v]})
    between = dict(zip(roots, merged.flows_between_roots(roots), strict=True))
    result = []
    for u, v in pairs:
        weights = _sum((merged.to_root[u], 1), (merged.to_root[v], -1))
        if merged.root[u] != merged.root[v]:
            weights = _sum((weights, 1), (between[merged.root[u], merged.root[v]], 1))
        result.append(Flow(u, v, dict(sorted(weights.items()))))
    return tuple(result)


class _Merged:
    """Vertices with a known flow between them, each with its flow to the root of its set.

    Two edges of one group with a common end give a flow between their other ends with few and small weights.
    Only what these steps leave apart needs a linear system.
    """

    def __init__(self, graph: Graph, group: list[int]) -> None:
        self.edges = [(s, t, g) for (s, _, t), g in zip(graph.edges, group, strict=True)]
        self.root = list(range(graph.vertices))
        self.to_root: list[Weights] = [{} for _ in self.root]
        self.members = [[v] for v in self.root]
        # One edge of each group against which the others are balanced.
        self.first: dict[int, int] = {}
        for edge, (_, _, g) in enumerate(self.edges):
            self.first.setdefault(g, edge)

    def fold(self) -> None:
        changed = True
        while changed:
            changed = False
            seen: dict[tuple[int, int, bool], int] = {}
            for edge, (s, t, g) in enumerate(self.edges):
                other = seen.setdefault((g, self.root[s], True), edge)
                s2, t2, _ = self.edges[other]
                if self.root[s] == self.root[s2] and self.root[t] != self.root[t2]:
                    # -edge +other carries s's share over, which the known flow from s to s2 takes back.
                    rest = _sum((self.to_root[s], 1), (self.to_root[s2], -1))
                    self._join(t, t2, _sum((rest, 1), ({edge: Fraction(-1), other: Fraction(1)}, 1)))
                    changed = True
                other = seen.setdefault((g, self.root[t], False), edge)
                s2, t2, _ = self.edges[other]
                if self.root[t] == self.root[t2] and self.root[s] != self.root[s2]:
                    rest = _sum((self.to_root[t], 1), (self.to_root[t2], -1))
                    self._join(s, s2, _sum((rest, 1), ({edge: Fraction(1), other: Fraction(-1)}, 1)))
                    changed = True

    def _join(self, u: int, v: int, flow: Weights) -> None:
        """Joins the sets of u and v by a flow from u to v."""
        if len(self.members[self.root[u]]) > len(self.members[self.root[v]]):
            u, v, flow = v, u, _sum((flow, -1))
        old, new = self.root[u], self.root[v]
        bridge = _sum((self.to_root[u], -1), (flow, 1), (self.to_root[v], 1))
        for vertex in self.members[old]:
            self.to_root[vertex] = _sum((self.to_root[vertex], 1), (bridge, 1))
            self.root[vertex] = new
        self.members[new] += self.members[old]
        self.members[old] = []

    def flows_between_roots(self, pairs: list[tuple[int, int]]) -> list[Weights]:
        if not pairs:
            return []
        place = {r: i for i, r in enumerate(sorted(set(self.root)))}
        columns: dict[tuple[int, ...], int] = {}
        for edge, (s, t, g) in enumerate(self.edges):
            s0, t0, _ = self.edges[self.first[g]]
            column = [0] * len(place)
            for vertex, sign in ((s, 1), (t, -1), (s0, -1), (t0, 1)):
                column[place[self.root[vertex]]] += sign
            if any(column):
                columns.setdefault(tuple(column), edge)
        right = np.zeros((len(place), len(pairs)), dtype=np.int64)
        for index, (u, v) in enumerate(pairs):
            right[place[u], index] += 1
            right[place[v], index] -= 1
        matrix = np.array(list(columns), dtype=np.int64).reshape(-1, len(place)).T
        solutions = solve(matrix, right)
        if solutions is None:
            raise ValueError("some vertices of one class are separated by a potential")
        return [
            self._lift(u, v, solution, columns) for (u, v), solution in zip(pairs, solutions, strict=True)
        ]

    def _lift(self, u: int, v: int, solution: list[Fraction], columns: dict[tuple[int, ...], int]) -> Weights:
        """From sets back to vertices: what is left over inside a set flows to its root."""
        weights: Weights = {}
        left: dict[int, Fraction] = {u: Fraction(-1), v: Fraction(1)}
        for value, edge in zip(solution, columns.values(), strict=True):
            if value:
                for number, share in ((edge, value), (self.first[self.edges[edge][2]], -value)):
                    weights[number] = weights.get(number, Fraction(0)) + share
                    s, t, _ = self.edges[number]
                    left[s] = left.get(s, Fraction(0)) + share
                    left[t] = left.get(t, Fraction(0)) - share
        return _sum((weights, 1), *((self.to_root[vertex], -rest) for vertex, rest in left.items()))


def _sum(*terms: tuple[Mapping[int, Fraction], Fraction | int]) -> Weights:
    total: Weights = {}
    for weights, factor in terms:
        for edge, weight in weights.items():
            total[edge] = total.get(edge, Fraction(0)) + factor * weight
    return {edge: weight for edge, weight in total.items() if weight}
