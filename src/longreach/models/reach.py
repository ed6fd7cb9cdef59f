"""Attention that finds the last match and says how long ago it was, modulo a number.

Stick-breaking attention (Tan et al., arXiv 2410.17980), whose values carry distances. Nothing is averaged, so
nothing has to cancel: with shares near 0 and 1 a head reads the last token that matches, however long ago.
"""

from __future__ import annotations

import math

import torch
import torch.nn.functional as F
from torch import Tensor

from longreach.config.model import ModelConfig
from longreach.config.reach import NEAR, ReachHead, period, reach_heads
from longreach.models.attention import StickBreaking, sticks
from longreach.models.encodings import Attending, Reading, distances
from longreach.models.parameters import Initial, Parameters


class Reach(StickBreaking):
    """Heads as `longreach.config.reach.reach_heads` lists them, layer by layer.

    A head that finds gives key j, of what is left of the stick, the share
    β_ij = σ(log(i + 1) · (q_i·k_j/√d + b_{min(i − j, 9)})), where places i count from 0: the token reads
    a_ij = β_ij ∏_{j<k≤i} (1 − β_ik) of j, and the rest goes nowhere. A strict head does not see the token
    that asks: products begin at k < i. Since log 1 = 0, the first token of an input gives itself one half,
    whatever the parameters are.

    Its values are complex: dimensions 2p and 2p + 1 are the real and the imaginary part of number p, which a
    distance of i − j turns by 2πf(i − j). Pairs take f = 0, 1/m, …, ⌊m/2⌋/m in turn, with m the modulus of
    the head; a head with fewer pairs does without the last ones. So a pair with f = 1/m that holds 1 where
    something is found reads as the m-th root of unity of its distance.

    A head that counts is a softmax head as without positions, with the factor log(i + 1).

    `layers.L.reach.bias`, (heads that find, 10), holds b for distances 0, …, 8 and farther. There are no
    other parameters, and no position vectors. Distances are those of position ids.
    """

    bias_per_layer = True

    def table(self, config: ModelConfig) -> dict[str, Initial]:
        extent = (config.heads - config.reach_counting, NEAR + 1)
        return {
            f"layers.{layer}.reach.bias": Initial(extent, "constant", 0.0) for layer in range(config.layers)
        }

    def bias(
        self, parameters: Parameters, config: ModelConfig, layer: int, query_ids: Tensor, key_ids: Tensor
    ) -> Tensor | None:
        near = distances(query_ids, key_ids).clamp(0, NEAR)
        found = F.embedding(near, parameters[f"layers.{layer}.reach.bias"].transpose(-1, -2))
        if config.reach_counting:
            found = F.pad(found, (0, config.reach_counting))
        return found.movedim(-1, -3)

    def hide(self, config: ModelConfig, layer: int, reading: Reading) -> Tensor:
        keys = torch.arange(reading.hidden.shape[-1], device=reading.hidden.device)
        own = (reading.query_places.unsqueeze(-1) == keys).unsqueeze(-3)
        strict = torch.tensor([head.strict for head in layer_heads(config, layer)], device=keys.device)
        return reading.hidden | (own & strict[:, None, None])

    def weigh(self, attending: Attending, logits: Tensor) -> Tensor:
        counting = attending.config.reach_counting
        if not counting:
            return super().weigh(attending, logits)
        hidden, finding = attending.reading.hidden, attending.config.heads - counting
        seen = logits.float() if logits.dtype not in (torch.float32, torch.float64) else logits
        seen = seen.masked_fill(hidden, -math.inf)
        parts = [sticks(seen[:, :finding]), seen[:, finding:].softmax(dim=-1)]
        return torch.cat(parts, dim=1).to(logits.dtype)

    def mix(self, attending: Attending, weights: Tensor, value: Tensor) -> Tensor:
        """Values turn by their own ids, and what is read of them back by that of the query."""
        config, reading = attending.config, attending.reading
        if period(config.reach_modulus) == 1:
            return super().mix(attending, weights, value)
        found = super().mix(attending, weights, turned(config, value, reading.key_ids, -1))
        return turned(config, found, reading.query_ids, 1)


def turned(config: ModelConfig, vectors: Tensor, ids: Tensor, direction: int) -> Tensor:
    """Vectors (batch, heads, time, head width) as complex pairs, turned by 2πf · id · direction."""
    dtype = torch.promote_types(vectors.dtype, torch.float32)
    waves = wave_table(config, dtype, vectors.device)[ids % period(config.reach_modulus)].transpose(-4, -3)
    cos, sin = waves[..., 0], waves[..., 1] * direction
    even, odd = vectors[..., 0::2], vectors[..., 1::2]
    made = torch.stack([even * cos - odd * sin, even * sin + odd * cos], dim=-1).flatten(-2)
    return made.to(vectors.dtype)


def wave_table(config: ModelConfig, dtype: torch.dtype, device: torch.device) -> Tensor:
    """cos and sin of 2πf · id for each id below the period, (period, heads, head width / 2, 2).

    Angles are of remainders, so that they are as precise at the ten thousandth token as at the first.
    """
    pairs = config.head_width // 2
    heads = layer_heads(config, 0)  # the moduli of all layers are the same
    taken = [[head.numerators[pair % len(head.numerators)] for pair in range(pairs)] for head in heads]
    moduli = torch.tensor([[head.modulus] for head in heads], device=device)
    ids = torch.arange(period(config.reach_modulus), device=device)[:, None, None]
    shares = (ids * torch.tensor(taken, device=device) % moduli).to(dtype) / moduli
    angles = 2 * math.pi * shares
    return torch.stack([angles.cos(), angles.sin()], dim=-1)


def layer_heads(config: ModelConfig, layer: int) -> tuple[ReachHead, ...]:
    """What each head of a layer does."""
    return reach_heads(layer, config.heads, config.reach_modulus, config.reach_counting)


def read_last(queries: int, keys: int, device: torch.device, mask: Tensor | None = None) -> Reading:
    """The last of so many tokens read all of them; padding has no place among the others."""
    places = torch.arange(keys, device=device)
    asking = places[keys - queries :]
    hidden = places > asking[:, None]
    ids = places
    if mask is not None:
        ids = mask.long().cumsum(-1).sub(1).clamp(min=0)
        # Padding sees itself, so that every softmax has a key.
        padding = ~mask.bool()[:, None, :] & (places != asking[:, None])
        hidden = (hidden | padding)[:, None]
    query_ids = ids[..., keys - queries :]
    factor = (query_ids + 1).float().log()[..., None]
    factor = factor[None, None] if mask is None else factor[:, None]
    return Reading(query_ids, query_ids, ids, asking, hidden, factor)
