from __future__ import annotations

import time
from pathlib import Path

import pytest
import torch

from longreach.config.training import TrainConfig
from longreach.execution.jobs import Failure
from longreach.experiments.engine_makers import engine_maker
from longreach.experiments.in_process import InProcessEngine, usual_maker
from longreach.experiments.resolve import resolve
from longreach.experiments.running import job_of, train
from longreach.tasks.session_task import remember
from longreach.tasks.sort import Sort

TINY = {"train_lengths": (1, 4), "max_steps": 6, "test_size": 10, "layers": 1, "heads": 1, "width": 8}


def _members(task: str, seeds: int = 2) -> list[TrainConfig]:
    return [resolve(task, "nope", seed=seed, **TINY) for seed in range(seeds)]


def test_it_trains_as_worker_processes_do(tmp_path: Path) -> None:
    members = _members("binary-majority")
    here = train(members, tmp_path / "here", engine=lambda jobs: InProcessEngine())
    there = train(members, tmp_path / "there", engine=engine_maker("local", tmp_path / "there"))
    assert [result.key for result in here] == [member.key for member in members]
    assert [result.final for result in here] == [result.final for result in there]


def test_an_object_of_the_session_is_trained_here(tmp_path: Path) -> None:
    name = remember(Sort(12))
    results = train(_members(name), tmp_path)
    assert [result.status for result in results] == ["done", "done"]
    assert {result.config["task"] for result in results} == {name}
    assert isinstance(usual_maker(_members(name), tmp_path)(2), InProcessEngine)
    assert not isinstance(usual_maker(_members("sort"), tmp_path)(2), InProcessEngine)


def test_worker_processes_say_that_they_cannot_find_it(tmp_path: Path) -> None:
    (result,) = train(_members(remember(Sort(11)), 1), tmp_path, engine=engine_maker("local", tmp_path))
    assert result.status == "failed"
    assert "is an object of another Python session" in (result.error or "").splitlines()[0]


def test_a_member_that_fails_does_not_stop_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    jobs = [job_of(member) for member in _members("binary-majority")]
    broken = {**jobs[0].config, "task": "no-such-task"}
    object.__setattr__(jobs[0], "config", broken)
    (_, first), (_, second) = InProcessEngine().run(jobs)
    assert isinstance(first, Failure)
    assert "no task is named 'no-such-task'" in first.message
    assert second.status == "done"


def test_nothing_starts_after_the_deadline_and_what_runs_is_ended(tmp_path: Path) -> None:
    members = _members("binary-majority")
    assert train(members, tmp_path, engine=lambda jobs: InProcessEngine(), deadline=time.monotonic()) == []
    long = [
        resolve(
            "binary-majority", "nope", **{**TINY, "max_steps": 10**6, "stop_early": False, "compile": False}
        )
    ]
    began = time.monotonic()
    assert train(long, tmp_path, engine=lambda jobs: InProcessEngine(), deadline=began + 0.5) == []
    assert time.monotonic() < began + 60  # far below the time of a million steps


def test_the_number_of_threads_is_left_as_it_was(tmp_path: Path) -> None:
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    try:
        train(_members("binary-majority", 1), tmp_path, engine=lambda jobs: InProcessEngine())
        assert torch.get_num_threads() == 2
    finally:
        torch.set_num_threads(before)


def test_an_interruption_passes(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("longreach.training.job.run", interrupted)
    with pytest.raises(KeyboardInterrupt):
        list(InProcessEngine().run([job_of(_members("binary-majority", 1)[0])]))
