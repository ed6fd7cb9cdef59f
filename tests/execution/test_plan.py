"""A plan counts jobs and knows how long earlier ones of the same shape took."""

from __future__ import annotations

from pathlib import Path

from longreach.execution.jobs import Job
from longreach.execution.plan import Plan, plan, shape
from longreach.results.files import write_result
from longreach.results.schema import Timings
from tests.helpers.result_samples import sample, sample_failure


def _job(seed: int, **config: object) -> Job:
    return Job.of("a:b", sample(seed, config=config).config)


def _timings(seconds: float) -> Timings:
    return Timings(started="2026-01-31T12:00:00Z", seconds=seconds)


def test_without_a_directory_nothing_is_written(tmp_path: Path) -> None:
    jobs = [_job(seed) for seed in (0, 1, 1)]
    assert plan(jobs, tmp_path / "runs") == Plan(2, 0, 0, 2, 0, None)
    assert list(tmp_path.iterdir()) == []


def test_estimates_come_from_the_same_shape(tmp_path: Path) -> None:
    for seed, seconds in enumerate([10.0, 12.0, 1000.0]):
        write_result(tmp_path, sample(seed, timings=_timings(seconds)))
    write_result(tmp_path, sample_failure(3, timings=_timings(1.0)))
    write_result(tmp_path, sample(4)).write_text("{", encoding="utf-8")
    jobs = [_job(seed) for seed in range(7)] + [_job(0, width=512)]
    assert plan(jobs, tmp_path, parallel=1) == Plan(8, 3, 1, 5, 4, 48.0)
    assert plan(jobs, tmp_path, parallel=2).seconds == 24.0
    assert plan(jobs, tmp_path, parallel=3).seconds == 24.0
    assert plan(jobs, tmp_path, parallel=100).seconds == 12.0


def test_all_done(tmp_path: Path) -> None:
    write_result(tmp_path, sample(0))
    assert plan([_job(0)], tmp_path) == Plan(1, 1, 0, 0, 0, None)


def test_shape_ignores_seed_and_learning_rate() -> None:
    assert shape({"seed": 1, "model": {"lr": 1.0, "width": 2}}) == shape({"model": {"width": 2}, "lr": 3})
    assert shape({"width": 1}) != shape({"width": 2})
