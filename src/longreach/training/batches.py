"""Batches as training takes them: at their position ids, sorted by length, cut into chunks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import accumulate, pairwise
from typing import Any, Literal, NamedTuple, TypeAlias, cast

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from longreach.config.model import ModelConfig
from longreach.config.run import RunConfig
from longreach.models.encodings import pose_ids, randomized_ids
from longreach.models.fast.packed import Packed, PackedRows, group_widths
from longreach.models.fast.paths import token_kinds
from longreach.models.network import Inputs
from longreach.tasks.positions import coupled_offsets, no_offsets, random_offsets
from longreach.tasks.task import Batch, inside
from longreach.training.setup import decoder_of, own_ids, positions_of, task_of

Occasion: TypeAlias = Literal["training", "first", "shifted"]
"""A training batch, or a test: from the first position on, or shifted by a random number that fits."""


def placed(
    batch: Batch,
    config: RunConfig,
    occasion: Occasion,
    rng: np.random.Generator,
    positions: int | None = None,
) -> Batch:
    """The batch with its position ids, which are below `positions`, by default those of the configuration.

    Randomized ids are drawn in tests as in training. PoSE is for training; tests have the true ids.

    >>> from longreach.runs.resolve import resolve
    >>> config = resolve("reverse", "coupled", train_lengths=(1, 2), test_lengths=((3, 3),))
    >>> from longreach.training.setup import task_of
    >>> rng = np.random.default_rng(0)
    >>> placed(task_of(config).sample([2], rng), config, "first", rng).position_ids.tolist()
    [[0, 1, 2, 0, 2, 1]]
    """
    positions = positions_of(config) if positions is None else positions
    scheme = config.id_scheme
    width = batch.tokens.shape[1]
    if scheme == "randomized":
        return replace(batch, position_ids=randomized_ids(batch.sizes, width, positions, rng))
    if scheme == "coupled":
        return _coupled(batch, config, occasion, rng)
    if scheme == "pose" and occasion == "training":
        return replace(batch, position_ids=pose_ids(batch.sizes, width, positions, rng))
    shifted = occasion == "shifted" or (occasion == "training" and scheme == "shift")
    return (random_offsets if shifted else no_offsets)(batch, positions, rng)


def _coupled(batch: Batch, config: RunConfig, occasion: Occasion, rng: np.random.Generator) -> Batch:
    still = occasion == "first" or (occasion == "training" and config.offsets == "none")
    ids, positions = own_ids(config, batch), positions_of(config)
    made = coupled_offsets(batch, ids, positions, None if still else rng)
    return made if config.predict_ids else replace(made, next_ids=None)


Counts = NDArray[np.int64]

BLOCK = 16


class Chunk(NamedTuple):
    """Rows of a batch as tensors; `places` are the supervised places, (rows, n)."""

    tokens: Tensor
    position_ids: Tensor
    places: Tensor | None
    """None: every place is supervised, n is the width."""
    targets: Tensor
    """(rows, n)"""
    weights: Tensor
    """(rows, n): the share of each place in the loss of the whole batch, 0 for padding."""
    target_ids: Tensor | None = None
    """(rows, n), where ids are predicted."""

    @property
    def inputs(self) -> Inputs:
        return Inputs(self.tokens, self.position_ids, self.places)


class Streams:
    """The random numbers of one run: what one stream draws does not change what another does.

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
    """Fresh training batches of one run, drawn BLOCK at a time: that costs little more than one.

    >>> from longreach.runs.resolve import resolve
    >>> config = resolve("sort", train_lengths=(1, 9), batch=8)
    >>> batches = Batches(config, Streams(0).data)
    >>> [len(chunk.tokens) for chunk in batches.chunks(0, parts=2)]
    [4, 4]
    """

    def __init__(
        self, config: RunConfig, rng: np.random.Generator, shape: tuple[int, int] | None = None
    ) -> None:
        """`shape` fixes columns and supervised places of a row, for a step that is compiled."""
        self._config = config
        self._task = task_of(config)
        self._lengths = self._task.lengths(*config.train_lengths)
        self._positions = positions_of(config)
        self._rng = rng
        self._shape = shape
        self._block = -1
        self._rows: Rows | None = None
        self._before = self._state()  # of the random numbers, before the block in use

    def chunks(self, step: int, parts: int) -> list[Chunk]:
        """The batch of a step, counted from 0, in parts; steps must come in order."""
        return self._at(step // BLOCK).parts(step % BLOCK, parts)

    def fixed(self, step: int) -> Chunk:
        """The same as one chunk of the fixed shape."""
        return self._at(step // BLOCK).fixed[step % BLOCK]

    def packed(self, step: int) -> Packed:
        """The same as the gradient by hand takes it; rows attend in groups of similar size."""
        return self._at(step // BLOCK).packed(step % BLOCK, self._model, self._widths)

    @cached_property
    def _model(self) -> ModelConfig:
        return decoder_of(self._config)  # to look it up takes long, since a configuration has many fields

    @cached_property
    def _widths(self) -> tuple[int, ...]:
        sizes = [self._task.input_size(int(length)) for length in self._lengths]
        return group_widths(sizes, rows=self._config.batch, heads=self._config.heads)

    def whole(self, step: int) -> Batch:
        """The batch of a step as the task draws it."""
        return self._at(step // BLOCK).whole(step % BLOCK)

    def state(self, step: int) -> dict[str, Any]:
        """The state of the random numbers before the block of the next step, from which a run resumes."""
        return self._before if step // BLOCK == self._block else self._state()

    def restore(self, state: dict[str, Any]) -> None:
        """Resume with the block that begins at this state of the random numbers; a ValueError if it is none.

        The increment belongs to the run's own stream, and never changes.
        """
        own = self._state()
        known = isinstance(state.get("state"), dict) and state.keys() == own.keys()
        if not known or state["state"].keys() != own["state"].keys() or not _is_stream(state, own):
            raise ValueError("not a state of the run's stream of data")
        self._rng.bit_generator.state = state
        self._rows = None

    def _at(self, block: int) -> Rows:
        if self._rows is None or block != self._block:
            self._before = self._state()
            count = BLOCK * self._config.batch
            lengths = self._lengths[self._rng.integers(0, len(self._lengths), count)]
            batch = self._task.sample(lengths, self._rng)
            drawn = placed(batch, self._config, "training", self._rng, self._positions)
            self._rows = Rows(drawn, BLOCK, self._shape)
            self._block = block
        return self._rows

    def _state(self) -> dict[str, Any]:
        return cast(dict[str, Any], self._rng.bit_generator.state)


def _is_stream(state: dict[str, Any], own: dict[str, Any]) -> bool:
    numbers = state["state"]["state"], state["has_uint32"], state["uinteger"]
    limits = 2**128, 2, 2**32
    fits = all(type(each) is int and 0 <= each < most for each, most in zip(numbers, limits, strict=True))
    same = state["bit_generator"] == own["bit_generator"] and state["state"]["inc"] == own["state"]["inc"]
    return fits and same


class Rows:
    """One or several batches, one after the other, as tensors; the rows of each sorted by size.

    Weights of a batch add up to 1, so that gradients of its chunks that are added up are those of the mean
    over its supervised places.
    """

    def __init__(self, batch: Batch, batches: int = 1, shape: tuple[int, int] | None = None) -> None:
        each = len(batch) // batches
        order: Counts | slice = slice(None)
        if shape is None:  # a fixed one needs no order
            # Stable, so that rows of one size keep theirs.
            order = np.lexsort((batch.sizes, np.arange(len(batch)) // each))
        self._batch = batch
        self._each = each
        self._sizes = batch.sizes[order]
        self._shape = shape
        width = int(self._sizes.max()) if shape is None else shape[0]
        self._tokens, self._ids, self._targets = (
            _wide(array[order], width) for array in (batch.tokens, batch.position_ids, batch.targets)
        )
        self._mask = _wide(batch.mask[order], width)
        self._next_ids = None if batch.next_ids is None else _wide(batch.next_ids[order], width)
        if shape is not None and shape[1] < width:  # then few places are supervised
            self._counts = np.bincount(self._found // width, minlength=len(batch))
        else:
            self._counts = self._mask.sum(axis=1)
        self._dense = bool((self._counts == self._sizes).all())
        self._packed: PackedRows | None = None

    @cached_property
    def _found(self) -> Counts:
        """The supervised places, counted through all rows."""
        return np.flatnonzero(self._mask)  # faster than nonzero of a matrix, and than a mask as an index

    @cached_property
    def _arrays(self) -> tuple[Tensor, ...]:
        """Tokens, ids, supervised places, their targets, weights and target ids."""
        targets, mask = self._targets, self._mask
        none = np.zeros((0, 0), dtype=np.int64)
        target_ids = none if self._next_ids is None else self._next_ids
        places = none
        if not self._dense:
            # The supervised places of each row in order, then places that the loss leaves out.
            most = int(self._counts.max()) if self._shape is None else self._shape[1]
            used, found = inside(self._counts, most), self._found
            places = _at_used(found % mask.shape[1], used)
            target_ids = _at_used(target_ids.ravel()[found], used) if len(target_ids) else none
            targets, mask = _at_used(targets.ravel()[found], used), used
        totals = self._counts.reshape(-1, self._each).sum(axis=1).repeat(self._each)
        weights = mask / totals.astype(np.float32)[:, None]
        return tuple(map(torch.from_numpy, (self._tokens, self._ids, places, targets, weights, target_ids)))

    def whole(self, number: int) -> Batch:
        """One of the batches, as the task drew it."""
        rows = slice(number * self._each, (number + 1) * self._each)
        sizes = self._batch.sizes[rows]
        return self._batch.each(lambda array: array[rows, : int(sizes.max())], sizes)

    def parts(self, number: int, parts: int) -> list[Chunk]:
        """One of the batches in parts of rows of similar size, the shortest first."""
        return [
            self._chunk(rows, int(self._sizes[rows.stop - 1]), int(self._counts[rows].max()))
            for rows in self._cut(number, parts)
        ]

    def packed(self, number: int, model: ModelConfig, widths: Sequence[int]) -> Packed:
        """One of the batches without padding; its groups are as wide as this at most."""
        return self._pack(slice(number * self._each, (number + 1) * self._each), model, widths)

    def packed_parts(self, model: ModelConfig, tokens: int) -> Iterator[tuple[Packed, Counts]]:
        """All rows without padding, in parts of about so many tokens; how many of each row are supervised."""
        ends = np.cumsum(self._sizes)
        borders = np.searchsorted(ends, np.arange(tokens, ends[-1], tokens)).tolist()
        for first, last in pairwise(sorted({0, *borders, len(ends)})):
            sizes = self._sizes[first:last].tolist()
            widths = group_widths(sizes, rows=len(sizes), heads=model.heads)
            yield self._pack(slice(first, last), model, widths), self._counts[first:last]

    def _pack(self, rows: slice, model: ModelConfig, widths: Sequence[int]) -> Packed:
        sizes = self._sizes[rows]
        inner = np.searchsorted(sizes, widths[:-1], side="right").tolist()
        if self._packed is None:
            kinds = token_kinds(model, self._tokens, self._ids)
            self._packed = PackedRows(
                self._tokens, self._ids, self._targets, self._mask, self._sizes, kinds, self._next_ids
            )
        return self._packed.batch(rows, heads=model.heads, borders=sorted({0, *inner, len(sizes)}))

    @cached_property
    def fixed(self) -> list[Chunk]:
        """Each of the batches as one chunk of the fixed shape."""
        assert self._shape is not None
        batches = len(self._sizes) // self._each
        arrays = [
            array.view(batches, self._each, -1).unbind() if len(array) else (None,) * batches
            for array in self._arrays
        ]
        return [Chunk(*each) for each in zip(*arrays, strict=True)]

    def _cut(self, number: int, parts: int) -> list[slice]:
        first, each = number * self._each, self._each
        borders = part_borders(each, parts)
        return [slice(first + a, first + b) for a, b in pairwise(borders)]

    def _chunk(self, rows: slice, width: int, most: int) -> Chunk:
        tokens, ids, places, targets, weights, target_ids = self._arrays
        if self._dense:
            most = width
        return Chunk(
            tokens[rows, :width],
            ids[rows, :width],
            None if self._dense else places[rows, :most],
            targets[rows, :most],
            weights[rows, :most],
            target_ids[rows, :most] if len(target_ids) else None,
        )


def part_borders(rows: int, parts: int) -> list[int]:
    """Where parts of about the same number of rows begin and end.

    >>> part_borders(10, 3)
    [0, 4, 7, 10]
    """
    parts = min(parts, rows)
    sizes = [rows // parts + (part < rows % parts) for part in range(parts)]
    return [0, *accumulate(sizes)]


def chunks(batch: Batch, parts: int) -> list[Chunk]:
    """The batch in parts of rows of similar size, the shortest first.

    >>> batch = load_task("sort").sample([3, 9, 1, 4], np.random.default_rng(0))
    >>> [tuple(chunk.tokens.shape) for chunk in chunks(batch, 2)]
    [(2, 8), (2, 20)]
    """
    return Rows(batch).parts(0, parts)


def _at_used(values: Counts, used: NDArray[np.bool_]) -> Counts:
    """The values in order where `used` is True, and 0 elsewhere."""
    if len(values) == used.size:
        return values.reshape(used.shape)
    made = np.zeros(used.shape, dtype=np.int64)
    made[used] = values
    return made


def _wide(array: NDArray[Any], width: int) -> NDArray[Any]:
    """The array with so many columns: those beyond are left out, those that it lacks are 0 or False."""
    if array.shape[1] >= width:
        return np.ascontiguousarray(array[:, :width])
    made = np.zeros((len(array), width), dtype=array.dtype)
    made[:, : array.shape[1]] = array
    return made
