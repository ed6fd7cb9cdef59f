"""Modular arithmetic: a sum of products modulo five, without brackets."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from longreach.errors import InputError
from longreach.languages.regular.labelled_automaton import LabelledAutomaton, labelled
from longreach.tasks.cycle_navigation import EVERY_FIFTH
from longreach.tasks.evidence import Evidence, Reduction
from longreach.tasks.regular_answer import UNDEFINED, RegularAnswer
from longreach.tasks.task import EOS, SEP, BoolArray, IntArray

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
            raise InputError(f"{self.name}: {' '.join(x)} is no expression")
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
