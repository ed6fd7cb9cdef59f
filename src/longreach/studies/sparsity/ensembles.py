"""Distribution ensembles: planted correlations, k-grams, laws of positions and their coverage.

A set is a shape, its offsets from the first place, and a start. A law has whole numbers as weights, an array
for each shape: the weight of the sets that start at 1, 2, … up to the last start that fits. Divided by their
sum they are probabilities, exactly.

Golowich et al. (arXiv 2502.16792), section 3.1: a k-gram stands somewhere, again at the end, and the token
that followed it is asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import pairwise, product
from math import lcm, prod
from typing import Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from longreach.errors import Field, InputError

# Distribution ensembles: for each length a distribution over labelled sequences.


IntArray: TypeAlias = NDArray[np.int64]
BoolArray: TypeAlias = NDArray[np.bool_]
FloatArray: TypeAlias = NDArray[np.float64]
Label: TypeAlias = tuple[Fraction, ...]
"""A point of the label set 𝒴, whose diameter is at most 1 in the maximum norm."""


@dataclass(frozen=True, slots=True, eq=False)
class Examples:
    """Labelled sequences of one length."""

    tokens: IntArray
    """One row each; tokens are numbers from 0."""
    labels: Sequence[Label]
    weights: Sequence[Fraction] = ()
    """Probabilities that sum to 1, where these are all examples of the length."""


class Ensemble(Protocol):
    """𝒫₁, 𝒫₂, …: what a length generalization problem is about."""

    @property
    def vocabulary(self) -> int:
        """How many tokens there are."""
        ...

    def draw(self, length: int, count: int, rng: np.random.Generator) -> Examples:
        """Independent examples of a length."""
        ...

    def outcome_count(self, length: int) -> int:
        """How many outcomes there are to enumerate."""
        ...

    def outcomes(self, length: int) -> Examples:
        """Each of them, with its probability."""
        ...


@dataclass(frozen=True, kw_only=True)
class SingleSequences:
    """One labelled sequence for each of some lengths; other lengths are those of another ensemble.

    >>> ensemble = SingleSequences(vocabulary=2, sequences={2: ((0, 1), (Fraction(1),))})
    >>> ensemble.draw(2, 3, np.random.default_rng(0)).tokens.tolist()
    [[0, 1], [0, 1], [0, 1]]
    """

    vocabulary: int
    sequences: Mapping[int, tuple[tuple[int, ...], Label]]
    others: Ensemble | None = None

    def draw(self, length: int, count: int, rng: np.random.Generator) -> Examples:
        if length not in self.sequences:
            return self._other(length).draw(length, count, rng)
        tokens, label = self.sequences[length]
        return Examples(np.tile(np.array(tokens, dtype=np.int64), (count, 1)), [label] * count)

    def outcome_count(self, length: int) -> int:
        return 1 if length in self.sequences else self._other(length).outcome_count(length)

    def outcomes(self, length: int) -> Examples:
        if length not in self.sequences:
            return self._other(length).outcomes(length)
        tokens, label = self.sequences[length]
        return Examples(np.array([tokens], dtype=np.int64), [label], [Fraction(1)])

    def _other(self, length: int) -> Ensemble:
        if self.others is None:
            raise InputError(f"the ensemble has no length {length}", place=Field("length"))
        return self.others


def probabilities(weights: Sequence[Fraction]) -> FloatArray:
    """Weights as floating-point numbers that sum to 1."""
    found = np.array([float(weight) for weight in weights])
    normed: FloatArray = found / found.sum()
    return normed


# Where the planted tokens stand: for each length a distribution over sets of k places (𝒬^pos).


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
                raise InputError(f"{shape} is not a shape: offsets grow from 0", place=Field("weights"))
            if len(row) != max(0, self.length - shape[-1]):
                raise InputError(
                    f"{shape} has {len(row)} starts at length {self.length}", place=Field("weights")
                )
            if (row < 0).any():
                raise InputError(f"{shape} has a negative weight", place=Field("weights"))
        if not self.total:
            raise InputError(f"no set has a positive weight at length {self.length}", place=Field("weights"))

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
        for shape, row in self.weights.items():
            for start in np.flatnonzero(row).tolist():
                places = tuple(start + 1 + offset for offset in shape)
                yield places, Fraction(int(row[start]), self.total)

    def count(self) -> int:
        """How many sets have a positive probability."""
        return sum(int(np.count_nonzero(row)) for row in self.weights.values())

    def draw(self, count: int, rng: np.random.Generator) -> IntArray:
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
            raise InputError(f"{places} is not a set of places up to {length}", place=Field("sets"))
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


def even_shapes(weights: Callable[[int], Mapping[Shape, Fraction | int]]) -> Places:
    """All sets of a shape have the same weight, given for each length; shapes that do not fit are left out.

    >>> even_shapes(lambda length: {(0, 1): 1, (0, 2): 1})(4).probability((2, 4))
    Fraction(1, 5)
    """

    def law(length: int) -> PositionLaw:
        fitting = {shape: weight for shape, weight in weights(length).items() if shape[-1] < length}
        scale = lcm(*(weight.denominator for weight in fitting.values()))
        if scale > LARGEST:
            raise InputError("too many shapes of different spans for exact weights", place=Field("weights"))
        rows = {
            shape: np.full(length - shape[-1], int(weight * scale), dtype=np.int64)
            for shape, weight in fitting.items()
        }
        return PositionLaw(length, rows)

    return law


# Coverage of planted places (Golowich et al., arXiv 2502.16792, Assumption 4.2).


@dataclass(frozen=True, kw_only=True)
class Coverage:
    """The least η_ℓ, and where it is attained."""

    eta: Fraction | None
    """None: no number is enough."""
    other: int
    """The length ℓ′ that it is compared with."""
    places: PlaceSet
    """The set S*."""


def coverage(places: Places, length: int, *, window: int) -> Coverage:
    """The least η with 𝒬_ℓ(S) ≤ η 𝒬_ℓ′(S − Δ) and 𝒬_ℓ′(S) ≤ η 𝒬_ℓ(S), for ℓ′ from the window to ℓ.

    Δ ≥ 0, and sets that do not fit into the other length demand nothing. A quotient 0/0 demands nothing
    either.

    >>> coverage(shifted_sets({(1, 2): 1}, window=2), 10, window=2).eta
    Fraction(9, 1)
    """
    if not 1 <= window <= length:
        raise InputError(f"{window} is not between 1 and the length {length}", place=Field("window"))
    own, worst = places(length), None
    for other in range(window, length + 1):
        try:
            law = places(other)
        except InputError:  # no set fits there: nothing is demanded
            continue
        for found in (*_shifted(own, law), *_same(law, own)):
            if worst is None or found.eta is None or (worst.eta is not None and found.eta > worst.eta):
                worst = found
        if worst is not None and worst.eta is None:
            return worst
    if worst is None:
        raise InputError(f"there are no planted sets up to length {length}", place=Field("places"))
    return worst


def _shifted(own: PositionLaw, law: PositionLaw) -> Iterator[Coverage]:
    """𝒬_ℓ(S) / 𝒬_ℓ′(S − Δ): for each start the least weight of all earlier starts counts."""
    for shape, row in own.weights.items():
        starts = law.length - shape[-1]
        if starts < 1 or not row.any():
            continue
        theirs = law.weights.get(shape)
        least = np.zeros(starts, dtype=np.int64) if theirs is None else np.minimum.accumulate(theirs)
        # Equal least weights stand together; in each such stretch the largest own weight counts.
        changes = np.concatenate(([0], np.flatnonzero(np.diff(least)) + 1))
        tops = np.maximum.reduceat(row, changes)
        for start, top in zip(changes.tolist(), tops.tolist(), strict=True):
            if top:
                place = start + int(np.argmax(row[start:] == top))
                yield _quotient(top * law.total, int(least[start]) * own.total, law, shape, place)


def _same(law: PositionLaw, own: PositionLaw) -> Iterator[Coverage]:
    """𝒬_ℓ′(S) / 𝒬_ℓ(S)."""
    for shape, theirs in law.weights.items():
        row = own.weights.get(shape, np.zeros(len(theirs), dtype=np.int64))
        used = np.flatnonzero(theirs).tolist()
        missing = [at for at in used if not row[at]]
        if missing:
            yield _quotient(1, 0, law, shape, missing[0])
            return
        for (top, bottom), at in {(int(theirs[at]), int(row[at])): at for at in used}.items():
            yield _quotient(top * own.total, bottom * law.total, law, shape, at)


def _quotient(top: int, bottom: int, law: PositionLaw, shape: Shape, start: int) -> Coverage:
    eta = Fraction(top, bottom) if bottom else None
    return Coverage(eta=eta, other=law.length, places=tuple(start + 1 + offset for offset in shape))


# k-sparse planted correlations (Golowich et al., arXiv 2502.16792, Definition 3.2).


@dataclass(frozen=True, kw_only=True)
class PlantedEnsemble:
    """Most tokens are background; k of them are planted, at places of their own law, and decide the label.

    >>> one = Fraction(1)
    >>> ensemble = PlantedEnsemble(
    ...     background=(one, Fraction(0)),
    ...     places=shifted_sets({(1, 2): 1}, window=2),
    ...     planted={(1, 1): one},
    ...     label={(1, 1): (one,)},
    ... )
    >>> sorted(row.tolist() for row in ensemble.outcomes(3).tokens)
    [[0, 1, 1], [1, 1, 0]]
    >>> ensemble.coverage(8, window=2).eta
    Fraction(7, 1)
    """

    background: Sequence[Fraction]
    """μ: the probability of each token."""
    places: Places
    """𝒬^pos."""
    planted: Mapping[tuple[int, ...], Fraction]
    """𝒬^voc: tuples of k tokens with their probabilities."""
    label: Mapping[tuple[int, ...], Label]
    """g*."""

    def __post_init__(self) -> None:
        for field, weights in (("background", self.background), ("planted", self.planted.values())):
            if sum(weights) != 1 or min(weights) < 0:
                raise InputError("probabilities must sum to 1", place=Field(field))
        if len({len(tokens) for tokens in self.planted}) != 1:
            raise InputError("tuples of one size are needed", place=Field("planted"))
        for tokens in self.planted:
            if not all(0 <= token < self.vocabulary for token in tokens):
                raise InputError(f"{tokens} is not over {self.vocabulary} tokens", place=Field("planted"))
            if tokens not in self.label:
                raise InputError(f"{tokens} has no label", place=Field("label"))

    @property
    def vocabulary(self) -> int:
        return len(self.background)

    @property
    def sparsity(self) -> int:
        """k."""
        return len(next(iter(self.planted)))

    def coverage(self, length: int, *, window: int) -> Coverage:
        """The least η_ℓ of Assumption 4.2."""
        return coverage(self.places, length, window=window)

    def draw(self, length: int, count: int, rng: np.random.Generator) -> Examples:
        places = self.places(length).draw(count, rng)
        tokens = rng.choice(self.vocabulary, (count, length), p=probabilities(self.background))
        known = list(self.planted)
        chosen = rng.choice(len(known), count, p=probabilities(list(self.planted.values())))
        tokens[np.arange(count)[:, None], places - 1] = np.array(known, dtype=np.int64)[chosen]
        return Examples(tokens.astype(np.int64), [self.label[known[place]] for place in chosen])

    def outcome_count(self, length: int) -> int:
        """How many outcomes there are: sets × planted tuples × backgrounds."""
        planted = sum(weight > 0 for weight in self.planted.values())
        backgrounds: int = sum(weight > 0 for weight in self.background) ** max(0, length - self.sparsity)
        return self.places(length).count() * planted * backgrounds

    def outcomes(self, length: int) -> Examples:
        """Each of them, S* forgotten: sequences that arise in several ways are listed as often."""
        rows, labels, weights = [], [], []
        background = [token for token, weight in enumerate(self.background) if weight]
        fillings = [
            (filling, prod((self.background[token] for token in filling), start=Fraction(1)))
            for filling in product(background, repeat=length - self.sparsity)
        ]
        for places, chance in self.places(length).sets():
            others = [place - 1 for place in range(1, length + 1) if place not in places]
            row = np.empty(length, dtype=np.int64)
            for tokens, weight in self.planted.items():
                row[[place - 1 for place in places]] = tokens
                for filling, share in fillings if weight else ():
                    row[others] = filling
                    rows.append(row.copy())
                    labels.append(self.label[tokens])
                    weights.append(chance * weight * share)
        return Examples(np.array(rows, dtype=np.int64), labels, weights)


# k-gram retrieval as an ensemble with planted correlations: (2k + 1)-sparse, and not local.


def kgram_retrieval(tokens: int, k: int = 1) -> PlantedEnsemble:
    """The ensemble over so many tokens; labels are their one-hot vectors.

    >>> ensemble = kgram_retrieval(3, k=1)
    >>> ensemble.sparsity, list(ensemble.places(6).sets())[-1][0], ensemble.places(60).span
    (3, (4, 5, 6), 58)
    """
    if tokens < 2 or k < 1:
        raise InputError("at least two tokens and k of at least 1 are needed", place=Field("k"))
    planted = {
        (*gram, follower, *gram): Fraction(1, tokens ** (k + 1))
        for gram in product(range(tokens), repeat=k)
        for follower in range(tokens)
    }
    return PlantedEnsemble(
        background=(Fraction(1, tokens),) * tokens,
        places=lambda length: _retrieval_places(length, k),
        planted=planted,
        label={each: one_hot(each[k], tokens) for each in planted},
    )


def _retrieval_places(length: int, k: int) -> PositionLaw:
    """(ℓ′+1, …, ℓ′+k+1, ℓ−k+1, …, ℓ) with ℓ′ uniform in 1 … ℓ−2k−1."""
    starts = length - 2 * k - 1
    if starts < 1:
        raise InputError(f"{length} is too short for {k}-gram retrieval", place=Field("length"))
    end = tuple(range(length - k + 1, length + 1))
    sets = {(*range(start + 1, start + k + 2), *end): Fraction(1, starts) for start in range(1, starts + 1)}
    return law_of_sets(length, sets)


def one_hot(place: int, size: int) -> Label:
    """A label that is a token.

    >>> one_hot(1, 3)
    (Fraction(0, 1), Fraction(1, 1), Fraction(0, 1))
    """
    return tuple(Fraction(place == other) for other in range(size))
