"""What an encoding adds to the attention logits of packed rows; its gradient is left to differentiation."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from longreach.config.decoder import DecoderConfig
from longreach.models.encoding_lookup import ENCODING_MODULES
from longreach.models.packed_rows import Packed, Queries
from longreach.models.parameters import Parameters


class PackedBiases:
    """The biases of one batch, layer by layer."""

    def __init__(
        self, config: DecoderConfig, parameters: Parameters, packed: Packed, *, keep: bool = True
    ) -> None:
        """What `write` needs is kept if wanted."""
        self._config, self._packed, self._keep = config, packed, keep
        self._encoding = ENCODING_MODULES[config.encoding]
        names = self._encoding.table(config)
        self._leaves = {name: parameters[name].detach().requires_grad_() for name in names}
        self._parameters = {**parameters, **self._leaves}
        # Where only distances count, those of all rows are the same.
        self._alike = self._encoding.relative and _is_consecutive(packed)
        self._last: tuple[Queries, list[Tensor] | None] | None = None
        self._gradients: list[tuple[Tensor, Tensor]] = []

    def of(self, layer: int, queries: Queries) -> list[Tensor] | None:
        """Per group (…, heads, queries, keys), or None."""
        if self._last is not None and self._last[0] is queries and not self._encoding.bias_per_layer:
            return self._last[1]
        with torch.set_grad_enabled(self._keep):
            found = [self._group(layer, queries, number) for number in range(len(self._packed.rows))]
        made = None if any(each is None for each in found) else [each for each in found if each is not None]
        self._last = queries, made
        return made

    def add(self, biases: Sequence[Tensor], gradients: Sequence[Tensor]) -> None:
        """Take note of gradients by the logits, (rows, heads, queries, keys), to which biases were added."""
        pairs = zip(biases, gradients, strict=True)
        self._gradients += [(bias, gradient) for bias, gradient in pairs if bias.requires_grad]

    def write(self, gradients: Parameters) -> None:
        """Write the gradients of the encoding's parameters."""
        if not self._leaves:
            return
        outputs = [bias for bias, _ in self._gradients]
        given = [gradient.sum_to_size(bias.shape) for bias, gradient in self._gradients]
        found = torch.autograd.grad(
            outputs, list(self._leaves.values()), given, allow_unused=True, materialize_grads=True
        )
        for name, gradient in zip(self._leaves, found, strict=True):
            gradients[name].copy_(gradient)

    def _group(self, layer: int, queries: Queries, number: int) -> Tensor | None:
        every = self._packed.everywhere
        if self._alike:
            key_ids = torch.arange(every.sizes[number])
            places = query_ids = key_ids if queries is every else self._placed(queries, number, ids=False)
        else:
            key_ids = self._placed(every, number, ids=True)
            query_ids = self._placed(queries, number, ids=True)
            places = self._placed(queries, number, ids=False)
        bias = self._encoding.bias(self._parameters, self._config, layer, query_ids, key_ids)
        if bias is None or not self._config.log_length:
            return bias
        return bias * (places + 1).float().log()[..., None, :, None].to(bias.dtype)

    def _placed(self, queries: Queries, number: int, *, ids: bool) -> Tensor:
        """The ids, or places, of a group's tokens: (rows, queries), 0 in empty slots."""
        packed, heads = self._packed, self._config.heads
        values = packed.ids if ids else packed.places
        if queries is not packed.everywhere and packed.chosen is not None:
            values = values[packed.chosen]
        each = [rows * size * heads for rows, size in zip(packed.rows, queries.sizes, strict=True)]
        slots = queries.spread[sum(each[:number]) : sum(each[: number + 1])]
        spread = slots.view(packed.rows[number], heads, -1)[:, 0]
        return torch.cat([values, values.new_zeros(1)])[spread // heads]


def _is_consecutive(packed: Packed) -> bool:
    """Whether the ids of each row are consecutive."""
    offsets = packed.ids - packed.places
    return torch.equal(offsets, offsets[torch.arange(len(offsets)) - packed.places])
