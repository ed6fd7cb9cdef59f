"""Training in this process, one member after the other: for tasks that no other process can find."""

from __future__ import annotations

import time
import traceback
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from longreach.config.any_member import AnyMember
from longreach.config.task_name import TaskName
from longreach.execution.jobs import Failure, Job, Outcome, is_over
from longreach.experiments.engine_makers import EngineMaker, engine_maker

if TYPE_CHECKING:
    from longreach.results.schema import Evaluation


class _TimeIsOverError(Exception):
    """Ends the member that trains."""


@dataclass(frozen=True)
class InProcessEngine:
    """Trains members here, with one thread, as workers do. Ctrl-C ends the one that trains, for now."""

    @property
    def parallel(self) -> int:
        """One at a time."""
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
    from longreach.training.run_diary import Diary

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


def usual_maker(configs: Sequence[AnyMember], runs: str | Path) -> EngineMaker:
    """Worker processes of this machine; this process where a task is an object of this session.

    >>> from longreach.experiments import resolve
    >>> usual_maker([resolve("sort")], "runs")(1)
    LocalEngine(workers=1, ...)
    """
    if any(TaskName(config.task).is_session for config in configs):
        return lambda jobs: InProcessEngine()
    return engine_maker("local", runs)
