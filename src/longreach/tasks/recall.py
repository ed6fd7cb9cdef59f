"""Recall: flip-flops, multi-query associative recall, selective copying, and recall of group elements."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import perm

import numpy as np

from longreach.errors import InputError
from longreach.tasks.families import FamilyMember, FamilyTask
from longreach.tasks.groups import Group, group
from longreach.tasks.layouts import random_orders, shuffled_bits, states_along
from longreach.tasks.lengths import LengthRange
from longreach.tasks.names import FamilyName
from longreach.tasks.regular import RegularLanguage
from longreach.tasks.task import (
    CHANCE_SPAN,
    EOS,
    PAD,
    SEP,
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
    draw_lengths,
    image,
)
from longreach.theory.automata.automaton import Automaton, minimal

NOISE = "."


# Flip-flops


WRITE, READ, IGNORE = "w", "r", "i"
_LETTERS = (WRITE, READ, IGNORE, "0", "1")


def _flip_flops() -> Automaton:
    """w and a bit, then instructions with a bit each, the last of them r; r reads the bit written last."""
    # 0 before the first w, 1 a bit is written; for each bit that is kept: 2 before an instruction, 3 the same
    # behind a read, 4 behind i, 5 behind r; 10 is dead.
    dead = 10
    first, written = [1, dead, dead, dead, dead], [dead, dead, dead, 2, 6]
    rows = [first, written]
    for bit, base in enumerate((2, 6)):
        instruction = [1, base + 3, base + 2, dead, dead]
        ignored = [dead, dead, dead, base, base]
        read = [dead, dead, dead, *(base + 1 if each == bit else dead for each in (0, 1))]
        rows += [instruction, instruction, ignored, read]
    return minimal(_LETTERS, [*rows, [dead] * len(_LETTERS)], 0, {3, 7})


@dataclass(frozen=True)
class FlipFlop(RegularLanguage):
    """SOS w 1 i 0 i 1 r 1: r reads the bit that was written last, whatever stands behind i.

    The flip-flop language of Liu et al., arXiv 2306.00946: instructions w, r, i with a bit each, the first w,
    the last r, the others independent: i with the share `ignore`, w and r alike; bits that are not read are
    uniform. LEN is the number of letters, two for each instruction; labels are those of all languages.

    >>> flip_flop().answer("w1i0r1")
    ('{w}', '{0,1}', '{w,r,i}', '{0,1}', '{w,r,i}', '{1}', '{w,r,i,EOS}')
    """

    ignore: float = 0.8

    def has(self, lengths: IntArray) -> BoolArray:
        found: BoolArray = (lengths >= 4) & (lengths % 2 == 0)
        return found

    def draw(self, lengths: IntArray, rng: np.random.Generator) -> tuple[IntArray, IntArray]:
        rows, most = len(lengths), int(lengths.max()) // 2
        columns, last = np.arange(most), lengths[:, None] // 2 - 1
        drawn = rng.random((rows, most))
        other = 1 - self.ignore
        does = np.where(drawn < self.ignore, 2, np.where(drawn < self.ignore + other / 2, 0, 1))
        does[:, 0] = 0
        does = np.where(columns == last, 1, does)
        bits = rng.integers(0, 2, (rows, most))
        # The place of the last w at or before each instruction.
        kept = np.maximum.accumulate(np.where(does == 0, columns, 0), axis=1)
        bits = np.where(does == 1, np.take_along_axis(bits, kept, axis=1), bits)
        words = np.stack([does, 3 + bits], axis=2).reshape(rows, 2 * most)
        inside = np.arange(2 * most) < lengths[:, None]
        states = states_along(self.automaton.table, np.where(inside, words, 0))
        return words, self.label_table[states]


def flip_flop(ignore: float = 0.8) -> FlipFlop:
    """The task with a share of instructions that are to be ignored."""
    name = FamilyName.of("flip-flop", {"ignore": ignore}).text
    return FlipFlop(name, _flip_flops(), "what may follow where r reads the bit that w wrote last", ignore)


# Multi-query associative recall


_MOST_WRITTEN = 500
"""Keys of the largest program that is written out."""


@dataclass(frozen=True)
class Mqar(FamilyMember, Task):
    """SOS k5 v2 k1 v7 . . k1 . . . k5 .: at a key that stood before, its value; nothing else is asked.

    Pairs of distinct keys with distinct values come first. Each key is asked for once, at a slot of every
    other token behind them; slot i is taken with weight i^(power − 1), without replacement, for one key after
    the other (Arora et al., arXiv 2312.04927, with their blanks). LEN is even and counts the tokens behind
    SOS. With `pairs` 0 their number is uniform in 1 … LEN / 4, or to the number of keys if that is less.

    >>> Mqar().answer("k5 v2 k1 v7 . . k1 . k5 .".split())
    ('v7', 'v2')
    """

    pairs: int = 0
    symbols: int = 256
    power: float = 0.01

    family = "mqar"
    kind = "algorithmic"

    def __post_init__(self) -> None:
        many = f"{self.pairs} keys" if self.pairs else "keys"
        written = self.size <= _MOST_WRITTEN
        not_written = Evidence("none", None, "for so many keys no program is written out")
        numbered = Evidence(
            "program", f"mqar-numbers-{self.size}", "so few pairs are numbered, and looked up by their number"
        )
        growing = Evidence(
            "none", None, "pairs can be numbered up to a bound, and longer inputs have more of them"
        )
        self._describe(
            {"pairs": self.pairs, "symbols": self.symbols, "power": self.power},
            about=f"the values of {many} that stood before, asked for one by one",
            nope=growing if not self.pairs else numbered if written else not_written,
            ape=Evidence("program", f"mqar-{self.size}", "an induction head: each value has one predecessor")
            if written
            else not_written,
            chance=1 / perm(self.size, self.pairs) if self.pairs else 0.0,
        )

    @property
    def symbols_grow(self) -> bool:  # type: ignore[override]
        return not self.pairs

    @property
    def size(self) -> int:
        """How many keys there are, and how many values."""
        return self.symbols // 2

    @cached_property
    def tokens(self) -> tuple[str, ...]:
        numbers = range(1, self.size + 1)
        return (PAD, SOS, NOISE, *(f"k{n}" for n in numbers), *(f"v{n}" for n in numbers))

    @property
    def least_length(self) -> int:
        return 4 * max(1, self.pairs)

    def has(self, lengths: IntArray) -> BoolArray:
        even: BoolArray = lengths % 2 == 0
        return even & super().has(lengths)

    def input_size(self, length: int) -> int:
        return 1 + length

    def answer(self, x: Sequence[str]) -> tuple[str, ...]:
        value: dict[str, str] = {}
        written: list[str] = []
        place = 0
        while place < len(x):
            if x[place] in value:
                written.append(value[x[place]])
            elif x[place].startswith("k"):
                if not "".join(x[place + 1 : place + 2]).startswith("v"):
                    raise InputError(f"{self.name}: no value stands behind {x[place]}")
                value[x[place]] = x[place + 1]
                place += 1
            elif x[place] != NOISE:
                raise InputError(f"{self.name}: no key stands before {x[place]}")
            place += 1
        return tuple(written)

    def _sample(self, lengths: IntArray, rng: np.random.Generator) -> Batch:
        return self._asked(lengths, None, rng)

    def probing_sample(self, lengths: LengthRange, count: int, rng: np.random.Generator) -> Probes | None:
        """Keys that are asked for at once, and those that are asked for at the very end."""
        from longreach.tasks.pumped import probes  # only measuring needs it

        late = np.arange(count) % 2
        batch = self._asked(draw_lengths(self, *lengths, count, rng), late == 1, rng)
        return probes(batch, late, np.zeros_like(late), ("asked at once", "asked at the end"))

    def _asked(self, lengths: IntArray, late: BoolArray | None, rng: np.random.Generator) -> Batch:
        """Keys are asked for at slots drawn by weight, or at the last slots (`late`), or at the first."""
        rows, pairs = len(lengths), np.full((len(lengths), 1), self.pairs)
        if not self.pairs:
            pairs = rng.integers(1, np.minimum(lengths // 4, self.size) + 1)[:, None]
        most, slots = int(pairs.max()), lengths[:, None] // 2 - pairs
        keys, values = (random_orders(np.full(rows, self.size), self.size, rng)[:, :most] for _ in range(2))
        # The largest of log weight + Gumbel noise, in this order, are a draw without replacement.
        numbers = np.arange(1, int(slots.max()) + 1)
        scores = (self.power - 1) * np.log(numbers) + rng.gumbel(size=(rows, len(numbers)))
        if late is not None:
            wanted = np.where(late[:, None], numbers > slots - pairs, numbers <= pairs)
            scores = np.where(wanted, rng.random(scores.shape), -1)
        slot = np.argsort(np.where(numbers <= slots, -scores, np.inf), axis=1)[:, :most]
        columns = np.arange(int(lengths.max()) + 1)
        tokens = np.where(columns <= lengths[:, None], 2, 0)
        tokens[:, 0] = 1
        targets = np.zeros_like(tokens)
        row, pair = np.nonzero(np.arange(most) < pairs)
        key, value = 3 + keys[row, pair], 3 + self.size + values[row, pair]
        tokens[row, 1 + 2 * pair], tokens[row, 2 + 2 * pair] = key, value
        asked = 1 + 2 * (pairs[row, 0] + slot[row, pair])
        tokens[row, asked], targets[row, asked] = key, value
        return Batch(tokens, targets, targets > 0, np.tile(columns, (rows, 1)), lengths + 1)


# Selective copying


PROGRAM_SYMBOLS, PROGRAM_DATA = 16, 64
"""The symbols of the programs that are written out, and the most data tokens."""


@dataclass(frozen=True)
class SelectiveCopy(FamilyTask):
    """SOS . 3 . . 5 3 . SEP 3 5 3 EOS: data tokens at uniform places among noise, written without it.

    Data tokens are independent and uniform and may repeat. There are always `data` of them, 16 in Gu and Dao,
    arXiv 2312.00752 (after Arjovsky et al., arXiv 1511.06464); with 0 their number is uniform in 1 … LEN. LEN
    is the number of tokens of x, noise included.

    >>> SelectiveCopy(3).answer(". 3 . . 5 3 .".split())
    ('3', '5', '3', 'EOS')
    """

    data: int = 8
    symbols_count: int = 16

    family = "selective-copy"
    ended = True

    def __post_init__(self) -> None:
        many = f"{self.data} data tokens" if self.data else "data tokens"
        evidence = self._evidence()
        self._describe(
            {"data": self.data, "symbols": self.symbols_count},
            about=f"{many} among noise, written again without it",
            nope=evidence,
            ape=evidence,
            chance=float(self.symbols_count) ** -self.data if self.data else 0.0,
        )

    def _evidence(self) -> Evidence:
        if not self.data:
            return Evidence(
                "communication",
                None,
                "the whole word must be told: without noise it is copying (Huang et al., Corollary 13)",
                # For every N: words of data tokens alone are inputs, and the answer is the word itself.
                split=Split(alice=("0", "1")),
            )
        if self.symbols_count == PROGRAM_SYMBOLS and self.data <= PROGRAM_DATA:
            why = "so few data tokens are told apart by their number, one by one"
            return Evidence("program", f"selective-copy-{self.data}", why)
        return Evidence(
            "none", None, "a program would tell data tokens by their number; it is not written out"
        )

    @cached_property
    def symbols(self) -> tuple[str, ...]:
        return (*map(str, range(self.symbols_count)), NOISE)

    @property
    def least_length(self) -> int:
        return max(1, self.data)

    def train_range(self, train_to: int) -> LengthRange:
        """At least to inputs of which half is noise."""
        return super().train_range(max(train_to, 2 * self.data))

    def answer_size(self, length: int) -> int:
        return self.data or length

    def is_drawn(self, x: Sequence[str]) -> bool:
        found = sum(symbol != NOISE for symbol in x)
        return found == self.data if self.data else found > 0

    def answer(self, x: Sequence[str]) -> tuple[str, ...]:
        return (*(symbol for symbol in x if symbol != NOISE), EOS)

    def draw(self, lengths: IntArray, rng: np.random.Generator) -> tuple[IntArray, IntArray, IntArray]:
        counts = np.full_like(lengths, self.data) if self.data else rng.integers(1, lengths + 1)
        inside = np.arange(int(lengths.max())) < lengths[:, None]
        is_data = shuffled_bits(lengths, counts, rng).astype(np.bool_) & inside
        x = np.where(is_data, rng.integers(0, self.symbols_count, is_data.shape), self.symbols_count)
        order = np.argsort(~is_data, axis=1, kind="stable")[:, : int(counts.max())]
        return x, np.take_along_axis(x, order, axis=1), counts


# Recall of group elements, and their product


MANY_GUESSES = 5000
"""Inputs of one length on which the chance is measured."""


@dataclass(frozen=True)
class RecallThenFold(FamilyTask):
    """SOS k3 213 k7 231 k7 k3 k7 SEP 213 EOS: keys with elements of a group, then keys that stand for them.

    The answer is the product of the elements recalled, from left to right: state tracking over what must be
    recalled, as in the state-based recall of Olmo Hybrid, arXiv 2604.03444. There are `pairs` distinct keys
    with independent uniform elements; each key behind them is one of these, uniformly. LEN counts the tokens
    of x: two for each pair, and one for each key to recall, of which there is at least one.

    >>> RecallThenFold("S3", 2).answer("k3 213 k7 231 k7 k3 k7".split())
    ('213', 'EOS')
    """

    group: str = "S3"
    pairs: int = 4
    keys: int = 16

    family = "recall-then-fold"
    ended = True

    def __post_init__(self) -> None:
        evidence = self._evidence()
        self._describe(
            {"group": self.group, "pairs": self.pairs, "keys": self.keys},
            about=f"the product, in the group {self.group}, of elements recalled by {self.pairs} keys",
            nope=evidence,
            ape=evidence,
        )

    def _evidence(self) -> Evidence:
        """One of two keys stands for the neutral element, the other for one of least order: it is counted."""
        own = self.own_group
        order, turn = min((own.order(element), element) for element in own.elements[1:])
        before = [token for place in range(self.pairs) for token in (f"k{place + 1}", own.neutral)]
        before[1] = turn
        language = "parity-language" if order == 2 else f"regex:(b|a{'b*a' * (order - 1)})*"
        about = f"with a as k1, which stands for {turn}, and b as k2, which stands for {own.neutral}"
        return Evidence(
            "reduction",
            language,
            f"of two keys a program would count one modulo {order}",
            Reduction(
                {"a": "k1", "b": "k2"},
                (SEP,),
                own.neutral,
                f"{about}, {own.neutral} follows SEP for its words",
                before=tuple(before),
            ),
        )

    @cached_property
    def chance(self) -> float:
        """Measured on many long inputs: 1 / |G|, and more where few elements are drawn for the keys."""
        rng, shares = np.random.default_rng(1), []
        for length in (self.least_length + CHANCE_SPAN, self.least_length + CHANCE_SPAN + 1):
            _, answers, _ = self.draw(np.full(MANY_GUESSES, length), rng)
            shares.append(np.bincount(answers[:, 0]).max() / MANY_GUESSES)
        return float(max(shares))

    @property
    def own_group(self) -> Group:
        return group(self.group)

    @cached_property
    def symbols(self) -> tuple[str, ...]:
        return (*(f"k{number}" for number in range(1, self.keys + 1)), *self.own_group.elements)

    @property
    def least_length(self) -> int:
        return 2 * self.pairs + 1

    def answer_size(self, length: int) -> int:
        return 1

    def answer(self, x: Sequence[str]) -> tuple[str, ...]:
        value = self._values(x[: 2 * self.pairs])
        unknown = next((key for key in x[2 * self.pairs :] if key not in value), None)
        if unknown is not None:
            raise InputError(f"{self.name}: nothing belongs to {unknown}")
        return (self.own_group.product([value[key] for key in x[2 * self.pairs :]]), EOS)

    def _values(self, pairs: Sequence[str]) -> dict[str, str]:
        value = dict(zip(pairs[::2], pairs[1::2], strict=False))
        known = {*self.symbols[: self.keys]} >= value.keys(), {*self.own_group.elements} >= {*value.values()}
        if len(value) != self.pairs or not all(known):
            raise InputError(
                f"{self.name}: x begins with {self.pairs} keys that differ, an element behind each"
            )
        return value

    def continuation_behind(
        self, before: Sequence[str], letters: Images, after: Sequence[str], token: str
    ) -> Automaton | None:
        """A state for each element: behind the pairs, each key of an image multiplies by its own."""
        own = self.own_group
        try:
            value = self._values(before)
        except InputError:
            return None
        images = [image(letters, [letter]) for letter in letters]
        strange = any(key not in value for keys in images for key in keys)
        if len(before) != 2 * self.pairs or tuple(after) != (SEP,) or strange or token not in own.elements:
            return None
        moves = [own.elements.index(own.product([value[key] for key in keys])) for keys in images]
        rows = [[row[move] for move in moves] for row in own.rows]
        return minimal(tuple(letters), rows, 0, [own.elements.index(token)])

    def draw(self, lengths: IntArray, rng: np.random.Generator) -> tuple[IntArray, IntArray, IntArray]:
        rows, asked = len(lengths), lengths - 2 * self.pairs
        keys = random_orders(np.full(rows, self.keys), self.keys, rng)[:, : self.pairs]
        values = rng.integers(0, len(self.own_group.elements), keys.shape)
        places = rng.integers(0, self.pairs, (rows, int(asked.max())))
        products = states_along(self.own_group.table, np.take_along_axis(values, places, axis=1))
        table = np.stack([keys, self.keys + values], axis=2).reshape(rows, 2 * self.pairs)
        x = np.concatenate([table, np.take_along_axis(keys, places, axis=1)], axis=1)
        return x, self.keys + products[np.arange(rows), asked][:, None], np.ones_like(lengths)
