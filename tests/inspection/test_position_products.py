"""Product functions against those of `longreach.limit`, and against the decoder's own logits."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from longreach.inspection.folded_norms import fold, norm_names
from longreach.inspection.position_products import (
    logits_of_weights,
    mean_logits,
    position_products,
    value_products,
)
from longreach.inspection.traced_forward import trace
from longreach.limit.model import Head, Layer, Transformer
from longreach.limit.translate.product_functions import POSITIONS, alpha
from tests.helpers.inspected_models import lively, small_config

TOKENS = torch.tensor([[1, 2, 3, 4, 5], [1, 5, 5, 2, 4]])


def _as_transformer(model: object) -> Transformer:
    """The same matrices as `longreach.limit` has them, keys on the left."""
    from longreach.inspection.folded_norms import FoldedModel

    assert isinstance(model, FoldedModel)
    assert model.positions is not None
    none = np.zeros((0, model.config.width))
    layers = tuple(
        Layer(
            tuple(
                Head(head.key.matrix.T @ head.query.matrix, head.out @ head.value.matrix)
                for head in layer.heads
            ),
            none, np.zeros(0), none.T, np.zeros(0, dtype=bool),
        )
        for layer in model.layers
    )  # fmt: skip
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
        wanted = alpha(oracle, each.layer, each.head, each.key_path, each.query_path, POSITIONS, POSITIONS)
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
