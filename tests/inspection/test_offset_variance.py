"""Equations 80 and 81, against a literal reading of them."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from longreach.errors import InputError
from longreach.inspection.offset_variance import (
    by_distance,
    diagonal_means,
    invariant_version,
    offset_variance,
    total_variance,
    window_offsets,
    window_shift,
    window_weights,
)
from longreach.limit.model import Array

MATRICES = st.integers(1, 7).flatmap(
    lambda size: arrays(np.float64, (size, size), elements=st.floats(-5, 5, width=32))
)


def _literal_means(matrix: Array) -> list[float]:
    """Equation 80, sum by sum."""
    size = len(matrix)
    return [sum(matrix[i][i - c] for i in range(c, size)) / (size - c) for c in range(size)]


def _literal_variance(matrix: Array) -> float:
    """Equation 81, sum by sum."""
    size, means = len(matrix), _literal_means(matrix)
    total = sum((matrix[i][j] - means[i - j]) ** 2 for i in range(size) for j in range(i + 1))
    return float(2 / (size * (size + 1)) * total)


@given(MATRICES)
@settings(max_examples=60, deadline=None)
def test_the_equations(matrix: Array) -> None:
    assert diagonal_means(matrix) == pytest.approx(_literal_means(matrix), abs=1e-9)
    assert offset_variance(matrix) == pytest.approx(_literal_variance(matrix), abs=1e-9)
    assert offset_variance(matrix) <= total_variance(matrix) + 1e-9


@given(MATRICES)
@settings(max_examples=30, deadline=None)
def test_what_follows_the_query_does_not_count(matrix: Array) -> None:
    other = np.where(np.tri(len(matrix), dtype=bool), matrix, 99.0)
    assert offset_variance(matrix) == pytest.approx(offset_variance(other))
    assert offset_variance(invariant_version(matrix)) == pytest.approx(0, abs=1e-12)
    assert diagonal_means(invariant_version(matrix)) == pytest.approx(diagonal_means(matrix))


def test_known_values() -> None:
    """A function of the distance has none; one of the query alone has the variance of what it is."""
    distances = np.subtract.outer(np.arange(6.0), np.arange(6.0))
    assert offset_variance(np.exp(-distances)) == pytest.approx(0)
    rows = np.repeat(np.arange(3.0)[:, None], 3, axis=1)
    # Diagonals 0: 0 1 2, 1: 1 2, 2: 2; squares 1 + 0 + 1, 1/4 + 1/4, 0.
    assert offset_variance(rows) == pytest.approx(2 / 12 * 2.5)


def test_windows() -> None:
    matrix = by_distance(np.array([0.0, math.log(3)]), 8)
    weights = window_weights(matrix, 3, 4)
    assert weights == pytest.approx(np.array([[1, 0, 0], [3 / 4, 1 / 4, 0], [1 / 5, 3 / 5, 1 / 5]]))
    assert window_weights(0 * matrix, 3, 0)[2] == pytest.approx([1 / 3] * 3)
    assert window_shift(matrix, 3).distance == pytest.approx(0)
    assert window_offsets(8, 3) == (0, 1, 2, 4, 5)
    moving = np.diag([0.0] * 4 + [50.0] * 4)  # early queries look everywhere, late ones at themselves
    found = window_shift(moving, 2, (0, 6))
    # Query 0 is the same in both; query 1 has ½ ½ and then 0 1.
    assert found.distance == pytest.approx(0.25)
    with pytest.raises(InputError, match="does not fit"):
        window_weights(matrix, 9, 0)
    with pytest.raises(InputError, match="square"):
        offset_variance(np.zeros((2, 3)))
