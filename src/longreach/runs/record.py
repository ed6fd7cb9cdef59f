"""Runs the jobs whose results are missing, writes each result as it comes, and removes runs."""

from __future__ import annotations

import json
import logging
import shutil
import time
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from pydantic import ValidationError

from longreach.errors import InputError, one_line
from longreach.execution.jobs import Answer, Engine, Failure, Job, is_over
from longreach.files import KEY, ResultError, job_key
from longreach.runs.claims import Claims
from longreach.training.result import (
    RESULT,
    Result,
    Stamp,
    Timings,
    code_version,
    finished,
    package_versions,
    read_result,
    setting,
    write_result,
)

LONGEST_ERROR = 20_000  # characters
POLL = 0.5  # seconds between looks at jobs that another process runs

logger = logging.getLogger(__name__)


def pending(jobs: Iterable[Job], runs: str | Path) -> list[Job]:
    """The jobs that are not done: without a result, failed, or with a damaged one; each once, in order.

    >>> jobs = [Job.of("json:dumps", {"seed": seed}) for seed in (0, 1, 0)]
    >>> [job.config["seed"] for job in pending(jobs, "no-such-directory")]
    [0, 1]
    """
    found: dict[str, Job] = {}
    for job in jobs:
        if job.key != job_key(job.config):
            raise InputError(f"the job {job.key} has the configuration of another, {job_key(job.config)}")
        if job.key not in found and finished(Path(runs) / job.key) is None:
            found[job.key] = job
    return list(found.values())


def run_pending(
    jobs: Iterable[Job], runs: str | Path, engine: Engine, *, deadline: float | None = None
) -> Generator[Result]:
    """Run what is not done, and yield each result when it is written.

    The functions are called with the configuration and the job's directory, `runs/<key>`, and return a
    `Result`. A job that fails leaves a result that says why, and runs again the next time.
    However this ends, what was yielded is on disk, and calling it again goes on from there.

    Processes that do this at the same time in one directory share the work: a job that another one has begun
    is left to it, and its result is yielded when it is there.

    At the deadline, a time of `time.monotonic`, it ends as if it were closed: what runs is ended, and goes on
    the next time from the state that it has kept.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as runs:
    ...     from longreach.execution.local import LocalEngine
    ...     (result,) = run_pending([Job.of("json:no_such_name", {"seed": 3})], runs, LocalEngine(workers=1))
    >>> result.status, result.seed, result.error.splitlines()[0]
    ('failed', 3, "AttributeError: module 'json' has no attribute 'no_such_name'")
    """
    wanted = list(jobs)
    before = {job.key: _stamp(runs, job.key) for job in wanted}
    waiting = {
        job.key: replace(job, directory=(Path(runs) / job.key).absolute()) for job in pending(wanted, runs)
    }
    with Claims(Path(runs)) as claims:
        told = False
        while waiting:
            mine: dict[str, Job] = {}
            given = _claimed(waiting, mine, before, claims, runs)
            with closing(engine.run(given, deadline=deadline)) as outcomes:
                for key, answer in outcomes:
                    result = _result(mine[key], answer)
                    write_result(runs, result)
                    claims.release(key)
                    yield result if result.status == "done" else finished(Path(runs) / key) or result
            for result in _elsewhere(waiting, before, claims, runs):
                del waiting[result.key]
                yield result
            if is_over(deadline):
                return
            if waiting and not told:
                logger.warning("waiting for jobs that another process runs: %d", len(waiting))
                told = True
            if waiting:
                time.sleep(POLL)


def _claimed(
    waiting: dict[str, Job],
    mine: dict[str, Job],
    before: Mapping[str, object],
    claims: Claims,
    runs: str | Path,
) -> Iterator[Job]:
    """The jobs that no other process runs or has ended since we began, each claimed when it is asked for."""
    for key in list(waiting):
        if not claims.take(key):
            continue
        if _stamp(runs, key) == before[key]:
            mine[key] = waiting.pop(key)
            yield mine[key]
        else:
            claims.release(key)


def _elsewhere(
    waiting: Mapping[str, Job], before: dict[str, Stamp | None], claims: Claims, runs: str | Path
) -> Iterator[Result]:
    """What other processes have written since we began and are done with, failures included."""
    for key in list(waiting):
        stamp = _stamp(runs, key)
        if stamp == before[key] or not claims.take(key):
            continue
        claims.release(key)
        try:
            yield read_result(runs, key)
        except ResultError:
            before[key] = stamp  # damaged: the job is ours, if nobody else takes it


def _stamp(runs: str | Path, key: str) -> Stamp | None:
    """Changes when the result is written anew."""
    try:
        found = (Path(runs) / key / RESULT).stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino


def _result(job: Job, answer: Answer | Failure) -> Result:
    if isinstance(answer, Failure):
        return failed(job, answer)
    try:
        result = Result.model_validate(answer)
    except ValidationError as error:
        return failed(job, Failure("exception", f"{job.function} returned no result: {one_line(error)}"))
    if result.key != job.key:
        message = f"{job.function} returned the result of another job, {result.key}"
        return failed(job, Failure("exception", message))
    return result


def failed(job: Job, failure: Failure) -> Result:
    text = f"{failure.message}\n{failure.details}".strip()
    if len(text) > LONGEST_ERROR:
        text = f"{text[: LONGEST_ERROR // 2]}\n…\n{text[-LONGEST_ERROR // 2 :]}"
    seed = setting(job.config, "seed")
    return Result(
        key=job.key,
        config=json.loads(json.dumps(job.config)),
        seed=seed if type(seed) is int and abs(seed) < 2**63 else None,
        status="failed",
        error=text.encode("utf-8", "backslashreplace").decode("utf-8"),
        code=code_version(),
        packages=package_versions(),
        timings=Timings(
            started=datetime.now(UTC) - timedelta(seconds=failure.seconds), seconds=failure.seconds
        ),
    )


GONE = ".removed-"
"""Before the name of a directory that is being removed: it is no run any more."""


def size_of(directory: Path) -> int:
    """The bytes of all files of a run."""
    return sum(path.lstat().st_size for path in directory.rglob("*") if not path.is_dir())


def remove_runs(runs: Path, keys: Sequence[str]) -> None:
    """Remove the directories of these runs; if one of them is running, none.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as runs:
    ...     (Path(runs) / "0123456789abcdef").mkdir()
    ...     remove_runs(Path(runs), ["0123456789abcdef"])
    ...     list(Path(runs).iterdir())
    []
    """
    for key in keys:
        if not KEY.fullmatch(key):
            raise InputError(f"{key!r}: not a key, which has 16 digits 0-9 and a-f")
    with Claims(runs) as claims:
        for key in keys:
            if not claims.take(key):
                raise InputError(f"{key} is running; end it first, then remove it")
        for key in keys:
            _remove(runs / key)


def _remove(directory: Path) -> None:
    gone = directory.with_name(GONE + directory.name)
    try:
        if directory.is_symlink():  # what it points to belongs to somebody else
            directory.unlink()
            return
        # Renamed first: an interruption here leaves the whole run removed, not half of it.
        shutil.rmtree(gone, ignore_errors=True)
        directory.rename(gone)
        shutil.rmtree(gone)
    except OSError as error:
        raise ResultError(f"{directory}: cannot be removed: {error.strerror or error}") from None
