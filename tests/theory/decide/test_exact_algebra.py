"""Exact linear algebra against fractions."""

from __future__ import annotations

import random
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from longreach.theory.decide import exact_algebra as exact
from tests.helpers import language_oracles as oracles

matrices = st.integers(1, 5).flatmap(
    lambda width: st.lists(
        st.lists(st.integers(-3, 3), min_size=width, max_size=width), min_size=1, max_size=6
    )
)


def dense(matrix: exact.Matrix) -> exact.Constraints:
    """Equations given by their coefficients."""
    return exact.Constraints(
        matrix.shape[1], lambda columns: exact._product(matrix, columns), lambda chosen: matrix[chosen]
    )


@given(matrices)
def test_null_space(rows) -> None:
    matrix = np.array(rows)
    basis = exact.null_space(dense(matrix))
    wanted = oracles.null_space([[Fraction(x) for x in row] for row in rows], matrix.shape[1])
    assert basis.shape == (matrix.shape[1], len(wanted))
    assert not (matrix @ basis).any()
    assert len(exact.independent_columns(basis)) == basis.shape[1]


@pytest.mark.parametrize("size", [6, 20, pytest.param(40, marks=pytest.mark.slow)])
def test_coefficients_beyond_the_first_prime(size) -> None:
    chance = random.Random(size)
    matrix = np.array([[chance.randrange(-1000, 1000) for _ in range(size + 1)] for _ in range(size)])
    basis = exact.null_space(dense(matrix))
    assert basis.shape == (size + 1, 1)
    assert not matrix.astype(object).dot(basis.astype(object)).any()
    assert max(abs(int(x)) for x in basis[:, 0]) > 2**16


@given(matrices, st.data())
def test_solve(rows, data) -> None:
    matrix = np.array(rows)
    answer = np.array(
        data.draw(st.lists(st.integers(-3, 3), min_size=matrix.shape[1], max_size=matrix.shape[1]))
    )
    right = (matrix @ answer).reshape(-1, 1)
    found = exact.solve(matrix, right)
    assert found is not None
    assert [sum(a * x for a, x in zip(row, found[0], strict=True)) for row in rows] == right[:, 0].tolist()


def test_solve_without_solution() -> None:
    assert exact.solve(np.array([[1, 1], [1, 1]]), np.array([[1], [0]])) is None


def test_solve_with_large_coefficients() -> None:
    chance = random.Random(1)
    matrix = np.array([[chance.randrange(-99, 99) for _ in range(9)] for _ in range(9)])
    found = exact.solve(matrix, np.eye(9, dtype=np.int64))
    assert found is not None
    for column, solution in enumerate(found):
        values = [sum(int(a) * x for a, x in zip(row, solution, strict=True)) for row in matrix]
        assert values == [int(i == column) for i in range(9)]


@given(matrices)
def test_null_space_from_nonzero_coefficients(rows) -> None:
    matrix = np.array(rows)
    prime = 2**31 - 1
    sparse = exact._null_space_sparse(dense(matrix), prime)
    assert sparse is None or sparse.shape == exact.null_space(dense(matrix)).shape
    assert sparse is None or not (matrix @ sparse % prime).any()


def test_large_systems_are_solved_exactly() -> None:
    size = 500  # a chain of equations x(k) = 2 x(k + 1) in short pieces
    rows = np.zeros((size - size // 5, size), dtype=np.int64)
    places = [k for k in range(size) if k % 5 < 4]
    rows[range(len(places)), places] = 1
    rows[range(len(places)), [k + 1 for k in places]] = -2
    basis = exact.null_space(dense(rows))
    assert basis.shape == (size, size // 5)
    assert sorted(np.abs(basis[:, 0])[np.flatnonzero(basis[:, 0])].tolist()) == [1, 2, 4, 8, 16]
