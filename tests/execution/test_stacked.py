"""Jobs that run together: the same results as apart, and a bad one harms no other."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from longreach.execution.jobs import Job
from longreach.execution.local import LocalEngine
from longreach.execution.record import pending, run_pending
from longreach.execution.stacked import StackedEngine
from longreach.results.files import read_result
from longreach.results.schema import Result
from tests.helpers.result_samples import sample

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
