"""Tests of `tasks.positions`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations, product

import numpy as np
import pytest

from longreach.errors import InputError
from longreach.tasks.catalog import load_task
from longreach.tasks.layouts import SequenceTask
from longreach.tasks.positions import (
    LocalSteps,
    coupled_offsets,
    determining,
    far_steps,
    ids_tell,
    local_steps,
    locality,
    no_offsets,
    random_offsets,
    true_ids,
)
from longreach.tasks.task import EOS_ID, Batch, Task


def _bits(length: int, rng: np.random.Generator) -> list[str]:
    return [str(bit) for bit in rng.integers(0, 2, length)]


def _prefixes(x: Sequence[str]) -> list[str]:
    return ["eo"[x[: place + 1].count("1") % 2] for place in range(len(x))]


def _ids(x: Sequence[str], y: Sequence[str]) -> list[int]:
    """Parity with a scratchpad (Golowich et al., arXiv 2502.16792, E.2.1)."""
    return [0, *range(1, len(x) + 1), 0, *range(1, len(y) + 1), 0]


PADDED = Task.from_function(_bits, _prefixes, tokens=["0", "1", "e", "o"], name="padded", ids=_ids)


def _by_trying_all(batch: Batch, place: int, most: int) -> int | None:
    """The least number of earlier tokens that determine one, read off all rows literally."""
    for count in range(most + 1):
        for choice in combinations(range(place), count):
            seen: dict[tuple[int, ...], set[int]] = {}
            for row in range(len(batch)):
                key = tuple(int(batch.tokens[row, each]) for each in choice)
                seen.setdefault(key, set()).add(int(batch.targets[row, place - 1]))
            if all(len(each) == 1 for each in seen.values()):
                return count
    return None


@pytest.mark.parametrize("name", ["reverse", "copy-repeat", "duplicate-string", "parity", "padded"])
def test_the_fewest_places_that_determine_a_token(name: str) -> None:
    task = PADDED if name == "padded" else load_task(name)
    batch = task.sample([4] * 300, np.random.default_rng(0))
    found = determining(batch, true_ids(batch))[0]
    assert [*found] == (np.flatnonzero(batch.mask[0]) + 1).tolist()
    for place, parents in found.items():
        wanted = _by_trying_all(batch, place, most=2)
        assert (None if parents is None else len(parents)) == wanted


def test_a_scratchpad_is_local_under_its_ids_and_not_without() -> None:
    coupled = locality(PADDED, lengths=(4, 8))
    assert coupled.far == ()
    assert coupled.reaches == {4: 1, 8: 1}
    assert not coupled.grows
    # The token before, which has the id before, and the bit with the same id.
    third = coupled.tokens[2]
    assert (third.number, third.parents, third.distances, third.spread) == (2, (3, 7), (0, -1), 1)
    true = locality(PADDED, true_ids, lengths=(4, 8))
    assert true.grows
    assert true.reaches == {4: 5, 8: 9}
    assert {each.number for each in true.far if each.length == 8} == set(range(8))


def test_tokens_with_too_many_parents_are_never_local() -> None:
    found = locality(load_task("parity"), lengths=(5,), window=100)
    (answer,) = found.far
    assert (answer.number, answer.parents, answer.reach, answer.spread) == (0, None, None, None)
    assert found.grows


def test_copies_that_go_on() -> None:
    """Every token follows its last copy, in rows of different layouts."""
    task = load_task("repeated-copy")
    true, coupled = (
        locality(task, scheme, lengths=(12,), examples=20_000, window=1)
        for scheme in (true_ids, task.coupled_ids)
    )
    assert [each.number for each in coupled.far] == []
    assert len(true.far) > 5


def test_parents_that_a_function_says() -> None:
    def parents(batch: Batch) -> list[dict[int, list[int]]]:
        return [{int(place) + 1: [1] for place in np.flatnonzero(row)} for row in batch.mask]

    found = locality(load_task("reverse"), lengths=(3,), parents=parents, examples=2)
    assert [each.distances for each in found.tokens] == [(-2,), (-1,), (0,), (1,)]
    assert [each.token for each in found.tokens][-1] == "EOS"


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("variable-assignment:2,variables=30", True),
        ("variable-assignment:20", True),
        ("copy-repeat", False),
        ("reverse", False),
        ("addition+reversed", False),
        ("parity+scratchpad", False),
        ("parity-scratchpad:3", False),
        ("sort", False),
    ],
)
def test_ids_that_tell_part_of_the_answer(name: str, told: bool) -> None:
    assert ids_tell(load_task(name)) is told


def test_words() -> None:
    words = LocalSteps(1, 0, "itself", but="not the end").words
    assert words == "each step depends on 1 token at coupled distance 0 or less: itself; not the end"


def test_what_is_known() -> None:
    found = local_steps(load_task("addition+reversed"))
    assert found is not None
    assert (found.parents, found.distance) == (5, 1)
    for name in ("multiplication+reversed", "addition", "parity", "sort", "parity-scratchpad:scratchpad=no"):
        assert local_steps(load_task(name)) is None


def test_what_is_far() -> None:
    for name in ("multiplication+reversed", "boolean-expressions+scratchpad", "duplicate-string"):
        assert far_steps(load_task(name))
    for name in ("addition+reversed", "copy-repeat", "sort", "reverse+reversed"):
        assert far_steps(load_task(name)) is None


def _all(task: SequenceTask, length: int) -> Batch:
    """Many examples of a length: nearly all that there are."""
    return task.sample([length] * 1000, np.random.default_rng(0))


@pytest.mark.parametrize(
    ("name", "length"),
    [
        ("copy-repeat", 4),
        ("parity+scratchpad", 4),
        ("regex:(ab|ba)*+scratchpad", 4),
        ("cycle-navigation+scratchpad", 3),
        ("addition+reversed", 7),
        ("reverse+reversed", 4),
        ("parity-scratchpad:1", 4),
        ("parity-scratchpad:2", 5),
        ("parity-scratchpad:3", 7),
    ],
)
def test_near_tokens_decide_each_step(name: str, length: int) -> None:
    """Examples that agree on the tokens within the coupled distance agree on what comes next."""
    task = load_task(name)
    assert isinstance(task, SequenceTask)
    known, batch = local_steps(task), _all(task, length)
    assert known is not None
    ids = task.coupled_ids(batch)
    assert ids is not None
    seen: dict[tuple[object, ...], int] = {}
    counts = set()
    for row, column in np.argwhere(batch.mask & (batch.targets != EOS_ID)).tolist():
        here = ids[row, column]
        near = [
            (int(ids[row, place] - here), bool(batch.mask[row, :place].any()), int(batch.tokens[row, place]))
            for place in range(column + 1)
            if abs(ids[row, place] - here) <= known.distance and (ids[row, place] > 0 or here == 0)
        ]
        near_by = tuple(sorted(near))
        target = int(batch.targets[row, column])
        assert seen.setdefault((here == 0, near_by), target) == target, name
        counts.add(target)
    assert len(counts) > 1


def test_a_sum_needs_all_five() -> None:
    """Leaving out any of the five tokens leaves the next bit open."""
    found: dict[tuple[int, ...], int] = {}
    for a, b, before_a, before_b, carry in product((0, 1), repeat=5):
        before = before_a ^ before_b ^ carry
        out = (before_a + before_b + carry) // 2
        found[a, b, before_a, before_b, before] = a ^ b ^ out
    assert len(found) == 32
    for place in range(5):
        assert any(found[key] != found[(*key[:place], 1 - key[place], *key[place + 1 :])] for key in found), (
            place
        )


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
