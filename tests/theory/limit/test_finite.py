"""T_n equals the limit transformer on every input and at every offset."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from longreach.theory.limit.finite import (
    MORE_THAN_UNIFORM,
    RESIDUE_LOGIT,
    SELF_LOGIT,
    least_period,
    to_finite,
)
from longreach.theory.limit.model import Transformer
from tests.helpers import exact_evaluator as exact
from tests.helpers.limit_reference import outputs, random_limit, words


def assert_equal_everywhere(model: Transformer, finite: Transformer, longest: int) -> None:
    context = finite.context
    assert context is not None
    for word in words(model, min(longest, context - 1)):
        expected = outputs(model, word)
        for offset in range(context - len(word)):
            np.testing.assert_allclose(outputs(finite, word, offset), expected, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("period", [1, 2, 3, 5])
def test_random_models_agree_on_all_short_words_at_every_offset(period: int) -> None:
    for seed in range(6):
        model = random_limit(np.random.default_rng(seed), period=period, outputs=2)
        assert_equal_everywhere(model, to_finite(model, 7), longest=4)


@pytest.mark.parametrize("context", [1, 2, 3, 4])
def test_contexts_shorter_than_the_period_and_the_locality(context: int) -> None:
    model = random_limit(np.random.default_rng(7), period=5, tau=6, precision=None)
    assert_equal_everywhere(model, to_finite(model, context), longest=3)


@pytest.mark.parametrize("period", [2, 4, 7])
def test_long_words(period: int) -> None:
    rng = np.random.default_rng(3)
    model = random_limit(rng, period=period, layers=1, heads=1)
    finite = to_finite(model, 150)
    for length in [1, 20, 100, 149]:
        word = tuple(rng.choice(["a", "b"], length))
        for offset in {0, (149 - length) // 2, 149 - length}:
            np.testing.assert_allclose(
                outputs(finite, word, offset), outputs(model, word), atol=1e-9, rtol=1e-9
            )


@pytest.mark.slow
@pytest.mark.parametrize("precision", [0, 1, 2, 4])
@pytest.mark.parametrize("period", [1, 2, 3])
def test_exactly_in_rational_arithmetic(period: int, precision: int) -> None:
    """With rounding, floating point could fall on the other side of a tie; here nothing is lost."""
    for seed in range(2):
        model = random_limit(np.random.default_rng(seed), period=period, precision=precision)
        finite = to_finite(model, 5)
        for word in words(model, 3):
            expected = exact.run(model, word).outputs
            for offset in range(5 - len(word)):
                assert exact.run(finite, word, offset).outputs == expected


def test_shape_of_the_construction() -> None:
    model = random_limit(np.random.default_rng(0), period=3, width=4, layers=2, heads=6)
    finite = to_finite(model, 10)
    assert finite.width == 4 + 10 + 3 * 3 + 2
    assert len(finite.layers) == 4
    assert max(len(layer.heads) for layer in finite.layers) == 6
    assert [len(layer.heads) for layer in finite.layers] == [1, 4, 6, 6]
    assert finite.context == 10
    assert finite.coordinates["seen:3"] == finite.width - 1
    assert len(set(finite.coordinates.values())) == finite.width - 4


def test_a_period_longer_than_the_least_one_is_shortened() -> None:
    model = random_limit(np.random.default_rng(1), period=2)
    doubled = dataclasses.replace(model, positions=np.vstack([model.positions] * 3))
    assert least_period(doubled.positions) == 2
    assert to_finite(doubled, 9).width == to_finite(model, 9).width


def test_no_positions_gives_nope_without_added_layers() -> None:
    model = random_limit(np.random.default_rng(2), period=2, tau=-1)
    nope = dataclasses.replace(model, positions=np.zeros((2, 3)))
    finite = to_finite(nope, 8)
    assert finite.width == 3
    assert len(finite.layers) == len(nope.layers)
    assert not finite.positions.any()
    assert_equal_everywhere(nope, finite, longest=4)


def test_a_constant_encoding_goes_to_the_embedding() -> None:
    model = random_limit(np.random.default_rng(4), period=1, tau=2)
    finite = to_finite(model, 8)
    assert finite.width == 3 + 8
    assert len(finite.layers) == len(model.layers)
    np.testing.assert_array_equal(finite.embedding[:, :3], model.embedding + model.positions[0])


@pytest.mark.parametrize("precision", [None, 0, 1, 2, 3, 5, 12])
def test_the_second_layer_tells_residues_apart_with_a_margin(precision: int | None) -> None:
    """The weight on $ over the uniform weight: at least 1.36 at the right distance, at most 1 otherwise."""

    def rounded(x: np.ndarray) -> np.ndarray:
        return x if precision is None else np.floor(x * 2.0**precision + 0.5) / 2.0**precision

    right, wrong = [], []
    for length in [*range(2, 24), 64, 200]:
        place = np.arange(length)
        weights = np.tril(rounded(np.exp(np.log(length) * SELF_LOGIT * np.eye(length))))
        weights /= weights.sum(axis=1, keepdims=True)
        for period in (2, 3, 4, 7):
            mixed = weights @ np.eye(period)[place % period]
            for distance in range(period):
                logits = rounded(RESIDUE_LOGIT * np.roll(mixed, -distance, axis=1) @ mixed.T)
                powers = np.tril(rounded(np.exp(np.log(length) * logits)))
                ratio = powers[:, 0] / powers.sum(axis=1) * (place + 1)
                here = place % period == distance
                right += ratio[1:][here[1:]].tolist()
                wrong += ratio[1:][~here[1:]].tolist()
    assert min(right) > 1.36
    assert max(wrong) < 1 + 1e-12
    assert 1.1 < MORE_THAN_UNIFORM < 1.3


def test_a_context_of_512_is_built_quickly() -> None:
    model = random_limit(np.random.default_rng(6), period=3, width=12, layers=4, heads=3)
    finite = to_finite(model, 512)
    assert finite.width == 12 + 512 + 11
