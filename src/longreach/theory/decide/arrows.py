"""Graphs of arrows: what local and periodic relations cannot see.

A long power of an object word hides the position and everything older than the window from a program. Between
such powers a program reads arrows as if they were letters, so the potentials of the graph of arrows bound
what it can know; states that they leave together after the same object word cannot be told apart. The graph
of all idempotents of a semigroup of maps gives the exact test; a few sampled words often suffice for a "no".
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, product

import numpy as np

from longreach.theory.automata.automaton import Automaton, IntArray, strong_components
from longreach.theory.automata.monoid import idempotent_representatives
from longreach.theory.automata.paths import Paths
from longreach.theory.budget import DEFAULT_BUDGET, Budget
from longreach.theory.decide.potentials import Classes, Graph, numbered, refine


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


@dataclass(frozen=True, eq=False)
class IdempotentGraph:
    """One idempotent per D-class and all arrows between them; an arrow's name is a row of the semigroup."""

    objects: tuple[int, ...]
    """Rows of the semigroup."""
    fixed: tuple[tuple[int, ...], ...]
    arrows: tuple[Arrow, ...]
    complete: bool
    """Whether these are all arrows; a failure proves as much in a part of the graph."""

    def failure(self, budget: Budget = DEFAULT_BUDGET) -> Failure | None:
        """A component that the potentials leave unresolved, seen with as few arrows as a short search
        finds.

        Fewer arrows mean fewer constraints, so a failure of a part is a failure of the whole.
        """
        count = 2 * len(self.objects) + 4
        while count < len(self.arrows):
            # Arrows at even distances of the list, so that every pair of objects is met.
            step = len(self.arrows) / count
            part = [self.arrows[int(k * step)] for k in range(count)]
            failure = find_failure(self.fixed, part, budget)
            if failure is not None:
                return failure
            count *= 4
        return find_failure(self.fixed, self.arrows, budget)


def idempotent_graph(elements: IntArray, limit: int, budget: Budget = DEFAULT_BUDGET) -> IdempotentGraph:
    """The graph for a semigroup of maps, given by rows, with at most about `limit` edges.

    >>> graph = idempotent_graph(np.array([[0, 1], [1, 0]]), 100)
    >>> graph.failure().pair
    (0, 1)
    """
    objects = idempotent_representatives(elements)
    states = np.arange(elements.shape[1])
    fixed = [np.flatnonzero(elements[e] == states) for e in objects]
    arrows: list[Arrow] = []
    edges = 0
    for source, start in enumerate(fixed):
        moved, row = np.unique(elements[:, start], axis=0, return_index=True)
        for target, e in enumerate(objects):
            budget.check()
            images, index = np.unique(elements[e][moved], axis=0, return_index=True)
            kept = images[: max(0, limit - edges) // max(1, len(start))]
            edges += images.size
            arrows += [
                Arrow(source, target, tuple(image), name)
                for image, name in zip(kept.tolist(), row[index[: len(kept)]].tolist(), strict=True)
            ]
    places = tuple(tuple(f.tolist()) for f in fixed)
    return IdempotentGraph(tuple(objects), places, tuple(arrows), edges <= limit)


_LONGEST_OBJECT = 64
_RANDOM_ARROWS = 16
_MOST_GOALS = 64

Letters = tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Sample:
    """A failure together with the words of its objects and arrows, letters by their place in the alphabet."""

    block: int
    """The length of every object word; it divides the length of every arrow word."""
    objects: tuple[Letters, ...]
    words: tuple[Letters, ...]
    failure: Failure


def sampled_failure(automaton: Automaton, tries: int, budget: Budget = DEFAULT_BUDGET) -> Sample | None:
    """A proof that no program with local and periodic relations exists, if a short search finds one.

    >>> sampled_failure(from_expression("b*(ab*ab*)*"), 10).block
    2
    >>> sampled_failure(from_expression("(aa)*"), 10) is None
    True
    """
    # A fixed seed: the same language always gets the same certificate.
    chance = random.Random(0)
    found: list[Letters] = []
    for letters in islice(_candidates(len(automaton.alphabet)), tries):
        word = _idempotent_power(automaton, letters)
        if word is None or _map(automaton, word) in {_map(automaton, other) for other in found}:
            continue
        found.append(word)
        sample = _try(automaton, [word], chance, budget)
        if sample is not None:
            return sample
    for size in (2, 3):
        together = [w for w in found if len(_fixed(automaton, w)) > 1][:size]
        if len(together) == size:
            sample = _try(automaton, together, chance, budget)
            if sample is not None:
                return sample
    return None


def _candidates(letters: int) -> Iterator[Letters]:
    for length in range(1, 6):
        for word in product(range(letters), repeat=length):
            # A power of a shorter word gives the same idempotent.
            if not any(length % d == 0 and word == word[:d] * (length // d) for d in range(1, length)):
                yield word


def _map(automaton: Automaton, word: Letters) -> tuple[int, ...]:
    images = np.arange(len(automaton))
    for letter in word:
        images = automaton.table[images, letter]
    return tuple(images.tolist())


def _idempotent_power(automaton: Automaton, word: Letters) -> Letters | None:
    step = _map(automaton, word)
    images = step
    for power in range(1, _LONGEST_OBJECT // len(word) + 1):
        if all(images[images[q]] == images[q] for q in range(len(automaton))):
            return word * power
        images = tuple(step[q] for q in images)
    return None


def _fixed(automaton: Automaton, word: Letters) -> list[int]:
    return [q for q, image in enumerate(_map(automaton, word)) if image == q]


def _try(
    automaton: Automaton, objects: list[Letters], chance: random.Random, budget: Budget
) -> Sample | None:
    budget.check()
    block = max(len(word) for word in objects)
    if any(block % len(word) for word in objects):
        return None
    objects = [word * (block // len(word)) for word in objects]
    fixed = [_fixed(automaton, word) for word in objects]
    if max(map(len, fixed)) < 2:
        return None
    actions = [_map(automaton, word) for word in objects]
    words = _arrow_words(automaton, fixed, block, chance)
    arrows: list[Arrow] = []
    seen: set[tuple[int, int, tuple[int, ...]]] = set()
    for name, word in enumerate(words):
        action = _map(automaton, word)
        for source, states in enumerate(fixed):
            for target, end in enumerate(actions):
                images = tuple(end[action[q]] for q in states)
                if (source, target, images) not in seen:
                    seen.add((source, target, images))
                    arrows.append(Arrow(source, target, images, name))
    failure = find_failure(fixed, arrows, budget)
    if failure is None:
        return None
    return Sample(block, tuple(objects), tuple(words[arrow.name] for arrow in failure.arrows), failure)


def _arrow_words(
    automaton: Automaton, fixed: list[list[int]], block: int, chance: random.Random
) -> list[Letters]:
    """Words whose length is a multiple of the block: shortest ways between fixed states, and random ones."""
    letters = range(len(automaton.alphabet))
    if len(letters) ** block <= _RANDOM_ARROWS:
        words = [tuple(word) for word in product(letters, repeat=block)]
    else:
        words = [tuple(chance.choices(letters, k=block)) for _ in range(_RANDOM_ARROWS)]
    states = sorted({q for group in fixed for q in group})
    for start in states[:8]:
        words += _ways(automaton, start, set(states), block)
    return list(dict.fromkeys(words))


def _ways(automaton: Automaton, start: int, goals: set[int], block: int) -> list[Letters]:
    """Shortest nonempty words from the start to each goal with a length divisible by the block."""

    def moves(here: tuple[int, int] | None) -> Iterator[tuple[int, tuple[int, int]]]:
        state, phase = (start, 0) if here is None else here
        for letter, target in enumerate(automaton.transitions[state]):
            yield letter, (target, (phase + 1) % block)

    # From a vertex of its own, so that the start can be reached again.
    ways = Paths[tuple[int, int] | None, int](None, moves)
    reached = set(ways)
    return [ways.to((goal, 0)) for goal in sorted(goals)[:_MOST_GOALS] if (goal, 0) in reached]
