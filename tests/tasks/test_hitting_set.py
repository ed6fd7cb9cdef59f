from __future__ import annotations

from itertools import combinations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from longreach.tasks.hitting_set import least_hitting_set
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
