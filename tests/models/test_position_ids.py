"""Randomized and skip-wise position ids."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from longreach.errors import InputError
from longreach.models.position_ids import pose_ids, randomized_ids


def test_ids_that_do_not_fit_are_refused() -> None:
    with pytest.raises(InputError, match="7 position ids are needed, the model has 6"):
        randomized_ids(np.array([7]), 7, 6, np.random.default_rng(0))


def test_randomized_ids_are_uniform_increasing_choices() -> None:
    """Also for a row that is shorter than its array: no id is favoured."""
    rng = np.random.default_rng(0)
    ids = randomized_ids(np.full(6000, 2), 4, 5, rng)
    assert ids.shape == (6000, 4)
    found = Counter(map(tuple, ids[:, :2].tolist()))
    assert set(found) == {(i, j) for j in range(5) for i in range(j)}
    assert all(abs(count - 600) < 100 for count in found.values())
    assert (ids[:, 2:] == 4).all()


def test_arrays_longer_than_the_table() -> None:
    """Padding may go beyond what the model has positions for."""
    ids = randomized_ids(np.array([3, 1]), 9, 4, np.random.default_rng(0))
    assert ids.shape == (2, 9)
    assert ids.max() <= 3
    assert (np.diff(ids[0, :3]) > 0).all()


def test_pose_has_every_split_and_every_pair_of_starts_as_often_as_it_should() -> None:
    """Against the definition: all pairs J₀, J₁ and all split points, counted."""
    size, positions, rows = 4, 9, 30_000
    ids = pose_ids(np.full(rows, size), size, positions, np.random.default_rng(0))
    wanted: Counter[tuple[int, ...]] = Counter()
    for split in range(1, size):
        for one in range(1, positions - size + 1):  # ids from 1 on, as in the paper
            for other in range(1, positions - size + 1):
                low, high = min(one, other), max(one, other)
                first = [low + place for place in range(split)]
                second = [high + split + place for place in range(size - split)]
                wanted[tuple(each - 1 for each in first + second)] += 1
    found = Counter(map(tuple, ids.tolist()))
    assert found.keys() == wanted.keys()
    total = sum(wanted.values())
    for row, count in found.items():
        mean = rows * wanted[row] / total
        assert abs(count - mean) < 5 * mean**0.5, row


def test_pose_never_goes_beyond_the_last_id() -> None:
    rng = np.random.default_rng(1)
    for positions in (1, 2, 5, 30):
        sizes = rng.integers(1, positions + 1, 500)
        ids = pose_ids(sizes, positions + 2, positions, rng)
        inside = np.arange(ids.shape[1]) < sizes[:, None]
        assert ids.min() >= 0
        assert ids.max() <= positions - 1
        assert (ids[~inside] == positions - 1).all()
        steps = np.diff(ids, axis=1)[inside[:, 1:]]
        assert (steps >= 1).all()
        # Two chunks: at most one step of a row is longer than 1.
        assert ((np.diff(ids, axis=1) > 1) & inside[:, 1:]).sum(axis=1).max() <= 1
        full = ids[sizes == positions, :positions]
        assert (full == np.arange(positions)).all()
    with pytest.raises(InputError, match="7 position ids are needed, the model has 6"):
        pose_ids(np.array([7]), 7, 6, rng)
