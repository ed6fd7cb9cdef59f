"""Accuracy by range of lengths, on test sets that are fixed for a run."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import torch
from torch import Tensor

from longreach.config.model import ModelConfig, ModuleConfig
from longreach.config.run import RunConfig
from longreach.models.fast.forward import PackedForward
from longreach.models.fast.packed import Packed
from longreach.models.fast.paths import PACKED_OUTPUTS, applies
from longreach.models.network import Network
from longreach.tasks.flow_words import certificate_sample
from longreach.tasks.lengths import LengthRange
from longreach.tasks.task import EOS, EOS_ID, Batch, IntArray, Task, draw_lengths
from longreach.training.batches import Chunk, Occasion, Rows, chunks, placed
from longreach.training.devices import CPU, send_chunk
from longreach.training.generate import written_right
from longreach.training.result import TOKENS_WRITTEN, WRITTEN, Evaluation, range_number, task_number
from longreach.training.setup import decoder_of, network_of, on_task, task_of

EVALUATED_AT_ONCE = 16_384
"""Rows that are evaluated together hold about so many tokens: enough to be fast, few enough for the cache."""
PACKED_AT_ONCE = 4096
"""The same for rows without padding."""
PROBING_SIZE = 500
"""Probing words of a range, at most."""

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
    chance: float | None = None
    """What always giving the same answer gets right, where that depends on the tests."""
    ended: bool = False
    """Whether answers are several tokens and an end."""

    @property
    def name(self) -> str:
        """As documents name the range."""
        return self.lengths.name


def draw_bins(config: RunConfig, rng: np.random.Generator, device: torch.device = CPU) -> Iterator[Bin]:
    """The test sets of a run, the training range first; each is drawn when asked for."""
    return (_bin(config, lengths, rng, device) for lengths in config.ranges)


def _bin(config: RunConfig, lengths: LengthRange, rng: np.random.Generator, device: torch.device) -> Bin:
    task = task_of(config)
    batch = task.test_sample(draw_lengths(task, *lengths, config.test_size, rng), rng)
    return _placed_bin(config, lengths, batch, rng, device)


def _placed_bin(
    config: RunConfig, lengths: LengthRange, batch: Batch, rng: np.random.Generator, device: torch.device
) -> Bin:
    network = network_of(config)
    # Both are drawn whatever comes of them, so that the numbers that follow are the same.
    first, shifted = (placed(batch, config, occasion, rng) for occasion in TESTS)
    made = _parts(first, config, device)
    written = first if config.predict_ids else None
    same = network.ignores_offsets and config.id_scheme != "randomized"
    task = task_of(config)
    chance = task.constant_share(batch)
    ended = ends_answers(task, batch) and not config.predict_ids
    return Bin(lengths, made, made if same else _parts(shifted, config, device), written, chance, ended)


def _parts(batch: Batch, config: RunConfig, device: torch.device) -> tuple[Part, ...]:
    """The rows as the model takes them: without padding where it can."""
    if applies(PACKED_OUTPUTS, network_of(config).shape, device=device.type):
        return packed_parts(batch, config)
    return tuple(chunks(batch, max(2, -(-batch.tokens.size // EVALUATED_AT_ONCE))))


def rows_of(batch: Batch, rows: IntArray) -> Batch:
    """Some rows of a batch, as wide as they need."""
    sizes = batch.sizes[rows]
    return batch.each(lambda array: array[rows, : int(sizes.max())], sizes)


def packed_parts(batch: Batch, config: RunConfig) -> tuple[Part, ...]:
    return tuple(
        PackedPart(packed, len(counts), torch.from_numpy(np.repeat(np.arange(len(counts)), counts)))
        for packed, counts in Rows(batch).packed_parts(decoder_of(config), PACKED_AT_ONCE)
    )


def accuracy(vector: Tensor, network: Network, parts: Sequence[Part], *, length_given: bool = False) -> float:
    """The share of sequences whose supervised tokens are all the most likely ones, given those before.

    Where the model predicts ids, all of them must be the most likely ones, too. With `length_given` the model
    is told how long the answer is: its end is not asked for, and it cannot end too early.
    """
    named, model = network.named(vector), network.shape
    packed = PackedForward(model, named) if isinstance(model, ModelConfig) else None
    total, right = 0, torch.zeros((), dtype=torch.long, device=vector.device)
    with torch.inference_mode():
        for part in parts:
            if isinstance(part, PackedPart):
                assert packed is not None
                right += part.rows - _wrong(packed, part, length_given)
                total += part.rows
            else:
                chunk = send_chunk(part, vector.device)
                logits, ids = network.outputs(named, chunk.inputs)
                correct = _correct(logits, chunk.targets, length_given)
                if ids is not None:
                    correct &= ids.argmax(dim=-1) == chunk.target_ids
                correct |= chunk.weights == 0
                right += correct.all(dim=1).sum()
                total += len(correct)
    return int(right) / total


def _correct(logits: Tensor, targets: Tensor, length_given: bool) -> Tensor:
    if not length_given:
        return logits.argmax(dim=-1) == targets
    logits = logits.clone()
    logits[..., EOS_ID] = -torch.inf
    return (logits.argmax(dim=-1) == targets) | (targets == EOS_ID)


def _wrong(run: PackedForward, part: PackedPart, length_given: bool) -> int:
    """How many rows have a supervised token, or id, that is not the most likely one."""
    logits, ids = run.outputs(part.packed)
    wrong = ~_correct(logits, part.packed.targets, length_given)
    if ids is not None:
        wrong |= ids.argmax(dim=-1) != part.packed.target_ids
    return int(torch.zeros(part.rows, dtype=torch.long).index_fill_(0, part.row[wrong], 1).sum())


def ends_answers(task: Task, batch: Batch) -> bool:
    """Whether answers are several tokens and an end, so that a model may be wrong about the end alone.

    >>> from longreach.tasks.catalog import load_task
    >>> rng = np.random.default_rng(0)
    >>> [ends_answers(task, task.sample([6], rng)) for task in map(load_task, ("sort", "parity", "aa"))]
    [True, False, False]
    """
    if len(task.tokens) <= EOS_ID or task.tokens[EOS_ID] != EOS:
        return False
    ends = int((batch.mask & (batch.targets == EOS_ID)).sum())
    return ends > 0 and int(batch.mask.sum()) > 2 * ends


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
        return self._accuracy(vector, "first")

    def at_the_end(self, vector: Tensor, step: int, rows: Sequence[Evaluation]) -> Evaluation:
        """The accuracy on all ranges, at random offsets as well, and on further tasks."""
        with self._timed("prepare"):
            self.bins += self._undrawn
        first = self._accuracy(vector, "first")
        return Evaluation(
            step=step,
            loss=rows[-1].loss if rows else None,
            accuracy=first,
            accuracy_random_offset=self._shifted(vector, first),
            other=self._written(vector)
            | self._on_other_tasks(vector)
            | {
                range_number("chance", each.name): each.chance
                for each in self.bins
                if each.chance is not None
            }
            | self._length_given(vector)
            | self._on_uniform_inputs(vector)
            | self._on_probing_words(vector)
            | self._on_flow_words(vector),
        )

    def _shifted(self, vector: Tensor, first: dict[str, float]) -> dict[str, float]:
        """The accuracy at random offsets; none for models other than ours that see no positions."""
        if not all(each.shifted is each.first for each in self.bins):
            return self._accuracy(vector, "shifted")
        return {} if isinstance(self._network.shape, ModuleConfig) else dict(first)

    def _accuracy(self, vector: Tensor, kind: str) -> dict[str, float]:
        with self._timed("evaluate"):
            return {each.name: accuracy(vector, self._network, getattr(each, kind)) for each in self.bins}

    def _length_given(self, vector: Tensor) -> dict[str, float]:
        """The accuracy where the model is told how long answers are: some failures are only not to end."""
        with self._timed("evaluate"):
            return {
                range_number("length given", each.name): accuracy(
                    vector, self._network, each.first, length_given=True
                )
                for each in self.bins
                if each.ended
            }

    def _on_other_tasks(self, vector: Tensor) -> dict[str, float]:
        """The accuracy on each further task and range; drawn after all other tests, and not kept."""
        found: dict[str, float] = {}
        for name in self._config.test_tasks:
            for each in draw_bins(on_task(self._config, name), self._rng, self._device):
                with self._timed("evaluate"):
                    found[task_number(name, each.name)] = accuracy(vector, self._network, each.first)
        return found

    def _on_uniform_inputs(self, vector: Tensor) -> dict[str, float]:
        """The accuracy on inputs drawn uniformly, where the task's own draws are not uniform."""
        found: dict[str, float] = {}
        task, config = task_of(self._config), self._config
        for lengths in config.ranges:
            drawn = draw_lengths(task, *lengths, config.test_size, self._rng)
            batch = task.uniform_sample(drawn, self._rng)
            if batch is None:
                continue
            each = _placed_bin(config, lengths, batch, self._rng, self._device)
            name = range_number("uniform", lengths.name)
            with self._timed("evaluate"):
                found[name] = accuracy(vector, self._network, each.first)
            if each.chance is not None:
                found[range_number("chance", name)] = each.chance
        return found

    def _on_probing_words(self, vector: Tensor) -> dict[str, float]:
        """The accuracy on probing words, and on those of the worst loop or kind; drawn after other tests."""
        found: dict[str, float] = {}
        task, config = task_of(self._config), self._config
        for lengths in config.ranges:
            with self._timed("prepare"):
                probes = task.probing_sample(lengths, min(config.test_size, PROBING_SIZE), self._rng)
                if probes is None:
                    continue
                loops = [np.flatnonzero(probes.loops == loop) for loop in np.unique(probes.loops)]
                parts = self._placed_parts(probes.batch, loops)
            with self._timed("evaluate"):
                shares = [accuracy(vector, self._network, each) for each in parts]
            sizes = [len(rows) for rows in loops]
            found[range_number("probing", lengths.name)] = float(np.average(shares, weights=sizes))
            found[range_number("worst loop", lengths.name)] = min(shares)
            chance = task.guessed_share(probes)
            if chance is not None:
                found[range_number("chance", range_number("probing", lengths.name))] = chance
        return found

    def _on_flow_words(self, vector: Tensor) -> dict[str, float]:
        """The accuracy on words of the certificate of a no; drawn last of all."""
        found: dict[str, float] = {}
        task, config = task_of(self._config), self._config
        for lengths in config.ranges:
            with self._timed("prepare"):
                words = certificate_sample(task, lengths, min(config.test_size, PROBING_SIZE), self._rng)
                parts = (
                    [] if words is None else self._placed_parts(words.batch, [np.arange(len(words.batch))])
                )
            for each in parts:
                with self._timed("evaluate"):
                    found[range_number("flow", lengths.name)] = accuracy(vector, self._network, each)
        return found

    def _placed_parts(self, batch: Batch, rows: Sequence[IntArray]) -> list[tuple[Part, ...]]:
        """Some rows of a batch at a time, from the first position on."""
        whole = placed(batch, self._config, "first", self._rng)
        return [_parts(rows_of(whole, each), self._config, self._device) for each in rows]

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
