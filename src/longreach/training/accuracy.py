"""Accuracy per range of lengths, on test sets that are fixed for a run."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from longreach.config.length_range import LengthRange
from longreach.config.training import TrainConfig
from longreach.tasks.task import Batch, draw_lengths
from longreach.training.batches import Chunk, chunks, placed
from longreach.training.devices import send_chunk
from longreach.training.shape import task_of
from longreach.training.step import Layout, chunk_logits

TOKENS_AT_ONCE = 16_384
"""Rows that are evaluated together hold about so many tokens: enough to be fast, few enough for the cache."""


@dataclass(frozen=True)
class Bin:
    """The test sequences of one range of lengths, from the first position on and at random offsets."""

    lengths: LengthRange
    first: tuple[Chunk, ...]
    shifted: tuple[Chunk, ...]

    @property
    def name(self) -> str:
        """As documents name the range."""
        return self.lengths.name


def draw_bins(config: TrainConfig, rng: np.random.Generator) -> Iterator[Bin]:
    """The test sets of a member, the training range first; each is drawn when it is asked for."""
    return (_bin(config, lengths, rng) for lengths in config.ranges)


def _bin(config: TrainConfig, lengths: LengthRange, rng: np.random.Generator) -> Bin:
    task = task_of(config)
    batch = task.sample(draw_lengths(task, *lengths, config.test_size, rng), rng)
    first = placed(batch, config, "none", rng)
    shifted = placed(batch, config, "random", rng)
    return Bin(lengths, _cut(first), _cut(shifted))


def _cut(batch: Batch) -> tuple[Chunk, ...]:
    return tuple(chunks(batch, max(2, -(-batch.tokens.size // TOKENS_AT_ONCE))))


def accuracy(vector: Tensor, layout: Layout, parts: tuple[Chunk, ...]) -> float:
    """The share of sequences whose supervised tokens are all the most likely ones, given those before."""
    total, right = 0, torch.zeros((), dtype=torch.long, device=vector.device)
    named = layout.named(vector)
    with torch.inference_mode():
        for part in parts:
            chunk = send_chunk(part, vector.device)
            logits = chunk_logits(named, layout.model, chunk)
            correct = (logits.argmax(dim=-1) == chunk.targets) | (chunk.weights == 0)
            right += correct.all(dim=1).sum()
            total += len(correct)
    return int(right) / total
