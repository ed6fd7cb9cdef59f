"""Randomized position ids as arrays, padded on the right; offsets are the tasks' business."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from longreach.errors import InputError

Ids = NDArray[np.int64]


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
