"""Which members train side by side, on which device, in how many processes."""

from __future__ import annotations

from collections.abc import Generator, Iterable
from dataclasses import dataclass
from typing import Any

import pytest
import torch

from longreach.errors import InputError
from longreach.execution.jobs import Engine, Job, Outcome
from longreach.experiments.engine_makers import stacked_maker
from longreach.training.job import FUNCTION
from tests.training.test_engine import tiny


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
