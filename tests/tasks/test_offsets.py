from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from longreach.errors import InputError
from longreach.tasks.catalog import load_task
from longreach.tasks.offsets import coupled_offsets, no_offsets, random_offsets
from longreach.tasks.task import Batch


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


@pytest.mark.parametrize("kind", [random_offsets, no_offsets])
def test_too_few_positions(kind: Callable[..., Batch]) -> None:
    rng = np.random.default_rng(0)
    batch = load_task("sort").sample([3], rng)
    with pytest.raises(InputError, match="7 position ids are too few for an input of 8 tokens"):
        kind(batch, 7, rng)


def test_coupled_ids_are_shifted_as_one_by_a_uniform_number_that_fits() -> None:
    task, positions, rng = load_task("reverse"), 9, np.random.default_rng(0)
    batch = task.sample([3] * 3000 + [5] * 3000, rng)
    ids = task.coupled_ids(batch)
    assert ids is not None
    placed = coupled_offsets(batch, ids, positions, rng)
    assert placed.next_ids is not None
    for rows, length in ((slice(0, 3000), 3), (slice(3000, 6000), 5)):
        size = 2 + 2 * length
        shifts = placed.position_ids[rows, 0]
        for found, wanted in ((placed.position_ids, ids[:, :-1]), (placed.next_ids, ids[:, 1:])):
            assert (found[rows, :size] == wanted[rows, :size] + shifts[:, None]).all()
        # With ids 0 … L there are positions − L shifts, the last one ends at the last id.
        counts = np.bincount(shifts, minlength=positions)
        assert (counts[positions - length :] == 0).all()
        assert (abs(counts[: positions - length] - 3000 / (positions - length)) < 120).all()
    assert placed.position_ids.max() == placed.next_ids.max() == positions - 1


def test_coupled_ids_stay_where_they_are_without_random_numbers() -> None:
    task, rng = load_task("copy-repeat"), np.random.default_rng(0)
    batch = task.sample([1, 2], rng)
    ids = task.coupled_ids(batch)
    assert ids is not None
    placed = coupled_offsets(batch, ids, 3, None)
    assert placed.position_ids.tolist() == [[0, 1, 0, 1, 0, 2], [0, 1, 2, 0, 1, 2]]
    assert placed.next_ids is not None
    assert placed.next_ids.tolist() == [[1, 0, 1, 0, 2, 2], [1, 2, 0, 1, 2, 0]]
    with pytest.raises(InputError, match="2 position ids are too few for the task's own, 3 are needed"):
        coupled_offsets(batch, ids, 2, rng)


def test_the_id_of_what_comes_next_must_fit_too() -> None:
    batch = load_task("copy-repeat").sample([1], np.random.default_rng(0))
    ids = np.array([[0, 1, 0, 1, 7]])
    with pytest.raises(InputError, match="8 are needed"):
        coupled_offsets(batch, ids, 7, None)
