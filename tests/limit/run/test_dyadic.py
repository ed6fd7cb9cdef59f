"""Whole numbers over a power of two against fractions."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from longreach.limit.run.dyadic import Dyadic

NUMBERS = st.floats(allow_nan=False, allow_infinity=False)


@given(st.lists(NUMBERS, min_size=4, max_size=4), st.lists(NUMBERS, min_size=2, max_size=2))
def test_products_are_exact(left: list[float], right: list[float]) -> None:
    product = Dyadic.of(np.array(left).reshape(2, 2)) @ Dyadic.of(np.array(right))
    a, b, c, d = map(Fraction, left)
    x, y = map(Fraction, right)
    assert [Fraction(value, product.unit) for value in product.whole] == [a * x + b * y, c * x + d * y]


@given(st.lists(NUMBERS, max_size=5))
def test_squares_are_exact(values: list[float]) -> None:
    assert Dyadic.of(np.array(values)).squares() == sum(
        (Fraction(value) ** 2 for value in values), Fraction(0)
    )


def test_an_empty_array() -> None:
    assert Dyadic.of(np.zeros((0, 3))).squares() == 0
    assert (Dyadic.of(np.zeros((2, 0))) @ Dyadic.of(np.zeros((0, 2)))).whole.tolist() == [[0, 0], [0, 0]]
