"""Count: as many a as there were."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from longreach.tasks.draws import shuffled_bits
from longreach.tasks.evidence import Evidence
from longreach.tasks.layout import SequenceTask
from longreach.tasks.task import EOS, IntArray


@dataclass(frozen=True)
class Count(SequenceTask):
    """SOS b a b a SEP a a EOS: the a of x are written again. Their number is uniform in 0 … LEN.

    The number is written in unary, so that long answers need no new tokens.

    >>> Count().answer(["b", "a", "b", "a"])
    ('a', 'a', 'EOS')
    """

    name = "count"
    about = "as many a as there were among a and b"
    symbols = ("a", "b")
    nope = ape = Evidence("program", "count-unary", "the a after SEP are compared with those before")

    def answer_size(self, length: int) -> int:
        return length

    def answer(self, x: Sequence[str]) -> tuple[str, ...]:
        return (*("a" for symbol in x if symbol == "a"), EOS)

    def draw(self, lengths: IntArray, rng: np.random.Generator) -> tuple[IntArray, IntArray, IntArray]:
        number = rng.integers(0, lengths + 1)
        x = 1 - shuffled_bits(lengths, number, rng)
        return x, np.zeros_like(x), number
