"""A decoder with each layer norm as a linear map, at its average variance (arXiv 2410.02140, G.6.2).

LN(y) = g ⊙ (y − mean y) / √(variance + ε) + b; with the average in place of the variance this is linear in y
but for b. It is folded into the matrices that read it, and b with their biases into one constant each.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from longreach.config.decoder import DecoderConfig
from longreach.inspection.traced_forward import Trace
from longreach.limit.model import Array
from longreach.models.encoding_lookup import ENCODING_MODULES
from longreach.models.parameters import Parameters


@dataclass(frozen=True, eq=False)
class Map:
    """x ↦ matrix x + constant."""

    matrix: Array
    constant: Array


@dataclass(frozen=True, eq=False)
class FoldedHead:
    """The maps of one head from the residual stream; `out` leads back into it."""

    query: Map
    """With the factor 1/√(head width) of the logits."""
    key: Map
    value: Map
    out: Array

    def product(self, keys: Array, queries: Array) -> Array:
        """keyᵀ KᵀQ query for rows of vectors: a row for each query, a column for each key."""
        return np.asarray((queries @ self.query.matrix.T) @ (keys @ self.key.matrix.T).T)

    def passed(self, vectors: Array) -> Array:
        """V applied to rows of vectors: what the head would write for them."""
        return np.asarray(vectors @ self.value.matrix.T @ self.out.T)


@dataclass(frozen=True, eq=False)
class FoldedLayer:
    heads: tuple[FoldedHead, ...]
    out_constant: Array
    """What attention writes whatever it reads, but for the values' constants."""
    inner: Map
    outer: Map


@dataclass(frozen=True, eq=False)
class FoldedModel:
    """The linear parts of a decoder in double precision."""

    config: DecoderConfig
    scales: Mapping[str, float]
    embedding: Array
    positions: Array | None
    """A row for each id; None where the encoding has no vectors that are added."""
    layers: tuple[FoldedLayer, ...]
    read: Map
    """To the outputs."""


def norm_names(config: DecoderConfig) -> tuple[str, ...]:
    """The layer norms of a decoder.

    >>> norm_names(DecoderConfig(layers=1, heads=1, width=4, vocabulary=3, positions=8))
    ('layers.0.attention_norm', 'layers.0.mlp_norm', 'norm')
    """
    if not config.layer_norm:
        return ()
    inner = [f"layers.{n}.{part}_norm" for n in range(config.layers) for part in ("attention", "mlp")]
    return (*inner, "norm")


def norm_scales(config: DecoderConfig, found: Sequence[tuple[Trace, Tensor]]) -> dict[str, float]:
    """√(average variance + ε) of each layer norm, over the tokens that each mask (batch, time) names."""
    scales = {}
    for name in norm_names(config):
        every = torch.cat([trace.variances[name][mask] for trace, mask in found]).double()
        scales[name] = math.sqrt(float(every.mean()) + config.norm_epsilon)
    return scales


def fold(
    parameters: Parameters, config: DecoderConfig, scales: Mapping[str, float], *, tokens: bool = True
) -> FoldedModel:
    """The decoder with its layer norms folded in; without `tokens`, no embedding and no outputs.

    Those of a language model are most of its parameters, and no product of positions needs them.
    """
    large = () if tokens else ("embedding", "unembedding")
    found = {
        name: (value.detach()[:0] if name in large else value.detach()).double().numpy()
        for name, value in parameters.items()
    }

    def read(norm: str, weight: Array, bias: Array) -> Map:
        if not config.layer_norm:
            return Map(weight, bias)
        gained = weight * found[f"{norm}.weight"] / scales[norm]
        centred = gained - gained.mean(axis=1, keepdims=True)  # as (I − 11ᵀ/d) from the right
        return Map(centred, weight @ found[f"{norm}.bias"] + bias)

    def head(name: str, norm: str, number: int) -> FoldedHead:
        rows = slice(number * config.head_width, (number + 1) * config.head_width)
        factor = {"query": config.head_width**-0.5}
        query, key, value = (
            read(
                norm,
                found[f"{name}.{part}.weight"][rows] * factor.get(part, 1.0),
                found[f"{name}.{part}.bias"][rows] * factor.get(part, 1.0),
            )
            for part in ("query", "key", "value")
        )
        return FoldedHead(query, key, value, found[f"{name}.out.weight"][:, rows])

    layers = []
    for number in range(config.layers):
        name = f"layers.{number}"
        heads = tuple(
            head(f"{name}.attention", f"{name}.attention_norm", each) for each in range(config.heads)
        )
        inner = read(f"{name}.mlp_norm", found[f"{name}.mlp.in.weight"], found[f"{name}.mlp.in.bias"])
        outer = Map(found[f"{name}.mlp.out.weight"], found[f"{name}.mlp.out.bias"])
        layers.append(FoldedLayer(heads, found[f"{name}.attention.out.bias"], inner, outer))
    last = found["embedding" if config.tied else "unembedding"]
    few = parameters if tokens else {**parameters, "embedding": parameters["embedding"][:0]}
    embedding, positions = embedded_parts(few, config)
    return FoldedModel(
        config=config,
        scales=dict(scales),
        embedding=embedding,
        positions=positions,
        layers=tuple(layers),
        read=read("norm", last, np.zeros(len(last))),
    )


def embedded_parts(parameters: Parameters, config: DecoderConfig) -> tuple[Array, Array | None]:
    """The token embeddings as they enter the first layer, and the vectors of the positions, if there are any.

    >>> from longreach.models.transformer import initialise
    >>> config = DecoderConfig(layers=1, heads=1, width=4, vocabulary=3, positions=8, encoding="nope")
    >>> embedding, positions = embedded_parts(initialise(config, 0), config)
    >>> embedding.shape, positions
    ((3, 4), None)
    """
    encoding, ids = ENCODING_MODULES[config.encoding], torch.arange(config.positions)
    tokens = parameters["embedding"].detach()
    nothing = torch.zeros(1, config.positions, config.width, dtype=tokens.dtype)
    positions = encoding.embed(parameters, config, nothing, ids)[0].detach().double().numpy()
    first = encoding.embed(parameters, config, tokens[:, None], ids[:1])[:, 0].double().numpy()
    if not positions.any():
        return first, None
    return first - positions[0], positions
