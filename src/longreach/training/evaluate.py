"""Accuracy by range of lengths, and what models write on their own.

Each token that is written is read next, with its position id: the one that the model predicts, where it does
(predictive position coupling, Golowich et al., arXiv 2502.16792, section 5.2), or the next of a given list.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import torch
from torch import Tensor

from longreach.config.model import ModelConfig
from longreach.config.run import RunConfig
from longreach.errors import InputError
from longreach.models.fast.forward import PackedForward
from longreach.models.fast.packed import Packed
from longreach.models.fast.paths import PACKED_OUTPUTS, applies
from longreach.models.network import Network
from longreach.models.parameters import Parameters
from longreach.tasks.lengths import LengthRange
from longreach.tasks.task import EOS, Batch, IntArray, Task, draw_lengths
from longreach.training.batches import Chunk, Occasion, Rows, chunks, placed
from longreach.training.devices import CPU, send_chunk
from longreach.training.result import TOKENS_WRITTEN, WRITTEN, Evaluation, task_number
from longreach.training.setup import decoder_of, network_of, on_task, task_of

EVALUATED_AT_ONCE = 16_384
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
Timed: TypeAlias = Callable[[str], AbstractContextManager[None]]


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


def draw_bins(config: RunConfig, rng: np.random.Generator, device: torch.device = CPU) -> Iterator[Bin]:
    """The test sets of a member, the training range first; each is drawn when it is asked for."""
    return (_bin(config, lengths, rng, device) for lengths in config.ranges)


def _bin(config: RunConfig, lengths: LengthRange, rng: np.random.Generator, device: torch.device) -> Bin:
    task, network = task_of(config), network_of(config)
    batch = task.sample(draw_lengths(task, *lengths, config.test_size, rng), rng)
    # Both are drawn whatever comes of them, so that the numbers that follow are the same.
    first, shifted = (placed(batch, config, occasion, rng) for occasion in TESTS)
    packed = applies(PACKED_OUTPUTS, network.shape, device=device.type)
    cut = (lambda rows: packed_parts(rows, config)) if packed else _cut
    made = cut(first)
    written = first if config.predict_ids else None
    same = network.ignores_offsets and config.id_scheme != "randomized"
    return Bin(lengths, made, made if same else cut(shifted), written)


def _cut(batch: Batch) -> tuple[Part, ...]:
    return tuple(chunks(batch, max(2, -(-batch.tokens.size // EVALUATED_AT_ONCE))))


def packed_parts(batch: Batch, config: RunConfig) -> tuple[Part, ...]:
    """The batch without padding."""
    return tuple(
        PackedPart(packed, len(counts), torch.from_numpy(np.repeat(np.arange(len(counts)), counts)))
        for packed, counts in Rows(batch).packed_parts(decoder_of(config), PACKED_AT_ONCE)
    )


def accuracy(vector: Tensor, network: Network, parts: Sequence[Part]) -> float:
    """The share of sequences whose supervised tokens are all the most likely ones, given those before.

    Where the model predicts ids, all of them must be the most likely ones, too.
    """
    named, model = network.named(vector), network.shape
    packed = PackedForward(model, named) if isinstance(model, ModelConfig) else None
    total, right = 0, torch.zeros((), dtype=torch.long, device=vector.device)
    with torch.inference_mode():
        for part in parts:
            if isinstance(part, PackedPart):
                assert packed is not None
                right += part.rows - _wrong(packed, part)
                total += part.rows
            else:
                chunk = send_chunk(part, vector.device)
                logits, ids = network.outputs(named, chunk.inputs)
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


class TokenTests:
    """The test sets of a run that learns tokens; `timed` counts the seconds of the parts of the work."""

    def __init__(
        self, config: RunConfig, rng: np.random.Generator, device: torch.device, timed: Timed
    ) -> None:
        self._config, self._rng, self._device, self._timed = config, rng, device, timed
        self._network = network_of(config)
        # Before the end only the training range is needed, and many runs need much memory.
        self._undrawn = draw_bins(config, rng, device)
        with timed("prepare"):
            self.bins = [next(self._undrawn)]

    def is_right(self, row: Evaluation) -> bool:
        """Whether all test sequences of the training range are right."""
        return row.accuracy[self.bins[0].name] == 1.0

    def on_the_way(self, vector: Tensor) -> dict[str, float]:
        """The accuracy on the training range."""
        return self._accuracy(vector, "first")

    def at_the_end(self, vector: Tensor, step: int, rows: Sequence[Evaluation]) -> Evaluation:
        """The accuracy on all ranges, at random offsets as well, and on further tasks."""
        with self._timed("prepare"):
            self.bins += self._undrawn
        first = self._accuracy(vector, "first")
        same = all(each.shifted is each.first for each in self.bins)
        return Evaluation(
            step=step,
            loss=rows[-1].loss if rows else None,
            accuracy=first,
            accuracy_random_offset=dict(first) if same else self._accuracy(vector, "shifted"),
            other=self._written(vector) | self._on_other_tasks(vector),
        )

    def _accuracy(self, vector: Tensor, kind: str) -> dict[str, float]:
        with self._timed("evaluate"):
            return {each.name: accuracy(vector, self._network, getattr(each, kind)) for each in self.bins}

    def _on_other_tasks(self, vector: Tensor) -> dict[str, float]:
        """The accuracy on each further task and range; drawn after all other tests, and not kept."""
        found: dict[str, float] = {}
        for name in self._config.test_tasks:
            for each in draw_bins(on_task(self._config, name), self._rng, self._device):
                with self._timed("evaluate"):
                    found[task_number(name, each.name)] = accuracy(vector, self._network, each.first)
        return found

    def _written(self, vector: Tensor) -> dict[str, float]:
        """The shares that a model which predicts ids writes right on its own, by range."""
        found: dict[str, float] = {}
        if not self._config.predict_ids:
            return found
        with self._timed("generate"):
            for each in self.bins:
                assert each.written is not None
                task, named = task_of(self._config), self._network.named(vector)
                share = written_right(named, self._network, task, each.written)
                if share is not None:
                    found |= {
                        f"{WRITTEN} {each.name}": share.right,
                        f"{TOKENS_WRITTEN} {each.name}": share.tokens_right,
                    }
        return found


# What models write on their own: batched, greedy, with keys and values kept.


WRITTEN_AT_ONCE = 32_768
"""Rows that are written together have room for about so many tokens."""
KEPT = 0.75
"""The share of rows that go on below which the others are forgotten: that copies the memory."""


@dataclass(frozen=True, eq=False)
class Generated:
    """What was written behind each prompt."""

    tokens: IntArray
    """(rows, most): the tokens; 0 behind the last."""
    ids: IntArray
    """(rows, most): their position ids; 0 behind the last."""
    counts: IntArray
    """How many tokens were written, an end included."""


def generate(
    parameters: Parameters,
    network: Network,
    tokens: IntArray,
    *,
    sizes: IntArray | None = None,
    ids: IntArray | None = None,
    most: int | IntArray,
    end: int | None = None,
    following: IntArray | None = None,
) -> Generated:
    """Write `most` tokens at most behind each prompt, or as many as come before the token `end` and it.

    Prompts are (rows, width), padded on the right, with `sizes` tokens each. Their `ids` are 0, 1, … where
    nothing is said. A model that predicts ids is fed what it predicts; any other is fed `following`,
    (rows, most), or the numbers that follow the last id of the prompt.

    >>> from longreach.models.network import network
    >>> model = network(ModelConfig(layers=1, heads=1, width=4, vocabulary=3, positions=8))
    >>> prompts, sizes = np.array([[1, 2], [1, 0]]), np.array([2, 1])
    >>> written = generate(model.initial(0), model, prompts, sizes=sizes, most=3)
    >>> written.ids.tolist(), written.counts.tolist()
    ([[2, 3, 4], [1, 2, 3]], [3, 3])
    """
    rows, width = tokens.shape
    sizes = np.full(rows, width, dtype=np.int64) if sizes is None else sizes
    ids = np.tile(np.arange(width), (rows, 1)) if ids is None else ids
    limits = np.broadcast_to(np.asarray(most, dtype=np.int64), (rows,))
    if rows and not (sizes >= 1).all():
        raise InputError("a prompt has no token")
    if following is None:
        last = ids[np.arange(rows), sizes - 1]
        following = last[:, None] + 1 + np.arange(int(limits.max(initial=0)))
    _check_ids(network, ids, sizes, following, limits)
    made = Generated(
        tokens=np.zeros((rows, int(limits.max(initial=0))), dtype=np.int64),
        ids=np.zeros((rows, int(limits.max(initial=0))), dtype=np.int64),
        counts=np.zeros(rows, dtype=np.int64),
    )
    # Rows of similar size end together.
    order = np.argsort(sizes + limits, kind="stable")
    each = max(1, WRITTEN_AT_ONCE // max(1, int((sizes + limits).max(initial=1))))
    with torch.inference_mode():
        for first in range(0, rows, each):
            part = order[first : first + each]
            _write(
                made, part, parameters, network, tokens, ids, following,
                sizes=sizes, limits=limits, end=end,
            )  # fmt: skip
    return made


def _check_ids(
    network: Network, ids: IntArray, sizes: IntArray, following: IntArray, limits: IntArray
) -> None:
    """Refuse ids for which the model has no vector."""
    inside = np.where(np.arange(ids.shape[1]) < sizes[:, None], ids, 0)
    # What is written last is not read.
    written = np.where(np.arange(following.shape[1]) < limits[:, None] - 1, following, 0)
    largest = int(max(inside.max(initial=0), 0 if network.predicts_ids else written.max(initial=0)))
    if network.positions is not None and largest >= network.positions:
        raise InputError(f"the position id {largest} is beyond the {network.positions} of the model")


def _write(
    made: Generated,
    rows: IntArray,
    parameters: Parameters,
    network: Network,
    tokens: IntArray,
    ids: IntArray,
    following: IntArray,
    *,
    sizes: IntArray,
    limits: IntArray,
    end: int | None,
) -> None:
    """Write behind these prompts."""
    rows = rows[limits[rows] > 0]
    if not len(rows):
        return
    width = int(sizes[rows].max())
    # Rows that have ended may be read further for a while.
    columns = width + int(limits[rows].max())
    assert network.decode is not None
    cache = network.decode(parameters, len(rows), columns)
    device = next(iter(parameters.values())).device
    read, numbers = (torch.from_numpy(each[rows, :width]).to(device) for each in (tokens, ids))
    found = cache.read(read, numbers, torch.from_numpy(sizes[rows]).to(device))
    live = np.ones(len(rows), dtype=np.bool_)
    for place in range(int(limits[rows].max())):
        token = found.tokens.argmax(dim=-1)
        if found.ids is not None:
            number = found.ids.argmax(dim=-1)
        else:
            number = torch.from_numpy(following[rows, place]).to(device)
        now = rows[live]
        made.tokens[now, place] = token.cpu().numpy()[live]
        made.ids[now, place] = number.cpu().numpy()[live]
        made.counts[now] = place + 1
        live &= limits[rows] > place + 1
        if end is not None:
            live &= made.tokens[rows, place] != end
        if not live.any():
            return
        if live.sum() <= KEPT * len(live):
            kept = torch.from_numpy(np.flatnonzero(live)).to(device)
            cache.keep(kept)
            rows, token, number, live = rows[live], token[kept], number[kept], live[live]
        found = cache.read(token[:, None], number[:, None], torch.ones_like(token))


@dataclass(frozen=True)
class Written:
    """How much of a test set a model writes right on its own."""

    right: float
    """The share of examples with all tokens right, and all ids where they are predicted."""
    tokens_right: float
    """The share with all tokens right, whatever the ids."""


def written_right(parameters: Parameters, network: Network, task: Task, batch: Batch) -> Written | None:
    """Let the model write each example from the first supervised token on.

    None where that makes no sense: what is between supervised tokens would have to be given.
    """
    first, counts = batch.mask.argmax(axis=1), batch.mask.sum(axis=1)
    if not (first + counts == batch.sizes).all():
        return None
    end = task.tokens.index(EOS) if EOS in task.tokens else None
    most = int(counts.max())
    columns = np.minimum(first[:, None] + np.arange(most), batch.tokens.shape[1] - 1)
    asked = np.arange(most) < counts[:, None]
    # The id of a token that is written is that of the place after the one that predicts it; EOS is not read.
    after = batch.next_ids
    if after is None:
        after = np.hstack([batch.position_ids[:, 1:], batch.position_ids[:, -1:]])
    following = np.take_along_axis(after, columns, axis=1)
    made = generate(
        parameters, network, batch.tokens,
        sizes=first + 1, ids=batch.position_ids, most=counts, end=end, following=following,
    )  # fmt: skip
    targets = np.take_along_axis(batch.targets, columns, axis=1)
    complete = made.counts == counts
    tokens = complete & ((made.tokens == targets) | ~asked).all(axis=1)
    right = tokens
    if network.predicts_ids:
        right = tokens & ((made.ids == following) | ~asked).all(axis=1)
    return Written(right=float(right.mean()), tokens_right=float(tokens.mean()))
