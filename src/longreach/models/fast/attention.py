"""Attention over groups of packed rows, with its gradient written out.

Exponentials are left unnormalised: e = exp(logits), z their sum over keys, output o = e·v / z. With the
gradient g of o, and g' = g / z, that of the logits is e · (g'·vᵀ − Σ g'·o), and that of v is eᵀ·g'. So the
softmax and its gradient take few passes over the logits. Powers of two are taken: they are faster than those
of e.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from longreach.models.attention import STEEP, SUMS_AS_PRODUCTS, sums_from
from longreach.models.fast.packed import Packed, Queries, Workspace

PER_BIT = math.log2(math.e)
LARGEST = 64.0
"""Logits in bits between ± this need no shift: their exponentials and sums of these stay in range."""


@dataclass(frozen=True, slots=True)
class Group:
    """What the backward pass needs of a group; tensors are (rows · heads, …)."""

    query: Tensor
    key: Tensor
    value: Tensor
    weights: Tensor
    """Any multiple of them, for each query the same."""
    shares: Tensor | None
    """Of sticks, what each key takes of what is left."""
    slots: slice
    keys: slice


@dataclass(frozen=True, slots=True)
class Attention:
    """The attention of one layer, as the forward pass leaves it."""

    queries: Queries
    groups: tuple[Group, ...]
    output: Tensor
    """(query slots, head width)"""
    inverse: Tensor
    """(query slots, 1): 1 / z"""


class Attender:
    """Attention for one shape of heads; it keeps the masks that it has made."""

    unit = PER_BIT
    """The logits are multiplied by it."""

    def __init__(self, heads: int, head_width: int, space: Workspace, dtype: torch.dtype) -> None:
        self._heads, self._width = heads, head_width
        self._space = space
        self._ones = torch.ones(head_width, dtype=dtype)
        self._masks: dict[int, Tensor] = {}

    def forward(
        self,
        packed: Packed,
        queries: Queries,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        biases: Sequence[Tensor] | None,
        out: Tensor,
        spread: Tensor | None = None,
        *,
        keep: bool = True,
    ) -> Attention:
        """Attention of queries, keys and values (tokens + 1, width), the last row anything finite.

        `spread`, if it is given, says where the rows of all three are found, instead of the batch's own.
        `biases` are added to the logits, per group (…, heads, queries, keys). The result is written into
        `out`, (queries, width). What `backward` needs is kept if wanted.
        """
        take, width, heads = self._space.take, self._width, self._heads
        of_keys, of_queries = packed.everywhere.spread, queries.spread
        if spread is not None:
            of_keys = of_queries = spread
        key, value = (self._spread(each, of_keys) for each in (key, value))
        query = self._spread(query, of_queries)
        output, sums = take(len(query), width), take(len(query), 1)
        groups, first, first_key = [], 0, 0
        for number, rows in enumerate(packed.rows):
            n, length = queries.sizes[number], packed.everywhere.sizes[number]
            many = rows * heads
            slots = slice(first, first := first + many * n)
            keys = slice(first_key, first_key := first_key + many * length)
            q, k, v = query[slots].view(many, n, width), key[keys], value[keys]
            k, v = k.view(many, length, width), v.view(many, length, width)
            mark = self._space.mark()
            logits = take(many, n, length)
            logits.baddbmm_(q, k.transpose(1, 2), beta=0, alpha=width**-0.5 * self.unit)
            shaped = logits.view(rows, heads, n, length)
            if biases is not None:
                shaped.add_(biases[number].detach(), alpha=self.unit)
            seen = self._mask(length) if queries.visible is None else queries.visible[number]
            shares = self._weigh(shaped, seen, sums[slots])
            torch.bmm(logits, v, out=output[slots].view(many, n, width))
            if keep:
                groups.append(Group(q, k, v, logits, shares, slots, keys))
            else:
                self._space.back(mark)  # the next group finds it in the cache
        inverse = sums.reciprocal_()
        output.mul_(inverse)
        torch.index_select(output, 0, queries.collect, out=out.view(-1, width))
        return Attention(queries, tuple(groups), output, inverse)

    def backward(
        self,
        attention: Attention,
        packed: Packed,
        gradient: Tensor,
        outs: tuple[Tensor, Tensor, Tensor],
    ) -> list[Tensor]:
        """The gradients of queries, keys and values, written into `outs`, from that of the output.

        `gradient` is (queries + 1, width), its last row 0. Returned are the gradients of the logits per
        group, (rows, heads, queries, keys).
        """
        take, width, heads = self._space.take, self._width, self._heads
        given = self._spread(gradient, attention.queries.spread)
        given.mul_(attention.inverse)
        shift = self._shift(attention, given)
        d_query = take(len(given), width)
        everywhere = packed.everywhere
        d_key, d_value = (take(len(everywhere.spread), width) for _ in range(2))
        factor, found = width**-0.5, []
        for number, group in enumerate(attention.groups):
            many, n, _ = group.query.shape
            length = group.key.shape[1]
            g = given[group.slots].view(many, n, width)
            e = group.weights
            torch.bmm(e.transpose(1, 2), g, out=d_value[group.keys].view(many, length, width))
            logits = take(many, n, length)
            torch.baddbmm(shift[group.slots].view(many, n, 1), g, group.value.transpose(1, 2), out=logits)
            logits.mul_(e)
            self._through(logits, group)
            d_query[group.slots].view(many, n, width).baddbmm_(logits, group.key, beta=0, alpha=factor)
            d_key[group.keys].view(many, length, width).baddbmm_(
                logits.transpose(1, 2), group.query, beta=0, alpha=factor
            )
            found.append(logits.view(packed.rows[number], heads, n, length))
        for slots, collect, out in zip(
            (d_query, d_key, d_value),
            (attention.queries.collect, everywhere.collect, everywhere.collect),
            outs,
            strict=True,
        ):
            torch.index_select(slots, 0, collect, out=out.view(-1, width))
        return found

    def _weigh(self, logits: Tensor, seen: Tensor, sums: Tensor) -> Tensor | None:
        """Turn logits (rows, heads, queries, keys) into weights times `sums`, which are written."""
        _exponentials(logits, seen)
        length = logits.shape[-1]
        torch.mm(logits.view(-1, length), self._column(length), out=sums)
        return None

    def _shift(self, attention: Attention, given: Tensor) -> Tensor:
        """What the gradient by the weights of each query is lessened by, (query slots, 1)."""
        out = self._space.take(len(given), 1)
        return torch.mm(attention.output.mul_(given), self._ones[:, None], out=out).neg_()

    def _through(self, gradient: Tensor, group: Group) -> None:
        """Change gradient times weight to what it is by the logits, in place."""

    def _spread(self, tokens: Tensor, spread: Tensor) -> Tensor:
        out = self._space.take(len(spread), self._width)
        return torch.index_select(tokens.view(-1, self._width), 0, spread, out=out)

    def _mask(self, length: int) -> Tensor:
        if length not in self._masks:
            self._masks[length] = torch.ones(length, length, dtype=self._ones.dtype).tril()
        return self._masks[length]

    def _column(self, length: int) -> Tensor:
        # The first column of the mask is all ones.
        return self._mask(length)[:, :1]


class StickAttender(Attender):
    """Stick-breaking attention, as `longreach.models.attention.sticks` has it."""

    unit = 1.0

    def _weigh(self, logits: Tensor, seen: Tensor, sums: Tensor) -> Tensor | None:
        sums.fill_(1.0)
        return self._break(logits.masked_fill_(seen == 0, -math.inf))

    def _break(self, logits: Tensor) -> Tensor:
        """Turn logits into weights, in place; what each key takes of what is left."""
        take, length = self._space.take, logits.shape[-1]
        many = math.prod(logits.shape[:-1])
        flat = logits.view(many, length)
        shares = torch.sigmoid(flat, out=take(many, length))
        parts = _aten.softplus.out(flat, 1.0, STEEP, out=take(many, length))
        if length <= SUMS_AS_PRODUCTS:
            flat.addmm_(parts, self._mask(length), alpha=-1.0)
        else:
            flat.sub_(sums_from(parts))
        flat.exp_()
        return shares

    def _shift(self, attention: Attention, given: Tensor) -> Tensor:
        return self._space.take(len(given), 1).zero_()

    def _through(self, gradient: Tensor, group: Group) -> None:
        assert group.shares is not None
        flat = gradient.view(group.shares.shape)
        length = flat.shape[-1]
        sums = self._space.take(*flat.shape)
        if length <= SUMS_AS_PRODUCTS:
            torch.mm(flat, self._mask(length).t(), out=sums)
        else:
            torch.cumsum(flat, -1, out=sums)
        flat.addcmul_(group.shares, sums, value=-1.0)


def _exponentials(logits: Tensor, seen: Tensor) -> None:
    """2 to the logits where keys are seen, else 0, in place; of each row any multiple."""
    least, most = torch.aminmax(logits)
    if not (least.item() > -LARGEST and most.item() < LARGEST):
        logits.masked_fill_(seen == 0, -math.inf)
        logits.sub_(logits.amax(dim=-1, keepdim=True))
    logits.exp2_().mul_(seen)


_aten = torch.ops.aten
