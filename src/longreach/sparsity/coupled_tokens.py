"""Tokens that hold several: pairs of a rank and a token, as position coupling makes them.

Golowich et al. (arXiv 2502.16792), appendix D. A coupled token is a tuple of at most k pairs (rank, token)
with ranks 1 … k: the vocabulary (𝒱 × [k])^{≤ k}. As a number it is written with the pairs as digits.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from longreach.errors import Field, InputError
from longreach.sparsity.distribution_ensemble import BoolArray, IntArray

Pairs: TypeAlias = tuple[tuple[int, int], ...]
"""A coupled token: ranks from 1 on, each with a token."""


@dataclass(frozen=True)
class CoupledVocabulary:
    """Coupled tokens over so many plain ones.

    >>> words = CoupledVocabulary(tokens=5, sparsity=2)
    >>> words.pairs(words.number(((1, 3), (2, 4))))
    ((1, 3), (2, 4))
    >>> words.size
    111
    """

    tokens: int
    sparsity: int

    def __post_init__(self) -> None:
        if self.base**self.sparsity > 2**40:
            raise InputError(
                f"{self.tokens} tokens are too many for k = {self.sparsity}", place=Field("tokens")
            )

    @property
    def base(self) -> int:
        """Of the digits: pairs from 1 on, and 0 for none."""
        return self.tokens * self.sparsity + 1

    @property
    def size(self) -> int:
        """How many coupled tokens there are."""
        return sum((self.base - 1) ** count for count in range(self.sparsity + 1))

    def number(self, pairs: Sequence[tuple[int, int]]) -> int:
        """A coupled token as a number; the first pair is the last digit."""
        if len(pairs) > self.sparsity:
            raise InputError(f"{len(pairs)} pairs are more than k = {self.sparsity}", place=Field("pairs"))
        found = 0
        for rank, token in reversed(pairs):
            if not 1 <= rank <= self.sparsity or not 0 <= token < self.tokens:
                raise InputError(f"({rank}, {token}) is no rank and token", place=Field("pairs"))
            found = found * self.base + 1 + (rank - 1) * self.tokens + token
        return found

    def pairs(self, number: int) -> Pairs:
        """What a number stands for."""
        found = []
        while number:
            number, digit = divmod(number, self.base)
            rank, token = divmod(digit - 1, self.tokens)
            found.append((rank + 1, token))
        return tuple(found)

    def expand(self, coupled: IntArray) -> tuple[IntArray, BoolArray]:
        """All pairs of several coupled tokens (…, n), sorted by rank: tokens (…, k), and whether there are k.

        Where a rank occurs twice, the pair that comes first is kept. Only k different ranks give k tokens.

        >>> words = CoupledVocabulary(tokens=5, sparsity=2)
        >>> several = np.array([words.number([(2, 4)]), words.number([(1, 3)])])
        >>> [part.tolist() for part in words.expand(several)]
        [[3, 4], True]
        """
        found = np.full((*coupled.shape[:-1], self.sparsity), -1, dtype=np.int64)
        for place in range(coupled.shape[-1]):
            rest = coupled[..., place]
            for _ in range(self.sparsity):
                rest, digit = np.divmod(rest, self.base)
                rank, token = np.divmod(digit - 1, self.tokens)
                for number in range(self.sparsity):
                    free = (digit > 0) & (rank == number) & (found[..., number] < 0)
                    found[..., number] = np.where(free, token, found[..., number])
        whole: BoolArray = np.asarray((found >= 0).all(axis=-1))
        tokens: IntArray = np.where(whole[..., None], found, 0)
        return tokens, whole
