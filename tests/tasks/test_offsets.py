from __future__ import annotations

import numpy as np
import pytest

from longreach.errors import InputError
from longreach.tasks.catalog import load_task
from longreach.tasks.offsets import OFFSETS, no_offsets, random_offsets


def test_offsets_are_uniform_over_those_that_fit() -> None:
    task, rng = load_task("copy-unique"), np.random.default_rng(0)
    batch = task.sample([2, 4] * 5000, rng)
    placed = random_offsets(batch, 14, rng)
    for length in (2, 4):
        rows = batch.sizes == task.input_size(length)
        counts = np.bincount(placed.position_ids[rows, 0])
        fit = 14 - task.input_size(length) + 1
        assert len(counts) == fit
        assert abs(counts - 5000 / fit).max() < 5 * (5000 / fit) ** 0.5
    inside = np.arange(batch.tokens.shape[1]) < batch.sizes[:, None]
    steps = placed.position_ids - placed.position_ids[:, :1]
    assert (steps == np.arange(10))[inside].all()
    assert placed.position_ids.max() == 13
    assert (placed.tokens == batch.tokens).all()


def test_no_choice_is_left_for_an_input_that_fills_all_positions() -> None:
    rng = np.random.default_rng(0)
    batch = load_task("sort").sample([3, 3], rng)
    assert random_offsets(batch, 8, rng).position_ids.tolist() == [list(range(8))] * 2


def test_none_is_the_initial_segment() -> None:
    rng = np.random.default_rng(0)
    batch = load_task("dyck-1").sample([6, 2], rng)
    state = rng.bit_generator.state
    assert no_offsets(batch, 50, rng).position_ids.tolist() == [list(range(7))] * 2
    assert rng.bit_generator.state == state
    assert set(OFFSETS) == {"random", "none"}


@pytest.mark.parametrize("kind", list(OFFSETS))
def test_too_few_positions(kind: str) -> None:
    rng = np.random.default_rng(0)
    batch = load_task("sort").sample([3], rng)
    with pytest.raises(InputError, match="7 positions are too few for an input of 8 tokens"):
        OFFSETS[kind](batch, 7, rng)
