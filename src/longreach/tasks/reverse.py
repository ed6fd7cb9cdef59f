"""Reverse: symbols that may repeat, written from the last to the first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from longreach.tasks.coupling import backwards, numbered
from longreach.tasks.evidence import Evidence, Split
from longreach.tasks.layout import SequenceTask
from longreach.tasks.local_steps import LocalSteps
from longreach.tasks.task import EOS, SEP_ID, Batch, IntArray

FIRST = "the first one is the symbol before SEP"


@dataclass(frozen=True)
class Reverse(SequenceTask):
    """SOS a a b SEP b a a EOS: two symbols, independent and uniform.

    Delétang et al., arXiv 2207.02098 (reverse string).

    >>> Reverse().answer(["a", "a", "b"])
    ('b', 'a', 'a', 'EOS')
    """

    name = "reverse"
    about = "two symbols that may repeat, written from the last to the first"
    symbols = ("a", "b")
    nope = ape = Evidence(
        "communication",
        None,
        "the whole word must be told, as in copying (Huang et al., Corollary 13)",
        # For every N: different words have different reverses, so different rows.
        split=Split(alice=("a", "b")),
    )
    local_steps = LocalSteps(1, 1, "the symbol that it copies", but=FIRST, everywhere=False)

    def answer_size(self, length: int) -> int:
        return length

    def answer(self, x: Sequence[str]) -> tuple[str, ...]:
        return (*reversed(x), EOS)

    def coupled_ids(self, batch: Batch) -> IntArray:
        """0, 1 … L, 0, L … 1 (Golowich et al., arXiv 2502.16792, equation (2))."""
        x, y = numbered(batch, SEP_ID)
        return x + backwards(y)

    def draw(self, lengths: IntArray, rng: np.random.Generator) -> tuple[IntArray, IntArray, IntArray]:
        x = rng.integers(0, len(self.symbols), (len(lengths), int(lengths.max())))
        backwards = np.maximum(lengths[:, None] - 1 - np.arange(x.shape[1]), 0)
        return x, np.take_along_axis(x, backwards, axis=1), lengths
