from __future__ import annotations

from itertools import combinations, product
from math import inf

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from longreach.errors import InputError
from longreach.sparsity.key_properties import not_local, not_relative
from longreach.sparsity.sparse_attention import Key

UP_TO = 5
SETS = list(combinations(range(1, UP_TO + 1), 2))


ENTRIES = st.tuples(st.sampled_from(SETS), st.integers(0, 1))


@given(st.dictionaries(ENTRIES, st.sampled_from([0.0, 1.0]), max_size=6), st.integers(1, 4))
@settings(max_examples=80, deadline=None)
def test_properties_of_any_table(table: dict[tuple[tuple[int, ...], int], float], window: int) -> None:
    """Scores by set and first token; both answers by reading the assumption."""
    array = np.full((UP_TO + 1, UP_TO + 1, 2), -inf)
    for ((first, second), token), score in table.items():
        array[first, second, token] = score
    key = Key("table", lambda places, tokens: array[places[..., 0], places[..., 1], tokens[..., 0]])
    sizes = {"sparsity": 2, "vocabulary": 2, "up_to": UP_TO}
    local = all(second - first <= window for (first, second), _ in table)
    assert (not_local([key], window, **sizes) is None) == local
    relative = all(
        array[a, b, token] == array[a + 1, b + 1, token]
        for (a, b), token in product(SETS, range(2))
        if b < UP_TO
    )
    assert (not_relative([key], **sizes) is None) == relative


def test_too_much_to_look_at_is_refused() -> None:
    key = Key("zero", lambda places, tokens: np.zeros(tokens.shape[:-1]))
    with pytest.raises(InputError, match="up_to: too many sets"):
        not_relative([key], sparsity=3, vocabulary=10, up_to=60)
    with pytest.raises(InputError, match="no set of 3 places fits into 2"):
        not_local([key], 1, sparsity=3, vocabulary=2, up_to=2)
