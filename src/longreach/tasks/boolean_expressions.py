"""Boolean expressions: the value of a formula in prefix notation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from longreach.errors import InputError
from longreach.languages.regular.automaton import Automaton, minimal
from longreach.tasks.draws import random_orders
from longreach.tasks.evidence import Evidence, Images, Reduction, image
from longreach.tasks.layout import SequenceTask
from longreach.tasks.task import EOS, SEP, IntArray

_ARITY = {"0": 0, "1": 0, "and": 2, "or": 2, "not": 1}
_ZERO, _AND, _OR, _NOT = 0, 2, 3, 4


@dataclass(frozen=True)
class BooleanExpressions(SequenceTask):
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

    def answer_size(self, length: int) -> int:
        return 1

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
            raise InputError(f"boolean-expressions: {token!r} is no part of a formula")
        need += _ARITY[token] - 1
        if not need:
            end = place + 1
            break
    if need:
        raise InputError(f"boolean-expressions: {' '.join(x) or 'nothing'} is no whole formula")
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
