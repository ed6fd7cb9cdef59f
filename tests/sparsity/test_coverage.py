from __future__ import annotations

from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from longreach.errors import InputError
from longreach.sparsity.coverage import coverage
from longreach.sparsity.position_law import PositionLaw, shifted_sets, spread_shapes, uniform_sets
from tests.helpers.sparsity_oracle import eta


@st.composite
def _laws(draw: st.DrawFn) -> dict[int, PositionLaw]:
    shapes = draw(st.lists(st.sampled_from([(0, 1), (0, 2), (0, 3)]), min_size=1, max_size=3, unique=True))
    least = draw(st.sampled_from([0, 1]))
    laws = {}
    for length in range(2, 8):
        rows = {
            shape: np.array(
                draw(st.lists(st.integers(least, 3), min_size=length - shape[1], max_size=length - shape[1]))
            )
            for shape in shapes
            if shape[1] < length
        }
        rows = {shape: row.astype(np.int64) for shape, row in rows.items()} or {
            (0, 1): np.ones(length - 1, np.int64)
        }
        next(iter(rows.values()))[0] += 1
        laws[length] = PositionLaw(length, rows)
    return laws


@given(_laws(), st.integers(2, 7), st.integers(2, 4))
@settings(max_examples=80, deadline=None)
def test_it_is_the_least_eta(laws: dict[int, PositionLaw], length: int, window: int) -> None:
    window = min(window, length)
    found = coverage(laws.__getitem__, length, window=window)
    assert found.eta == eta(laws.__getitem__, length, window, 2)


@pytest.mark.parametrize("length", [3, 5, 9])
def test_known_laws(length: int) -> None:
    """Neighbours anywhere: the worst is length 2, where the only pair has the probability 1."""
    assert coverage(shifted_sets({(1, 2): 1}, window=2), length, window=2).eta == length - 1
    places = uniform_sets(lambda length: iter([(0, 1), (0, 2)]))
    assert coverage(places, length, window=2).eta == eta(places, length, 2, 2)


def test_shifts_of_a_set_inside_a_larger_window_are_not_covered() -> None:
    """What the paper calls straightforward needs every start of a shape: here the last ones have no mass."""
    found = coverage(shifted_sets({(1, 2): 1}, window=3), 6, window=3)
    assert found.eta is None
    every = shifted_sets(dict.fromkeys(combinations(range(1, 4), 2), 1), window=3)
    assert coverage(every, 6, window=3).eta == eta(every, 6, 3, 2)


def test_shapes_with_a_share_each() -> None:
    third = Fraction(1, 3)
    places = spread_shapes(
        lambda length: {(0, 1): third, (0, 2): 1 - third} if length > 2 else {(0, 1): Fraction(1)}
    )
    assert coverage(places, 7, window=2).eta == eta(places, 7, 2, 2)


def test_bad_windows_are_refused() -> None:
    with pytest.raises(InputError, match="window: 9 is not between 1 and the length 4"):
        coverage(shifted_sets({(1, 2): 1}, window=2), 4, window=9)
