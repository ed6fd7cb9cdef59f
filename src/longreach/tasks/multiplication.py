"""Multiplication of binary numbers."""

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

_TIMES, _EQUALS = 2, 3
Number = TypeVar("Number", int, IntArray)


@dataclass(frozen=True)
class Multiplication(SequenceTask):
    """SOS 1 0 1 * 1 1 = 1 1 1 1 EOS: LEN counts both factors, * and =.

    Drawn as addition is: the length of the first factor is uniform in 1 … LEN − 3, bits are uniform and may
    begin with zeros; the product does not begin with zeros, unless it is 0.

    >>> Multiplication().answer(list("101*11="))
    ('1', '1', '1', '1', 'EOS')
    """

    name = "multiplication"
    about = "the product of two binary numbers"
    symbols = ("0", "1", "*", "=")
    separated = False
    least_length = 4
    sign = "*"
    far_steps = "a bit of a product depends on all lower bits of both factors"
    nope = ape = Evidence(
        "communication",
        None,
        "multiplying by one is copying (as for addition, Huang et al., Corollary 13)",
        # For every N: one times different numbers of N bits gives different products.
        split=Split(alice=("0", "1"), between=("*",), bob=("0",), end=("1", "=")),
    )

    def operands(self, x: Sequence[str]) -> tuple[str, str]:
        """The two factors.

        >>> Multiplication().operands("10*1=")
        ('10', '1')
        """
        return binary_operands(self.name, x, self.sign)

    def most_bits(self, first: Number, second: Number) -> Number:
        """How many bits a product has at most, by those of its factors."""
        return first + second

    def answer_size(self, length: int) -> int:
        return length - 2

    def answer(self, x: Sequence[str]) -> tuple[str, ...]:
        first, second = self.operands(x)
        return (*f"{int(first, 2) * int(second, 2):b}", EOS)

    def coupled_ids(self, batch: Batch) -> IntArray:
        """Digits of equal significance share an id, 1 for the least; SOS, *, = and EOS have 0."""
        times, equals = (self.tokens.index(self.symbols[place]) for place in (_TIMES, _EQUALS))
        return significance(batch, plus=times, equals=equals)

    def draw(self, lengths: IntArray, rng: np.random.Generator) -> tuple[IntArray, IntArray, IntArray]:
        first = rng.integers(1, lengths - 2)
        x = rng.integers(0, 2, (len(lengths), int(lengths.max())))
        rows = np.arange(len(lengths))
        x[rows, first] = _TIMES
        x[rows, lengths - 1] = _EQUALS
        second = lengths - 2 - first
        width = int(lengths.max()) - 2
        bits = _carried(_products(_backwards(x, first, first), _backwards(x, lengths - 1, second), width))
        sizes = np.where(bits.any(axis=1), width - bits[:, ::-1].argmax(axis=1), 1)
        places = np.maximum(sizes[:, None] - 1 - np.arange(width), 0)
        return x, np.take_along_axis(bits, places, axis=1), sizes


def _backwards(x: IntArray, ends: IntArray, sizes: IntArray) -> IntArray:
    """Of each row the `size` cells before `end`, the last one first, then zeros."""
    columns = np.arange(int(sizes.max()))
    cells = np.take_along_axis(x, np.maximum(ends[:, None] - 1 - columns, 0), axis=1)
    return cells * (columns < sizes[:, None])


def _products(a: IntArray, b: IntArray, width: int) -> IntArray:
    """By significance, in how many ways a bit of one and a bit of the other make it."""
    found = np.zeros((len(a), max(width, a.shape[1] + b.shape[1])), dtype=np.int64)
    for place in range(b.shape[1]):
        found[:, place : place + a.shape[1]] += a * b[:, place : place + 1]
    return found[:, :width]


def _carried(counts: IntArray) -> IntArray:
    """The bits of the numbers with these digits, which may be above 1."""
    bits, carry = np.zeros_like(counts), np.zeros(len(counts), dtype=np.int64)
    for place in range(counts.shape[1]):
        total = counts[:, place] + carry
        bits[:, place], carry = total & 1, total >> 1
    return bits
