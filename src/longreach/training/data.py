"""Batches as the engine takes them: sorted by length, cut into chunks, each as wide as its longest row."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from longreach.models.encodings import ENCODINGS
from longreach.models.position_ids import randomized_ids
from longreach.tasks.offsets import OFFSETS
from longreach.tasks.task import Batch, IntArray
from longreach.training.config import TrainConfig


@dataclass(frozen=True, slots=True)
class Chunk:
    """Rows of a batch as tensors; `places` are the supervised places, (rows, n)."""

    tokens: Tensor
    position_ids: Tensor
    places: Tensor | None
    """None: every place is supervised, n is the width."""
    targets: Tensor
    """(rows, n)"""
    weights: Tensor
    """(rows, n): the share of each place in the loss of the whole batch, 0 for padding."""


class Streams:
    """The random numbers of one member: what one stream draws does not change what another does.

    >>> one, again = Streams(7), Streams(7)
    >>> _ = one.evaluation.random(100)
    >>> bool(one.data.random() == again.data.random()), one.initial == again.initial
    (True, True)
    """

    def __init__(self, seed: int) -> None:
        data, initial, evaluation = np.random.SeedSequence(seed).spawn(3)
        self.data = np.random.Generator(np.random.PCG64(data))
        self.initial = int(initial.generate_state(1, np.uint64)[0] >> np.uint64(1))
        self.evaluation = np.random.Generator(np.random.PCG64(evaluation))


class Batches:
    """Fresh training batches of one member."""

    def __init__(self, config: TrainConfig) -> None:
        self._config = config
        self._task = config.loaded_task
        self._lengths = self._task.lengths(*config.train_lengths)

    def draw(self, rng: np.random.Generator) -> Batch:
        """The next batch of the stream."""
        lengths = self._lengths[rng.integers(0, len(self._lengths), self._config.batch)]
        return placed(self._task.sample(lengths, rng), self._config, self._config.offsets, rng)


def placed(batch: Batch, config: TrainConfig, offsets: str, rng: np.random.Generator) -> Batch:
    """The batch at the positions that the encoding asks for.

    An encoding with randomized ids draws them whatever the offsets, in tests as in training.
    """
    positions = config.decoder.positions
    if ENCODINGS[config.encoding].ids == "randomized":
        width = batch.tokens.shape[1]
        return replace(batch, position_ids=randomized_ids(batch.sizes, width, positions, rng))
    return OFFSETS[offsets](batch, positions, rng)


def chunks(batch: Batch, parts: int, width: int | None = None, places: int | None = None) -> Iterator[Chunk]:
    """The batch in parts of rows of similar size, the shortest first.

    The weights of all parts add up to 1, so that gradients that are added up are those of the mean over the
    supervised places of the whole batch. `width` and `places` fix the shape, for a step that is compiled.

    >>> from longreach.tasks.catalog import load_task
    >>> batch = load_task("sort").sample([3, 9, 1, 4], np.random.default_rng(0))
    >>> [tuple(chunk.tokens.shape) for chunk in chunks(batch, 2)]
    [(2, 8), (2, 20)]
    """
    total = int(batch.mask.sum())
    order = np.argsort(batch.sizes, kind="stable") if parts > 1 else np.arange(len(batch))
    for rows in np.array_split(order, min(parts, len(batch))):
        yield _chunk(batch, rows, total, width, places)


def _chunk(batch: Batch, rows: IntArray, total: int, width: int | None, places: int | None) -> Chunk:
    longest = int(batch.sizes[rows].max())
    columns = longest if width is None else width
    tokens, ids, targets = (
        _wide(array[rows, :longest], columns) for array in (batch.tokens, batch.position_ids, batch.targets)
    )
    mask = _wide(batch.mask[rows, :longest], columns)
    counts = mask.sum(axis=1)
    most = int(counts.max()) if places is None else places
    found = None
    if most < columns:
        # The supervised places of each row in order, then places that the loss leaves out.
        found = np.argsort(~mask, axis=1, kind="stable")[:, :most]
        targets = np.take_along_axis(targets, found, axis=1)
        mask = np.arange(most) < counts[:, None]
    weights = mask.astype(np.float32) / np.float32(total)
    return Chunk(
        torch.from_numpy(tokens),
        torch.from_numpy(ids),
        None if found is None else torch.from_numpy(found),
        torch.from_numpy(targets),
        torch.from_numpy(weights),
    )


def _wide(array: NDArray[Any], width: int) -> NDArray[Any]:
    """The array with zeros, or False, in the columns that it lacks."""
    if array.shape[1] == width:
        return np.ascontiguousarray(array)
    made = np.zeros((len(array), width), dtype=array.dtype)
    made[:, : array.shape[1]] = array
    return made
