"""Tests of `inspection.positions`."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from longreach.errors import InputError
from longreach.inspection.positions import (
    by_distance,
    diagonal_means,
    fit_positions,
    invariant_version,
    logits_of_weights,
    mean_logits,
    offset_variance,
    position_products,
    total_variance,
    value_products,
    window_offsets,
    window_shift,
    window_weights,
)
from longreach.inspection.trace import fold, norm_names, trace
from longreach.theory.limit.model import Array, Head, Layer, Transformer
from tests.helpers.inspected_models import lively, small_config
from tests.helpers.product_functions import alpha_of_positions

# Equations 80 and 81, against a literal reading of them.


MATRICES = st.integers(1, 7).flatmap(
    lambda size: arrays(np.float64, (size, size), elements=st.floats(-5, 5, width=32))
)


def _literal_means(matrix: Array) -> list[float]:
    """Equation 80, sum by sum."""
    size = len(matrix)
    return [sum(matrix[i][i - c] for i in range(c, size)) / (size - c) for c in range(size)]


def _literal_variance(matrix: Array) -> float:
    """Equation 81, sum by sum."""
    size, means = len(matrix), _literal_means(matrix)
    total = sum((matrix[i][j] - means[i - j]) ** 2 for i in range(size) for j in range(i + 1))
    return float(2 / (size * (size + 1)) * total)


@given(MATRICES)
@settings(max_examples=60, deadline=None)
def test_the_equations(matrix: Array) -> None:
    assert diagonal_means(matrix) == pytest.approx(_literal_means(matrix), abs=1e-9)
    assert offset_variance(matrix) == pytest.approx(_literal_variance(matrix), abs=1e-9)
    assert offset_variance(matrix) <= total_variance(matrix) + 1e-9


@given(MATRICES)
@settings(max_examples=30, deadline=None)
def test_what_follows_the_query_does_not_count(matrix: Array) -> None:
    other = np.where(np.tri(len(matrix), dtype=bool), matrix, 99.0)
    assert offset_variance(matrix) == pytest.approx(offset_variance(other))
    assert offset_variance(invariant_version(matrix)) == pytest.approx(0, abs=1e-12)
    assert diagonal_means(invariant_version(matrix)) == pytest.approx(diagonal_means(matrix))


def test_known_values() -> None:
    """A function of the distance has none; one of the query alone has the variance of what it is."""
    distances = np.subtract.outer(np.arange(6.0), np.arange(6.0))
    assert offset_variance(np.exp(-distances)) == pytest.approx(0)
    rows = np.repeat(np.arange(3.0)[:, None], 3, axis=1)
    # Diagonals 0: 0 1 2, 1: 1 2, 2: 2; squares 1 + 0 + 1, 1/4 + 1/4, 0.
    assert offset_variance(rows) == pytest.approx(2 / 12 * 2.5)


def test_windows() -> None:
    matrix = by_distance(np.array([0.0, math.log(3)]), 8)
    weights = window_weights(matrix, 3, 4)
    assert weights == pytest.approx(np.array([[1, 0, 0], [3 / 4, 1 / 4, 0], [1 / 5, 3 / 5, 1 / 5]]))
    assert window_weights(0 * matrix, 3, 0)[2] == pytest.approx([1 / 3] * 3)
    assert window_shift(matrix, 3).distance == pytest.approx(0)
    assert window_offsets(8, 3) == (0, 1, 2, 4, 5)
    moving = np.diag([0.0] * 4 + [50.0] * 4)  # early queries look everywhere, late ones at themselves
    found = window_shift(moving, 2)
    # Query 0 is the same in all five; query 1 has ½ ½ at the offsets 0 and 2, and then 0 1: 6 of 10 pairs.
    assert found.distance == pytest.approx(0.25 * 6 / 10)
    with pytest.raises(InputError, match="does not fit"):
        window_weights(matrix, 9, 0)
    with pytest.raises(InputError, match="square"):
        offset_variance(np.zeros((2, 3)))


def _matrix(function: object, size: int = 36) -> Array:
    assert callable(function)
    return by_distance(np.array([float(function(distance)) for distance in range(size)]), size)


@pytest.mark.parametrize("back", [0, 1, 4])
def test_one_distance_is_local(back: int) -> None:
    found = fit_positions(_matrix(lambda distance: 6.0 * (distance == back)))
    assert (found.shape, found.local_to, found.period) == ("local", back, 1)
    assert found.residual == pytest.approx(0, abs=1e-6)
    assert found.local[back] == pytest.approx(6)
    assert found.at(np.arange(10)) == pytest.approx(6.0 * (np.arange(10) == back), abs=1e-6)


@pytest.mark.parametrize("period", [2, 3, 5])
def test_a_residue_is_periodic(period: int) -> None:
    found = fit_positions(_matrix(lambda distance: 2.0 * (distance % period == 1)))
    assert (found.shape, found.local_to, found.period) == ("periodic", -1, period)
    assert found.unexplained == pytest.approx(0, abs=1e-9)


def test_both_at_once() -> None:
    found = fit_positions(_matrix(lambda distance: 3.0 * (distance == 1) + 2.0 * (distance % 2)))
    assert found.words == "local and periodic τ=1 Δ=2"
    assert (found.shape, found.local_to, found.period) == ("local and periodic", 1, 2)
    assert found.local[1] == pytest.approx(3)


def test_what_is_neither() -> None:
    rng = np.random.default_rng(0)
    assert fit_positions(_matrix(lambda distance: rng.normal())).shape == "neither"
    absolute = np.repeat(rng.normal(size=(36, 1)), 36, axis=1)  # the query alone
    found = fit_positions(absolute)
    assert found.shape == "neither"
    assert found.words.startswith("neither")
    assert found.by_offsets > 0.5


def test_what_is_constant() -> None:
    found = fit_positions(np.full((20, 20), 4.0))
    assert (found.shape, found.local_to, found.period) == ("constant", -1, 1)
    assert found.periodic.tolist() == [4.0]
    assert (found.residual, found.unexplained) == (0, 0)


@given(st.integers(1, 4), st.integers(-1, 4), st.integers(0, 2**32 - 1), st.sampled_from([0.0, 0.02]))
@settings(max_examples=40, deadline=None)
def test_the_residual_is_what_is_left(period: int, local_to: int, seed: int, noise: float) -> None:
    """Whatever is found, its residual is the distance of the matrix from what it says, entry by entry."""
    rng = np.random.default_rng(seed)
    periodic, local = rng.normal(size=period), rng.normal(size=local_to + 1)
    values = periodic[np.arange(30) % period]
    values[: local_to + 1] += local
    matrix = by_distance(values, 30) + noise * rng.normal(size=(30, 30))
    found = fit_positions(matrix)
    said = by_distance(found.at(np.arange(30)), 30)
    lower = np.tril_indices(30)
    assert found.residual == pytest.approx(np.sqrt(np.mean((matrix - said)[lower] ** 2)), abs=1e-6)
    if noise == 0:
        assert found.residual == pytest.approx(0, abs=1e-4)
        assert found.period + found.local_to <= period + local_to


def _literal(matrix: Array, most_period: int, most_local: int) -> tuple[int, int, float]:
    """Every Δ and τ by least squares over the means, each as often as its diagonal has entries."""
    size = len(matrix)
    means = np.array([np.diagonal(matrix, -distance).mean() for distance in range(size)])
    root = np.sqrt(np.arange(size, 0, -1))
    best: tuple[float, int, int, int] | None = None
    for period in range(1, most_period + 1):
        for local_to in range(-1, most_local + 1):
            columns = [np.arange(size) % period == residue for residue in range(period)]
            columns += [np.arange(size) == distance for distance in range(local_to + 1)]
            design = np.stack(columns, axis=1).astype(float)
            solution = np.linalg.lstsq(design * root[:, None], means * root, rcond=None)[0]
            left = float((((means - design @ solution) * root) ** 2).sum() / (size * (size + 1) / 2))
            numbers = period + local_to + 1
            criterion = size * np.log(left + 1e-12) + numbers * np.log(size)
            if best is None or (criterion, numbers) < (best[0] - 1e-7, best[1]):
                best = (criterion, numbers, period, local_to)
    assert best is not None
    return best[2], best[3], best[0]


@given(st.integers(0, 2**32 - 1), st.integers(12, 20))
@settings(max_examples=15, deadline=None)
def test_the_best_of_all_fits(seed: int, size: int) -> None:
    """Random matrices with something local and something periodic in them."""
    rng = np.random.default_rng(seed)
    values = 2 * rng.normal(size=3)[np.arange(size) % 3] * (rng.random() < 0.5)
    values[: int(rng.integers(0, 4))] += 3
    matrix = by_distance(values, size) + 0.3 * rng.normal(size=(size, size))
    found = fit_positions(matrix)
    period, local_to, _ = _literal(matrix, size // 3, size // 3 - 1)
    assert (found.period, found.local_to) == (period, local_to)


# Product functions against those of `longreach.theory.limit`, and against the decoder's own logits.


TOKENS = torch.tensor([[1, 2, 3, 4, 5], [1, 5, 5, 2, 4]])


def _as_transformer(model: object) -> Transformer:
    """The same matrices as `longreach.theory.limit` has them, keys on the left."""
    from longreach.inspection.trace import FoldedModel

    assert isinstance(model, FoldedModel)
    assert model.positions is not None
    layers = tuple(
        Layer.attention_only(
            *(
                Head(head.key.matrix.T @ head.query.matrix, head.out @ head.value.matrix)
                for head in layer.heads
            )
        )
        for layer in model.layers
    )
    names = ("$", *map(str, range(1, len(model.embedding))))
    return Transformer("finite", names, model.embedding, model.positions, layers, np.zeros((1, 8)))


def test_they_are_alpha() -> None:
    """α of Definition 43, transposed: there keys are rows."""
    config = small_config("ape")
    parameters = lively(config)
    model = fold(parameters, config, dict.fromkeys(norm_names(config), 0.8))
    oracle = _as_transformer(model)
    found = list(position_products(model, parameters))
    assert [(each.layer, each.head) for each in found] == [(0, 0), (0, 1), (1, 0), (1, 1)]
    every = [*found, *value_products(model)]
    # Layer 1 has four ways to pass V of layer 0 as a key or a query, and four as both, for each head.
    assert len(every) == 4 + 2 * (4 + 4)
    for each in every:
        wanted = alpha_of_positions(oracle, each.layer, each.head, each.key_path, each.query_path)
        assert each.matrix == pytest.approx(wanted.T, abs=1e-9), each.name
    assert next(position_products(model, parameters, size=7)).matrix.shape == (7, 7)


def test_biases_by_distance_stand_in_for_products() -> None:
    config = small_config("alibi")
    parameters = lively(config)
    model = fold(parameters, config, dict.fromkeys(norm_names(config), 1.0))
    first, second, *_ = position_products(model, parameters, size=4)
    assert first.matrix[3].tolist() == pytest.approx([-0.1875, -0.125, -0.0625, 0])
    assert second.matrix[3, 0] == pytest.approx(-3 / 256)
    assert list(value_products(model)) == []


def test_logits_from_weights_and_from_the_model_agree() -> None:
    config = small_config("rope")
    found = trace(lively(config), config, TOKENS)
    for layer, logits in enumerate(mean_logits(found)):
        from_weights = logits_of_weights(found.weights[layer].double().numpy())
        assert logits == pytest.approx(from_weights, abs=1e-4)
        causal = np.tri(5)
        assert (logits * causal).sum(axis=-1) == pytest.approx(np.zeros((2, 5)), abs=1e-9)
    weights = np.array([[[[1.0, 0.0], [1.0, 0.0]]]])
    assert np.isfinite(logits_of_weights(weights)).all()
