"""The decoder over packed rows, with attention and its gradient written out.

Exponentials are left unnormalised: e = exp(logits), z their sum over keys, output o = e·v / z. With the
gradient g of o, and g' = g / z, that of the logits is e · (g'·vᵀ − Σ g'·o), and that of v is eᵀ·g'. So the
softmax and its gradient take few passes over the logits. Powers of two are taken: they are faster than those
of e.

Products run over all tokens of a batch at once; only attention sees rows. GELU is x · sigmoid(2u), which is
the same as its tanh form x · (1 + tanh u) / 2, and faster on a CPU. `gradient` adds the backward pass.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor

from longreach.config.model import ModelConfig
from longreach.config.reach import ReachHead
from longreach.models.attention import STEEP, SUMS_AS_PRODUCTS, StickBreaking, sums_from
from longreach.models.decoder import GELU_CUBIC, GELU_LINEAR, ID_MATRIX, encoding_module
from longreach.models.encodings import Encoding
from longreach.models.fast.packed import Packed, PackedBiases, Queries, Workspace
from longreach.models.parameters import Parameters
from longreach.models.reach import Reach, layer_heads, wave_table

PER_BIT = math.log2(math.e)
LARGEST = 64.0
"""Logits in bits between ± this need no shift: their exponentials and sums of these stay in range."""


@dataclass(frozen=True, slots=True)
class _Group:
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
    groups: tuple[_Group, ...]
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
                groups.append(_Group(q, k, v, logits, shares, slots, keys))
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

    def _through(self, gradient: Tensor, group: _Group) -> None:
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

    def _through(self, gradient: Tensor, group: _Group) -> None:
        assert group.shares is not None
        flat = gradient.view(group.shares.shape)
        length = flat.shape[-1]
        sums = self._space.take(*flat.shape)
        if length <= SUMS_AS_PRODUCTS:
            torch.mm(flat, self._mask(length).t(), out=sums)
        else:
            torch.cumsum(flat, -1, out=sums)
        flat.addcmul_(group.shares, sums, value=-1.0)


class ReachAttender(StickAttender):
    """The attention of one layer, as `longreach.models.reach.Reach` has it; values are turned outside."""

    def __init__(
        self,
        heads: Sequence[ReachHead],
        head_width: int,
        space: Workspace,
        dtype: torch.dtype,
    ) -> None:
        super().__init__(len(heads), head_width, space, dtype)
        self._finding = sum(not head.counting for head in heads)
        self._strict = [number for number, head in enumerate(heads) if head.strict]

    def _weigh(self, logits: Tensor, seen: Tensor, sums: Tensor) -> Tensor | None:
        sums.fill_(1.0)
        hidden = seen == 0
        logits.masked_fill_(hidden, -math.inf)
        # A strict head sees up to the key before the last one that others see.
        last = F.pad(hidden[..., 1:], (0, 1), value=True)
        for head in self._strict:
            logits[:, head].masked_fill_(last if last.ndim == 2 else last[:, 0], -math.inf)
        if self._finding == self._heads:
            return self._break(logits)
        found, counted = logits[:, : self._finding].contiguous(), logits[:, self._finding :]
        shares = torch.empty_like(logits)
        shares[:, : self._finding] = self._break(found).view(found.shape)
        logits[:, : self._finding] = found
        counted.copy_(counted.softmax(dim=-1))
        shares[:, self._finding :] = counted
        return shares.view(-1, logits.shape[-1])

    def _through(self, gradient: Tensor, group: _Group) -> None:
        if self._finding == self._heads:
            return super()._through(gradient, group)
        assert group.shares is not None
        shaped = gradient.view(-1, self._heads, *gradient.shape[1:])
        shares = group.shares.view(shaped.shape)
        sums = shaped.cumsum(-1)
        sums[:, self._finding :] = sums[:, self._finding :, :, -1:].clone()
        shaped.addcmul_(shares, sums, value=-1.0)
        return None


def _exponentials(logits: Tensor, seen: Tensor) -> None:
    """2 to the logits where keys are seen, else 0, in place; of each row any multiple."""
    least, most = torch.aminmax(logits)
    if not (least.item() > -LARGEST and most.item() < LARGEST):
        logits.masked_fill_(seen == 0, -math.inf)
        logits.sub_(logits.amax(dim=-1, keepdim=True))
    logits.exp2_().mul_(seen)


_aten = torch.ops.aten


@dataclass(frozen=True, slots=True)
class Norm:
    """A layer norm's input, and what it found."""

    x: Tensor
    mean: Tensor
    inverse: Tensor


@dataclass(frozen=True, slots=True)
class Attended:
    """What attention in a layer leaves for the backward pass."""

    norm: Norm | None
    inputs: Tensor
    at_queries: Tensor
    attention: Attention
    biases: list[Tensor] | None
    mixed: Tensor


class Waves:
    """Turns what heads of `reach` read, as complex numbers."""

    def __init__(self, config: ModelConfig, dtype: torch.dtype) -> None:
        self._table = torch.view_as_complex(wave_table(config, dtype, torch.device("cpu"))).flatten(1)
        self._period = len(self._table)
        self._last: tuple[Packed, dict[tuple[bool, int], Tensor]] | None = None

    def turn(self, vectors: Tensor, packed: Packed, chosen: Tensor | None, direction: int) -> None:
        """Turn vectors (tokens, width), behind which there may be more, by the ids of all tokens or some."""
        if self._period == 1:
            return
        by = self._of(packed, chosen, direction)
        seen = vectors[: len(by)]
        torch.view_as_complex(seen.view(*by.shape, 2)).mul_(by)

    def _of(self, packed: Packed, chosen: Tensor | None, direction: int) -> Tensor:
        if self._last is None or self._last[0] is not packed:
            self._last = packed, {}
        made, name = self._last[1], (chosen is None, direction)
        if name not in made:
            ids = packed.ids if chosen is None else packed.ids[chosen]
            made[name] = self._table[direction * ids % self._period]
        return made[name]


class PackedForward:
    """The logits of a shape of models, in memory that is used again; `parameters` are read.

    >>> import numpy as np
    >>> from longreach.models.fast.packed import PackedRows
    >>> from longreach.models.decoder import forward, initialise
    >>> config = ModelConfig(layers=2, heads=2, width=8, vocabulary=5, positions=10)
    >>> tokens, parameters = np.array([[0, 3, 1]]), initialise(config, 0)
    >>> rows = PackedRows(tokens, np.arange(3)[None], tokens, tokens >= 0, np.array([3]))
    >>> found = PackedForward(config, parameters).logits(rows.batch(slice(0, 1), heads=2, borders=[0, 1]))
    >>> torch.allclose(found, forward(parameters, config, torch.from_numpy(tokens))[0], atol=1e-6)
    True
    """

    def __init__(self, config: ModelConfig, parameters: Parameters, space: Workspace | None = None) -> None:
        """Instances that never run at the same time may share a workspace."""
        self._config = config
        self._encoding = encoding_module(config.encoding)
        self._parameters = parameters
        dtype = parameters["embedding"].dtype
        self._space = Workspace(dtype) if space is None else space
        self._attenders = self._make_attenders(dtype)
        self._waves = Waves(config, dtype) if isinstance(self._encoding, Reach) else None
        self._linear = torch.tensor(GELU_LINEAR, dtype=dtype)
        self._biased = self._encoding.adds_bias
        self._turned = type(self._encoding).turn is not Encoding.turn

    def _make_attenders(self, dtype: torch.dtype) -> list[Attender]:
        """One for each layer."""
        config, space = self._config, self._space
        if isinstance(self._encoding, Reach):
            heads = [layer_heads(config, layer) for layer in range(config.layers)]
            return [ReachAttender(each, config.head_width, space, dtype) for each in heads]
        kind = StickAttender if isinstance(self._encoding, StickBreaking) else Attender
        return [kind(config.heads, config.head_width, space, dtype)] * config.layers

    def logits(self, packed: Packed) -> Tensor:
        """At the supervised tokens, (tokens, outputs); the next call overwrites them."""
        return self.outputs(packed)[0]

    def outputs(self, packed: Packed) -> tuple[Tensor, Tensor | None]:
        """The same, and the logits of the next token's id where the model predicts it."""
        with torch.no_grad():
            self._space.start()
            biases = self._biases(packed, keep=False)
            y = self._embedded(packed)
            for number in range(self._config.layers):
                after = self._space.take(self._queries(number, packed), self._config.width)
                mark = self._space.mark()
                _, y = self._attend(number, packed, y, biases, keep=False)
                inputs, _ = self._normalise(f"layers.{number}.mlp_norm", y)
                self._feed(number, inputs, y, after)
                y = after
                self._space.back(mark)
            inputs = self._normalise("norm", y)[0]
            ids = self._unembedded(inputs, ID_MATRIX) if self._config.predict_ids else None
            return self._unembedded(inputs, self._matrix), ids

    def _biases(self, packed: Packed, *, keep: bool = True) -> PackedBiases | None:
        return PackedBiases(self._config, self._parameters, packed, keep=keep) if self._biased else None

    def _embedded(self, packed: Packed) -> Tensor:
        tokens, ids = entering(packed)
        y = _aten.embedding(self._parameters["embedding"], tokens)
        return self._encoding.embed(self._parameters, self._config, y, ids)

    def _chosen(self, number: int, packed: Packed) -> Tensor | None:
        """The tokens that ask in a layer: in the last one those that are supervised; None: all."""
        return packed.chosen if number == self._config.layers - 1 else None

    def _queries(self, number: int, packed: Packed) -> int:
        chosen = self._chosen(number, packed)
        return len(packed.tokens) if chosen is None else len(chosen)

    def _attend(
        self, number: int, packed: Packed, y: Tensor, biases: PackedBiases | None, *, keep: bool = True
    ) -> tuple[Attended, Tensor]:
        """The residual stream at the queries after attention, and what a backward pass needs."""
        take, parameters, width = self._space.take, self._parameters, self._config.width
        chosen = self._chosen(number, packed)
        queries = packed.everywhere if chosen is None or packed.supervised is None else packed.supervised
        distinct = packed.distinct if number == 0 else None
        name = f"layers.{number}.attention"
        inputs, norm = self._normalise(f"{name}_norm", y)
        at_queries, y = (inputs, y) if chosen is None else (inputs[chosen], y[chosen])
        if distinct is not None:
            y = y[distinct.which]
        query, key, value = (
            self._projected(f"{name}.{part}", given)
            for part, given in (("query", at_queries), ("key", inputs), ("value", inputs))
        )
        self._turn(query, packed, chosen, 1)
        self._turn(key, packed, None, 1)
        self._scale(query, packed, chosen)
        mixed = take(len(y), width)
        added = None if biases is None else biases.of(number, queries)
        spread = None if distinct is None else distinct.spread
        if self._waves is not None:
            self._waves.turn(value, packed, None, -1)
        attention = self._attenders[number].forward(
            packed, queries, query, key, value, added, mixed, spread, keep=keep
        )
        if self._waves is not None:
            self._waves.turn(mixed, packed, chosen, 1)
        after = torch.addmm(y, mixed, parameters[f"{name}.out.weight"].t(), out=take(len(y), width))
        after += parameters[f"{name}.out.bias"]
        return Attended(norm, inputs, at_queries, attention, added, mixed), after

    def _feed(self, number: int, inputs: Tensor, y: Tensor, out: Tensor) -> None:
        """Write the residual stream after the MLP."""
        name, parameters = f"layers.{number}.mlp", self._parameters
        matrix = parameters[f"{name}.in.weight"]
        units, active = (self._space.take(len(y), len(matrix)) for _ in range(2))
        torch.addmm(parameters[f"{name}.in.bias"], inputs, matrix.t(), out=units)
        double = torch.addcmul(self._linear, units, units, value=GELU_CUBIC, out=active).mul_(units)
        double.sigmoid_().mul_(units)
        torch.addmm(y, active, parameters[f"{name}.out.weight"].t(), out=out)
        out += parameters[f"{name}.out.bias"]

    @property
    def _matrix(self) -> str:
        return "embedding" if self._config.tied else "unembedding"

    def _unembedded(self, inputs: Tensor, name: str) -> Tensor:
        matrix = self._parameters[name]
        return torch.mm(inputs, matrix.t(), out=self._space.take(len(inputs), len(matrix)))

    def _projected(self, name: str, inputs: Tensor) -> Tensor:
        """A linear map of the inputs, and a last row of zeros for slots that are empty."""
        made = self._with_zeros(len(inputs))
        matrix, bias = self._parameters[f"{name}.weight"], self._parameters[f"{name}.bias"]
        torch.addmm(bias, inputs, matrix.t(), out=made[:-1])
        return made

    def _normalise(self, name: str, x: Tensor) -> tuple[Tensor, Norm | None]:
        config, parameters = self._config, self._parameters
        if not config.layer_norm:
            return x, None
        weight, bias = parameters[f"{name}.weight"], parameters[f"{name}.bias"]
        made, mean, inverse = torch.native_layer_norm(x, (config.width,), weight, bias, config.norm_epsilon)
        return made, Norm(x, mean, inverse)

    def _with_zeros(self, rows: int) -> Tensor:
        made = self._space.take(rows + 1, self._config.width)
        made[-1].zero_()
        return made

    def _turn(self, vectors: Tensor, packed: Packed, chosen: Tensor | None, direction: int) -> None:
        """Turn queries or keys as the encoding does; the gradient of a rotation is the one back."""
        if not self._turned:
            return
        config = self._config
        ids = direction * (packed.ids if chosen is None else packed.ids[chosen])
        seen = vectors[: len(ids)].view(len(ids), config.heads, config.head_width)
        seen.copy_(self._encoding.turn(config, 0, seen.transpose(0, 1), ids).transpose(0, 1))

    def _scale(self, queries: Tensor, packed: Packed, chosen: Tensor | None) -> None:
        """Multiply queries, or their gradient, by the logarithm of the length of the prefix."""
        if self._config.log_length:
            places = packed.places if chosen is None else packed.places[chosen]
            queries[: len(places)].mul_((places + 1).float().log_().to(queries.dtype)[:, None])


def entering(packed: Packed) -> tuple[Tensor, Tensor]:
    """Tokens and ids of what enters the first layer."""
    if packed.distinct is None:
        return packed.tokens, packed.ids
    return packed.tokens[packed.distinct.tokens], packed.ids[packed.distinct.tokens]
