"""Tests of `models.fast.forward`."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from longreach.config.encodings import ENCODINGS
from longreach.config.model import ModelConfig
from longreach.models.decoder import forward
from longreach.models.fast.forward import LARGEST, Attender, PackedForward
from longreach.models.fast.packed import PackedRows, Workspace
from longreach.models.parameters import Parameters
from tests.models.fast.test_gradient import Drawn, parameters_of, shape


@pytest.mark.parametrize("factor", [1.0, 10 * LARGEST])
def test_attention_is_a_softmax_over_what_came_before(factor: float) -> None:
    sizes, heads, width = np.array([2, 5]), 2, 3
    tokens = np.zeros((2, 5), dtype=np.int64)
    rows = PackedRows(tokens, tokens, tokens, np.arange(5) < sizes[:, None], sizes)
    packed = rows.batch(slice(0, 2), heads=heads, borders=[0, 2])
    space = Workspace(torch.float64)
    space.start()
    query, key, value = torch.randn(3, 8, heads * width, dtype=torch.float64) * torch.tensor(
        [[[factor]], [[1]], [[1]]]
    )
    out = torch.empty(7, heads * width, dtype=torch.float64)
    Attender(heads, width, space, torch.float64).forward(
        packed, packed.everywhere, query, key, value, None, out
    )
    for first, size in ((0, 2), (2, 5)):
        for token in range(first, first + size):
            for head in range(heads):
                own = slice(head * width, (head + 1) * width)
                logits = key[first : token + 1, own] @ query[token, own] / width**0.5
                wanted = logits.softmax(0) @ value[first : token + 1, own]
                assert torch.allclose(out[token, own], wanted, rtol=1e-9, atol=1e-12)


def plain(config: ModelConfig, parameters: Parameters, drawn: Drawn) -> Tensor:
    """The logits at the supervised places, with padding and logits everywhere."""
    tokens, ids, mask = map(torch.from_numpy, (drawn.tokens, drawn.ids, drawn.mask))
    lengths = torch.arange(1, tokens.shape[1] + 1)[None] if config.log_length else None
    return forward(parameters, config, tokens, ids, lengths=lengths)[mask]


@pytest.mark.parametrize("encoding", list(ENCODINGS))
@pytest.mark.parametrize("share", [1.0, 0.3])
@pytest.mark.parametrize(
    "change",
    [{}, {"layers": 1}, {"layer_norm": False}, {"log_length": True}, {"tied": False, "outputs": 3}],
    ids=str,
)
def test_logits_are_those_of_the_plain_function(encoding: str, share: float, change: dict[str, Any]) -> None:
    config = shape(encoding=encoding, **change)
    parameters = parameters_of(config)
    run = PackedForward(config, parameters)
    # Again and again in the same memory.
    for seed, sizes in enumerate(([3, 1, 9, 4, 9, 2], [5, 5, 5, 12, 1, 1], [2, 2, 2, 2, 2, 2])):
        drawn = Drawn(config, sizes, share, seed)
        for shared in (False, True):
            found = run.logits(drawn.packed(config, [0, 2, 5, 6], shared))
            assert torch.allclose(found, plain(config, parameters, drawn), rtol=1e-9, atol=1e-12)
            assert not found.requires_grad


@settings(max_examples=25)
@given(st.data())
def test_random_shapes_and_rows(data: st.DataObject) -> None:
    heads = data.draw(st.integers(1, 3))
    config = shape(
        layers=data.draw(st.integers(1, 3)),
        heads=heads,
        width=heads * data.draw(st.sampled_from([2, 4])),
        encoding=data.draw(st.sampled_from(list(ENCODINGS))),
        log_length=data.draw(st.booleans()),
    )
    sizes = data.draw(st.lists(st.integers(1, 12), min_size=1, max_size=8))
    inner = {border for border in data.draw(st.sets(st.integers(1, 7))) if border < len(sizes)}
    drawn = Drawn(config, sizes, data.draw(st.sampled_from([1.0, 0.5])), data.draw(st.integers(0, 9)))
    # Large parameters, so that attention is sharp and logits need a shift.
    parameters = parameters_of(config, data.draw(st.sampled_from([0.3, 5.0])))
    found = PackedForward(config, parameters).logits(
        drawn.packed(config, sorted({0, *inner, len(sizes)}), data.draw(st.booleans()))
    )
    assert torch.allclose(found, plain(config, parameters, drawn), rtol=1e-6, atol=1e-9)
