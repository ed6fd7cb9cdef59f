"""Trains one member: fresh batches, a step, an evaluation now and then, until it is right or out of steps."""

from __future__ import annotations

import statistics
import time
from pathlib import Path

import torch
from torch import Tensor

from longreach.config.hyperparameters import BASELINE
from longreach.config.training import TrainConfig
from longreach.models.decoder_gradient import has_gradient_by_hand
from longreach.training.compiled_step import Step, compiled_step, compiler, fixed_shape
from longreach.training.devices import CPU, find_device, prepare, send, send_chunk, steps_between_reads
from longreach.training.member import CHECKPOINT_SECONDS, Clock, Diverged, Member, Report, Trained
from longreach.training.shape import model_of, task_of
from longreach.training.step import GradientByHand, loss_and_gradient, step_numbers, update

__all__ = ["Diverged", "Report", "Trained", "chunks_of", "step_seconds", "steps_at_most", "train"]

CHUNKS = 4
CHUNKS_FROM_WIDTH = 64  # below, a step is overhead, and one more chunk is one more of it

SAMPLE_STEPS = 5
SAMPLE_SECONDS = 0.5  # after which no further step is taken
SAMPLE_ROWS = 4
SAMPLE_LAYERS = 2
SAMPLE_FROM_WIDTH = 256  # from here on a step is work, not overhead, and a part of it tells
FORWARD = 1 / 3  # of a step


def train(
    config: TrainConfig,
    directory: Path | None = None,
    *,
    report: Report | None = None,
    checkpoint_seconds: float = CHECKPOINT_SECONDS,
    device: torch.device | str = CPU,
) -> Trained:
    """Train a member; with a directory its state is kept there, and a run that was killed goes on.

    >>> from longreach.experiments import resolve
    >>> config = resolve("binary-majority", max_steps=20, train_lengths=(1, 5), test_size=50)
    >>> train(config).steps
    20
    """
    found = find_device(device) if isinstance(device, str) else device
    prepare(found)
    return _Run(config, directory, report, checkpoint_seconds, found).go()


def step_seconds(config: TrainConfig) -> float:
    """How long a step takes on this processor, from a few; of wide models with few rows and layers.

    >>> from longreach.experiments import resolve
    >>> 0 < step_seconds(resolve("binary-majority")) < 10
    True
    """
    prepare(CPU)
    if config.width < SAMPLE_FROM_WIDTH or config.encoding == BASELINE:
        return _sampled(config)
    rows = min(config.batch, SAMPLE_ROWS)
    few = config.model_copy(update={"batch": rows, "layers": min(config.layers, SAMPLE_LAYERS)})
    found = _sampled(few)
    if config.layers > few.layers:
        # The last layer does less than the others.
        one = _sampled(few.model_copy(update={"layers": 1}))
        found += (config.layers - few.layers) * max(found - one, one / 2)
    return found * config.batch / rows


def _sampled(config: TrainConfig) -> float:
    run = _Run(config.model_copy(update={"test_size": 1, "compile": False}), None, None, CHECKPOINT_SECONDS)
    run._step()  # the first one is slow
    found: list[float] = []
    while len(found) < SAMPLE_STEPS and sum(found) < SAMPLE_SECONDS:
        start = time.perf_counter()
        run._step()
        found.append(time.perf_counter() - start)
    return statistics.median(found)  # somebody else may have had the core for one of them


def steps_at_most(config: TrainConfig) -> float:
    """All steps of a member, with its evaluations as if they were steps; most members stop before the last.

    >>> from longreach.experiments import resolve
    >>> steps_at_most(resolve("sort", max_steps=1000, test_size=1)) < 1010
    True
    """
    task = task_of(config)
    train, *_ = sizes = [task.input_size(lengths.last) for lengths in config.ranges]
    batches = config.test_size / config.batch
    on_the_way = config.max_steps // config.evaluate_every
    at_the_end = 2 * sum(size / train for size in sizes)  # from the first position on, and at random offsets
    return config.max_steps + FORWARD * batches * (on_the_way + at_the_end)


def chunks_of(config: TrainConfig) -> int:
    """Into how many chunks a batch is cut."""
    return CHUNKS if config.width >= CHUNKS_FROM_WIDTH else 1


def steps_by_hand(config: TrainConfig, device: torch.device) -> bool:
    """Whether the gradient that is written out serves: on a CPU, in float32, for a decoder.

    >>> from longreach.experiments import resolve
    >>> steps_by_hand(resolve("sort"), CPU), steps_by_hand(resolve("sort", "mlp"), CPU)
    (True, False)
    """
    return device.type == "cpu" and config.dtype == "float32" and has_gradient_by_hand(model_of(config))


class _Run:
    def __init__(
        self,
        config: TrainConfig,
        directory: Path | None,
        report: Report | None,
        checkpoint_seconds: float,
        device: torch.device = CPU,
    ) -> None:
        self.config = config
        self.report = report
        self.device = device
        self.clock = Clock(checkpoint_seconds)
        self.parts = chunks_of(config)
        self.compiled: Step | None = None
        notes: tuple[str, ...] = ()
        if config.compile and device.type != "cpu":
            notes = (f"the step is not compiled on {device.type}",)
        elif config.compile and compiler() is None:
            notes = ("no C++ compiler is there: the step was not compiled, and is slower",)
        elif config.compile:
            self.compiled = compiled_step(config)
        shape = None if self.compiled is None else fixed_shape(config)
        self.member = Member(config, directory, device, shape, notes=notes)
        self.by_hand: GradientByHand | None = None
        if steps_by_hand(config, device):
            self.by_hand = GradientByHand(self.member.layout, config)
        self.read_every = steps_between_reads(device)
        self.unread: list[tuple[int, Tensor, Tensor]] = []

    def go(self) -> Trained:
        member = self.member
        while not member.ended:
            with member.timed("train"):
                self._step()
            row = None
            if member.is_due:
                self._read()
                row = member.evaluate()
            if self.report is not None:
                self.report(member.state.step, row)
            if self.clock.is_due:
                self._read()
                with self.clock.writing():
                    member.save()
        return member.finish(compiled=self.compiled is not None)

    def _step(self) -> None:
        state, config = self.member.state, self.config
        batches = self.member.batches
        numbers = send(step_numbers(config, state.step), self.device)
        if self.compiled is not None:
            loss, norm = self.compiled(state, batches.fixed(state.step), numbers)
        elif self.by_hand is not None:
            loss, gradient = self.by_hand(state.vector, batches.packed(state.step))
            norm = update(state.vector, state.first, state.second, gradient, numbers, config)
        else:
            sent = (send_chunk(chunk, self.device) for chunk in batches.chunks(state.step, self.parts))
            loss, gradient = loss_and_gradient(state.vector, self.member.layout, config, sent)
            norm = update(state.vector, state.first, state.second, gradient, numbers, config)
        state.step += 1
        self.unread.append((state.step, loss, norm))
        if len(self.unread) >= self.read_every:
            self._read()

    def _read(self) -> None:
        """Look at the losses since the last time, which waits for the device."""
        unread, self.unread = self.unread, []
        for step, loss, norm in unread:
            self.member.count(step, loss.item(), norm.item())
