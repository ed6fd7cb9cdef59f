"""Counter languages: Dyck-1, Shuffle-Dyck, aⁿbⁿ and aⁿbⁿcⁿ."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from math import comb

import numpy as np

from longreach.tasks.layouts import shuffled_bits
from longreach.tasks.regular import LanguageTask, label_name
from longreach.tasks.task import EOS, BoolArray, Evidence, IntArray
from longreach.tasks.uniform import choose_exactly


@dataclass(frozen=True)
class _Brackets(LanguageTask):
    """A language with words of every even length."""

    chance = 0.0  # the label of every position must be right
    least_length = 2

    def has(self, lengths: IntArray) -> BoolArray:
        found: BoolArray = (lengths >= 0) & (lengths % 2 == 0)
        return found

    @property
    def hard(self) -> tuple[str, ...]:
        """Behind closing brackets the counts of each kind differ by 0 or 1, from the middle on; they differ
        by 1 and are equal at the end only; they differ much and are equal at the end; and the same brackets
        stand at the start, behind many open ones, and at the end."""
        return ("counts nearly equal", "one open", "many open", "window repeated")

    def hard_input(self, length: int, sort: int, rng: np.random.Generator) -> Sequence[str] | None:
        make = (self._nearly_equal, self._one_open, self._many_open, self._window_repeated)
        return make[sort](length, rng)

    def _nearly_equal(self, size: int, rng: np.random.Generator) -> list[str]:
        half = size // 4 * 2
        words, _ = self.draw(np.array([half]), rng)
        return [self.letters[letter] for letter in words[0, :half].tolist()] + self._shallow(size - half, rng)

    def _one_open(self, size: int, rng: np.random.Generator) -> list[str]:
        opening, closing = self._around(1, rng)
        return opening + self._shallow(size - 2, rng, most=1) + closing

    def _many_open(self, size: int, rng: np.random.Generator) -> list[str]:
        opening, closing = self._around(size // 2 - size // 6, rng)
        return opening + self._shallow(size - 2 * len(opening), rng) + closing

    def _window_repeated(self, size: int, rng: np.random.Generator) -> list[str]:
        window = self._shallow(2 * int(rng.integers(min(1, size // 6), size // 6 + 1)), rng)
        opening, closing = self._around((size - 3 * len(window)) // 2, rng)
        return window + opening + window + closing + window

    def _around(self, count: int, rng: np.random.Generator) -> tuple[list[str], list[str]]:
        """So many opening brackets, and in another order those that close them."""
        kinds = rng.integers(0, len(self.letters) // 2, count)
        closing = rng.permutation(kinds)
        return [self.letters[2 * k] for k in kinds], [self.letters[2 * k + 1] for k in closing]

    def _shallow(self, size: int, rng: np.random.Generator, most: int = 2) -> list[str]:
        """A balanced word in which at most so many brackets of a kind are open; each step is uniform."""
        found, opened = list[str](), [0] * (len(self.letters) // 2)
        for left in range(size, 0, -1):
            moves = [2 * kind + 1 for kind, depth in enumerate(opened) if depth]
            if sum(opened) < left:
                moves += [2 * kind for kind, depth in enumerate(opened) if depth < most]
            move = moves[int(rng.integers(0, len(moves)))]
            opened[move // 2] += -1 if move % 2 else 1
            found.append(self.letters[move])
        return found


_CLOSED, _OPEN = 0, 1


@dataclass(frozen=True)
class Dyck1(_Brackets):
    """SOS ( ( ) ): a bracket may always open, close where one is open, and end where none is.

    >>> Dyck1().answer("()")
    ('{(,EOS}', '{(,)}', '{(,EOS}')
    """

    name = "dyck-1"
    about = "balanced brackets"
    letters = ("(", ")")
    labels = (("(", EOS), ("(", ")"))
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
class ShuffleDyck(_Brackets):
    """SOS ( [ ) ]: each kind alone is balanced; one may close a kind that is open, and end where none is.

    Shuffle-2 of Bhattamishra et al., arXiv 2009.11264.

    >>> ShuffleDyck().answer("([)")
    ('{(,[,EOS}', '{(,),[}', '{(,),[,]}', '{(,[,]}')
    """

    name = "shuffle-dyck"
    about = "balanced brackets of two kinds, shuffled"
    letters = ("(", ")", "[", "]")
    labels = (("(", "[", EOS), ("(", ")", "["), ("(", "[", "]"), ("(", ")", "[", "]"))
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


@dataclass(frozen=True)
class _EqualBlocks(LanguageTask):
    """As many of each letter, one after the other: one word for each multiple of the number of letters."""

    chance = 0.0  # the label of every position must be right

    @property
    def labels(self) -> tuple[tuple[str, ...], ...]:
        """At the start, behind first letters alone, and by how many of the others are complete."""
        first, *others = self.letters
        return ((first, EOS), (first, others[0]), *((letter,) for letter in others), (EOS,))

    @property
    def least_length(self) -> int:
        return len(self.letters)

    def has(self, lengths: IntArray) -> BoolArray:
        found: BoolArray = (lengths >= 0) & (lengths % len(self.letters) == 0)
        return found

    @property
    def hard(self) -> tuple[str, ...]:
        """There is one word of each length, and at its end all counts are equal."""
        return ("counts equal at the end",)

    def hard_input(self, length: int, sort: int, rng: np.random.Generator) -> Sequence[str] | None:
        return np.repeat(self.letters, length // len(self.letters)).tolist()

    def answer(self, x: Sequence[str]) -> tuple[str, ...]:
        found = []
        for end in range(len(x) + 1):
            first, *others = (x[:end].count(letter) for letter in self.letters)
            label = 2 + sum(count == first for count in others) if others[0] else bool(first)
            found.append(label_name(self.labels[label]))
        return tuple(found)

    def draw(self, lengths: IntArray, rng: np.random.Generator) -> tuple[IntArray, IntArray]:
        count = len(self.letters)
        block, read = lengths[:, None] // count, np.arange(int(lengths.max()) + 1)
        ends = [(read >= number * block).astype(np.int64) for number in range(1, count + 1)]
        labels: IntArray = sum(ends[1:], 1 + (read > block).astype(np.int64))
        labels[:, 0] = 0
        return sum(ends[1:-1], ends[0])[:, :-1], labels


@dataclass(frozen=True)
class AnBn(_EqualBlocks):
    """SOS a a b b (Bhattamishra et al., arXiv 2009.11264).

    >>> AnBn().answer("ab")
    ('{a,EOS}', '{a,b}', '{EOS}')
    """

    name = "anbn"
    about = "aⁿbⁿ"
    letters = ("a", "b")
    nope = ape = Evidence("program", "anbn-next", "letters are counted (as in Huang et al., C.1.3)")


@dataclass(frozen=True)
class AnBnCn(_EqualBlocks):
    """SOS a a b b c c.

    >>> AnBnCn().answer("abc")
    ('{a,EOS}', '{a,b}', '{c}', '{EOS}')
    """

    name = "anbncn"
    about = "aⁿbⁿcⁿ"
    letters = ("a", "b", "c")
    nope = ape = Evidence("program", "anbncn-next", "letters are counted (Huang et al., C.1.3)")
