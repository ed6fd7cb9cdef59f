"""Copying, reversing and sorting, with and without repetition."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np

from longreach.tasks.layouts import SameSize, SequenceTask, random_orders
from longreach.tasks.lengths import LengthRange
from longreach.tasks.positions import END, LocalSteps
from longreach.tasks.task import (
    EOS,
    PAD,
    SEP,
    SEP_ID,
    SOS,
    Batch,
    BoolArray,
    Evidence,
    Images,
    IntArray,
    Probes,
    Reduction,
    Split,
    Task,
    backwards,
    draw_lengths,
    numbered,
)
from longreach.theory.automata.automaton import Automaton, minimal
from longreach.wording import counted


class AnyWord(SequenceTask):
    """Every word over the symbols is an input."""

    @property
    def hard(self) -> tuple[str, ...]:
        """What stands in a window comes again far away, and something else follows it there."""
        return ("window repeated",)

    def hard_input(self, length: int, sort: int, rng: np.random.Generator) -> Sequence[str] | None:
        x = rng.integers(0, len(self.symbols), length)
        if length > 1:
            width = length // 4
            # Both windows lie in their half, and end before it does.
            first = int(rng.integers(0, length // 2 - width))
            second = int(rng.integers(-(-length // 2), length - width))
            x[second : second + width] = x[first : first + width]
            other = x[first + width] + rng.integers(1, len(self.symbols))
            x[second + width] = other % len(self.symbols)
        return [self.symbols[place] for place in x.tolist()]


class Copying(SameSize):
    """The answer is the input."""

    local_steps = LocalSteps(1, 1, "the symbol that it copies", but=END)

    def answer(self, x: Sequence[str]) -> tuple[str, ...]:
        return (*x, EOS)

    def coupled_ids(self, batch: Batch) -> IntArray:
        """0, 1 … L, 0, 1 … L: each symbol and its copy share an id."""
        x, y = numbered(batch, SEP_ID)
        return x + y


@dataclass(frozen=True)
class CopyRepeat(AnyWord, Copying):
    """SOS b a b SEP b a b EOS: two symbols, independent and uniform.

    >>> CopyRepeat().answer(["b", "a", "b"])
    ('b', 'a', 'b', 'EOS')
    """

    name = "copy-repeat"
    about = "two symbols that may repeat, written again"
    symbols = ("a", "b")
    nope = ape = Evidence(
        "communication",
        None,
        "the whole word must be told (Huang et al., Corollary 13)",
        # For every N: the answer is the word itself, so different words have different rows.
        split=Split(alice=("a", "b")),
    )

    def draw(self, lengths: IntArray, rng: np.random.Generator) -> tuple[IntArray, IntArray, IntArray]:
        x = rng.integers(0, len(self.symbols), (len(lengths), int(lengths.max())))
        return x, x, lengths


SIZE = 150


@dataclass(frozen=True)
class DistinctSymbols(SameSize):
    """x is a uniformly random choice of distinct symbols in random order; y has as many."""

    size: int = SIZE
    """How many symbols there are: also the greatest LEN."""

    symbols_grow = True

    @cached_property
    def symbols(self) -> tuple[str, ...]:
        return tuple(map(str, range(self.size)))

    def has(self, lengths: IntArray) -> BoolArray:
        return (lengths >= 1) & (lengths <= self.size)

    def is_drawn(self, x: Sequence[str]) -> bool:
        return len({*x}) == len(x)

    @property
    def hard(self) -> tuple[str, ...]:
        """Symbols that follow each other without a gap, in random order; any symbols in order; backwards."""
        return ("neighbours", "ascending", "descending")

    def hard_input(self, length: int, sort: int, rng: np.random.Generator) -> Sequence[str] | None:
        if sort == 0:
            places = rng.integers(0, self.size - length + 1) + rng.permutation(length)
        else:
            places = np.sort(rng.permutation(self.size)[:length])[:: 1 if sort == 1 else -1]
        return [self.symbols[place] for place in places.tolist()]


def distinct_symbols(lengths: IntArray, size: int, rng: np.random.Generator) -> IntArray:
    """Distinct numbers below `size` in random order, LEN of them in each row; what follows is arbitrary.

    >>> sorted(distinct_symbols(np.array([3]), 3, np.random.default_rng(0))[0].tolist())
    [0, 1, 2]
    """
    return random_orders(np.full_like(lengths, size), size, rng)[:, : int(lengths.max())]


@dataclass(frozen=True)
class CopyUnique(DistinctSymbols, Copying):
    """SOS 5 2 9 SEP 5 2 9 EOS: x is a uniformly random choice of distinct symbols in random order.

    >>> CopyUnique().answer(["5", "2", "9"])
    ('5', '2', '9', 'EOS')
    """

    name = "copy-unique"
    about = "distinct symbols, written again"
    nope = Evidence(
        "reduction",
        "regex:(a|b|c)*ab(a|b|c)*",
        "a program would tell whether a given pair of symbols occurred (Huang et al., C.2.2)",
        # With finitely many distinct symbols there are finitely many inputs. What is asked for is the
        # predicate that works for inputs of any length: what followed the symbol before SEP.
        Reduction(
            {"a": "0", "b": "1", "c": "2"},
            (SEP, "0"),
            "1",
            "with a, b, c as the symbols 0, 1, 2, which may repeat, 1 may follow 0 after SEP for its words",
        ),
    )
    ape = Evidence("program", "copy-unique", "an induction head: each symbol has one predecessor")

    def may_follow(self, x: Sequence[str], symbol: str) -> set[str]:
        """What followed the symbol anywhere in x, which may repeat symbols here.

        For distinct symbols that is the right answer; for inputs of any length it is what a program for
        finitely many symbols predicts (Huang et al., C.2.2).

        >>> sorted(CopyUnique().may_follow(["0", "1", "0", "2"], "0"))
        ['1', '2']
        """
        return {here for before, here in pairwise(x) if before == symbol}

    def continuation(self, letters: Images, after: Sequence[str], token: str) -> Automaton | None:
        """Three states: the last symbol is not that of `after`, it is, and the token has followed it."""
        if len(after) != 2 or after[0] != SEP or not {after[1], token, *letters.values()} <= {*self.symbols}:
            return None
        found = [int(symbol == after[1]) for symbol in letters.values()]
        followed = [2 if symbol == token else int(symbol == after[1]) for symbol in letters.values()]
        return minimal(tuple(letters), [found, followed, [2] * len(letters)], 0, [2])

    def draw(self, lengths: IntArray, rng: np.random.Generator) -> tuple[IntArray, IntArray, IntArray]:
        x = distinct_symbols(lengths, self.size, rng)
        return x, x, lengths


@dataclass(frozen=True)
class DuplicateString(AnyWord):
    """SOS a b b SEP a b b a b b EOS: two symbols, independent and uniform.

    Delétang et al., arXiv 2207.02098.

    >>> DuplicateString().answer(["a", "b", "b"])
    ('a', 'b', 'b', 'a', 'b', 'b', 'EOS')
    """

    name = "duplicate-string"
    chance = 0.0  # every token must be right
    about = "two symbols that may repeat, written twice"
    symbols = ("a", "b")
    far_steps = "where the first copy ends, the next symbol is the first one, as far away as the word is long"
    nope = ape = Evidence(
        "communication",
        None,
        "the whole word must be told, as in copying (Huang et al., Corollary 13)",
        # For every N: different words of one length are different when written twice, so different rows.
        split=Split(alice=("a", "b")),
    )

    def answer_size(self, length: int) -> int:
        return 2 * length

    def answer(self, x: Sequence[str]) -> tuple[str, ...]:
        return (*x, *x, EOS)

    def coupled_ids(self, batch: Batch) -> IntArray:
        """0, 1 … L, 0, 1 … L, 1 … L: each symbol shares its id with both copies."""
        x, y = numbered(batch, SEP_ID)
        length = np.maximum(x.max(axis=1, keepdims=True), 1)
        return x + np.where(y > 0, (y - 1) % length + 1, 0)

    def draw(self, lengths: IntArray, rng: np.random.Generator) -> tuple[IntArray, IntArray, IntArray]:
        x = rng.integers(0, len(self.symbols), (len(lengths), int(lengths.max())))
        places = np.arange(2 * x.shape[1]) % np.maximum(lengths, 1)[:, None]
        return x, np.take_along_axis(x, places, axis=1), 2 * lengths


FIRST = "the first one is the symbol before SEP"


@dataclass(frozen=True)
class Reverse(AnyWord, SameSize):
    """SOS a a b SEP b a a EOS: two symbols, independent and uniform.

    Delétang et al., arXiv 2207.02098 (reverse string).

    >>> Reverse().answer(["a", "a", "b"])
    ('b', 'a', 'a', 'EOS')
    """

    name = "reverse"
    about = "two symbols that may repeat, written from the last to the first"
    symbols = ("a", "b")
    nope = ape = Evidence(
        "communication",
        None,
        "the whole word must be told, as in copying (Huang et al., Corollary 13)",
        # For every N: different words have different reverses, so different rows.
        split=Split(alice=("a", "b")),
    )
    local_steps = LocalSteps(1, 1, "the symbol that it copies", but=FIRST, everywhere=False)

    def answer(self, x: Sequence[str]) -> tuple[str, ...]:
        return (*reversed(x), EOS)

    def coupled_ids(self, batch: Batch) -> IntArray:
        """0, 1 … L, 0, L … 1 (Golowich et al., arXiv 2502.16792, equation (2))."""
        x, y = numbered(batch, SEP_ID)
        return x + backwards(y)

    def draw(self, lengths: IntArray, rng: np.random.Generator) -> tuple[IntArray, IntArray, IntArray]:
        x = rng.integers(0, len(self.symbols), (len(lengths), int(lengths.max())))
        backwards = np.maximum(lengths[:, None] - 1 - np.arange(x.shape[1]), 0)
        return x, np.take_along_axis(x, backwards, axis=1), lengths


DIGITS = 5


@dataclass(frozen=True)
class BucketSort(SameSize):
    """SOS 4 2 1 4 2 SEP 1 2 2 4 4 EOS: five digits, independent and uniform.

    Delétang et al., arXiv 2207.02098.

    >>> BucketSort().answer(list("42142"))
    ('1', '2', '2', '4', '4', 'EOS')
    """

    name = "bucket-sort"
    about = "five digits that may repeat, in increasing order"
    symbols = tuple(map(str, range(DIGITS)))
    nope = ape = Evidence(
        "program", "bucket-sort", "each digit is written as often as it was read, the smaller ones first"
    )

    def answer(self, x: Sequence[str]) -> tuple[str, ...]:
        return (*sorted(x), EOS)

    def draw(self, lengths: IntArray, rng: np.random.Generator) -> tuple[IntArray, IntArray, IntArray]:
        x = rng.integers(0, DIGITS, (len(lengths), int(lengths.max())))
        beyond = np.arange(x.shape[1]) >= lengths[:, None]
        return x, np.sort(np.where(beyond, DIGITS, x), axis=1), lengths


@dataclass(frozen=True)
class Sort(DistinctSymbols):
    """SOS 14 23 6 9 SEP 6 9 14 23 EOS: x is a uniformly random choice of distinct numbers in random order.

    >>> Sort().answer(["14", "23", "6", "9"])
    ('6', '9', '14', '23', 'EOS')
    """

    name = "sort"
    about = "distinct numbers in increasing order"
    nope = ape = Evidence(
        "program", "sort", "next comes the least number above the last (Huang et al., E.2.2)"
    )

    def answer(self, x: Sequence[str]) -> tuple[str, ...]:
        return (*sorted(x, key=int), EOS)

    def draw(self, lengths: IntArray, rng: np.random.Generator) -> tuple[IntArray, IntArray, IntArray]:
        x = distinct_symbols(lengths, self.size, rng)
        beyond = np.arange(x.shape[1]) >= lengths[:, None]
        return x, np.sort(np.where(beyond, self.size, x), axis=1), lengths


_SEP_ID = 2


@dataclass(frozen=True)
class RepeatedTask(Task):
    """SOS w SEP v SEP v SEP …, with w of distinct symbols and v made of w (Huang et al., E.2.2).

    LEN counts the tokens after SOS and has no upper limit; the size of w is uniform in
    1 … min(number of symbols, LEN − 1). Supervised from the first SEP on, without an end.
    """

    size: int = 10
    """How many symbols there are."""

    kind = "algorithmic"
    chance = 0.0  # every token must be right

    @cached_property
    def tokens(self) -> tuple[str, ...]:
        return (PAD, SOS, SEP, *map(str, range(self.size)))

    @property
    def least_length(self) -> int:
        return 2

    def input_size(self, length: int) -> int:
        return 1 + length

    @abstractmethod
    def repeat(self, word: Sequence[str]) -> list[str]:
        """What is written again and again."""

    @abstractmethod
    def _repeats(self, words: IntArray) -> IntArray:
        """The same for rows; what exceeds all symbols is padding and stays at the end."""

    def answer(self, x: Sequence[str]) -> tuple[str, ...]:
        word = list(x[: x.index(SEP)])
        whole = [*word, SEP]
        while len(whole) <= len(x):
            whole += [*self.repeat(word), SEP]
        return tuple(whole[len(word) + 1 : len(x) + 1])

    def _sample(self, lengths: IntArray, rng: np.random.Generator) -> Batch:
        return self._of_sizes(lengths, rng.integers(1, np.minimum(self.size, lengths - 1) + 1), rng)

    def probing_sample(self, lengths: LengthRange, count: int, rng: np.random.Generator) -> Probes | None:
        """Each size of w that there is at all lengths as often: short ones come most often again."""
        from longreach.tasks.pumped import probes  # only measuring needs it

        sizes = draw_lengths(self, *lengths, count, rng)
        sorts = np.arange(count) % min(self.size, int(sizes.min()) - 1)
        names = tuple(f"w of {counted(number, 'symbol')}" for number in range(1, self.size + 1))
        return probes(self._of_sizes(sizes, sorts + 1, rng), sorts, np.zeros_like(sorts), names)

    def _of_sizes(self, lengths: IntArray, counts: IntArray, rng: np.random.Generator) -> Batch:
        """With a word w of so many symbols each."""
        words = random_orders(np.full_like(lengths, self.size), self.size, rng)
        words[np.arange(self.size) >= counts[:, None]] = self.size
        last = np.full((len(words), 1), self.size)
        blocks = np.hstack([words, last, self._repeats(words), last])
        symbols = np.where(blocks < self.size, blocks + _SEP_ID + 1, _SEP_ID)
        columns = np.arange(int(lengths.max()) + 1)
        turn, place = np.divmod(columns, counts[:, None] + 1)
        whole = np.take_along_axis(symbols, place + (self.size + 1) * (turn > 0), axis=1)
        inside = columns <= lengths[:, None]
        supervised = inside & (columns > counts[:, None])
        tokens = np.zeros_like(whole)
        tokens[:, 0] = 1
        tokens[:, 1:] = np.where(inside[:, 1:], whole[:, :-1], 0)
        targets = np.where(supervised, whole, 0)
        return Batch(tokens, targets, supervised, np.tile(columns, (len(tokens), 1)), lengths + 1)


@dataclass(frozen=True)
class RepeatedCopy(RepeatedTask):
    """SOS 0 2 1 SEP 0 2 1 SEP 0 2 …

    >>> RepeatedCopy().answer(["7", "2", "SEP", "7"])
    ('7', '2')
    """

    name = "repeated-copy"
    about = "distinct symbols, written again and again"
    nope = Evidence(
        "none", None, "the reduction of copy-unique needs words of any length, and here w is short"
    )
    ape = Evidence("program", "copy-unique-10", "the induction head of copy-unique, with SEP in place of EOS")

    def repeat(self, word: Sequence[str]) -> list[str]:
        return list(word)

    def coupled_ids(self, batch: Batch) -> IntArray:
        """0, 1 … n, 0, 1 … n, 0, …: the next id stands in the column after the last token."""
        word, _ = numbered(batch, self.tokens.index(SEP))
        columns = np.arange(batch.tokens.shape[1] + 1)
        ids = columns % (word.max(axis=1, keepdims=True) + 1)
        return np.where(columns <= batch.sizes[:, None], ids, 0)

    def _repeats(self, words: IntArray) -> IntArray:
        return words


@dataclass(frozen=True)
class RepeatedSort(RepeatedTask):
    """SOS 0 2 1 SEP 0 1 2 SEP 0 1 …

    >>> RepeatedSort().answer(["7", "2", "SEP", "2"])
    ('2', '7')
    """

    name = "repeated-sort"
    about = "distinct numbers in increasing order, again and again"
    nope = ape = Evidence("program", "sort-10", "the program of sort, with SEP in place of EOS")

    def repeat(self, word: Sequence[str]) -> list[str]:
        return sorted(word, key=int)

    def _repeats(self, words: IntArray) -> IntArray:
        return np.sort(words, axis=1)
