"""Tests of `runs.plan` and `runs.timed`."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path

import pytest

from longreach.execution.jobs import Job
from longreach.runs import plan as planning
from longreach.runs.plan import START_SECONDS, Plan, plan, plan_jobs, shape
from longreach.runs.resolve import resolve
from longreach.runs.timed import LEAST_STEPS, SHARES, kept_share, largest_share, with_share
from longreach.runs.train import InProcessEngine
from longreach.training import loop as engine
from longreach.training.loop import steps_at_most
from longreach.training.result import Result, Timings, write_result
from tests.helpers.result_samples import sample, sample_failure


def _job(seed: int, **config: object) -> Job:
    return Job.of("a:b", sample(seed, config=config).config)


def _timings(seconds: float) -> Timings:
    return Timings(started="2026-01-31T12:00:00Z", seconds=seconds)


def test_without_a_directory_nothing_is_written(tmp_path: Path) -> None:
    jobs = [_job(seed) for seed in (0, 1, 1)]
    assert plan_jobs(jobs, tmp_path / "runs") == Plan(2, 0, 0, 2, 0, None)
    assert list(tmp_path.iterdir()) == []


def test_estimates_come_from_the_same_shape(tmp_path: Path) -> None:
    for seed, seconds in enumerate([10.0, 12.0, 1000.0]):
        write_result(tmp_path, sample(seed, timings=_timings(seconds)))
    write_result(tmp_path, sample_failure(3, timings=_timings(1.0)))
    write_result(tmp_path, sample(4)).write_text("{", encoding="utf-8")
    jobs = [_job(seed) for seed in range(7)] + [_job(0, width=512)]
    assert plan_jobs(jobs, tmp_path, parallel=1) == Plan(8, 3, 1, 5, 4, 48.0)
    assert plan_jobs(jobs, tmp_path, parallel=2).seconds == 24.0
    assert plan_jobs(jobs, tmp_path, parallel=3).seconds == 24.0
    assert plan_jobs(jobs, tmp_path, parallel=100).seconds == 12.0


def test_all_done(tmp_path: Path) -> None:
    write_result(tmp_path, sample(0))
    assert plan_jobs([_job(0)], tmp_path) == Plan(1, 1, 0, 0, 0, None)


def test_shape_ignores_seed_and_learning_rate() -> None:
    assert shape({"seed": 1, "model": {"lr": 1.0, "width": 2}}) == shape({"model": {"width": 2}, "lr": 3})
    assert shape({"width": 1}) != shape({"width": 2})


@pytest.fixture
def steps_of_a_second(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(engine, "step_seconds", lambda config, clock: 1.0)
    planning._step_seconds.cache_clear()
    yield
    planning._step_seconds.cache_clear()


@pytest.mark.usefixtures("steps_of_a_second")
def test_workers_have_to_start_before_they_train(tmp_path: Path) -> None:
    member = resolve("binary-majority", scale="smoke")
    steps = steps_at_most(member)
    assert plan([member], tmp_path).seconds_at_most == pytest.approx(START_SECONDS + steps)
    here = plan([member], tmp_path, engine=lambda jobs: InProcessEngine())
    assert here.seconds_at_most == pytest.approx(steps)


def test_seconds_are_those_of_the_clock() -> None:
    member = resolve("binary-majority", scale="smoke")
    ticks = itertools.count(0.0, 2.0)
    found = planning.seconds_of([member], clock=lambda: next(ticks))
    assert found == {member.key: pytest.approx(2.0 * steps_at_most(member))}


def test_they_start_anew_where_earlier_members_say_how_long_it_takes(tmp_path: Path) -> None:
    first, second = (resolve("binary-majority", scale="smoke", seed=seed) for seed in range(2))
    taken = Timings(started="2026-01-31T12:00:00Z", seconds=2.5)
    fields = {"key": first.key, "config": first.document(), "timings": taken}
    write_result(tmp_path, Result(**dict(sample()) | fields))
    planned = plan([first, second], tmp_path)
    assert (planned.seconds, planned.seconds_at_most) == (START_SECONDS + 2.5, None)
    assert plan([first], tmp_path).seconds is None


def test_a_share_of_the_steps() -> None:
    usual = resolve("aa")
    assert with_share(usual, 1.0) == usual
    assert with_share(usual, 0.35).max_steps == 400
    assert with_share(resolve("aa", max_steps=150), 0.05).max_steps == LEAST_STEPS


def test_the_least_share_where_nothing_fits() -> None:
    assert largest_share(lambda share: [with_share(resolve("aa"), share)], 0, len) == SHARES[-1]


@pytest.mark.parametrize("damaged", ["", "[]", "{", '{"question": {"a": 1}, "share": 0.123}'])
def test_a_plan_is_kept_for_the_same_question(tmp_path: Path, damaged: str) -> None:
    path = tmp_path / "runs" / "mine.plan.json"
    assert kept_share(path, {"a": 1}, lambda: 0.5) == 0.5
    assert kept_share(path, {"a": 1}, lambda: 1.0) == 0.5
    assert kept_share(path, {"a": 2}, lambda: 0.25) == 0.25
    path.write_text(damaged)
    assert kept_share(path, {"a": 1}, lambda: 0.75) == 0.75
