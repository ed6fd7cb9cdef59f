"""Counter languages: Dyck-1, Shuffle-Dyck, aⁿbⁿ and aⁿbⁿcⁿ."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from math import comb
from typing import ClassVar

import numpy as np

from longreach.tasks.layouts import shuffled_bits
from longreach.tasks.regular import LanguageTask, label_name
from longreach.tasks.task import EOS, BoolArray, Evidence, IntArray
from longreach.tasks.uniform import choose_exactly


@dataclass(frozen=True)
class _Multiples(LanguageTask):
    """A language with words of every length that is a multiple of `step`, and of no other."""

    step: ClassVar[int] = 2

    def has(self, lengths: IntArray) -> BoolArray:
        found: BoolArray = (lengths >= 0) & (lengths % self.step == 0)
        return found


_CLOSED, _OPEN = 0, 1


@dataclass(frozen=True)
class Dyck1(_Multiples):
    """SOS ( ( ) ): a bracket may always open, close where one is open, and end where none is.

    >>> Dyck1().answer("()")
    ('{(,EOS}', '{(,)}', '{(,EOS}')
    """

    name = "dyck-1"
    about = "balanced brackets"
    letters = ("(", ")")
    labels = (("(", EOS), ("(", ")"))
    least_length = 2
    nope = ape = Evidence("program", "dyck-1-next", "brackets are counted (Huang et al., C.1.2)")

    def answer(self, x: Sequence[str]) -> tuple[str, ...]:
        open_now = [x[:end].count("(") - x[:end].count(")") for end in range(len(x) + 1)]
        return tuple(label_name(self.labels[_OPEN if depth else _CLOSED]) for depth in open_now)

    def draw(self, lengths: IntArray, rng: np.random.Generator) -> tuple[IntArray, IntArray]:
        opening = balanced_words(lengths, rng)
        labels = np.zeros((len(lengths), opening.shape[1] + 1), dtype=np.int64)
        labels[:, 1:] = np.cumsum(2 * opening - 1, axis=1) > 0
        return 1 - opening, labels


def balanced_words(lengths: IntArray, rng: np.random.Generator) -> IntArray:
    """Balanced words of these even lengths, uniform among those of their length; 1 is an opening bracket.

    Rotates words of n opening and n + 1 closing brackets: exactly one of the 2n + 1 rotations of such a word
    is a balanced word and a closing bracket (the cycle lemma): it starts after the first place where the
    depth is least. Each balanced word comes from 2n + 1 of them, so uniform words give uniform ones.

    >>> balanced_words(np.array([2]), np.random.default_rng(0)).tolist()
    [[1, 0]]
    """
    opening = shuffled_bits(lengths + 1, lengths // 2, rng)
    columns = np.arange(opening.shape[1])
    inside = columns <= lengths[:, None]
    depths = np.cumsum(2 * opening - 1, axis=1)
    start = np.where(inside, depths, len(columns)).argmin(axis=1) + 1
    places = (start[:, None] + columns) % (lengths[:, None] + 1)
    found: IntArray = np.take_along_axis(opening, places, axis=1)[:, :-1]
    return found


_BITS = 62


@dataclass(frozen=True)
class ShuffleDyck(_Multiples):
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


_ANBN_START, _ANBN_A, _ANBN_B, _ANBN_END = range(4)


@dataclass(frozen=True)
class AnBn(_Multiples):
    """SOS a a b b: one word for each even length (Bhattamishra et al., arXiv 2009.11264).

    >>> AnBn().answer("ab")
    ('{a,EOS}', '{a,b}', '{EOS}')
    """

    name = "anbn"
    about = "aⁿbⁿ"
    letters = ("a", "b")
    labels = (("a", EOS), ("a", "b"), ("b",), (EOS,))
    least_length = 2
    nope = ape = Evidence("program", "anbn-next", "letters are counted (as in Huang et al., C.1.3)")

    def answer(self, x: Sequence[str]) -> tuple[str, ...]:
        found = []
        for end in range(len(x) + 1):
            a, b = (x[:end].count(letter) for letter in self.letters)
            label = (_ANBN_A if a else _ANBN_START) if b == 0 else (_ANBN_B if b < a else _ANBN_END)
            found.append(label_name(self.labels[label]))
        return tuple(found)

    def draw(self, lengths: IntArray, rng: np.random.Generator) -> tuple[IntArray, IntArray]:
        half = lengths[:, None] // 2
        read = np.arange(int(lengths.max()) + 1)
        words = (read[:-1] >= half).astype(np.int64)
        labels = _ANBN_A + (read > half).astype(np.int64) + (read >= 2 * half)
        labels[:, 0] = _ANBN_START
        return words, labels


_ANBNCN_START, _ANBNCN_A, _ANBNCN_B, _ANBNCN_C, _ANBNCN_END = range(5)


@dataclass(frozen=True)
class AnBnCn(_Multiples):
    """SOS a a b b c c: one word for each length that is a multiple of 3.

    >>> AnBnCn().answer("abc")
    ('{a,EOS}', '{a,b}', '{c}', '{EOS}')
    """

    name = "anbncn"
    about = "aⁿbⁿcⁿ"
    letters = ("a", "b", "c")
    labels = (("a", EOS), ("a", "b"), ("b",), ("c",), (EOS,))
    step = 3
    least_length = 3
    nope = ape = Evidence("program", "anbncn-next", "letters are counted (Huang et al., C.1.3)")

    def answer(self, x: Sequence[str]) -> tuple[str, ...]:
        found = []
        for end in range(len(x) + 1):
            a, b, c = (x[:end].count(letter) for letter in self.letters)
            if b == 0:
                label = _ANBNCN_A if a else _ANBNCN_START
            elif b < a:
                label = _ANBNCN_B
            else:
                label = _ANBNCN_C if c < a else _ANBNCN_END
            found.append(label_name(self.labels[label]))
        return tuple(found)

    def draw(self, lengths: IntArray, rng: np.random.Generator) -> tuple[IntArray, IntArray]:
        third = lengths[:, None] // 3
        read = np.arange(int(lengths.max()) + 1)
        words = (read[:-1] >= third).astype(np.int64) + (read[:-1] >= 2 * third)
        labels = _ANBNCN_A + (read > third).astype(np.int64) + (read >= 2 * third) + (read >= 3 * third)
        labels[:, 0] = _ANBNCN_START
        return words, labels
