"""The engine on a Slurm cluster, through submitit: jobs go out as arrays, answers are polled."""

from __future__ import annotations

import contextlib
import logging
import re
import time
from collections.abc import Generator, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from math import ceil
from pathlib import Path
from typing import Any, Literal

from longreach.errors import Field, InputError
from longreach.execution.jobs import (
    Attempt,
    Attempts,
    ExecutionError,
    Failure,
    Job,
    Outcome,
    check_limits,
    is_over,
    load,
    short_line,
)
from longreach.execution.local import errand, run_once

ARRAY = 1000  # jobs per array; clusters allow 1001 unless they say otherwise
MARGIN = 5  # minutes that Slurm gives more than the limit, so that we end a job and can say so
POLL = 1.0  # seconds between looks for answers, which are files
PATIENCE = 10.0  # seconds for cancelled processes on this machine
ASK = 30.0  # seconds between questions to Slurm: a job that has died leaves no answer


@dataclass(frozen=True, kw_only=True)
class SlurmEngine:
    """Jobs of a Slurm cluster, submitted from one of its machines.

    Jobs answer and fail as with `LocalEngine`, and the package `submitit` is needed only when they run. The
    directories of the jobs and `folder` must lie on a file system that all nodes share.

    >>> SlurmEngine(folder=Path("runs/slurm"), time_limit=3600, workers=50).parallel
    50
    """

    folder: Path
    """Where submitit keeps its scripts and logs."""
    time_limit: float
    """Seconds that a job may take, its imports included; Slurm wants to know it beforehand."""
    partition: str | None = None
    """By default the cluster's own choice."""
    workers: int | None = None
    """How many jobs run at a time; by default as many as Slurm lets run."""
    gpus: float = 0
    """GPUs that a job takes, a whole number."""
    environment: Mapping[str, str] = field(default_factory=dict)
    """Further variables for the jobs."""
    cluster: Literal["slurm", "local"] = "slurm"
    """`local` runs the same on this machine without Slurm, to try things out."""

    def __post_init__(self) -> None:
        check_limits(self.workers, self.time_limit)
        if self.gpus < 0 or self.gpus != int(self.gpus):
            raise InputError(
                f"{self.gpus:g} is not a whole number of GPUs, as Slurm wants it", place=Field("gpus")
            )

    @property
    def parallel(self) -> int:
        """How many jobs run at a time, if the cluster has room for them."""
        if self.workers is not None:
            return self.workers
        return ARRAY if self.cluster == "slurm" else 1

    def run(self, jobs: Iterable[Job], *, deadline: float | None = None) -> Generator[Outcome]:
        """Yield the key and the answer, or the failure, of each job as it finishes.

        Closing the generator, or the deadline, cancels what runs or waits.
        """
        attempts = Attempts(jobs)
        first = attempts.take()
        if first is None:
            return
        attempts.put_back(first)
        queue = _Queue(self, attempts)
        try:
            yield from queue.outcomes(deadline)
        finally:
            queue.cancel()


class _Queue:
    """The Slurm jobs of one run."""

    def __init__(self, engine: SlurmEngine, attempts: Attempts) -> None:
        self._submitit = load("submitit", "--engine slurm", "slurm")
        _keep_off_standard_output()
        self._engine = engine
        self._attempts = attempts
        self._running: dict[str, tuple[Any, Attempt]] = {}
        self._executor = self._make_executor()
        self._asked = time.monotonic()

    def outcomes(self, deadline: float | None = None) -> Iterator[Outcome]:
        self._hand_out()
        while self._running and not is_over(deadline):
            for name in (ended := self._find_ended()):
                outcome = self._ended(*self._running.pop(name))
                self._hand_out()
                if outcome is not None:
                    yield outcome
            if not ended:
                time.sleep(POLL)

    def _find_ended(self) -> list[str]:
        if time.monotonic() - self._asked > ASK:
            self._asked = time.monotonic()
            first, _ = next(iter(self._running.values()))
            first.done(force_check=True)  # one question is about all of them
        return [name for name, (job, _) in self._running.items() if job.done()]

    def cancel(self) -> None:
        for job, _ in self._running.values():
            with contextlib.suppress(OSError):
                job.cancel(check=False)
        if self._engine.cluster == "local":
            end = time.monotonic() + PATIENCE
            while time.monotonic() < end and not all(job.done() for job, _ in self._running.values()):
                time.sleep(0.05)
        self._running.clear()

    def _make_executor(self) -> Any:
        engine = self._engine
        settings: dict[str, Any] = {
            "name": "longreach", "timeout_min": ceil(engine.time_limit / 60) + MARGIN,
            "cpus_per_task": 1, "slurm_array_parallelism": engine.parallel,
        }  # fmt: skip
        if engine.gpus:
            settings["gpus_per_node"] = int(engine.gpus)
        if engine.partition is not None:
            settings["slurm_partition"] = engine.partition
        try:
            executor = self._submitit.AutoExecutor(engine.folder.absolute(), cluster=engine.cluster)
            executor.update_parameters(**settings)
        except (RuntimeError, OSError, ValueError) as error:
            raise ExecutionError(f"Slurm cannot be used: {short_line(error)}") from None
        return executor

    def _hand_out(self) -> None:
        """Submit jobs that are tried again at once, others when an array has ended."""
        batch: list[Attempt] = []
        while len(batch) < self._room():
            attempt = self._attempts.take()
            if attempt is None:
                break
            batch.append(attempt)
        if not batch:
            return
        engine = self._engine
        orders = [
            errand(attempt.job, time_limit=engine.time_limit, environment=engine.environment)
            for attempt in batch
        ]
        try:
            jobs = self._executor.map_array(run_once, orders)
        except (self._submitit.core.utils.FailedSubmissionError, OSError, RuntimeError) as error:
            raise ExecutionError(f"Slurm does not take the jobs: {short_line(error)}") from None
        for job, attempt in zip(jobs, batch, strict=True):
            self._running[job.job_id] = job, attempt

    def _room(self) -> int:
        if self._engine.cluster == "local":  # everything that is submitted runs at once
            return self._engine.parallel - len(self._running)
        return self._attempts.waiting_again if self._running else ARRAY

    def _ended(self, job: Any, attempt: Attempt) -> Outcome | None:
        errors = self._submitit.core.utils
        try:
            answer = job.result()
        except errors.FailedJobError as error:  # what the job raised is an answer; this is about the node
            self._attempts.failed_to_start(attempt, f"jobs do not start on the nodes: {_cause(error)}")
            return None
        except (errors.UncompletedJobError, OSError, EOFError) as error:
            state = str(job.state).split(" ")[0]
            message = f"its Slurm job {job.job_id} ended as {state}"
            answer = Failure("timeout" if state == "TIMEOUT" else "crash", message, str(error))
        else:
            _clear(job)
        self._attempts.started()
        return self._attempts.outcome(attempt, answer)


def _keep_off_standard_output() -> None:
    """What submitit logs goes to standard output and, if it is a warning, to standard error as well."""
    log = logging.getLogger("submitit")
    for handler in list(log.handlers):
        if handler.level < logging.WARNING:
            log.removeHandler(handler)


def _clear(job: Any) -> None:
    """Remove what was only there to carry the call and its answer; logs stay."""
    for path in (job.paths.submitted_pickle, job.paths.result_pickle):
        with contextlib.suppress(OSError):
            path.unlink()


def _cause(error: BaseException) -> str:
    """The last line of the traceback in what submitit says."""
    said = [line for line in str(error).splitlines() if re.match(r"[\w.]+(Error|Exception): ", line)]
    return short_line(said[-1] if said else error)
