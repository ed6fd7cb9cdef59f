"""What the tasks on distinct symbols share: vocabulary, lengths, and the choice of the symbols."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from longreach.tasks.draws import random_orders
from longreach.tasks.layout import SequenceTask
from longreach.tasks.task import BoolArray, IntArray

SIZE = 150


@dataclass(frozen=True)
class DistinctSymbols(SequenceTask):
    """x is a uniformly random choice of distinct symbols in random order; y has as many."""

    size: int = SIZE
    """How many symbols there are: also the greatest LEN."""

    @cached_property
    def symbols(self) -> tuple[str, ...]:
        return tuple(map(str, range(self.size)))

    def has(self, lengths: IntArray) -> BoolArray:
        return (lengths >= 1) & (lengths <= self.size)

    def answer_size(self, length: int) -> int:
        return length

    def is_drawn(self, x: Sequence[str]) -> bool:
        return len({*x}) == len(x)


def distinct_symbols(lengths: IntArray, size: int, rng: np.random.Generator) -> IntArray:
    """Distinct numbers below `size` in random order, LEN of them in each row; what follows is arbitrary.

    >>> sorted(distinct_symbols(np.array([3]), 3, np.random.default_rng(0))[0].tolist())
    [0, 1, 2]
    """
    return random_orders(np.full_like(lengths, size), size, rng)[:, : int(lengths.max())]
