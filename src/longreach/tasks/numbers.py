"""Tasks whose answers are numbers: those of Izzo, Nichani and Lee (arXiv 2510.27015)."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from longreach.errors import InputError
from longreach.tasks.names import NUMBER_FAMILIES, FamilyName, example, has_numbers
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

    >>> task = load_regression("modp-task:p=2,k=1")
    >>> task.answer((1, 0, 0)), task.least_length
    ((0.5,), 2)
    """

    symbols: int
    """How many different tokens there are: 0, 1, …."""
    outputs: int = 1
    """How many numbers an answer has."""
    period: int = 1
    """Of the positions that its models see."""
    locality: int = 0
    """Up to how many tokens back its models see distances."""
    least_length: int = 1
    """The least length of a sequence with an answer."""

    def __init__(self, name: FamilyName) -> None:
        self.named, self.name = name, name.text
        self.about = NUMBER_FAMILIES[name.family].about

    def __eq__(self, other: object) -> bool:
        return isinstance(other, RegressionTask) and self.name == other.name

    def __hash__(self) -> int:
        return hash(self.name)

    def has(self, lengths: IntArray) -> BoolArray:
        return lengths >= self.least_length

    @abstractmethod
    def answer(self, x: Sequence[int]) -> tuple[float, ...]:
        """The answer to one sequence, by the letter of the definition."""

    @abstractmethod
    def words(self, lengths: IntArray, rng: np.random.Generator) -> Words:
        """One sequence for each length, drawn token by token as the definition says."""

    def check_lengths(self, lengths: IntArray) -> None:
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
        positions = np.arange(1, words.tokens.shape[1] + 1)
        places = words.tokens + self.symbols * (positions % self.period)
        kinds = self.symbols * self.period
        rows = np.arange(len(words))[:, None] * kinds
        flat = (rows + places)[words.present]
        counts = np.bincount(flat, minlength=len(words) * kinds).reshape(len(words), kinds)
        last = places[np.arange(len(words)), words.lengths - 1]
        return Counts(counts.astype(np.int64), last, words.targets)


class SimpleTask(CountTask):
    """y = sin(omega (c₀ − c₁) / (c₀ + c₁)) over the tokens 0, 1, 2; neither 0 nor 1: drawn again.

    >>> round(load_regression("simple-task:omega=2").answer((0, 0, 2, 1))[0], 4)  # sin(2/3)
    0.6184
    """

    symbols = 3

    def __init__(self, name: FamilyName) -> None:
        super().__init__(name)
        self.omega = float(name.parameters["omega"])

    def answer(self, x: Sequence[int]) -> tuple[float, ...]:
        zeros, ones = sum(token == 0 for token in x), sum(token == 1 for token in x)
        if not zeros + ones:
            raise InputError(f"{self.name}: a sequence without 0 and 1 has no answer")
        return (math.sin(self.omega * (zeros - ones) / (zeros + ones)),)

    def targets(self, counts: IntArray) -> FloatArray:
        zeros, ones = counts[:, :1], counts[:, 1:2]
        found: FloatArray = np.sin(self.omega * ((zeros - ones) / (zeros + ones)))
        return found

    def words(self, lengths: IntArray, rng: np.random.Generator) -> Words:
        """A probability vector uniform on the simplex per sequence, then independent tokens."""
        self.check_lengths(lengths)
        tokens = np.zeros((len(lengths), int(lengths.max())), dtype=np.int64)
        present = np.arange(tokens.shape[1]) < lengths[:, None]
        waiting = np.arange(len(lengths))
        while len(waiting):
            shares = rng.dirichlet(np.ones(self.symbols), len(waiting)).cumsum(axis=1)
            drawn = rng.random((len(waiting), tokens.shape[1]))
            tokens[waiting] = (drawn[:, :, None] >= shares[:, None, :-1]).sum(axis=2)
            answerable = ((tokens[waiting] < 2) & present[waiting]).any(axis=1)
            waiting = waiting[~answerable]
        tokens[~present] = 0
        counts = np.stack(
            [((tokens == token) & present).sum(axis=1) for token in range(self.symbols)], axis=1
        )
        return Words(tokens, lengths, self.targets(counts))

    def draw(self, lengths: IntArray, rng: np.random.Generator) -> Counts:
        """With a uniform probability vector all counts of a length are equally likely.

        They are gaps between two bars among length + 2 places; given the counts, all orders are equally
        likely, so that the last token is any one of them.
        """
        self.check_lengths(lengths)
        counts = np.empty((len(lengths), self.symbols), dtype=np.int64)
        waiting = np.arange(len(lengths))
        while len(waiting):
            mine = lengths[waiting]
            first, second = rng.integers(0, mine + 2), rng.integers(0, mine + 1)
            second += second >= first
            low, high = np.minimum(first, second), np.maximum(first, second)
            counts[waiting] = np.stack([low, high - low - 1, mine + 1 - high], axis=1)
            waiting = waiting[counts[waiting, 2] == mine]
        place = rng.integers(0, lengths)
        last = (place >= counts[:, 0]).astype(np.int64) + (place >= counts[:, 0] + counts[:, 1])
        return Counts(counts, last, self.targets(counts))


class ModPTask(CountTask):
    """y = the mean of the bits at positions ≡ k (mod p), counted from 1; sequences have at least p tokens.

    >>> load_regression("modp-task:p=3,k=1").answer((1, 0, 0, 0, 1, 1))
    (0.5,)
    """

    symbols = 2

    def __init__(self, name: FamilyName) -> None:
        super().__init__(name)
        self.period = self.least_length = int(name.parameters["p"])
        self.residue = int(name.parameters["k"])

    def answer(self, x: Sequence[int]) -> tuple[float, ...]:
        bits = [bit for place, bit in enumerate(x, 1) if place % self.period == self.residue]
        if not bits:
            raise InputError(f"{self.name}: a sequence of {len(x)} tokens has no answer")
        return (sum(bits) / len(bits),)

    def targets(self, counts: IntArray) -> FloatArray:
        first = self.symbols * self.residue
        found: FloatArray = counts[:, first + 1 : first + 2] / counts[:, first : first + 2].sum(
            axis=1, keepdims=True
        )
        return found

    def words(self, lengths: IntArray, rng: np.random.Generator) -> Words:
        """A probability q_r, uniform, per residue and sequence, then x_i = 1 with q_r, r = i mod p."""
        self.check_lengths(lengths)
        width = int(lengths.max())
        chances = rng.random((len(lengths), self.period))
        positions = np.arange(1, width + 1) % self.period
        tokens = (rng.random((len(lengths), width)) < chances[:, positions]).astype(np.int64)
        tokens[np.arange(width) >= lengths[:, None]] = 0
        right = (positions == self.residue) & (np.arange(width) < lengths[:, None])
        shares = (tokens * right).sum(axis=1) / right.sum(axis=1)
        return Words(tokens, lengths, shares[:, None])

    def draw(self, lengths: IntArray, rng: np.random.Generator) -> Counts:
        """With a uniform q_r the number of ones at a residue is uniform, and all orders are as likely."""
        self.check_lengths(lengths)
        places = self.places(lengths)
        ones = rng.integers(0, places + 1)
        counts = np.stack([places - ones, ones], axis=2)
        rows, end = np.arange(len(lengths)), lengths % self.period
        bit = rng.integers(0, places[rows, end]) < ones[rows, end]
        flat = counts.reshape(len(lengths), -1)
        return Counts(flat, self.symbols * end + bit, self.targets(flat))

    def places(self, lengths: IntArray) -> IntArray:
        """How many positions 1 … length each residue has (examples, period)."""
        residues = np.arange(self.period)
        found: IntArray = (lengths[:, None] - residues) // self.period + (residues > 0)
        return found


AT_ONCE = 512
"""Sequences that are drawn together for those that had no earlier occurrence."""


class KGramTask(RegressionTask):
    """y = the shares of the S symbols right after earlier occurrences of the last k tokens.

    Sequences come from a Markov chain of order k, whose rows are uniform on the simplex, drawn anew for each;
    the first k tokens are uniform. One whose last k tokens did not occur before has no answer: drawn again.
    (How the paper draws its sequences is not in our sources; this is our choice.)

    >>> load_regression("in-context-kgram:S=2,k=2").answer((0, 1, 1, 0, 1, 0, 0, 1))
    (0.5, 0.5)
    """

    def __init__(self, name: FamilyName) -> None:
        super().__init__(name)
        self.symbols = self.outputs = int(name.parameters["S"])
        self.order = self.locality = int(name.parameters["k"])
        self.least_length = self.order + 1

    def answer(self, x: Sequence[int]) -> tuple[float, ...]:
        k, word = self.order, tuple(x)
        after = [word[end] for end in range(k, len(word)) if word[end - k : end] == word[-k:]]
        if not after:
            raise InputError(f"{self.name}: the last {k} tokens did not occur before: no answer")
        return tuple(after.count(symbol) / len(after) for symbol in range(self.symbols))

    def targets(self, tokens: IntArray, lengths: IntArray) -> tuple[FloatArray, BoolArray]:
        """The answers (examples, symbols), and which examples have one."""
        examples, width = tokens.shape
        k = self.order
        codes = np.zeros((examples, width - k + 1), dtype=np.int64)
        for place in range(k):
            codes = codes * self.symbols + tokens[:, place : place + width - k + 1]
        # The window that ends before position j; the last one ends at the last token.
        wanted = np.take_along_axis(codes, lengths[:, None] - k, axis=1)
        following = np.arange(k, width)
        same = (codes[:, :-1] == wanted) & (following < lengths[:, None])
        counts = np.stack(
            [(same & (tokens[:, k:] == symbol)).sum(axis=1) for symbol in range(self.symbols)], axis=1
        )
        total = counts.sum(axis=1, keepdims=True)
        return counts / np.maximum(total, 1), total[:, 0] > 0

    def words(self, lengths: IntArray, rng: np.random.Generator) -> Words:
        self.check_lengths(lengths)
        tokens = np.zeros((len(lengths), int(lengths.max())), dtype=np.int64)
        targets = np.zeros((len(lengths), self.symbols))
        waiting, copies = np.arange(len(lengths)), 1
        while len(waiting):
            rows = np.repeat(waiting, copies)
            width = int(lengths[rows].max())
            drawn = self._chains(len(rows), width, rng)
            shares, answered = self.targets(drawn, lengths[rows])
            # Of several draws for a sequence the first one with an answer counts.
            found, first = np.unique(rows[answered], return_index=True)
            tokens[found, :width], targets[found] = drawn[answered][first], shares[answered][first]
            waiting = np.setdiff1d(waiting, found, assume_unique=True)
            copies = max(1, AT_ONCE // max(1, len(waiting)))
        tokens[np.arange(tokens.shape[1]) >= lengths[:, None]] = 0
        return Words(tokens, lengths, targets)

    def _chains(self, count: int, width: int, rng: np.random.Generator) -> IntArray:
        symbols, k = self.symbols, self.order
        contexts = symbols**k
        rows = rng.standard_exponential((count, contexts, symbols)).cumsum(axis=2)
        limits = (rows[:, :, :-1] / rows[:, :, -1:]).reshape(count * contexts, symbols - 1)
        tokens = np.empty((count, width), dtype=np.int64)
        tokens[:, :k] = rng.integers(0, symbols, (count, k))
        context = np.zeros(count, dtype=np.int64)
        for place in range(k):
            context = context * symbols + tokens[:, place]
        start, drawn = np.arange(count) * contexts, rng.random((width, count))
        for place in range(k, width):
            token = (drawn[place][:, None] >= limits[start + context]).sum(axis=1)
            tokens[:, place] = token
            context = (context * symbols + token) % contexts
        return tokens


CLASSES: dict[str, type[RegressionTask]] = {
    "simple-task": SimpleTask,
    "modp-task": ModPTask,
    "in-context-kgram": KGramTask,
}


@lru_cache(maxsize=64)
def load_regression(name: str) -> RegressionTask:
    """The task of a name.

    >>> load_regression("in-context-kgram:S=3").name
    'in-context-kgram:S=3,k=1'
    """
    if not has_numbers(name):
        known = ", ".join(map(example, NUMBER_FAMILIES))
        raise InputError(f"no task with numbers as answers named {name!r}; there are {known}")
    read = FamilyName.read(name)
    return CLASSES[read.family](read)
