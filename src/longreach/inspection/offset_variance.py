"""How far a function of two positions is from one of their distance (Huang et al., arXiv 2410.02140, G.6.2).

Matrices have a row for each query i and a column for each key j; only j ≤ i counts, the lower triangle.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from longreach.errors import InputError
from longreach.limit.model import Array


def diagonal_means(matrix: Array) -> Array:
    """The mean along each sub-diagonal, by distance i − j (Equation 80).

    >>> diagonal_means(np.array([[1.0, 9.0], [5.0, 3.0]])).tolist()
    [2.0, 5.0]
    """
    _square(matrix)
    return np.array([np.diagonal(matrix, -distance).mean() for distance in range(len(matrix))])


def invariant_version(matrix: Array) -> Array:
    """Each entry replaced by the mean of its sub-diagonal (Figure 9 b); 0 where the key follows the query.

    >>> invariant_version(np.array([[1.0, 9.0], [5.0, 3.0]])).tolist()
    [[2.0, 0.0], [5.0, 2.0]]
    """
    return by_distance(diagonal_means(matrix), len(matrix))


def by_distance(values: Array, size: int) -> Array:
    """The matrix of a function of the distance, which is 0 beyond its last value."""
    distances = np.subtract.outer(np.arange(size), np.arange(size))
    inside = (distances >= 0) & (distances < len(values))
    return np.where(inside, values[np.clip(distances, 0, max(len(values) - 1, 0))], 0.0)


def offset_variance(matrix: Array) -> float:
    """Var_offset: the mean square of what the sub-diagonals' means leave (Equation 81).

    >>> offset_variance(np.array([[1.0, 9.0], [5.0, 3.0]])), offset_variance(np.tri(4))
    (0.666..., 0.0)
    """
    lower = np.tril_indices(len(matrix))
    left = matrix[lower] - invariant_version(matrix)[lower]
    return float(np.mean(left**2))


def total_variance(matrix: Array) -> float:
    """The variance of all entries of the lower triangle: what Var_offset is a part of."""
    return float(np.var(matrix[np.tril_indices(len(_square(matrix)))]))


def window_weights(matrix: Array, window: int, offset: int) -> Array:
    """M^(o): the causal softmax of the window that begins at an offset (Figure 9 c).

    >>> window_weights(np.zeros((5, 5)), 2, 3).tolist()
    [[1.0, 0.0], [0.5, 0.5]]
    """
    _square(matrix)
    if not (1 <= window <= len(matrix) and 0 <= offset <= len(matrix) - window):
        raise InputError(f"a window of {window} at offset {offset} does not fit into {len(matrix)} positions")
    part = matrix[offset : offset + window, offset : offset + window]
    part = np.where(np.tri(window, dtype=bool), part, -np.inf)
    weights = np.exp(part - part.max(axis=1, keepdims=True))
    return np.asarray(weights / weights.sum(axis=1, keepdims=True))


def window_offsets(size: int, window: int, count: int = 5) -> tuple[int, ...]:
    """Evenly spaced offsets, the first and the last that fit among them.

    >>> window_offsets(200, 40), window_offsets(10, 10)
    ((0, 40, 80, 120, 160), (0,))
    """
    return tuple(sorted({round(place) for place in np.linspace(0, size - window, count).tolist()}))


@dataclass(frozen=True, kw_only=True)
class WindowShift:
    """How much attention by positions alone differs between windows."""

    window: int
    offsets: tuple[int, ...]
    distance: float
    """The mean over queries and pairs of windows of the total variation distance: 0 the same, 1 disjoint."""


def window_shift(matrix: Array, window: int, offsets: Sequence[int] | None = None) -> WindowShift:
    """The weights of windows at several offsets, compared with each other.

    >>> window_shift(np.tri(6), 3).distance
    0.0
    """
    chosen = window_offsets(len(matrix), window) if offsets is None else tuple(offsets)
    every = np.stack([window_weights(matrix, window, offset) for offset in chosen])
    pairs = [
        np.abs(every[one] - every[other]).sum(axis=1).mean() / 2
        for one in range(len(chosen))
        for other in range(one)
    ]
    return WindowShift(window=window, offsets=chosen, distance=float(np.mean(pairs)) if pairs else 0.0)


def _square(matrix: Array) -> Array:
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1] or not len(matrix):
        raise InputError(f"a product function is a square matrix, not of the shape {matrix.shape}")
    return matrix
