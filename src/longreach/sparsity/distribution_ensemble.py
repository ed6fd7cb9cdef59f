"""Distribution ensembles: for each length a distribution over labelled sequences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from longreach.errors import Field, InputError

IntArray: TypeAlias = NDArray[np.int64]
BoolArray: TypeAlias = NDArray[np.bool_]
FloatArray: TypeAlias = NDArray[np.float64]
Label: TypeAlias = tuple[Fraction, ...]
"""A point of the label set 𝒴, whose diameter is at most 1 in the maximum norm."""


@dataclass(frozen=True, slots=True, eq=False)
class Examples:
    """Sequences of one length with their labels."""

    tokens: IntArray
    """One row each; tokens are numbers from 0."""
    labels: IntArray
    """The place of each row's label among those of the ensemble."""

    def __len__(self) -> int:
        return len(self.tokens)


@dataclass(frozen=True, slots=True, eq=False)
class Outcomes:
    """All examples of one length with their probabilities, which sum to 1."""

    examples: Examples
    weights: tuple[Fraction, ...]


class Ensemble(Protocol):
    """𝒫₁, 𝒫₂, …: what a length generalization problem is about."""

    @property
    def vocabulary(self) -> int:
        """How many tokens there are."""
        ...

    @property
    def labels(self) -> tuple[Label, ...]:
        """The labels that occur."""
        ...

    def draw(self, length: int, count: int, rng: np.random.Generator) -> Examples:
        """Independent examples of a length."""
        ...

    def outcome_count(self, length: int) -> int:
        """How many outcomes there are to enumerate."""
        ...

    def outcomes(self, length: int) -> Outcomes:
        """Each of them."""
        ...


@dataclass(frozen=True, kw_only=True)
class ListedEnsemble:
    """An ensemble that is written down: for each length sequences, labels and probabilities.

    >>> one = (Fraction(1),)
    >>> ensemble = ListedEnsemble(vocabulary=2, lists={2: [((0, 1), one, Fraction(1))]})
    >>> ensemble.draw(2, 3, np.random.default_rng(0)).tokens.tolist()
    [[0, 1], [0, 1], [0, 1]]
    """

    vocabulary: int
    lists: Mapping[int, Sequence[tuple[tuple[int, ...], Label, Fraction]]]

    def __post_init__(self) -> None:
        for length, found in self.lists.items():
            if sum(weight for *_, weight in found) != 1 or any(weight < 0 for *_, weight in found):
                raise InputError(f"length {length}: probabilities must sum to 1", place=Field("lists"))
            if any(len(tokens) != length for tokens, *_ in found):
                raise InputError(f"length {length}: a sequence has another length", place=Field("lists"))

    @property
    def labels(self) -> tuple[Label, ...]:
        return tuple(dict.fromkeys(label for found in self.lists.values() for _, label, _ in found))

    def draw(self, length: int, count: int, rng: np.random.Generator) -> Examples:
        whole = self.outcomes(length)
        chosen = rng.choice(len(whole.weights), count, p=probabilities(whole.weights))
        return Examples(whole.examples.tokens[chosen], whole.examples.labels[chosen])

    def outcome_count(self, length: int) -> int:
        return len(self._of(length))

    def outcomes(self, length: int) -> Outcomes:
        found, places = self._of(length), {label: place for place, label in enumerate(self.labels)}
        tokens = np.array([row for row, *_ in found], dtype=np.int64).reshape(len(found), length)
        labels = np.array([places[label] for _, label, _ in found], dtype=np.int64)
        return Outcomes(Examples(tokens, labels), tuple(weight for *_, weight in found))

    def _of(self, length: int) -> Sequence[tuple[tuple[int, ...], Label, Fraction]]:
        if length not in self.lists:
            raise InputError(f"the ensemble has no length {length}", place=Field("length"))
        return self.lists[length]


def probabilities(weights: Sequence[Fraction]) -> FloatArray:
    """Weights as floating-point numbers that sum to 1."""
    found = np.array([float(weight) for weight in weights])
    normed: FloatArray = found / found.sum()
    return normed


def label_table(labels: Sequence[Label]) -> FloatArray:
    """Labels as rows of floating-point numbers."""
    return np.array([[float(part) for part in label] for label in labels], dtype=np.float64)
