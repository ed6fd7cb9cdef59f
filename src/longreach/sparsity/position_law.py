"""Where the planted tokens stand: for each length a distribution over sets of k places (𝒬^pos).

A set is a shape, its offsets from the first place, and a start. A law has whole numbers as weights, an array
for each shape: the weight of the sets that start at 1, 2, … up to the last start that fits. Divided by their
sum they are probabilities, exactly.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from math import lcm
from typing import TypeAlias

import numpy as np

from longreach.errors import Field, InputError
from longreach.sparsity.distribution_ensemble import IntArray

Shape: TypeAlias = tuple[int, ...]
"""Offsets from the first place, 0 first: (0, 1) is a pair of neighbours."""
LARGEST = 2**40
"""Of a common denominator: sums over all sets still fit into 64 bits."""
PlaceSet: TypeAlias = tuple[int, ...]
"""Places from 1 on, in increasing order."""


@dataclass(frozen=True, eq=False)
class PositionLaw:
    """𝒬^pos_ℓ for one length.

    >>> law = PositionLaw(4, {(0, 1): np.array([1, 1, 1]), (0, 2): np.array([0, 3])})
    >>> law.probability((2, 4)), law.probability((1, 3)), law.span
    (Fraction(1, 2), Fraction(0, 1), 2)
    """

    length: int
    weights: Mapping[Shape, IntArray]

    def __post_init__(self) -> None:
        sizes = {len(shape) for shape in self.weights}
        if len(sizes) != 1:
            raise InputError("sets of one size are needed, at least one", place=Field("weights"))
        for shape, row in self.weights.items():
            increasing = all(a < b for a, b in pairwise(shape))
            if not shape or shape[0] != 0 or not increasing:
                raise InputError(f"{shape} is no shape: offsets grow from 0", place=Field("weights"))
            if len(row) != max(0, self.length - shape[-1]):
                raise InputError(
                    f"{shape} has {len(row)} starts at length {self.length}", place=Field("weights")
                )
            if (row < 0).any():
                raise InputError(f"{shape} has a negative weight", place=Field("weights"))
        if not self.total:
            raise InputError(f"no set has a positive weight at length {self.length}", place=Field("weights"))

    @property
    def sparsity(self) -> int:
        """k, the size of the sets."""
        return len(next(iter(self.weights)))

    @cached_property
    def total(self) -> int:
        """By which weights are divided."""
        return sum(int(row.sum()) for row in self.weights.values())

    @property
    def span(self) -> int:
        """The largest max S − min S of a set with a positive weight."""
        return max(shape[-1] for shape, row in self.weights.items() if row.any())

    def probability(self, places: PlaceSet) -> Fraction:
        """Of one set."""
        shape = shape_of(places)
        row = self.weights.get(shape)
        if row is None or places[0] < 1 or places[-1] > self.length:
            return Fraction(0)
        return Fraction(int(row[places[0] - 1]), self.total)

    def sets(self) -> Iterator[tuple[PlaceSet, Fraction]]:
        """The sets with a positive probability."""
        for shape, row in self.weights.items():
            for start in np.flatnonzero(row).tolist():
                places = tuple(start + 1 + offset for offset in shape)
                yield places, Fraction(int(row[start]), self.total)

    def count(self) -> int:
        """How many sets have a positive probability."""
        return sum(int(np.count_nonzero(row)) for row in self.weights.values())

    def draw(self, count: int, rng: np.random.Generator) -> IntArray:
        """Sets, one in each row."""
        shapes = list(self.weights)
        flat = np.concatenate([self.weights[shape] for shape in shapes]).astype(np.float64)
        chosen = rng.choice(len(flat), count, p=flat / flat.sum())
        ends = np.cumsum([len(self.weights[shape]) for shape in shapes])
        which = np.searchsorted(ends, chosen, side="right")
        starts = chosen - np.concatenate(([0], ends[:-1]))[which]
        places: IntArray = starts[:, None] + 1 + np.array(shapes, dtype=np.int64)[which]
        return places


Places: TypeAlias = Callable[[int], PositionLaw]
"""𝒬^pos: a law for each length."""


def shape_of(places: PlaceSet) -> Shape:
    """The offsets from the first place.

    >>> shape_of((3, 4, 9))
    (0, 1, 6)
    """
    return tuple(place - places[0] for place in places)


def law_of_sets(length: int, sets: Mapping[PlaceSet, Fraction]) -> PositionLaw:
    """The law of sets with given probabilities.

    >>> law_of_sets(3, {(1, 2): Fraction(1, 3), (1, 3): Fraction(2, 3)}).probability((1, 3))
    Fraction(2, 3)
    """
    scale = lcm(*(weight.denominator for weight in sets.values()))
    if scale > LARGEST:
        raise InputError("the probabilities have no common denominator that fits", place=Field("sets"))
    found: dict[Shape, IntArray] = {}
    for places, weight in sets.items():
        shape = shape_of(places)
        row = found.setdefault(shape, np.zeros(max(0, length - shape[-1]), dtype=np.int64))
        if places[0] < 1 or places[-1] > length:
            raise InputError(f"{places} is no set of places up to {length}", place=Field("sets"))
        row[places[0] - 1] += int(weight * scale)
    return PositionLaw(length, found)


def shifted_sets(sets: Mapping[PlaceSet, int], window: int) -> Places:
    """Sets of places up to the window, by weight, shifted by a uniformly random amount (section 4).

    >>> law = shifted_sets({(1, 2): 1, (1, 4): 1}, window=4)(5)
    >>> law.probability((1, 2)), law.probability((4, 5)), law.probability((2, 5))
    (Fraction(1, 4), Fraction(0, 1), Fraction(1, 4))
    """

    def law(length: int) -> PositionLaw:
        shifts = length - window + 1
        if shifts < 1:
            raise InputError(f"{length} is shorter than the window {window}", place=Field("length"))
        found: dict[Shape, IntArray] = {}
        for places, weight in sets.items():
            shape = shape_of(places)
            row = found.setdefault(shape, np.zeros(length - shape[-1], dtype=np.int64))
            row[places[0] - 1 : places[0] - 1 + shifts] += weight
        return PositionLaw(length, found)

    return law


def spread_shapes(masses: Callable[[int], Mapping[Shape, Fraction]]) -> Places:
    """Shapes with a probability each, which all starts share equally; what does not fit is left out.

    >>> half = Fraction(1, 2)
    >>> law = spread_shapes(lambda length: {(0, 1): half, (0, 3): half})(5)
    >>> law.probability((1, 2)), law.probability((2, 5))
    (Fraction(1, 8), Fraction(1, 4))
    """

    def law(length: int) -> PositionLaw:
        shares = {
            shape: mass / (length - shape[-1])
            for shape, mass in masses(length).items()
            if shape[-1] < length and mass
        }
        scale = lcm(*(share.denominator for share in shares.values()))
        if scale > LARGEST:
            raise InputError("too many shapes of different spans for exact weights", place=Field("masses"))
        return PositionLaw(
            length,
            {
                shape: np.full(length - shape[-1], int(share * scale), dtype=np.int64)
                for shape, share in shares.items()
            },
        )

    return law


def uniform_sets(shapes: Callable[[int], Iterator[Shape]]) -> Places:
    """All sets of the shapes that a length has, each with the same probability.

    >>> uniform_sets(lambda length: iter([(0, 1), (0, 2)]))(4).probability((2, 4))
    Fraction(1, 5)
    """

    def law(length: int) -> PositionLaw:
        fitting = [shape for shape in shapes(length) if shape[-1] < length]
        return PositionLaw(length, {shape: np.ones(length - shape[-1], dtype=np.int64) for shape in fitting})

    return law
