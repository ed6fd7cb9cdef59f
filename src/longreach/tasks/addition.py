"""Addition of binary numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from longreach.tasks.binary_operands import binary_operands
from longreach.tasks.coupling import significance
from longreach.tasks.evidence import Evidence, Split
from longreach.tasks.layout import SequenceTask
from longreach.tasks.task import EOS, Batch, IntArray

_PLUS, _EQUALS = 2, 3
Number = TypeVar("Number", int, IntArray)


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
    sign = "+"
    leading_zeros = True
    """Whether operands of several bits may begin with a zero."""
    nope = ape = Evidence(
        "communication",
        None,
        "adding zero is copying (Huang et al., Corollary 13 and E.2.2)",
        # For every N: adding zero to different numbers gives different sums.
        split=Split(alice=("0", "1"), between=("+",), bob=("0",), end=("=",)),
    )

    def answer_size(self, length: int) -> int:
        return length - 2  # an operand of LEN − 3 bits and a carry

    def operands(self, x: Sequence[str]) -> tuple[str, str]:
        """The two numbers.

        >>> Addition().operands("10+1=")
        ('10', '1')
        """
        return binary_operands(self.name, x, self.sign)

    def most_bits(self, first: Number, second: Number) -> Number:
        """How many bits a sum has at most, by those of its operands."""
        if isinstance(first, int):
            return max(first, second) + 1
        longer: IntArray = np.maximum(first, second) + 1
        return longer

    def answer(self, x: Sequence[str]) -> tuple[str, ...]:
        first, second = self.operands(x)
        return (*f"{int(first, 2) + int(second, 2):b}", EOS)

    def coupled_ids(self, batch: Batch) -> IntArray:
        """Digits of equal significance share an id, 1 for the least; SOS, +, = and EOS have 0.

        The scheme of Cho et al., arXiv 2405.20671, where + and = stand beside the least digits as well.
        """
        plus, equals = (self.tokens.index(self.symbols[place]) for place in (_PLUS, _EQUALS))
        return significance(batch, plus=plus, equals=equals)

    def draw(self, lengths: IntArray, rng: np.random.Generator) -> tuple[IntArray, IntArray, IntArray]:
        first = rng.integers(1, lengths - 2)
        x = rng.integers(0, 2, (len(lengths), int(lengths.max())))
        rows = np.arange(len(lengths))
        x[rows, first] = _PLUS
        x[rows, lengths - 1] = _EQUALS
        second = lengths - 2 - first
        if not self.leading_zeros:
            x[rows[first > 1], 0] = 1
            x[rows[second > 1], first[second > 1] + 1] = 1
        width = int(np.maximum(first, second).max()) + 1  # the sum may have a bit more
        total = _sum(_backwards(x, first, first, width), _backwards(x, lengths - 1, second, width))
        sizes = np.where(total.any(axis=1), width - total[:, ::-1].argmax(axis=1), 1)
        return x, _backwards(total, sizes, sizes, width), sizes


def _backwards(rows: IntArray, ends: IntArray, sizes: IntArray, width: int) -> IntArray:
    """Of each row the `size` cells before `end`, the last one first, and zeros up to the width."""
    columns = np.arange(width)
    last = np.arange(len(rows)) * rows.shape[1] + ends - 1
    cells: IntArray = rows.take(last[:, None] - columns, mode="clip")
    return cells * (columns < sizes[:, None])


def _sum(a: IntArray, b: IntArray) -> IntArray:
    """The bits of the sums, the least significant first.

    The carry out of a place was made at the last place where the two bits are equal.
    """
    places = np.arange(a.shape[1])
    made = np.maximum.accumulate(np.where(a == b, places, -1), axis=1)
    carry = np.take_along_axis(a, made, axis=1) & (made >= 0)
    total = a ^ b
    total[:, 1:] ^= carry[:, :-1]
    return total
