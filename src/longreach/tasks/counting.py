"""Tasks whose answer is a count, or what an automaton knows after reading the input."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise, product
from string import ascii_lowercase

import numpy as np

from longreach.errors import InputError
from longreach.tasks.layouts import (
    UNDEFINED,
    MachineAnswer,
    OneToken,
    RegularAnswer,
    SameSize,
    SequenceTask,
    shuffled_bits,
)
from longreach.tasks.lengths import LengthRange
from longreach.tasks.task import (
    EOS,
    SEP,
    SEP_ID,
    Batch,
    BoolArray,
    Evidence,
    Images,
    IntArray,
    Probes,
    Reduction,
    Task,
    draw_lengths,
    numbered,
)
from longreach.theory.automata.automaton import Automaton, LabelledAutomaton, labelled, minimal


@dataclass(frozen=True)
class Count(SameSize):
    """SOS b a b a SEP a a EOS: the a of x are written again. Their number is uniform in 0 … LEN.

    The number is written in unary, so that long answers need no new tokens.

    >>> Count().answer(["b", "a", "b", "a"])
    ('a', 'a', 'EOS')
    """

    name = "count"
    about = "as many a as there were among a and b"
    symbols = ("a", "b")
    nope = ape = Evidence("program", "count-unary", "the a after SEP are compared with those before")

    def answer(self, x: Sequence[str]) -> tuple[str, ...]:
        return (*("a" for symbol in x if symbol == "a"), EOS)

    def draw(self, lengths: IntArray, rng: np.random.Generator) -> tuple[IntArray, IntArray, IntArray]:
        number = rng.integers(0, lengths + 1)
        x = 1 - shuffled_bits(lengths, number, rng)
        return x, np.zeros_like(x), number


_MOST_COPIES = 64


@dataclass(frozen=True)
class Majority(OneToken):
    """SOS c b a b SEP b EOS: symbols independent and uniform, given that one is the most frequent.

    >>> Majority().answer(["c", "b", "a", "b"])
    ('b', 'EOS')
    """

    name = "majority"
    about = "the most frequent of 26 symbols"
    chance = 1 / 26  # one of 26 symbols
    symbols = tuple(ascii_lowercase)
    nope = ape = Evidence("program", "majority-26", "one count for each symbol (Huang et al., E.2.2)")

    def answer(self, x: Sequence[str]) -> tuple[str, ...]:
        return (Counter(x).most_common(1)[0][0], EOS)

    def draw(self, lengths: IntArray, rng: np.random.Generator) -> tuple[IntArray, IntArray, IntArray]:
        words, modes = words_with_mode(lengths, len(self.symbols), rng)
        return words, modes[:, None], np.ones_like(lengths)

    def probing_sample(self, lengths: LengthRange, count: int, rng: np.random.Generator) -> Probes | None:
        """Two symbols of which one comes once more."""
        from longreach.tasks.pumped import probes  # only measuring needs it

        sizes, bits, most, kinds = near_ties(self, lengths, count, rng)
        first = rng.integers(0, len(self.symbols), count)
        pair = np.stack([first, (first + rng.integers(1, len(self.symbols), count)) % len(self.symbols)])
        x = np.where(bits == 1, pair[1][:, None], pair[0][:, None])
        y = pair[most, np.arange(count)][:, None]
        batch = self._batch(sizes, x, y, np.ones_like(sizes))
        return probes(batch, most, kinds, ("more of the first symbol", "more of the second"))


def words_with_mode(lengths: IntArray, symbols: int, rng: np.random.Generator) -> tuple[IntArray, IntArray]:
    """Uniform words among those with a single most frequent symbol, and that symbol.

    Each row takes the first good one of independent tries. Tries come in growing numbers, because of short
    lengths: only one word of length 2 in 26 is good.

    >>> words, modes = words_with_mode(np.array([2]), 3, np.random.default_rng(0))
    >>> words[0].tolist() == [modes[0], modes[0]]
    True
    """
    words = np.zeros((len(lengths), int(lengths.max())), dtype=np.int64)
    modes = np.zeros_like(lengths)
    todo = np.arange(len(lengths))
    copies = 1
    while len(todo):
        sizes = np.repeat(lengths[todo], copies)
        tries = rng.integers(0, symbols, (len(sizes), int(sizes.max())))
        numbered = tries + symbols * np.arange(len(sizes))[:, None]
        seen = numbered[np.arange(tries.shape[1]) < sizes[:, None]]
        counts = np.bincount(seen, minlength=symbols * len(sizes)).reshape(-1, symbols)
        single = (counts == counts.max(axis=1, keepdims=True)).sum(axis=1) == 1
        good = single.reshape(-1, copies)
        found = good.any(axis=1)
        chosen = (np.arange(len(todo)) * copies + good.argmax(axis=1))[found]
        words[todo[found], : tries.shape[1]] = tries[chosen]
        modes[todo[found]] = counts[chosen].argmax(axis=1)
        todo = todo[~found]
        copies = min(2 * copies, _MOST_COPIES)
    return words, modes


@dataclass(frozen=True)
class Mode(Majority):
    """SOS c b a b SEP b EOS: symbols independent and uniform, given that one is the most frequent.

    The task that Zhou et al., arXiv 2310.16028, call mode; `majority` is the same over 26 symbols.

    >>> Mode().answer(["c", "b", "a", "b"])
    ('b', 'EOS')
    """

    name = "mode"
    about = "the most frequent of five symbols"
    chance = 1 / 5  # one of the symbols
    symbols = tuple("abcde")
    nope = ape = Evidence("program", "mode", "one count for each symbol (Huang et al., E.2.2)")


@dataclass(frozen=True)
class BinaryMajority(OneToken):
    """SOS 0 1 1 SEP 1 EOS. The number of zeros is uniform, without the ties.

    >>> BinaryMajority().answer(["0", "1", "1"])
    ('1', 'EOS')
    """

    name = "binary-majority"
    about = "the more frequent bit"
    chance = 1 / 2  # one of two bits
    symbols = ("0", "1")
    nope = ape = Evidence("program", "binary-majority", "a single count is enough (Huang et al., E.2.2)")

    def answer(self, x: Sequence[str]) -> tuple[str, ...]:
        return ("1" if x.count("1") > x.count("0") else "0", EOS)

    def draw(self, lengths: IntArray, rng: np.random.Generator) -> tuple[IntArray, IntArray, IntArray]:
        bits, most = bits_without_tie(lengths, rng)
        return bits, most[:, None], np.ones_like(lengths)

    def probing_sample(self, lengths: LengthRange, count: int, rng: np.random.Generator) -> Probes | None:
        from longreach.tasks.pumped import probes  # only measuring needs it

        sizes, bits, most, kinds = near_ties(self, lengths, count, rng)
        batch = self._batch(sizes, bits, most[:, None], np.ones_like(sizes))
        return probes(batch, most, kinds, ("more 0", "more 1"))


def bits_without_tie(lengths: IntArray, rng: np.random.Generator) -> tuple[IntArray, IntArray]:
    """Words of bits whose number of zeros is uniform in 0 … LEN but not LEN/2, and the more frequent bit.

    >>> bits, most = bits_without_tie(np.array([2, 2]), np.random.default_rng(0))
    >>> bool((bits.sum(axis=1) == 2 * most).all())
    True
    """
    even = lengths % 2 == 0
    ones = rng.integers(0, lengths + 1 - even)
    ones += even & (ones >= lengths // 2)  # as if ties were drawn again
    return shuffled_bits(lengths, ones, rng), (2 * ones > lengths).astype(np.int64)


def near_ties(
    task: Task, lengths: LengthRange, count: int, rng: np.random.Generator
) -> tuple[IntArray, IntArray, IntArray, IntArray]:
    """Words of bits with one of a kind more, two where LEN is even; half are shuffled, half in two blocks.

    Their lengths, the bits, the more frequent bit of each, and 1 for those in blocks.
    """
    sizes, rows = draw_lengths(task, *lengths, count, rng), np.arange(count)
    most, kinds = rows % 2, rows // 2 % 2
    ones = np.where(most == 1, sizes // 2 + 1, (sizes - 1) // 2)
    bits = shuffled_bits(sizes, ones, rng)
    columns = np.arange(bits.shape[1])
    ones_first = rng.integers(0, 2, count)[:, None] == 1
    blocks = np.where(ones_first, columns < ones[:, None], columns >= (sizes - ones)[:, None])
    return sizes, np.where(kinds[:, None] == 1, blocks, bits), most, kinds


SEQUENCES = 3


@dataclass(frozen=True)
class BinaryMajorityInterleave(SequenceTask):
    """SOS 1 0 1 1 0 0 1 0 0 SEP 1 0 0 EOS: bits 1, 4, 7, … are the first sequence.

    >>> BinaryMajorityInterleave().answer(list("101100100"))
    ('1', '0', '0', 'EOS')
    """

    name = "binary-majority-interleave"
    about = "the majorities of three interleaved sequences of bits"
    chance = 1 / 2**SEQUENCES  # one bit for each sequence
    symbols = ("0", "1")
    least_length = SEQUENCES
    nope = Evidence("none", None, "no program without positions has been found (Huang et al., Table 3)")
    ape = Evidence("program", "binary-majority-interleave", "positions modulo 3 separate the three counts")

    def has(self, lengths: IntArray) -> BoolArray:
        found: BoolArray = (lengths >= SEQUENCES) & (lengths % SEQUENCES == 0)
        return found

    def answer_size(self, length: int) -> int:
        return SEQUENCES

    def answer(self, x: Sequence[str]) -> tuple[str, ...]:
        parts = [x[start::SEQUENCES] for start in range(SEQUENCES)]
        return (*("1" if part.count("1") > part.count("0") else "0" for part in parts), EOS)

    @property
    def hard(self) -> tuple[str, ...]:
        """Each sequence has one of a bit more than of the other, two where it is even."""
        return tuple("nearly tied, " + "".join(bits) for bits in product("01", repeat=SEQUENCES))

    def hard_input(self, length: int, sort: int, rng: np.random.Generator) -> Sequence[str] | None:
        most, size = sort >> np.arange(SEQUENCES)[::-1] & 1, length // SEQUENCES
        ones = np.where(most == 1, size // 2 + 1, (size - 1) // 2)
        bits = shuffled_bits(np.full(SEQUENCES, size), ones, rng)
        return [self.symbols[bit] for bit in bits.T.ravel().tolist()]

    def draw(self, lengths: IntArray, rng: np.random.Generator) -> tuple[IntArray, IntArray, IntArray]:
        bits, most = bits_without_tie(np.repeat(lengths // SEQUENCES, SEQUENCES), rng)
        turns = bits.reshape(len(lengths), SEQUENCES, -1).transpose(0, 2, 1)
        answers = most.reshape(-1, SEQUENCES)
        return turns.reshape(len(lengths), -1), answers, np.full_like(lengths, SEQUENCES)


@dataclass(frozen=True)
class Parity(MachineAnswer):
    """SOS 1 0 1 SEP even EOS. The number of ones is uniform in 0 … LEN.

    >>> Parity().answer(["1", "0", "0"])
    ('odd', 'EOS')
    """

    name = "parity"
    about = "whether the number of ones is even or odd"
    chance = 1 / 2  # even or odd
    symbols = ("0", "1", "even", "odd")
    nope = ape = Evidence(
        "reduction",
        "parity-language",
        "the answer decides the language (Huang et al., E.2.2)",
        Reduction(
            {"a": "1", "b": "0"}, (SEP,), "even", "with a as 1 and b as 0, 'even' follows SEP for its words"
        ),
    )

    @property
    def machine(self) -> LabelledAutomaton:
        return labelled(("0", "1"), [[0, 1], [1, 0]], 0, ["even", "odd"])

    def answer(self, x: Sequence[str]) -> tuple[str, ...]:
        return ("odd" if x.count("1") % 2 else "even", EOS)

    def continuation(self, letters: Images, after: Sequence[str], token: str) -> Automaton | None:
        """Two states: the number of ones modulo 2, as in `answer`."""
        parities = ("even", "odd")
        if tuple(after) != (SEP,) or token not in parities or not {*letters.values()} <= {"0", "1"}:
            return None
        rows = [[state ^ (symbol == "1") for symbol in letters.values()] for state in range(2)]
        return minimal(tuple(letters), rows, 0, [parities.index(token)])

    def coupled_ids(self, batch: Batch) -> IntArray:
        """0, 1 … 1, 0, 1: the answer is about all bits, so they share its id.

        It is the scheme of a scratchpad whose one jump is as long as the input.
        """
        x, y = numbered(batch, SEP_ID)
        made: IntArray = np.minimum(x + y, 1)
        return made

    def draw(self, lengths: IntArray, rng: np.random.Generator) -> tuple[IntArray, IntArray, IntArray]:
        ones = rng.integers(0, lengths + 1)
        return shuffled_bits(lengths, ones, rng), 2 + ones[:, None] % 2, np.ones_like(lengths)


@dataclass(frozen=True)
class EvenPairs(RegularAnswer):
    """SOS a a b b a SEP even EOS: one ab and one ba. Letters are independent and uniform.

    The number is even exactly where the first letter and the last are the same (Delétang et al., arXiv
    2207.02098). Without positions a program that has read SEP cannot say which letter came last.

    >>> EvenPairs().answer(list("aabba"))
    ('even', 'EOS')
    """

    name = "even-pairs"
    about = "whether the number of ab and ba is even"
    chance = 1 / 2  # even or odd
    symbols = ("a", "b", "even", "odd")
    nope = Evidence(
        "reduction",
        "regex:a|b|a(a|b)*a|b(a|b)*b",
        "after SEP nothing tells which letter came last",
        Reduction(
            {"a": "a", "b": "b"}, (SEP,), "even", "'even' follows SEP for words that end as they begin"
        ),
    )
    ape = Evidence("program", "even-pairs", "the first letter stands after SOS and the last before SEP")

    @property
    def machine(self) -> LabelledAutomaton:
        """The first letter, and whether the last is the same: 1, 2 after a first a, and 3, 4 after a b."""
        rows = [[1, 3], [1, 2], [1, 2], [4, 3], [4, 3]]
        return labelled(("a", "b"), rows, 0, [UNDEFINED, "even", "odd", "even", "odd"])

    def answer(self, x: Sequence[str]) -> tuple[str, ...]:
        pairs = sum(first != second for first, second in pairwise(x))
        return ("odd" if pairs % 2 else "even", EOS)

    def inputs(self, lengths: IntArray, rng: np.random.Generator) -> IntArray:
        return rng.integers(0, 2, (len(lengths), int(lengths.max())))


PLACES = 5
_STEPS = {"stay": 0, "right": 1, "left": -1}
EVERY_FIFTH = "regex:(b*ab*ab*ab*ab*a)*b*"
"""The number of a is a multiple of five."""


@dataclass(frozen=True)
class CycleNavigation(RegularAnswer):
    """SOS right right stay left SEP 1 EOS: the walk begins at 0, steps are independent and uniform.

    Delétang et al., arXiv 2207.02098.

    >>> CycleNavigation().answer(["right", "left", "stay", "left", "left"])
    ('3', 'EOS')
    """

    name = "cycle-navigation"
    about = "where a walk on a cycle of five places ends"
    chance = 1 / PLACES  # one of the places
    symbols = (*_STEPS, *map(str, range(PLACES)))
    nope = ape = Evidence(
        "reduction",
        EVERY_FIFTH,
        "steps would be counted modulo five",
        Reduction(
            {"a": "right", "b": "stay"},
            (SEP,),
            "0",
            "with a as right and b as stay, 0 follows SEP for its words",
        ),
    )

    @property
    def machine(self) -> LabelledAutomaton:
        """A state for each place."""
        rows = [[(place + step) % PLACES for step in _STEPS.values()] for place in range(PLACES)]
        return labelled(tuple(_STEPS), rows, 0, [str(place) for place in range(PLACES)])

    def answer(self, x: Sequence[str]) -> tuple[str, ...]:
        return (str(sum(_STEPS[step] for step in x) % PLACES), EOS)

    def inputs(self, lengths: IntArray, rng: np.random.Generator) -> IntArray:
        return rng.integers(0, len(_STEPS), (len(lengths), int(lengths.max())))


MODULUS = 5
_DIGITS = tuple(map(str, range(MODULUS)))
_OPERATORS = ("+", "-", "*")
# What has been added, and the product that is not yet: after an operator the product waits for a digit.
_State = tuple[int, int, str] | None


@dataclass(frozen=True)
class ModularArithmetic(RegularAnswer):
    """SOS 1 - 2 * 4 SEP 3 EOS: LEN is odd, digits and operators are independent and uniform.

    Products come before sums (Delétang et al., arXiv 2207.02098, modular arithmetic, simple).

    >>> ModularArithmetic().answer(list("1-2*4"))
    ('3', 'EOS')
    """

    name = "modular-arithmetic"
    about = "a sum of products modulo five, without brackets"
    chance = 1 / MODULUS  # one of the digits
    symbols = (*_DIGITS, *_OPERATORS)
    nope = ape = Evidence(
        "reduction",
        EVERY_FIFTH,
        "ones would be counted modulo five",
        Reduction(
            {"a": ("1", "+"), "b": ("0", "+")},
            ("0", SEP),
            "0",
            "with a as '1 +' and b as '0 +', then 0, the sum is 0 for its words",
        ),
    )

    def has(self, lengths: IntArray) -> BoolArray:
        found: BoolArray = (lengths >= 1) & (lengths % 2 == 1)
        return found

    @cached_property
    def machine(self) -> LabelledAutomaton:
        """The sum so far, the last product with its sign, and which operator waits."""
        states: list[_State] = [(0, 1, "*"), None]
        rows: list[list[int]] = []
        for state in states:  # grows on the way
            targets = [_after(state, symbol) for symbol in self.symbols]
            states += [target for target in dict.fromkeys(targets) if target not in states]
            rows.append([states.index(target) for target in targets])
        outputs = [
            UNDEFINED if state is None or state[2] else str((state[0] + state[1]) % MODULUS)
            for state in states
        ]
        return labelled(self.symbols, rows, 0, outputs)

    def answer(self, x: Sequence[str]) -> tuple[str, ...]:
        text = "".join(x)
        if not re.fullmatch(r"[0-4]([-+*][0-4])*", text):
            raise InputError(f"{self.name}: {' '.join(x)} is not an expression")
        total = 0
        for sign, term in re.findall(r"([-+]?)([^-+]+)", text):
            product = 1
            for factor in term.split("*"):
                product *= int(factor)
            total += -product if sign == "-" else product
        return (str(total % MODULUS), EOS)

    def inputs(self, lengths: IntArray, rng: np.random.Generator) -> IntArray:
        x = rng.integers(0, MODULUS, (len(lengths), int(lengths.max())))
        operators = rng.integers(0, len(_OPERATORS), (len(lengths), x.shape[1] // 2))
        x[:, 1::2] = MODULUS + operators
        return x


def _after(state: _State, symbol: str) -> _State:
    """None is what no expression begins with."""
    if state is None or (symbol in _OPERATORS) == bool(state[2]):
        return None
    total, product, waiting = state
    if symbol == "*":
        return total, product, "*"
    if symbol in _OPERATORS:
        return (total + product) % MODULUS, 1, symbol
    value = int(symbol)
    return total, (product * (-value if waiting == "-" else value)) % MODULUS, ""
