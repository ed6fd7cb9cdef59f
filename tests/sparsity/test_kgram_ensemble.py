from __future__ import annotations

from collections import Counter, defaultdict
from fractions import Fraction
from itertools import product

import pytest

from longreach.errors import InputError
from longreach.sparsity.kgram_ensemble import kgram_retrieval
from tests.helpers.sparsity_oracle import distribution


@pytest.mark.parametrize(("k", "length"), [(1, 4), (1, 5), (2, 6)])
def test_it_is_the_sampler_of_the_text(k: int, length: int) -> None:
    """Uniform tokens, a start ℓ′, the k tokens behind it copied to the end, the next one asked for."""
    wanted: dict[tuple[tuple[int, ...], int], Fraction] = defaultdict(Fraction)
    starts = range(1, length - 2 * k)
    for body in product(range(2), repeat=length - k):
        for start in starts:
            row = (*body, *body[start : start + k])
            wanted[row, body[start + k]] += Fraction(1, 2 ** (length - k) * len(starts))
    found = Counter(
        {
            (row, label.index(1)): weight
            for (row, label), weight in distribution(kgram_retrieval(2, k), length).items()
        }
    )
    assert found == wanted


def test_it_is_sparse_and_not_local() -> None:
    ensemble = kgram_retrieval(2, k=2)
    assert ensemble.sparsity == 5
    assert [ensemble.places(length).span for length in (10, 20, 40)] == [8, 18, 38]
    assert ensemble.coverage(10, window=6).eta is None


def test_too_short_lengths_are_refused() -> None:
    with pytest.raises(InputError, match="3 is too short for 1-gram retrieval"):
        kgram_retrieval(2).places(3)
