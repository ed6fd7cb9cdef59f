"""Tests of `studies.sparsity.ensembles`."""

from __future__ import annotations

from collections import Counter, defaultdict
from fractions import Fraction
from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from longreach.studies.sparsity.ensembles import (
    Label,
    PlantedEnsemble,
    PositionLaw,
    coverage,
    even_shapes,
    kgram_retrieval,
    law_of_sets,
    shifted_sets,
)
from tests.helpers.sparsity_oracle import distribution, eta


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
    places = even_shapes(lambda length: {(0, 1): 1, (0, 2): 1})
    assert coverage(places, length, window=2).eta == eta(places, length, 2, 2)


def test_shifts_of_a_set_inside_a_larger_window_are_not_covered() -> None:
    """What the paper calls straightforward needs every start of a shape: here the last ones have no mass."""
    found = coverage(shifted_sets({(1, 2): 1}, window=3), 6, window=3)
    assert found.eta is None
    every = shifted_sets(dict.fromkeys(combinations(range(1, 4), 2), 1), window=3)
    assert coverage(every, 6, window=3).eta == eta(every, 6, 3, 2)


def test_shapes_with_different_weights() -> None:
    third = Fraction(1, 3)
    places = even_shapes(lambda length: {(0, 1): third / (length - 1), (0, 2): 1 - third})
    assert coverage(places, 7, window=2).eta == eta(places, 7, 2, 2)


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


HALF, ONE = Fraction(1, 2), Fraction(1)
ENSEMBLE = PlantedEnsemble(
    background=(HALF, Fraction(1, 4), Fraction(1, 4)),
    places=even_shapes(lambda length: {(0, 1): 1, (0, 3): 1}),
    planted={(1, 2): Fraction(2, 3), (2, 2): Fraction(1, 3)},
    label={(1, 2): (ONE,), (2, 2): (HALF,)},
)


@pytest.mark.parametrize("length", [2, 4, 5])
def test_outcomes_are_those_of_the_definition(length: int) -> None:
    whole = ENSEMBLE.outcomes(length)
    found: dict[tuple[tuple[int, ...], Label], Fraction] = defaultdict(Fraction)
    for tokens, label, weight in zip(whole.tokens.tolist(), whole.labels, whole.weights, strict=True):
        found[tuple(tokens), label] += weight
    assert found == distribution(ENSEMBLE, length)
    assert sum(found.values()) == 1
    assert ENSEMBLE.outcome_count(length) == len(whole.weights)


def test_draws_have_the_same_law() -> None:
    drawn = ENSEMBLE.draw(4, 8000, np.random.default_rng(0))
    counts = Counter(zip(map(tuple, drawn.tokens.tolist()), drawn.labels, strict=True))
    exact = distribution(ENSEMBLE, 4)
    assert counts.keys() <= exact.keys()
    assert max(abs(counts[each] / 8000 - float(weight)) for each, weight in exact.items()) < 0.02


def test_shifted_sets_are_those_of_the_text() -> None:
    """S from a law on the window, and a shift that is uniform in 0 … ℓ − window."""
    base = {(1, 2): 1, (2, 3): 2, (1, 3): 4}
    length, window = 6, 3
    wanted: Counter[tuple[int, ...]] = Counter()
    for places, weight in base.items():
        for shift in range(length - window + 1):
            wanted[tuple(place + shift for place in places)] += weight
    law = shifted_sets(base, window)(length)
    total = sum(wanted.values())
    assert dict(law.sets()) == {places: Fraction(weight, total) for places, weight in wanted.items()}


def test_draws_follow_the_law() -> None:
    law = law_of_sets(5, {(1, 2): Fraction(1, 2), (2, 5): Fraction(1, 3), (4, 5): Fraction(1, 6)})
    drawn = Counter(map(tuple, law.draw(6000, np.random.default_rng(0)).tolist()))
    assert set(drawn) == {(1, 2), (2, 5), (4, 5)}
    for places, weight in law.sets():
        assert abs(drawn[places] / 6000 - float(weight)) < 0.03
    assert sum(law.probability(places) for places in combinations(range(1, 6), 2)) == 1
