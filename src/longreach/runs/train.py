"""Configurations in, results out: what is not done is trained, by whichever engine, and the rest is read."""

from __future__ import annotations

import os
import time
import traceback
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, TypeVar

from longreach.config.run import RunConfig
from longreach.errors import Field, InputError, MissingExtra
from longreach.execution.engines import EngineOptions, make_engine
from longreach.execution.jobs import Engine, Failure, Job, Outcome, is_over
from longreach.runs.record import pending, run_pending
from longreach.theory.names import TaskName
from longreach.training.result import Result, read_result
from longreach.training.result import finished as result_of
from longreach.training.setup import task_of

if TYPE_CHECKING:
    from longreach.training.result import Evaluation

MOST_ON_CUDA = 64

EngineMaker: TypeAlias = Callable[[int], Engine]
"""Makes the engine for a number of jobs."""


def engine_maker(
    name: str = "local", runs: str | Path = "runs", options: EngineOptions | None = None
) -> EngineMaker:
    """The engine that the options describe; options that contradict each other are refused at once.

    >>> engine_maker("local", options=EngineOptions(workers=8))(3).parallel
    3
    """
    options = options or EngineOptions()
    make_engine(name, options, jobs=1, runs=runs)
    return lambda jobs: make_engine(name, options, jobs=jobs, runs=runs)


def stacked_maker(
    make: EngineMaker,
    device: str = "auto",
    stack: int | None = None,
    *,
    engine: str = "local",
    workers: int | None = None,
    gpus: float | None = None,
) -> EngineMaker:
    """Makes engines that train members on the device, side by side if there are several.

    This changes neither the members' keys nor which results there are. A device that is not there is refused,
    if members train on this machine.
    """
    from longreach.training.devices import check_name, find_device

    check_name(device)
    name, here = device, engine == "local"
    if here:
        name = str(find_device(device))
    elif device == "auto":  # a job of a cluster sees the devices that it has asked for, and no others
        name = "cuda" if gpus else "cpu"
    size = stack or (MOST_ON_CUDA if name.startswith("cuda") else 1)
    if name == "cpu" and size == 1:
        return make
    # Several processes on one device get in each other's way, unless somebody wants them.
    alone = here and name != "cpu" and workers is None
    return lambda jobs: _stacked(make(1 if alone else jobs), name, size)


def _stacked(engine: Engine, device: str, size: int) -> Engine:
    from longreach.execution.jobs import StackedEngine
    from longreach.training.job import GROUP_FUNCTION
    from longreach.training.loop import groups

    def group(jobs: Sequence[Job]) -> list[list[Job]]:
        # No core waits because all runs are in one process.
        most = -(-len(jobs) // engine.parallel) if device == "cpu" else size
        known = {job.key: job for job in jobs}
        made = groups([RunConfig.read(job.config) for job in jobs], min(size, most))
        return [[known[config.key] for config in group] for group in made]

    return StackedEngine(engine, GROUP_FUNCTION, group, {"device": device})


class _TimeIsOverError(Exception):
    """Ends the member that trains."""


@dataclass(frozen=True)
class InProcessEngine:
    """Trains members here, with one thread, as workers do. Ctrl-C ends the one that trains, for now."""

    @property
    def parallel(self) -> int:
        return 1

    def run(self, jobs: Iterable[Job], *, deadline: float | None = None) -> Generator[Outcome]:
        """Yield the key and the answer, or the failure, of each job as it finishes."""
        for job in jobs:
            if is_over(deadline):
                return
            started = time.monotonic()
            try:
                with _one_thread():
                    answer = _trained(job, deadline)
            except _TimeIsOverError:
                return
            except Exception as error:
                summary = " ".join(traceback.format_exception_only(error)[-1].split())
                details = "".join(traceback.format_exception(error))
                answer = Failure("exception", summary, details, time.monotonic() - started)
            yield job.key, answer


def _trained(job: Job, deadline: float | None) -> Any:
    from longreach.training.job import run
    from longreach.training.result import Diary

    diary = None if job.directory is None else Diary(job.directory)

    def report(step: int, row: Evaluation | None) -> None:
        if diary is not None:
            diary(step, row)
        if is_over(deadline):
            raise _TimeIsOverError

    if job.directory is not None:
        job.directory.mkdir(parents=True, exist_ok=True)
    return run(job.config, job.directory, report=report)


@contextmanager
def _one_thread() -> Iterator[None]:
    """Small models are slower with more, and results would depend on their number."""
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def usual_maker(configs: Sequence[RunConfig], runs: str | Path) -> EngineMaker:
    """Worker processes of this machine; this process where a task or a model is an object of this session.

    >>> from longreach.runs.resolve import resolve
    >>> usual_maker([resolve("sort")], "runs")(1)
    LocalEngine(workers=1, ...)
    """
    if any(TaskName(config.task).is_session or config.row.is_of_session for config in configs):
        return lambda jobs: InProcessEngine()
    return engine_maker("local", runs)


Member = TypeVar("Member", bound=RunConfig)


class Watcher(Protocol):
    """Whoever wants to see how training goes on."""

    @property
    def ended_by(self) -> str:
        """What ends a training early, where somebody watches: Ctrl-C, or a button."""
        ...

    def watch(
        self, waiting: Sequence[RunConfig], runs: Path, total: int
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
        self, waiting: Sequence[RunConfig], runs: Path, total: int
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


def job_of(config: RunConfig) -> Job:
    from longreach.training import job

    return Job.of(job.FUNCTION, config.document())


def train_pending(
    configs: Sequence[RunConfig],
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
    configs: Sequence[RunConfig],
    runs: str | Path = "runs",
    *,
    engine: EngineMaker | None = None,
    progress: Watcher | None = None,
    deadline: float | None = None,
) -> list[Result]:
    """The results of all members in order; what is not done yet is trained, and goes on where it was.

    With a deadline those that are not finished by then are left out.

    >>> import tempfile
    >>> from longreach.runs.resolve import resolve
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
    each = {config.key: config for config in configs}.values()
    return sorted(each, key=lambda config: config.max_steps * work_of_step(config), reverse=True)


def work_of_step(config: RunConfig) -> float:
    """About how many multiplications a step takes."""
    if config.loss == "squared":
        positions = 1 if config.layers == 1 else sum(config.train_lengths) / 2
        return float(config.batch * positions * config.layers * config.width * config.hidden)
    width, length = config.width, task_of(config).input_size(config.train_lengths.last)
    per_token = config.layers * (12 * width**2 + 2 * width * length) + width * len(task_of(config).tokens)
    return float(config.batch * length * per_token)
