"""The graph of all idempotents of a semigroup of maps: the exact test for local and periodic relations."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from longreach.languages.budget import DEFAULT_BUDGET, Budget
from longreach.languages.decide.arrows import Arrow, Failure, find_failure
from longreach.languages.regular.monoid import idempotent_representatives

IntArray = npt.NDArray[np.int64]


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
