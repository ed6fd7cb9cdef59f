"""Tests of `inspection.trace`."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from longreach.inspection.trace import (
    Changes,
    broken_gelu,
    by_distance,
    embedded_parts,
    fold,
    norm_names,
    norm_scales,
    trace,
)
from longreach.models.decoder import ENCODING_MODULES, forward
from tests.helpers.inspected_models import lively, small_config

# Folded layer norms against the decoder whose norms divide by the same numbers.


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


LONGER = torch.tensor([[1, 2, 3, 4, 5, 2, 3], [1, 5, 5, 2, 4, 3, 3]])


@pytest.mark.parametrize("encoding", ENCODING_MODULES)
@pytest.mark.parametrize(("log_length", "scaled_bias"), [(False, True), (True, True), (True, False)])
def test_it_is_the_decoder(encoding: str, log_length: bool, scaled_bias: bool) -> None:
    config = small_config(encoding, log_length=log_length, scaled_bias=scaled_bias)
    parameters, ids = lively(config), torch.arange(7) + 4
    prefixes = torch.arange(1, 8)[None]
    found = trace(parameters, config, LONGER, ids)
    wanted = forward(parameters, config, LONGER, ids, lengths=prefixes)
    assert torch.allclose(found.outputs, wanted, atol=1e-5)
    assert [each.shape for each in found.weights] == [(2, 2, 7, 7)] * 2
    sums = torch.stack([each.sum(-1) for each in found.weights])
    if encoding in ("stick-breaking", "reach"):
        assert sums.max() < 1 + 1e-6
        assert sums.min() > (0 if encoding == "stick-breaking" else -1e-6)  # strict heads see no first token
    else:
        assert torch.allclose(sums, torch.ones(()))
    whole = torch.tensor([7, 7])
    assert torch.allclose(
        trace(parameters, config, LONGER, ids, lengths=whole).outputs,
        forward(parameters, config, LONGER, ids, lengths=whole),
        atol=1e-5,
    )


@pytest.mark.parametrize("options", [{"layer_norm": False}, {"tied": False}, {"mlp_ratio": 2}])
def test_other_shapes(options: dict[str, object]) -> None:
    config = small_config("ape", **options)
    parameters = lively(config)
    assert torch.allclose(
        trace(parameters, config, LONGER, keep=False).outputs,
        forward(parameters, config, LONGER),
        atol=1e-5,
    )


@pytest.mark.parametrize("encoding", ["nope", "ape", "rope", "alibi"])
@pytest.mark.parametrize("place", [0, 3, 5])
def test_a_hidden_token_is_as_good_as_none(encoding: str, place: int) -> None:
    """The others compute what they compute without it, at the positions that they had."""
    config = small_config(encoding, log_length=True)
    parameters = lively(config)
    hidden = torch.arange(7) == place
    lengths = torch.arange(1, 8)[None] - hidden.long().cumsum(0)[None]
    found = trace(parameters, config, LONGER, lengths=lengths.clamp(min=1), hidden=hidden)
    left = ~hidden
    wanted = forward(
        parameters,
        config,
        LONGER[:, left],
        torch.arange(7)[left],
        lengths=torch.arange(1, 7)[None],
    )
    assert torch.allclose(found.outputs[:, left], wanted, atol=1e-5)
    assert all(float(each[..., left, :][..., place].abs().max()) == 0 for each in found.weights)
    # By row: what is hidden in one is seen in the other.
    by_row = trace(parameters, config, LONGER, hidden=torch.stack([hidden, hidden & False]))
    assert torch.allclose(by_row.outputs[1], trace(parameters, config, LONGER).outputs[1], atol=1e-5)


def test_changes_that_change_nothing() -> None:
    """The same table, no φ, and scales that are those of the one token that is looked at."""
    config = small_config("ape")
    parameters = lively(config)
    same = Changes(positions=parameters["positions"], phi=[torch.zeros(2, 0)] * 2)
    plain = trace(parameters, config, LONGER)
    assert torch.allclose(trace(parameters, config, LONGER, changes=same).outputs, plain.outputs, atol=1e-6)
    alone = trace(parameters, config, LONGER[:1, :1])
    scales = {
        name: float((value[0, 0] + config.norm_epsilon).sqrt()) for name, value in alone.variances.items()
    }
    linear = trace(parameters, config, LONGER[:1, :1], changes=Changes(scales=scales))
    assert torch.allclose(linear.outputs, alone.outputs, atol=1e-4)


def test_phi_is_added_by_distance() -> None:
    config = small_config("nope")
    parameters = lively(config)
    phi = torch.tensor([[0.0, 30.0], [0.0, 0.0]])
    found = trace(parameters, config, LONGER, changes=Changes(phi=[phi, phi]))
    before = found.weights[0][:, 0].diagonal(-1, dim1=-2, dim2=-1)
    assert float(before.min()) > 0.99
    assert by_distance(torch.tensor([[5.0, 7.0]]), 3)[0].tolist() == [[5, 0, 0], [7, 5, 0], [0, 7, 5]]


def test_a_broken_line_is_a_sum_of_relus() -> None:
    line = broken_gelu(8)
    assert len(line.knots) == len(line.steps) == 8
    far = torch.tensor([-100.0, 100.0])
    assert line(far).tolist() == pytest.approx([0, 100], abs=1e-3)
