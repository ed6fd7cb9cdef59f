"""Jobs on Ray answer and fail as they do in local processes, and nothing of Ray stays."""

from __future__ import annotations

import gc
import importlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from longreach.errors import InputError, MissingExtra
from longreach.execution import ray as module
from longreach.execution.engines import EngineOptions, make_engine
from longreach.execution.jobs import ExecutionError, Failure, Job
from longreach.execution.local import LocalEngine
from longreach.execution.ray import RayEngine
from longreach.runs.record import run_pending
from longreach.training.result import read_result
from tests.execution.test_local import HERE, comparable, gone, job_of, until
from tests.helpers.extras import needs


@pytest.fixture(autouse=True)
def _what_ray_leaves_to_the_garbage_collector() -> Iterator[None]:
    """Sockets, files and processes that have ended: they are collected here, and no other test is blamed."""
    yield
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        gc.collect()


@pytest.fixture(scope="module")
def ray() -> Iterator[Any]:
    """One Ray for many tests, as when a program that calls us has started it."""
    library = importlib.import_module("ray")
    with warnings.catch_warnings():
        with module._connected(RayEngine(workers=2)) as started:
            assert started is library
            yield started
        warnings.simplefilter("ignore")
        gc.collect()


def _one(function: str, /, engine: RayEngine | None = None, **config: Any) -> Any:
    job = job_of(function, **config)
    ((key, answer),) = (engine or RayEngine()).run([job])
    assert key == job.key
    return answer


@needs("ray", "Ray")
def test_200_jobs_with_5_crashes_on_a_ray_of_their_own(monkeypatch: pytest.MonkeyPatch) -> None:
    folders: list[Path] = []
    original = tempfile.TemporaryDirectory

    def recorded(**settings: Any) -> Any:
        made = original(**settings)
        folders.append(Path(made.name))
        return made

    monkeypatch.setattr(module.tempfile, "TemporaryDirectory", recorded)
    handler = signal.getsignal(signal.SIGTERM)
    bad = {17, 40, 41, 120, 199}
    jobs = [job_of("square_or_die", n=n, die=n in bad) for n in range(200)]
    answers = dict(RayEngine(workers=2).run(jobs))
    assert len(answers) == 200
    crashed = ("crash", "its worker process was ended by SIGKILL, in 2 attempts")
    for n, job in enumerate(jobs):
        assert comparable(answers[job.key]) == (crashed if n in bad else n * n)
    assert not importlib.import_module("ray").is_initialized()
    assert signal.getsignal(signal.SIGTERM) is handler
    assert not set(module.VARIABLES) & set(os.environ)
    assert folders
    assert not any(folder.exists() for folder in folders)


@needs("ray", "Ray")
@pytest.mark.parametrize(
    ("function", "config"),
    [
        ("square", {"n": 7}),
        ("fail", {"text": "two\nlines"}),
        ("call_exit", {}),
        ("absent", {}),
        ("unspeakable", {"kind": "nan"}),
        ("die", {"signal": "SIGSEGV"}),
        ("leave", {"code": 7}),
        ("talk", {"lines": 1000}),
        ("settings", {}),
        ("large", {"size": 3_000_000}),
    ],
)
def test_the_same_answer_as_in_a_local_process(ray: Any, function: str, config: dict[str, Any]) -> None:
    job = job_of(function, **config)
    ((_, local),) = LocalEngine(workers=1).run([job])
    assert comparable(_one(function, **config)) == comparable(local)


@needs("ray", "Ray")
def test_a_job_that_dies_once(ray: Any, tmp_path: Path) -> None:
    assert _one("die_once", marker=str(tmp_path / "marker")) == "alive"


@needs("ray", "Ray")
@pytest.mark.parametrize("always", [False, True])
def test_a_process_of_ray_that_dies(ray: Any, tmp_path: Path, always: bool) -> None:
    (tmp_path / "pids").mkdir()
    config = {"marker": str(tmp_path / "marker"), "pids": str(tmp_path / "pids"), "always": always}
    jobs = [job_of("kill_the_parent", **config), *(job_of("square", n=n) for n in range(5))]
    answers = dict(RayEngine(workers=2).run(jobs))
    first = answers[jobs[0].key]
    if always:
        assert isinstance(first, Failure)
        assert first.kind == "crash"
        assert first.message.startswith("its Ray worker was lost: ")
        assert first.message.endswith(", in 2 attempts")
    else:
        assert first == "alive"
    assert [answers[job.key] for job in jobs[1:]] == [0, 1, 4, 9, 16]
    pids = os.listdir(tmp_path / "pids")
    assert len(pids) == (2 if always else 1)
    assert all(gone(int(pid)) for pid in pids)


@needs("ray", "Ray")
def test_a_job_past_its_time_is_ended(ray: Any, tmp_path: Path) -> None:
    jobs = [job_of("wait", pids=str(tmp_path), seconds=60), *(job_of("square", n=n) for n in range(3))]
    answers = dict(RayEngine(time_limit=3).run(jobs))
    failure = answers[jobs[0].key]
    assert comparable(failure) == ("timeout", "ended after its time limit of 3 seconds")
    assert failure.seconds >= 3
    assert [answers[job.key] for job in jobs[1:]] == [0, 1, 4]
    (pid,) = map(int, os.listdir(tmp_path))
    assert gone(pid)


@needs("ray", "Ray")
def test_closing_cancels_and_keeps_a_ray_that_is_not_ours(ray: Any, tmp_path: Path) -> None:
    run = RayEngine(workers=2).run([job_of("wait", pids=str(tmp_path), seconds=60), job_of("square", n=3)])
    assert next(run)[1] == 9
    until(lambda: bool(os.listdir(tmp_path)))
    run.close()
    (pid,) = map(int, os.listdir(tmp_path))
    assert gone(pid)
    assert ray.is_initialized()
    assert _one("square", n=4) == 16


@needs("ray", "Ray")
def test_jobs_are_taken_one_by_one(ray: Any) -> None:
    taken = []

    def jobs() -> Iterator[Job]:
        for n in range(1_000_000):
            taken.append(n)
            yield job_of("square", n=n)

    run = RayEngine().run(jobs())
    assert len([next(run) for _ in range(3)]) == 3
    run.close()
    assert len(taken) <= 3 + 2 * module.QUEUE


@needs("ray", "Ray")
def test_a_worker_process_stays_for_the_next_job(ray: Any, tmp_path: Path) -> None:
    engine = RayEngine(workers=1)
    jobs = [Job(str(n), f"{HERE}:where", {}, tmp_path / str(n)) for n in range(4)]
    answers = [answer for _, answer in engine.run(jobs)]
    assert [answer[0] for answer in answers] == [str(tmp_path / str(n)) for n in range(4)]
    assert len({answer[1] for answer in answers}) <= 2  # Ray has two processes to choose from
    assert all((tmp_path / str(n) / "seen").exists() for n in range(4))


@needs("ray", "Ray")
def test_workers_that_do_not_start_on_the_nodes(ray: Any, tmp_path: Path) -> None:
    engine = RayEngine(environment={"PYTHONHOME": str(tmp_path / "nowhere")})
    with pytest.raises(ExecutionError, match="jobs do not start on the nodes: worker processes do not start"):
        _one("square", engine, n=1)


@needs("ray", "Ray")
def test_a_job_that_has_no_room(ray: Any) -> None:
    with pytest.raises(ExecutionError, match="no room for a job: it needs 1 CPU and 3 GPU"):
        _one("square", RayEngine(gpus=3), n=1)


@needs("ray", "Ray")
def test_a_trained_member_has_the_same_numbers(ray: Any, tmp_path: Path) -> None:
    from longreach.runs.resolve import resolve
    from longreach.training.job import FUNCTION

    config = resolve(
        "binary-majority", "ape", layers=1, heads=1, width=8, max_steps=12, evaluate_every=6,
        train_lengths=(1, 6), test_lengths=((7, 12),), test_size=30, compile=False,
    )  # fmt: skip
    job = Job.of(FUNCTION, config.document())
    (local,) = run_pending([job], tmp_path / "local", LocalEngine(workers=1))
    (remote,) = run_pending([job], tmp_path / "ray", RayEngine())
    assert remote.status == "done"
    assert remote.final == local.final
    assert [row.model_dump(exclude={"seconds"}) for row in remote.rows] == [
        row.model_dump(exclude={"seconds"}) for row in local.rows
    ]
    assert read_result(tmp_path / "ray", job.key) == remote
    assert {path.name for path in (tmp_path / "ray" / job.key).iterdir()} == {
        path.name for path in (tmp_path / "local" / job.key).iterdir()
    }


@needs("ray", "Ray")
@pytest.mark.parametrize("joined", [True, False])
def test_the_command_prints_nothing_of_ray(ray: Any, tmp_path: Path, joined: bool) -> None:
    options = "--layers 1 --heads 1 --width 8 --max-steps 2 --train-lengths 1:5 --test-size 10 --no-compile"
    command = [sys.executable, "-m", "longreach", "train", "binary-majority", *options.split(), "--json"]
    command += ["--engine", "ray", "--runs", str(tmp_path), "--seeds", "2"]
    if joined:
        command += ["--address", ray.get_runtime_context().gcs_address]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert [member["status"] for member in json.loads(done.stdout)["runs"]] == ["done", "done"]
    assert ray.is_initialized()
    assert _one("square", n=5) == 25


@needs("ray", "Ray")
def test_a_cluster_says_how_large_it_is(ray: Any) -> None:
    address = ray.get_runtime_context().gcs_address
    assert RayEngine(address=address).parallel == 2
    assert RayEngine(address=address, gpus=1).parallel == 1  # it may grow


def test_no_jobs_no_ray(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    assert list(RayEngine().run([])) == []
    with pytest.raises(MissingExtra, match="--engine ray needs the extra 'ray': pip install"):
        list(RayEngine().run([job_of("square", n=1)]))
    with pytest.raises(MissingExtra, match="the extra 'ray'"):
        make_engine("ray", EngineOptions(), jobs=1, runs="runs")


def test_a_host_that_does_not_answer() -> None:
    for address in ("127.0.0.1:1", "ray://127.0.0.1:1"):
        with pytest.raises(ExecutionError, match=f"Ray at {address} cannot be joined: Connection refused"):
            module._knock(address)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: RayEngine(address=""), "address: '' is not one of auto, host:port and ray://host:port"),
        (lambda: RayEngine(address="http://x:1"), "address: 'http://x:1' is not one of auto"),
        (lambda: RayEngine(workers=0), "workers: must be at least 1, not 0"),
        (lambda: RayEngine(gpus=-1), "gpus: must be at least 0, not -1"),
        (lambda: RayEngine(gpus=1.5), "gpus: 1.5 is neither a whole number nor a part of one"),
        (lambda: RayEngine(time_limit=0), "time_limit: must be more than 0 seconds, not 0"),
    ],
)
def test_bad_input(call: Callable[[], object], message: str) -> None:
    with pytest.raises(InputError) as caught:
        call()
    assert caught.value.message.startswith(message)
