"""Tests of `execution.jobs`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longreach.errors import InputError
from longreach.execution.jobs import STARTS, Attempts, ExecutionError, Failure, Job, StackedEngine
from longreach.execution.local import LocalEngine
from longreach.runs.record import pending, run_pending
from longreach.training.result import Result, read_result
from tests.helpers.result_samples import sample


def _jobs(count: int) -> list[Job]:
    return [Job.of("json:dumps", {"n": n}) for n in range(count)]


@given(st.lists(st.integers(0, 3), max_size=20), st.integers(1, 3))
def test_every_job_has_one_outcome(crashes: list[int], most: int) -> None:
    jobs, left = _jobs(len(crashes)), list(crashes)
    attempts, outcomes, tried = Attempts(jobs, most), {}, [0] * len(crashes)
    while (attempt := attempts.take()) is not None:
        n = attempt.job.config["n"]
        tried[n] += 1
        assert attempt.number == tried[n]
        answer = Failure("crash", "died") if left[n] else n
        left[n] = max(0, left[n] - 1)
        if (outcome := attempts.outcome(attempt, answer)) is not None:
            assert outcome[0] not in outcomes
            outcomes[outcome[0]] = outcome[1]
    assert tried == [min(wanted + 1, most) for wanted in crashes]
    for n, job in enumerate(jobs):
        assert isinstance(outcomes[job.key], Failure) == (crashes[n] >= most)


def test_exceptions_and_timeouts_are_not_repeated() -> None:
    for kind in ("exception", "timeout"):
        attempts = Attempts(_jobs(1))
        attempt = attempts.take()
        assert attempt is not None
        failure = Failure(kind, "no")  # type: ignore[arg-type]
        assert attempts.outcome(attempt, failure) == (attempt.job.key, failure)
        assert attempts.take() is None


def test_starts_that_fail_in_a_row_end_the_run() -> None:
    attempts = Attempts(_jobs(1))
    for _ in range(3):  # with a job that begins between them they do not add up
        for _ in range(STARTS - 1):
            attempt = attempts.take()
            assert attempt is not None
            assert attempt.number == 1
            attempts.failed_to_start(attempt, "why")
        attempts.started()
    for _ in range(STARTS - 1):
        attempts.failed_to_start(attempt, "why")
    with pytest.raises(ExecutionError, match="why"):
        attempts.failed_to_start(attempt, "why")


def test_no_job_stands_twice() -> None:
    attempts = Attempts(_jobs(1) * 2)
    assert attempts.take() is not None
    with pytest.raises(InputError, match="appears twice in the list"):
        attempts.take()


FUNCTION = "tests.helpers.group_functions:train_many"


def _job(seed: int, **config: Any) -> Job:
    return Job.of("tests.helpers.job_functions:train", sample(seed, config=config).config)


def _by(size: int, **settings: Any) -> StackedEngine:
    def made(jobs: Sequence[Job]) -> list[Sequence[Job]]:
        return [jobs[start : start + size] for start in range(0, len(jobs), size)]

    return StackedEngine(LocalEngine(workers=2), FUNCTION, made, settings)


def _run(jobs: Sequence[Job], runs: Path, engine: StackedEngine) -> dict[str, Result]:
    results = list(run_pending(jobs, runs, engine))
    found = {result.key: result for result in results}
    assert len(found) == len(results)
    assert all(read_result(runs, key) == result for key, result in found.items())
    return found


def _calls(runs: Path) -> list[str]:
    return sorted((runs / "calls").read_text(encoding="utf-8").split())


def test_every_job_has_its_own_result(tmp_path: Path) -> None:
    jobs = [_job(seed) for seed in range(7)]
    found = _run(jobs[:2], tmp_path, _by(1)) | _run(jobs, tmp_path, _by(3))
    assert sorted(found) == sorted(job.key for job in jobs)
    assert _calls(tmp_path) == [str(seed) for seed in range(7)]
    assert pending(jobs, tmp_path) == []


def test_a_group_whose_worker_dies_runs_apart(tmp_path: Path) -> None:
    jobs = [_job(0), _job(1, die=True), _job(2), _job(3)]
    found = _run(jobs, tmp_path, _by(3))
    assert [found[job.key].status for job in jobs] == ["done", "failed", "done", "done"]
    assert str(found[jobs[1].key].error).startswith("its worker process was ended by SIGKILL, in 2 attempts")
    # The group twice, then each alone, the bad one twice.
    assert _calls(tmp_path) == ["0"] * 3 + ["1"] * 4 + ["2", "3"]


def test_an_exception_fails_only_the_job_that_raises(tmp_path: Path) -> None:
    jobs = [_job(0), _job(1, **{"raise": True})]
    found = _run(jobs, tmp_path, _by(2))
    assert [found[job.key].status for job in jobs] == ["done", "failed"]
    assert str(found[jobs[1].key].error).startswith("ValueError: member 1 is bad")


def test_answers_that_do_not_fit(tmp_path: Path) -> None:
    jobs = [_job(0), _job(1)]
    found = _run(jobs, tmp_path, _by(2, most=1))
    for job in jobs:
        message = f"{FUNCTION} returned no list of 2 answers"
        assert (found[job.key].status, found[job.key].error) == ("failed", message)


def test_results_written_before_the_group_ends_stay_when_it_is_killed(tmp_path: Path) -> None:
    jobs = [_job(0), _job(1, die=True)]
    found = _run(jobs, tmp_path, _by(2, early=True))
    assert found[jobs[0].key].status == "done"
    assert pending(jobs, tmp_path) == jobs[1:]


def test_no_jobs() -> None:
    engine = _by(3)
    assert list(engine.run([])) == []
    assert engine.parallel == 2


def test_closing_ends_the_engine_below(tmp_path: Path) -> None:
    run = run_pending([_job(seed) for seed in range(4)], tmp_path, _by(1))
    first = next(run)
    run.close()
    assert read_result(tmp_path, first.key) == first
    assert list(run) == []
