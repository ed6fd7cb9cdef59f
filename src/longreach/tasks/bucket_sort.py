"""Bucket sort: digits that may repeat, in increasing order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from longreach.tasks.evidence import Evidence
from longreach.tasks.layout import SequenceTask
from longreach.tasks.task import EOS, IntArray

DIGITS = 5


@dataclass(frozen=True)
class BucketSort(SequenceTask):
    """SOS 4 2 1 4 2 SEP 1 2 2 4 4 EOS: five digits, independent and uniform.

    Delétang et al., arXiv 2207.02098.

    >>> BucketSort().answer(list("42142"))
    ('1', '2', '2', '4', '4', 'EOS')
    """

    name = "bucket-sort"
    about = "five digits that may repeat, in increasing order"
    symbols = tuple(map(str, range(DIGITS)))
    nope = ape = Evidence(
        "program", "bucket-sort", "each digit is written as often as it was read, the smaller ones first"
    )

    def answer_size(self, length: int) -> int:
        return length

    def answer(self, x: Sequence[str]) -> tuple[str, ...]:
        return (*sorted(x), EOS)

    def draw(self, lengths: IntArray, rng: np.random.Generator) -> tuple[IntArray, IntArray, IntArray]:
        x = rng.integers(0, DIGITS, (len(lengths), int(lengths.max())))
        beyond = np.arange(x.shape[1]) >= lengths[:, None]
        return x, np.sort(np.where(beyond, DIGITS, x), axis=1), lengths
