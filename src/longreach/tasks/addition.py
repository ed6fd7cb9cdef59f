"""Addition of binary numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from longreach.tasks.evidence import Evidence
from longreach.tasks.layout import SequenceTask
from longreach.tasks.task import EOS, IntArray

_PLUS, _EQUALS = 2, 3


@dataclass(frozen=True)
class Addition(SequenceTask):
    """SOS 1 0 1 + 1 0 = 1 1 1 EOS: LEN counts both operands, + and =.

    The length of the first operand is uniform in 1 … LEN − 3, bits are uniform and may begin with zeros;
    the sum does not begin with zeros, unless it is 0.

    >>> Addition().answer(list("101+10="))
    ('1', '1', '1', 'EOS')
    """

    name = "addition"
    about = "the sum of two binary numbers"
    symbols = ("0", "1", "+", "=")
    separated = False
    least_length = 4
    nope = ape = Evidence(
        "communication", "addition", "adding zero is copying (Huang et al., Corollary 13 and E.2.2)"
    )

    def answer_size(self, length: int) -> int:
        return length - 2  # an operand of LEN − 3 bits and a carry

    def answer(self, x: Sequence[str]) -> tuple[str, ...]:
        first, second = "".join(x).removesuffix("=").split("+")
        return (*f"{int(first, 2) + int(second, 2):b}", EOS)

    def draw(self, lengths: IntArray, rng: np.random.Generator) -> tuple[IntArray, IntArray, IntArray]:
        first = rng.integers(1, lengths - 2)
        second = lengths - 2 - first
        a, b = _operands(first, rng), _operands(second, rng)
        width = max(a.shape[1], b.shape[1]) + 1  # the sum may have a bit more
        a, b = (np.pad(bits, ((0, 0), (0, width - bits.shape[1]))) for bits in (a, b))
        total = _sum(a, b)
        sizes = np.where(total.any(axis=1), width - total[:, ::-1].argmax(axis=1), 1)
        x = np.zeros((len(lengths), int(lengths.max())), dtype=np.int64)
        columns = np.arange(x.shape[1])
        for bits, size, end in ((a, first, first), (b, second, lengths - 1)):
            place = end[:, None] - 1 - columns  # bits are numbered from the last of the operand
            inside = (place >= 0) & (place < size[:, None])
            x[inside] = np.take_along_axis(bits, np.where(inside, place, 0), axis=1)[inside]
        rows = np.arange(len(lengths))
        x[rows, first] = _PLUS
        x[rows, lengths - 1] = _EQUALS
        backwards = np.maximum(sizes[:, None] - 1 - np.arange(width), 0)
        return x, np.take_along_axis(total, backwards, axis=1), sizes


def _operands(sizes: IntArray, rng: np.random.Generator) -> IntArray:
    """Random bits, the least significant first, zero from the size on."""
    bits = rng.integers(0, 2, (len(sizes), int(sizes.max())))
    bits[np.arange(bits.shape[1]) >= sizes[:, None]] = 0
    return bits


def _sum(a: IntArray, b: IntArray) -> IntArray:
    """The bits of the sums, the least significant first.

    The carry out of a place was made at the last place where the two bits are equal.
    """
    places = np.arange(a.shape[1])
    made = np.maximum.accumulate(np.where(a == b, places, -1), axis=1)
    carry = np.where(made >= 0, np.take_along_axis(a, np.maximum(made, 0), axis=1), 0)
    total = a ^ b
    total[:, 1:] ^= carry[:, :-1]
    return total
