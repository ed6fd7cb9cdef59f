"""Models of your own, as `longreach profile --model models:…` takes them from this directory.

`make(*, vocabulary, positions, **options)` is all there is to the interface: the number of token ids, and the
longest input that will be tested.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn


class RecurrentAttention(nn.Module):
    """A GRU, and causal attention without positions over its states."""

    def __init__(self, vocabulary: int, width: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.embedding = nn.Embedding(vocabulary, width)
        self.recurrence = nn.GRU(width, width, batch_first=True)
        self.inputs = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)
        self.head = nn.Sequential(nn.LayerNorm(width), nn.Linear(width, vocabulary))

    def forward(self, ids: Tensor) -> Tensor:
        states, _ = self.recurrence(self.embedding(ids))
        query, key, value = self.inputs(states).unflatten(-1, (3, self.heads, -1)).permute(2, 0, 3, 1, 4)
        read = nn.functional.scaled_dot_product_attention(query, key, value, is_causal=True)
        return self.head(states + self.out(read.transpose(1, 2).flatten(-2)))


def gru_attention(*, vocabulary: int, positions: int, width: int = 64, heads: int = 4) -> nn.Module:
    return RecurrentAttention(vocabulary, width, heads)


class Convolutions(nn.Module):
    """Residual causal convolutions, each over twice the distance of the one before."""

    def __init__(self, vocabulary: int, width: int, layers: int, size: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, width)
        self.layers = nn.ModuleList(
            nn.Conv1d(width, width, size, dilation=2**layer) for layer in range(layers)
        )
        self.head = nn.Linear(width, vocabulary)

    def forward(self, ids: Tensor) -> Tensor:
        x = self.embedding(ids).transpose(1, 2)
        for layer in self.layers:
            before = layer.dilation[0] * (layer.kernel_size[0] - 1)
            x = x + nn.functional.gelu(layer(nn.functional.pad(x, (before, 0)))) / math.sqrt(len(self.layers))
        return self.head(x.transpose(1, 2))

    def state_size(self, length: int) -> int:
        """What the next token still reads of each layer's inputs."""
        seen = [layer.dilation[0] * (layer.kernel_size[0] - 1) for layer in self.layers]
        return sum(layer.in_channels * min(length, n) for layer, n in zip(self.layers, seen, strict=True))


def causal_convolution(
    *, vocabulary: int, positions: int, width: int = 64, layers: int = 4, size: int = 3
) -> nn.Module:
    return Convolutions(vocabulary, width, layers, size)


if __name__ == "__main__":
    for make in (gru_attention, causal_convolution):
        model = make(vocabulary=7, positions=500)
        logits = model(torch.randint(7, (2, 500)))
        print(make.__name__, tuple(logits.shape), sum(each.numel() for each in model.parameters()))
