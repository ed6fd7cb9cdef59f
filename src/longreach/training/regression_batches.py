"""Data and model of a member that learns numbers: batches by step, test sets, and the one that fits both."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Protocol, TypeAlias

import numpy as np
import torch
from torch import Tensor

from longreach.config.length_range import LengthRange
from longreach.config.regression import RegressionConfig
from longreach.models.count_transformer import CountBatch, CountTransformer
from longreach.models.kgram_transformer import KGramBatch, KGramTransformer
from longreach.models.regression_shape import RegressionShape
from longreach.tasks.regression_catalog import load_regression
from longreach.tasks.regression_task import Counts, CountTask, RegressionTask, Words

BLOCK = 8
"""Batches that are drawn together, for speed; each block has a random stream of its own."""
INITIAL, TRAINING, TESTING = range(3)
"""The streams of a member, after its seed."""
AT_ONCE = 16_384
"""Positions, or rows of counts, that are evaluated together."""
Drawn: TypeAlias = Counts | Words


@lru_cache(maxsize=64)
def task_of(name: str) -> RegressionTask:
    """The task of a configuration."""
    return load_regression(name)


def shape_of(config: RegressionConfig) -> RegressionShape:
    """The shape of its model."""
    task = task_of(config.task)
    return RegressionShape(
        symbols=task.symbols,
        outputs=task.outputs,
        layers=config.layers,
        width=config.width,
        hidden=config.hidden,
        period=task.period,
        locality=task.locality,
        log_length=config.log_length,
    )


def initial_vector(config: RegressionConfig) -> Tensor:
    """The parameters before the first step."""
    return shape_of(config).initial(np.random.default_rng([config.seed, INITIAL]))


def _draw(task: RegressionTask, lengths: LengthRange, count: int, rng: np.random.Generator) -> Drawn:
    wanted = rng.integers(max(lengths.first, task.least_length), lengths.last + 1, count)
    return task.draw(wanted, rng) if isinstance(task, CountTask) else task.words(wanted, rng)


def _part(drawn: Drawn, rows: slice) -> Drawn:
    if isinstance(drawn, Counts):
        return Counts(drawn.counts[rows], drawn.last[rows], drawn.targets[rows])
    width = int(drawn.lengths[rows].max())
    return Words(drawn.tokens[rows, :width], drawn.lengths[rows], drawn.targets[rows])


class TrainingStream:
    """Fresh batches; that of a step depends on seed and step alone, so that a run can go on anywhere."""

    def __init__(self, config: RegressionConfig) -> None:
        self._config, self._task = config, task_of(config.task)
        self._block = -1
        self._drawn: Drawn | None = None

    def batch(self, step: int) -> Drawn:
        """The batch of a step, counted from 0."""
        block, place = divmod(step, BLOCK)
        config = self._config
        if self._drawn is None or block != self._block:
            rng = np.random.default_rng([config.seed, TRAINING, block])
            self._drawn = _draw(self._task, config.train_lengths, BLOCK * config.batch, rng)
            self._block = block
        return _part(self._drawn, slice(place * config.batch, (place + 1) * config.batch))


def draw_tests(config: RegressionConfig, place: int) -> Iterator[Drawn]:
    """The test sequences of the range at this place among the ranges, in parts that fit into memory."""
    task, lengths = task_of(config.task), config.ranges[place]
    rng = np.random.default_rng([config.seed, TESTING, place])
    rows = AT_ONCE if isinstance(task, CountTask) else max(1, AT_ONCE // lengths.last)
    for first in range(0, config.test_size, rows):
        yield _draw(task, lengths, min(rows, config.test_size - first), rng)


class SideBySide(Protocol):
    """Members of one shape: parameters (members, …) and a batch of each."""

    def gradients(self, vectors: Tensor, batches: Sequence[Drawn]) -> tuple[Tensor, Tensor]:
        """The losses (members,) and their gradients."""
        ...

    def losses(self, vectors: Tensor, batches: Sequence[Drawn]) -> Tensor:
        """The losses (members,)."""
        ...


class CountModels:
    """Models of one layer, all members in one product."""

    def __init__(self, shape: RegressionShape) -> None:
        self.model = CountTransformer(shape)

    def gradients(self, vectors: Tensor, batches: Sequence[Drawn]) -> tuple[Tensor, Tensor]:
        """The losses and their gradients, written out."""
        return self.model.gradient(vectors, count_batch(batches))

    def losses(self, vectors: Tensor, batches: Sequence[Drawn]) -> Tensor:
        """The losses."""
        return self.model.losses(vectors, count_batch(batches))


class KGramModels:
    """Models of two layers, one after the other: their positions are many."""

    def __init__(self, shape: RegressionShape) -> None:
        self.model = KGramTransformer(shape)

    def gradients(self, vectors: Tensor, batches: Sequence[Drawn]) -> tuple[Tensor, Tensor]:
        """The losses and their gradients, by autograd."""
        found = [
            self.model.gradient(vector, self._batch(batch))
            for vector, batch in zip(vectors, batches, strict=True)
        ]
        losses, gradients = zip(*found, strict=True)
        return torch.stack(losses), torch.stack(gradients)

    def losses(self, vectors: Tensor, batches: Sequence[Drawn]) -> Tensor:
        """The losses."""
        return torch.stack(
            [
                self.model.losses(vector, self._batch(batch))
                for vector, batch in zip(vectors, batches, strict=True)
            ]
        )

    def _batch(self, drawn: Drawn) -> KGramBatch:
        assert isinstance(drawn, Words)
        shape = self.model.shape
        return KGramBatch.of(
            drawn.tokens,
            drawn.lengths,
            targets=drawn.targets,
            symbols=shape.symbols,
            locality=shape.locality,
        )


def models_of(shape: RegressionShape) -> SideBySide:
    """What computes the members of a shape."""
    return CountModels(shape) if shape.layers == 1 else KGramModels(shape)


def count_batch(batches: Sequence[Drawn], *, once: bool = True) -> CountBatch:
    """The counts of members side by side: each different row `once` with its share, or all rows."""
    counts = [batch for batch in batches if isinstance(batch, Counts)]
    found = [each.distinct() if once else (each, np.ones(len(each), dtype=np.int64)) for each in counts]
    longest = max(len(times) for _, times in found)
    rows = [np.minimum(np.arange(longest), len(times) - 1) for _, times in found]
    shares = np.zeros((len(found), longest), dtype=np.float32)  # 0 where a row stands once more to fill up
    for mine, (_, times) in zip(shares, found, strict=True):
        mine[: len(times)] = times / times.sum()
    filled = [(each, row) for (each, _), row in zip(found, rows, strict=True)]
    return CountBatch(
        torch.from_numpy(np.stack([each.counts[row] for each, row in filled]).astype(np.float32)),
        torch.from_numpy(np.stack([each.last[row] for each, row in filled])),
        torch.from_numpy(np.stack([each.targets[row, 0] for each, row in filled]).astype(np.float32)),
        torch.from_numpy(shares),
    )
