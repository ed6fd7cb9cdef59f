"""Look-ups by the array, against a dictionary."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from longreach.theory.search.behaviours import KeyTable

KEYS = st.integers(1, 2**64 - 1) | st.integers(1, 40)


@given(st.lists(st.lists(KEYS, unique=True, max_size=60), max_size=6), st.lists(KEYS, max_size=40))
def test_it_finds_what_was_put_in(parts: list[list[int]], asked: list[int]) -> None:
    table, wanted = KeyTable(2), dict[int, int]()
    for part in parts:
        fresh = [key for key in part if key not in wanted]
        values = list(range(len(wanted), len(wanted) + len(fresh)))
        table.insert(np.array(fresh, np.uint64), np.array(values, np.int32))
        wanted.update(zip(fresh, values, strict=True))
    keys = [*wanted, *asked]
    assert table.find(np.array(keys, np.uint64)).tolist() == [wanted.get(key, -1) for key in keys]
    assert len(table) == len(wanted)
