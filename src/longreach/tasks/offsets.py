"""Where an input stands among the positions of a model."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from longreach.errors import InputError
from longreach.tasks.task import Batch


def random_offsets(batch: Batch, positions: int, rng: np.random.Generator) -> Batch:
    """Each example at a uniformly random offset that fits: 0 … positions − size.

    Padding that would stand beyond the last position stays at the last.

    >>> from longreach.tasks.sort import Sort
    >>> rng = np.random.default_rng(0)
    >>> ids = random_offsets(Sort(5).sample([2] * 9, rng), 10, rng).position_ids
    >>> ids.shape, bool((ids[:, 0] <= 4).all()), bool((ids[:, 1] == ids[:, 0] + 1).all())
    ((9, 6), True, True)
    """
    _check(batch, positions)
    offsets = rng.integers(0, positions - batch.sizes + 1)
    return replace(batch, position_ids=np.minimum(batch.position_ids + offsets[:, None], positions - 1))


def no_offsets(batch: Batch, positions: int, rng: np.random.Generator) -> Batch:
    """Each example at the first positions."""
    _check(batch, positions)
    return batch


OFFSETS: dict[str, Callable[[Batch, int, np.random.Generator], Batch]] = {
    "random": random_offsets,
    "none": no_offsets,
}


def _check(batch: Batch, positions: int) -> None:
    longest = int(batch.sizes.max())
    if longest > positions:
        raise InputError(f"{positions} positions are too few for an input of {longest} tokens")
