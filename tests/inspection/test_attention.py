"""Tests of `inspection.attention`."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from longreach.errors import InputError
from longreach.inspection.attention import compiled_construction, hardness, matches, softness, wanted_keys
from longreach.tasks.catalog import load_task
from longreach.theory.crasp.program import parse
from longreach.theory.limit.compiler import compile_program
from longreach.theory.limit.model import Array
from longreach.theory.limit.run import attention


def _weights(seed: int, size: int, rows: int = 2) -> Array:
    rng = np.random.default_rng(seed)
    raw = rng.exponential(size=(rows, size, size)) * np.tri(size)
    return np.asarray(raw / raw.sum(axis=-1, keepdims=True))


def test_hard_attention_to_a_residue() -> None:
    """Figure 3 of Izzo, Nichani and Lee: 1/16 on each of the 16 positions of a residue among 80."""
    size = 80
    wanted = np.broadcast_to(np.arange(size) % 5 == 2, (size, size)) & np.tri(size, dtype=bool)
    weights = wanted / np.maximum(wanted.sum(axis=1, keepdims=True), 1)
    last = np.arange(size)[:, None] == size - 1
    found = hardness(weights, wanted & last)
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


# Where compiled programs attend, against their own attention weights.


PROGRAM = '#alphabet a b\nL = exists ("b" && #[i-1] "b" >= 1)'


def test_wanted_keys_are_those_of_the_largest_weight() -> None:
    model = compile_program(parse(PROGRAM).core)
    word = list("abbab")
    found = wanted_keys(model, word)
    assert set(found) == {(n, h) for n, layer in enumerate(model.layers) for h in range(len(layer.heads))}
    for (layer, head), wanted in found.items():
        weights = attention(model, word, layer, head)
        for row, keys in zip(weights, wanted, strict=True):
            assert keys.tolist() == [bool(each) for each in np.isclose(row, row.max()) & (row > 0)]


def test_the_trained_head_that_does_the_same_is_found() -> None:
    model = compile_program(parse(PROGRAM).core)
    words = [list("abbab"), list("bbaab")]
    wanted = [wanted_keys(model, word) for word in words]
    place = next(key for key, value in wanted[0].items() if value.sum() < 21)
    hard = np.stack([each[place] / each[place].sum(axis=1, keepdims=True) for each in wanted])
    even = np.broadcast_to(np.tri(6) / np.arange(1, 7)[:, None], (2, 6, 6))
    found = matches(model, words, {(0, 0): even, (0, 1): hard})
    match = next(each for each in found if (each.program_layer, each.program_head) == place)
    assert (match.layer, match.head) == (0, 1)
    assert match.does == "1 back"
    assert (match.hardness.mass, match.hardness.distance) == pytest.approx((1, 0))
    all_of_them = [each for each in found if each.does == "all positions"]
    assert all((each.layer, each.head) == (0, 0) for each in all_of_them)


def test_constructions() -> None:
    for name, there in (("tomita-1", True), ("sort", False), ("regex:(ab)*", True)):
        assert (compiled_construction(load_task(name), name) is not None) == there
