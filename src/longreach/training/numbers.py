"""What runs that learn numbers have of their own: batches, losses of several runs at once, measurements."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeAlias

import numpy as np
import torch
from torch import Tensor

from longreach.config.run import RunConfig
from longreach.models.counting import (
    CountBatch,
    CountTransformer,
    KGramBatch,
    KGramTransformer,
    RegressionShape,
)
from longreach.tasks.lengths import LengthRange
from longreach.tasks.numbers import Counts, CountTask, ModPTask, RegressionTask, Words, load_regression
from longreach.training.evaluate import Timed
from longreach.training.result import Evaluation, range_number
from longreach.training.setup import counting_of

BLOCK = 8
"""Batches that are drawn together, for speed; each block has a random stream of its own."""
TRAINING, TESTING = 1, 2
"""The random streams of a run, after its seed; that of initial values is 0."""
AT_ONCE = 16_384
"""Positions, or rows of counts, that are evaluated together."""
Drawn: TypeAlias = Counts | Words


def _draw(task: RegressionTask, lengths: LengthRange, count: int, rng: np.random.Generator) -> Drawn:
    wanted = rng.integers(max(lengths.first, task.least_length), lengths.last + 1, count)
    return task.draw(wanted, rng) if isinstance(task, CountTask) else task.words(wanted, rng)


def _part(drawn: Drawn, rows: slice) -> Drawn:
    if isinstance(drawn, Counts):
        return Counts(drawn.counts[rows], drawn.last[rows], drawn.targets[rows])
    width = int(drawn.lengths[rows].max())
    return Words(drawn.tokens[rows, :width], drawn.lengths[rows], drawn.targets[rows])


class NumberBatches:
    """Fresh batches; that of a step depends on seed and step alone, so that a run can resume anywhere."""

    def __init__(self, config: RunConfig) -> None:
        self._config, self._task = config, load_regression(config.task)
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


def draw_tests(config: RunConfig, place: int) -> Iterator[Drawn]:
    """The test sequences of the range at this place among the ranges, in parts that fit into memory."""
    task, lengths = load_regression(config.task), config.ranges[place]
    rng = np.random.default_rng([config.seed, TESTING, place])
    rows = AT_ONCE if isinstance(task, CountTask) else max(1, AT_ONCE // lengths.last)
    for first in range(0, config.test_size, rows):
        yield _draw(task, lengths, min(rows, config.test_size - first), rng)


class NumberModels:
    """Models of runs of one shape: their parameters (runs, …) and a batch of each in, losses out.

    Models of one layer go through one product; those of two layers one after the other, since their
    positions are many.
    """

    def __init__(self, shape: RegressionShape) -> None:
        self.counts = CountTransformer(shape) if shape.layers == 1 else None
        self.kgrams = None if shape.layers == 1 else KGramTransformer(shape)

    def gradients(self, vectors: Tensor, batches: Sequence[Drawn]) -> tuple[Tensor, Tensor]:
        """The losses (runs,) and their gradients."""
        if self.counts is not None:
            return self.counts.gradient(vectors, count_batch(batches))
        assert self.kgrams is not None
        each = [self.kgrams.gradient(*pair) for pair in zip(vectors, self._kgrams(batches), strict=True)]
        losses, gradients = zip(*each, strict=True)
        return torch.stack(losses), torch.stack(gradients)

    def losses(self, vectors: Tensor, batches: Sequence[Drawn]) -> Tensor:
        if self.counts is not None:
            return self.counts.losses(vectors, count_batch(batches))
        assert self.kgrams is not None
        return torch.stack(
            [self.kgrams.losses(*pair) for pair in zip(vectors, self._kgrams(batches), strict=True)]
        )

    def _kgrams(self, batches: Sequence[Drawn]) -> Iterator[KGramBatch]:
        assert self.kgrams is not None
        shape = self.kgrams.shape
        for each in batches:
            assert isinstance(each, Words)
            yield KGramBatch.of(
                each.tokens, each.lengths,
                targets=each.targets, symbols=shape.symbols, locality=shape.locality,
            )  # fmt: skip


def count_batch(batches: Sequence[Drawn], *, once: bool = True) -> CountBatch:
    """The counts of runs side by side: each different row `once` with its share, or all rows."""
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


ATTENTION_LENGTH = 80
"""At which the paper looks at the attention of ModPTask models (Figure 3)."""
ATTENTION_ROWS = 256


class NumberTests:
    """What is measured of a run that learns numbers; `timed` counts the seconds that it takes."""

    def __init__(self, config: RunConfig, timed: Timed) -> None:
        self._config, self._timed = config, timed

    def is_right(self, row: Evaluation) -> bool:
        """Never: numbers are only near."""
        return False

    def on_the_way(self, vector: Tensor) -> dict[str, float]:
        return {}

    def at_the_end(self, vector: Tensor, step: int, rows: Sequence[Evaluation]) -> Evaluation:
        """Losses by range, and what the weights say."""
        config, shape = self._config, counting_of(self._config)
        with self._timed("evaluate"):
            found = {
                range_number("loss", lengths.name): range_loss(config, shape, vector, place)
                for place, lengths in enumerate(config.ranges)
            }
            if shape.layers == 1:
                found |= weights(shape, vector)
                found |= modp_attention(config, shape, vector)
        return Evaluation(step=step, other=found)


def range_loss(config: RunConfig, shape: RegressionShape, vector: Tensor, place: int) -> float:
    """The mean loss on the test sequences of a range."""
    models, total = NumberModels(shape), 0.0
    with torch.inference_mode():
        for part in draw_tests(config, place):
            total += float(models.losses(vector[None], [part])[0]) * len(part)
    return total / config.test_size


def weights(shape: RegressionShape, vector: Tensor) -> dict[str, float]:
    """L and the logit margin of one layer (arXiv 2510.27015, section 4), read off the weights."""
    named = {name: value.double().numpy() for name, value in shape.named(vector).items()}
    kinds = named["embedding"]
    if shape.period > 1:
        kinds = (named["positions"][:, None] + kinds).reshape(-1, shape.width)
    mlp = np.linalg.norm(named["0.in"]) * np.linalg.norm(named["0.out"])
    largest = np.linalg.norm(kinds @ named["0.value"].T, axis=1).max()
    logits = np.sort((kinds @ named["0.query"].T) @ (kinds @ named["0.key"].T).T / shape.width, axis=1)
    gaps = np.diff(logits, axis=1)
    found = {"L": float(mlp * largest)}
    if (gaps > 0).any():
        found["logit margin"] = float(gaps[gaps > 0].min())
    return found


def modp_attention(config: RunConfig, shape: RegressionShape, vector: Tensor) -> dict[str, float]:
    """Mean and deviation of the attention on positions of the right residue and of the wrong ones."""
    task, models = load_regression(config.task), NumberModels(shape)
    if not isinstance(task, ModPTask) or models.counts is None or task.period > ATTENTION_LENGTH:
        return {}
    drawn = task.draw(np.full(ATTENTION_ROWS, ATTENTION_LENGTH), np.random.default_rng(config.seed))
    each = models.counts.attention(vector[None], count_batch([drawn], once=False))[0].double().numpy()
    right = np.arange(shape.kinds) // shape.symbols == task.residue
    found: dict[str, float] = {}
    for name, kinds in (("right", right), ("wrong", ~right)):
        total = drawn.counts[:, kinds].sum()
        if total:
            mean = (each * drawn.counts)[:, kinds].sum() / total
            spread = ((each - mean) ** 2 * drawn.counts)[:, kinds].sum() / total
            found[f"attention {name}"] = float(mean)
            found[f"attention {name} deviation"] = float(np.sqrt(spread))
    return found
