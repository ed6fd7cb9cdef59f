"""Two layers that read the last position, with learned biases for small distances in the first one.

The first layer attends as the infinite-precision model of arXiv 2510.27015 (section 5): token logits, and
log i · φ(distance) for the nearest tokens of position i. Tokens of one kind that are farther away have the
same weight, so that a position needs the counts before it and its nearest tokens, not all pairs. The second
layer has one query, the last position. Positions of all sequences stand in one list, unpadded; those that
have seen the same go through the first layer once.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from longreach.models.parameters import Parameters
from longreach.models.regression_shape import RegressionShape

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
        """Of sequences that are padded on the right."""
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
        named = self.shape.named(vector)
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
        """The mean squared distance between answer and target."""
        return (self.outputs(vector, batch) - batch.targets.to(vector.dtype)).square().sum(-1).mean()

    def gradient(self, vector: Tensor, batch: KGramBatch) -> tuple[Tensor, Tensor]:
        """The loss and its gradient."""
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
