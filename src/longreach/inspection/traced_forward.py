"""The decoder of `longreach.models.transformer` with everything in sight, and parts that can be exchanged.

Logits, weights and the variances of layer norms are kept. Layer norms may be linear, GELU a broken line,
positions and what is added to logits others, and keys may be hidden. A test compares it with the decoder.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import torch
import torch.nn.functional as F
from torch import Tensor

from longreach.config.decoder import DecoderConfig
from longreach.models.encoding_lookup import ENCODING_MODULES
from longreach.models.parameters import Parameters


@dataclass(frozen=True, eq=False)
class Trace:
    """What a decoder computed for tokens (batch, time)."""

    outputs: Tensor
    """(batch, time, outputs)"""
    logits: tuple[Tensor, ...] = ()
    """By layer, (batch, heads, queries, keys), before the factor log |x| and the mask."""
    weights: tuple[Tensor, ...] = ()
    """The same after the softmax."""
    variances: Mapping[str, Tensor] = field(default_factory=dict)
    """By the name of the layer norm, (batch, time)."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Changes:
    """What is done in another way than the decoder does it."""

    scales: Mapping[str, float] | None = None
    """By the name of a layer norm, what it divides by, whatever comes in."""
    gelu: BrokenLine | None = None
    positions: Tensor | None = None
    """A table of vectors, of which id i reads row i modulo its length, in place of the encoding's own."""
    phi: Sequence[Tensor] | None = None
    """By layer, (heads, distances), added to the logits; 0 beyond the last distance."""


@dataclass(frozen=True, eq=False)
class BrokenLine:
    """x ↦ slope · x + Σ step · ReLU(x − knot): a continuous function that is linear between the knots."""

    knots: tuple[float, ...]
    steps: tuple[float, ...]

    def __call__(self, values: Tensor) -> Tensor:
        found = torch.zeros_like(values)
        for knot, step in zip(self.knots, self.steps, strict=True):
            found = found + step * (values - knot).relu()
        return found


def broken_gelu(pieces: int = 16, reach: float = 4.0) -> BrokenLine:
    """GELU with so many knots from −reach to reach: 0 before, x behind, and right at each knot.

    >>> values = torch.linspace(-6, 6, 601)
    >>> worst = (broken_gelu()(values) - F.gelu(values, approximate="tanh")).abs().max()
    >>> bool(worst < 0.04), bool((broken_gelu(64)(values) - F.gelu(values)).abs().max() < 0.004)
    (True, True)
    """
    knots = torch.linspace(-reach, reach, pieces, dtype=torch.float64)
    heights = F.gelu(knots, approximate="tanh")
    heights[0], heights[-1] = 0.0, reach
    slopes = torch.cat([torch.zeros(1), heights.diff() / knots.diff(), torch.ones(1)])
    return BrokenLine(tuple(knots.tolist()), tuple(slopes.diff().tolist()))


def trace(
    parameters: Parameters,
    config: DecoderConfig,
    tokens: Tensor,
    position_ids: Tensor | None = None,
    *,
    lengths: Tensor | None = None,
    hidden: Tensor | None = None,
    changes: Changes | None = None,
    keep: bool = True,
) -> Trace:
    """What the decoder computes for tokens (batch, time).

    `lengths` are |x| as in `forward`; by default those of the prefix that each place ends, as in training.
    `hidden`, (batch, time) or (time,), are keys that no other place reads. Without `keep`, only outputs.
    """
    changes, encoding = changes or Changes(), ENCODING_MODULES[config.encoding]
    time = tokens.shape[1]
    ids = torch.arange(time) if position_ids is None else position_ids
    variances: dict[str, Tensor] = {}

    def norm(name: str, y: Tensor) -> Tensor:
        if not config.layer_norm:
            return y
        if keep:
            variances[name] = y.var(dim=-1, unbiased=False)
        weight, bias = parameters[f"{name}.weight"], parameters[f"{name}.bias"]
        if changes.scales is None:
            return F.layer_norm(y, (config.width,), weight, bias, config.norm_epsilon)
        return (y - y.mean(dim=-1, keepdim=True)) / changes.scales[name] * weight + bias

    def linear(name: str, vectors: Tensor) -> Tensor:
        return F.linear(vectors, parameters[f"{name}.weight"], parameters[f"{name}.bias"])

    def split(vectors: Tensor) -> Tensor:
        return vectors.view(*vectors.shape[:-1], config.heads, config.head_width).transpose(1, 2)

    y = F.embedding(tokens, parameters["embedding"])
    if changes.positions is None:
        y = encoding.embed(parameters, config, y, ids)
    else:
        if config.encoding == "sinusoidal":
            y = y * math.sqrt(config.width)
        y = y + changes.positions[ids % len(changes.positions)]
    unseen = _unseen(time, hidden)
    factor = _factor(config, time, lengths)
    kept: list[Tensor] = []
    weighed: list[Tensor] = []
    for layer in range(config.layers):
        name = f"layers.{layer}"
        inputs = norm(f"{name}.attention_norm", y)
        query, key, value = (split(linear(f"{name}.attention.{part}", inputs)) for part in PARTS)
        query, key = encoding.turn(config, query, ids), encoding.turn(config, key, ids)
        logits = query @ key.transpose(-1, -2) * config.head_width**-0.5
        added = encoding.bias(parameters, config, layer, ids, ids) if changes.phi is None else None
        if changes.phi is not None:
            added = by_distance(changes.phi[layer], time)
        logits = logits if added is None else logits + added
        scaled = logits if factor is None else logits * factor
        weights = scaled.masked_fill(unseen, -math.inf).softmax(dim=-1)
        if keep:
            kept.append(logits)
            weighed.append(weights)
        y = y + linear(f"{name}.attention.out", (weights @ value).transpose(1, 2).flatten(-2))
        units = linear(f"{name}.mlp.in", norm(f"{name}.mlp_norm", y))
        active = F.gelu(units, approximate="tanh") if changes.gelu is None else changes.gelu(units)
        y = y + linear(f"{name}.mlp.out", active)
    read = parameters["embedding" if config.tied else "unembedding"]
    return Trace(F.linear(norm("norm", y), read), tuple(kept), tuple(weighed), variances)


PARTS = ("query", "key", "value")


def by_distance(values: Tensor, time: int) -> Tensor:
    """(heads, time, time) of a function (heads, distances), 0 beyond the last and where the key follows."""
    places = torch.arange(time)
    distance = places[:, None] - places[None, :]
    if values.shape[1] == 0:
        return values.new_zeros(len(values), 1, 1)
    inside = (distance >= 0) & (distance < values.shape[1])
    return values[:, distance.clamp(0, values.shape[1] - 1)] * inside


def _unseen(time: int, hidden: Tensor | None) -> Tensor:
    places = torch.arange(time)
    later = places[:, None] < places[None, :]
    if hidden is None:
        return later
    hidden = hidden[None] if hidden.ndim == 1 else hidden
    # A place always reads itself: what it computes then is of no use to others, and is a number.
    others = hidden[:, None, None, :] & (places[:, None] != places[None, :])
    return later | others


def _factor(config: DecoderConfig, time: int, lengths: Tensor | None) -> Tensor | None:
    if not config.log_length:
        return None
    found = torch.arange(1, time + 1)[None] if lengths is None else lengths
    found = found.unsqueeze(-1) if found.ndim == 1 else found
    return found.float().log()[:, None, :, None]
