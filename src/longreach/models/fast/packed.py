"""Rows of different sizes without padding, in memory that is reused, and the biases of their attention.

Products of a layer are taken over all tokens at once; only attention sees rows, in groups of similar size. A
group has a slot for each row, head and place up to its longest row, in this order: `spread` says which token
a slot belongs to, `collect` which slot a token has.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from longreach.config.model import ModelConfig
from longreach.models.decoder import encoding_module
from longreach.models.parameters import Parameters

Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Queries:
    """The tokens that attend: all of them, or the supervised ones."""

    spread: Tensor
    """(slots,): token · heads + head of each slot; the number of tokens stands for that of an empty one."""
    collect: Tensor
    """(tokens · heads,): the slot of each."""
    sizes: tuple[int, ...]
    """How many a row of each group has, empty slots included."""
    visible: tuple[Tensor, ...] | None = None
    """Per group (rows, 1, queries, keys), 1 where a query sees a key; None: what is not later."""


@dataclass(frozen=True, slots=True)
class Distinct:
    """Tokens that enter the first layer as the same vector, once each."""

    tokens: Tensor
    """One token of each kind, by its number in the batch."""
    which: Tensor
    """(tokens,): the kind of each."""
    spread: Tensor
    """(slots,): kind · heads + head; the number of kinds stands for that of an empty slot."""


@dataclass(frozen=True, slots=True)
class Packed:
    """A batch whose rows are sorted by size."""

    tokens: Tensor
    ids: Tensor
    places: Tensor
    """The place of each token in its row, from 0."""
    rows: tuple[int, ...]
    """How many rows each group has."""
    everywhere: Queries
    supervised: Queries | None
    """None: every token is supervised."""
    chosen: Tensor | None
    """The supervised tokens; None: all."""
    targets: Tensor
    """Of the supervised tokens."""
    distinct: Distinct | None = None
    """None: tokens are taken one by one."""
    target_ids: Tensor | None = None
    """Of the supervised tokens, where ids are predicted."""


GROUP_COST = 8000
"""What calls cost that one more group needs, in logits whose attention takes as long."""


KINDS_PER_TOKEN = 4
"""A table of kinds that is larger is not made."""
KINDS_WORTH_IT = 0.7
"""The share of tokens that kinds may be: more cost more than they save."""


def group_widths(sizes: Sequence[int], *, rows: int, heads: int) -> tuple[int, ...]:
    """The widths of the groups in which rows attend at the least cost, if their sizes are drawn from these.

    >>> group_widths(range(2, 22), rows=64, heads=4)
    (10, 16, 21)
    """
    counts = Counter(sizes)
    ordered, each = sorted(counts), rows * heads / len(sizes)
    before = [0, *accumulate(counts[size] for size in ordered)]
    costs, ends = [0.0], [0]
    for end, size in enumerate(ordered, 1):
        # The last group begins where it costs least.
        found = [
            costs[begin] + GROUP_COST + (before[end] - before[begin]) * each * size * size
            for begin in range(end)
        ]
        costs.append(min(found))
        ends.append(found.index(costs[-1]))
    widths, end = [], len(ordered)
    while end:
        widths.append(ordered[end - 1])
        end = ends[end]
    return tuple(reversed(widths))


class PackedRows:
    """One or several batches of the same number of rows, in arrays (rows, width); each is sorted by size.

    >>> tokens, sizes = np.array([[1, 5, 0], [1, 6, 7]]), np.array([2, 3])
    >>> rows = PackedRows(tokens, tokens, tokens, np.arange(3) < sizes[:, None], sizes)
    >>> packed = rows.batch(slice(0, 2), heads=1, borders=[0, 2])
    >>> packed.tokens.tolist(), packed.everywhere.spread.tolist(), packed.everywhere.collect.tolist()
    ([1, 5, 1, 6, 7], [0, 1, 5, 2, 3, 4], [0, 1, 3, 4, 5])
    """

    def __init__(
        self,
        tokens: Ints,
        ids: Ints,
        targets: Ints,
        mask: NDArray[np.bool_],
        sizes: Ints,
        kinds: Ints | None = None,
        next_ids: Ints | None = None,
    ) -> None:
        """`kinds`, small numbers, are the same where tokens enter the first layer as the same vector.

        `next_ids` are the position ids to be predicted.
        """
        present = np.arange(tokens.shape[1]) < sizes[:, None]
        self._places = present.nonzero()[1]
        self._tokens, self._ids = tokens[present], ids[present]
        self._targets = targets[mask]
        self._target_ids = None if next_ids is None else next_ids[mask]
        self._kinds = None if kinds is None else kinds[present]
        self._sizes, self._starts = sizes, _starts(sizes)
        self._counts = mask.sum(axis=1)
        self._firsts = _starts(self._counts)
        self._dense = np.array_equal(self._counts, sizes)
        rows, self._chosen_places = (np.zeros(0, dtype=np.int64),) * 2 if self._dense else mask.nonzero()
        self._chosen = self._starts[rows] + self._chosen_places

    def batch(self, rows: slice, *, heads: int, borders: Sequence[int]) -> Packed:
        """The batch of these rows, cut into groups at the borders, which count from its first row."""
        sizes, counts = self._sizes[rows], self._counts[rows]
        tokens = _range(self._starts[rows], sizes)
        supervised = _range(self._firsts[rows], counts)
        asked, chosen = None, None
        if not self._dense:
            chosen = torch.from_numpy(self._chosen[supervised] - tokens.start)
            places = self._chosen_places[supervised]
            asked = _queries(
                counts, _places(counts), heads, borders, _visible(places, counts, sizes, borders)
            )
        places = self._places[tokens]
        everywhere = _queries(sizes, places, heads, borders)
        return Packed(
            tokens=torch.from_numpy(self._tokens[tokens]),
            ids=torch.from_numpy(self._ids[tokens]),
            places=torch.from_numpy(places),
            rows=tuple(b - a for a, b in pairwise(borders)),
            everywhere=everywhere,
            supervised=asked,
            chosen=chosen,
            targets=torch.from_numpy(self._targets[supervised]),
            distinct=None if self._kinds is None else _distinct(self._kinds[tokens], everywhere, heads),
            target_ids=None if self._target_ids is None else torch.from_numpy(self._target_ids[supervised]),
        )


def _starts(counts: Ints) -> Ints:
    ends: Ints = np.cumsum(counts)
    return ends - counts


def _range(starts: Ints, counts: Ints) -> slice:
    return slice(int(starts[0]), int(starts[-1] + counts[-1]))


def _places(counts: Ints) -> Ints:
    """0, 1, … for each row."""
    made: Ints = np.arange(counts.sum()) - np.repeat(_starts(counts), counts)
    return made


def _queries(
    counts: Ints, places: Ints, heads: int, borders: Sequence[int], visible: tuple[Tensor, ...] | None = None
) -> Queries:
    """Slots for rows that have so many tokens each."""
    # A group that asks nothing has one empty slot for each row and head.
    sizes = [max(1, int(counts[a:b].max())) for a, b in pairwise(borders)]
    rows = [b - a for a, b in pairwise(borders)]
    widths = np.repeat(sizes, rows)
    of_row = np.repeat(widths, counts)
    first = np.repeat(_starts(widths * heads), counts) + places
    collect = (first[:, None] + of_row[:, None] * np.arange(heads)).ravel()
    spread = np.full(int(widths.sum()) * heads, len(collect))
    spread[collect] = np.arange(len(collect))
    return Queries(torch.from_numpy(spread), torch.from_numpy(collect), tuple(sizes), visible)


def _distinct(kinds: Ints, everywhere: Queries, heads: int) -> Distinct | None:
    """The kinds, unless there are too many to be worth it."""
    most = int(kinds.max()) + 1
    if most > KINDS_PER_TOKEN * len(kinds):
        return None
    example = np.full(most, -1)
    example[kinds] = np.arange(len(kinds))
    (found,) = (example >= 0).nonzero()
    if len(found) > KINDS_WORTH_IT * len(kinds):
        return None
    number = np.zeros(most, dtype=np.int64)
    number[found] = np.arange(len(found))
    which = number[kinds]
    spread = np.full(len(everywhere.spread), len(found) * heads)
    spread[everywhere.collect.numpy()] = (which[:, None] * heads + np.arange(heads)).ravel()
    return Distinct(*map(torch.from_numpy, (example[found], which, spread)))


def _visible(places: Ints, counts: Ints, sizes: Ints, borders: Sequence[int]) -> tuple[Tensor, ...]:
    """Which keys the supervised tokens see; empty slots see the first one alone."""
    most = max(1, int(counts.max()))
    place = np.zeros((len(counts), most), dtype=np.int64)
    place[np.arange(most) < counts[:, None]] = places
    made: list[NDArray[Any]] = []
    for a, b in pairwise(borders):
        keys, size = int(sizes[b - 1]), max(1, int(counts[a:b].max()))
        made.append((np.arange(keys) <= place[a:b, :size, None]).astype(np.float32)[:, None])
    return tuple(map(torch.from_numpy, made))


class PackedBiases:
    """The biases of one batch, layer by layer."""

    def __init__(
        self, config: ModelConfig, parameters: Parameters, packed: Packed, *, keep: bool = True
    ) -> None:
        """What `write` needs is kept if wanted."""
        self._config, self._packed, self._keep = config, packed, keep
        self._encoding = encoding_module(config.encoding)
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
        if bias is None or not (self._config.log_length and self._config.scaled_bias):
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
    offsets = packed.ids - packed.places
    return torch.equal(offsets, offsets[torch.arange(len(offsets)) - packed.places])


class Workspace:
    """Buffers one after the other, all of them free again when the next step starts.

    Fresh buffers of this size would be mapped and faulted anew in each step.

    >>> space = Workspace(torch.float32)
    >>> space.start()
    >>> space.take(2, 3).shape
    torch.Size([2, 3])
    """

    def __init__(self, dtype: torch.dtype) -> None:
        self._memory = torch.empty(0, dtype=dtype)
        self._used = self._most = 0

    def start(self) -> None:
        """Release all buffers and grow to the largest size seen so far."""
        if self._most > len(self._memory):
            self._memory = self._memory.new_empty(self._most + self._most // 4)
        self._used = 0

    def take(self, *shape: int) -> Tensor:
        """An uninitialised buffer."""
        size = math.prod(shape)
        first = self._used
        self._used += -(-size // 16) * 16  # whole cache lines
        self._most = max(self._most, self._used)
        if self._used > len(self._memory):
            return self._memory.new_empty(shape)
        strides = (shape[1] * shape[2], shape[2], 1) if len(shape) == 3 else (shape[-1], 1)[-len(shape) :]
        return self._memory.as_strided(shape, strides, first)

    def mark(self) -> int:
        """Where the next buffer will begin, for `back`."""
        return self._used

    def back(self, mark: int) -> None:
        """Take back the buffers since then."""
        self._used = mark
