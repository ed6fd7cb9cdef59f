from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from longreach.studies.length_law import Line, law_of


@given(st.floats(-5, 5), st.floats(-5, 5), st.lists(st.floats(-9, 9), min_size=3, max_size=9, unique=True))
def test_a_line_is_found_again(slope: float, intercept: float, x: list[float]) -> None:
    if max(x) - min(x) < 1e-3:
        return
    line = Line.through(x, [slope * each + intercept for each in x])
    assert line.slope == pytest.approx(slope, abs=1e-6)
    assert line.intercept == pytest.approx(intercept, abs=1e-5)
    assert line.low <= line.slope <= line.high


def test_the_interval_holds_the_slope_as_often_as_it_says() -> None:
    rng, x = np.random.default_rng(0), [1.0, 2.0, 3.0, 5.0, 8.0]
    lines = [Line.through(x, (3 + 2 * np.array(x) + rng.standard_normal(5)).tolist()) for _ in range(2000)]
    held = sum(line.low <= 2 <= line.high for line in lines) / len(lines)
    assert held == pytest.approx(0.95, abs=0.02)


def _points(exponent: float) -> list[tuple[float, float]]:
    factors = (0.97, 1.0, 1.03)
    return [(value, 3 * factor * value**exponent) for value in (2, 4, 8, 16) for factor in factors]


def test_exponents() -> None:
    assert law_of("omega", "", _points(1.0)).is_linear is True
    square = law_of("omega", "", _points(2.0), missing=[32], below=[1])
    assert square.is_linear is False
    assert square.power is not None
    assert square.power.low <= 2 <= square.power.high
    assert square.words.endswith("not linear")
    assert (square.missing, square.below) == ((32,), (1,))
    flat = law_of("p", "k=0", _points(0.0))
    assert flat.is_linear is False
    assert flat.words.startswith("p (k=0): N grows by")
    assert flat.words.endswith("that it grows at all is not shown")


def test_two_values_are_too_few() -> None:
    law = law_of("k", "S=2", [(1, 5.0), (2, 9.0), (2, 11.0)])
    assert law.line is None
    assert law.is_linear is None
    assert law.words == "k (S=2): too few values with a least N for a line"
    assert not math.isnan(law.document()["values"][0])
