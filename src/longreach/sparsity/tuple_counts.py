"""How many sets of k places have which tokens: sums over all sets without walking through them."""

from __future__ import annotations

from itertools import product
from math import comb

import numpy as np

from longreach.errors import Field, InputError
from longreach.sparsity.distribution_ensemble import FloatArray, IntArray

CHUNK = 1 << 16
"""Numbers held at a time, about."""
FRACTION = 20
"""Values that are whole numbers of 2^-20 are summed without rounding while sums stay below 2^53."""


def tuple_counts(tokens: IntArray, sparsity: int) -> tuple[IntArray, IntArray]:
    """The symbols that occur, and for each row how many sets of places have each tuple of them, in order.

    >>> symbols, counts = tuple_counts(np.array([[7, 9, 7]]), 2)
    >>> dict(zip(map(tuple, token_tuples(symbols, 2).tolist()), counts[0].tolist()))
    {(7, 7): 1, (7, 9): 1, (9, 7): 1, (9, 9): 0}
    """
    count, length = tokens.shape
    if comb(length, sparsity) >= 2**62:
        raise InputError(f"{length} tokens have too many sets of {sparsity}", place=Field("tokens"))
    symbols, numbers = np.unique(tokens, return_inverse=True)
    numbers = numbers.reshape(tokens.shape)
    size = len(symbols) ** sparsity
    if size * length > CHUNK << 8:
        raise InputError(f"{len(symbols)} tokens have too many {sparsity}-tuples", place=Field("tokens"))
    found = np.empty((count, size), dtype=np.int64)
    step = max(1, CHUNK // (length * size))
    for first in range(0, count, step):
        part = numbers[first : first + step]
        here = part[..., None] == np.arange(len(symbols))
        ends = here.astype(np.int64)
        for _ in range(sparsity - 1):
            # Tuples that end at a place: one of those that ended before it, and its token.
            before = np.cumsum(ends, axis=1) - ends
            ends = (before[..., :, None] * here[..., None, :]).reshape(*part.shape, -1)
        found[first : first + step] = ends.sum(axis=1)
    return symbols.astype(np.int64), found


def token_tuples(symbols: IntArray, sparsity: int) -> IntArray:
    """All tuples of the symbols, in the order of `tuple_counts`."""
    found = list(product(symbols.tolist(), repeat=sparsity))
    return np.array(found, dtype=np.int64).reshape(len(found), sparsity)


def is_dyadic(values: FloatArray, times: int) -> bool:
    """Whether sums of so many of these values are exact in floating point.

    >>> is_dyadic(np.array([0.5, 1.0]), 1000), is_dyadic(np.array([0.1]), 1)
    (True, False)
    """
    scaled = values * 2.0**FRACTION
    largest = float(np.abs(scaled).max(initial=0.0))
    return bool((scaled == np.floor(scaled)).all()) and largest * times < 2.0**53
