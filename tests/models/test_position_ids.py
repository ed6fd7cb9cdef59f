"""Randomized position ids."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from longreach.errors import InputError
from longreach.models.position_ids import randomized_ids


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
