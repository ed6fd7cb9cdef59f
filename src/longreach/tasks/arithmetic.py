"""Sums and products of binary numbers, and the values of Boolean expressions."""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, TypeVar

import numpy as np

from longreach.errors import InputError
from longreach.tasks.counting import Parity
from longreach.tasks.layouts import OneToken, SequenceTask, random_orders
from longreach.tasks.task import (
    EOS,
    SEP,
    Batch,
    Evidence,
    Images,
    IntArray,
    Reduction,
    Split,
    image,
    significance,
)
from longreach.theory.automata.automaton import Automaton, minimal

_SIGN, _EQUALS = 2, 3
_TRIES = 20
"""Shorter operands that are tried for a hard input."""
Number = TypeVar("Number", int, IntArray)


@dataclass(frozen=True)
class BinaryOperation(SequenceTask):
    """SOS a sign b = c EOS for binary numbers: LEN counts both operands, the sign and =.

    The length of the first operand is uniform in 1 … LEN − 3, bits are uniform and may begin with zeros;
    the answer does not begin with zeros, unless it is 0.
    """

    separated = False
    chance = 0.0  # every digit must be right
    least_length = 4
    sign: ClassVar[str]
    leading_zeros: ClassVar[bool] = True
    """Whether operands of several bits may begin with a zero."""

    @abstractmethod
    def most_bits(self, first: Number, second: Number) -> Number:
        """How many bits an answer has at most, by those of its operands."""

    @abstractmethod
    def result(self, first: int, second: int) -> int:
        """Of two operands."""

    @abstractmethod
    def _bits(self, x: IntArray, lengths: IntArray, first: IntArray, second: IntArray) -> IntArray:
        """The bits of the answers, the least significant first, and zeros behind them."""

    @property
    def symbols(self) -> tuple[str, ...]:
        return ("0", "1", self.sign, "=")

    def answer_size(self, length: int) -> int:
        return length - 2

    def operands(self, x: Sequence[str]) -> tuple[str, str]:
        """The two numbers; = may be missing.

        >>> Addition().operands("10+1=")
        ('10', '1')
        >>> Addition().operands("10+=")
        Traceback (most recent call last):
        longreach.errors.InputError: addition: 1 0 + = is not two binary numbers with + between them
        """
        found = re.fullmatch(rf"([01]+){re.escape(self.sign)}([01]+)=?", "".join(x))
        if found is None:
            raise InputError(
                f"{self.name}: {' '.join(x)} is not two binary numbers with {self.sign} between them"
            )
        return found[1], found[2]

    def answer(self, x: Sequence[str]) -> tuple[str, ...]:
        first, second = self.operands(x)
        return (*f"{self.result(int(first, 2), int(second, 2)):b}", EOS)

    @property
    @abstractmethod
    def near_power(self) -> str:
        """What is near a power of two in hard inputs."""

    @property
    def hard(self) -> tuple[str, ...]:
        return tuple(f"{self.near_power} is 2ᵏ{shift}" for shift in (" − 1", "", " + 1"))

    @abstractmethod
    def _longer(self, shorter: int, bits: int, shift: int) -> int:
        """The longer operand of so many bits at most, beside the shorter one; it may turn out too large."""

    def hard_input(self, length: int, sort: int, rng: np.random.Generator) -> Sequence[str] | None:
        bits, shift = length - 2, sort - 1
        for _ in range(_TRIES):
            small = int(rng.integers(1, bits // 2 + 1))
            operand = [*map(str, rng.integers(0, 2, small).tolist())]
            if not self.leading_zeros and small > 1:
                operand[0] = "1"
            other = self._longer(int("".join(operand), 2), bits - small, shift)
            spelled = f"{max(other, 0):0{bits - small}b}"
            fits = other >= 0 and len(spelled) == bits - small
            if fits and (self.leading_zeros or spelled[0] == "1" or len(spelled) == 1):
                first, second = [operand, spelled][:: 1 if rng.integers(0, 2) else -1]
                return [*first, self.sign, *second, "="]
        return None

    def coupled_ids(self, batch: Batch) -> IntArray:
        """Digits of equal significance share an id, 1 for the least; SOS, the sign, = and EOS have 0.

        The scheme of Cho et al., arXiv 2405.20671, where + and = stand beside the least digits as well.
        """
        sign, equals = (self.tokens.index(self.symbols[place]) for place in (_SIGN, _EQUALS))
        return significance(batch, plus=sign, equals=equals)

    def draw(self, lengths: IntArray, rng: np.random.Generator) -> tuple[IntArray, IntArray, IntArray]:
        first = rng.integers(1, lengths - 2)
        x = rng.integers(0, 2, (len(lengths), int(lengths.max())))
        rows = np.arange(len(lengths))
        x[rows, first] = _SIGN
        x[rows, lengths - 1] = _EQUALS
        second = lengths - 2 - first
        if not self.leading_zeros:
            x[rows[first > 1], 0] = 1
            x[rows[second > 1], first[second > 1] + 1] = 1
        bits = self._bits(x, lengths, first, second)
        width = bits.shape[1]
        sizes = np.where(bits.any(axis=1), width - bits[:, ::-1].argmax(axis=1), 1)
        return x, _backwards(bits, sizes, sizes, width), sizes


def _backwards(rows: IntArray, ends: IntArray, sizes: IntArray, width: int) -> IntArray:
    """Of each row the `size` cells before `end`, the last one first, and zeros up to the width."""
    columns = np.arange(width)
    last = np.arange(len(rows)) * rows.shape[1] + ends - 1
    cells: IntArray = rows.take(last[:, None] - columns, mode="clip")
    return cells * (columns < sizes[:, None])


@dataclass(frozen=True)
class Addition(BinaryOperation):
    """SOS 1 0 1 + 1 0 = 1 1 1 EOS.

    >>> Addition().answer(list("101+10="))
    ('1', '1', '1', 'EOS')
    """

    name = "addition"
    about = "the sum of two binary numbers"
    sign = "+"
    nope = ape = Evidence(
        "communication",
        None,
        "adding zero is copying (Huang et al., Corollary 13 and E.2.2)",
        # For every N: adding zero to different numbers gives different sums.
        split=Split(alice=("0", "1"), between=("+",), bob=("0",), end=("=",)),
    )
    near_power = "the sum"

    def _longer(self, shorter: int, bits: int, shift: int) -> int:
        return (1 << bits) + shift - shorter

    def most_bits(self, first: Number, second: Number) -> Number:
        if isinstance(first, int):
            return max(first, second) + 1
        longer: IntArray = np.maximum(first, second) + 1
        return longer

    def result(self, first: int, second: int) -> int:
        return first + second

    def _bits(self, x: IntArray, lengths: IntArray, first: IntArray, second: IntArray) -> IntArray:
        width = int(np.maximum(first, second).max()) + 1  # the sum may have a bit more
        a, b = _backwards(x, first, first, width), _backwards(x, lengths - 1, second, width)
        # The carry out of a place was made at the last place where the two bits are equal.
        made = np.maximum.accumulate(np.where(a == b, np.arange(width), -1), axis=1)
        carry = np.take_along_axis(a, made, axis=1) & (made >= 0)
        total: IntArray = a ^ b
        total[:, 1:] ^= carry[:, :-1]
        return total


@dataclass(frozen=True)
class Multiplication(BinaryOperation):
    """SOS 1 0 1 * 1 1 = 1 1 1 1 EOS.

    >>> Multiplication().answer(list("101*11="))
    ('1', '1', '1', '1', 'EOS')
    """

    name = "multiplication"
    about = "the product of two binary numbers"
    sign = "*"
    far_steps = "a bit of a product depends on all lower bits of both factors"
    nope = ape = Evidence(
        "communication",
        None,
        "multiplying by one is copying (as for addition, Huang et al., Corollary 13)",
        # For every N: one times different numbers of N bits gives different products.
        split=Split(alice=("0", "1"), between=("*",), bob=("0",), end=("1", "=")),
    )
    near_power = "a factor"

    def _longer(self, shorter: int, bits: int, shift: int) -> int:
        return (1 << bits - 1) + shift

    def most_bits(self, first: Number, second: Number) -> Number:
        return first + second

    def result(self, first: int, second: int) -> int:
        return first * second

    def _bits(self, x: IntArray, lengths: IntArray, first: IntArray, second: IntArray) -> IntArray:
        size, width = int(first.max()), int(lengths.max()) - 2
        a, b = _backwards(x, first, first, size), _backwards(x, lengths - 1, second, int(second.max()))
        # By significance, in how many ways a bit of one and a bit of the other make it.
        counts = np.zeros((len(a), max(width, size + b.shape[1])), dtype=np.int64)
        for place in range(b.shape[1]):
            counts[:, place : place + size] += a * b[:, place : place + 1]
        bits, carry = np.zeros((len(a), width), dtype=np.int64), np.zeros(len(a), dtype=np.int64)
        for place in range(width):
            total = counts[:, place] + carry
            bits[:, place], carry = total & 1, total >> 1
        return bits


@dataclass(frozen=True)
class AdditionWithoutLeadingZeros(Addition):
    """Addition as the scripts of Huang et al. draw it: operands begin with 1, unless they are a single bit.

    About three in four inputs of `addition` have an operand that begins with a zero; these are left out.

    >>> AdditionWithoutLeadingZeros().answer(list("101+10="))
    ('1', '1', '1', 'EOS')
    """

    name = "addition-no-leading-zeros"
    about = "the sum of two binary numbers without leading zeros"
    leading_zeros = False


@dataclass(frozen=True)
class ParityWithEmpty(Parity):
    """Parity as the scripts of Huang et al. draw it: with the empty input, whose number of ones is even.

    >>> ParityWithEmpty().answer([])
    ('even', 'EOS')
    """

    name = "parity-with-empty"
    about = "whether the number of ones is even or odd, the empty input included"
    least_length = 0


_ARITY = {"0": 0, "1": 0, "and": 2, "or": 2, "not": 1}
_ZERO, _AND, _OR, _NOT = 0, 2, 3, 4


@dataclass(frozen=True)
class BooleanExpressions(OneToken):
    """SOS and not 0 or 0 1 SEP 1 EOS: prefix notation, nested to any depth; LEN counts all tokens.

    Operators before what they take, as in the Boolean languages of Bhattamishra et al., arXiv 2009.11264,
    where they are read and not evaluated. The number of and, or is uniform in 0 … (LEN − 1)/2, the rest are
    not; formulas with so many are equally likely, so that both values are.

    >>> BooleanExpressions().answer("and not 0 or 0 1".split())
    ('1', 'EOS')
    """

    name = "boolean-expressions"
    about = "the value of a formula in prefix notation, nested to any depth"
    chance = 1 / 2  # 0 or 1: exchanging 0 with 1 and `and` with `or` turns the value round
    symbols = tuple(_ARITY)
    nope = ape = Evidence(
        "reduction",
        "parity-language",
        "negations would be counted modulo two",
        Reduction(
            {"a": ("not", "and", "1"), "b": ("and", "not", "0")},
            ("1", SEP),
            "1",
            "with a as 'not and 1', which negates what follows, and b as 'and not 0', which does not, "
            "then 1, the value is 1 for its words",
        ),
    )

    def answer(self, x: Sequence[str]) -> tuple[str, ...]:
        value, rest = _value(tuple(x))
        if rest:
            raise InputError(f"{self.name}: {' '.join(x)} goes on after the formula")
        return (str(int(value)), EOS)

    def continuation(self, letters: Images, after: Sequence[str], token: str) -> Automaton | None:
        """What the formula is to its end: one of the four functions of one value, composed letter by letter.

        None unless every letter opens a formula that is complete but for its last part, and `after` is that.
        """
        functions = [_context(image(letters, [letter])) for letter in letters]
        if tuple(after[-1:]) != (SEP,) or token not in ("0", "1") or None in functions:
            return None
        try:
            last, rest = _value(tuple(after[:-1]))
        except InputError:
            return None
        if rest:
            return None
        states = [(False, True), (True, False), (False, False), (True, True)]
        rows = [
            [states.index((state[function[0]], state[function[1]])) for function in functions if function]
            for state in states
        ]
        wanted = [k for k, state in enumerate(states) if str(int(state[last])) == token]
        return minimal(tuple(letters), rows, 0, wanted)

    def draw(self, lengths: IntArray, rng: np.random.Generator) -> tuple[IntArray, IntArray, IntArray]:
        """Turns words round: one of the LEN rotations of a word is a formula (the cycle lemma)."""
        width = int(lengths.max())
        binary = rng.integers(0, (lengths - 1) // 2 + 1)[:, None]
        orders = random_orders(lengths, width, rng)
        either = rng.integers(0, 2, orders.shape)
        # Among LEN places `binary` operators take two formulas, one leaf more closes them, the rest are not.
        tokens = np.where(orders < binary, _AND + either, np.where(orders <= 2 * binary, either, _NOT))
        columns = np.arange(width)
        inside = columns < lengths[:, None]
        need = np.cumsum(np.where(tokens < _AND, -1, np.where(tokens == _NOT, 0, 1)), axis=1)
        start = np.where(inside, need, width).argmin(axis=1) + 1
        x = np.take_along_axis(tokens, (start[:, None] + columns) % lengths[:, None], axis=1)
        return x, part_values(x, lengths)[:, :1], np.ones_like(lengths)


def _value(x: tuple[str, ...]) -> tuple[bool, tuple[str, ...]]:
    """The value of the formula that x begins with, and what follows it; read from the end."""
    stack: list[bool] = []
    need = 1
    end = len(x)
    for place, token in enumerate(x):
        if token not in _ARITY:
            raise InputError(f"boolean-expressions: {token!r} is not part of a formula")
        need += _ARITY[token] - 1
        if not need:
            end = place + 1
            break
    if need:
        raise InputError(f"boolean-expressions: {' '.join(x) or 'nothing'} is not a whole formula")
    for token in reversed(x[:end]):
        if token == "not":
            stack.append(not stack.pop())
        elif token in ("and", "or"):
            first, second = stack.pop(), stack.pop()
            stack.append(first and second if token == "and" else first or second)
        else:
            stack.append(token == "1")
    return stack.pop(), x[end:]


def _context(tokens: tuple[str, ...]) -> tuple[bool, bool] | None:
    """The value of tokens that lack one formula at their end, if that is 0 and if it is 1."""
    try:
        # A formula that is whole before its end leaves something over.
        found = [_value((*tokens, leaf)) for leaf in ("0", "1")]
    except InputError:
        return None
    return None if any(rest for _, rest in found) else (found[0][0], found[1][0])


def part_values(x: IntArray, lengths: IntArray) -> IntArray:
    """Of formulas in the rows, as places in `symbols`, the value of the part that begins at each token.

    Beyond the lengths stands 0.

    >>> part_values(np.array([[2, 4, 0, 1]]), np.array([4])).tolist()  # and not 0 1
    [[1, 1, 0, 1]]
    """
    rows = np.arange(len(x))
    found = np.zeros_like(x)
    stack = np.zeros((len(x), x.shape[1] + 2), dtype=np.int64)
    height = np.ones(len(x), dtype=np.int64)  # one below, so that there is always something to look at
    for column in range(x.shape[1] - 1, -1, -1):
        token, here = x[:, column], column < lengths
        top, under = stack[rows, height - 1], stack[rows, np.maximum(height - 2, 0)]
        leaf, both = token < _AND, (token == _AND) | (token == _OR)
        value = np.where(
            leaf, token, np.where(both, np.where(token == _AND, top & under, top | under), 1 - top)
        )
        height = np.where(here, height + leaf - both, height)
        stack[rows[here], height[here] - 1] = value[here]
        found[here, column] = value[here]
    return found
