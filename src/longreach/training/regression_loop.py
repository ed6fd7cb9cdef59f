"""Trains members that learn numbers, side by side: fresh batches, Adam without decay, down to a loss."""

from __future__ import annotations

import math
import statistics
import time
from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import torch
from torch import Tensor

from longreach.config.regression import RegressionConfig
from longreach.errors import InputError
from longreach.models.parameters import Parameters
from longreach.results.schema import Evaluation
from longreach.training import checkpoint
from longreach.training.checkpoint import Progress
from longreach.training.devices import CPU, describe, prepare
from longreach.training.member import CHECKPOINT_SECONDS, Clock, Diverged, Report
from longreach.training.regression_batches import TrainingStream, initial_vector, models_of, shape_of
from longreach.training.regression_measures import measures
from longreach.training.step import BETAS, EPSILON, State

SAMPLE_STEPS = 5


@dataclass(frozen=True)
class Fitted:
    """A member at its end."""

    parameters: Parameters
    steps: int
    reached: bool
    """Whether the loss of its last batch was below the target."""
    loss: float
    rows: tuple[Evaluation, ...]
    measured: dict[str, float]
    """Losses by range, and what the weights say."""
    seconds: dict[str, float]
    resumed: int
    device: str
    notes: tuple[str, ...] = ()


@dataclass
class RegressionMember:
    """A member on its way."""

    config: RegressionConfig
    directory: Path | None = None
    report: Report | None = None
    losses: tuple[float, int] = (0.0, 0)
    """Sum and number of losses since the last note."""
    last_loss: float = math.inf
    rows: tuple[Evaluation, ...] = ()
    seconds: dict[str, float] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        self.shape = shape_of(self.config)
        self.stream = TrainingStream(self.config)
        self.state = State.fresh(initial_vector(self.config))
        self.resumed = self._resume()

    @property
    def ended(self) -> bool:
        """Whether there is nothing more to train."""
        return self.last_loss < self.config.target_loss or self.state.step >= self.config.max_steps

    def count(self, loss: float) -> None:
        """Take note of the loss of the step that was just taken."""
        step = self.state.step
        if not math.isfinite(loss):
            raise Diverged(step, "loss", loss, self.rows, self.seconds)
        total, count = self.losses
        self.losses, self.last_loss = (total + loss, count + 1), loss
        row = None
        if step % self.config.evaluate_every == 0 or self.ended:
            row = Evaluation(step=step, loss=self.losses[0] / self.losses[1])
            self.rows, self.losses = (*self.rows, row), (0.0, 0)
        if self.report is not None:
            self.report(step, row)

    def spend(self, part: str, seconds: float) -> None:
        """Count seconds."""
        self.seconds[part] = self.seconds.get(part, 0.0) + seconds

    def save(self) -> None:
        """Keep the state, from which the run goes on."""
        if self.directory is not None and self.state.step:
            progress = Progress(
                key=self.config.key,
                step=self.state.step,
                data={"last_loss": self.last_loss},
                losses=self.losses,
                rows=self.rows,
                seconds=self.seconds,
            )
            checkpoint.save(self.directory, self.state, progress)

    def finish(self) -> Fitted:
        """The member at its end, measured on all ranges."""
        start = time.perf_counter()
        measured = measures(self.config, self.state.vector)
        self.spend("evaluate", time.perf_counter() - start)
        named = self.shape.named(self.state.vector)
        return Fitted(
            parameters={name: value.clone() for name, value in named.items()},
            steps=self.state.step,
            reached=self.last_loss < self.config.target_loss,
            loss=self.last_loss,
            rows=self.rows,
            measured=measured,
            seconds=self.seconds,
            resumed=self.resumed,
            device=describe(CPU),
            notes=self.notes,
        )

    def _resume(self) -> int:
        if self.directory is None:
            return 0
        checkpoint.tidy(self.directory)
        try:
            found = checkpoint.load_state(self.directory, self.shape.size, self._inconsistent)
        except InputError as error:
            self.notes += (f"began anew: {error}",)
            return 0
        if found is None:
            return 0
        self.state, progress = found
        self.losses, self.rows, self.seconds = progress.losses, progress.rows, progress.seconds
        self.last_loss = progress.data["last_loss"]
        return progress.step

    def _inconsistent(self, progress: Progress) -> str | None:
        """Why this run cannot have come to a progress, if it cannot."""
        if progress.key != self.config.key:
            return f"the state of another configuration, {progress.key[:40]!r}"
        if progress.step > self.config.max_steps:
            return f"step {progress.step} of {self.config.max_steps}"
        if not isinstance(progress.data.get("last_loss"), float):
            return "it has no last loss"
        return None


def train_regression(
    configs: Sequence[RegressionConfig],
    directories: Sequence[Path | None] | None = None,
    *,
    reports: Sequence[Report | None] | None = None,
    checkpoint_seconds: float = CHECKPOINT_SECONDS,
) -> Iterator[tuple[int, Fitted | Diverged]]:
    """Train members of one shape side by side, and yield the place in the list and the end of each.

    >>> given = {"train_lengths": [1, 5], "test_lengths": [[10, 10]], "max_steps": 3, "batch": 8}
    >>> config = RegressionConfig.read({"task": "simple-task", "hidden": 4, "test_size": 8, **given})
    >>> [(place, ended.steps) for place, ended in train_regression([config, config.with_seed(1)])]
    [(0, 3), (1, 3)]
    """
    prepare(CPU)
    empty: list[None] = [None] * len(configs)
    members = [
        RegressionMember(config, directory, report)
        for config, directory, report in zip(configs, directories or empty, reports or empty, strict=True)
    ]
    places = {id(member): place for place, member in enumerate(members)}
    clock = Clock(checkpoint_seconds)
    while members:
        for member in [each for each in members if each.ended]:
            yield places[id(member)], member.finish()
        members = [each for each in members if not each.ended]
        if not members:
            return
        failed = yield from _together(members, places, clock)
        members = [each for each in members if each is not failed]


def _together(
    members: Sequence[RegressionMember], places: dict[int, int], clock: Clock
) -> Generator[tuple[int, Fitted | Diverged], None, RegressionMember | None]:
    """Steps of all members until one of them ends or fails; the one that failed."""
    stack = _Stack(members)
    while not any(member.ended for member in members):
        start = time.perf_counter()
        losses = stack.step()
        share = (time.perf_counter() - start) / len(members)
        for member, loss in zip(members, losses, strict=True):
            member.spend("train", share)
            try:
                member.count(loss)
            except Diverged as error:
                yield places[id(member)], error
                return member
        if clock.is_due:
            with clock.writing():
                for member in members:
                    member.save()
    return None


class _Stack:
    """The states of members in one tensor each; a member's own become views of its row."""

    def __init__(self, members: Sequence[RegressionMember]) -> None:
        self.members = members
        states = [member.state for member in members]
        self.vectors = torch.stack([state.vector for state in states])
        self.firsts = torch.stack([state.first for state in states])
        self.seconds = torch.stack([state.second for state in states])
        for row, state in enumerate(states):
            state.vector, state.first, state.second = self.vectors[row], self.firsts[row], self.seconds[row]
        shape = members[0].shape
        assert all(member.shape == shape for member in members), "members of one shape"
        self.models = models_of(shape)
        self.rates = torch.stack([shape.rates(member.config.lr) for member in members])

    def step(self) -> list[float]:
        """One step of each member; the losses before it."""
        batches = [member.stream.batch(member.state.step) for member in self.members]
        losses, gradients = self.models.gradients(self.vectors, batches)
        numbers = torch.tensor([_corrections(member.state.step) for member in self.members])
        adam(self.vectors, self.firsts, self.seconds, gradients, self.rates * numbers[:, :1], numbers[:, 1:])
        for member in self.members:
            member.state.step += 1
        found: list[float] = losses.tolist()
        return found


def regression_step_seconds(config: RegressionConfig) -> float:
    """How long a step takes on this processor, from a few."""
    prepare(CPU)
    stack = _Stack([RegressionMember(config)])
    stack.step()  # the first one is slow
    found = []
    for _ in range(SAMPLE_STEPS):
        start = time.perf_counter()
        stack.step()
        found.append(time.perf_counter() - start)
    return statistics.median(found)


def _corrections(step: int) -> tuple[float, float]:
    """Of both moments for their bias."""
    return 1 / (1 - BETAS[0] ** (step + 1)), (1 - BETAS[1] ** (step + 1)) ** -0.5


def adam(
    vectors: Tensor, firsts: Tensor, seconds: Tensor, gradients: Tensor, rates: Tensor, scales: Tensor
) -> None:
    """Adam (Kingma and Ba, arXiv 1412.6980) in place, with a rate per parameter; both corrected already."""
    firsts.lerp_(gradients, 1 - BETAS[0])
    seconds.mul_(BETAS[1]).addcmul_(gradients, gradients, value=1 - BETAS[1])
    vectors.addcdiv_(firsts * rates, seconds.sqrt().mul_(scales).add_(EPSILON), value=-1.0)
