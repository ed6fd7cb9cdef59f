"""Tests of `runs.train`."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
import torch

from longreach.config.run import RunConfig
from longreach.errors import Field, InputError
from longreach.execution.engines import EngineOptions
from longreach.execution.jobs import Engine, Failure, Job, Outcome
from longreach.runs import plan as planning
from longreach.runs.plan import plan
from longreach.runs.resolve import resolve
from longreach.runs.resolve import resolve as resolve_running
from longreach.runs.train import (
    InProcessEngine,
    engine_maker,
    job_of,
    longest_first,
    stacked_maker,
    train,
    train_pending,
    usual_maker,
)
from longreach.tasks.copying import Sort
from longreach.tasks.own import remember
from longreach.training import checkpoint
from longreach.training import loop as engine
from longreach.training.job import FUNCTION
from longreach.training.loop import NOT_COMPILED
from longreach.training.result import Result
from tests.training.test_loop import tiny


@dataclass(frozen=True)
class Recorder:
    """An engine that keeps what it is given."""

    seen: list[Job]
    jobs: int = 1
    parallel: int = 2

    def run(self, jobs: Iterable[Job], *, deadline: float | None = None) -> Generator[Outcome]:
        for job in jobs:
            self.seen.append(job)
            yield job.key, job.config["members"]


def _groups(device: str, stack: int | None, count: int = 10, **options: Any) -> tuple[list[Job], int]:
    """The jobs that reach the engine, and for how many jobs it was made."""
    seen: list[Job] = []
    made: list[int] = []

    def make(jobs: int) -> Engine:
        made.append(jobs)
        return Recorder(seen)

    options = {"engine": "local", "workers": None, "gpus": None, **options}
    engine = stacked_maker(make, device, stack, **options)(count)
    if isinstance(engine, Recorder):
        return [], made[0]
    jobs = [Job.of(FUNCTION, tiny(seed=seed).document()) for seed in range(count)]
    assert [key for key, _ in engine.run(jobs)] == [job.key for job in jobs]
    return seen, made[0]


def _sizes(jobs: list[Job]) -> list[int]:
    return [len(job.config["members"]) for job in jobs]


def test_one_by_one_on_a_cpu() -> None:
    assert _groups("cpu", None) == ([], 10)
    assert _groups("cpu", 1) == ([], 10)


def test_no_core_waits() -> None:
    assert _sizes(_groups("cpu", 64)[0]) == [5, 5]
    assert _sizes(_groups("cpu", 4)[0]) == [4, 3, 3]


def test_on_cuda(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 2)
    jobs, made = _groups("auto", None)
    assert (_sizes(jobs), made) == ([10], 1)
    assert jobs[0].config["device"] == "cuda:0"
    jobs, made = _groups("cuda:1", 4, workers=3)
    assert (_sizes(jobs), made) == ([4, 3, 3], 10)
    assert {job.config["device"] for job in jobs} == {"cuda:1"}


def test_on_a_cluster_devices_are_those_of_the_nodes() -> None:
    jobs, made = _groups("auto", None, engine="ray", gpus=1)
    assert (_sizes(jobs), made) == ([10], 10)
    assert jobs[0].config["device"] == "cuda"
    assert _groups("auto", None, engine="ray") == ([], 10)
    assert _groups("cuda", None, engine="slurm")[0][0].config["device"] == "cuda"
    with pytest.raises(InputError, match="device: 'cuda:x' is not one of"):
        _groups("cuda:x", None, engine="ray")


TINY = {"train_lengths": (1, 4), "max_steps": 6, "test_size": 10, "layers": 1, "heads": 1, "width": 8}


def _members(task: str, seeds: int = 2) -> list[RunConfig]:
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
    assert "no task named 'no-such-task'" in first.message
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


def tiny_running(**given: Any) -> RunConfig:
    few = {"train_lengths": (1, 5), "max_steps": 4, "test_size": 10, "layers": 1, "heads": 1, "width": 8}
    return resolve_running("binary-majority", **{**few, **given})


@dataclass
class Diary:
    """A watcher that writes down what it sees."""

    waiting: list[int] = field(default_factory=list)
    totals: list[int] = field(default_factory=list)
    seen: list[str] = field(default_factory=list)
    said: list[str] = field(default_factory=list)
    ended_by: str = "Ctrl-C"

    @contextmanager
    def watch(
        self, waiting: Sequence[RunConfig], runs: Path, total: int
    ) -> Iterator[Callable[[Result], None]]:
        self.waiting.append(len(waiting))
        self.totals.append(total)
        yield lambda result: self.seen.append(result.key)

    def say(self, remark: str) -> None:
        self.said.append(remark)


def test_what_is_done_is_not_trained_again(tmp_path: Path) -> None:
    members, diary = [tiny_running(seed=seed) for seed in range(3)], Diary()
    first = train(members[1:2], tmp_path, progress=diary)
    results = train(members, tmp_path, progress=diary)
    assert [result.key for result in results] == [member.key for member in members]
    assert results[1] == first[0]
    assert (diary.waiting, diary.totals) == ([1, 2], [1, 3])
    assert sorted(diary.seen) == sorted(member.key for member in members)
    assert train_pending(members, tmp_path) == {}
    planned = plan(members, tmp_path)
    assert (planned.done, planned.pending, planned.seconds_at_most) == (3, 0, None)


@pytest.mark.slow
def test_remarks_are_said_once(tmp_path: Path) -> None:
    members, diary = [tiny_running(seed=seed, compile=True) for seed in range(2)], Diary()
    one = engine_maker("local", tmp_path, EngineOptions(workers=1))
    train(members, tmp_path, engine=stacked_maker(one, "cpu", 2), progress=diary)
    assert diary.said == [NOT_COMPILED]


def test_runs_must_be_a_directory(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("")
    with pytest.raises(InputError, match="not a directory") as caught:
        train([tiny_running()], file)
    assert caught.value.place == Field("runs")


def test_longest_first() -> None:
    short, long = (resolve_running(task, scale="laptop") for task in ("tomita-1", "copy-unique"))
    more = short.model_copy(update={"max_steps": 10**9})
    assert longest_first([short, more, long, short]) == [more, long, short]


def test_a_deadline_keeps_what_is_finished_and_the_state_of_the_rest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("longreach.training.job.FUNCTION", "tests.helpers.training_functions:run_often")
    quick, endless = tiny_running(), tiny_running(max_steps=10**6, evaluate_every=10**6, compile=False)
    state, end = tmp_path / endless.key / checkpoint.STATE, time.monotonic() + 120
    found: dict[str, Result] = {}
    while not state.exists() or quick.key not in found:
        assert time.monotonic() < end
        found |= train_pending([quick, endless], tmp_path, deadline=time.monotonic() + 6)
    assert found.keys() == {quick.key}
    assert [each.key for each in train([endless, quick], tmp_path, deadline=time.monotonic())] == [quick.key]


@pytest.mark.parametrize("width", [16, 256])
def test_seconds_grow_with_the_steps_and_are_measured_once(
    width: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []

    def seconds(config: RunConfig, clock: object) -> float:
        asked.append(config.width)
        return 0.5

    monkeypatch.setattr(engine, "step_seconds", seconds)
    planning._step_seconds.cache_clear()
    short, long = (tiny_running(width=width, max_steps=steps, test_size=1) for steps in (100, 1000))
    found = planning.seconds_of([short, long, long.with_seed(3)])
    assert asked == [width]
    assert found[long.key] == found[long.with_seed(3).key]
    assert found[short.key] == pytest.approx(50, rel=0.05)
    assert found[long.key] == pytest.approx(500, rel=0.05)
    planning._step_seconds.cache_clear()


def test_shapes_for_which_there_is_no_time_lie_between(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "step_seconds", lambda config, clock: float(config.width))
    planning._step_seconds.cache_clear()
    members = [tiny_running(width=width, evaluate_every=10**6, test_size=1) for width in (8, 64, 16, 32)]
    small, large, *others = planning.seconds_of(members, budget=0.0).values()
    assert all(small < other < large for other in others)
    planning._step_seconds.cache_clear()
