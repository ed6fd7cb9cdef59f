"""Folded layer norms against the decoder whose norms divide by the same numbers."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from longreach.inspection.folded_norms import embedded_parts, fold, norm_names, norm_scales
from longreach.inspection.traced_forward import Changes, trace
from tests.helpers.inspected_models import lively, small_config

TOKENS = torch.tensor([[1, 2, 3, 4, 5], [1, 5, 5, 2, 4]])


@pytest.mark.parametrize("encoding", ["ape", "nope", "sinusoidal"])
@pytest.mark.parametrize("layer_norm", [True, False])
def test_first_logits_are_products_of_folded_maps(encoding: str, layer_norm: bool) -> None:
    """(K y_j + k)·(Q y_i + q), with y = E + p, is what the decoder with linear norms computes."""
    config = small_config(encoding, layer_norm=layer_norm)
    parameters = lively(config)
    plain = trace(parameters, config, TOKENS)
    scales = norm_scales(config, [(plain, torch.ones(TOKENS.shape, dtype=torch.bool))])
    assert set(scales) == set(norm_names(config))
    model = fold(parameters, config, scales)
    found = trace(parameters, config, TOKENS, changes=Changes(scales=scales) if layer_norm else None)
    positions = np.zeros((5, config.width)) if model.positions is None else model.positions[:5]
    for row, tokens in enumerate(TOKENS.tolist()):
        stream = model.embedding[tokens] + positions
        for number, head in enumerate(model.layers[0].heads):
            keys = stream @ head.key.matrix.T + head.key.constant
            queries = stream @ head.query.matrix.T + head.query.constant
            assert queries @ keys.T == pytest.approx(found.logits[0][row, number].numpy(), abs=1e-4)


def test_scales_are_averages_over_real_tokens() -> None:
    config = small_config("ape")
    found = trace(lively(config), config, TOKENS)
    mask = torch.tensor([[True, True, False, False, False], [True, False, False, False, False]])
    scales = norm_scales(config, [(found, mask)])
    values = [found.variances["norm"][0, 0], found.variances["norm"][0, 1], found.variances["norm"][1, 0]]
    assert scales["norm"] ** 2 == pytest.approx(float(sum(values)) / 3 + config.norm_epsilon)


def test_products_and_values_are_linear() -> None:
    config = small_config("ape")
    parameters = lively(config)
    model = fold(parameters, config, dict.fromkeys(norm_names(config), 1.5))
    head, rng = model.layers[1].heads[1], np.random.default_rng(0)
    keys, queries = rng.normal(size=(3, 8)), rng.normal(size=(4, 8))
    assert head.product(keys, queries).shape == (4, 3)
    assert head.product(2 * keys, queries) == pytest.approx(2 * head.product(keys, queries))
    # A constant vector is nothing to a layer norm.
    assert head.product(np.ones((1, 8)), queries) == pytest.approx(np.zeros((4, 1)), abs=1e-9)
    assert head.passed(keys).shape == (3, 8)


def test_what_enters_the_first_layer() -> None:
    config = small_config("sinusoidal")
    parameters = lively(config)
    embedding, positions = embedded_parts(parameters, config)
    assert positions is not None
    assert embedding == pytest.approx(parameters["embedding"].double().numpy() * 8**0.5, abs=1e-6)
    assert positions[0, :2] == pytest.approx([0, 1])
    assert embedded_parts(lively(small_config("t5")), small_config("t5"))[1] is None


def test_products_need_no_tokens() -> None:
    config = small_config("ape", tied=False)
    parameters, scales = lively(config), dict.fromkeys(norm_names(config), 1.2)
    whole, some = fold(parameters, config, scales), fold(parameters, config, scales, tokens=False)
    assert some.embedding.shape == (0, 8)
    assert some.read.matrix.shape == (0, 8)
    assert some.positions == pytest.approx(whole.positions)
    for one, other in zip(some.layers[1].heads, whole.layers[1].heads, strict=True):
        assert one.query.matrix == pytest.approx(other.query.matrix)
