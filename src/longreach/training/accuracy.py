"""Accuracy per range of lengths, on test sets that are fixed for a run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import torch
from torch import Tensor

from longreach.config.baseline import BaselineConfig
from longreach.config.decoder import DecoderConfig
from longreach.config.length_range import LengthRange
from longreach.config.training import TrainConfig
from longreach.models.decoder_gradient import has_gradient_by_hand
from longreach.models.encoding_lookup import ignores_offsets
from longreach.models.packed_forward import PackedForward
from longreach.models.packed_rows import Packed
from longreach.tasks.task import Batch, draw_lengths
from longreach.training.batches import Chunk, Rows, chunks
from longreach.training.devices import CPU, send_chunk
from longreach.training.placing import Occasion, placed
from longreach.training.shape import decoder_of, model_of, task_of
from longreach.training.step import Layout, chunk_outputs

TOKENS_AT_ONCE = 16_384
"""Rows that are evaluated together hold about so many tokens: enough to be fast, few enough for the cache."""
PACKED_AT_ONCE = 4096
"""The same for rows without padding."""

TESTS: tuple[Occasion, ...] = ("first", "shifted")


@dataclass(frozen=True, slots=True)
class PackedPart:
    """Rows without padding, for a decoder on a CPU."""

    packed: Packed
    rows: int
    row: Tensor
    """Of each supervised token."""


Part: TypeAlias = Chunk | PackedPart


@dataclass(frozen=True)
class Bin:
    """The test sequences of one range of lengths, from the first position on and at random offsets."""

    lengths: LengthRange
    first: tuple[Part, ...]
    shifted: tuple[Part, ...]
    """The same object as `first` where offsets cannot change any number."""
    written: Batch | None = None
    """From the first position on, where a model that predicts ids is to write the sequences on its own."""

    @property
    def name(self) -> str:
        """As documents name the range."""
        return self.lengths.name


def draw_bins(config: TrainConfig, rng: np.random.Generator, device: torch.device = CPU) -> Iterator[Bin]:
    """The test sets of a member, the training range first; each is drawn when it is asked for."""
    return (_bin(config, lengths, rng, device) for lengths in config.ranges)


def _bin(config: TrainConfig, lengths: LengthRange, rng: np.random.Generator, device: torch.device) -> Bin:
    task, model = task_of(config), model_of(config)
    batch = task.sample(draw_lengths(task, *lengths, config.test_size, rng), rng)
    # Both are drawn whatever comes of them, so that the numbers that follow are the same.
    first, shifted = (placed(batch, config, occasion, rng) for occasion in TESTS)
    packed = device.type == "cpu" and has_gradient_by_hand(model)
    cut = (lambda rows: packed_parts(rows, config)) if packed else _cut
    made = cut(first)
    written = first if config.predict_ids else None
    return Bin(lengths, made, made if _ignores_offsets(config) else cut(shifted), written)


def _ignores_offsets(config: TrainConfig) -> bool:
    if isinstance(model_of(config), BaselineConfig):
        return True
    return config.id_scheme != "randomized" and ignores_offsets(config.encoding)


def _cut(batch: Batch) -> tuple[Part, ...]:
    return tuple(chunks(batch, max(2, -(-batch.tokens.size // TOKENS_AT_ONCE))))


def packed_parts(batch: Batch, config: TrainConfig) -> tuple[Part, ...]:
    """The batch without padding."""
    return tuple(
        PackedPart(packed, len(counts), torch.from_numpy(np.repeat(np.arange(len(counts)), counts)))
        for packed, counts in Rows(batch).packed_parts(decoder_of(config), PACKED_AT_ONCE)
    )


def accuracy(vector: Tensor, layout: Layout, parts: Sequence[Part]) -> float:
    """The share of sequences whose supervised tokens are all the most likely ones, given those before.

    Where the model predicts ids, all of them must be the most likely ones, too.
    """
    named, model = layout.named(vector), layout.model
    packed = PackedForward(model, named) if isinstance(model, DecoderConfig) else None
    total, right = 0, torch.zeros((), dtype=torch.long, device=vector.device)
    with torch.inference_mode():
        for part in parts:
            if isinstance(part, PackedPart):
                assert packed is not None
                right += part.rows - _wrong(packed, part)
                total += part.rows
            else:
                chunk = send_chunk(part, vector.device)
                logits, ids = chunk_outputs(named, model, chunk)
                correct = logits.argmax(dim=-1) == chunk.targets
                if ids is not None:
                    correct &= ids.argmax(dim=-1) == chunk.target_ids
                correct |= chunk.weights == 0
                right += correct.all(dim=1).sum()
                total += len(correct)
    return int(right) / total


def _wrong(run: PackedForward, part: PackedPart) -> int:
    """How many rows have a supervised token, or id, that is not the most likely one."""
    logits, ids = run.outputs(part.packed)
    wrong = logits.argmax(dim=-1) != part.packed.targets
    if ids is not None:
        wrong |= ids.argmax(dim=-1) != part.packed.target_ids
    return int(torch.zeros(part.rows, dtype=torch.long).index_fill_(0, part.row[wrong], 1).sum())
