from __future__ import annotations

from collections import Counter
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from longreach.errors import InputError
from longreach.sparsity.tuple_counts import token_tuples, tuple_counts


@given(
    st.integers(1, 3), st.lists(st.lists(st.integers(3, 6), min_size=6, max_size=6), min_size=1, max_size=4)
)
@settings(max_examples=60, deadline=None)
def test_counts_are_those_of_all_sets(sparsity: int, rows: list[list[int]]) -> None:
    symbols, counts = tuple_counts(np.array(rows), sparsity)
    tuples = list(map(tuple, token_tuples(symbols, sparsity).tolist()))
    for row, found in zip(rows, counts, strict=True):
        wanted = Counter(tuple(row[place] for place in places) for places in combinations(range(6), sparsity))
        assert {each: count for each, count in zip(tuples, found.tolist(), strict=True) if count} == wanted


def test_counts_beyond_64_bits_are_refused() -> None:
    with pytest.raises(InputError, match="too many sets"):
        tuple_counts(np.zeros((1, 200), dtype=np.int64), 100)
