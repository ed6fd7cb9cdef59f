"""SimpleTask of Izzo, Nichani and Lee (arXiv 2510.27015): a sine of the balance of two tokens."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from longreach.errors import InputError
from longreach.tasks.regression_task import Counts, CountTask, FloatArray, Words
from longreach.tasks.task import IntArray

TOKENS = 3


class SimpleTask(CountTask):
    """y = sin(omega (c₀ − c₁) / (c₀ + c₁)) over the tokens 0, 1, 2; neither 0 nor 1: drawn again.

    >>> from longreach.tasks.regression_catalog import load_regression
    >>> round(load_regression("simple-task:omega=2").answer((0, 0, 2, 1))[0], 4)  # sin(2/3)
    0.6184
    """

    @property
    def omega(self) -> float:
        """The frequency."""
        return self.named.parameters["omega"]

    @property
    def symbols(self) -> int:
        return TOKENS

    @property
    def least_length(self) -> int:
        return 1

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
            shares = rng.dirichlet(np.ones(TOKENS), len(waiting)).cumsum(axis=1)
            drawn = rng.random((len(waiting), tokens.shape[1]))
            tokens[waiting] = (drawn[:, :, None] >= shares[:, None, :-1]).sum(axis=2)
            answerable = ((tokens[waiting] < 2) & present[waiting]).any(axis=1)
            waiting = waiting[~answerable]
        tokens[~present] = 0
        counts = np.stack([((tokens == token) & present).sum(axis=1) for token in range(TOKENS)], axis=1)
        return Words(tokens, lengths, self.targets(counts))

    def draw(self, lengths: IntArray, rng: np.random.Generator) -> Counts:
        """With a uniform probability vector all counts of a length are equally likely.

        They are gaps between two bars among length + 2 places; given the counts, all orders are equally
        likely, so that the last token is any one of them.
        """
        self.check_lengths(lengths)
        counts = np.empty((len(lengths), TOKENS), dtype=np.int64)
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
