"""Sort: distinct numbers in increasing order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from longreach.tasks.distinct import DistinctSymbols, distinct_symbols
from longreach.tasks.evidence import Evidence
from longreach.tasks.task import EOS, IntArray


@dataclass(frozen=True)
class Sort(DistinctSymbols):
    """SOS 14 23 6 9 SEP 6 9 14 23 EOS: x is a uniformly random choice of distinct numbers in random order.

    >>> Sort().answer(["14", "23", "6", "9"])
    ('6', '9', '14', '23', 'EOS')
    """

    name = "sort"
    about = "distinct numbers in increasing order"
    nope = ape = Evidence(
        "program", "sort", "next comes the least number above the last (Huang et al., E.2.2)"
    )

    def answer(self, x: Sequence[str]) -> tuple[str, ...]:
        return (*sorted(x, key=int), EOS)

    def draw(self, lengths: IntArray, rng: np.random.Generator) -> tuple[IntArray, IntArray, IntArray]:
        x = distinct_symbols(lengths, self.size, rng)
        beyond = np.arange(x.shape[1]) >= lengths[:, None]
        return x, np.sort(np.where(beyond, self.size, x), axis=1), lengths
