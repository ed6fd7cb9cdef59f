"""Sparse parity: the parity of the few bits that stand right after special symbols."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from longreach.errors import InputError
from longreach.tasks.draws import shuffled_bits
from longreach.tasks.evidence import Evidence
from longreach.tasks.family_task import FamilyTask
from longreach.tasks.task import BoolArray, IntArray

SYMBOLS = 20
"""N of Golowich et al., arXiv 2502.16792, Table 2; those up to N/2 are special."""
BITS = ("t0", "t1")
PROGRAM_MOST = 24
"""With more special symbols the program that counts them is not tried."""


@dataclass(frozen=True)
class SparseParity(FamilyTask):
    """SOS 3 t1 17 t1 9 t0 SEP t1: of the numbers 1 … 20 those up to 10 are special, here 3 and 9.

    k, the number of special symbols, is uniform in `k`, both ends included, but always less than the number
    of bits. LEN is the number of tokens of x, two for each bit: 2ℓ of Golowich et al., arXiv 2502.16792,
    equation (20).

    >>> SparseParity().answer(["3", "t1", "17", "t1", "9", "t0"])
    ('t1',)
    """

    k: tuple[int, int] = (1, 4)
    numbers: int = SYMBOLS

    family = "sparse-parity"

    def __post_init__(self) -> None:
        first, last = self.k
        words = str(last) if first == last else f"{first} to {last}"
        self._describe(
            {"k": self.k, "symbols": self.numbers},
            about=f"the parity of the bits after special symbols, of which there are {words}",
            nope=Evidence("none", None, "which bits follow special symbols needs the token before"),
            ape=Evidence("program", f"sparse-parity-{last}", "so few ones are counted, one by one")
            if last <= PROGRAM_MOST and self.numbers == SYMBOLS
            else Evidence("none", None, "a program would count the ones, one by one; it is not written out"),
            chance=1 / 2,
        )

    @cached_property
    def symbols(self) -> tuple[str, ...]:
        return (*map(str, range(1, self.numbers + 1)), *BITS)

    @property
    def least_length(self) -> int:
        return 2 * (self.k[0] + 1)

    def has(self, lengths: IntArray) -> BoolArray:
        even: BoolArray = lengths % 2 == 0
        return even & super().has(lengths)

    def answer_size(self, length: int) -> int:
        return 1

    def is_drawn(self, x: Sequence[str]) -> bool:
        special = sum(int(number) <= self.numbers // 2 for number in x[::2])
        return self.k[0] <= special <= min(self.k[1], len(x) // 2 - 1)

    def answer(self, x: Sequence[str]) -> tuple[str, ...]:
        if len(x) % 2 or not {*x[::2]} <= {*self.symbols[:-2]} or not {*x[1::2]} <= {*BITS}:
            raise InputError(f"{self.name}: x is numbers and bits by turns, as in 1 t1 2 t1")
        special = self.numbers // 2
        ones = sum(
            int(number) <= special and bit == "t1" for number, bit in zip(x[::2], x[1::2], strict=True)
        )
        return (BITS[ones % 2],)

    def draw(self, lengths: IntArray, rng: np.random.Generator) -> tuple[IntArray, IntArray, IntArray]:
        pairs = lengths // 2
        first, last = self.k
        special = rng.integers(first, np.minimum(last, pairs - 1) + 1)
        is_special = shuffled_bits(pairs, special, rng).astype(np.bool_)
        half = self.numbers // 2
        chosen = rng.integers(0, half, is_special.shape)
        others = rng.integers(half, self.numbers, is_special.shape)
        numbers = np.where(is_special, chosen, others)
        bits = rng.integers(0, 2, is_special.shape)
        used = is_special & (np.arange(is_special.shape[1]) < pairs[:, None])
        parity = (bits * used).sum(axis=1) % 2
        x = np.stack([numbers, self.numbers + bits], axis=2).reshape(len(lengths), -1)
        return x, self.numbers + parity[:, None], np.ones_like(lengths)
