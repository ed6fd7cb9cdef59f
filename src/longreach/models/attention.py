"""Attention other than the softmax over all keys, as encodings: windows, forget gates, sticks, counts.

Tokens find one another by content and by what stands between them. None of them reads ids, but for the
window: it is one of ids, as RoPE's turns are.
"""

from __future__ import annotations

import math
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from longreach.config.model import ModelConfig
from longreach.models.encodings import Attending, Encoding, Reading, Rotary, distances
from longreach.models.parameters import Initial, Parameters

_STD = 0.02
SUMS_AS_PRODUCTS = 128
"""Up to so many keys a product with ones is faster on a CPU than flipping, adding up and flipping."""

STEEP = 40.0
"""From here on log(1 + eˣ) is x, in double precision as well."""


class Window(Rotary):
    """Layers with RoPE and a window alternate with layers without positions (SWAN-GPT, arXiv 2504.08719).

    The first layer, and every second one after it, sees the last 8 tokens, itself among them, by the distance
    of their ids; the others see all, without positions. A model of one layer is a window and nothing else.
    With `log_length` the logits of all layers are scaled; the paper scales those without positions.
    """

    relative = True
    size = 8

    def is_local(self, layer: int) -> bool:
        return layer % 2 == 0

    def turn(self, config: ModelConfig, layer: int, vectors: Tensor, ids: Tensor) -> Tensor:
        return super().turn(config, layer, vectors, ids) if self.is_local(layer) else vectors

    def hide(self, config: ModelConfig, layer: int, reading: Reading) -> Tensor:
        if not self.is_local(layer):
            return reading.hidden
        far = distances(reading.query_ids, reading.key_ids).abs() >= self.size
        return reading.hidden | far.unsqueeze(-3)


class Forgetting(Encoding):
    """The Forgetting Transformer (Lin et al., arXiv 2503.02130): Σ_{j<k≤i} log f_k is added to the logits.

    f_k = σ(w·x_k + b), for each head and layer its own, of what enters attention at k. With `log_length` the
    sum is scaled like a bias.
    """

    relative = True

    def table(self, config: ModelConfig) -> dict[str, Initial]:
        made: dict[str, Initial] = {}
        for layer in range(config.layers):
            made[f"layers.{layer}.forget.weight"] = Initial((config.heads, config.width), "normal", _STD)
            made[f"layers.{layer}.forget.bias"] = Initial((config.heads,), "constant", 0.0)
        return made

    def keep(self, parameters: Parameters, config: ModelConfig, layer: int, inputs: Tensor) -> Tensor | None:
        name = f"layers.{layer}.forget"
        gates = F.linear(inputs, parameters[f"{name}.weight"], parameters[f"{name}.bias"])
        return F.logsigmoid(_precise(gates)).transpose(1, 2).unsqueeze(-1)

    def weigh(self, attending: Attending, logits: Tensor) -> Tensor:
        assert attending.kept is not None
        sums = attending.kept.squeeze(-1).cumsum(-1)
        added = _at_queries(sums, attending.reading).unsqueeze(-1) - sums.unsqueeze(-2)
        return super().weigh(attending, _plus(attending, logits, added))


class StickBreaking(Encoding):
    """Stick-breaking attention (Tan et al., arXiv 2410.17980), in which the last match takes what it wants.

    β_ij = σ(logit), a_ij = β_ij ∏_{j<k≤i} (1 − β_ik): from the token itself back, each takes its share of
    what is left of a stick, and the rest goes nowhere. In the paper tokens do not attend to themselves; here
    they do, unless a subclass hides them. With `log_length` shares become sharper as the input grows.
    """

    relative = True

    def weigh(self, attending: Attending, logits: Tensor) -> Tensor:
        seen = _precise(logits).masked_fill(attending.reading.hidden, -math.inf)
        return sticks(seen).to(logits.dtype)


class ContextualCounts(Encoding):
    """CoPE (Golovneva et al., arXiv 2405.18719): how many tokens that matter to the query stand in between.

    g_ik = σ(q_i·k_k), p_ij = Σ_{j≤k≤i} g_ik, at most 32, and the logit is q_i·(k_j + e[p_ij]); between whole
    numbers e is interpolated. Vectors e are shared by heads, not by layers. All products are divided by
    √(head width). With `log_length` gates stay as they are, and q_i·e is scaled like a bias.
    """

    relative = True
    most = 32

    def table(self, config: ModelConfig) -> dict[str, Initial]:
        shape = (self.most + 1, config.head_width)
        return {f"layers.{layer}.counts": Initial(shape, "normal", _STD) for layer in range(config.layers)}

    def weigh(self, attending: Attending, logits: Tensor) -> Tensor:
        products = logits
        if attending.reading.log_length is not None:
            products = attending.query @ attending.key.transpose(-1, -2)
        gates = _precise(products).sigmoid().masked_fill(attending.reading.hidden, 0.0)
        counts = sums_from(gates).clamp(max=self.most)
        below = counts.detach().floor().long()
        share = counts - below
        table = attending.parameters[f"layers.{attending.layer}.counts"]
        by_count = _precise(attending.query @ table.transpose(-1, -2))
        lower = by_count.gather(-1, below)
        upper = by_count.gather(-1, (below + 1).clamp(max=self.most))
        return super().weigh(attending, _plus(attending, logits, lower + share * (upper - lower)))


def sticks(logits: Tensor) -> Tensor:
    """σ(z_j) ∏_{k>j} (1 − σ(z_k)) along the last axis, for logits z of which some may be −∞.

    >>> sticks(torch.tensor([-torch.inf, 0.0, 0.0])).tolist()
    [0.0, 0.25, 0.5]
    """
    if torch.compiler.is_compiling():  # it differentiates the graph itself
        return _sticks(logits)
    made: Tensor = _Sticks.apply(logits)  # type: ignore[no-untyped-call]
    return made


def _sticks(logits: Tensor) -> Tensor:
    """The logarithm is z_j − Σ_{k≥j} log(1 + e^{z_k}): terms of one sign, so that long sums are precise."""
    return (logits - sums_from(F.softplus(logits, threshold=STEEP))).exp()


class _Sticks(torch.autograd.Function):
    """With its gradient: of z_k it is h_k − σ(z_k) Σ_{j≤k} h_j, where h = gradient · weight."""

    generate_vmap_rule = True

    @staticmethod
    def forward(logits: Tensor) -> Tensor:
        return _sticks(logits)

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Tensor], output: Tensor) -> None:
        ctx.save_for_backward(*inputs, output)

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> Tensor:
        logits, weights = ctx.saved_tensors
        parts = gradient * weights
        found: Tensor = parts - logits.sigmoid() * parts.cumsum(-1)
        return found


def sums_from(values: Tensor) -> Tensor:
    """Σ_{k≥j} of the last axis: what is near the query, which matters most, is added up first."""
    size, device = values.shape[-1], values.device.type
    if size <= SUMS_AS_PRODUCTS and device == "cpu" and not torch.is_autocast_enabled(device):
        return values @ values.new_ones(size, size).tril()
    return values.flip(-1).cumsum(-1).flip(-1)


def _at_queries(values: Tensor, reading: Reading) -> Tensor:
    """Of values (batch, heads, keys) those at the places of the queries."""
    places = reading.query_places
    if places.ndim == 1:
        return values[..., places]
    return values.gather(-1, places.unsqueeze(1).expand(-1, values.shape[1], -1))


def _plus(attending: Attending, logits: Tensor, added: Tensor) -> Tensor:
    """Logits with more added to them, in the precision of the logits."""
    factor = attending.reading.log_length if attending.config.scaled_bias else None
    added = added if factor is None else added * factor.to(added.dtype)
    return (logits + added).to(logits.dtype)


def _precise(values: Tensor) -> Tensor:
    """In single precision at least: sums over many tokens need it."""
    return values if values.dtype in (torch.float32, torch.float64) else values.float()
