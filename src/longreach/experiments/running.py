"""Members in, results out: what is not done is trained, by whichever engine, and the rest is read."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Protocol, TypeVar

from longreach.config.any_member import AnyMember
from longreach.config.regression import RegressionConfig
from longreach.errors import Field, InputError, MissingExtra
from longreach.execution.jobs import Job
from longreach.execution.record import pending, run_pending
from longreach.experiments.engine_makers import EngineMaker
from longreach.experiments.in_process import usual_maker
from longreach.results.files import finished as result_of
from longreach.results.files import read_result
from longreach.results.schema import Result
from longreach.training.shape import task_of

Member = TypeVar("Member", bound=AnyMember)


class Watcher(Protocol):
    """Whoever wants to see how training goes on."""

    @property
    def ended_by(self) -> str:
        """What ends a training early, where somebody watches: Ctrl-C, or a button."""
        ...

    def watch(
        self, waiting: Sequence[AnyMember], runs: Path, total: int
    ) -> AbstractContextManager[Callable[[Result], None]]:
        """Around the training of members of which `total` - `waiting` are done; to be told of each result."""
        ...

    def say(self, remark: str) -> None:
        """Take note of something."""
        ...


class Nobody:
    """A watcher that looks away."""

    ended_by = "Ctrl-C"

    def watch(
        self, waiting: Sequence[AnyMember], runs: Path, total: int
    ) -> AbstractContextManager[Callable[[Result], None]]:
        """Nothing happens."""
        return nullcontext(lambda result: None)

    def say(self, remark: str) -> None:
        """Nothing happens."""


def check_torch() -> None:
    """Say what to install where torch is missing."""
    try:
        import torch  # noqa: F401
    except ModuleNotFoundError:
        raise MissingExtra("training", "train") from None


def check_runs(runs: str | Path) -> Path:
    """The results directory, which may still be missing."""
    path = Path(runs)
    there = next((each for each in (path, *path.parents) if each.exists()), path)
    if there.exists() and not there.is_dir():
        raise InputError(f"{there}: not a directory", place=Field("runs"))
    return path


def writable_runs(runs: str | Path) -> Path:
    """The results directory, made where it is missing, before anything is said or trained."""
    path = check_runs(runs)
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{path}: cannot be created: {error.strerror}", place=Field("runs")) from None
    if not os.access(path, os.W_OK | os.X_OK):
        raise InputError(f"{path}: cannot be written to", place=Field("runs"))
    return path


def job_of(config: AnyMember) -> Job:
    """The job that trains a member."""
    from longreach.training import job, regression_job

    function = regression_job.FUNCTION if isinstance(config, RegressionConfig) else job.FUNCTION
    return Job.of(function, config.document())


def train_pending(
    configs: Sequence[AnyMember],
    runs: str | Path = "runs",
    *,
    engine: EngineMaker | None = None,
    progress: Watcher | None = None,
    deadline: float | None = None,
) -> dict[str, Result]:
    """Train the members that are not done, in this order; their results by key, failed ones included.

    At the deadline, a time of `time.monotonic`, those that run are ended, as Ctrl-C does: they keep the state
    of the last ten seconds, go on from there the next time, and are not among the results.
    """
    check_torch()
    runs, progress = check_runs(runs), progress or Nobody()
    jobs = [job_of(config) for config in configs]
    waiting = {job.key for job in pending(jobs, runs)}
    if waiting:
        writable_runs(runs)
    make = engine or usual_maker(configs, runs)
    finished: dict[str, Result] = {}
    members = [config for config in configs if config.key in waiting]
    with progress.watch(members, runs, len(jobs)) as ended:
        for result in run_pending(jobs, runs, make(len(waiting)), deadline=deadline):
            finished[result.key] = result
            ended(result)
        for key in waiting - finished.keys():  # done before the others of their group, which were ended
            if (found := result_of(runs / key)) is not None:
                finished[key] = found
                ended(found)
    for remark in dict.fromkeys(remark for result in finished.values() for remark in _remarks(result)):
        progress.say(remark)
    return finished


def train(
    configs: Sequence[AnyMember],
    runs: str | Path = "runs",
    *,
    engine: EngineMaker | None = None,
    progress: Watcher | None = None,
    deadline: float | None = None,
) -> list[Result]:
    """The results of all members in order; what is not done yet is trained, and goes on where it was.

    With a deadline those that are not finished by then are left out.

    >>> import tempfile
    >>> from longreach.experiments import resolve
    >>> given = {"train_lengths": (1, 5), "max_steps": 5, "test_size": 10}
    >>> members = [resolve("binary-majority", seed=seed, **given) for seed in range(2)]
    >>> with tempfile.TemporaryDirectory() as runs:
    ...     [(result.status, result.final.steps) for result in train(members, runs)]
    [('done', 5), ('done', 5)]
    """
    found = train_pending(configs, runs, engine=engine, progress=progress, deadline=deadline)
    if deadline is None:
        return [found.get(config.key) or read_result(runs, config.key) for config in configs]
    there = [found.get(config.key) or result_of(Path(runs) / config.key) for config in configs]
    return [result for result in there if result is not None]


def _remarks(result: Result) -> list[str]:
    found = result.final.details.get("notes", []) if result.final is not None else []
    return [str(remark) for remark in found] if isinstance(found, list) else []


def longest_first(configs: Iterable[Member]) -> list[Member]:
    """Each once, in an order that lets all workers finish at about the same time: the most work first."""
    return sorted({config.key: config for config in configs}.values(), key=_work, reverse=True)


def _work(config: AnyMember) -> float:
    return float(config.max_steps) * work_of_step(config)


def work_of_step(config: AnyMember) -> float:
    """About how many multiplications a step takes."""
    if isinstance(config, RegressionConfig):
        positions = 1 if config.layers == 1 else sum(config.train_lengths) / 2
        return float(config.batch * positions * config.layers * config.width * config.hidden)
    width, length = config.width, task_of(config).input_size(config.train_lengths.last)
    per_token = config.layers * (12 * width**2 + 2 * width * length) + width * len(task_of(config).tokens)
    return float(config.batch * length * per_token)
