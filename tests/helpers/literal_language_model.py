"""The language model read literally, in numpy: one head, one query at a time. Hidden tokens are not there."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def next_losses(
    state: Mapping[str, Array], layers: int, heads: int, tokens: Sequence[int], ids: Sequence[int]
) -> list[float]:
    """−log p of tokens[1:], each from those before it, at the position ids given."""
    stream = [state["embedding.weight"][token] for token in tokens[:-1]]
    for layer in range(layers):
        own = {name.removeprefix(f"layers.{layer}."): value for name, value in state.items()}
        stream = [x + _attended(own, heads, stream, ids, place) for place, x in enumerate(stream)]
        stream = [
            x + own["mlp_out.weight"] @ _gelu(own["mlp_in.weight"] @ _norm(x, own["mlp_norm.weight"]))
            for x in stream
        ]
    losses = []
    for x, following in zip(stream, tokens[1:], strict=True):
        logits = state["embedding.weight"] @ _norm(x, state["norm.weight"])
        losses.append(float(np.log(np.exp(logits - logits.max()).sum()) + logits.max() - logits[following]))
    return losses


def _attended(
    own: Mapping[str, Array], heads: int, stream: Sequence[Array], ids: Sequence[int], place: int
) -> Array:
    width = len(stream[0])
    size = width // heads
    mixed = [own["mixing.weight"] @ _norm(x, own["attention_norm.weight"]) for x in stream[: place + 1]]
    parts = []
    for head in range(heads):
        rows = slice(head * size, (head + 1) * size)
        query = _turned(mixed[place][:width][rows], ids[place])
        keys = [_turned(m[width : 2 * width][rows], ids[k]) for k, m in enumerate(mixed)]
        values = [m[2 * width :][rows] for m in mixed]
        scores = np.array([query @ key for key in keys]) / math.sqrt(size)
        weights = np.exp(scores - scores.max())
        weights /= weights.sum()
        parts.append(sum(w * v for w, v in zip(weights, values, strict=True)))
    return np.asarray(own["attention_out.weight"] @ np.concatenate(parts))


def _turned(vector: Array, position: int) -> Array:
    half = len(vector) // 2
    turned = np.empty_like(vector)
    for k in range(half):
        angle = position * 10_000.0 ** (-2 * k / len(vector))
        x, y = vector[k], vector[half + k]
        turned[k] = x * math.cos(angle) - y * math.sin(angle)
        turned[half + k] = y * math.cos(angle) + x * math.sin(angle)
    return turned


def _norm(x: Array, weight: Array) -> Array:
    return (x - x.mean()) / np.sqrt(x.var() + 1e-5) * weight


def _gelu(x: Array) -> Array:
    return np.array([v * 0.5 * (1 + math.erf(v / math.sqrt(2))) for v in x])
