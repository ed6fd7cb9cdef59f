"""Position ids of PoSE with two chunks: short inputs that see distances of long ones (arXiv 2309.10400)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def two_chunk_ids(count: int, length: int, longest: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Ids of `count` inputs of a length, below `longest`.

    The split point is uniform, two starts are uniform among `longest` − `length`; the first chunk begins at
    the lesser, the second at the greater plus the length of the first (Golowich et al., arXiv 2502.16792).

    >>> two_chunk_ids(2, 4, 10, np.random.default_rng(3))
    array([[1, 2, 3, 4],
           [1, 5, 6, 7]])
    """
    first = rng.integers(1, max(length, 2), (count, 1))
    starts = np.sort(rng.integers(0, max(longest - length, 1), (count, 2)), axis=1)
    places = np.arange(length)[None, :]
    return places + np.where(places < first, starts[:, :1], starts[:, 1:])
