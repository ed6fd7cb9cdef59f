"""Copy repeat: symbols that may repeat, written again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from longreach.tasks.coupling import numbered
from longreach.tasks.evidence import Evidence, Split
from longreach.tasks.layout import SequenceTask
from longreach.tasks.local_steps import END, LocalSteps
from longreach.tasks.task import EOS, SEP_ID, Batch, IntArray


@dataclass(frozen=True)
class CopyRepeat(SequenceTask):
    """SOS b a b SEP b a b EOS: two symbols, independent and uniform.

    >>> CopyRepeat().answer(["b", "a", "b"])
    ('b', 'a', 'b', 'EOS')
    """

    name = "copy-repeat"
    about = "two symbols that may repeat, written again"
    symbols = ("a", "b")
    nope = ape = Evidence(
        "communication",
        None,
        "the whole word must be told (Huang et al., Corollary 13)",
        # For every N: the answer is the word itself, so different words have different rows.
        split=Split(alice=("a", "b")),
    )
    local_steps = LocalSteps(1, 1, "the symbol that it copies", but=END)

    def answer_size(self, length: int) -> int:
        return length

    def answer(self, x: Sequence[str]) -> tuple[str, ...]:
        return (*x, EOS)

    def coupled_ids(self, batch: Batch) -> IntArray:
        """0, 1 … L, 0, 1 … L: each symbol and its copy share an id."""
        x, y = numbered(batch, SEP_ID)
        return x + y

    def draw(self, lengths: IntArray, rng: np.random.Generator) -> tuple[IntArray, IntArray, IntArray]:
        x = rng.integers(0, len(self.symbols), (len(lengths), int(lengths.max())))
        return x, x, lengths
