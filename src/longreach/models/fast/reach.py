"""What `reach` has of its own over packed rows: biases by distance that also hide, and values that turn."""

from __future__ import annotations

import math
from collections.abc import Sequence

import torch
import torch.nn.functional as F
from torch import Tensor

from longreach.config.model import ModelConfig
from longreach.config.reach import NEAR, ReachHead
from longreach.models.fast.attention import Group, StickAttender
from longreach.models.fast.packed import Packed, PackedBiases, Queries, Workspace
from longreach.models.parameters import Parameters
from longreach.models.reach import layer_heads, wave_table

MOST_SHARED = 64
"""Up to so many keys the logarithms of lengths by distance are kept."""


class NearTables:
    """log(i + 1) at the distance of i from j, as matrices (distances, queries · keys), and what is hidden."""

    def __init__(self, dtype: torch.dtype) -> None:
        self._dtype = dtype
        self._made: dict[int, tuple[Tensor, Tensor]] = {}

    def __getitem__(self, length: int) -> tuple[Tensor, Tensor]:
        """The matrix of rows of this length, and what heads hide there, (not strict or strict, …)."""
        if length not in self._made:
            places = torch.arange(length)
            away = places[:, None] - places
            near = F.one_hot(away.clamp(0, NEAR), NEAR + 1).to(self._dtype)
            scaled = near * (places + 1).float().log().to(self._dtype)[:, None, None]
            hidden = torch.stack([away < 0, away <= 0])
            self._made[length] = scaled.view(-1, NEAR + 1).t().contiguous(), hidden
        return self._made[length]


class ReachBiases(PackedBiases):
    """The biases of one batch, −∞ where a head does not see a key."""

    def __init__(
        self,
        config: ModelConfig,
        parameters: Parameters,
        packed: Packed,
        tables: NearTables,
        *,
        keep: bool = True,
    ) -> None:
        super().__init__(config, parameters, packed, keep=keep)
        self._tables = tables
        self._plain: dict[int, tuple[str, Tensor]] = {}
        self._alive: list[Tensor] = []
        self._found: dict[str, Tensor] = {}

    def add(self, biases: Sequence[Tensor], gradients: Sequence[Tensor]) -> None:
        others = []
        for bias, gradient in zip(biases, gradients, strict=True):
            if id(bias) not in self._plain:
                others.append((bias, gradient))
                continue
            name, scaled = self._plain[id(bias)]
            by_distance = torch.mm(gradient.view(-1, scaled.shape[1]), scaled.t())
            found = by_distance.view(len(gradient), -1, NEAR + 1).sum(0)[: len(self._leaves[name])]
            self._found[name] = self._found[name] + found if name in self._found else found
        super().add([bias for bias, _ in others], [gradient for _, gradient in others])

    def write(self, gradients: Parameters) -> None:
        if self._gradients:
            super().write(gradients)
        else:
            for name in self._leaves:
                gradients[name].zero_()
        for name, found in self._found.items():
            gradients[name].add_(found)

    def _group(self, layer: int, queries: Queries, number: int) -> Tensor:
        every, heads = self._packed.everywhere, layer_heads(self._config, layer)
        size = every.sizes[number]
        strict = torch.tensor([head.strict for head in heads])
        if self._alike and queries is every and size <= MOST_SHARED:
            scaled, hides = self._tables[size]
            name = f"layers.{layer}.reach.bias"
            made = torch.mm(self._parameters[name].detach(), scaled).view(-1, size, size)
            if self._config.reach_counting:
                made = F.pad(made, (0, 0, 0, 0, 0, self._config.reach_counting))
            made.masked_fill_(hides[strict.long()], -math.inf)
            self._plain[id(made)] = name, scaled
            self._alive.append(made)  # an id is that of one tensor only while this exists
            return made
        given = super()._group(layer, queries, number)
        assert given is not None
        hidden = torch.ones(size, size, dtype=torch.bool).triu(1)
        if queries.visible is not None:
            hidden = queries.visible[number] == 0
        # A strict head sees up to the key before the last one that others see.
        before = F.pad(hidden[..., 1:], (0, 1), value=True)
        return given.masked_fill(torch.where(strict[:, None, None], before, hidden), -math.inf)


class ReachAttender(StickAttender):
    """The attention of one layer, as `longreach.models.reach.Reach` has it; values turn outside.

    Biases have said what is hidden.
    """

    def __init__(
        self, heads: Sequence[ReachHead], head_width: int, space: Workspace, dtype: torch.dtype
    ) -> None:
        super().__init__(len(heads), head_width, space, dtype)
        self._finding = sum(not head.counting for head in heads)

    def _weigh(self, logits: Tensor, seen: Tensor, sums: Tensor) -> Tensor | None:
        sums.fill_(1.0)
        if self._finding == self._heads:
            return self._break(logits)
        found, counted = logits[:, : self._finding].contiguous(), logits[:, self._finding :]
        shares = torch.empty_like(logits)
        shares[:, : self._finding] = self._break(found).view(found.shape)
        logits[:, : self._finding] = found
        counted.copy_(counted.softmax(dim=-1))
        shares[:, self._finding :] = counted
        return shares.view(-1, logits.shape[-1])

    def _through(self, gradient: Tensor, group: Group) -> None:
        """Of a softmax it is like that of sticks, with weights for shares and the whole sum for sums."""
        if self._finding == self._heads:
            super()._through(gradient, group)
            return
        assert group.shares is not None
        shaped = gradient.view(-1, self._heads, *gradient.shape[1:])
        sums = shaped.cumsum(-1)
        sums[:, self._finding :] = sums[:, self._finding :, :, -1:].clone()
        shaped.addcmul_(group.shares.view(shaped.shape), sums, value=-1.0)


class Waves:
    """Turns what heads read, as complex numbers."""

    def __init__(self, config: ModelConfig, dtype: torch.dtype) -> None:
        self._table = torch.view_as_complex(wave_table(config, dtype, torch.device("cpu"))).flatten(1)
        self._last: tuple[Packed, dict[tuple[bool, int], Tensor]] | None = None

    def turn(self, vectors: Tensor, packed: Packed, chosen: Tensor | None, direction: int) -> None:
        """Turn vectors (tokens, width), behind which there may be more, by the ids of all tokens or some."""
        if len(self._table) == 1:
            return
        by = self._of(packed, chosen, direction)
        torch.view_as_complex(vectors[: len(by)].view(*by.shape, 2)).mul_(by)

    def _of(self, packed: Packed, chosen: Tensor | None, direction: int) -> Tensor:
        if self._last is None or self._last[0] is not packed:
            self._last = packed, {}
        made, name = self._last[1], (chosen is None, direction)
        if name not in made:
            ids = packed.ids if chosen is None else packed.ids[chosen]
            made[name] = self._table[direction * ids % len(self._table)]
        return made[name]
