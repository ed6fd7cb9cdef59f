from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longreach.errors import InputError
from longreach.execution.attempts import STARTS, Attempts
from longreach.execution.jobs import ExecutionError, Failure, Job


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
    with pytest.raises(InputError, match="stands twice in the list"):
        attempts.take()
