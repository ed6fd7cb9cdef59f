"""In-context k-grams: what followed the last k tokens where they stood before (arXiv 2510.27015)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from longreach.errors import InputError
from longreach.tasks.regression_task import FloatArray, RegressionTask, Words
from longreach.tasks.task import BoolArray, IntArray

AT_ONCE = 512
"""Sequences that are drawn together for those that had no earlier occurrence."""


class KGramTask(RegressionTask):
    """y = the shares of the S symbols right after earlier occurrences of the last k tokens.

    Sequences come from a Markov chain of order k, whose rows are uniform on the simplex, drawn anew for each;
    the first k tokens are uniform. One whose last k tokens did not occur before has no answer: drawn again.
    (How the paper draws its sequences is not in our sources; this is our choice.)

    >>> from longreach.tasks.regression_catalog import load_regression
    >>> load_regression("in-context-kgram:S=2,k=2").answer((0, 1, 1, 0, 1, 0, 0, 1))
    (0.5, 0.5)
    """

    @property
    def symbols(self) -> int:
        return int(self.named.parameters["S"])

    @property
    def order(self) -> int:
        """k."""
        return int(self.named.parameters["k"])

    @property
    def outputs(self) -> int:
        return self.symbols

    @property
    def locality(self) -> int:
        return self.order

    @property
    def least_length(self) -> int:
        return self.order + 1

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
