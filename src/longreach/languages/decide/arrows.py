"""Graphs of idempotents: what local and periodic relations cannot see.

A long power of an object word hides the position and everything older than the window from a program. Between
such powers a program reads arrows as if they were letters, so the potentials of the graph of arrows bound
what it can know; states that they leave together after the same object word cannot be told apart.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from longreach.languages.budget import DEFAULT_BUDGET, Budget
from longreach.languages.decide.potentials import Classes, Graph, numbered, refine
from longreach.languages.regular.automaton import strong_components

IntArray = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Arrow:
    """A map from the states that one object word fixes to those that another fixes."""

    source: int
    target: int
    """Numbers of objects."""
    images: tuple[int, ...]
    """The image of each fixed state of the source object, in their order."""
    name: int
    """Whatever the caller needs to find a word of the arrow again."""


@dataclass(frozen=True, eq=False)
class Failure:
    """A component in which two states after the same object word stay together."""

    vertices: tuple[tuple[int, int], ...]
    """(state, object) of each vertex."""
    arrows: tuple[Arrow, ...]
    """Edge labels of the graph are places in this list."""
    graph: Graph
    classes: Classes
    pair: tuple[int, int]
    """Two vertices of one class with the same object and different states."""


def find_failure(
    fixed: Sequence[Sequence[int]], arrows: Sequence[Arrow], budget: Budget = DEFAULT_BUDGET
) -> Failure | None:
    """The smallest component of the graph in which the potentials leave two states together, if there is
    one.

    `fixed` lists the states that each object word fixes.

    >>> swap = [Arrow(0, 0, (0, 1), 0), Arrow(0, 0, (1, 0), 1)]
    >>> find_failure([[0, 1]], swap).pair
    (0, 1)
    """
    vertices = [(state, number) for number, states in enumerate(fixed) for state in states]
    place = {vertex: index for index, vertex in enumerate(vertices)}
    source: list[int] = []
    label: list[int] = []
    target: list[int] = []
    for number, arrow in enumerate(arrows):
        for state, image in zip(fixed[arrow.source], arrow.images, strict=True):
            source.append(place[state, arrow.source])
            label.append(number)
            target.append(place[image, arrow.target])
    edges = np.array([source, label, target], dtype=np.int64)
    successors: list[set[int]] = [set() for _ in vertices]
    for s, t in set(zip(source, target, strict=True)):
        successors[s].add(t)
    components = strong_components([sorted(targets) for targets in successors])
    for members in sorted(components, key=len):
        objects = [vertices[v][1] for v in members]
        if len(set(objects)) == len(objects):
            continue
        failure = _failure_in(members, vertices, edges, arrows, budget)
        if failure is not None:
            return failure
    return None


def _failure_in(
    members: list[int],
    vertices: list[tuple[int, int]],
    edges: IntArray,
    arrows: Sequence[Arrow],
    budget: Budget,
) -> Failure | None:
    number = np.full(len(vertices), -1, dtype=np.int64)
    number[members] = np.arange(len(members))
    inside = edges[:, (number[edges[0]] >= 0) & (number[edges[2]] >= 0)]
    used, label = np.unique(inside[1], return_inverse=True)
    chosen = tuple(vertices[v] for v in members)
    graph = Graph(len(members), number[inside[0]], label, number[inside[2]], numbered([o for _, o in chosen]))
    classes = refine(graph, budget=budget).classes
    leader: dict[int, int] = {}
    for vertex, c in enumerate(classes):
        if leader.setdefault(c, vertex) != vertex:
            return Failure(chosen, tuple(arrows[a] for a in used), graph, classes, (leader[c], vertex))
    return None
