"""The traced decoder is the decoder, and hiding a token is removing it from attention."""

from __future__ import annotations

import pytest
import torch

from longreach.inspection.traced_forward import Changes, broken_gelu, by_distance, trace
from longreach.models.encoding_lookup import ENCODING_MODULES
from longreach.models.transformer import forward
from tests.helpers.inspected_models import lively, small_config

TOKENS = torch.tensor([[1, 2, 3, 4, 5, 2, 3], [1, 5, 5, 2, 4, 3, 3]])


@pytest.mark.parametrize("encoding", ENCODING_MODULES)
@pytest.mark.parametrize("log_length", [False, True])
def test_it_is_the_decoder(encoding: str, log_length: bool) -> None:
    config = small_config(encoding, log_length=log_length)
    parameters, ids = lively(config), torch.arange(7) + 4
    prefixes = torch.arange(1, 8)[None]
    found = trace(parameters, config, TOKENS, ids)
    wanted = forward(parameters, config, TOKENS, ids, lengths=prefixes)
    assert torch.allclose(found.outputs, wanted, atol=1e-5)
    assert [each.shape for each in found.weights] == [(2, 2, 7, 7)] * 2
    assert all(torch.allclose(each.sum(-1), torch.ones(())) for each in found.weights)
    whole = torch.tensor([7, 7])
    assert torch.allclose(
        trace(parameters, config, TOKENS, ids, lengths=whole).outputs,
        forward(parameters, config, TOKENS, ids, lengths=whole),
        atol=1e-5,
    )


@pytest.mark.parametrize("options", [{"layer_norm": False}, {"tied": False}, {"mlp_ratio": 2}])
def test_other_shapes(options: dict[str, object]) -> None:
    config = small_config("ape", **options)
    parameters = lively(config)
    assert torch.allclose(
        trace(parameters, config, TOKENS, keep=False).outputs, forward(parameters, config, TOKENS), atol=1e-5
    )


@pytest.mark.parametrize("encoding", ["nope", "ape", "rope", "alibi"])
@pytest.mark.parametrize("place", [0, 3, 5])
def test_a_hidden_token_is_as_good_as_none(encoding: str, place: int) -> None:
    """The others compute what they compute without it, at the positions that they had."""
    config = small_config(encoding, log_length=True)
    parameters = lively(config)
    hidden = torch.arange(7) == place
    lengths = torch.arange(1, 8)[None] - hidden.long().cumsum(0)[None]
    found = trace(parameters, config, TOKENS, lengths=lengths.clamp(min=1), hidden=hidden)
    left = ~hidden
    wanted = forward(
        parameters, config, TOKENS[:, left], torch.arange(7)[left], lengths=torch.arange(1, 7)[None]
    )
    assert torch.allclose(found.outputs[:, left], wanted, atol=1e-5)
    assert all(float(each[..., left, :][..., place].abs().max()) == 0 for each in found.weights)
    # By row: what is hidden in one is seen in the other.
    by_row = trace(parameters, config, TOKENS, hidden=torch.stack([hidden, hidden & False]))
    assert torch.allclose(by_row.outputs[1], trace(parameters, config, TOKENS).outputs[1], atol=1e-5)


def test_changes_that_change_nothing() -> None:
    """The same table, no φ, and scales that are those of the one token that is looked at."""
    config = small_config("ape")
    parameters = lively(config)
    same = Changes(positions=parameters["positions"], phi=[torch.zeros(2, 0)] * 2)
    plain = trace(parameters, config, TOKENS)
    assert torch.allclose(trace(parameters, config, TOKENS, changes=same).outputs, plain.outputs, atol=1e-6)
    alone = trace(parameters, config, TOKENS[:1, :1])
    scales = {
        name: float((value[0, 0] + config.norm_epsilon).sqrt()) for name, value in alone.variances.items()
    }
    linear = trace(parameters, config, TOKENS[:1, :1], changes=Changes(scales=scales))
    assert torch.allclose(linear.outputs, alone.outputs, atol=1e-4)


def test_phi_is_added_by_distance() -> None:
    config = small_config("nope")
    parameters = lively(config)
    phi = torch.tensor([[0.0, 30.0], [0.0, 0.0]])
    found = trace(parameters, config, TOKENS, changes=Changes(phi=[phi, phi]))
    before = found.weights[0][:, 0].diagonal(-1, dim1=-2, dim2=-1)
    assert float(before.min()) > 0.99
    assert by_distance(torch.tensor([[5.0, 7.0]]), 3)[0].tolist() == [[5, 0, 0], [7, 5, 0], [0, 7, 5]]


def test_a_broken_line_is_a_sum_of_relus() -> None:
    line = broken_gelu(8)
    assert len(line.knots) == len(line.steps) == 8
    far = torch.tensor([-100.0, 100.0])
    assert line(far).tolist() == pytest.approx([0, 100], abs=1e-3)
