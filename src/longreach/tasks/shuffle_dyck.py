"""Shuffle-Dyck: balanced brackets of two kinds, which need not nest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from math import comb

import numpy as np

from longreach.tasks.draws import shuffled_bits
from longreach.tasks.dyck_1 import balanced_words
from longreach.tasks.evidence import Evidence
from longreach.tasks.language_task import LanguageTask, label_name
from longreach.tasks.task import EOS, BoolArray, IntArray
from longreach.tasks.uniform_words import choose_exactly

_BITS = 62


@dataclass(frozen=True)
class ShuffleDyck(LanguageTask):
    """SOS ( [ ) ]: each kind alone is balanced; one may close a kind that is open, and end where none is.

    Shuffle-2 of Bhattamishra et al., arXiv 2009.11264.

    >>> ShuffleDyck().answer("([)")
    ('{(,[,EOS}', '{(,),[}', '{(,),[,]}', '{(,[,]}')
    """

    name = "shuffle-dyck"
    about = "balanced brackets of two kinds, shuffled"
    letters = ("(", ")", "[", "]")
    labels = (("(", "[", EOS), ("(", ")", "["), ("(", "[", "]"), ("(", ")", "[", "]"))
    least_length = 2
    nope = ape = Evidence("program", "shuffle-dyck-next", "the brackets of each kind are counted")

    def has(self, lengths: IntArray) -> BoolArray:
        found: BoolArray = (lengths >= 0) & (lengths % 2 == 0)
        return found

    def answer(self, x: Sequence[str]) -> tuple[str, ...]:
        found = []
        for end in range(len(x) + 1):
            open_round, open_square = (
                x[:end].count(first) > x[:end].count(last) for first, last in ("()", "[]")
            )
            found.append(label_name(self.labels[open_round + 2 * open_square]))
        return tuple(found)

    def draw(self, lengths: IntArray, rng: np.random.Generator) -> tuple[IntArray, IntArray]:
        """The size of the first kind by its number of words, then its places, then a word of each kind."""
        digits = rng.integers(0, 1 << _BITS, len(lengths)).tolist()
        pairs = [
            choose_exactly(list(_numbers(length // 2)), drawn, _BITS, rng)
            for length, drawn in zip(lengths.tolist(), digits, strict=True)
        ]
        first = 2 * np.array(pairs, dtype=np.int64)
        of_first = shuffled_bits(lengths, first, rng).astype(np.bool_)
        opening: IntArray = np.zeros(of_first.shape, dtype=np.int64)
        for kind, sizes in ((of_first, first), (~of_first, lengths - first)):
            words = balanced_words(sizes, rng)
            if words.shape[1]:
                places = np.clip(np.cumsum(kind, axis=1) - 1, 0, words.shape[1] - 1)
                opening = np.where(kind, np.take_along_axis(words, places, axis=1), opening)
        labels = np.zeros((len(lengths), of_first.shape[1] + 1), dtype=np.int64)
        for weight, kind in ((1, of_first), (2, ~of_first)):
            labels[:, 1:] += weight * (np.cumsum(np.where(kind, 2 * opening - 1, 0), axis=1) > 0)
        return np.where(of_first, 0, 2) + 1 - opening, labels


@cache
def _numbers(pairs: int) -> tuple[int, ...]:
    """Words of so many pairs, by the number of pairs of the first kind: choices of places, times words."""

    def words(size: int) -> int:
        return comb(2 * size, size) // (size + 1)

    return tuple(comb(2 * pairs, 2 * k) * words(k) * words(pairs - k) for k in range(pairs + 1))
