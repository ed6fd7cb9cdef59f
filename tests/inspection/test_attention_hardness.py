"""Hardness, weight by weight."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from longreach.errors import InputError
from longreach.inspection.attention_hardness import hardness, softness
from longreach.limit.model import Array


def _weights(seed: int, size: int, rows: int = 2) -> Array:
    rng = np.random.default_rng(seed)
    raw = rng.exponential(size=(rows, size, size)) * np.tri(size)
    return np.asarray(raw / raw.sum(axis=-1, keepdims=True))


def test_hard_attention_to_a_residue() -> None:
    """Figure 3 of Izzo, Nichani and Lee: 1/16 on each of the 16 positions of a residue among 80."""
    size = 80
    wanted = np.broadcast_to(np.arange(size) % 5 == 2, (size, size)) & np.tri(size, dtype=bool)
    weights = wanted / np.maximum(wanted.sum(axis=1, keepdims=True), 1)
    last = np.arange(size) == size - 1
    found = hardness(weights, wanted, last)
    assert (found.mass, found.distance) == (1, 0)
    assert found.wanted == found.ideal == pytest.approx(1 / 16)
    assert (found.wanted_deviation, found.other, found.other_deviation) == pytest.approx((0, 0, 0))
    assert found.even_mass == pytest.approx(16 / 80)


@given(st.integers(0, 2**32 - 1), st.integers(2, 6))
@settings(max_examples=30, deadline=None)
def test_against_a_literal_reading(seed: int, size: int) -> None:
    weights = _weights(seed, size)
    wanted = np.random.default_rng(seed + 1).random((size, size)) < 0.5
    wanted[-1, 0] = True
    masses, distances, on, off = [], [], [], []
    for row in weights:
        for i in range(size):
            keys = [j for j in range(i + 1) if wanted[i, j]]
            if not keys:
                continue
            masses.append(sum(row[i, j] for j in keys))
            hard = [1 / len(keys) if j in keys else 0.0 for j in range(i + 1)]
            distances.append(sum(abs(row[i, j] - hard[j]) for j in range(i + 1)) / 2)
            on += [row[i, j] for j in keys]
            off += [row[i, j] for j in range(i + 1) if j not in keys]
    found = hardness(weights, wanted)
    assert found.mass == pytest.approx(np.mean(masses))
    assert found.distance == pytest.approx(np.mean(distances))
    assert (found.wanted, found.wanted_deviation) == pytest.approx((np.mean(on), np.std(on)))
    assert found.other == pytest.approx(np.mean(off) if off else 0)


def test_softness() -> None:
    even = np.tri(5) / np.arange(1, 6)[:, None]
    assert softness(even).entropy == pytest.approx(1)
    assert softness(even).largest == pytest.approx(np.mean([1 / 2, 1 / 3, 1 / 4, 1 / 5]))
    assert softness(np.eye(5)).entropy == 0
    assert softness(np.eye(5)).largest == 1
    assert softness(even, np.arange(5) == 4).largest == pytest.approx(1 / 5)
    assert softness(np.ones((1, 1))).largest == 1
    with pytest.raises(InputError, match="no query"):
        hardness(even, np.zeros((5, 5), dtype=bool))
    with pytest.raises(InputError, match="shape"):
        hardness(even, np.zeros((4, 4), dtype=bool))
