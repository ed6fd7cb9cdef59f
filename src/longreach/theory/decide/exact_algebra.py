"""Exact rational linear algebra: solve modulo a prime, lift to rationals, check over the integers.

A null space modulo a prime is never smaller than the rational one, so vectors that pass the integer check and
are as many as the null space modulo the prime span the rational null space. A failed check costs time, never
truth: the next prime is larger, up to one beyond any coefficient that systems of the sizes met here can have.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from math import gcd, isqrt, lcm
from typing import Any

import numpy as np
import numpy.typing as npt

# Exponents of Mersenne primes. With the first, products fit into 64 bits; the others use Python integers.
_EXPONENTS = (31, 521, 4423, 44497)
_SMALL = 1000
# Systems of at least so many variables are solved by their nonzero coefficients alone, while these stay few.
_SPARSE_FROM = 400
_MOST_FILLED = 60

Matrix = npt.NDArray[Any]


@dataclass(frozen=True, eq=False)
class Constraints:
    """Linear equations given by how they act, so that sparse ones need not be written out."""

    variables: int
    apply: Callable[[Matrix], Matrix]
    """The left sides, one row per equation, for each column of the argument."""
    rows: Callable[[npt.NDArray[np.int64]], Matrix]
    """The coefficients of the equations with these numbers."""


def null_space(constraints: Constraints) -> Matrix:
    """An integer basis, in columns, of the rational vectors that satisfy all constraints.

    >>> rows = np.array([[1, 1, 0], [0, 1, 1]])
    >>> null_space(Constraints(3, lambda columns: rows @ columns, lambda chosen: rows[chosen])).T.tolist()
    [[1, -1, 1]]
    """
    for exponent in _EXPONENTS:
        prime = 2**exponent - 1
        basis = _null_space_modulo(constraints, prime, exponent == 31)
        exact = _lifted(basis, prime)
        if exact is None:
            continue
        if not np.any(constraints.apply(exact)):
            return exact
    raise ArithmeticError("coefficients beyond the largest prime")


def solve(matrix: Matrix, right: Matrix) -> list[list[Fraction]] | None:
    """For each column of `right` a solution x of `matrix @ x == column`, or None if some column has none.

    >>> solve(np.array([[2, 0], [0, 1]]), np.array([[1], [3]]))
    [[Fraction(1, 2), Fraction(3, 1)]]
    """
    count = matrix.shape[1]
    for exponent in _EXPONENTS:
        prime = 2**exponent - 1
        joined = np.concatenate([matrix, right], axis=1)
        joined = joined % prime if exponent == 31 else joined.astype(object) % prime
        reduced, pivots = _reduce(joined, prime, count)
        if np.any(reduced[len(pivots) :, count:]):
            # Inconsistent modulo one prime may be an accident; inconsistent modulo a huge one is the
            # caller's error.
            if exponent == _EXPONENTS[1]:
                return None
            continue
        solutions = []
        for column in range(right.shape[1]):
            values = [_rational(int(v), prime) for v in reduced[: len(pivots), count + column]]
            if any(value is None for value in values):
                break
            solution = [Fraction(0)] * count
            for pivot, value in zip(pivots, values, strict=True):
                solution[pivot] = value or Fraction(0)
            if not _solves(matrix, solution, right[:, column]):
                break
            solutions.append(solution)
        else:
            return solutions
    raise ArithmeticError("coefficients beyond the largest prime")


def _solves(matrix: Matrix, solution: list[Fraction], right: Matrix) -> bool:
    scale = lcm(*(value.denominator for value in solution))
    scaled = compact(np.array([int(value * scale) for value in solution], dtype=object).reshape(-1, 1))
    wanted = right.astype(object) * scale
    return bool(np.all(_product(matrix, scaled)[:, 0] == wanted))


def _null_space_modulo(constraints: Constraints, prime: int, small: bool) -> Matrix:
    """Columns in reduced form: each has a 1 where the others have a 0."""
    size = constraints.variables
    basis = np.eye(size, dtype=np.int64 if small else object)
    known = basis[:0]
    chance = random.Random(0)
    if small and size >= _SPARSE_FROM:
        sparse = _null_space_sparse(constraints, prime)
        basis = basis if sparse is None else sparse
    while basis.shape[1]:
        # Most equations are satisfied once few columns are left: only violated ones enter the elimination.
        # One random combination of the columns tells which; the integer check would find an accident.
        factors = [chance.randrange(1, 2**31 - 1) for _ in range(basis.shape[1])]
        probe = (basis * np.array(factors) % prime).sum(axis=1) % prime
        violated = np.flatnonzero(constraints.apply(probe[:, None])[:, 0] % prime)
        if not len(violated):
            break
        step = max(1, len(violated) // (2 * basis.shape[1] + 8))
        added = constraints.rows(violated[::step]).astype(basis.dtype) % prime
        known, pivots = _reduce(np.concatenate([known, added]), prime, size)
        known = known[: len(pivots)]
        free = [column for column in range(size) if column not in set(pivots)]
        basis = np.zeros((size, len(free)), dtype=known.dtype)
        basis[free, range(len(free))] = 1
        basis[pivots] = -known[:, free] % prime
    return basis


def _null_space_sparse(constraints: Constraints, prime: int) -> Matrix | None:
    """The same from nonzero coefficients alone; None if there are too many of them."""
    size = constraints.variables
    probe = np.random.default_rng(0).integers(1, prime, (size, 1))
    violated = np.flatnonzero(constraints.apply(probe)[:, 0] % prime)
    equations: list[dict[int, int]] = []
    uses = np.zeros(size, dtype=np.int64)
    for start in range(0, len(violated), 256):
        rows = constraints.rows(violated[start : start + 256])
        for row in rows:
            places = np.flatnonzero(row)
            uses[places] += 1
            equations.append(dict(zip(places.tolist(), row[places].tolist(), strict=True)))
    solved: dict[int, dict[int, int]] = {}  # each variable as a combination of others that come later
    room = _MOST_FILLED * size
    for equation in sorted(equations, key=len):
        _insert(equation, solved, prime)
        if equation:
            pivot = min(equation, key=lambda variable: (uses[variable], -variable))
            factor = -pow(equation.pop(pivot), -1, prime)
            solved[pivot] = {variable: value * factor % prime for variable, value in equation.items()}
            room -= len(equation)
            if room < 0:
                return None
    for combination in reversed(solved.values()):
        _insert(combination, solved, prime)
    free = {variable: place for place, variable in enumerate(v for v in range(size) if v not in solved)}
    basis = np.zeros((size, len(free)), dtype=np.int64)
    basis[list(free), range(len(free))] = 1
    for pivot, combination in solved.items():
        for variable, value in combination.items():
            basis[pivot, free[variable]] = value
    return basis


def _insert(equation: dict[int, int], solved: dict[int, dict[int, int]], prime: int) -> None:
    """Replaces the variables that are solved by their combinations, in place."""
    waiting = [variable for variable in equation if variable in solved]
    while waiting:
        variable = waiting.pop()
        factor = equation.pop(variable, 0)
        if not factor:
            continue
        for other, value in solved[variable].items():
            total = (equation.get(other, 0) + factor * value) % prime
            if total:
                equation[other] = total
                if other in solved:
                    waiting.append(other)
            else:
                equation.pop(other, None)


def _reduce(matrix: Matrix, prime: int, columns: int) -> tuple[Matrix, list[int]]:
    """Reduced row echelon form modulo the prime, with pivots among the first `columns`."""
    matrix = matrix.copy()
    pivots: list[int] = []
    for column in range(columns):
        row = len(pivots)
        if row == len(matrix):
            break
        candidates = np.flatnonzero(matrix[row:, column])
        if not len(candidates):
            continue
        pivot = row + int(candidates[0])
        if pivot != row:
            matrix[[row, pivot]] = matrix[[pivot, row]]
        leading = int(matrix[row, column])
        if leading != 1:
            matrix[row] = matrix[row] * pow(leading, -1, prime) % prime
        others = np.flatnonzero(matrix[:, column])
        others = others[others != row]
        if len(others):
            matrix[others] = (matrix[others] - matrix[others, column][:, None] * matrix[row]) % prime
        pivots.append(column)
    return matrix, pivots


def _rational(residue: int, prime: int) -> Fraction | None:
    """The fraction with numerator and denominator below sqrt(prime / 2) that has this residue, if any."""
    bound = isqrt(prime // 2)
    old, new = (prime, 0), (residue, 1)
    while new[0] > bound:
        quotient = old[0] // new[0]
        old, new = new, (old[0] - quotient * new[0], old[1] - quotient * new[1])
    if new[1] == 0 or abs(new[1]) > bound:
        return None
    return Fraction(new[0], new[1])


def _lifted(basis: Matrix, prime: int) -> Matrix | None:
    """Integer columns proportional to those of the basis; None if some cannot be lifted."""
    signed = np.where(basis > prime // 2, basis - prime, basis)
    if basis.dtype != object and np.abs(signed).max(initial=0) <= _SMALL:
        # Nearly always; the exact check that follows would find a mistake.
        return np.asarray(signed // np.maximum(np.gcd.reduce(signed, axis=0), 1))
    columns = [_integral(column, prime) for column in basis.T]
    if any(column is None for column in columns):
        return None
    return compact(np.array(columns, dtype=object).reshape(len(columns), len(basis)).T)


def _integral(column: Matrix, prime: int) -> list[int] | None:
    """The shortest integer vector proportional to the lifted column."""
    signed = np.where(column > prime // 2, column - prime, column)
    if np.abs(signed).max(initial=0) <= _SMALL:
        # Nearly always; the exact check that follows would find a mistake.
        whole = [int(value) for value in signed]
    else:
        values = []
        for residue in column:
            value = _rational(int(residue), prime)
            if value is None:
                return None
            values.append(value)
        scale = lcm(*(value.denominator for value in values))
        whole = [int(value * scale) for value in values]
    divisor = gcd(*whole) or 1
    return [value // divisor for value in whole]


def compact(matrix: Matrix) -> Matrix:
    """Machine integers when sums of a few products cannot overflow, Python integers otherwise."""
    small = matrix.size == 0 or max(abs(int(matrix.max())), abs(int(matrix.min()))) < 2**40
    return matrix.astype(np.int64) if small else matrix


def _product(matrix: Matrix, columns: Matrix) -> Matrix:
    """Matrix product of a small-entry matrix with columns that may be large."""
    if columns.dtype == object:
        return np.asarray(matrix.astype(object).dot(columns))
    bound = int(np.abs(matrix).sum(axis=1).max(initial=0)) * int(np.abs(columns).max(initial=0))
    if bound < 2**53:
        # Exact in floating point, and much faster there.
        return np.asarray(np.rint(matrix.astype(np.float64) @ columns.astype(np.float64)), dtype=np.int64)
    if bound < 2**62:
        return np.asarray(matrix @ columns)
    return np.asarray(matrix.astype(object).dot(columns.astype(object)))


def independent_columns(matrix: Matrix) -> list[int]:
    """The columns that are not combinations of columns to their left (modulo a large prime).

    >>> independent_columns(np.array([[1, 2, 0], [1, 2, 1]]))
    [0, 2]
    """
    prime = 2 ** _EXPONENTS[0] - 1
    return _reduce(matrix % prime, prime, matrix.shape[1])[1]
