from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from longreach.errors import InputError
from longreach.sparsity.coupled_tokens import CoupledVocabulary

WORDS = CoupledVocabulary(tokens=3, sparsity=3)
PAIRS = st.lists(st.tuples(st.integers(1, 3), st.integers(0, 2)), max_size=3)


@given(st.lists(PAIRS, min_size=1, max_size=3))
@settings(max_examples=200, deadline=None)
def test_expanding_sorts_all_pairs_by_rank_and_drops_repeated_ranks(
    several: list[list[tuple[int, int]]],
) -> None:
    numbers = [WORDS.number(pairs) for pairs in several]
    assert [list(WORDS.pairs(number)) for number in numbers] == several
    first: dict[int, int] = {}
    for pairs in several:
        for rank, token in pairs:
            first.setdefault(rank, token)
    tokens, whole = WORDS.expand(np.array(numbers))
    assert bool(whole) == (len(first) == 3)
    if whole:
        assert tokens.tolist() == [first[rank] for rank in (1, 2, 3)]


def test_numbers_are_all_different() -> None:
    small = CoupledVocabulary(tokens=2, sparsity=2)
    pairs = [(rank, token) for rank in (1, 2) for token in (0, 1)]
    every = [(), *((one,) for one in pairs), *((one, two) for one in pairs for two in pairs)]
    assert len({small.number(each) for each in every}) == len(every) == small.size


@pytest.mark.parametrize("pairs", [[(0, 1)], [(4, 1)], [(1, 3)], [(1, 1)] * 4])
def test_what_is_no_coupled_token_is_refused(pairs: list[tuple[int, int]]) -> None:
    with pytest.raises(InputError, match="pairs: "):
        WORDS.number(pairs)
