"""Binary majority interleave: three majorities of sequences that take turns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from longreach.tasks.binary_majority import bits_without_tie
from longreach.tasks.evidence import Evidence
from longreach.tasks.layout import SequenceTask
from longreach.tasks.task import EOS, BoolArray, IntArray

SEQUENCES = 3


@dataclass(frozen=True)
class BinaryMajorityInterleave(SequenceTask):
    """SOS 1 0 1 1 0 0 1 0 0 SEP 1 0 0 EOS: bits 1, 4, 7, … are the first sequence.

    >>> BinaryMajorityInterleave().answer(list("101100100"))
    ('1', '0', '0', 'EOS')
    """

    name = "binary-majority-interleave"
    about = "the majorities of three interleaved sequences of bits"
    chance = 1 / 2**SEQUENCES  # one bit for each sequence
    symbols = ("0", "1")
    least_length = SEQUENCES
    nope = Evidence("none", None, "no program without positions has been found (Huang et al., Table 3)")
    ape = Evidence("program", "binary-majority-interleave", "positions modulo 3 separate the three counts")

    def has(self, lengths: IntArray) -> BoolArray:
        found: BoolArray = (lengths >= SEQUENCES) & (lengths % SEQUENCES == 0)
        return found

    def answer_size(self, length: int) -> int:
        return SEQUENCES

    def answer(self, x: Sequence[str]) -> tuple[str, ...]:
        parts = [x[start::SEQUENCES] for start in range(SEQUENCES)]
        return (*("1" if part.count("1") > part.count("0") else "0" for part in parts), EOS)

    def draw(self, lengths: IntArray, rng: np.random.Generator) -> tuple[IntArray, IntArray, IntArray]:
        bits, most = bits_without_tie(np.repeat(lengths // SEQUENCES, SEQUENCES), rng)
        turns = bits.reshape(len(lengths), SEQUENCES, -1).transpose(0, 2, 1)
        answers = most.reshape(-1, SEQUENCES)
        return turns.reshape(len(lengths), -1), answers, np.full_like(lengths, SEQUENCES)
