"""Tests of `studies.laws`."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from longreach.studies.laws import Line, growth_law, law_of, slopes, student, taus

samples = st.lists(st.tuples(st.integers(1, 9), st.none() | st.sampled_from([5, 10, 20, 40])), min_size=1)


def _tau(x: list[float], y: list[float]) -> float | None:
    """By its definition: pairs in the same order less pairs in the opposite one, ties taken out."""
    same = opposite = tied_x = tied_y = 0
    for (a, b), (c, d) in itertools.combinations(zip(x, y, strict=True), 2):
        first, second = (a > c) - (a < c), (b > d) - (b < d)
        same += first * second > 0
        opposite += first * second < 0
        tied_x += first == 0
        tied_y += second == 0
    pairs = len(x) * (len(x) - 1) // 2
    size = math.sqrt((pairs - tied_x) * (pairs - tied_y))
    return (same - opposite) / size if size else None


@given(samples)
def test_rank_correlation_by_its_definition(rows: list[tuple[int, int | None]]) -> None:
    values, lengths = [value for value, _ in rows], [length for _, length in rows]
    found = growth_law("states", values, lengths)
    wanted = _tau([float(v) for v in values], [math.inf if n is None else float(n) for n in lengths])
    assert found.tau.value == (None if wanted is None else pytest.approx(wanted))
    assert (found.languages, found.missing) == (
        sum(length is not None for length in lengths),
        lengths.count(None),
    )
    for interval in (found.tau, found.slope):
        if interval.low is not None and interval.high is not None:
            assert interval.low <= interval.high


@given(samples)
def test_slope_against_another_implementation(rows: list[tuple[int, int | None]]) -> None:
    known = [(value, length) for value, length in rows if length is not None]
    found = growth_law("states", [value for value, _ in rows], [length for _, length in rows]).slope.value
    if len(known) < 3 or len({value for value, _ in known}) < 2:
        assert found is None
        return
    x, y = np.log2(np.array(known, dtype=float)).T
    assert found == pytest.approx(np.polyfit(x, y, 1)[0], abs=1e-9)


def test_rows_are_samples() -> None:
    rng = np.random.default_rng(1)
    x, y = rng.integers(1, 5, (6, 9)).astype(float), rng.integers(1, 5, (6, 9)).astype(float)
    assert np.allclose(slopes(x, y), [np.polyfit(a, b, 1)[0] for a, b in zip(x, y, strict=True)])
    wanted = [_tau(a.tolist(), b.tolist()) for a, b in zip(x, y, strict=True)]
    assert np.allclose(taus(x, y), np.array(wanted, dtype=float))


def test_the_interval_covers_the_truth_about_as_often_as_it_says() -> None:
    rng = np.random.default_rng(0)
    covered = 0
    for number in range(40):
        x = rng.integers(2, 9, 30)
        noise = np.exp2(rng.normal(0, 0.5, 30))
        lengths = [max(1, round(float(value))) for value in 40 * x * noise]
        slope = growth_law("states", x.tolist(), lengths, seed=number).slope
        assert slope.low is not None
        assert slope.high is not None
        covered += slope.low <= 1 <= slope.high
    assert covered >= 33


def test_nothing_to_tell() -> None:
    assert growth_law("window", [1, 1, 1], [5, 10, 20]).slope.words() == "not to be told"
    assert growth_law("window", [], []).tau.value is None
    assert growth_law("states", [2, 4, 8], [5, 10, 20]).slope.words().startswith("1.00 (1.00 to 1.00)")


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


@pytest.mark.parametrize(
    ("free", "point"),
    [(1, 12.706), (2, 4.303), (3, 3.182), (5, 2.571), (10, 2.228), (30, 2.042)],
)
def test_points_of_student_s_t_as_tables_have_them(free: int, point: float) -> None:
    assert student(free) == pytest.approx(point, abs=5e-4)
