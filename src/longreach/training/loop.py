"""Trains one run, or runs of one shape side by side.

Runs that train together may differ in whatever does not change the shape of the model or of a batch: seed,
learning rate and its schedule, steps, task parameters, lengths, penalty. Each has its own stream of data, is
clipped, evaluated and stopped on its own, and keeps its state as if it trained alone: it can resume alone or
beside others.
"""

from __future__ import annotations

import statistics
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import torch
from torch import Tensor

from longreach.config.architectures import DECODER
from longreach.config.model import ModuleConfig
from longreach.config.run import RunConfig
from longreach.errors import InputError
from longreach.files import canonical_json
from longreach.training.devices import CPU, find_device, prepare, steps_between_reads
from longreach.training.run import CHECKPOINT_SECONDS, Clock, Diverged, Report, Run, Trained
from longreach.training.setup import network_of, task_of
from longreach.training.stepping import stepper_of
from longreach.training.steps import compiler, fixed_shape

End: TypeAlias = Trained | Diverged
NOT_COMPILED = "the step of runs side by side is not compiled"


def train(
    config: RunConfig,
    directory: Path | None = None,
    *,
    report: Report | None = None,
    checkpoint_seconds: float = CHECKPOINT_SECONDS,
    device: torch.device | str = CPU,
) -> Trained:
    """Train a run; with a directory its state is kept there, and a run that was killed resumes.

    >>> from longreach.runs.resolve import resolve
    >>> config = resolve("binary-majority", max_steps=20, train_lengths=(1, 5), test_size=50)
    >>> train(config).steps
    20
    """
    ((_, ended),) = train_runs(
        [config], [directory], reports=[report], checkpoint_seconds=checkpoint_seconds, device=device
    )
    if isinstance(ended, Diverged):
        raise ended
    return ended


def train_runs(
    configs: Sequence[RunConfig],
    directories: Sequence[Path | None] | None = None,
    *,
    reports: Sequence[Report | None] | None = None,
    checkpoint_seconds: float = CHECKPOINT_SECONDS,
    device: torch.device | str = CPU,
) -> Iterator[tuple[int, End]]:
    """Train runs side by side, and yield the place in the list and the end of each as it ends.

    >>> from longreach.runs.resolve import resolve
    >>> given = {"max_steps": 20, "train_lengths": (1, 5), "test_size": 50}
    >>> runs = [resolve("binary-majority", seed=seed, **given) for seed in range(3)]
    >>> [(place, ended.steps) for place, ended in train_runs(runs)]
    [(0, 20), (1, 20), (2, 20)]
    """
    check_shapes(configs)
    found = find_device(device) if isinstance(device, str) else device
    prepare(found)
    empty: list[None] = [None] * len(configs)
    given = zip(configs, directories or empty, reports or empty, strict=True)
    runs = [
        start_run(config, directory, found, report=report, alone=len(configs) == 1)
        for config, directory, report in given
    ]
    return Trainer(runs, checkpoint_seconds).go()


def start_run(
    config: RunConfig,
    directory: Path | None = None,
    device: torch.device = CPU,
    *,
    report: Report | None = None,
    alone: bool = True,
) -> Run:
    """A run before its first step, or at its checkpoint; its step is compiled where that is possible."""
    note, shape = None, None
    if config.compile and not alone:
        note = NOT_COMPILED
    elif config.compile and device.type != "cpu":
        note = f"the step is not compiled on {device.type}"
    elif config.compile and compiler() is None:
        note = "no C++ compiler is there: the step was not compiled, and is slower"
    elif config.compile:
        shape = fixed_shape(config)
    notes = () if note is None else (note,)
    return Run(config, directory, device, report=report, shape=shape, notes=notes)


class Trainer:
    """Steps runs, with the evaluations and checkpoints that are due, until each has ended."""

    def __init__(self, runs: Sequence[Run], checkpoint_seconds: float = CHECKPOINT_SECONDS) -> None:
        self.stepper = stepper_of(runs)
        self._places = {run: place for place, run in enumerate(runs)}
        self._clock = Clock(checkpoint_seconds)
        self._read_every = steps_between_reads(runs[0].device)
        self._unread: list[tuple[list[int], Tensor, Tensor]] = []

    def go(self) -> Iterator[tuple[int, End]]:
        """Yield the place and the end of each run as it ends."""
        ended: dict[Run, End] = {run: run.finish() for run in self.stepper.runs if run.ended}
        while True:
            for run, end in ended.items():
                yield self._places[run], end
            if ended:
                self.stepper.keep([run for run in self.stepper.runs if run not in ended])
            if not self.stepper.runs:
                return
            ended = self._advance()

    def step(self) -> dict[Run, End]:
        """One step of all runs; those that failed."""
        start = time.perf_counter()
        losses, norms = self.stepper.step()
        runs = self.stepper.runs
        self._unread.append(([run.state.step for run in runs], losses, norms))
        failed = self._read() if len(self._unread) >= self._read_every else {}
        share = (time.perf_counter() - start) / len(runs)
        for run in runs:
            run.spend("train", share)
        return failed

    def _advance(self) -> dict[Run, End]:
        """One step of all runs, with the evaluations and checkpoints that are due; those that ended."""
        ended = self.step()
        save = self._clock.is_due
        if save or any(run.is_due for run in self.stepper.runs):
            ended |= self._read()
        going = [run for run in self.stepper.runs if run not in ended]
        for run in going:
            row = run.evaluate() if run.is_due else None
            if run.report is not None:
                run.report(run.state.step, row)
        if save:
            with self._clock.writing():
                for run in going:
                    run.save()
        return ended | {run: run.finish() for run in going if run.ended}

    def _read(self) -> dict[Run, End]:
        """Look at the losses since the last time, which waits for the device; the runs that failed."""
        unread, self._unread = self._unread, []
        failed: dict[Run, End] = {}
        for steps, losses, norms in unread:
            each = zip(self.stepper.runs, steps, losses.tolist(), norms.tolist(), strict=True)
            for run, step, loss, norm in each:
                if run not in failed:
                    try:
                        run.count(step, loss, norm)
                    except Diverged as error:
                        failed[run] = error
        return failed


def shape(config: RunConfig) -> dict[str, Any]:
    """What runs that train side by side have in common.

    >>> from longreach.runs.resolve import resolve
    >>> one, other = (resolve("parity", seed=seed, lr=10.0**-seed) for seed in (1, 2))
    >>> shape(one) == shape(other)
    True
    """
    network = network_of(config)
    model = network.shape.model_dump()
    is_module = isinstance(network.shape, ModuleConfig)  # whose parameters may depend on it
    if "positions" not in network.table and not config.predict_ids and not is_module:
        model.pop("positions", None)  # how far the ids go, which is the data's business
    own = {name: getattr(config, name) for name in ("batch", "dtype", "clip", "weight_decay")}
    return model | own


def check_shapes(configs: Sequence[RunConfig]) -> None:
    """Refuse runs that cannot train side by side, in one line."""
    first = shape(configs[0])
    for number, config in enumerate(configs[1:], 1):
        other = shape(config)
        for name in {**first, **other}:
            mine, yours = first.get(name), other.get(name)
            if mine != yours:
                raise InputError(f"runs 0 and {number} cannot be stacked: {name} is {mine} and {yours}")
    keys = [config.key for config in configs]
    if len(set(keys)) < len(keys):
        raise InputError("runs cannot be stacked: one is listed twice")


def groups(configs: Sequence[RunConfig], size: int) -> list[list[RunConfig]]:
    """The runs that train side by side, at most `size` of them, in groups of about the same number.

    >>> from longreach.runs.resolve import resolve
    >>> runs = [resolve("sort", width=width, seed=s) for width in (16, 64) for s in range(3)]
    >>> [[(run.width, run.seed) for run in group] for group in groups(runs, 2)]
    [[(16, 0), (16, 1)], [(16, 2)], [(64, 0), (64, 1)], [(64, 2)]]
    """
    alike: defaultdict[str, list[RunConfig]] = defaultdict(list)
    for config in configs:
        alike[canonical_json(shape(config))].append(config)
    made = []
    for runs in alike.values():
        parts = -(-len(runs) // size)
        made += [[runs[place] for place in part] for part in np.array_split(range(len(runs)), parts)]
    return made


SAMPLE_STEPS = 5
SAMPLE_SECONDS = 0.5  # after which no further step is taken
SAMPLE_ROWS = 4
SAMPLE_LAYERS = 2
SAMPLE_FROM_WIDTH = 256  # from here on a step is work, not overhead, and a part of it tells
FORWARD = 1 / 3  # of a step


def step_seconds(config: RunConfig, clock: Callable[[], float] = time.perf_counter) -> float:
    """How long a step takes on this processor, from a few; of wide models with few rows and layers.

    By `time.process_time` other work on the machine does not count.

    >>> from longreach.runs.resolve import resolve
    >>> 0 < step_seconds(resolve("binary-majority")) < 10
    True
    """
    prepare(CPU)
    is_wide = config.width >= SAMPLE_FROM_WIDTH and config.architecture == DECODER
    if config.loss == "squared" or not is_wide:
        return _sampled(config, clock)
    rows = min(config.batch, SAMPLE_ROWS)
    few = config.model_copy(update={"batch": rows, "layers": min(config.layers, SAMPLE_LAYERS)})
    found = _sampled(few, clock)
    if config.layers > few.layers:
        # The last layer does less than the others.
        one = _sampled(few.model_copy(update={"layers": 1}), clock)
        found += (config.layers - few.layers) * max(found - one, one / 2)
    return found * config.batch / rows


def _sampled(config: RunConfig, clock: Callable[[], float]) -> float:
    trainer = Trainer([start_run(config.model_copy(update={"test_size": 1, "compile": False}))])
    trainer.step()  # the first one is slow
    found: list[float] = []
    while len(found) < SAMPLE_STEPS and sum(found) < SAMPLE_SECONDS:
        start = clock()
        trainer.step()
        found.append(clock() - start)
    return statistics.median(found)  # another process may have had the core for one of them


def steps_at_most(config: RunConfig) -> float:
    """All steps of a run, with its evaluations as if they were steps; most runs stop before the last.

    >>> from longreach.runs.resolve import resolve
    >>> steps_at_most(resolve("sort", max_steps=1000, test_size=1)) < 1010
    True
    """
    if config.loss == "squared":
        return float(config.max_steps)
    task = task_of(config)
    train, *_ = sizes = [task.input_size(lengths.last) for lengths in config.ranges]
    batches = config.test_size / config.batch
    on_the_way = config.max_steps // config.evaluate_every
    at_the_end = 2 * sum(size / train for size in sizes)  # from the first position on, and at random offsets
    return config.max_steps + FORWARD * batches * (on_the_way + at_the_end)
