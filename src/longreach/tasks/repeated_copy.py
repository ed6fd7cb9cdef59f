"""Repeated copying."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from longreach.tasks.coupling import numbered
from longreach.tasks.evidence import Evidence
from longreach.tasks.repeated import RepeatedTask
from longreach.tasks.task import SEP, Batch, IntArray


@dataclass(frozen=True)
class RepeatedCopy(RepeatedTask):
    """SOS 0 2 1 SEP 0 2 1 SEP 0 2 …

    >>> RepeatedCopy().answer(["7", "2", "SEP", "7"])
    ('7', '2')
    """

    name = "repeated-copy"
    about = "distinct symbols, written again and again"
    nope = Evidence(
        "none", None, "the reduction of copy-unique needs words of any length, and here w is short"
    )
    ape = Evidence("program", "copy-unique-10", "the induction head of copy-unique, with SEP in place of EOS")

    def repeat(self, word: Sequence[str]) -> list[str]:
        return list(word)

    def coupled_ids(self, batch: Batch) -> IntArray:
        """0, 1 … n, 0, 1 … n, 0, …: the next id stands in the column after the last token."""
        word, _ = numbered(batch, self.tokens.index(SEP))
        columns = np.arange(batch.tokens.shape[1] + 1)
        ids = columns % (word.max(axis=1, keepdims=True) + 1)
        return np.where(columns <= batch.sizes[:, None], ids, 0)

    def _repeats(self, words: IntArray) -> IntArray:
        return words
