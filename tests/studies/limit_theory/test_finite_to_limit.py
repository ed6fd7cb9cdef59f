"""The reverse translation: equal outputs on all inputs up to the context."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from longreach.errors import InputError
from longreach.studies.limit_theory.finite_to_limit import period, to_limit
from longreach.theory.limit.finite import to_finite
from longreach.theory.limit.model import Layer, Transformer
from longreach.theory.limit.products import invariance, position_logits
from tests.helpers import exact_evaluator as exact
from tests.helpers.limit_members import random_member, rotated
from tests.helpers.limit_reference import outputs, random_limit, words


def assert_equal(model: Transformer, limit: Transformer) -> None:
    assert limit.kind == "limit"
    assert model.context is not None
    for word in words(model, model.context - 1):
        expected = outputs(limit, word)
        for offset in range(model.context - len(word)):
            np.testing.assert_allclose(outputs(model, word, offset), expected, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("repeat", [1, 2, 3])
def test_random_members_of_the_class(repeat: int) -> None:
    for seed in range(3):
        model = random_member(np.random.default_rng(seed), period=repeat, context=5)
        assert invariance(model).worst == 0
        limit = to_limit(model)
        assert limit.period <= repeat
        assert_equal(model, limit)


def test_members_in_another_basis_give_the_same_limit_transformer() -> None:
    rng = np.random.default_rng(10)
    model = random_member(rng, layers=2, heads=1, context=5)
    other = rotated(rng, model)
    assert invariance(other).worst == 0
    assert_equal(other, to_limit(other))
    np.testing.assert_array_equal(to_limit(other).embedding, to_limit(model).embedding)
    np.testing.assert_array_equal(to_limit(other).positions, to_limit(model).positions)


@pytest.mark.parametrize("repeat", [1, 2, 3])
def test_there_and_back(repeat: int) -> None:
    for seed in range(2):
        model = random_limit(np.random.default_rng(seed), period=repeat, outputs=2)
        finite = to_finite(model, 5)
        limit = to_limit(finite)
        assert_equal(finite, limit)
        for word in words(model, 4):
            np.testing.assert_allclose(outputs(limit, word), outputs(model, word), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("precision", [0, 1, 3])
def test_exactly_in_rational_arithmetic(precision: int) -> None:
    model = random_member(np.random.default_rng(1), heads=1, context=4, precision=precision)
    limit = to_limit(model)
    for word in words(model, 3):
        expected = exact.run(limit, word).outputs
        for offset in range(4 - len(word)):
            assert exact.run(model, word, offset).outputs == expected
    made = random_limit(np.random.default_rng(2), heads=1, precision=precision)
    finite = to_finite(made, 4)
    back = to_limit(finite)
    for word in words(made, 3):
        assert (
            exact.run(back, word).outputs == exact.run(finite, word).outputs == exact.run(made, word).outputs
        )


def test_the_width_does_not_depend_on_the_context() -> None:
    model = random_limit(np.random.default_rng(3), period=2, heads=1)
    widths = {to_limit(to_finite(model, n)).width for n in (6, 9, 14)}
    assert len(widths) == 1
    assert all(period(to_finite(model, n)) == 2 for n in (4, 9, 14))


def test_phi_is_the_product_of_positions() -> None:
    model = random_member(np.random.default_rng(4), context=5)
    limit = to_limit(model)
    for number, layer in enumerate(limit.layers):
        for h, head in enumerate(layer.heads):
            row = position_logits(model, number, h)[0]
            assert isinstance(head.phi, np.ndarray)
            np.testing.assert_array_equal(np.pad(head.phi, (0, 5 - len(head.phi))), row)


def test_nope_stays_nope() -> None:
    model = random_limit(np.random.default_rng(5), period=1, tau=-1)
    nope = dataclasses.replace(model, positions=np.zeros((1, 3)))
    limit = to_limit(to_finite(nope, 6))
    assert limit.positions.shape == (1, limit.width)
    assert not limit.positions.any()
    assert all(head.phi is None for layer in limit.layers for head in layer.heads)
    assert_equal(to_finite(nope, 6), limit)


def test_a_unit_without_weights_can_be_on() -> None:
    """Heaviside(0) = 1: no weights and no bias add a constant."""
    model = random_member(np.random.default_rng(6), layers=1, heads=1, units=3, context=4)
    layer = model.layers[0]
    a, b = layer.a.copy(), layer.b.copy()
    a[0], b[0], a[1], b[1] = 0, 0, 0, -1
    silent = Layer(layer.heads, a, b, layer.out, np.array([True, True, False]))
    changed = dataclasses.replace(model, layers=(silent,))
    limit = to_limit(changed)
    assert len(limit.layers[0].b) == 2
    assert_equal(changed, limit)


def test_without_a_period_the_context_is_one() -> None:
    """Products with one positional encoding that differ everywhere: not in Θ_n, still equal at offset 0."""
    model = random_member(np.random.default_rng(7), layers=1, heads=1, context=4)
    free = dataclasses.replace(model, unembedding=model.unembedding + np.eye(2, model.width, k=3))
    assert invariance(free).worst > 0
    limit = to_limit(free)
    for word in words(free, 3):
        np.testing.assert_allclose(outputs(limit, word), outputs(free, word), rtol=1e-9, atol=1e-9)


def test_refusals() -> None:
    with pytest.raises(InputError, match="finite transformer"):
        to_limit(random_limit(np.random.default_rng(0)))
    model = random_member(np.random.default_rng(8), layers=1, heads=1)
    moved = dataclasses.replace(model, positions=model.positions * np.arange(1, 7)[:, None])
    with pytest.raises(InputError, match=r"layer\.0\.head\.0: .* not translation-invariant"):
        to_limit(moved)
