from __future__ import annotations

import itertools
from fractions import Fraction

import pytest

from longreach.limit.compile.near import threshold_of


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
