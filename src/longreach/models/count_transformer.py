"""One layer that reads the last position: its loss and gradient from counts alone, members side by side.

Without positions, or with positions modulo a period, all tokens of one kind have the same key and value. The
softmax over positions is then one over kinds, weighted by their counts: the same numbers as those of the
transformer on the tokens, at a cost that does not depend on the length.
"""

from __future__ import annotations

import torch
from torch import Tensor

from longreach.models.parameters import Parameters
from longreach.models.regression_shape import RegressionShape


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
        """The answers (members, rows)."""
        return self._forward(self.shape.named(vectors), batch)[0]

    def losses(self, vectors: Tensor, batch: CountBatch) -> Tensor:
        """The mean squared errors (members,)."""
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
