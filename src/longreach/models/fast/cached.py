"""The decoder token by token: keys and values of what was read are kept, so that a new token costs one.

Rows may have read different numbers of tokens. Slots of the memory are places in a row, so that what a row
writes stands right behind what it has read, and nothing is computed for padding that counts.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import torch
import torch.nn.functional as F
from torch import Tensor

from longreach.config.model import ModelConfig
from longreach.errors import InputError
from longreach.models.decoder import ENCODING_MODULES, feed, normalise, unembedded
from longreach.models.network import Outputs

PARTS = ("query", "key", "value")


class CachedDecoder:
    """`transformer.forward` for rows that grow; attention is scaled by the length of the prefix, if at all.

    >>> from longreach.models.decoder import forward, initialise
    >>> config = ModelConfig(layers=2, heads=2, width=8, vocabulary=5, positions=10)
    >>> parameters, tokens = initialise(config, 0), torch.tensor([[0, 3, 1, 2]])
    >>> cache = CachedDecoder(parameters, config, rows=1, columns=4)
    >>> ids = torch.arange(4)[None]
    >>> _ = cache.read(tokens[:, :3], ids[:, :3], torch.tensor([3]))
    >>> logits = cache.read(tokens[:, 3:], ids[:, 3:], torch.tensor([1])).tokens
    >>> torch.allclose(logits, forward(parameters, config, tokens)[:, -1], atol=1e-6)
    True
    """

    def __init__(
        self, parameters: Mapping[str, Tensor], config: ModelConfig, *, rows: int, columns: int
    ) -> None:
        """Room for so many rows of so many tokens."""
        self._parameters, self._config = dict(parameters), config
        self._encoding = ENCODING_MODULES[config.encoding]
        like = self._parameters["embedding"]
        shape = (config.layers, rows, config.heads, columns, config.head_width)
        self._keys, self._values = (like.new_zeros(shape) for _ in range(2))
        self._ids = torch.zeros((rows, columns), dtype=torch.long, device=like.device)
        self._sizes = torch.zeros(rows, dtype=torch.long, device=like.device)
        # One product for all three.
        self._linear = [
            tuple(
                torch.cat([self._parameters[f"layers.{layer}.attention.{part}.{kind}"] for part in PARTS])
                for kind in ("weight", "bias")
            )
            for layer in range(config.layers)
        ]

    def keep(self, rows: Tensor) -> None:
        """Forget all rows but these."""
        self._keys, self._values = self._keys[:, rows], self._values[:, rows]
        self._ids, self._sizes = self._ids[rows], self._sizes[rows]

    def read(self, tokens: Tensor, ids: Tensor, counts: Tensor) -> Outputs:
        """The outputs at the last of the new tokens.

        Rows have `counts` new tokens, at least one; tokens and ids, (rows, n), are padded on the right.
        """
        config, new = self._config, tokens.shape[1]
        places = self._sizes[:, None] + torch.arange(new, device=tokens.device)
        width = int(places.max()) + 1
        if width > self._ids.shape[1]:
            raise InputError(f"{width} tokens in a memory with room for {self._ids.shape[1]}")
        self._ids.scatter_(1, places, ids)
        key_ids = self._ids[:, :width]
        hidden = (torch.arange(width, device=tokens.device) > places[:, :, None])[:, None]
        factor = (places + 1).float().log()[:, None, :, None] if config.log_length else None
        y = F.embedding(tokens, self._parameters["embedding"])
        y = self._encoding.embed(self._parameters, config, y, ids)
        bias: Tensor | None = None
        for layer in range(config.layers):
            if layer == 0 or self._encoding.bias_per_layer:
                bias = self._encoding.bias(self._parameters, config, layer, ids, key_ids)
                if bias is not None and factor is not None:
                    bias = bias * factor.to(bias.dtype)
            y = self._attend(layer, y, ids, places, width, hidden, bias, factor)
            y = feed(self._parameters, config, layer, y)
        self._sizes = self._sizes + counts
        last = y[torch.arange(len(y), device=y.device), counts - 1]
        return unembedded(self._parameters, config, normalise(self._parameters, config, "norm", last))

    def _attend(
        self,
        layer: int,
        y: Tensor,
        ids: Tensor,
        places: Tensor,
        width: int,
        hidden: Tensor,
        bias: Tensor | None,
        factor: Tensor | None,
    ) -> Tensor:
        config, parameters = self._config, self._parameters
        inputs = normalise(parameters, config, f"layers.{layer}.attention_norm", y)
        made = F.linear(inputs, *self._linear[layer]).view(*y.shape[:2], 3, config.heads, config.head_width)
        query, key, value = made.permute(2, 0, 3, 1, 4)
        query, key = (self._encoding.turn(config, each, ids) for each in (query, key))
        slots = places[:, None, :, None].expand(-1, config.heads, -1, config.head_width)
        self._keys[layer].scatter_(2, slots, key)
        self._values[layer].scatter_(2, slots, value)
        query = query * config.head_width**-0.5
        if factor is not None:
            query = query * factor.to(query.dtype)
        logits = query @ self._keys[layer, :, :, :width].transpose(-1, -2)
        if bias is not None:
            logits = logits + bias
        weights = logits.masked_fill_(hidden, -math.inf).softmax(dim=-1)
        mixed = (weights @ self._values[layer, :, :, :width]).transpose(1, 2).flatten(-2)
        name = f"layers.{layer}.attention.out"
        return y + F.linear(mixed, parameters[f"{name}.weight"], parameters[f"{name}.bias"])
