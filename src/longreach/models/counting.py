"""The small transformers of Izzo, Nichani and Lee (arXiv 2510.27015), with gradients from counts.

No layer norms, one head per layer, a hidden layer of rectifiers, all with residual connections; the paper
leaves the activation open. Initial values and learning rates are those of μP (Yang et al., arXiv 2203.03466,
Table 8) for Adam: embeddings have variance 1 and the full rate, matrices of a layer the variance 1 / inputs,
the output 1 / inputs², attention logits are divided by the width; all but the embeddings have the rate
divided by the width, as in appendix B of the paper.

Without positions, or with positions modulo a period, all tokens of one kind have the same key and value. The
softmax over positions is then one over kinds, weighted by their counts: the same numbers as those of the
transformer on the tokens, at a cost that does not depend on the length.

The first layer attends as the infinite-precision model of arXiv 2510.27015 (section 5): token logits, and
log i · φ(distance) for the nearest tokens of position i. Tokens of one kind that are farther away have the
same weight, so that a position needs the counts before it and its nearest tokens, not all pairs. The second
layer has one query, the last position. Positions of all sequences stand in one list, unpadded; those that
have seen the same go through the first layer once.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from longreach.config.architectures import COUNTING
from longreach.config.model import Shape
from longreach.models.network import Network, Outputs
from longreach.models.parameters import Parameters, views
from longreach.theory.limit.model import regression_shapes


class RegressionShape(Shape):
    """What decides the shape of every parameter.

    >>> shape = RegressionShape(symbols=3, outputs=1, layers=1, width=16, hidden=256)
    >>> sum(math.prod(each) for each in shape.table.values())
    9280
    """

    symbols: int
    outputs: int
    layers: int
    width: int
    hidden: int
    period: int = 1
    """Of the positions: one learned vector per residue; 1 is none."""
    locality: int = 0
    """Distances 0 … locality have a learned bias; 0 is none."""
    log_length: bool = False
    """Whether all attention logits are multiplied by the logarithm of the length."""

    @property
    def architecture(self) -> str:
        return COUNTING

    @property
    def kinds(self) -> int:
        """Tokens at a position modulo the period."""
        return self.symbols * self.period

    @property
    def table(self) -> dict[str, tuple[int, ...]]:
        """The shapes by name, in the order of the vector."""
        return regression_shapes(
            symbols=self.symbols,
            outputs=self.outputs,
            layers=self.layers,
            width=self.width,
            hidden=self.hidden,
            period=self.period,
            locality=self.locality,
        )

    @property
    def size(self) -> int:
        return sum(math.prod(shape) for shape in self.table.values())

    def named(self, vectors: Tensor) -> Parameters:
        """The parameters as views of vectors, whose leading axes they keep."""
        return views(self.table, vectors)

    def initial(self, rng: np.random.Generator) -> Tensor:
        parts = [
            rng.standard_normal(shape).reshape(-1) * self._deviation(name, shape)
            for name, shape in self.table.items()
        ]
        return torch.from_numpy(np.concatenate(parts).astype(np.float32))

    def rates(self, rate: float) -> Tensor:
        return torch.cat(
            [
                torch.full((math.prod(shape),), rate if _embeds(name) else rate / self.width)
                for name, shape in self.table.items()
            ]
        )

    def _deviation(self, name: str, shape: tuple[int, ...]) -> float:
        if _embeds(name):
            return 1.0
        if len(shape) == 1:
            return 0.0
        return 1 / shape[-1] if name == "output" else shape[-1] ** -0.5


def _embeds(name: str) -> bool:
    """Whether a parameter is looked up rather than multiplied; a bias by distance is, too."""
    return name in ("embedding", "positions") or name.endswith(".bias")


INITIAL = 0
"""The stream of initial values among those of a seed."""


def counting(shape: RegressionShape) -> Network:
    """The network of a shape; its batches are a `CountBatch` or, with two layers, a `KGramBatch`.

    >>> made = counting(RegressionShape(symbols=3, outputs=1, layers=1, width=4, hidden=8))
    >>> batch = CountBatch(torch.tensor([[[2.0, 1.0, 0.0]]]), torch.tensor([[1]]), torch.zeros(1, 1))
    >>> made.outputs(made.named(made.vector(made.initial(0))[None]), batch).tokens.shape
    torch.Size([1, 1])
    """

    def initial(seed: int) -> Parameters:
        return shape.named(shape.initial(np.random.default_rng([seed, INITIAL])))

    def outputs(parameters: Parameters, batch: CountBatch | KGramBatch) -> Outputs:
        if isinstance(batch, CountBatch):
            return Outputs(CountTransformer(shape).answers(parameters, batch))
        return Outputs(KGramTransformer(shape).answers(parameters, batch))

    return Network(
        shape=shape,
        table=shape.table,
        initial=initial,
        outputs=outputs,
        rates=shape.rates,
        stackable=False,
        ignores_offsets=True,
    )


class CountBatch:
    """Counts of members side by side, as the layer needs them."""

    def __init__(self, counts: Tensor, last: Tensor, targets: Tensor, shares: Tensor | None = None) -> None:
        """`counts` (members, rows, kinds) as floats, `last` (members, rows), `targets` (members, rows).

        `shares` (members, rows) are the rows' shares in the loss of a member; without them they are equal.
        """
        self.targets = targets
        self.shares = torch.full_like(targets, 1 / targets.shape[1]) if shares is None else shares
        self.log_counts = counts.log()  # −∞ where a kind is absent
        self.log_length = counts.sum(-1, keepdim=True).log()
        self.last = torch.zeros_like(counts).scatter_(2, last.unsqueeze(2), 1.0)


class CountTransformer:
    """Outputs, losses and gradients of members that share a shape with one layer and one output.

    >>> import numpy as np
    >>> shape = RegressionShape(symbols=3, outputs=1, layers=1, width=4, hidden=8)
    >>> vectors = shape.initial(np.random.default_rng(0))[None]
    >>> batch = CountBatch(torch.tensor([[[2.0, 1.0, 0.0]]]), torch.tensor([[1]]), torch.zeros(1, 1))
    >>> losses, gradients = CountTransformer(shape).gradient(vectors, batch)
    >>> losses.shape, gradients.shape == vectors.shape
    (torch.Size([1]), True)
    """

    def __init__(self, shape: RegressionShape) -> None:
        assert (shape.layers, shape.outputs, shape.locality) == (1, 1, 0), shape
        self.shape = shape

    def outputs(self, vectors: Tensor, batch: CountBatch) -> Tensor:
        return self.answers(self.shape.named(vectors), batch)

    def answers(self, named: Parameters, batch: CountBatch) -> Tensor:
        return self._forward(named, batch)[0]

    def losses(self, vectors: Tensor, batch: CountBatch) -> Tensor:
        return ((self.outputs(vectors, batch) - batch.targets).square() * batch.shares).sum(-1)

    def attention(self, vectors: Tensor, batch: CountBatch) -> Tensor:
        """The weight of one position of each kind (members, rows, kinds), whether it is there or not."""
        named = self.shape.named(vectors)
        scores = self._scores(named, _kinds(named, self.shape), batch)
        return (scores - torch.logsumexp(scores + batch.log_counts, -1, keepdim=True)).exp()

    def _scores(self, named: Parameters, kinds: Tensor, batch: CountBatch) -> Tensor:
        """The attention logits of the last position for each kind."""
        table = (kinds @ named["0.query"].mT) @ (kinds @ named["0.key"].mT).mT / self.shape.width
        scores = batch.last @ table
        return scores * batch.log_length if self.shape.log_length else scores

    def _forward(self, named: Parameters, batch: CountBatch) -> tuple[Tensor, ...]:
        kinds = _kinds(named, self.shape)
        weights = torch.softmax(self._scores(named, kinds, batch) + batch.log_counts, -1)
        values = kinds @ named["0.value"].mT
        stream = batch.last @ kinds + weights @ values
        inner = torch.baddbmm(named["0.in_bias"].unsqueeze(1), stream, named["0.in"].mT)
        # One output: the two matrices after the rectifier act as one vector.
        read = (named["output"] @ named["0.out"]).squeeze(1)
        active = inner.clamp_min(0.0)
        found = (active @ read.unsqueeze(2) + stream @ named["output"].mT).squeeze(2)
        return found, kinds, weights, values, stream, active, read

    def gradient(self, vectors: Tensor, batch: CountBatch) -> tuple[Tensor, Tensor]:
        """The losses (members,) and their gradients, written out."""
        named, gradient = self.shape.named(vectors), torch.empty_like(vectors)
        into = self.shape.named(gradient)
        found, kinds, weights, values, stream, active, read = self._forward(named, batch)
        errors = found - batch.targets
        weighted = errors * batch.shares
        slopes = (2.0 * weighted).unsqueeze(2)
        summed = slopes.mT @ active
        into["output"].copy_(slopes.mT @ stream + summed @ named["0.out"].mT)
        into["0.out"].copy_(named["output"].mT @ summed)
        inner = torch.sign(active).mul_(read.unsqueeze(1)).mul_(slopes)
        into["0.in"].copy_((stream.mT @ inner).mT)  # the faster way round
        into["0.in_bias"].copy_(inner.sum(1))
        stream_slopes = torch.baddbmm(slopes @ named["output"], inner, named["0.in"])
        # Back through the attention: what reaches values, and what reaches the table of logits.
        value_slopes = weights.mT @ stream_slopes
        into["0.value"].copy_(value_slopes.mT @ kinds)
        shares = stream_slopes @ values.mT
        scores = weights * (shares - (weights * shares).sum(-1, keepdim=True))
        if self.shape.log_length:
            scores = scores * batch.log_length
        table = batch.last.mT @ scores / self.shape.width
        keys, queries = kinds @ named["0.key"].mT, kinds @ named["0.query"].mT
        into["0.query"].copy_((table @ keys).mT @ kinds)
        into["0.key"].copy_((table.mT @ queries).mT @ kinds)
        kind_slopes = batch.last.mT @ stream_slopes + value_slopes @ named["0.value"]
        kind_slopes += (table @ keys) @ named["0.query"] + (table.mT @ queries) @ named["0.key"]
        _into_kinds(into, kind_slopes, self.shape)
        return (weighted * errors).sum(-1), gradient


def _kinds(named: Parameters, shape: RegressionShape) -> Tensor:
    """The embedding of each kind (members, kinds, width)."""
    if shape.period == 1:
        return named["embedding"]
    tokens, positions = named["embedding"].unsqueeze(1), named["positions"].unsqueeze(2)
    return (tokens + positions).flatten(1, 2)


def _into_kinds(into: Parameters, slopes: Tensor, shape: RegressionShape) -> None:
    if shape.period == 1:
        into["embedding"].copy_(slopes)
        return
    each = slopes.view(len(slopes), shape.period, shape.symbols, shape.width)
    into["embedding"].copy_(each.sum(1))
    into["positions"].copy_(each.sum(2))


IntArray: TypeAlias = NDArray[np.int64]
FloatArray: TypeAlias = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class KGramBatch:
    """Sequences as the model needs them: what positions have seen, and position by position."""

    tokens: Tensor
    """(views,)"""
    log_place: Tensor
    """The logarithm of each position, counted from 1 (views,)."""
    near: Tensor
    """The tokens 0 … locality back (views, locality + 1); 0 where there is none."""
    has_near: Tensor
    far: Tensor
    """How often each symbol stands farther back (views, symbols)."""
    view: Tensor
    """What each position has seen (positions,)."""
    row: Tensor
    """The sequence that each position belongs to."""
    end: Tensor
    """The last position of each sequence."""
    targets: Tensor
    """(sequences, symbols)"""

    @staticmethod
    def of(
        tokens: IntArray, lengths: IntArray, *, targets: FloatArray, symbols: int, locality: int
    ) -> KGramBatch:
        rows, width = tokens.shape
        present = np.arange(width) < lengths[:, None]
        once = (tokens[:, :, None] == np.arange(symbols)) & present[:, :, None]
        near = np.zeros((rows, width, locality + 1), dtype=np.int64)
        has = np.zeros(near.shape, dtype=np.bool_)
        far = once.cumsum(axis=1)
        for back in range(min(locality + 1, width)):
            near[:, back:, back] = tokens[:, : width - back]
            has[:, back:, back] = True
            far[:, back:] -= once[:, : width - back]
        places = np.broadcast_to(np.arange(1, width + 1), tokens.shape)
        row = np.broadcast_to(np.arange(rows)[:, None], tokens.shape)
        first, view = _views(np.where(has, near, symbols)[present], far[present])
        return KGramBatch(
            tokens=torch.from_numpy(tokens[present][first]),
            log_place=torch.from_numpy(np.log(places[present][first])),
            near=torch.from_numpy(near[present][first]),
            has_near=torch.from_numpy(has[present][first]),
            far=torch.from_numpy(far[present][first]),
            view=torch.from_numpy(view),
            row=torch.from_numpy(row[present]),
            end=torch.from_numpy(lengths.cumsum() - 1),
            targets=torch.from_numpy(targets),
        )


def _views(near: IntArray, far: IntArray) -> tuple[IntArray, IntArray]:
    """The first position of each kind, and the kind of each: the near tokens and the counts behind them.

    >>> [each.tolist() for each in _views(np.array([[0, 2], [1, 0], [0, 2]]), np.array([[0], [0], [0]]))]
    [[1, 0], [1, 0, 1]]
    """
    low, high = int(near.max()) + 1, int(far.max()) + 1
    weights = [*(low**place for place in range(near.shape[1]))]
    weights += [low ** near.shape[1] * high**place for place in range(far.shape[1])]
    if weights[-1] * high >= 2**63:  # one whole number cannot tell them apart
        every = np.arange(len(near))
        return every, every
    codes = np.concatenate([near, far], axis=1) @ np.array(weights)
    _, first, view = np.unique(codes, return_index=True, return_inverse=True)
    return first, view


class KGramTransformer:
    """Outputs, losses and gradients of one member.

    >>> shape = RegressionShape(symbols=2, outputs=2, layers=2, width=4, hidden=8, locality=1)
    >>> rng = np.random.default_rng(0)
    >>> tokens, lengths, targets = np.array([[0, 1, 0], [1, 1, 0]]), np.array([3, 2]), np.ones((2, 2))
    >>> batch = KGramBatch.of(tokens, lengths, targets=targets, symbols=2, locality=1)
    >>> KGramTransformer(shape).outputs(shape.initial(rng), batch).shape
    torch.Size([2, 2])
    """

    def __init__(self, shape: RegressionShape) -> None:
        assert (shape.layers, shape.period, shape.log_length) == (2, 1, False), shape
        assert shape.locality, shape
        self.shape = shape

    def outputs(self, vector: Tensor, batch: KGramBatch) -> Tensor:
        """The answers (sequences, outputs)."""
        return self.answers(self.shape.named(vector), batch)

    def answers(self, named: Parameters, batch: KGramBatch) -> Tensor:
        stream = self._first(named, batch)[batch.view]
        last = stream[batch.end]
        asked = last @ named["1.query"].mT @ named["1.key"] / self.shape.width
        logits = (stream * asked[batch.row]).sum(-1)
        most = torch.full_like(logits[: len(last)], -torch.inf)
        most = most.scatter_reduce(0, batch.row, logits.detach(), "amax")
        weights = (logits - most[batch.row]).exp()
        total = torch.zeros_like(most).index_add(0, batch.row, weights)
        mixed = torch.zeros_like(last).index_add(0, batch.row, stream * weights[:, None]) / total[:, None]
        return _hidden(named, 1, last + mixed @ named["1.value"].mT) @ named["output"].mT

    def losses(self, vector: Tensor, batch: KGramBatch) -> Tensor:
        return (self.outputs(vector, batch) - batch.targets.to(vector.dtype)).square().sum(-1).mean()

    def gradient(self, vector: Tensor, batch: KGramBatch) -> tuple[Tensor, Tensor]:
        leaf = vector.detach().requires_grad_()
        loss = self.losses(leaf, batch)
        return loss.detach(), torch.autograd.grad(loss, leaf)[0]

    def _first(self, named: Parameters, batch: KGramBatch) -> Tensor:
        """The stream after the first layer (views, width)."""
        kinds = named["embedding"]
        table = (kinds @ named["0.query"].mT) @ (kinds @ named["0.key"].mT).mT / self.shape.width
        near = (batch.log_place.to(kinds.dtype)[:, None] * named["0.bias"]).exp() * batch.has_near
        counts = batch.far.to(kinds.dtype).scatter_add(1, batch.near, near)
        scores = table[batch.tokens]
        weights = (scores - scores.detach().amax(1, keepdim=True)).exp() * counts
        weights = weights / weights.sum(1, keepdim=True)
        return _hidden(named, 0, kinds[batch.tokens] + weights @ (kinds @ named["0.value"].mT))


def _hidden(named: Parameters, layer: int, stream: Tensor) -> Tensor:
    inner = torch.addmm(named[f"{layer}.in_bias"], stream, named[f"{layer}.in"].mT)
    return torch.addmm(stream, torch.relu(inner), named[f"{layer}.out"].mT)
