"""The chain that keeps pieces, and the statistics, against their definitions."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from longreach.bounds.simulation.kept_pieces import draw_kept, statistics, windows


def test_the_chain_has_the_share_and_the_pieces_that_are_asked_for() -> None:
    kept = draw_kept(400_000, 0.2, 25.0, np.random.default_rng(3))
    assert len(kept) == 400_000
    assert kept.mean() == pytest.approx(0.2, abs=0.02)
    pieces = int((np.diff(kept.astype(int)) == 1).sum())
    assert kept.sum() / pieces == pytest.approx(25.0, rel=0.1)


def test_the_chain_forgets_like_a_chain_of_two_states() -> None:
    # Correlations of the indicator fall by 1 − 1/(ℓ (1 − π)) a step: the variances of docs/simulation.md.
    kept = draw_kept(1_000_000, 0.3, 10.0, np.random.default_rng(0)).astype(float)
    centred = kept - kept.mean()
    fall = float((centred[1:] * centred[:-1]).mean() / (centred**2).mean())
    assert fall == pytest.approx(1 - 1 / (10 * 0.7), abs=0.01)


def test_short_words_are_drawn_too() -> None:
    for units in (1, 2, 5):
        for seed in range(20):
            assert len(draw_kept(units, 0.3, 2.0, np.random.default_rng(seed))) == units


def _literal(x: list[int], kept: list[bool], window: int) -> tuple[float, float]:
    z = [token for token, stays in zip(x, kept, strict=True) if stays]

    def counts(word: list[int]) -> Counter[tuple[int, ...]]:
        padded = [-1] * (window - 1) + word
        return Counter(tuple(padded[end - window : end]) for end in range(window, len(padded) + 1))

    one, other = counts(x), counts(z)
    suffix = sum(abs(one[key] / len(x) - other[key] / len(z)) for key in one | other)
    histogram = 0.0
    for m in range(1, len(x) + 1):
        so_far = [token for token, stays in zip(x[:m], kept[:m], strict=True) if stays]
        if not so_far:
            histogram += 2
            continue
        for token in set(x):
            histogram += abs(x[:m].count(token) / m - so_far.count(token) / len(so_far))
    return suffix, histogram / len(x)


@given(st.lists(st.tuples(st.integers(0, 2), st.booleans()), min_size=1, max_size=25), st.integers(1, 4))
def test_statistics_are_those_of_the_definition(drawn: list[tuple[int, bool]], window: int) -> None:
    x, kept = [token for token, _ in drawn], [stays for _, stays in drawn]
    found = statistics(np.array(x), np.array(kept), tokens=3, window=window)
    if any(kept):
        assert (found.suffix, found.histogram) == pytest.approx(_literal(x, kept, window))
    else:
        assert found.histogram == 2.0


def test_windows_are_numbered_alike_in_all_words() -> None:
    one, other = windows([np.array([0, 1, 0, 1]), np.array([1, 0, 1])], tokens=2, window=2)
    assert one[1] == one[3] == other[2]
    assert len({int(one[0]), int(one[1]), int(one[2]), int(other[0])}) == 4
