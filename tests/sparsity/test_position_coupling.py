from __future__ import annotations

from collections import Counter, defaultdict
from fractions import Fraction
from math import inf

import numpy as np
import pytest

from longreach.errors import InputError
from longreach.sparsity.coupled_tokens import CoupledVocabulary
from longreach.sparsity.coupling_examples import far_token, far_token_class, to_neighbours, to_one_id
from longreach.sparsity.key_properties import not_local, not_relative
from longreach.sparsity.planted_ensemble import PlantedEnsemble
from longreach.sparsity.position_coupling import (
    Coupling,
    couple,
    coupled_class,
    coupled_ensemble,
    coupled_key,
    coupling_fault,
)
from longreach.sparsity.position_law import PlaceSet, uniform_sets
from longreach.sparsity.sparse_attention import Key, SparseAttention, table_key, table_value
from tests.helpers.sparsity_oracle import attention, coupled_distribution

HALF, ONE = Fraction(1, 2), Fraction(1)
PAIRS = PlantedEnsemble(
    background=(HALF, HALF, Fraction(0)),
    places=uniform_sets(
        lambda length: iter([(0, 1), (0, 2), (0, length - 1)] if length > 3 else [(0, 1), (0, 2)])
    ),
    planted={(2, 1): HALF, (1, 2): HALF},
    label={(2, 1): (ONE,), (1, 2): (Fraction(0),)},
)
WORDS = CoupledVocabulary(3, 2)


@pytest.mark.parametrize(("coupling", "ranks"), [(to_one_id, [(1, 2)]), (to_neighbours, [(1,), (2,)])])
@pytest.mark.parametrize("length", [3, 4])
def test_the_coupled_ensemble_has_the_law_of_equation_19(
    coupling: Coupling, ranks: list[tuple[int, ...]], length: int
) -> None:
    ensemble = coupled_ensemble(PAIRS, coupling, ranks=ranks)
    whole = ensemble.outcomes(length)
    found = defaultdict(Fraction)
    rows = zip(whole.examples.tokens.tolist(), whole.examples.labels.tolist(), whole.weights, strict=True)
    for tokens, label, weight in rows:
        found[tuple(map(WORDS.pairs, tokens)), ensemble.labels[label]] += weight
    assert found == coupled_distribution(PAIRS, coupling, length)


def test_coupling_drawn_sequences_gives_the_same_law() -> None:
    rng = np.random.default_rng(0)
    drawn = couple(PAIRS.draw_planted(3, 5000, rng), to_one_id, PAIRS, rng)
    counts = Counter(
        (tuple(map(WORDS.pairs, tokens)), PAIRS.labels[label])
        for tokens, label in zip(drawn.tokens.tolist(), drawn.labels.tolist(), strict=True)
    )
    exact = coupled_distribution(PAIRS, to_one_id, 3)
    assert counts.keys() <= exact.keys()
    assert max(abs(counts[each] / 5000 - float(weight)) for each, weight in exact.items()) < 0.025


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
            for rank, token in words.pairs(number):
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
    assert reason in str(fault)


def test_ranks_must_not_depend_on_the_length() -> None:
    def changing(length: int, places: PlaceSet) -> list[tuple[int, ...]]:
        return (to_one_id if length > 6 else to_neighbours)(length, places)

    fault = coupling_fault(far_token(9), changing, 3, range(4, 9))
    assert fault is not None
    assert (fault.length, "distributed otherwise" in fault.reason) == (7, True)
    with pytest.raises(InputError, match="at length 7 the ranks of"):
        coupled_ensemble(far_token(9), changing, ranks=[(1,), (2,), (3,)]).places(7)
    with pytest.raises(InputError, match="does not hold each rank once"):
        coupled_ensemble(far_token(9), to_one_id, ranks=[(1, 2)])


def test_keys_that_look_at_places_cannot_be_coupled() -> None:
    key = Key("first", lambda places, tokens: -places[..., 0].astype(float))
    with pytest.raises(InputError, match="key: first looks at places"):
        coupled_key(key, WORDS, 2)
    assert all(each.key.position_free for each in far_token_class())
