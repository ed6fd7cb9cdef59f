"""The rules of units, against plain arithmetic on small integers."""

from __future__ import annotations

import itertools

import pytest

from longreach.limit.compile.directions import Direction
from longreach.limit.compile.gated_sums import (
    OPEN,
    Algebra,
    AllZero,
    AtLeast,
    NotInOneLayer,
    Number,
    Ramp,
    Truth,
    total,
)
from longreach.limit.compile.linear_forms import Range

COUNT_X, COUNT_Y, BIT_P, BIT_Q, BIT_R = map(Direction, "xypqr")
POINTS = [
    {COUNT_X: x, COUNT_Y: y, BIT_P: p, BIT_Q: q, BIT_R: r}
    for x, y, (p, q), r in itertools.product(range(5), range(5), [(0, 0), (0, 1), (1, 0)], [0, 1])
]
ALGEBRA = Algebra(frozenset({BIT_P, BIT_Q}), {COUNT_X: Range(0, None), COUNT_Y: Range(0, None)})


def open_gate(gate: frozenset[tuple[Direction, bool]], at: dict[Direction, int]) -> bool:
    return all(bool(at[name]) == wanted for name, wanted in gate)


def truth_at(truth: Truth, at: dict[Direction, int]) -> int:
    result = 0
    for (gate, test), factor in truth.items():
        holds = open_gate(gate, at)
        if isinstance(test, AllZero):
            holds = holds and all(at[name] == 0 for name in test.names)
        elif isinstance(test, AtLeast):
            holds = holds and sum(f * at[name] for name, f in test.form) >= test.bound
        result += factor * holds
    return result


def number_at(number: Number, at: dict[Direction, int]) -> int:
    result = 0
    for (gate, amount), factor in number.items():
        if amount is None:
            size = 1
        elif isinstance(amount, Ramp):
            size = max(0, sum(f * at[name] for name, f in amount.form) - amount.bound)
        else:
            size = at[amount]
        result += factor * size * open_gate(gate, at)
    return result


X: Number = {(OPEN, COUNT_X): 1}
Y: Number = {(OPEN, COUNT_Y): 1}


def shifted(number: Number, constant: int) -> Number:
    return total([(number, 1), ({(OPEN, None): 1}, constant)])


NUMBERS: list[Number] = [
    X,
    shifted(X, -2),
    shifted(total([(X, -2)]), 5),
    total([(X, 3), (Y, -3)]),
    shifted(Y, -1),
]
TRUTHS: list[Truth] = [ALGEBRA.at_least_zero(number) for number in NUMBERS]
TRUTHS += [ALGEBRA.literal(BIT_P), ALGEBRA.literal(BIT_Q, False), ALGEBRA.literal(BIT_R)]


@pytest.mark.parametrize("number", NUMBERS)
def test_tests(number: Number) -> None:
    for at in POINTS:
        assert truth_at(ALGEBRA.at_least_zero(number), at) == (number_at(number, at) >= 0)


def test_products_of_truths() -> None:
    possible = 0
    for left, right in itertools.product(TRUTHS, repeat=2):
        for one in (left, ALGEBRA.negation(left)):
            try:
                both = ALGEBRA.conjunction(one, right)
            except NotInOneLayer:
                continue
            possible += 1
            assert all(truth_at(both, at) == truth_at(one, at) * truth_at(right, at) for at in POINTS)
    assert possible > 80


def test_products_with_numbers() -> None:
    possible = 0
    for truth, number in itertools.product(TRUTHS, NUMBERS):
        for one in (truth, ALGEBRA.negation(truth)):
            try:
                both = ALGEBRA.product(one, number)
                again = ALGEBRA.product(one, both)
            except NotInOneLayer:
                continue
            possible += 1
            for at in POINTS:
                assert number_at(both, at) == truth_at(one, at) * number_at(number, at)
                assert number_at(again, at) == number_at(both, at)
    assert possible > 40


def test_comparisons_by_cases() -> None:
    gated = total(
        [(ALGEBRA.product(ALGEBRA.literal(BIT_P), X), 1), (ALGEBRA.product(ALGEBRA.literal(BIT_Q), Y), -1)]
    )
    gated = shifted(gated, -1)
    for at in POINTS:
        assert truth_at(ALGEBRA.at_least_zero(gated), at) == (number_at(gated, at) >= 0)


def test_no_quadrant() -> None:
    at_least_two = [ALGEBRA.at_least_zero(shifted(number, -2)) for number in (X, Y)]
    with pytest.raises(NotInOneLayer):
        ALGEBRA.conjunction(*at_least_two)
