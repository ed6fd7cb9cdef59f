"""What runs on a node of a cluster: one job, in a worker process like those of the local engine.

Ray and Slurm decide where; how a job runs, and what is said when it fails, is the same everywhere.
"""

from __future__ import annotations

import atexit
import os
import socket
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from longreach.execution.jobs import Answer, ExecutionError, Failure, Job
from longreach.execution.local import Crew, LocalEngine

PATIENCE = 10.0  # seconds until a new directory is seen on other nodes of a network file system


@dataclass(frozen=True)
class Errand:
    """A job with what a node needs to know to run it."""

    job: Job
    engine: LocalEngine
    """With one worker and one attempt: another attempt may be made on another node."""
    path: Sequence[str]
    """Where the driver finds modules; the node looks there after its own places."""


def errand(job: Job, *, time_limit: float | None, threads: int, environment: dict[str, str]) -> Errand:
    """Prepare a job for a node; its directory is made here, so that the node can tell whether it sees it."""
    if job.directory is not None:
        try:
            job.directory.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            message = f"{job.directory}: cannot be created: {error.strerror or error}"
            raise ExecutionError(message) from None
    engine = LocalEngine(
        workers=1, attempts=1, time_limit=time_limit, threads=threads, environment=environment
    )
    return Errand(job, engine, tuple(os.path.abspath(entry) for entry in sys.path))


def run_once(errand: Errand) -> Answer | Failure:
    """Run a job in a process of its own, which ends with it.

    >>> run_once(errand(Job.of("json:dumps", {"a": 1}), time_limit=None, threads=1, environment={}))
    '{"a": 1}'
    """
    _prepare(errand)
    ((_, answer),) = errand.engine.run([errand.job])
    return answer


def run_kept(errand: Errand) -> Answer | Failure:
    """Run a job in a process that waits for the next one, with what it has imported and compiled.

    >>> run_kept(errand(Job.of("math:sqrt", {}), time_limit=None, threads=1, environment={})).message
    'TypeError: must be real number, not dict'
    """
    _prepare(errand)
    crew = _crew(errand.engine)
    try:
        ((_, answer),) = crew.outcomes([errand.job])
    except BaseException:
        _dismiss()
        raise
    return answer


def _prepare(errand: Errand) -> None:
    sys.path += [entry for entry in errand.path if entry not in sys.path]
    if errand.job.directory is not None:
        _see(errand.job.directory)


def _see(directory: Path) -> None:
    end = time.monotonic() + PATIENCE
    while not directory.is_dir():
        if time.monotonic() > end:
            # A directory made here would keep the model on this node, where nobody looks for it.
            raise ExecutionError(
                f"{directory}: not seen on {socket.gethostname()}; the results directory must lie on a file "
                "system that all nodes share"
            )
        time.sleep(0.2)


# For as long as the process that the cluster has started: the settings of the workers, and the workers.
_kept: list[tuple[object, Crew]] = []


def _crew(engine: LocalEngine) -> Crew:
    wanted = (engine, os.environ.get("CUDA_VISIBLE_DEVICES"))
    if not _kept or _kept[0][0] != wanted:
        _dismiss()
        _kept.append((wanted, Crew(engine)))
    return _kept[0][1]


@atexit.register
def _dismiss() -> None:
    while _kept:
        _kept.pop()[1].end()
