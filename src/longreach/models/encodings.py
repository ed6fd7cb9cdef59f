"""Positional encodings behind one small interface, and random position ids.

An encoding sees position ids, not places in an array, so that offsets, coupled ids (Cho et al., arXiv
2405.20671), PoSE (Zhu et al., arXiv 2309.10400) and randomized ids work with every encoding. Ids are integers
of shape (time,) or (batch, time). Distances are query id − key id; causality is decided elsewhere, by place.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import torch
import torch.nn.functional as F
from numpy.typing import NDArray
from torch import Tensor

from longreach.config.model import ModelConfig
from longreach.errors import InputError
from longreach.models.parameters import Initial, Parameters


class Reading(NamedTuple):
    """Which keys the tokens of a batch read."""

    ids: Tensor
    """The position ids of the tokens, (time,) or (batch, time)."""
    query_ids: Tensor
    """Those of the tokens that ask."""
    key_ids: Tensor
    """Those of the tokens that are read."""
    query_places: Tensor
    """Where the tokens that ask stand, (queries,) or (batch, queries); keys stand at 0, 1, …."""
    hidden: Tensor
    """True where a query does not see a key; (queries, keys) or (batch, heads or 1, queries, keys)."""
    log_length: Tensor | None
    """A factor of the logits, (batch or 1, 1, queries or 1, 1)."""
    places: Tensor | None = None
    """(batch, queries): the places of the tokens that ask; None: all of them, in order."""

    def at(self, places: Tensor) -> Reading:
        """The same, for queries at the given places (batch, n) only."""
        time = self.ids.shape[-1]
        ids = self.ids.expand(places.shape[0], time).gather(1, places)
        later = torch.arange(time, device=places.device) > places[:, None, :, None]
        factor = self.log_length
        if factor is not None and factor.shape[2] > 1:
            factor = factor.expand(places.shape[0], 1, time, 1).gather(2, places[:, None, :, None])
        return self._replace(
            query_ids=ids, query_places=places, hidden=later, log_length=factor, places=places
        )


class Attending(NamedTuple):
    """The attention of one layer as an encoding sees it."""

    parameters: Parameters
    config: ModelConfig
    layer: int
    reading: Reading
    """With what this layer hides."""
    query: Tensor
    """(batch, heads, queries, head width), divided by √(head width), before the factor log |x|."""
    key: Tensor
    """(batch, heads, keys, head width)"""
    kept: Tensor | None
    """What `keep` made of the tokens that are read, (batch, heads, keys, n)."""
    few: bool = False
    """Whether products are faster as sums: compiled, and with few queries."""


class Encoding:
    """No positional encoding (NoPE; Kazemnejad et al., arXiv 2305.19466), and the interface of all others.

    Order reaches the model through the causal mask alone. Subclasses change the embeddings, turn queries and
    keys, or add a bias to the attention logits. They may also hide keys, keep something of each token beside
    its key and value, and change how logits become weights and what is made of the values.
    """

    bias_per_layer = False
    """Whether each layer has its own bias; otherwise one serves all."""
    relative = False
    """Whether whatever reads ids reads their distances alone, so that offsets do not change it."""

    @property
    def ignores_offsets(self) -> bool:
        """Whether shifting all ids changes no number: they are not used, or only their distances are.

        With RoPE numbers change by rounding, which counts as a change.
        """
        found = type(self)
        if self.adds_vectors or found.turn is not Encoding.turn:
            return False
        return found.relative or not (self.adds_bias or self.changes_attention)

    @property
    def adds_vectors(self) -> bool:
        """Whether embeddings depend on the ids."""
        return type(self).embed is not Encoding.embed

    @property
    def adds_bias(self) -> bool:
        return type(self).bias is not Encoding.bias

    @property
    def changes_attention(self) -> bool:
        """Whether attention is more than the softmax of products and biases over all keys so far."""
        found = type(self)
        parts = ("hide", "keep", "weigh", "mix")
        return any(getattr(found, name) is not getattr(Encoding, name) for name in parts)

    def table(self, config: ModelConfig) -> dict[str, Initial]:
        """The parameters, by names that no other part of the model has."""
        return {}

    def embed(self, parameters: Parameters, config: ModelConfig, embedded: Tensor, ids: Tensor) -> Tensor:
        """The input of the first layer, from token embeddings (batch, time, width)."""
        return embedded

    def turn(self, config: ModelConfig, layer: int, vectors: Tensor, ids: Tensor) -> Tensor:
        """Queries or keys (batch, heads, time, head width) as they enter the inner products."""
        return vectors

    def bias(
        self, parameters: Parameters, config: ModelConfig, layer: int, query_ids: Tensor, key_ids: Tensor
    ) -> Tensor | None:
        """What is added to the logits, (…, heads, queries, keys), or None."""
        return None

    def hide(self, config: ModelConfig, layer: int, reading: Reading) -> Tensor:
        """True where a query of this layer does not see a key, as in `Reading.hidden`."""
        return reading.hidden

    def keep(self, parameters: Parameters, config: ModelConfig, layer: int, inputs: Tensor) -> Tensor | None:
        """What later queries read of tokens besides keys and values, (batch, heads, time, n), or None.

        `inputs` are those of the layer's attention, (batch, time, width).
        """
        return None

    def weigh(self, attending: Attending, logits: Tensor) -> Tensor:
        """The attention weights, from logits (batch, heads, queries, keys) with bias and log |x| in them."""
        return logits.masked_fill(attending.reading.hidden, -math.inf).softmax(dim=-1)

    def mix(self, attending: Attending, weights: Tensor, value: Tensor) -> Tensor:
        """What heads hand on, (batch, heads, queries, head width), of values (batch, heads, keys, …)."""
        return (weights.unsqueeze(-1) * value.unsqueeze(2)).sum(-2) if attending.few else weights @ value


class LearnedAbsolute(Encoding):
    """A learned vector per position id, added to the embedding (APE; GPT-2, Radford et al. 2019).

    Ids outside the table read its nearest row; only padding should have such ids.
    """

    def table(self, config: ModelConfig) -> dict[str, Initial]:
        return {"positions": Initial((config.positions, config.width), "normal", 0.02)}

    def embed(self, parameters: Parameters, config: ModelConfig, embedded: Tensor, ids: Tensor) -> Tensor:
        return embedded + F.embedding(ids.clamp(0, config.positions - 1), parameters["positions"])


class Sinusoidal(Encoding):
    """Fixed sines and cosines of the id (Vaswani et al., arXiv 1706.03762, sections 3.4 and 3.5).

    Embeddings are multiplied by √width, as there. Coordinate 2i is sin(id / 10000^(2i/width)), 2i + 1 the
    cosine.
    """

    def embed(self, parameters: Parameters, config: ModelConfig, embedded: Tensor, ids: Tensor) -> Tensor:
        angles = _angles(ids, config.width)
        waves = torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(-2)
        return embedded * math.sqrt(config.width) + waves.to(embedded.dtype)


class Rotary(Encoding):
    """RoPE (Su et al., arXiv 2104.09864, section 3.4.2): pairs 2i, 2i + 1 turn by id · 10000^(−2i/d)."""

    def turn(self, config: ModelConfig, layer: int, vectors: Tensor, ids: Tensor) -> Tensor:
        angles = _angles(ids, config.head_width).unsqueeze(-3)  # the same for all heads
        cos, sin = angles.cos().to(vectors.dtype), angles.sin().to(vectors.dtype)
        even, odd = vectors[..., 0::2], vectors[..., 1::2]
        return torch.stack([even * cos - odd * sin, even * sin + odd * cos], dim=-1).flatten(-2)


class LinearBias(Encoding):
    """ALiBi (Press et al., arXiv 2108.12409): −slope · distance, with a fixed slope per head."""

    relative = True

    def bias(
        self, parameters: Parameters, config: ModelConfig, layer: int, query_ids: Tensor, key_ids: Tensor
    ) -> Tensor | None:
        dtype = parameters["embedding"].dtype
        slopes = torch.tensor(alibi_slopes(config.heads), dtype=dtype, device=query_ids.device)
        # Coupled ids can decrease: then the absolute distance, as in the paper's two-sided form.
        distance = distances(query_ids, key_ids).abs().to(dtype)
        return -slopes[:, None, None] * distance.unsqueeze(-3)


def alibi_slopes(heads: int) -> list[float]:
    """2^(−8/n), 2^(−16/n), … for n heads, a power of two; the rest takes every second slope of 2n heads.

    >>> alibi_slopes(4), alibi_slopes(3)
    ([0.25, 0.0625, 0.015625, 0.00390625], [0.0625, 0.00390625, 0.25])
    """
    power = 2 ** int(math.log2(heads))
    slopes = [2.0 ** (-8 * (head + 1) / power) for head in range(power)]
    return (
        slopes + [2.0 ** (-8 * (head + 1) / (2 * power)) for head in range(0, 2 * power, 2)][: heads - power]
    )


class RelativeBuckets(Encoding):
    """T5's learned bias per bucket of distances (Raffel et al., arXiv 1910.10683), shared by the layers.

    32 buckets: one per distance below 16, then logarithmically wider up to 128, the last for all beyond.
    """

    relative = True
    buckets = 32
    reach = 128

    def table(self, config: ModelConfig) -> dict[str, Initial]:
        return {"relative.weight": Initial((self.buckets, config.heads), "normal", 0.02)}

    def bucket(self, distance: Tensor) -> Tensor:
        """The bucket of each distance; negative distances (a coupled id ahead) fall into bucket 0."""
        exact = self.buckets // 2
        distance = distance.clamp(min=0)
        ratio = torch.log(distance.clamp(min=1) / exact) / math.log(self.reach / exact)
        wide = exact + (ratio * (self.buckets - exact)).to(distance.dtype)
        return torch.where(distance < exact, distance, wide.clamp(max=self.buckets - 1))

    def bias(
        self, parameters: Parameters, config: ModelConfig, layer: int, query_ids: Tensor, key_ids: Tensor
    ) -> Tensor | None:
        found = F.embedding(self.bucket(distances(query_ids, key_ids)), parameters["relative.weight"])
        return found.movedim(-1, -3)


class FunctionalInterpolation(Encoding):
    """FIRE (Li et al., arXiv 2310.04418): f(ψ(i − j) / ψ(max(L, i))), ψ(x) = log(c·x + 1), f a small MLP.

    c and L are learned, as is f per layer (the paper's FIRE-S shares it). Initial values as in the paper:
    c = 0.1, L = 512, 32 hidden units. Unlike the other relative encodings it sees the query's id, so offsets
    matter.
    """

    bias_per_layer = True
    hidden = 32
    initial_c = 0.1
    initial_threshold = 512.0
    epsilon = 1e-6

    def table(self, config: ModelConfig) -> dict[str, Initial]:
        made: dict[str, Initial] = {}
        for layer in range(config.layers):
            name = f"layers.{layer}.fire"
            bound = self.hidden**-0.5
            made |= {
                f"{name}.c": Initial((), "constant", self.initial_c),
                # A factor of the initial threshold, so that one learning rate suits both.
                f"{name}.threshold": Initial((), "constant", 1.0),
                f"{name}.in.weight": Initial((self.hidden, 1), "uniform", 1.0),
                f"{name}.in.bias": Initial((self.hidden,), "uniform", 1.0),
                f"{name}.out.weight": Initial((config.heads, self.hidden), "uniform", bound),
                f"{name}.out.bias": Initial((config.heads,), "uniform", bound),
            }
        return made

    def bias(
        self, parameters: Parameters, config: ModelConfig, layer: int, query_ids: Tensor, key_ids: Tensor
    ) -> Tensor | None:
        name = f"layers.{layer}.fire"
        c = parameters[f"{name}.c"]
        threshold = (parameters[f"{name}.threshold"] * self.initial_threshold).abs()
        distance = distances(query_ids, key_ids).clamp(min=0).to(c.dtype)
        limit = torch.maximum(query_ids.to(c.dtype), threshold).unsqueeze(-1)
        share = torch.log((c * distance).abs() + 1) / (torch.log((c * limit).abs() + 1) + self.epsilon)
        inner = F.linear(share.unsqueeze(-1), parameters[f"{name}.in.weight"], parameters[f"{name}.in.bias"])
        outer = F.linear(inner.relu(), parameters[f"{name}.out.weight"], parameters[f"{name}.out.bias"])
        return outer.movedim(-1, -3)


def _angles(ids: Tensor, width: int) -> Tensor:
    """id / 10000^(2i/width), in single precision whatever the model's: (…, width / 2)."""
    exponents = torch.arange(0, width, 2, device=ids.device, dtype=torch.float32) / width
    return ids.unsqueeze(-1).to(torch.float32) * torch.pow(10000.0, -exponents)


def distances(query_ids: Tensor, key_ids: Tensor) -> Tensor:
    """Query id − key id, (…, queries, keys)."""
    return query_ids.unsqueeze(-1) - key_ids.unsqueeze(-2)


WINDOW = 1
"""Tokens farther away in ids than this are not attended to. The steps of all built-in tasks that are local at
all are so within 1; what is farther away tells short inputs from long ones."""
OUTSIDE = -30.0
"""The logit of those: next to nothing, and no infinity that rows of padding could trip over."""


class LocalCoupling(Encoding):
    """A learned bias per distance in ids, with its sign, and head; one for marks; shared by the layers.

    After Golowich et al., arXiv 2502.16792.

    Attention depends on differences of ids alone (relativity), and on those within the window (locality,
    Assumption 3.3), so that longer inputs look the same from each token. Marks, which are the tokens with the
    id of SOS, such as separators, are seen from everywhere: they are as many in long inputs as in short ones,
    and attention goes there if what it looks for is missing. Learned vectors per id leave pairs of ids that
    never meet in short inputs to chance, and the share of tokens far away grows with the length.
    """

    relative = True

    def table(self, config: ModelConfig) -> dict[str, Initial]:
        return {"relative.weight": Initial((2 * WINDOW + 2, config.heads), "normal", 0.02)}

    def bias(
        self, parameters: Parameters, config: ModelConfig, layer: int, query_ids: Tensor, key_ids: Tensor
    ) -> Tensor | None:
        distance = distances(query_ids, key_ids)
        marks = (key_ids == key_ids[..., :1])[..., None, :].expand_as(distance)
        near = distance.clamp(-WINDOW, WINDOW)
        kinds = (near + WINDOW).masked_fill(marks, 2 * WINDOW + 1)
        found = F.embedding(kinds, parameters["relative.weight"])
        outside = ((near != distance) & ~marks)[..., None]
        return found.masked_fill(outside, OUTSIDE).movedim(-1, -3)


Ids = NDArray[np.int64]


def randomized_ids(lengths: Ids, time: int, positions: int, rng: np.random.Generator) -> Ids:
    """A uniformly random increasing choice of ids, per row (Ruoss et al., arXiv 2305.16843).

    >>> randomized_ids(np.array([3, 2]), 4, 6, np.random.default_rng(0))
    array([[1, 2, 3, 5],
           [2, 5, 5, 5]])
    """
    _check(lengths, positions)
    shuffled = rng.random((len(lengths), positions)).argsort(axis=1)[:, :time]
    # Padding takes the last id: it sorts behind the row's own.
    shuffled[np.arange(shuffled.shape[1]) >= lengths[:, None]] = positions - 1
    shuffled.sort(axis=1)
    missing = time - shuffled.shape[1]
    return np.pad(shuffled, ((0, 0), (0, missing)), constant_values=positions - 1)


def pose_ids(lengths: Ids, time: int, positions: int, rng: np.random.Generator) -> Ids:
    """PoSE with two chunks, per row (Zhu et al., arXiv 2309.10400; Golowich et al., arXiv 2502.16792, 2.2).

    The split point is uniform among those that leave both chunks a token. Starts J₀, J₁ are uniform in
    1 … L_max − ℓ there, where ids count from 1; here both count from 0. The first chunk begins at the lesser,
    the second, behind ℓ₁ tokens, at the greater plus ℓ₁. A row that needs all ids has the true ones.

    >>> pose_ids(np.array([3, 2]), 4, 9, np.random.default_rng(0))
    array([[3, 4, 5, 8],
           [1, 3, 8, 8]])
    """
    _check(lengths, positions)
    first = rng.integers(1, np.maximum(lengths, 2))
    starts = np.sort(rng.integers(0, np.maximum(positions - lengths, 1)[:, None], (len(lengths), 2)), axis=1)
    columns = np.arange(time)
    start = np.where(columns < first[:, None], starts[:, :1], starts[:, 1:])
    return np.where(columns < lengths[:, None], columns + start, positions - 1)


def _check(needed: Ids, positions: int) -> None:
    if needed.size and needed.max() > positions:
        raise InputError(f"{needed.max()} position ids are needed, the model has {positions}")
