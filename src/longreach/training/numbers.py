"""Runs that learn numbers: batches, the loop down to a loss, and what is measured."""

from __future__ import annotations

import math
import statistics
import time
from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Protocol, TypeAlias

import numpy as np
import torch
from torch import Tensor

from longreach.config.run import RunConfig
from longreach.errors import InputError
from longreach.models.counting import (
    CountBatch,
    CountTransformer,
    KGramBatch,
    KGramTransformer,
    RegressionShape,
)
from longreach.models.network import network
from longreach.models.parameters import Parameters
from longreach.tasks.lengths import LengthRange
from longreach.tasks.numbers import Counts, CountTask, ModPTask, RegressionTask, Words, load_regression
from longreach.training import checkpoint
from longreach.training.checkpoint import Progress
from longreach.training.devices import CPU, describe, prepare
from longreach.training.members import CHECKPOINT_SECONDS, Clock, Diverged, Report
from longreach.training.result import Evaluation, loss_number
from longreach.training.steps import BETAS, EPSILON, State

# Data and model of a member that learns numbers: batches by step, test sets, and the one that fits both.


BLOCK = 8
"""Batches that are drawn together, for speed; each block has a random stream of its own."""
TRAINING, TESTING = 1, 2
"""The streams of a member, after its seed; that of initial values is 0."""
AT_ONCE = 16_384
"""Positions, or rows of counts, that are evaluated together."""
Drawn: TypeAlias = Counts | Words


@lru_cache(maxsize=64)
def task_of(name: str) -> RegressionTask:
    """The task of a configuration."""
    return load_regression(name)


def shape_of(config: RunConfig) -> RegressionShape:
    """The shape of its model."""
    task = task_of(config.task)
    return RegressionShape(
        symbols=task.symbols,
        outputs=task.outputs,
        layers=config.layers,
        width=config.width,
        hidden=config.hidden,
        period=task.period,
        locality=task.locality,
        log_length=config.log_length,
    )


def initial_vector(config: RunConfig) -> Tensor:
    """The parameters before the first step."""
    made = network(shape_of(config))
    return made.vector(made.initial(config.seed))


def _draw(task: RegressionTask, lengths: LengthRange, count: int, rng: np.random.Generator) -> Drawn:
    wanted = rng.integers(max(lengths.first, task.least_length), lengths.last + 1, count)
    return task.draw(wanted, rng) if isinstance(task, CountTask) else task.words(wanted, rng)


def _part(drawn: Drawn, rows: slice) -> Drawn:
    if isinstance(drawn, Counts):
        return Counts(drawn.counts[rows], drawn.last[rows], drawn.targets[rows])
    width = int(drawn.lengths[rows].max())
    return Words(drawn.tokens[rows, :width], drawn.lengths[rows], drawn.targets[rows])


class TrainingStream:
    """Fresh batches; that of a step depends on seed and step alone, so that a run can go on anywhere."""

    def __init__(self, config: RunConfig) -> None:
        self._config, self._task = config, task_of(config.task)
        self._block = -1
        self._drawn: Drawn | None = None

    def batch(self, step: int) -> Drawn:
        """The batch of a step, counted from 0."""
        block, place = divmod(step, BLOCK)
        config = self._config
        if self._drawn is None or block != self._block:
            rng = np.random.default_rng([config.seed, TRAINING, block])
            self._drawn = _draw(self._task, config.train_lengths, BLOCK * config.batch, rng)
            self._block = block
        return _part(self._drawn, slice(place * config.batch, (place + 1) * config.batch))


def draw_tests(config: RunConfig, place: int) -> Iterator[Drawn]:
    """The test sequences of the range at this place among the ranges, in parts that fit into memory."""
    task, lengths = task_of(config.task), config.ranges[place]
    rng = np.random.default_rng([config.seed, TESTING, place])
    rows = AT_ONCE if isinstance(task, CountTask) else max(1, AT_ONCE // lengths.last)
    for first in range(0, config.test_size, rows):
        yield _draw(task, lengths, min(rows, config.test_size - first), rng)


class SideBySide(Protocol):
    """Members of one shape: parameters (members, …) and a batch of each."""

    def gradients(self, vectors: Tensor, batches: Sequence[Drawn]) -> tuple[Tensor, Tensor]:
        """The losses (members,) and their gradients."""
        ...

    def losses(self, vectors: Tensor, batches: Sequence[Drawn]) -> Tensor:
        """The losses (members,)."""
        ...


class CountModels:
    """Models of one layer, all members in one product."""

    def __init__(self, shape: RegressionShape) -> None:
        self.model = CountTransformer(shape)

    def gradients(self, vectors: Tensor, batches: Sequence[Drawn]) -> tuple[Tensor, Tensor]:
        """The losses and their gradients, written out."""
        return self.model.gradient(vectors, count_batch(batches))

    def losses(self, vectors: Tensor, batches: Sequence[Drawn]) -> Tensor:
        """The losses."""
        return self.model.losses(vectors, count_batch(batches))


class KGramModels:
    """Models of two layers, one after the other: their positions are many."""

    def __init__(self, shape: RegressionShape) -> None:
        self.model = KGramTransformer(shape)

    def gradients(self, vectors: Tensor, batches: Sequence[Drawn]) -> tuple[Tensor, Tensor]:
        """The losses and their gradients, by autograd."""
        found = [
            self.model.gradient(vector, self._batch(batch))
            for vector, batch in zip(vectors, batches, strict=True)
        ]
        losses, gradients = zip(*found, strict=True)
        return torch.stack(losses), torch.stack(gradients)

    def losses(self, vectors: Tensor, batches: Sequence[Drawn]) -> Tensor:
        """The losses."""
        return torch.stack(
            [
                self.model.losses(vector, self._batch(batch))
                for vector, batch in zip(vectors, batches, strict=True)
            ]
        )

    def _batch(self, drawn: Drawn) -> KGramBatch:
        assert isinstance(drawn, Words)
        shape = self.model.shape
        return KGramBatch.of(
            drawn.tokens,
            drawn.lengths,
            targets=drawn.targets,
            symbols=shape.symbols,
            locality=shape.locality,
        )


def models_of(shape: RegressionShape) -> SideBySide:
    """What computes the members of a shape."""
    return CountModels(shape) if shape.layers == 1 else KGramModels(shape)


def count_batch(batches: Sequence[Drawn], *, once: bool = True) -> CountBatch:
    """The counts of members side by side: each different row `once` with its share, or all rows."""
    counts = [batch for batch in batches if isinstance(batch, Counts)]
    found = [each.distinct() if once else (each, np.ones(len(each), dtype=np.int64)) for each in counts]
    longest = max(len(times) for _, times in found)
    rows = [np.minimum(np.arange(longest), len(times) - 1) for _, times in found]
    shares = np.zeros((len(found), longest), dtype=np.float32)  # 0 where a row stands once more to fill up
    for mine, (_, times) in zip(shares, found, strict=True):
        mine[: len(times)] = times / times.sum()
    filled = [(each, row) for (each, _), row in zip(found, rows, strict=True)]
    return CountBatch(
        torch.from_numpy(np.stack([each.counts[row] for each, row in filled]).astype(np.float32)),
        torch.from_numpy(np.stack([each.last[row] for each, row in filled])),
        torch.from_numpy(np.stack([each.targets[row, 0] for each, row in filled]).astype(np.float32)),
        torch.from_numpy(shares),
    )


# What is measured of a member that has learned numbers: losses by range, norms, margins, attention.


ATTENTION_LENGTH = 80
"""At which the paper looks at the attention of ModPTask models (Figure 3)."""
ATTENTION_ROWS = 256


def measures(config: RunConfig, vector: Tensor) -> dict[str, float]:
    """All of it, by name."""
    shape = shape_of(config)
    found = {
        loss_number(lengths.name): range_loss(config, shape, vector, place)
        for place, lengths in enumerate(config.ranges)
    }
    if shape.layers == 1:
        found |= weights(shape, vector)
        found |= modp_attention(config, shape, vector)
    return found


def range_loss(config: RunConfig, shape: RegressionShape, vector: Tensor, place: int) -> float:
    """The mean loss on the test sequences of a range."""
    models, total = models_of(shape), 0.0
    with torch.inference_mode():
        for part in draw_tests(config, place):
            total += float(models.losses(vector[None], [part])[0]) * len(part)
    return total / config.test_size


def weights(shape: RegressionShape, vector: Tensor) -> dict[str, float]:
    """L and the logit margin of one layer (arXiv 2510.27015, section 4), read off the weights."""
    named = {name: value.double().numpy() for name, value in shape.named(vector).items()}
    kinds = named["embedding"]
    if shape.period > 1:
        kinds = (named["positions"][:, None] + kinds).reshape(-1, shape.width)
    mlp = np.linalg.norm(named["0.in"]) * np.linalg.norm(named["0.out"])
    largest = np.linalg.norm(kinds @ named["0.value"].T, axis=1).max()
    logits = np.sort((kinds @ named["0.query"].T) @ (kinds @ named["0.key"].T).T / shape.width, axis=1)
    gaps = np.diff(logits, axis=1)
    found = {"L": float(mlp * largest)}
    if (gaps > 0).any():
        found["logit margin"] = float(gaps[gaps > 0].min())
    return found


def modp_attention(config: RunConfig, shape: RegressionShape, vector: Tensor) -> dict[str, float]:
    """Mean and deviation of the attention on positions of the right residue and of the wrong ones."""
    task, models = task_of(config.task), models_of(shape)
    if not isinstance(task, ModPTask) or not isinstance(models, CountModels):
        return {}
    if task.period > ATTENTION_LENGTH:
        return {}
    drawn = task.draw(np.full(ATTENTION_ROWS, ATTENTION_LENGTH), np.random.default_rng(config.seed))
    each = models.model.attention(vector[None], count_batch([drawn], once=False))[0].double().numpy()
    right = np.arange(shape.kinds) // shape.symbols == task.residue
    found: dict[str, float] = {}
    for name, kinds in (("right", right), ("wrong", ~right)):
        total = drawn.counts[:, kinds].sum()
        if total:
            mean = (each * drawn.counts)[:, kinds].sum() / total
            spread = ((each - mean) ** 2 * drawn.counts)[:, kinds].sum() / total
            found[f"attention {name}"] = float(mean)
            found[f"attention {name} deviation"] = float(np.sqrt(spread))
    return found


# Trains members that learn numbers, side by side: fresh batches, Adam without decay, down to a loss.


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

    config: RunConfig
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
    configs: Sequence[RunConfig],
    directories: Sequence[Path | None] | None = None,
    *,
    reports: Sequence[Report | None] | None = None,
    checkpoint_seconds: float = CHECKPOINT_SECONDS,
) -> Iterator[tuple[int, Fitted | Diverged]]:
    """Train members of one shape side by side, and yield the place in the list and the end of each.

    >>> given = {"train_lengths": [1, 5], "test_lengths": [[10, 10]], "max_steps": 3, "batch": 8}
    >>> config = RunConfig.read({"task": "simple-task", "hidden": 4, "test_size": 8, **given})
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


def regression_step_seconds(config: RunConfig) -> float:
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
