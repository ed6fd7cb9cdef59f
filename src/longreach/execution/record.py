"""Run the jobs whose results are missing, and write each result as it comes."""

from __future__ import annotations

import json
from collections.abc import Generator, Iterable
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from pydantic import ValidationError

from longreach.config.keys import job_key
from longreach.errors import InputError
from longreach.execution.jobs import Answer, Engine, Failure, Job
from longreach.results.atomic import ResultError
from longreach.results.files import read_result, write_result
from longreach.results.provenance import code_version, package_versions
from longreach.results.schema import Result, Timings, setting

LONGEST_ERROR = 20_000  # characters


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
        if job.key not in found and not _done(runs, job.key):
            found[job.key] = job
    return list(found.values())


def _done(runs: str | Path, key: str) -> bool:
    try:
        return read_result(runs, key).status == "done"
    except ResultError:
        return False


def run_pending(jobs: Iterable[Job], runs: str | Path, engine: Engine) -> Generator[Result]:
    """Run what is not done, and yield each result when it is written.

    The functions are called with the configuration and the job's directory, `runs/<key>`, and return a
    `Result`. A job that fails leaves a result that says why, and runs again the next time.
    However this ends, what was yielded is on disk, and calling it again goes on from there.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as runs:
    ...     from longreach.execution.local import LocalEngine
    ...     (result,) = run_pending([Job.of("json:no_such_name", {"seed": 3})], runs, LocalEngine(workers=1))
    >>> result.status, result.seed, result.error.splitlines()[0]
    ('failed', 3, "AttributeError: module 'json' has no attribute 'no_such_name'")
    """
    waiting = {
        job.key: replace(job, directory=(Path(runs) / job.key).absolute()) for job in pending(jobs, runs)
    }
    with closing(engine.run(waiting.values())) as outcomes:
        for key, answer in outcomes:
            result = _result(waiting[key], answer)
            write_result(runs, result)
            yield result


def _result(job: Job, answer: Answer | Failure) -> Result:
    if isinstance(answer, Failure):
        return failed(job, answer)
    try:
        result = Result.model_validate(answer)
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False, include_input=False)[0]
        place = ".".join(map(str, first["loc"])) or "all of it"
        return failed(
            job, Failure("exception", f"{job.function} returned no result: {place}: {first['msg']}")
        )
    if result.key != job.key:
        message = f"{job.function} returned the result of another job, {result.key}"
        return failed(job, Failure("exception", message))
    return result


def failed(job: Job, failure: Failure) -> Result:
    """The result of a job that has failed."""
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
