"""Binary majority: which bit is more frequent."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from longreach.tasks.draws import shuffled_bits
from longreach.tasks.evidence import Evidence
from longreach.tasks.layout import SequenceTask
from longreach.tasks.task import EOS, IntArray


@dataclass(frozen=True)
class BinaryMajority(SequenceTask):
    """SOS 0 1 1 SEP 1 EOS. The number of zeros is uniform, without the ties.

    >>> BinaryMajority().answer(["0", "1", "1"])
    ('1', 'EOS')
    """

    name = "binary-majority"
    about = "the more frequent bit"
    chance = 1 / 2  # one of two bits
    symbols = ("0", "1")
    nope = ape = Evidence("program", "binary-majority", "a single count is enough (Huang et al., E.2.2)")

    def answer_size(self, length: int) -> int:
        return 1

    def answer(self, x: Sequence[str]) -> tuple[str, ...]:
        return ("1" if x.count("1") > x.count("0") else "0", EOS)

    def draw(self, lengths: IntArray, rng: np.random.Generator) -> tuple[IntArray, IntArray, IntArray]:
        bits, most = bits_without_tie(lengths, rng)
        return bits, most[:, None], np.ones_like(lengths)


def bits_without_tie(lengths: IntArray, rng: np.random.Generator) -> tuple[IntArray, IntArray]:
    """Words of bits whose number of zeros is uniform in 0 … LEN but not LEN/2, and the more frequent bit.

    >>> bits, most = bits_without_tie(np.array([2, 2]), np.random.default_rng(0))
    >>> bool((bits.sum(axis=1) == 2 * most).all())
    True
    """
    even = lengths % 2 == 0
    ones = rng.integers(0, lengths + 1 - even)
    ones += even & (ones >= lengths // 2)  # as if ties were drawn again
    return shuffled_bits(lengths, ones, rng), (2 * ones > lengths).astype(np.int64)
