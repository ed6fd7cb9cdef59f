"""Trains one member: fresh batches, a step, an evaluation now and then, until it is right or out of steps."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import torch

from longreach.models.parameters import Parameters
from longreach.models.transformer import initialise
from longreach.results.schema import Evaluation
from longreach.training import checkpoint
from longreach.training.checkpoint import Progress
from longreach.training.compiled import Step, compiled_step, compiler, fixed_shape
from longreach.training.config import TrainConfig
from longreach.training.data import Batches, Streams
from longreach.training.evaluate import accuracy, draw_bins
from longreach.training.step import Layout, State, loss_and_gradient, step_numbers, update

CHECKPOINT_SECONDS = 10.0
CHECKPOINT_SHARE = 0.05  # of the time, at most, where writing the state is slow
CHUNKS = 4
CHUNKS_FROM_WIDTH = 64  # below, a step is overhead, and one more chunk is one more of it

SAMPLE_STEPS = 3
SAMPLE_ROWS = 8
SAMPLE_FROM_WIDTH = 256


class Diverged(Exception):
    """The loss or its gradient is not a number any more."""

    def __init__(self, step: int, what: str, value: float, rows: tuple[Evaluation, ...]) -> None:
        super().__init__(f"the {what} is {value} at step {step}")
        self.step = step
        self.rows = rows


@dataclass(frozen=True)
class Trained:
    """A member at its end."""

    parameters: Parameters
    steps: int
    reached: bool
    """Whether all test sequences of the training range are right."""
    rows: tuple[Evaluation, ...]
    """The evaluations on the way; the last one has all ranges."""
    seconds: dict[str, float]
    resumed: int
    """The step from which the run went on; 0 if it began anew."""
    compiled: bool
    notes: tuple[str, ...] = ()


Report = Callable[[int, Evaluation | None], None]
"""Called with the number of steps done and the evaluation, if there was one."""


def train(
    config: TrainConfig,
    directory: Path | None = None,
    *,
    report: Report | None = None,
    checkpoint_seconds: float = CHECKPOINT_SECONDS,
) -> Trained:
    """Train a member; with a directory its state is kept there, and a run that was killed goes on.

    >>> config = TrainConfig.resolve("binary-majority", max_steps=20, train_lengths=(1, 5), test_size=50)
    >>> train(config).steps
    20
    """
    torch.set_num_threads(1)
    return _Run(config, directory, report, checkpoint_seconds).go()


def seconds_at_most(config: TrainConfig) -> float:
    """How long all steps of a member take, from a few of them; most members stop before the last.

    >>> seconds_at_most(TrainConfig.resolve("binary-majority")) > 1
    True
    """
    torch.set_num_threads(1)
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


@dataclass
class _Run:
    config: TrainConfig
    directory: Path | None
    report: Report | None
    checkpoint_seconds: float
    losses: tuple[float, int] = (0.0, 0)
    rows: tuple[Evaluation, ...] = ()
    seconds: dict[str, float] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        config = self.config
        self.layout = Layout.of(config.decoder)
        streams = Streams(config.seed)
        self.state = State.fresh(self.layout.vector(initialise(config.decoder, streams.initial)))
        with self._timed("prepare"):
            self.tests = draw_bins(config, streams.evaluation)
        self.parts = CHUNKS if config.width >= CHUNKS_FROM_WIDTH else 1
        self.compiled: Step | None = None
        shape: tuple[int, int] | None = None
        if config.compile and compiler() is None:
            self.notes += ("no C++ compiler is there: the step was not compiled, and is slower",)
        elif config.compile:
            self.compiled, shape = compiled_step(config), fixed_shape(config)
        self.batches = Batches(config, streams.data, shape)
        self.resumed = self._resume()
        self.next_save = time.monotonic() + self.checkpoint_seconds

    def go(self) -> Trained:
        config, state = self.config, self.state
        ended = config.stop_early and bool(self.rows) and self._is_reached(self.rows[-1])
        while state.step < config.max_steps and not ended:
            with self._timed("train"):
                self._step()
            row = None
            if state.step % config.evaluate_every == 0 or state.step == config.max_steps:
                row = self._evaluate(everything=False)
                self.rows += (row,)
                ended = config.stop_early and self._is_reached(row)
            if self.report is not None:
                self.report(state.step, row)
            self._keep()
        last = self._evaluate(everything=True)
        return Trained(
            parameters={name: value.clone() for name, value in self.layout.named(state.vector).items()},
            steps=state.step,
            reached=self._is_reached(last),
            rows=(*self.rows[:-1], last),
            seconds=self.seconds,
            resumed=self.resumed,
            compiled=self.compiled is not None,
            notes=self.notes,
        )

    def _step(self) -> None:
        state, config = self.state, self.config
        numbers = step_numbers(config, state.step)
        if self.compiled is not None:
            loss, norm = self.compiled(state, self.batches.fixed(state.step), numbers)
        else:
            parts = self.batches.chunks(state.step, self.parts)
            loss, gradient = loss_and_gradient(state.vector, self.layout, config, parts)
            norm = update(state.vector, state.first, state.second, gradient, numbers, config)
        state.step += 1
        value, length = loss.item(), norm.item()
        if not (math.isfinite(value) and math.isfinite(length)):
            what, found = ("norm of the gradient", length) if math.isfinite(value) else ("loss", value)
            raise Diverged(state.step, what, found, self.rows)
        total, count = self.losses
        self.losses = total + value, count + 1

    def _evaluate(self, *, everything: bool) -> Evaluation:
        """On the training range; at the end on all ranges, at random offsets as well."""
        with self._timed("evaluate"):
            vector, layout, config = self.state.vector, self.layout, self.config
            tests = self.tests if everything else self.tests[:1]
            first = {test.name: accuracy(vector, layout, config, test.first) for test in tests}
            shifted = {
                test.name: accuracy(vector, layout, config, test.shifted) for test in tests if everything
            }
        if everything:
            return Evaluation(
                step=self.state.step,
                loss=self.rows[-1].loss if self.rows else None,
                accuracy=first,
                accuracy_random_offset=shifted,
            )
        total, count = self.losses
        self.losses = 0.0, 0
        return Evaluation(step=self.state.step, loss=total / max(count, 1), accuracy=first)

    def _is_reached(self, row: Evaluation) -> bool:
        return row.accuracy[self.tests[0].name] == 1.0

    def _keep(self) -> None:
        """Write the state when the last one is old enough; numbers do not depend on when."""
        if self.directory is None or time.monotonic() < self.next_save:
            return
        progress = Progress(
            key=self.config.key,
            step=self.state.step,
            data=self.batches.state(self.state.step),
            losses=self.losses,
            rows=self.rows,
            seconds=self.seconds,
        )
        start = time.monotonic()
        with self._timed("checkpoint"):
            checkpoint.save(self.directory, self.state, progress)
        end = time.monotonic()
        pause = max(self.checkpoint_seconds, (end - start) / CHECKPOINT_SHARE)
        self.next_save = end + (pause if self.checkpoint_seconds else 0.0)

    def _resume(self) -> int:
        if self.directory is None:
            return 0
        found = checkpoint.load(self.directory, self.config.key, self.state.vector.numel())
        if found is None:
            return 0
        self.state, progress = found
        self.batches.restore(progress.data)
        self.losses, self.rows, self.seconds = progress.losses, progress.rows, progress.seconds
        return progress.step

    @contextmanager
    def _timed(self, part: str) -> Iterator[None]:
        start = time.perf_counter()
        try:
            yield
        finally:
            self.seconds[part] = self.seconds.get(part, 0.0) + time.perf_counter() - start
