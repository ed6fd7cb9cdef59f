"""Attention to the last match: hard limits, long inputs, caches, and the module for other models."""

from __future__ import annotations

import importlib.util
import math
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from longreach import nn as of_ours
from longreach.config.model import ModelConfig
from longreach.config.reach import reach_heads
from longreach.errors import InputError, MissingExtra
from longreach.models.decoder import Decoder, Memory, forward, initialise, read_all
from longreach.models.parameters import Parameters
from longreach.models.reach import Reach
from longreach.nn import ReachAttention, reach_attention

LONG = 10_000


def config_of(**change: Any) -> ModelConfig:
    usual: dict[str, Any] = {
        "layers": 1, "heads": 4, "width": 16, "vocabulary": 4, "positions": 8, "encoding": "reach",
    }  # fmt: skip
    return ModelConfig(**{**usual, **change})


def lively(config: ModelConfig, scale: float = 0.5) -> Parameters:
    rng = torch.Generator().manual_seed(1)
    return {
        name: value.double() + scale * torch.randn(value.shape, generator=rng, dtype=torch.float64)
        for name, value in initialise(config, 0).items()
    }


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
@pytest.mark.parametrize("modulus", [1, 4])
def test_the_last_match_is_found_at_ten_thousand_tokens(dtype: torch.dtype, modulus: int) -> None:
    """With shares of 0 and 1 a head reads the last match and its distance, however long ago, and no other."""
    width, places, rows = 4, [5, 6, 700, 1301], [8, 699, 700, 701, 1302, LONG - 1]
    for layer in (0, 1):
        q = torch.zeros(1, 2, len(rows), width, dtype=dtype)
        q[..., 0] = width**0.5
        k, v = (torch.zeros(1, 2, LONG, width, dtype=dtype) for _ in range(2))
        k[..., 0] = -30.0
        k[:, :, places, 0] = 30.0
        v[:, :, places, 2] = 1.0
        for number, row in enumerate(rows):
            near = torch.zeros(2, 10, dtype=dtype)
            read = reach_attention(
                q[:, :, number : number + 1], k[:, :, : row + 1], v[:, :, : row + 1], near,
                modulus=modulus, layer=layer,
            )[0, :, 0]  # fmt: skip
            for head, does in enumerate(reach_heads(layer, 2, modulus)):
                seen = [place for place in places if place < row + (not does.strict)]
                distance = row - seen[-1]
                angle = 2 * math.pi * distance / modulus
                wanted = torch.tensor([0, 0, math.cos(angle), math.sin(angle)])
                close = 0.01 if dtype == torch.bfloat16 else 1e-5
                assert torch.allclose(read[head].float(), wanted, atol=close), (row, head)


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_soft_shares_stay_precise_at_ten_thousand_tokens(dtype: torch.dtype) -> None:
    """What is handed out is at most the stick, and equals the same in double precision."""
    rng = torch.Generator().manual_seed(0)
    q, k = torch.randn(1, 2, 1, 8, generator=rng), torch.randn(1, 2, LONG, 8, generator=rng)
    k[..., 0] -= 8 * (torch.arange(LONG) > 50)  # long stretches with shares near 0
    q[..., 0] = 3.0
    v = torch.ones(1, 2, LONG, 8)
    q, k, v = (each.to(dtype) for each in (q, k, v))
    near = torch.zeros(2, 10, dtype=dtype)
    found = reach_attention(q, k, v, near, modulus=1)
    exact = reach_attention(q.double(), k.double(), v.double(), near.double(), modulus=1)
    assert torch.isfinite(found).all()
    assert (found <= 1.01).all()
    assert torch.allclose(found.double(), exact, atol=0.02 if dtype == torch.bfloat16 else 1e-4)


@pytest.mark.parametrize("change", [{}, {"reach_modulus": 3}, {"reach_counting": 2, "layers": 2}], ids=str)
def test_token_by_token_with_nothing_but_keys_and_values(change: dict[str, Any]) -> None:
    config = config_of(**{"layers": 2, **change})
    parameters = lively(config)
    tokens = torch.from_numpy(np.random.default_rng(0).integers(0, 4, (3, 12)))
    memory = Memory(parameters, config, rows=3, columns=12)
    whole, ids = forward(parameters, config, tokens), torch.arange(12).expand(3, -1)
    first = memory.read(tokens[:, :4], ids[:, :4], torch.tensor([4, 4, 4])).tokens
    assert torch.allclose(first, whole[:, 3], atol=1e-6)
    for place in range(4, 12):
        one = slice(place, place + 1)
        found = memory.read(tokens[:, one], ids[:, one], torch.tensor([1, 1, 1])).tokens
        assert torch.allclose(found, whole[:, place], atol=1e-6)
    assert memory._kept is None


@settings(max_examples=15, deadline=None)
@given(st.data())
def test_the_module_is_a_layer_of_the_decoder(data: st.DataObject) -> None:
    heads = data.draw(st.integers(1, 4))
    given_heads = {
        "reach_modulus": data.draw(st.just("auto") | st.integers(1, 6)),
        "reach_counting": data.draw(st.integers(0, heads - 1)),
    }
    config = config_of(layers=2, heads=heads, width=4 * heads, layer_norm=False, **given_heads)
    parameters, layer = lively(config, 0.3), data.draw(st.integers(0, 1))
    module = ReachAttention(
        config.width, heads, modulus=config.reach_modulus, counting=config.reach_counting, layer=layer
    ).double()
    names = {f"{part}.{kind}" for part in ("query", "key", "value", "out") for kind in ("weight", "bias")}
    state = {name: parameters[f"layers.{layer}.attention.{name}"] for name in names}
    module.load_state_dict({**state, "near": parameters[f"layers.{layer}.reach.bias"]})
    assert {*state, "near"} == module.state_dict().keys()
    length = data.draw(st.integers(1, 9))
    x = torch.randn(2, length, config.width, dtype=torch.float64)
    decoder = Decoder(parameters, config)
    reading = read_all(config, torch.zeros(2, length, dtype=torch.long))
    wanted = decoder.attend(layer, x, reading, decoder.bias(layer, reading), slot=layer) - x
    assert torch.allclose(module(x), wanted, atol=1e-6)
    # Padding on either side changes nothing, whatever it holds.
    left, right = data.draw(st.integers(0, 3)), data.draw(st.integers(0, 3))
    padded = torch.randn(2, left + length + right, config.width, dtype=torch.float64)
    padded[:, left : left + length] = x
    mask = torch.zeros(2, left + length + right, dtype=torch.bool)
    mask[:, left : left + length] = True
    found = module(padded, mask=mask)
    assert torch.isfinite(found).all()
    assert torch.allclose(found[:, left : left + length], wanted, atol=1e-6)


@pytest.mark.parametrize("counting", [0, 1])
def test_gradients(counting: int) -> None:
    rng = torch.Generator().manual_seed(0)
    q, k, v = torch.randn(3, 1, 2, 5, 4, generator=rng, dtype=torch.float64).requires_grad_().unbind()
    near = torch.randn(2 - counting, 10, generator=rng, dtype=torch.float64).requires_grad_()

    def read(q: Tensor, k: Tensor, v: Tensor, near: Tensor) -> Tensor:
        return reach_attention(q, k, v, near, modulus=3, counting=counting)

    assert torch.autograd.gradcheck(read, (q, k, v, near), eps=1e-6, atol=1e-5)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ((6, 4), "width: 6 is not a multiple of 4 heads"),
        ((6, 2), "reach needs an even width per head, not 3"),
        ((8, 2, 0), r"^reach_modulus: must be at least 1, not 0$"),
        ((8, 2, "task"), r"^reach_modulus: expected a whole number, not 'task'$"),
        ((8, 2, 2, 2), "2 of 2 heads leave none to find"),
    ],
)
def test_modules_that_cannot_be(given: tuple[Any, ...], message: str) -> None:
    width, heads, *rest = given
    named = dict(zip(("modulus", "counting"), rest, strict=False))
    with pytest.raises(InputError, match=message):
        ReachAttention(width, heads, **named)


def test_without_transformers_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(MissingExtra, match=r"longreach.nn.ReachForCausalLM needs the extra 'hf'"):
        _ = of_ours.ReachForCausalLM
    with pytest.raises(AttributeError, match="no attribute 'Other'"):
        _ = of_ours.Other


def test_heads_say_what_they_are() -> None:
    assert Reach().ignores_offsets
    for layer in range(2):
        heads = reach_heads(layer, 4, "auto")
        assert sorted(head.modulus for head in heads) == [1, 2, 3, 4]
        assert sum(head.strict for head in heads) == 2
    both = [{(head.modulus, head.strict) for head in reach_heads(layer, 4, "auto")} for layer in range(2)]
    assert both[0] | both[1] == {(m, strict) for m in (1, 2, 3, 4) for strict in (True, False)}
