"""Where an input stands among the positions of a model."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from longreach.errors import Field, InputError
from longreach.tasks.task import Batch, IntArray


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


def coupled_offsets(batch: Batch, ids: IntArray, positions: int, rng: np.random.Generator | None) -> Batch:
    """Each example with the task's own ids, all shifted by a uniformly random number that fits; without
    random numbers by none. What comes next must fit as well.

    >>> from longreach.tasks.reverse import Reverse
    >>> batch = Reverse().sample([2], np.random.default_rng(0))
    >>> moved = coupled_offsets(batch, Reverse().coupled_ids(batch), 9, np.random.default_rng(0))
    >>> moved.position_ids.tolist(), moved.next_ids.tolist()
    ([[5, 6, 7, 5, 7, 6]], [[6, 7, 5, 7, 6, 5]])
    """
    inside = np.arange(ids.shape[1]) <= batch.sizes[:, None]
    most = np.where(inside, ids, 0).max(axis=1)
    if int(most.max()) >= positions:
        reason = f"{positions} position ids are too few for the task's own, {int(most.max()) + 1} are needed"
        raise InputError(reason, place=Field("max_position"))
    if rng is not None:
        ids = ids + rng.integers(0, positions - most)[:, None]
    ids = np.where(inside, ids, positions - 1)
    return replace(batch, position_ids=ids[:, :-1], next_ids=ids[:, 1:])


def no_offsets(batch: Batch, positions: int, rng: np.random.Generator) -> Batch:
    """Each example at the first positions."""
    _check(batch, positions)
    return batch


def _check(batch: Batch, positions: int) -> None:
    longest = int(batch.sizes.max())
    if longest > positions:
        reason = f"{positions} position ids are too few for an input of {longest} tokens"
        raise InputError(reason, place=Field("max_position"))
