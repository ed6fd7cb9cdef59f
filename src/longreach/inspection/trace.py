"""The decoder with everything in sight, and with its layer norms folded into linear maps.

Logits, weights and the variances of layer norms are kept. Layer norms may be linear, GELU a broken line,
positions and what is added to logits others, and keys may be hidden. A test compares it with the decoder.

LN(y) = g ⊙ (y − mean y) / √(variance + ε) + b; with the average in place of the variance this is linear in y
but for b. It is folded into the matrices that read it, and b with their biases into one constant each.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor

from longreach.config.model import ModelConfig
from longreach.models.decoder import Decoder, encoding_module, read_all, unembedded
from longreach.models.encodings import Attending
from longreach.models.parameters import Parameters
from longreach.theory.limit.model import Array


@dataclass(frozen=True, eq=False)
class Trace:
    """What a decoder computed for tokens (batch, time)."""

    outputs: Tensor
    """(batch, time, outputs)"""
    logits: tuple[Tensor, ...] = ()
    """By layer, loop after loop, (batch, heads, queries, keys): products and biases, before all else."""
    weights: tuple[Tensor, ...] = ()
    """The weights that the encoding makes of them."""
    variances: Mapping[str, Tensor] = field(default_factory=dict)
    """By the name of the layer norm, (batch, time)."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Changes:
    """Parts of the decoder that are replaced."""

    scales: Mapping[str, float] | None = None
    """By layer norm, a constant to divide by instead of the deviation."""
    gelu: BrokenLine | None = None
    positions: Tensor | None = None
    """Vectors that replace the encoding's own: id i reads row i modulo their number."""
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
    config: ModelConfig,
    tokens: Tensor,
    position_ids: Tensor | None = None,
    *,
    lengths: Tensor | None = None,
    hidden: Tensor | None = None,
    changes: Changes | None = None,
    keep: bool = True,
) -> Trace:
    """What the decoder computes for tokens (batch, time).

    `lengths` are |x| as in `forward`. `hidden`, (batch, time) or (time,), are keys that no other place reads.
    Without `keep`, only outputs.
    """
    reading = read_all(config, tokens, position_ids, lengths)
    if hidden is not None:
        reading = reading._replace(hidden=reading.hidden | _from_others(hidden))
    traced = _Traced(parameters, config, changes or Changes(), keep)
    outputs = unembedded(parameters, config, traced.states(tokens, reading)).tokens
    return Trace(outputs, tuple(traced.logits), tuple(traced.weights), traced.variances)


class _Traced(Decoder):
    def __init__(self, parameters: Parameters, config: ModelConfig, changes: Changes, keep: bool) -> None:
        super().__init__(parameters, config)
        self.changes, self.kept = changes, keep
        self.logits: list[Tensor] = []
        self.weights: list[Tensor] = []
        self.variances: dict[str, Tensor] = {}

    def embed(self, tokens: Tensor, ids: Tensor) -> Tensor:
        positions = self.changes.positions
        if positions is None:
            return super().embed(tokens, ids)
        y = F.embedding(tokens, self.parameters["embedding"])
        if self.config.encoding == "sinusoidal":
            y = y * math.sqrt(self.config.width)
        return y + positions[ids % len(positions)]

    def normalise(self, name: str, y: Tensor) -> Tensor:
        if self.kept and self.config.layer_norm:
            self.variances[name] = y.var(dim=-1, unbiased=False)
        if self.changes.scales is None or not self.config.layer_norm:
            return super().normalise(name, y)
        weight, bias = self.parameters[f"{name}.weight"], self.parameters[f"{name}.bias"]
        return (y - y.mean(dim=-1, keepdim=True)) / self.changes.scales[name] * weight + bias

    def weigh(self, attending: Attending, bias: Tensor | None) -> Tensor:
        logits = attending.query @ attending.key.transpose(-1, -2)
        if self.changes.phi is not None:
            bias = by_distance(self.changes.phi[attending.layer], logits.shape[-1])
        factor = 1.0 if attending.reading.log_length is None else attending.reading.log_length
        scaled = logits * factor
        if bias is not None:
            logits = logits + bias
            scaled = scaled + (bias * factor if self.config.scaled_bias else bias)
        weights = self.encoding.weigh(attending, scaled)
        if self.kept:
            self.logits.append(logits)
            self.weights.append(weights)
        return weights

    def activate(self, units: Tensor) -> Tensor:
        if self.changes.gelu is not None:
            return self.changes.gelu(units)
        return F.gelu(units, approximate="tanh")  # the same with and without gradients


def _from_others(hidden: Tensor) -> Tensor:
    """A place always reads itself: what it computes then is of no use to others, and is a number."""
    hidden = hidden[None] if hidden.ndim == 1 else hidden
    others = ~torch.eye(hidden.shape[-1], dtype=torch.bool)
    return hidden[:, None, None, :] & others


def by_distance(values: Tensor, time: int) -> Tensor:
    """(heads, time, time) of a function (heads, distances), 0 beyond the last and where the key follows."""
    places = torch.arange(time)
    distance = places[:, None] - places[None, :]
    if values.shape[1] == 0:
        return values.new_zeros(len(values), 1, 1)
    inside = (distance >= 0) & (distance < values.shape[1])
    return values[:, distance.clamp(0, values.shape[1] - 1)] * inside


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

    config: ModelConfig
    scales: Mapping[str, float]
    embedding: Array
    positions: Array | None
    """A row for each id; None where the encoding has no vectors that are added."""
    layers: tuple[FoldedLayer, ...]
    read: Map


def norm_names(config: ModelConfig) -> tuple[str, ...]:
    """The layer norms of a decoder.

    >>> norm_names(ModelConfig(layers=1, heads=1, width=4, vocabulary=3, positions=8))
    ('layers.0.attention_norm', 'layers.0.mlp_norm', 'norm')
    """
    if not config.layer_norm:
        return ()
    inner = [f"layers.{n}.{part}_norm" for n in range(config.layers) for part in ("attention", "mlp")]
    return (*inner, "norm")


def norm_scales(config: ModelConfig, found: Sequence[tuple[Trace, Tensor]]) -> dict[str, float]:
    """√(average variance + ε) of each layer norm, over the tokens that each mask (batch, time) names."""
    scales = {}
    for name in norm_names(config):
        every = torch.cat([trace.variances[name][mask] for trace, mask in found]).double()
        scales[name] = math.sqrt(float(every.mean()) + config.norm_epsilon)
    return scales


def fold(
    parameters: Parameters, config: ModelConfig, scales: Mapping[str, float], *, tokens: bool = True
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


def trace_and_fold(
    parameters: Parameters, config: ModelConfig, tokens: Tensor, mask: Tensor, *, whole: bool = True
) -> tuple[Trace, FoldedModel]:
    """What the decoder computes for data, and the decoder with its layer norms folded at their averages."""
    with torch.inference_mode():
        seen = trace(parameters, config, tokens)
    return seen, fold(parameters, config, norm_scales(config, [(seen, mask)]), tokens=whole)


def embedded_parts(parameters: Parameters, config: ModelConfig) -> tuple[Array, Array | None]:
    """The token embeddings as they enter the first layer, and the vectors of the positions, if there are any.

    >>> from longreach.models.decoder import initialise
    >>> config = ModelConfig(layers=1, heads=1, width=4, vocabulary=3, positions=8, encoding="nope")
    >>> embedding, positions = embedded_parts(initialise(config, 0), config)
    >>> embedding.shape, positions
    ((3, 4), None)
    """
    encoding, ids = encoding_module(config.encoding), torch.arange(config.positions)
    tokens = parameters["embedding"].detach()
    nothing = torch.zeros(1, config.positions, config.width, dtype=tokens.dtype)
    positions = encoding.embed(parameters, config, nothing, ids)[0].detach().double().numpy()
    first = encoding.embed(parameters, config, tokens[:, None], ids[:1])[:, 0].double().numpy()
    if not positions.any():
        return first, None
    return first - positions[0], positions
