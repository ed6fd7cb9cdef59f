"""ModPTask of Izzo, Nichani and Lee (arXiv 2510.27015): the mean of the bits at positions k modulo p."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from longreach.errors import InputError
from longreach.tasks.regression_task import Counts, CountTask, FloatArray, Words
from longreach.tasks.task import IntArray

TOKENS = 2


class ModPTask(CountTask):
    """y = the mean of the bits at positions ≡ k (mod p), counted from 1; sequences have at least p tokens.

    >>> from longreach.tasks.regression_catalog import load_regression
    >>> load_regression("modp-task:p=3,k=1").answer((1, 0, 0, 0, 1, 1))
    (0.5,)
    """

    @property
    def period(self) -> int:
        return int(self.named.parameters["p"])

    @property
    def residue(self) -> int:
        """That of the positions which count."""
        return int(self.named.parameters["k"])

    @property
    def symbols(self) -> int:
        return TOKENS

    @property
    def least_length(self) -> int:
        return self.period

    def answer(self, x: Sequence[int]) -> tuple[float, ...]:
        bits = [bit for place, bit in enumerate(x, 1) if place % self.period == self.residue]
        if not bits:
            raise InputError(f"{self.name}: a sequence of {len(x)} tokens has no answer")
        return (sum(bits) / len(bits),)

    def targets(self, counts: IntArray) -> FloatArray:
        first = TOKENS * self.residue
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
        return Counts(flat, TOKENS * end + bit, self.targets(flat))

    def places(self, lengths: IntArray) -> IntArray:
        """How many positions 1 … length each residue has (examples, period)."""
        residues = np.arange(self.period)
        found: IntArray = (lengths[:, None] - residues) // self.period + (residues > 0)
        return found
