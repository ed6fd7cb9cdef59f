"""k-sparse planted correlations (Golowich et al., arXiv 2502.16792, Definition 3.2)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import product
from math import prod

import numpy as np

from longreach.errors import Field, InputError
from longreach.sparsity.coverage import Coverage, coverage
from longreach.sparsity.distribution_ensemble import Examples, IntArray, Label, Outcomes, probabilities
from longreach.sparsity.position_law import Places


@dataclass(frozen=True, slots=True, eq=False)
class Drawn:
    """Examples, and where their planted tokens stand."""

    examples: Examples
    places: IntArray
    """S* of each row, from 1 on."""


@dataclass(frozen=True, kw_only=True)
class PlantedEnsemble:
    """Most tokens are background; k of them are planted, at places of their own law, and decide the label.

    >>> from longreach.sparsity.position_law import shifted_sets
    >>> one = Fraction(1)
    >>> ensemble = PlantedEnsemble(
    ...     background=(one, Fraction(0)),
    ...     places=shifted_sets({(1, 2): 1}, window=2),
    ...     planted={(1, 1): one},
    ...     label={(1, 1): (one,)},
    ... )
    >>> sorted(row.tolist() for row in ensemble.outcomes(3).examples.tokens)
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
        if sum(self.background) != 1 or min(self.background) < 0:
            raise InputError("probabilities must sum to 1", place=Field("background"))
        if sum(self.planted.values()) != 1 or min(self.planted.values()) < 0:
            raise InputError("probabilities must sum to 1", place=Field("planted"))
        if len({len(tokens) for tokens in self.planted}) != 1:
            raise InputError("tuples of one size are needed", place=Field("planted"))
        for tokens in self.planted:
            if not all(0 <= token < self.vocabulary for token in tokens):
                raise InputError(f"{tokens} is not over {self.vocabulary} tokens", place=Field("planted"))
            if tokens not in self.label:
                raise InputError(f"{tokens} has no label", place=Field("label"))

    @property
    def vocabulary(self) -> int:
        """How many tokens there are."""
        return len(self.background)

    @property
    def sparsity(self) -> int:
        """k."""
        return len(next(iter(self.planted)))

    @cached_property
    def labels(self) -> tuple[Label, ...]:
        """The labels that occur."""
        return tuple(dict.fromkeys(self.label[tokens] for tokens in self.planted))

    @cached_property
    def _background_tokens(self) -> tuple[int, ...]:
        return tuple(token for token, weight in enumerate(self.background) if weight)

    def coverage(self, length: int, *, window: int) -> Coverage:
        """The least η_ℓ of Assumption 4.2."""
        return coverage(self.places, length, window=window)

    def draw(self, length: int, count: int, rng: np.random.Generator) -> Examples:
        """Independent examples of a length."""
        return self.draw_planted(length, count, rng).examples

    def draw_planted(self, length: int, count: int, rng: np.random.Generator) -> Drawn:
        """The same with S*."""
        places = self.places(length).draw(count, rng)
        tokens = rng.choice(self.vocabulary, (count, length), p=probabilities(self.background))
        known = list(self.planted)
        chosen = rng.choice(len(known), count, p=probabilities(list(self.planted.values())))
        tokens[np.arange(count)[:, None], places - 1] = np.array(known, dtype=np.int64)[chosen]
        return Drawn(Examples(tokens.astype(np.int64), self._labels_of(known)[chosen]), places)

    def _labels_of(self, planted: Sequence[tuple[int, ...]]) -> IntArray:
        places = {label: place for place, label in enumerate(self.labels)}
        return np.array([places[self.label[tokens]] for tokens in planted], dtype=np.int64)

    def outcome_count(self, length: int) -> int:
        """How many outcomes there are: sets × planted tuples × backgrounds."""
        backgrounds: int = len(self._background_tokens) ** max(0, length - self.sparsity)
        return self.places(length).count() * self._planted_count * backgrounds

    @property
    def _planted_count(self) -> int:
        return sum(weight > 0 for weight in self.planted.values())

    def outcomes(self, length: int) -> Outcomes:
        """Each of them, S* forgotten: sequences that arise in several ways are listed as often."""
        rows, labels, weights = [], [], []
        planted = [(tokens, weight) for tokens, weight in self.planted.items() if weight]
        numbers = self._labels_of([tokens for tokens, _ in planted]).tolist()
        rest = length - self.sparsity
        fillings = [
            (filling, prod((self.background[token] for token in filling), start=Fraction(1)))
            for filling in product(self._background_tokens, repeat=rest)
        ]
        for places, chance in self.places(length).sets():
            others = [place - 1 for place in range(1, length + 1) if place not in places]
            row = np.empty(length, dtype=np.int64)
            for (tokens, weight), number in zip(planted, numbers, strict=True):
                row[[place - 1 for place in places]] = tokens
                for filling, share in fillings:
                    row[others] = filling
                    rows.append(row.copy())
                    labels.append(number)
                    weights.append(chance * weight * share)
        examples = Examples(np.array(rows, dtype=np.int64), np.array(labels, dtype=np.int64))
        return Outcomes(examples, tuple(weights))
