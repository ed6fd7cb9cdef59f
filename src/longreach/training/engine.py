"""Trains one member: fresh batches, a step, an evaluation now and then, until it is right or out of steps."""

from __future__ import annotations

import time
from pathlib import Path

import torch
from torch import Tensor

from longreach.config.training import TrainConfig
from longreach.models.decoder_gradient import has_gradient_by_hand
from longreach.training.compiled_step import Step, compiled_step, compiler, fixed_shape
from longreach.training.devices import CPU, find_device, prepare, send, send_chunk, steps_between_reads
from longreach.training.member import CHECKPOINT_SECONDS, Clock, Diverged, Member, Report, Trained
from longreach.training.shape import model_of
from longreach.training.step import GradientByHand, loss_and_gradient, step_numbers, update

__all__ = ["Diverged", "Report", "Trained", "chunks_of", "seconds_at_most", "train"]

CHUNKS = 4
CHUNKS_FROM_WIDTH = 64  # below, a step is overhead, and one more chunk is one more of it

SAMPLE_STEPS = 3
SAMPLE_ROWS = 8
SAMPLE_FROM_WIDTH = 256


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


def seconds_at_most(config: TrainConfig) -> float:
    """How long all steps of a member take, from a few of them; most members stop before the last.

    >>> from longreach.experiments import resolve
    >>> seconds_at_most(resolve("binary-majority")) > 1
    True
    """
    prepare(CPU)
    # A few rows are enough to tell where a step is work, not overhead.
    rows = min(config.batch, SAMPLE_ROWS) if config.width >= SAMPLE_FROM_WIDTH else config.batch
    sample = config.model_copy(update={"batch": rows, "test_size": 1, "compile": False})
    run = _Run(sample, None, None, CHECKPOINT_SECONDS)
    run._step()  # the first one is slow
    start = time.perf_counter()
    for _ in range(SAMPLE_STEPS):
        run._step()
    each = (time.perf_counter() - start) / SAMPLE_STEPS * config.batch / rows
    return each * config.max_steps


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
