"""Tasks whose answer is a number or several: the definition, the literal draw, and a fast draw."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from longreach.config.regression_name import FAMILIES, RegressionName
from longreach.errors import InputError
from longreach.tasks.task import BoolArray, IntArray

FloatArray: TypeAlias = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Words:
    """Sequences side by side, padded with zeros on the right, and the answers to them."""

    tokens: IntArray
    """(examples, width)"""
    lengths: IntArray
    targets: FloatArray
    """(examples, outputs)"""

    def __len__(self) -> int:
        return len(self.lengths)

    @property
    def present(self) -> BoolArray:
        """Where there is a token."""
        return np.arange(self.tokens.shape[1]) < self.lengths[:, None]


@dataclass(frozen=True, slots=True, eq=False)
class Counts:
    """What a layer without order sees of sequences: how often each symbol stands there, and the last one.

    A symbol is a token, or a token at a position modulo a period: `token + tokens × (position mod period)`,
    positions counted from 1.
    """

    counts: IntArray
    """(examples, symbols)"""
    last: IntArray
    targets: FloatArray
    """(examples, outputs)"""

    def __len__(self) -> int:
        return len(self.last)

    @property
    def lengths(self) -> IntArray:
        """Of the sequences."""
        found: IntArray = self.counts.sum(axis=1)
        return found

    def distinct(self) -> tuple[Counts, IntArray]:
        """Each different row once, and how often it stands here: short sequences have few different counts.

        >>> rows = Counts(np.array([[1, 0], [0, 2], [1, 0]]), np.array([0, 1, 0]), np.zeros((3, 1)))
        >>> once, times = rows.distinct()
        >>> once.counts.tolist(), times.tolist()
        ([[1, 0], [0, 2]], [2, 1])
        """
        kinds, base = self.counts.shape[1], int(self.counts.max()) + 1
        if kinds * base**kinds >= 2**63:  # one whole number cannot tell the rows apart
            return self, np.ones(len(self), dtype=np.int64)
        codes = self.last + kinds * (self.counts @ base ** np.arange(kinds))
        _, first, times = np.unique(codes, return_index=True, return_counts=True)
        return Counts(self.counts[first], self.last[first], self.targets[first]), times


class RegressionTask(ABC):
    """One function from sequences to numbers, read at the last position.

    >>> from longreach.tasks.regression_catalog import load_regression
    >>> task = load_regression("modp-task:p=2,k=1")
    >>> task.answer((1, 0, 0)), task.least_length
    ((0.5,), 2)
    """

    def __init__(self, name: RegressionName) -> None:
        self.named = name
        self.name = name.text
        self.about = FAMILIES[name.family].about

    def __eq__(self, other: object) -> bool:
        return isinstance(other, RegressionTask) and self.name == other.name

    def __hash__(self) -> int:
        return hash(self.name)

    @property
    @abstractmethod
    def symbols(self) -> int:
        """How many different tokens there are: 0, 1, …."""

    @property
    def outputs(self) -> int:
        """How many numbers an answer has."""
        return 1

    @property
    def period(self) -> int:
        """Of the positions that its models see."""
        return 1

    @property
    def locality(self) -> int:
        """Up to how many tokens back its models see distances."""
        return 0

    @property
    @abstractmethod
    def least_length(self) -> int:
        """The least length of a sequence with an answer."""

    def has(self, lengths: IntArray) -> BoolArray:
        """Which lengths have sequences."""
        return lengths >= self.least_length

    @abstractmethod
    def answer(self, x: Sequence[int]) -> tuple[float, ...]:
        """The answer to one sequence, by the letter of the definition."""

    @abstractmethod
    def words(self, lengths: IntArray, rng: np.random.Generator) -> Words:
        """One sequence for each length, drawn token by token as the definition says."""

    def check_lengths(self, lengths: IntArray) -> None:
        """Refuse lengths without sequences."""
        short = lengths[lengths < self.least_length]
        if len(short):
            raise InputError(
                f"{self.name}: no sequence has length {short[0]}, the least is {self.least_length}"
            )


class CountTask(RegressionTask):
    """A task whose answer depends on counts alone."""

    @abstractmethod
    def draw(self, lengths: IntArray, rng: np.random.Generator) -> Counts:
        """Counts and last symbols with the law of those of `words`, without drawing the tokens."""

    @abstractmethod
    def targets(self, counts: IntArray) -> FloatArray:
        """The answers (examples, 1) from counts of symbols."""

    def counted(self, words: Words) -> Counts:
        """The counts of sequences."""
        positions = np.arange(1, words.tokens.shape[1] + 1)
        places = words.tokens + self.symbols * (positions % self.period)
        kinds = self.symbols * self.period
        rows = np.arange(len(words))[:, None] * kinds
        flat = (rows + places)[words.present]
        counts = np.bincount(flat, minlength=len(words) * kinds).reshape(len(words), kinds)
        last = places[np.arange(len(words)), words.lengths - 1]
        return Counts(counts.astype(np.int64), last, words.targets)
