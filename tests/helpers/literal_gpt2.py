"""GPT-2 from its documented formulas, one position and one head at a time, on the documented state names.

Slow and independent of the package: what the fast code is compared with.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import torch
from torch import Tensor


def layer_norm(x: Tensor, weight: Tensor, bias: Tensor, epsilon: float) -> Tensor:
    centred = x - x.mean()
    return centred / torch.sqrt((centred * centred).mean() + epsilon) * weight + bias


def gelu_new(x: Tensor) -> Tensor:
    return 0.5 * x * (1 + torch.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))


def conv1d(state: Mapping[str, Tensor], name: str, x: Tensor) -> Tensor:
    return x @ state[f"{name}.weight"] + state[f"{name}.bias"]


def logits(
    state: Mapping[str, Tensor],
    layers: int,
    heads: int,
    tokens: list[int],
    ids: list[int],
    epsilon: float = 1e-5,
) -> Tensor:
    """(time, vocabulary) for one row of tokens at the given position ids."""

    def norm(name: str, x: Tensor) -> Tensor:
        return layer_norm(x, state[f"{name}.weight"], state[f"{name}.bias"], epsilon)

    stream = [
        state["transformer.wte.weight"][token] + state["transformer.wpe.weight"][position]
        for token, position in zip(tokens, ids, strict=True)
    ]
    width = len(stream[0])
    size = width // heads
    for layer in range(layers):
        name = f"transformer.h.{layer}"
        parts = [conv1d(state, f"{name}.attn.c_attn", norm(f"{name}.ln_1", x)) for x in stream]
        after = []
        for i in range(len(stream)):
            mixed = []
            for head in range(heads):
                piece = slice(head * size, (head + 1) * size)
                query = parts[i][:width][piece]
                scores = [query @ parts[j][width : 2 * width][piece] / math.sqrt(size) for j in range(i + 1)]
                weights = torch.stack(scores).exp()
                weights = weights / weights.sum()
                mixed.append(sum(weights[j] * parts[j][2 * width :][piece] for j in range(i + 1)))
            after.append(stream[i] + conv1d(state, f"{name}.attn.c_proj", torch.cat(mixed)))
        stream = [
            x
            + conv1d(
                state,
                f"{name}.mlp.c_proj",
                gelu_new(conv1d(state, f"{name}.mlp.c_fc", norm(f"{name}.ln_2", x))),
            )
            for x in after
        ]
    return torch.stack([state["lm_head.weight"] @ norm("transformer.ln_f", x) for x in stream])


def random_state(
    seed: int, layers: int, width: int, vocabulary: int, positions: int, tied: bool = True
) -> dict[str, Tensor]:
    """A state dictionary with the documented names and shapes, every entry random."""
    generator = torch.Generator().manual_seed(seed)

    def numbers(*shape: int) -> Tensor:
        return 0.3 * torch.randn(shape, generator=generator, dtype=torch.float64)

    state = {
        "transformer.wte.weight": numbers(vocabulary, width),
        "transformer.wpe.weight": numbers(positions, width),
    }
    for layer in range(layers):
        name = f"transformer.h.{layer}"
        for part, inputs, outputs in (
            ("attn.c_attn", width, 3 * width),
            ("attn.c_proj", width, width),
            ("mlp.c_fc", width, 4 * width),
            ("mlp.c_proj", 4 * width, width),
        ):
            state[f"{name}.{part}.weight"] = numbers(inputs, outputs)
            state[f"{name}.{part}.bias"] = numbers(outputs)
        for part in ("ln_1", "ln_2"):
            state[f"{name}.{part}.weight"] = 1 + numbers(width)
            state[f"{name}.{part}.bias"] = numbers(width)
    state["transformer.ln_f.weight"] = 1 + numbers(width)
    state["transformer.ln_f.bias"] = numbers(width)
    state["lm_head.weight"] = state["transformer.wte.weight"] if tied else numbers(vocabulary, width)
    return state
