"""Tests of `tasks.dependence`."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations, permutations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from longreach.errors import InputError
from longreach.tasks.arithmetic import Addition
from longreach.tasks.catalog import load_task
from longreach.tasks.copying import CopyUnique, Reverse, Sort
from longreach.tasks.counting import Parity
from longreach.tasks.dependence import least_hitting_set, measured_parents
from longreach.tasks.layouts import SequenceTask
from longreach.tasks.task import Batch, Task
from tests.helpers.examples import at_most


@given(
    st.lists(st.lists(st.booleans(), min_size=6, max_size=6), max_size=8),
    st.lists(st.integers(0, 4), min_size=6, max_size=6),
    st.integers(0, 6),
)
@settings(max_examples=at_most(200), deadline=None)
def test_it_is_smallest_and_then_cheapest(rows: list[list[bool]], costs: list[int], most: int) -> None:
    table = np.array(rows, dtype=np.bool_).reshape(len(rows), 6)
    right = [
        columns
        for size in range(most + 1)
        for columns in combinations(range(6), size)
        if table[:, list(columns)].any(axis=1).all()
    ]
    found = least_hitting_set(table, most, costs)
    if not right:
        assert found is None
        return
    assert found in right
    size = len(right[0])
    cheapest = min(
        max((costs[each] for each in columns), default=0) for columns in right if len(columns) == size
    )
    assert len(found) == size
    assert max((costs[each] for each in found), default=0) == cheapest


def _bits(length: int, rng: np.random.Generator) -> list[str]:
    return ["01"[bit] for bit in rng.integers(0, 2, length)]


def _running(x: tuple[str, ...]) -> list[str]:
    return [str(x[: place + 1].count("1") % 2) for place in range(len(x))]


RUNNING = Task.from_function(
    _bits, _running, name="running", about="the parity so far", tokens=("0", "1"), longest_answer=lambda n: n
)


def _sums(length: int) -> list[tuple[str, ...]]:
    found = []
    for first in range(1, length - 2):
        for bits in product("01", repeat=length - 2):
            found.append((*bits[:first], "+", *bits[first:], "="))
    return found


Sequences = list[tuple[tuple[str, ...], dict[int, str]]]


def _whole(task: Task, inputs: Iterable[tuple[str, ...]]) -> Sequences:
    """All sequences with their targets by place, laid out by hand: SOS x SEP y, then EOS."""
    found = []
    for x in inputs:
        answer = task.answer(list(x))
        between = ("SEP",) if not isinstance(task, SequenceTask) or task.separated else ()
        read = ("SOS", *x, *between, *answer[:-1])
        first = len(x) + len(between)
        found.append((read, {first + place: token for place, token in enumerate(answer)}))
    return found


def _least(sequences: Sequences, read: tuple[str, ...], targets: dict[int, str], place: int) -> int:
    """The size of a smallest set of earlier tokens that determine the target, by all sets and sequences."""
    rivals = [other for other, theirs in sequences if place in theirs and theirs[place] != targets[place]]
    for size in range(place + 2):
        for columns in combinations(range(place + 1), size):
            if all(any(other[each] != read[each] for each in columns) for other in rivals):
                return size
    raise AssertionError("not determined")


@pytest.mark.parametrize(
    ("task", "length", "inputs"),
    [
        (Reverse(), 4, product("ab", repeat=4)),
        (Parity(), 4, product("01", repeat=4)),
        (RUNNING, 4, product("01", repeat=4)),
        (CopyUnique(4), 3, permutations("0123", 3)),
        (Sort(4), 3, permutations("0123", 3)),
        (Addition(), 5, _sums(5)),
    ],
    ids=["reverse", "parity", "running", "copy", "sort", "addition"],
)
def test_parents_are_least_determining_sets(
    task: Task, length: int, inputs: Iterable[tuple[str, ...]]
) -> None:
    """Where draws cover all inputs, as many as the exhaustive reading of the definition finds."""
    sequences = _whole(task, inputs)
    by_read = {tuple(read): targets for read, targets in sequences}
    batch = task.sample(np.full(10, length), np.random.default_rng(5))
    found = measured_parents(task, length, np.random.default_rng(0), batch=batch, pool=1500)
    sizes: dict[int, list[int]] = {}
    for row, size in enumerate(batch.sizes.tolist()):
        read = tuple(task.decode(batch.tokens[row, :size].tolist()))
        for number, place in enumerate(by_read[read], 1):
            sizes.setdefault(number, []).append(_least(sequences, read, by_read[read], place))
    assert [each.place for each in found.places] == sorted(sizes)
    for each in found.places:
        assert each.examples == len(sizes[each.place])
        assert each.most == max(sizes[each.place])
        assert each.mean == pytest.approx(np.mean(sizes[each.place]))


def test_known_tasks() -> None:
    rng = np.random.default_rng(0)
    parity = measured_parents(Parity(), 6, rng, examples=6)
    assert [each.most for each in parity.places] == [6, 0]
    scratchpad = measured_parents(RUNNING, 6, rng, examples=6)
    assert [each.most for each in scratchpad.places] == [1, 2, 2, 2, 2, 2, 0]
    assert all(each.is_tested for each in scratchpad.places)
    copy = measured_parents(CopyUnique(5), 4, rng, examples=6)
    assert (copy.most, copy.distance, copy.span) == (1, 4, 0)
    assert measured_parents(Sort(5), 4, rng, examples=12).most == 4


def test_coupled_ids_make_a_scratchpad_local() -> None:
    """True places are as far apart as the input is long; with ids 0, 1 … ℓ, 0, 1 … ℓ they are neighbours."""
    for length in (4, 7):
        ids = np.array([0, *range(1, length + 1), 0, *range(1, length + 1)])
        plain = measured_parents(RUNNING, length, np.random.default_rng(0), examples=4, pool=1000)
        coupled = measured_parents(RUNNING, length, np.random.default_rng(0), ids=ids, examples=4, pool=1000)
        assert (plain.most, plain.distance, plain.span) == (2, length, length)
        assert (coupled.most, coupled.distance, coupled.span) == (2, 1, 1)


def test_ids_may_differ_by_example() -> None:
    batch = Reverse().sample([3] * 2, np.random.default_rng(0))
    ids = np.stack([batch.position_ids[0], 10 * batch.position_ids[1]])
    found = measured_parents(Reverse(), 3, np.random.default_rng(0), batch=batch, ids=ids, pool=200)
    assert [each.distance for each in found.places] == [10, 30, 50, 0]
    with pytest.raises(InputError, match=r"ids: must have the shape \(2, 8\) or \(8,\), not \(3,\)"):
        measured_parents(Reverse(), 3, np.random.default_rng(0), batch=batch, ids=np.arange(3))


def test_more_parents_than_were_tried_are_said() -> None:
    found = measured_parents(Parity(), 6, np.random.default_rng(0), examples=3, tried=4)
    first = found.places[0]
    assert (first.most, first.mean, first.beyond, found.most) == (None, None, 3, None)
    assert (first.distance, found.distance, found.span) == (None, None, None)
    assert "> 4" in found.text().splitlines()[1]
    assert found.document()["places"][0]["most"] is None


def test_few_draws_are_said() -> None:
    """Of 40 sequences over 150 symbols hardly any agree in a token: the numbers are only lower bounds."""
    found = measured_parents(CopyUnique(), 5, np.random.default_rng(0), examples=3, pool=40, changed=0)
    assert not found.places[0].is_tested
    assert not found.is_tested
    assert "≥ 1" in found.text()
    near = measured_parents(CopyUnique(), 5, np.random.default_rng(0), examples=3, pool=40)
    assert [each.most for each in near.places] == [1, 1, 1, 1, 1, 0]
    assert near.is_tested


def _numbers(length: int, rng: np.random.Generator) -> list[str]:
    return [str(number) for number in rng.integers(0, 20, length)]


TOTAL = Task.from_function(
    _numbers,
    lambda x: str(sum(map(int, x)) % 20),
    name="total",
    tokens=tuple(map(str, range(20))),
    longest_answer=1,
)


def test_inputs_that_differ_in_few_tokens_show_what_draws_do_not() -> None:
    """Every number matters for a sum; among some thousand draws no two inputs agree in all but one."""
    rng = np.random.default_rng(0)
    drawn = measured_parents(TOTAL, 5, rng, examples=4, changed=0).places[0]
    assert drawn.most is not None
    assert drawn.most < 5
    assert not drawn.is_tested
    found = measured_parents(TOTAL, 5, rng, examples=4)
    assert [(each.most, each.is_tested) for each in found.places] == [(5, True), (0, True)]


def test_only_inputs_that_the_task_draws_are_asked_for() -> None:
    """Exactly one special symbol among four numbers: a second one never comes."""
    task = load_task("sparse-parity:1-1")
    found = measured_parents(task, 8, np.random.default_rng(0), examples=8, pool=20_000)
    assert found.most == 2  # the special symbol and its bit


def test_languages_have_parents_too() -> None:
    """(ab)*: the letter that is read decides what may come next."""
    found = measured_parents(load_task("regex:(ab)*"), 6, np.random.default_rng(0), examples=4, pool=50)
    assert found.most is not None
    assert found.most <= 1


def test_what_is_not_determined_is_beyond() -> None:
    """A task whose answers are tossed: all earlier tokens together do not decide."""
    batch = Reverse().sample([2] * 3, np.random.default_rng(0))

    class Tossed(Reverse):
        def _sample(self, lengths: np.ndarray, rng: np.random.Generator) -> Batch:
            drawn = super()._sample(lengths, rng)
            tossed = np.where(drawn.mask, rng.integers(4, 6, drawn.targets.shape), 0)
            return Batch(drawn.tokens, tossed, drawn.mask, drawn.position_ids, drawn.sizes)

    found = measured_parents(Tossed(), 2, np.random.default_rng(0), batch=batch)
    assert found.places[0].beyond == 3
    with pytest.raises(InputError, match="examples: at least one"):
        measured_parents(Reverse(), 2, np.random.default_rng(0), examples=0)
