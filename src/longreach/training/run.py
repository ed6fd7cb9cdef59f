"""What belongs to one run, whether it trains alone or beside others: data, tests, state, checkpoints."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from longreach.config.architectures import BASELINE, COUNTING, DECODER
from longreach.config.run import RunConfig
from longreach.models.parameters import Parameters
from longreach.training import checkpoint
from longreach.training.batches import Batches, Streams
from longreach.training.checkpoint import Progress
from longreach.training.devices import CPU, check_dtype, describe
from longreach.training.evaluate import TokenTests
from longreach.training.numbers import NumberBatches, NumberTests
from longreach.training.result import Evaluation, Final
from longreach.training.setup import model_source, network_of, task_of
from longreach.training.steps import State

CHECKPOINT_SECONDS = 10.0
CHECKPOINT_SHARE = 0.05  # of the time, at most, where writing the state is slow

Report = Callable[[int, Evaluation | None], None]
"""Called with the number of steps done and the evaluation, if there was one."""


class Diverged(Exception):
    """The loss or its gradient is no longer a number."""

    def __init__(
        self, step: int, what: str, value: float, rows: tuple[Evaluation, ...], seconds: dict[str, float]
    ) -> None:
        super().__init__(f"the {what} is {value} at step {step}")
        self.step = step
        self.rows = rows
        self.seconds = seconds


@dataclass(frozen=True)
class Trained:
    """A run at its end."""

    parameters: Parameters
    rows: tuple[Evaluation, ...]
    """The evaluations on the way; where accuracies are measured, the last one has all ranges."""
    final: Final
    seconds: dict[str, float]
    device: str = "cpu"

    @property
    def steps(self) -> int:
        return self.final.steps

    @property
    def reached(self) -> bool:
        """Whether all test sequences of the training range are right, or the loss is below its target."""
        return self.final.reached is True

    @property
    def resumed(self) -> int:
        """The step from which the run was resumed; 0 if it started from scratch."""
        return int(str(self.final.details["resumed"]))

    @property
    def compiled(self) -> bool:
        return self.final.details.get("compiled") is True

    @property
    def notes(self) -> tuple[Any, ...]:
        found = self.final.details["notes"]
        assert isinstance(found, list)
        return tuple(found)


class Run:
    """A run on its way; a trainer takes the steps, changes `state`, and reports each step by `count`."""

    def __init__(
        self,
        config: RunConfig,
        directory: Path | None = None,
        device: torch.device = CPU,
        *,
        report: Report | None = None,
        shape: tuple[int, int] | None = None,
        notes: tuple[str, ...] = (),
    ) -> None:
        """`shape` fixes columns and supervised places of a batch, for a step that is compiled."""
        check_dtype(config.dtype, device)
        self.config, self.directory, self.device, self.report = config, directory, device, report
        self.network = network_of(config)
        self.is_compiled = shape is not None
        self.losses = 0.0, 0
        self.last_loss = math.inf
        self.rows: tuple[Evaluation, ...] = ()
        self.seconds: dict[str, float] = {}
        self.notes = notes
        self.tests: TokenTests | NumberTests
        self.batches: Batches | NumberBatches
        if config.loss == "squared":
            seed = config.seed
            self.batches, self.tests = NumberBatches(config), NumberTests(config, self.timed)
        else:
            streams = Streams(config.seed)
            seed = streams.initial
            self.batches = Batches(config, streams.data, shape)
            self.tests = TokenTests(config, streams.evaluation, device, self.timed)
        vector = self.network.vector(self.network.initial(seed))
        self.state = State.fresh(vector.to(device))
        self.resumed = self._resume()

    def count(self, step: int, loss: float, norm: float = 0.0) -> None:
        """Take note of a step's loss and of its gradient's norm, in the order of the steps."""
        for what, value in (("loss", loss), ("norm of the gradient", norm)):
            if not math.isfinite(value):
                raise Diverged(step, what, value, self.rows, self.seconds)
        total, count = self.losses
        self.losses, self.last_loss = (total + loss, count + 1), loss

    @property
    def ended(self) -> bool:
        """Whether there is nothing more to train."""
        right = self.config.stop_early and bool(self.rows) and self.tests.is_right(self.rows[-1])
        return right or self._is_below or self.state.step >= self.config.max_steps

    @property
    def is_due(self) -> bool:
        """Whether an evaluation follows the step that was just taken."""
        step = self.state.step
        return step % self.config.evaluate_every == 0 or step == self.config.max_steps or self._is_below

    @property
    def _is_below(self) -> bool:
        return self.last_loss < self.config.target_loss

    def evaluate(self) -> Evaluation:
        """The accuracy on the training range, and the mean loss since the last evaluation."""
        found = self.tests.on_the_way(self.state.vector)
        total, count = self.losses
        self.losses = 0.0, 0
        row = Evaluation(step=self.state.step, loss=total / max(count, 1), accuracy=found)
        self.rows += (row,)
        return row

    def finish(self) -> Trained:
        """The run at its end, measured on all ranges."""
        last = self.tests.at_the_end(self.state.vector, self.state.step, self.rows)
        numbers = self.config.loss == "squared"
        stopped = "the target loss" if self._is_below else "the step budget"
        final = Final(
            steps=self.state.step,
            reached=self._is_below if numbers else self.tests.is_right(last),
            loss=self.last_loss if numbers else last.loss,
            accuracy=last.accuracy,
            accuracy_random_offset=last.accuracy_random_offset,
            other=last.other,
            details={
                "resumed": self.resumed,
                **({"stopped": stopped} if numbers else {"compiled": self.is_compiled}),
                **self._sizes,
                "notes": list(self.notes),
            },
        )
        named = self.network.named(self.state.vector.cpu())
        return Trained(
            parameters={name: value.clone() for name, value in named.items()},
            rows=self.rows if numbers else (*self.rows[:-1], last),
            final=final,
            seconds=self.seconds,
            device=describe(self.device),
        )

    @property
    def _sizes(self) -> dict[str, Any]:
        """How large a model other than the decoder is, and what it keeps of the longest inputs."""
        if self.config.architecture in (DECODER, BASELINE, COUNTING):
            return {}
        found: dict[str, Any] = {"parameters": self.network.size}
        if (source := model_source(self.config)) is not None:
            found["source"] = source
        if self.network.state_size is not None:
            states = self.network.state_size
            found["state_size"] = {
                lengths.name: states(task_of(self.config).input_size(lengths.last))
                for lengths in self.config.ranges
            }
        return found

    def save(self) -> None:
        """Write the state; numbers do not depend on when."""
        if self.directory is None:
            return
        progress = Progress(
            key=self.config.key,
            step=self.state.step,
            data=self._data,
            losses=self.losses,
            rows=self.rows,
            seconds=self.seconds,
        )
        with self.timed("checkpoint"):
            checkpoint.save(self.directory, self.state, progress)

    @property
    def _data(self) -> dict[str, Any]:
        """What the next batch depends on besides the step, or the end of a run that learns numbers."""
        if isinstance(self.batches, NumberBatches):
            return {"last_loss": self.last_loss}
        return self.batches.state(self.state.step)

    def _resume(self) -> int:
        """Resume from the last state; one that this run cannot have written is named and not used."""
        if self.directory is None:
            return 0
        checkpoint.tidy(self.directory)
        try:
            found = checkpoint.load(self.directory, self.config, self.state.vector.numel())
            if found is not None and isinstance(self.batches, Batches):
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
        self.last_loss = progress.data.get("last_loss", math.inf)
        return progress.step

    @contextmanager
    def timed(self, part: str) -> Iterator[None]:
        start = time.perf_counter()
        try:
            yield
        finally:
            self.spend(part, time.perf_counter() - start)

    def spend(self, part: str, seconds: float) -> None:
        """Count seconds that were measured elsewhere."""
        self.seconds[part] = self.seconds.get(part, 0.0) + seconds


class Clock:
    """Says when states are to be written: every so often, and less often where writing is slow."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._next = time.monotonic() + seconds

    @property
    def is_due(self) -> bool:
        return time.monotonic() >= self._next

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Around the writing of all states."""
        start = time.monotonic()
        yield
        end = time.monotonic()
        pause = max(self._seconds, (end - start) / CHECKPOINT_SHARE)
        self._next = end + (pause if self._seconds else 0.0)
