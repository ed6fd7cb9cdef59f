"""Sets of tokens that decide others, against brute force over all functions of few bits."""

from __future__ import annotations

from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from longreach.advice import step_parents as module
from longreach.advice.step_parents import StepParents, decides, least_parents, step_parents
from longreach.tasks.catalog import load_task
from longreach.tasks.local_steps import local_steps

WORDS = np.array(list(product((0, 1), repeat=4)))


def _literally(values: tuple[int, ...]) -> int:
    """The size of the smallest set of places on which equal words have equal values."""
    for size in range(5):
        for places in combinations(range(4), size):
            known: dict[tuple[int, ...], int] = {}
            if all(
                known.setdefault(tuple(word[list(places)]), value) == value
                for word, value in zip(WORDS, values, strict=True)
            ):
                return size
    raise AssertionError


@given(st.lists(st.integers(0, 2), min_size=16, max_size=16))
def test_the_smallest_set(values: list[int]) -> None:
    tokens, targets = np.tile(WORDS, (16, 1)), np.tile(values, 16)
    found = least_parents(tokens, targets, np.arange(4))
    assert found is not None
    assert len(found) == _literally(tuple(values))


def test_of_equal_sets_the_nearest() -> None:
    tokens = np.tile(np.array([[0, 1, 0], [1, 0, 1]]), (20, 1))  # any column tells
    assert least_parents(tokens, tokens[:, 1], np.array([0, 5, 9])) == (2,)
    assert least_parents(tokens, tokens[:, 1], np.array([9, 5, 9])) == (2,)
    assert least_parents(tokens, np.ones(40, dtype=np.int64), np.arange(3)) == ()


def test_thin_evidence_is_not_believed() -> None:
    rows = np.arange(50)
    assert not decides([rows], rows, 50)
    assert decides([rows], rows, 400)


@pytest.mark.parametrize(
    ("name", "length", "coupled", "expected"),
    [
        ("parity", 5, False, (5, 5)),
        ("copy-repeat", 4, False, (1, 4)),
        ("copy-repeat", 5, True, (1, 1)),
        ("parity+scratchpad", 5, True, (2, 1)),
        ("reverse", 4, True, (1, 4)),
    ],
)
def test_tasks(name: str, length: int, coupled: bool, expected: tuple[int, int]) -> None:
    found = step_parents(load_task(name), length, coupled=coupled, rng=np.random.default_rng(0))
    assert found == StepParents(*expected, whole=True)


@pytest.mark.parametrize(
    "name", ["copy-repeat", "parity+scratchpad", "regex:(a|b)*abb+scratchpad", "addition+reversed"]
)
def test_what_is_said_of_steps_is_measured(name: str) -> None:
    task = load_task(name)
    known = local_steps(task)
    assert known is not None
    found = step_parents(task, task.least_length + 3, coupled=True, rng=np.random.default_rng(0))
    assert found.whole
    assert found.parents <= known.parents
    assert found.distance <= known.distance


def test_too_many_sets_are_not_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_SETS", 3)
    found = step_parents(load_task("parity"), 4, coupled=False, rng=np.random.default_rng(0))
    assert not found.whole
