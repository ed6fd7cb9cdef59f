"""Randomized and skip-wise position ids as arrays, padded on the right; offsets are the tasks' business."""

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


def pose_ids(lengths: Ids, time: int, positions: int, rng: np.random.Generator) -> Ids:
    """PoSE with two chunks, per row (Zhu et al., arXiv 2309.10400; Golowich et al., arXiv 2502.16792, 2.2).

    The split point is uniform among those that leave both chunks a token. Starts J₀, J₁ are uniform in
    1 … L_max − ℓ there, where ids count from 1; here both count from 0. The first chunk begins at the lesser,
    the second, behind ℓ₁ tokens, at the greater plus ℓ₁. A row that needs all ids has the true ones.

    >>> pose_ids(np.array([3, 2]), 4, 9, np.random.default_rng(0))
    array([[3, 4, 5, 8],
           [1, 3, 8, 8]])
    """
    _check(lengths, positions)
    first = rng.integers(1, np.maximum(lengths, 2))
    starts = np.sort(rng.integers(0, np.maximum(positions - lengths, 1)[:, None], (len(lengths), 2)), axis=1)
    columns = np.arange(time)
    start = np.where(columns < first[:, None], starts[:, :1], starts[:, 1:])
    return np.where(columns < lengths[:, None], columns + start, positions - 1)


def _check(needed: Ids, positions: int) -> None:
    if needed.size and needed.max() > positions:
        raise InputError(f"{needed.max()} position ids are needed, the model has {positions}")
