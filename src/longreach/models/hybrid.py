"""Layers that alternate between attention in a sliding window and a recurrence, as in Griffin.

De et al., arXiv 2402.19427. The window comes first: it shows the recurrence a few tokens at once.
"""

from __future__ import annotations

import math

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from longreach.errors import Field, InputError
from longreach.models.blocks import Mixer, Stack, check_flag, check_options, head_width
from longreach.models.deltanet import DeltaRule
from longreach.models.ssm import RECURRENCES

RATES = 10_000.0
"""The base of RoPE's angles (Su et al., arXiv 2104.09864)."""


def window_attention(query: Tensor, key: Tensor, value: Tensor, window: int, *, rope: bool) -> Tensor:
    """Softmax attention of (…, time, d) to the last `window` tokens, itself included.

    Queries in blocks of `window` see their own block and the one before, so that memory grows with time only.
    Positions count within the two blocks: attention depends on distances alone.
    """
    time = query.shape[-2]
    window = min(window, time)
    blocks = -(-time // window)
    query, key, value = (_in_blocks(x, blocks, window) for x in (query, key, value))
    key, value = (torch.cat([F.pad(x[..., :-1, :, :], (0, 0, 0, 0, 1, 0)), x], -2) for x in (key, value))
    places = torch.arange(2 * window, device=query.device)
    if rope:
        query, key = turned(query, places[window:]), turned(key, places)
    distance = places[window:, None] - places
    seen = (distance >= 0) & (distance < window)
    start = torch.arange(blocks, device=query.device)[:, None, None] == 0
    hidden = ~seen | (start & (places < window))  # nothing is before the first block
    logits = query @ key.mT * query.shape[-1] ** -0.5
    weights = logits.masked_fill(hidden, -math.inf).softmax(-1)
    mixed: Tensor = weights @ value
    return mixed.flatten(-3, -2)[..., :time, :]


def _in_blocks(vectors: Tensor, blocks: int, size: int) -> Tensor:
    """(…, blocks, size, d) of (…, time, d), zeros behind the last."""
    *leading, time, width = vectors.shape
    return F.pad(vectors, (0, 0, 0, blocks * size - time)).reshape(*leading, blocks, size, width)


def turned(vectors: Tensor, places: Tensor) -> Tensor:
    """RoPE: the halves of (…, places, d) as pairs that turn with the place."""
    half = vectors.shape[-1] // 2
    rates = RATES ** (-torch.arange(half, device=places.device, dtype=vectors.dtype) / half)
    angles = places[:, None] * rates
    first, second = vectors.chunk(2, dim=-1)
    cos, sin = angles.cos(), angles.sin()
    return torch.cat([first * cos - second * sin, first * sin + second * cos], dim=-1)


class WindowAttention(Mixer):
    """Attention to the last few tokens."""

    def __init__(self, width: int, *, heads: int, window: int, rope: bool) -> None:
        super().__init__()
        self.width, self.heads, self.window, self.rope = width, heads, window, rope
        size = head_width(width, heads)
        if rope and size % 2:
            raise InputError(f"RoPE needs heads of an even width, not {size}", place=Field("width"))
        self.inputs = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)

    def forward(self, inputs: Tensor, start: Tensor | None = None) -> tuple[Tensor, Tensor | None]:
        time, batch, _ = inputs.shape
        parts = self.inputs(inputs).view(time, batch, 3, self.heads, -1).permute(2, 1, 3, 0, 4)
        query, key, value = parts.unbind()
        mixed = window_attention(query, key, value, self.window, rope=self.rope)
        return self.out(mixed.permute(2, 0, 1, 3).flatten(-2)), None

    def state_size(self, length: int) -> int:
        """Keys and values of the tokens that the next one still sees."""
        return 2 * self.width * min(length, self.window - 1)


def hybrid(
    *,
    vocabulary: int,
    positions: int,
    layers: int = 2,
    width: int = 64,
    heads: int = 4,
    window: int = 8,
    rope: bool = True,
    recurrence: str = "ssm",
    mlp_ratio: int = 4,
    state_passing: float = 0.0,
) -> nn.Module:
    """Window attention in layers 0, 2, …; in layers 1, 3, … the recurrence of another architecture.

    >>> made = hybrid(vocabulary=5, positions=9, width=8, heads=2, recurrence="ssm-signed")
    >>> made(torch.tensor([[0, 3, 1]])).shape, made.state_size(100)
    (torch.Size([1, 3, 5]), 120)
    """
    shape = {"layers": layers, "width": width, "heads": heads, "window": window, "mlp_ratio": mlp_ratio}
    check_options(**shape, state_passing=state_passing)
    check_flag("rope", rope)
    known = [*RECURRENCES, "deltanet"]
    if recurrence not in known:
        reason = f"no recurrence named {recurrence!r}; there are {', '.join(known)}"
        raise InputError(reason, place=Field("recurrence"))

    def mixer(layer: int) -> Mixer:
        if layer % 2 == 0:
            return WindowAttention(width, heads=heads, window=window, rope=rope)
        if recurrence == "deltanet":
            return DeltaRule(width, heads=heads, signed=False, reflections=1)
        return RECURRENCES[recurrence](width)

    return Stack(
        [mixer(layer) for layer in range(layers)],
        vocabulary=vocabulary,
        width=width,
        mlp_ratio=mlp_ratio,
        state_passing=state_passing,
    )
