"""Random orders of many rows at once."""

from __future__ import annotations

import numpy as np

from longreach.tasks.task import BoolArray, IntArray

KEY_BITS = 62
"""Of a random key and the number of its column together."""


def random_orders(sizes: IntArray, width: int, rng: np.random.Generator) -> IntArray:
    """Each row a uniformly random order of 0 … size − 1, followed by the columns from `size` on.

    Columns get random keys and are sorted by them. A row in which two keys are equal is drawn again, and
    given that keys differ every order is equally likely: the orders are exactly uniform.

    >>> orders = random_orders(np.array([3, 1]), 4, np.random.default_rng(0))
    >>> sorted(orders[0, :3].tolist()), orders[0, 3:].tolist(), orders[1].tolist()
    ([0, 1, 2], [3], [0, 1, 2, 3])
    """
    columns = np.arange(width, dtype=np.int64)
    shift = width.bit_length()
    # The column sits in the low bits of its key, so that sorting the keys sorts the columns.
    last = (1 << (KEY_BITS - shift)) - 1
    padding = columns >= sizes[:, None]
    keys = _sorted_keys(padding, last, shift, rng)
    while True:
        # Padding has the largest key and stands last, so that its columns are where they were.
        equal = (keys[:, 1:] ^ keys[:, :-1] < 1 << shift) & ~padding[:, 1:]
        if not equal.any():
            return keys & ((1 << shift) - 1)
        again = np.nonzero(equal.any(axis=1))[0]
        keys[again] = _sorted_keys(padding[again], last, shift, rng)


def _sorted_keys(padding: BoolArray, last: int, shift: int, rng: np.random.Generator) -> IntArray:
    keys = rng.integers(0, last, padding.shape)
    np.copyto(keys, last, where=padding)
    keys <<= shift
    keys |= np.arange(padding.shape[1], dtype=np.int64)
    keys.sort(axis=1)
    return keys


def shuffled_bits(sizes: IntArray, ones: IntArray, rng: np.random.Generator) -> IntArray:
    """Each row a uniformly random word of `size` bits with that many ones; what follows is arbitrary.

    >>> shuffled_bits(np.array([4, 4]), np.array([1, 4]), np.random.default_rng(0)).sum(axis=1).tolist()
    [1, 4]
    """
    orders = random_orders(sizes, int(sizes.max()), rng)
    return (orders < ones[:, None]).astype(np.int64)
