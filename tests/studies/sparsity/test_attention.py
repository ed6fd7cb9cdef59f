"""Tests of `studies.sparsity.attention`."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, product
from math import comb, inf

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from longreach.errors import InputError
from longreach.studies.sparsity.attention import (
    Key,
    SparseAttention,
    Value,
    not_local,
    not_relative,
    place_sets,
    table_key,
    table_value,
    token_tuples,
    tuple_counts,
)
from tests.helpers.sparsity_oracle import FunctionHypothesis, attention


@dataclass(frozen=True, kw_only=True)
class Head:
    """Tokens are columns of the embedding."""

    key: np.ndarray
    query: np.ndarray
    value: np.ndarray
    output: np.ndarray
    embedding: np.ndarray
    query_vector: np.ndarray

    def literal(self, tokens: tuple[int, ...]) -> np.ndarray:
        """Keys, query and values token by token."""
        read = [self.embedding[:, token] for token in tokens]
        query = self.query @ self.query_vector
        weights = np.exp([query @ (self.key @ each) for each in read])
        weights /= weights.sum()
        return self.output @ sum(w * (self.value @ each) for w, each in zip(weights, read, strict=True))

    @property
    def sparse(self) -> SparseAttention:
        scores = (self.query @ self.query_vector) @ self.key @ self.embedding
        values = (self.output @ self.value @ self.embedding).T
        key = Key("head", lambda places, tokens: scores[tokens[..., 0]], position_free=True)
        return SparseAttention(key, Value("head", lambda tokens: values[tokens[..., 0]]), sparsity=1)


@pytest.mark.parametrize("seed", range(4))
def test_a_head_is_sparse_attention_with_one_token(seed: int) -> None:
    rng = np.random.default_rng(seed)
    inner, outer, count = 3, 2, 3
    head = Head(
        key=rng.normal(size=(inner, outer)), query=rng.normal(size=(inner, outer)),
        value=rng.normal(size=(inner, outer)), output=rng.normal(size=(outer, inner)),
        embedding=rng.normal(size=(outer, count)), query_vector=rng.normal(size=outer),
    )  # fmt: skip
    for length in (1, 2, 4):
        rows = np.array(list(product(range(count), repeat=length)))
        wanted = np.array([head.literal(tuple(row)) for row in rows.tolist()])
        np.testing.assert_allclose(head.sparse.quotient(rows).values, wanted, atol=1e-12)


def test_any_tables_are_a_head_with_a_dimension_per_token() -> None:
    rng = np.random.default_rng(0)
    scores, values = rng.normal(size=4), rng.normal(size=(4, 2))
    key, output, one = np.zeros((4, 4)), np.zeros((4, 4)), np.eye(4)
    key[0], output[:2] = scores, values.T
    found = Head(key=key, query=one, value=one, output=output, embedding=one, query_vector=one[0]).sparse
    tokens = np.arange(4)[:, None]
    np.testing.assert_allclose(found.key.score(tokens + 1, tokens), scores)
    np.testing.assert_allclose(found.value.value(tokens)[:, :2], values)


def test_one_dimension_is_not_enough() -> None:
    """Scores and values are multiples of one row, whatever the matrices: (0, 1) and (1, 0) are not."""
    rng = np.random.default_rng(1)
    for _ in range(20):
        parts = {name: rng.normal(size=(3, 1)) for name in ("key", "query", "value")}
        parts |= {"output": rng.normal(size=(1, 3)), "embedding": rng.normal(size=(1, 2))}
        head = Head(**parts, query_vector=rng.normal(size=1)).sparse
        tokens = np.arange(2)[:, None]
        both = np.stack([head.key.score(tokens, tokens), head.value.value(tokens)[:, 0]])
        assert abs(np.linalg.det(both)) < 1e-9


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


VOCABULARY = 2


@st.composite
def _cases(draw: st.DrawFn) -> tuple[int, int | None, dict, dict, list[int]]:
    sparsity = draw(st.integers(1, 3))
    tuples = list(product(range(VOCABULARY), repeat=sparsity))
    scores = {each: draw(st.sampled_from([-inf, -1.5, 0.0, 2.0])) for each in tuples}
    values = {each: (Fraction(draw(st.integers(0, 4)), 4),) for each in tuples}
    window = draw(st.none() | st.integers(0, 5))
    tokens = draw(st.lists(st.integers(0, VOCABULARY - 1), min_size=sparsity, max_size=7))
    return sparsity, window, scores, values, tokens


@given(_cases())
@settings(max_examples=150, deadline=None)
def test_it_is_the_full_sum_over_all_sets(case: tuple[int, int | None, dict, dict, list[int]]) -> None:
    sparsity, window, scores, values, tokens = case

    def key(places: tuple[int, ...], chosen: tuple[int, ...]) -> float:
        wide = window is not None and places[-1] - places[0] > window
        return -inf if wide else scores[chosen]

    found = SparseAttention(
        table_key("key", scores, vocabulary=VOCABULARY, window=window),
        table_value("value", values, vocabulary=VOCABULARY),
        sparsity,
    ).quotient(np.array([tokens]))
    wanted = attention(key, values.__getitem__, sparsity, tokens)
    np.testing.assert_allclose(found.values[0], wanted, rtol=1e-12, atol=1e-12)
    if found.exact:
        exact = Fraction(found.numerators[0, 0]) / Fraction(found.denominators[0])
        assert exact.limit_denominator(10**6) == exact
        assert float(exact) == pytest.approx(wanted[0], abs=1e-12)


@pytest.mark.parametrize("window", [1, 2, 4, None])
def test_local_sums_equal_full_sums_on_all_short_sequences(window: int | None) -> None:
    """Keys that look at places: with a window the sum runs over near sets, without it over all."""

    def score(places: np.ndarray, tokens: np.ndarray) -> np.ndarray:
        distance = places[..., 1] - places[..., 0]
        near = distance <= (window if window is not None else 9)
        return np.where(near & (tokens[..., 0] == 1), 0.25 * distance + 0.1 * places[..., 0], -np.inf)

    value = Value("value", lambda tokens: (tokens[..., :1] + 2.0 * tokens[..., 1:]) / 3)
    for length in range(2, 8):
        rows = np.array(list(product(range(2), repeat=length)))
        near, full = (SparseAttention(Key("key", score, each), value, 2) for each in (window, None))
        np.testing.assert_allclose(near.quotient(rows).values, full.quotient(rows).values, atol=1e-12)


def test_long_sequences_in_small_pieces_are_summed_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = np.random.default_rng(0).integers(0, 3, (3, 40))
    scores = {each: float(np.sin(7 * place)) * 300 for place, each in enumerate(product(range(3), repeat=2))}
    values = {each: (Fraction(place % 5, 4),) for place, each in enumerate(scores)}
    attention = SparseAttention(
        table_key("key", scores, vocabulary=3, window=6), table_value("value", values, vocabulary=3), 2
    )
    whole = attention.quotient(rows).values
    # One row at a time, and a few sets of it.
    monkeypatch.setattr("longreach.studies.sparsity.attention.CHUNK", 15)
    np.testing.assert_allclose(attention.quotient(rows).values, whole, rtol=1e-12)
    assert len(list(place_sets(40, 2, 6, 10))) > 3


def _pairs(window: int | None) -> SparseAttention:
    return SparseAttention(
        table_key("pairs", {(1, 1): 0.0}, vocabulary=2, window=window),
        table_value("both", {(1, 1): (1,)}, vocabulary=2),
        2,
    )


def test_length_10000() -> None:
    """Two planted tokens among 10,000; where nothing is near, the mean over all 49,995,000 sets, exactly."""
    rows = np.zeros((2, 10_000), dtype=np.int64)
    rows[0, [5000, 5008]] = rows[1, [5000, 5009]] = 1
    found = _pairs(8).quotient(rows)
    assert found.exact
    assert found.numerators[:, 0].tolist() == [1, 1]
    assert found.denominators.tolist() == [1, comb(10_000, 2)]


def test_a_window_without_room_for_a_set_gives_the_mean() -> None:
    assert _pairs(0).quotient(np.array([[1, 1, 0]])).values.tolist() == [[1 / 3]]


def test_sequences_shorter_than_a_set_are_refused() -> None:
    with pytest.raises(InputError, match="tokens: sequences of at least 2 tokens are needed, not of 1"):
        _pairs(None).quotient(np.array([[1]]))


def test_exactness_is_not_claimed_for_scores_or_values_that_round() -> None:
    rows = np.array([[0, 1, 1]])
    third = table_value("third", {(1, 1): (Fraction(1, 3),)}, vocabulary=2)
    half = table_value("half", {(1, 1): (Fraction(1, 2),)}, vocabulary=2)
    hard, soft = (table_key("key", {(1, 1): score}, vocabulary=2) for score in (0.0, 1.0))
    assert SparseAttention(hard, half, 2).quotient(rows).exact
    assert not SparseAttention(hard, third, 2).quotient(rows).exact
    assert not SparseAttention(soft, half, 2).quotient(rows).exact
    assert not FunctionHypothesis("tenth", lambda tokens: tokens[:, :1] * 0.1).quotient(rows + 1).exact


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
