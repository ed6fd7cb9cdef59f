"""Tests of `studies.sparsity.coupling`."""

from __future__ import annotations

from collections import defaultdict
from fractions import Fraction
from itertools import combinations
from math import inf

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from longreach.errors import InputError
from longreach.studies.sparsity.attention import (
    Key,
    SparseAttention,
    attention_class,
    not_local,
    not_relative,
    table_key,
    table_value,
)
from longreach.studies.sparsity.coupling import (
    CoupledVocabulary,
    Coupling,
    coupled_class,
    coupled_ensemble,
    coupled_key,
    coupling_fault,
    far_token,
    far_token_class,
    retrieval_class,
    retrieval_to_one_id,
    to_neighbours,
    to_one_id,
)
from longreach.studies.sparsity.ensembles import (
    PlaceSet,
    PlantedEnsemble,
    even_shapes,
    kgram_retrieval,
    law_of_sets,
)
from longreach.studies.sparsity.generalization import Sampling, length_generalization
from tests.helpers.sparsity_oracle import attention, coupled_distribution

WORDS = CoupledVocabulary(tokens=3, sparsity=3)


def pairs_of(words: CoupledVocabulary, number: int) -> tuple[tuple[int, int], ...]:
    """The pairs of a coupled token, by its digits."""
    found = []
    while number:
        number, digit = divmod(number, words.base)
        rank, token = divmod(digit - 1, words.tokens)
        found.append((rank + 1, token))
    return tuple(found)


PAIRS = st.lists(st.tuples(st.integers(1, 3), st.integers(0, 2)), max_size=3)


@given(st.lists(PAIRS, min_size=1, max_size=3))
@settings(max_examples=200, deadline=None)
def test_expanding_sorts_all_pairs_by_rank_and_drops_repeated_ranks(
    several: list[list[tuple[int, int]]],
) -> None:
    numbers = [WORDS.number(pairs) for pairs in several]
    assert [list(pairs_of(WORDS, number)) for number in numbers] == several
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
    assert len({small.number(each) for each in every}) == len(every) == 1 + 4 + 16


FEW = Sampling(samples=600)


def test_as_it_is_both_keys_are_minimizers_and_one_fails() -> None:
    found = length_generalization(far_token_class(), far_token(12), 12, 24)
    assert found.error.kind == "exact"
    assert (len(found.minimizers), found.worst) == (2, "g00, g1")
    assert found.error.value > Fraction(1, 3)
    # By hand: 12 of 34 sets are far ones. 1 right triple; 10 places between both first tokens and the last.
    assert found.error.value == Fraction(12, 34) * (1 - Fraction(1, 1 + 20))


@pytest.mark.parametrize(
    ("coupling", "ranks", "minimizers"), [(to_one_id, [(1, 2, 3)], 2), (to_neighbours, [(1,), (2,), (3,)], 1)]
)
def test_coupled_every_minimizer_works(
    coupling: Coupling, ranks: list[tuple[int, ...]], minimizers: int
) -> None:
    ensemble = coupled_ensemble(far_token(12), coupling, ranks=ranks)
    words = CoupledVocabulary(2, 3)
    hypotheses = coupled_class(far_token_class(), words, ids=len(ranks), window=3)
    found = length_generalization(hypotheses, ensemble, 12, 24, rng=np.random.default_rng(0), sampling=FEW)
    assert len(found.minimizers) == minimizers
    assert found.error.value == 0
    assert ensemble.coverage(24, window=3).eta is not None


def test_retrieval_needs_coupling() -> None:
    ensemble, words = kgram_retrieval(3), CoupledVocabulary(3, 3)
    plain = length_generalization(retrieval_class(3), ensemble, 12, 24, sampling=FEW)
    assert plain.error.low > 0.4
    assert coupling_fault(ensemble, retrieval_to_one_id, 3, range(6, 14)) is None
    coupled = coupled_ensemble(ensemble, retrieval_to_one_id, ranks=[(1, 2, 3)])
    hypotheses = coupled_class(retrieval_class(3), words, ids=1, window=3, otherwise=(Fraction(0),) * 3)
    assert length_generalization(hypotheses, coupled, 12, 24, sampling=FEW).error.value == 0
    assert coupled.coverage(24, window=3).eta is not None


LOST_ORDER = PlantedEnsemble(
    background=(Fraction(1), Fraction(0), Fraction(0)),
    places=lambda length: law_of_sets(length, {(length - 1, length): Fraction(1)}),
    planted={(1, 2): Fraction(1)},
    label={(1, 2): (Fraction(1),)},
)
"""Background 0, then 1 2 at the end: where a proof of the paper breaks.

Coupled to neighbouring ids, a background token may get the second rank, and (1, 0) occurs."""
LIKES_BOTH = attention_class(
    [table_key("g0", {(1, 2): 0.0, (1, 0): 0.0}, vocabulary=3)],
    [table_value("g1", {(1, 2): (1,)}, vocabulary=3)],
    sparsity=2,
)
"""One hypothesis, which likes 1 2 and 1 0 and says 1 for the former."""


def to_any_neighbours(length: int, places: PlaceSet) -> list[tuple[int, ...]]:
    """Planted places have ids in a row, anywhere; the others keep their order."""
    maps = []
    for first in range(1, length - len(places) + 2):
        planted = {place: first + rank for rank, place in enumerate(places)}
        others = iter(each for each in range(1, length + 1) if each not in planted.values())
        maps.append(tuple(planted.get(place) or next(others) for place in range(1, length + 1)))
    return maps


def test_an_order_that_coupling_loses() -> None:
    """Strongly realized with δ = 0, locally coupled and covered; yet PC[𝒫] is not realized by PC[ℋ]."""
    ensemble, words = LOST_ORDER, CoupledVocabulary(3, 2)
    for length in (4, 9):
        (row,) = ensemble.outcomes(length).tokens.tolist()
        finite = [pair for pair in combinations(row, 2) if pair in ((1, 2), (1, 0))]
        assert finite == [(1, 2)]
    assert length_generalization(LIKES_BOTH, ensemble, 8, 16).error.value == 0
    assert coupling_fault(ensemble, to_any_neighbours, 2, range(4, 17)) is None
    coupled = coupled_ensemble(ensemble, to_any_neighbours, ranks=[(1,), (2,)])
    assert coupled.coverage(16, window=2).eta is not None
    hypotheses = coupled_class(LIKES_BOTH, words, ids=2, window=2)
    assert length_generalization(hypotheses, coupled, 8, 16, sampling=FEW).error.low > 0.3
    one = coupled_ensemble(ensemble, to_one_id, ranks=[(1, 2)])
    alone = coupled_class(LIKES_BOTH, words, ids=1, window=2)
    assert length_generalization(alone, one, 8, 16, sampling=FEW).error.value == 0


HALF, ONE = Fraction(1, 2), Fraction(1)
PAIRS_POSITION_COUPLING = PlantedEnsemble(
    background=(HALF, HALF, Fraction(0)),
    places=even_shapes(lambda length: dict.fromkeys([(0, 1), (0, 2), (0, length - 1)], 1)),
    planted={(2, 1): HALF, (1, 2): HALF},
    label={(2, 1): (ONE,), (1, 2): (Fraction(0),)},
)
WORDS_POSITION_COUPLING = CoupledVocabulary(3, 2)


@pytest.mark.parametrize(("coupling", "ranks"), [(to_one_id, [(1, 2)]), (to_neighbours, [(1,), (2,)])])
@pytest.mark.parametrize("length", [3, 4])
def test_the_coupled_ensemble_has_the_law_of_equation_19(
    coupling: Coupling, ranks: list[tuple[int, ...]], length: int
) -> None:
    ensemble = coupled_ensemble(PAIRS_POSITION_COUPLING, coupling, ranks=ranks)
    whole = ensemble.outcomes(length)
    found = defaultdict(Fraction)
    for tokens, label, weight in zip(whole.tokens.tolist(), whole.labels, whole.weights, strict=True):
        found[tuple(pairs_of(WORDS_POSITION_COUPLING, each) for each in tokens), label] += weight
    assert found == coupled_distribution(PAIRS_POSITION_COUPLING, coupling, length)


@pytest.mark.parametrize("ids", [1, 2, 3])
def test_coupled_hypotheses_are_those_of_equations_17_and_18(ids: int) -> None:
    """By unpacking tuples of pairs; with sets of k′ ids, and of k = 3 as printed."""
    window, words = 2, CoupledVocabulary(2, 3)
    scores = {(1, 1, 1): 0.0, (1, 0, 1): 1.0}
    rng = np.random.default_rng(0)
    pairs = [((rank, token),) for rank in (1, 2, 3) for token in (0, 1)]
    pairs += [((1, 1), (2, 1), (3, 1)), ((1, 1), (2, 0), (3, 1)), ((2, 1), (3, 1)), ()]

    def expand(tokens: tuple[int, ...]) -> tuple[int, ...] | None:
        first: dict[int, int] = {}
        for number in tokens:
            for rank, token in pairs_of(words, number):
                first.setdefault(rank, token)
        return tuple(first[rank] for rank in sorted(first)) if len(first) == 3 else None

    def key(places: tuple[int, ...], tokens: tuple[int, ...]) -> float:
        expanded = expand(tokens)
        if places[-1] - places[0] > window or expanded is None:
            return -inf
        return scores.get(expanded, -inf)

    def value(tokens: tuple[int, ...]) -> tuple[Fraction]:
        expanded = expand(tokens)
        return (Fraction(1, 4),) if expanded is None else (Fraction(expanded == (1, 1, 1)),)

    plain = SparseAttention(
        table_key("key", scores, vocabulary=2), table_value("value", {(1, 1, 1): (1,)}, vocabulary=2), 3
    )
    (coupled,) = coupled_class([plain], words, ids=ids, window=window, otherwise=(Fraction(1, 4),))
    for _ in range(30):
        row = [words.number(pairs[place]) for place in rng.integers(0, len(pairs), 6).tolist()]
        wanted = attention(key, value, ids, row)
        np.testing.assert_allclose(coupled.quotient(np.array([row])).values[0], wanted, atol=1e-12)


def test_coupled_keys_are_local_and_relative() -> None:
    words = CoupledVocabulary(2, 2)
    plain = Key(
        "equal", lambda places, tokens: np.where(tokens[..., 0] == tokens[..., 1], 0.0, -np.inf), None, True
    )
    keys = [coupled_key(plain, words, 2)]
    sizes = {"sparsity": 2, "vocabulary": words.base**2, "up_to": 6}
    assert not_local(keys, 2, **sizes) is None
    assert not_relative(keys, **sizes) is None
    assert not_local(keys, 1, **sizes) is not None


def test_couplings_of_the_examples_are_local() -> None:
    for coupling in (to_one_id, to_neighbours):
        assert coupling_fault(far_token(6), coupling, 2, range(3, 14)) is None


@pytest.mark.parametrize(
    ("coupling", "reason"),
    [
        (
            lambda length, places: [tuple(range(1, length + 1))],
            "planted ids [1, 2, 6] are wider apart than 2",
        ),
        (lambda length, places: [(1,) * length], "an id of a token that is not planted occurs twice"),
        (lambda length, places: [tuple(range(length))], "ids are not places of the sequence"),
    ],
)
def test_what_is_no_local_coupling(coupling: Coupling, reason: str) -> None:
    fault = coupling_fault(far_token(5), coupling, 2, range(3, 10))
    assert fault is not None
    assert reason in fault


def test_ranks_must_not_depend_on_the_length() -> None:
    def changing(length: int, places: PlaceSet) -> list[tuple[int, ...]]:
        return (to_one_id if length > 6 else to_neighbours)(length, places)

    fault = coupling_fault(far_token(9), changing, 3, range(4, 9))
    assert fault == "length 7: ranks at the planted ids are distributed otherwise than at shorter lengths"
    with pytest.raises(InputError, match="at length 7 the ranks of"):
        coupled_ensemble(far_token(9), changing, ranks=[(1,), (2,), (3,)]).places(7)
    with pytest.raises(InputError, match="does not hold each rank once"):
        coupled_ensemble(far_token(9), to_one_id, ranks=[(1, 2)])
