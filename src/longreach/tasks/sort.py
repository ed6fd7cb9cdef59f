"""Sort: distinct numbers in increasing order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from longreach.tasks.draws import random_orders
from longreach.tasks.evidence import Evidence
from longreach.tasks.layout import SequenceTask
from longreach.tasks.task import EOS, BoolArray, IntArray

SIZE = 150


@dataclass(frozen=True)
class Sort(SequenceTask):
    """SOS 14 23 6 9 SEP 6 9 14 23 EOS: x is a uniformly random choice of distinct numbers in random order.

    >>> Sort().answer(["14", "23", "6", "9"])
    ('6', '9', '14', '23', 'EOS')
    """

    size: int = SIZE
    """How many numbers there are: also the greatest LEN."""

    name = "sort"
    about = "distinct numbers in increasing order"
    nope = ape = Evidence(
        "program", "sort", "next comes the least number above the last (Huang et al., E.2.2)"
    )

    @cached_property
    def symbols(self) -> tuple[str, ...]:
        return tuple(map(str, range(self.size)))

    def has(self, lengths: IntArray) -> BoolArray:
        return (lengths >= 1) & (lengths <= self.size)

    def answer_size(self, length: int) -> int:
        return length

    def answer(self, x: Sequence[str]) -> tuple[str, ...]:
        return (*sorted(x, key=int), EOS)

    def draw(self, lengths: IntArray, rng: np.random.Generator) -> tuple[IntArray, IntArray, IntArray]:
        x = distinct_symbols(lengths, self.size, rng)
        beyond = np.arange(x.shape[1]) >= lengths[:, None]
        return x, np.sort(np.where(beyond, self.size, x), axis=1), lengths


def distinct_symbols(lengths: IntArray, size: int, rng: np.random.Generator) -> IntArray:
    """Distinct numbers below `size` in random order, LEN of them in each row; what follows is arbitrary.

    >>> sorted(distinct_symbols(np.array([3]), 3, np.random.default_rng(0))[0].tolist())
    [0, 1, 2]
    """
    return random_orders(np.full_like(lengths, size), size, rng)[:, : int(lengths.max())]
