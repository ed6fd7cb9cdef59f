"""Repeated sorting."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from longreach.tasks.evidence import Evidence
from longreach.tasks.repeated import RepeatedTask
from longreach.tasks.task import IntArray


@dataclass(frozen=True)
class RepeatedSort(RepeatedTask):
    """SOS 0 2 1 SEP 0 1 2 SEP 0 1 …

    >>> RepeatedSort().answer(["7", "2", "SEP", "2"])
    ('2', '7')
    """

    name = "repeated-sort"
    about = "distinct numbers in increasing order, again and again"
    nope = ape = Evidence("program", "sort-10", "the program of sort, with SEP in place of EOS")

    def repeat(self, word: Sequence[str]) -> list[str]:
        return sorted(word, key=int)

    def _repeats(self, words: IntArray) -> IntArray:
        return np.sort(words, axis=1)
