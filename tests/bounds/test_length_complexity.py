"""Length complexity against all small automata and all small programs of one comparison."""

from __future__ import annotations

import numpy as np
import pytest

from longreach.bounds.all_bounds import bounds
from longreach.bounds.bound_inputs import BoundInputs, read_settings
from longreach.bounds.length_complexity import NO_BOUND
from tests.helpers.examples import slow
from tests.helpers.small_automata import small_automata


def value(*settings: str) -> dict[str, float | None]:
    found = bounds(BoundInputs(values=read_settings(settings)))
    return {each.definition.name: each.value.number() for each in found.bounds}


def tables(states: int, letters: int) -> list[np.ndarray]:
    """For each language of an automaton with at most so many states, its words up to length 2n − 1."""
    found = []
    for automaton in small_automata(states, "ab"[:letters]):
        ends, layers = np.zeros(1, dtype=np.int64), []
        accepted = np.isin(np.arange(len(automaton)), list(automaton.accepting))
        for _ in range(2 * states):
            layers.append(accepted[ends])
            ends = automaton.table[ends].ravel()
        found.append(np.concatenate(layers))
    return found


@pytest.mark.parametrize(("states", "letters"), [
        (1, 2), (2, 1), (2, 2), (3, 1), (4, 1),
        pytest.param(3, 2, marks=slow("all automata of three states over two letters")),
    ],
)  # fmt: skip
def test_all_small_automata_differ_by_then_and_some_not_before(states: int, letters: int) -> None:
    """Words are listed by length, so that the first columns are the shorter words."""
    words = np.array(tables(states, letters))
    length = value(f"states={states}")["automaton"]
    assert length == 2 * states - 2
    sizes = np.cumsum([letters**n for n in range(2 * states)])
    classes = [len(np.unique(words[:, :size], axis=0)) for size in sizes]
    assert classes[length] == len(words)
    if length:
        assert classes[length - 1] < len(words), "2n − 2 is attained"


@pytest.mark.parametrize("largest", [1, 2, 3, 4])
def test_all_small_comparisons_differ_within_twice_the_square(largest: int) -> None:
    """Programs a · #1 − b · n − d > 0: the factor before T² need not exceed 2 here."""
    order = value(f"T={largest}")["depth-one"]
    assert order == largest**2
    longest = 3 * largest**2 + 4
    points = np.array([(ones, n) for n in range(1, longest + 1) for ones in range(n + 1)])
    numbers = range(-largest, largest + 1)
    rows = np.unique(
        [a * points[:, 0] - b * points[:, 1] - d > 0 for a in numbers for b in numbers for d in numbers],
        axis=0,
    )
    short = rows[:, points[:, 1] <= 2 * order]
    assert len(np.unique(short, axis=0)) == len(rows)


def test_the_restricted_class_of_two_layers() -> None:
    assert value("T=3", "K=2")["two-layer-restricted"] == 9
    assert "two-layer-restricted" not in value("T=3")
    found = bounds(BoundInputs(values=read_settings(["T=3", "K=2"])))
    (restricted,) = (each for each in found.bounds if each.definition.name == "two-layer-restricted")
    assert any(NO_BOUND in assumption for assumption in restricted.assumes)


def test_an_automaton_of_one_state() -> None:
    assert value("states=1") == {"automaton": 0}
