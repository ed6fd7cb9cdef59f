"""Duplicate string: the word twice."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from longreach.tasks.coupling import numbered
from longreach.tasks.evidence import Evidence, Split
from longreach.tasks.layout import SequenceTask
from longreach.tasks.task import EOS, SEP_ID, Batch, IntArray


@dataclass(frozen=True)
class DuplicateString(SequenceTask):
    """SOS a b b SEP a b b a b b EOS: two symbols, independent and uniform.

    Delétang et al., arXiv 2207.02098.

    >>> DuplicateString().answer(["a", "b", "b"])
    ('a', 'b', 'b', 'a', 'b', 'b', 'EOS')
    """

    name = "duplicate-string"
    about = "two symbols that may repeat, written twice"
    symbols = ("a", "b")
    far_steps = "where the first copy ends, the next symbol is the first one, as far away as the word is long"
    nope = ape = Evidence(
        "communication",
        None,
        "the whole word must be told, as in copying (Huang et al., Corollary 13)",
        # For every N: different words of one length are different when written twice, so different rows.
        split=Split(alice=("a", "b")),
    )

    def answer_size(self, length: int) -> int:
        return 2 * length

    def answer(self, x: Sequence[str]) -> tuple[str, ...]:
        return (*x, *x, EOS)

    def coupled_ids(self, batch: Batch) -> IntArray:
        """0, 1 … L, 0, 1 … L, 1 … L: each symbol shares its id with both copies."""
        x, y = numbered(batch, SEP_ID)
        length = np.maximum(x.max(axis=1, keepdims=True), 1)
        return x + np.where(y > 0, (y - 1) % length + 1, 0)

    def draw(self, lengths: IntArray, rng: np.random.Generator) -> tuple[IntArray, IntArray, IntArray]:
        x = rng.integers(0, len(self.symbols), (len(lengths), int(lengths.max())))
        places = np.arange(2 * x.shape[1]) % np.maximum(lengths, 1)[:, None]
        return x, np.take_along_axis(x, places, axis=1), 2 * lengths
