"""PoSE with two chunks, against its definition."""

from __future__ import annotations

from collections import Counter

import numpy as np

from longreach.language_models.chunk_ids import two_chunk_ids


def test_ids_are_two_runs_below_the_longest() -> None:
    ids = two_chunk_ids(3000, 4, 7, np.random.default_rng(0))
    assert ids.min() == 0
    assert ids.max() == 5
    steps = np.diff(ids, axis=1)
    assert (steps >= 1).all()
    assert ((steps > 1).sum(axis=1) <= 1).all()


def test_every_case_is_as_likely_as_the_definition_says() -> None:
    """Split uniform in 1..ℓ−1, two starts uniform in [L_max − ℓ]; the first chunk at the lesser."""
    wanted: Counter[tuple[int, ...]] = Counter()
    for split in (1, 2):
        for one in range(3):
            for two in range(3):
                low, high = sorted((one, two))
                wanted[tuple([low + k for k in range(split)] + [high + k for k in range(split, 3)])] += 1
    drawn = Counter(map(tuple, two_chunk_ids(18_000, 3, 6, np.random.default_rng(1)).tolist()))
    assert drawn.keys() == wanted.keys()
    for ids, times in wanted.items():
        assert abs(drawn[ids] - 1000 * times) < 6 * (1000 * times) ** 0.5


def test_inputs_as_long_as_the_longest_have_the_true_ids() -> None:
    assert (two_chunk_ids(5, 6, 6, np.random.default_rng(0)) == np.arange(6)).all()
