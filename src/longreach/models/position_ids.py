"""Position ids for training and evaluation, as arrays; rows are padded on the right."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from longreach.errors import InputError

Ids = NDArray[np.int64]


def offset_ids(lengths: Ids, offsets: Ids, time: int, positions: int) -> Ids:
    """Consecutive ids from each row's offset, (batch, time); those of padding stay inside the table.

    >>> offset_ids(np.array([3, 2]), np.array([0, 4]), 4, 6)
    array([[0, 1, 2, 3],
           [4, 5, 5, 5]])
    """
    _check(lengths + offsets, positions)
    ids: Ids = np.minimum(np.arange(time) + offsets[:, None], positions - 1)
    return ids


def random_offsets(lengths: Ids, positions: int, rng: np.random.Generator) -> Ids:
    """A uniformly random offset that fits, per row.

    >>> random_offsets(np.array([6, 6]), 6, np.random.default_rng(0))
    array([0, 0])
    """
    _check(lengths, positions)
    return rng.integers(0, positions - lengths, endpoint=True)


def randomized_ids(lengths: Ids, time: int, positions: int, rng: np.random.Generator) -> Ids:
    """A uniformly random increasing choice of ids, per row (Ruoss et al., arXiv 2305.16843).

    >>> randomized_ids(np.array([3, 2]), 4, 6, np.random.default_rng(0))
    array([[1, 2, 3, 5],
           [2, 5, 5, 5]])
    """
    _check(lengths, positions)
    shuffled = rng.random((len(lengths), positions)).argsort(axis=1)[:, :time]
    # Padding takes the last id: it sorts behind the row's own.
    shuffled[np.arange(shuffled.shape[1]) >= lengths[:, None]] = positions - 1
    shuffled.sort(axis=1)
    missing = time - shuffled.shape[1]
    return np.pad(shuffled, ((0, 0), (0, missing)), constant_values=positions - 1)


def _check(needed: Ids, positions: int) -> None:
    if needed.size and needed.max() > positions:
        raise InputError(f"{needed.max()} position ids are needed, the model has {positions}")
