"""What belongs to one member, whether it trains alone or beside others: data, tests, state, checkpoints."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path

import torch

from longreach.config.run import RunConfig
from longreach.models.parameters import Parameters
from longreach.tasks.task import Batch
from longreach.training import checkpoint
from longreach.training.batches import Batches, Streams
from longreach.training.checkpoint import Progress
from longreach.training.devices import CPU, check_dtype, describe
from longreach.training.evaluate import accuracy, draw_bins, written_right
from longreach.training.result import TOKENS_WRITTEN, WRITTEN, Evaluation, task_number
from longreach.training.setup import network_of, on_task, task_of
from longreach.training.steps import State

CHECKPOINT_SECONDS = 10.0
CHECKPOINT_SHARE = 0.05  # of the time, at most, where writing the state is slow


class Diverged(Exception):
    """The loss or its gradient is not a number any more."""

    def __init__(
        self, step: int, what: str, value: float, rows: tuple[Evaluation, ...], seconds: dict[str, float]
    ) -> None:
        super().__init__(f"the {what} is {value} at step {step}")
        self.step = step
        self.rows = rows
        self.seconds = seconds


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
    device: str = "cpu"
    notes: tuple[str, ...] = ()


Report = Callable[[int, Evaluation | None], None]
"""Called with the number of steps done and the evaluation, if there was one."""


@dataclass
class Member:
    """A member on its way; whoever takes the steps changes `state` and says how they went."""

    config: RunConfig
    directory: Path | None = None
    device: torch.device = CPU
    shape: tuple[int, int] | None = None
    """Of all batches, where the step is compiled."""
    losses: tuple[float, int] = (0.0, 0)
    rows: tuple[Evaluation, ...] = ()
    seconds: dict[str, float] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        config = self.config
        check_dtype(config.dtype, self.device)
        self.network = network_of(config)
        streams = Streams(config.seed)
        self._evaluation = streams.evaluation
        self.batches = Batches(config, streams.data, self.shape)
        vector = self.network.vector(self.network.initial(streams.initial))
        self.state = State.fresh(vector.to(self.device))
        # Before the end only the training range is needed, and many members need much memory.
        self._undrawn = draw_bins(config, streams.evaluation, self.device)
        with self.timed("prepare"):
            self.tests = [next(self._undrawn)]
        self.resumed = self._resume()

    def draw(self) -> Batch:
        """The next batch of the member's own stream."""
        return self.batches.whole(self.state.step)

    def count(self, step: int, loss: float, norm: float) -> None:
        """Take note of a step's loss and of its gradient's norm, in the order of the steps."""
        for what, value in (("loss", loss), ("norm of the gradient", norm)):
            if not math.isfinite(value):
                raise Diverged(step, what, value, self.rows, self.seconds)
        total, count = self.losses
        self.losses = total + loss, count + 1

    @property
    def ended(self) -> bool:
        """Whether there is nothing more to train."""
        right = self.config.stop_early and bool(self.rows) and self._is_reached(self.rows[-1])
        return right or self.state.step >= self.config.max_steps

    @property
    def is_due(self) -> bool:
        """Whether an evaluation follows the step that was just taken."""
        step = self.state.step
        return step % self.config.evaluate_every == 0 or step == self.config.max_steps

    def evaluate(self) -> Evaluation:
        """The accuracy on the training range, and the mean loss since the last evaluation."""
        found = self._accuracy("first")
        total, count = self.losses
        self.losses = 0.0, 0
        row = Evaluation(step=self.state.step, loss=total / max(count, 1), accuracy=found)
        self.rows += (row,)
        return row

    def finish(self, *, compiled: bool = False) -> Trained:
        """The member at its end, measured on all ranges, at random offsets as well."""
        with self.timed("prepare"):
            self.tests += self._undrawn
        first = self._accuracy("first")
        same = all(test.shifted is test.first for test in self.tests)
        last = Evaluation(
            step=self.state.step,
            loss=self.rows[-1].loss if self.rows else None,
            accuracy=first,
            accuracy_random_offset=dict(first) if same else self._accuracy("shifted"),
            other=self._written() | self._on_other_tasks(),
        )
        named = self.network.named(self.state.vector.cpu())
        return Trained(
            parameters={name: value.clone() for name, value in named.items()},
            steps=self.state.step,
            reached=self._is_reached(last),
            rows=(*self.rows[:-1], last),
            seconds=self.seconds,
            resumed=self.resumed,
            compiled=compiled,
            device=describe(self.device),
            notes=self.notes,
        )

    def save(self) -> None:
        """Write the state; numbers do not depend on when."""
        if self.directory is None:
            return
        progress = Progress(
            key=self.config.key,
            step=self.state.step,
            data=self.batches.state(self.state.step),
            losses=self.losses,
            rows=self.rows,
            seconds=self.seconds,
        )
        with self.timed("checkpoint"):
            checkpoint.save(self.directory, self.state, progress)

    @contextmanager
    def timed(self, part: str) -> Iterator[None]:
        """Count the seconds of a part of the work."""
        start = time.perf_counter()
        try:
            yield
        finally:
            self.spend(part, time.perf_counter() - start)

    def spend(self, part: str, seconds: float) -> None:
        """Count seconds that were measured elsewhere."""
        self.seconds[part] = self.seconds.get(part, 0.0) + seconds

    def _accuracy(self, kind: str) -> dict[str, float]:
        with self.timed("evaluate"):
            return {
                test.name: accuracy(self.state.vector, self.network, getattr(test, kind))
                for test in self.tests
            }

    def _on_other_tasks(self) -> dict[str, float]:
        """The accuracy on each further task and range; drawn after all other tests, and not kept."""
        found: dict[str, float] = {}
        for name in self.config.test_tasks:
            for test in draw_bins(on_task(self.config, name), self._evaluation, self.device):
                with self.timed("evaluate"):
                    found[task_number(name, test.name)] = accuracy(
                        self.state.vector, self.network, test.first
                    )
        return found

    def _written(self) -> dict[str, float]:
        """The shares that a model which predicts ids writes right on its own, by range."""
        found: dict[str, float] = {}
        with self.timed("generate") if self.config.predict_ids else nullcontext():
            for test in self.tests:
                if test.written is None:
                    continue
                named = self.network.named(self.state.vector)
                share = written_right(named, self.network, task_of(self.config), test.written)
                if share is not None:
                    found |= {
                        f"{WRITTEN} {test.name}": share.right,
                        f"{TOKENS_WRITTEN} {test.name}": share.tokens_right,
                    }
        return found

    def _is_reached(self, row: Evaluation) -> bool:
        return row.accuracy[self.tests[0].name] == 1.0

    def _resume(self) -> int:
        """Go on from the last state; one that this run cannot have written is named and not used."""
        if self.directory is None:
            return 0
        checkpoint.tidy(self.directory)
        try:
            found = checkpoint.load(self.directory, self.config, self.state.vector.numel())
            if found is not None:
                self.batches.restore(found[1].data)
        except ValueError as error:  # an InvalidState is one
            self.notes += (f"began anew: {error}",)
            return 0
        if found is None:
            return 0
        read, progress = found
        vector, first, second = (each.to(self.device) for each in (read.vector, read.first, read.second))
        self.state = State(vector, first, second, progress.step)
        self.losses, self.rows, self.seconds = progress.losses, progress.rows, progress.seconds
        return progress.step


class Clock:
    """Says when states are to be written: every so often, and less often where writing is slow."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._next = time.monotonic() + seconds

    @property
    def is_due(self) -> bool:
        """Whether it is time."""
        return time.monotonic() >= self._next

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Around the writing of all states."""
        start = time.monotonic()
        yield
        end = time.monotonic()
        pause = max(self._seconds, (end - start) / CHECKPOINT_SHARE)
        self._next = end + (pause if self._seconds else 0.0)
