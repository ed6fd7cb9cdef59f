"""Product functions: their values, and translation invariance of T_n."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from longreach.theory.limit.finite import SELF_LOGIT, to_finite
from longreach.theory.limit.model import Transformer
from longreach.theory.limit.products import (
    EMBEDDINGS,
    POSITIONS,
    Group,
    groups,
    invariance,
    passed,
    position_logits,
    readers,
    term_8,
)
from tests.helpers.limit_reference import random_limit
from tests.helpers.product_functions import term_67, value_product


def as_finite(model: Transformer) -> Transformer:
    """The same parameters read as a finite transformer, with the given positions as its context."""
    layers = tuple(
        dataclasses.replace(layer, heads=tuple(dataclasses.replace(head, phi=None) for head in layer.heads))
        for layer in model.layers
    )
    return dataclasses.replace(model, kind="finite", layers=layers)


def test_all_paths_are_listed() -> None:
    model = as_finite(random_limit(np.random.default_rng(1), period=3, width=4, layers=2, heads=2))
    found = {each.path: each.columns for each in passed(model, EMBEDDINGS)}
    assert len(found) <= 9
    for path in [(), ((0, 0),), ((1, 1),), ((0, 1), (1, 0))]:
        np.testing.assert_array_equal(found[path], value_product(model, path) @ model.embedding.T)
    assert {each.path for each in passed(model, Group("B", 0), relevant=True)} <= {(), ((1, 0),), ((1, 1),)}
    assert set(map(str, groups(model))) == {"p", "E", "layer.0.B", "layer.1.B"}
    assert set(map(str, readers(model))) == {"layer.0.A", "layer.1.A", "U"}


@pytest.mark.parametrize("period", [1, 2, 3])
def test_products_of_translated_models_are_invariant(period: int) -> None:
    for seed in range(4):
        model = random_limit(np.random.default_rng(seed), period=period)
        result = invariance(to_finite(model, 9))
        assert result.worst == 0
        assert result.pairs > 0


def test_the_simple_translation_is_not_invariant_and_the_worst_is_named() -> None:
    """p itself as positional encoding: outputs agree, products are not invariant (proof of Lemma 47)."""
    model = as_finite(random_limit(np.random.default_rng(2), period=5))
    result = invariance(model)
    assert result.worst > 0
    assert result.where
    # The reported value is the largest of those that the definition asks for.
    largest = 0.0
    for each in passed(model, POSITIONS):
        for rows in readers(model).values():
            largest = max(largest, float(np.ptp(rows @ each.columns, axis=1).max()))
    assert result.worst >= largest


def test_only_keys_before_queries_count_between_encodings() -> None:
    model = as_finite(random_limit(np.random.default_rng(3), period=4, width=4, layers=1, heads=1, units=0))
    head = dataclasses.replace(
        model.layers[0].heads[0], v=np.zeros((4, 4)), kq=np.tril(np.arange(16.0).reshape(4, 4), -1)
    )
    layer = dataclasses.replace(model.layers[0], heads=(head,))
    silent = dataclasses.replace(
        model,
        positions=np.eye(4),
        embedding=0 * model.embedding,
        layers=(layer,),
        unembedding=0 * model.unembedding,
    )
    np.testing.assert_array_equal(position_logits(silent, 0, 0), head.kq)
    assert invariance(silent).worst == 0
    ahead = dataclasses.replace(head, kq=np.diag([1.0, 1.0, 1.0, 3.0]))
    broken = dataclasses.replace(silent, layers=(dataclasses.replace(layer, heads=(ahead,)),))
    assert invariance(broken).worst == 2
    assert invariance(broken).where == "α layer.0.head.0: key p, query p"


def test_term_8_is_bounded_in_the_context() -> None:
    model = random_limit(np.random.default_rng(4), period=3, tau=4)
    bound = SELF_LOGIT**2 + sum(
        float(np.sum(head.phi**2))
        for layer in model.layers
        for head in layer.heads
        if isinstance(head.phi, np.ndarray)
    )
    values = [term_8(to_finite(model, n)) for n in (2, 5, 10, 50, 100)]
    assert values == sorted(values)
    assert values[1:] == [bound] * 4
    assert term_67(to_finite(model, 50)) <= bound
