"""Directions and their names in files; the rules of units against plain arithmetic on small integers."""

from __future__ import annotations

import hashlib
import itertools
from fractions import Fraction
from pathlib import Path

import pytest

from longreach.theory.crasp.library import load
from longreach.theory.limit.compiler import compile_program
from longreach.theory.limit.files import save
from longreach.theory.limit.units import (
    INVERSE,
    ONE,
    OPEN,
    START_BIT,
    Algebra,
    AllZero,
    AtLeast,
    Direction,
    LookUp,
    NotInOneLayer,
    Number,
    Ramp,
    Range,
    Truth,
    operation,
    threshold_of,
    total,
)

ALL = [ONE, START_BIT, INVERSE, operation(0), operation(12), LookUp(3, 12).raw, LookUp(3, 12).bit]


@pytest.mark.parametrize("direction", ALL, ids=lambda direction: direction.name)
def test_a_name_is_read_back(direction: Direction) -> None:
    assert Direction.read(direction.name) == direction


def test_a_name_of_the_source_is_a_direction_of_its_own() -> None:
    assert Direction.read("C_open") == Direction("C_open")


def test_directions_are_ordered_by_name() -> None:
    assert [each.name for each in sorted(ALL)] == sorted(each.name for each in ALL)


@pytest.mark.parametrize(
    ("program", "config", "tensors"),
    [
        ("dyck-1", "c5a7da3aeb039742", "0a2825fd914d6a18"),
        ("contains-bb", "ae97caccdceedd1f", "140ea5dae371b5ea"),
    ],
)
def test_files_stay_as_they_are(program: str, config: str, tensors: str, tmp_path: Path) -> None:
    """Recorded when directions were strings: the order of coordinates and units decides every byte."""
    save(compile_program(load(program).core), tmp_path / "model")
    for name, wanted in (("config.json", config), ("model.safetensors", tensors)):
        assert hashlib.sha256((tmp_path / "model" / name).read_bytes()).hexdigest().startswith(wanted)


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


def extremes(distance: int, n: int, i: int) -> tuple[Fraction, Fraction]:
    """The least that a head can find with a true target, and the most with a false one or none."""
    if i < distance:
        return Fraction(99), Fraction(i - distance, i + 1)
    if i == distance:
        return Fraction(99), Fraction(i - distance * n * n, n * n + i)
    return Fraction(n * n - distance, n * n + i), Fraction(i - 1, n * n + i)


@pytest.mark.parametrize("distances", [(1,), (2,), (9,), (1, 2), (1, 1), (3, 1), (1, 2, 3), (20, 4, 6, 8)])
def test_margins_hold_at_every_position(distances: tuple[int, ...]) -> None:
    found = threshold_of(distances)
    assert found is not None
    middle = Fraction(found.middle)
    for n, i in itertools.product(range(1, 60), range(60)):
        if i >= n:
            continue
        bounds = [extremes(distance, n, i) for distance in distances]
        if i > max(distances):
            assert sum(true for true, _ in bounds) - middle >= found.margin
        for place, (_, false) in enumerate(bounds):
            others = [
                1 if i > d else extremes(d, n, i)[1] for d in distances[:place] + distances[place + 1 :]
            ]
            assert middle - (sum(others) + false) >= found.margin
            # With the slope the gate of 1/(i+1) stays shut, half the margin spent on rounding.
            assert found.slope * (middle - (sum(others) + false) - found.margin / 2) >= Fraction(1, i + 1)


def test_too_many_cannot_be_told_apart() -> None:
    assert threshold_of([1, 1, 1]) is None
    assert threshold_of(range(1, 5)) is None
