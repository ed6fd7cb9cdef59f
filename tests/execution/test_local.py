"""Workers that die, hang, lie and print do not harm other jobs, and nothing of them stays."""

from __future__ import annotations

import os
import shutil
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from longreach.errors import InputError
from longreach.execution import local as node
from longreach.execution import local as process_module
from longreach.execution.jobs import ExecutionError, Failure, Job
from longreach.execution.local import MALLOC, THREADS, LocalEngine, worker_environment

HERE = "tests.helpers.job_functions"


def job_of(function: str, /, **config: Any) -> Job:
    return Job.of(f"{HERE}:{function}", config)


def _one(function: str, /, engine: LocalEngine | None = None, **config: Any) -> Any:
    job = job_of(function, **config)
    ((key, answer),) = (engine or LocalEngine(workers=1)).run([job])
    assert key == job.key
    return answer


def comparable(answer: Any) -> Any:
    return (answer.kind, answer.message) if isinstance(answer, Failure) else answer


def gone(pid: int, patience: float = 10.0) -> bool:
    """Whether a process ends soon."""
    end = time.monotonic() + patience
    while time.monotonic() < end:
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return True
        if _zombie(pid):
            return True  # dead; whoever started it has not looked yet
        time.sleep(0.02)
    return False


def _zombie(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8")
    except FileNotFoundError:  # gone in this moment, or a system without /proc
        return False
    return state.rpartition(")")[2].split()[0] == "Z"


def until(condition: Callable[[], bool], patience: float = 30.0) -> None:
    end = time.monotonic() + patience
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.01)


def test_200_jobs_with_5_crashes() -> None:
    bad = {17, 40, 41, 120, 199}
    jobs = [job_of("square_or_die", n=n, die=n in bad) for n in range(200)]
    answers = dict(LocalEngine(workers=2).run(jobs))
    assert len(answers) == 200
    for n, job in enumerate(jobs):
        answer = answers[job.key]
        if n in bad:
            assert isinstance(answer, Failure)
            assert answer.kind == "crash"
        else:
            assert answer == n * n


def test_answers_come_as_they_finish(tmp_path: Path) -> None:
    slow = job_of("wait", pids=str(tmp_path), seconds=60)
    run = LocalEngine(workers=2).run([slow, *(job_of("square", n=n) for n in range(5))])
    assert sorted(next(run)[1] for _ in range(5)) == [0, 1, 4, 9, 16]
    until(lambda: bool(os.listdir(tmp_path)))
    run.close()
    (pid,) = map(int, os.listdir(tmp_path))
    assert gone(pid)


def test_no_jobs_no_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process_module.subprocess, "Popen", None)
    assert list(LocalEngine(workers=4).run([])) == []


def test_jobs_are_taken_one_by_one() -> None:
    taken = []

    def jobs() -> Any:
        for n in range(1_000_000):
            taken.append(n)
            yield job_of("square", n=n)

    run = LocalEngine(workers=2).run(jobs())
    assert [next(run)[1] for _ in range(3)] != []
    run.close()
    assert len(taken) <= 6


def test_a_worker_that_dies_once(tmp_path: Path) -> None:
    assert _one("die_once", marker=str(tmp_path / "marker")) == "alive"


def test_a_worker_killed_from_outside(tmp_path: Path) -> None:
    (tmp_path / "pids").mkdir()
    jobs = [
        job_of("wait", pids=str(tmp_path / "pids"), seconds=1.5),
        *(job_of("square", n=n) for n in range(20)),
    ]

    def kill() -> None:
        until(lambda: bool(os.listdir(tmp_path / "pids")))
        os.kill(int(os.listdir(tmp_path / "pids")[0]), signal.SIGKILL)

    killer = threading.Thread(target=kill)
    killer.start()
    answers = dict(LocalEngine(workers=2).run(jobs))
    killer.join()
    assert answers[jobs[0].key] == "waited"
    assert len(os.listdir(tmp_path / "pids")) == 2  # two workers have had the job
    assert [answers[job.key] for job in jobs[1:]] == [n * n for n in range(20)]


@pytest.mark.parametrize(
    ("function", "config", "message", "details"),
    [
        ("die", {}, "its worker process was ended by SIGKILL, in 2 attempts", "about to die"),
        ("die", {"signal": "SIGSEGV"}, "its worker process was ended by SIGSEGV", "Segmentation fault"),
        ("leave", {"code": 0}, "its worker process ended with exit code 0", ""),
        ("leave", {"code": 7}, "its worker process ended with exit code 7", ""),
    ],
)
def test_crashes_say_how(function: str, config: dict[str, Any], message: str, details: str) -> None:
    failure = _one(function, **config)
    assert isinstance(failure, Failure)
    assert failure.kind == "crash"
    assert failure.message.startswith(message)
    assert details in failure.details


@pytest.mark.parametrize(
    ("function", "config", "message"),
    [
        ("fail", {"text": "two\nlines"}, "ValueError: two lines"),
        ("call_exit", {}, "SystemExit: 3"),
        ("absent", {}, "AttributeError: module 'tests.helpers.job_functions' has no attribute 'absent'"),
        ("unspeakable", {"kind": "set"}, "TypeError: the job returned what JSON cannot hold"),
        ("unspeakable", {"kind": "nan"}, "TypeError: the job returned what JSON cannot hold"),
    ],
)
def test_exceptions_are_failures(function: str, config: dict[str, Any], message: str) -> None:
    failure = _one(function, **config)
    assert isinstance(failure, Failure)
    assert failure.kind == "exception"
    assert failure.message.startswith(message)
    assert "\n" not in failure.message
    assert "Traceback" in failure.details


def test_a_module_that_does_not_exist() -> None:
    ((_, failure),) = LocalEngine(workers=1).run([Job.of("no.such.module:run", {})])
    assert failure.message == "ModuleNotFoundError: No module named 'no'"


def test_a_job_past_its_time_is_ended_and_not_repeated(tmp_path: Path) -> None:
    jobs = [job_of("wait", pids=str(tmp_path), seconds=60), *(job_of("square", n=n) for n in range(10))]
    answers = dict(LocalEngine(workers=1, time_limit=1).run(jobs))
    failure = answers[jobs[0].key]
    assert isinstance(failure, Failure)
    assert (failure.kind, failure.message) == ("timeout", "ended after its time limit of 1 seconds")
    assert failure.seconds >= 1
    assert [answers[job.key] for job in jobs[1:]] == [n * n for n in range(10)]
    (pid,) = map(int, os.listdir(tmp_path))
    assert gone(pid)


def test_an_answer_in_time_counts_however_late_we_look() -> None:
    run = LocalEngine(workers=2, time_limit=2).run([job_of("square", n=n) for n in range(4)])
    answers = [next(run)[1]]
    time.sleep(2.2)  # whoever takes the answers is busy
    answers += [answer for _, answer in run]
    assert sorted(answers) == [0, 1, 4, 9]


@pytest.mark.parametrize("then", ["die", "hang"])
def test_what_a_job_has_started_ends_with_it(tmp_path: Path, then: str) -> None:
    failure = _one("with_child", LocalEngine(workers=1, time_limit=3), pids=str(tmp_path), then=then)
    assert failure.kind == ("crash" if then == "die" else "timeout")
    assert all(gone(int(pid)) for pid in os.listdir(tmp_path))


def test_a_forked_process_does_not_hide_the_death_of_its_parent(tmp_path: Path) -> None:
    assert _one("with_fork", marker=str(tmp_path / "marker")) == "alive"


def test_jobs_may_print_and_cannot_forge_answers() -> None:
    assert _one("talk", lines=100_000) == ""


def test_large_messages() -> None:
    assert _one("large", size=3_000_000, tail="y" * 1_000_000) == "x" * 3_000_000 + "yyy"


def test_the_environment_of_workers() -> None:
    found = _one("settings", LocalEngine(workers=1, environment={"EXTRA": "é"}))
    expected = worker_environment(os.environ)
    assert found.pop("EXTRA") == "é"
    assert found == {name: expected.get(name, "") for name in found}
    assert found["OMP_NUM_THREADS"] == "1"


def test_the_environment_without_glibc() -> None:
    made = worker_environment({"HOME": "/home/me"}, glibc=False)
    assert made == {"HOME": "/home/me", "PYTHONHASHSEED": "0", **dict.fromkeys(THREADS, "1")}
    made = worker_environment({"GLIBC_TUNABLES": "glibc.malloc.check=1"}, glibc=True)
    assert made["GLIBC_TUNABLES"] == "glibc.malloc.check=1:glibc.malloc.hugetlb=1"
    assert made.items() >= MALLOC.items()


def test_workers_load_nothing_heavy_by_themselves() -> None:
    loaded = set(_one("modules"))
    assert not loaded & {"numpy", "torch", "pydantic", "longreach", "multiprocessing", "pickle"}


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="left out: needs /proc to count threads")
def test_one_thread_for_numbers() -> None:
    assert _one("threads") == 2  # that of the job, and the one that listens for the end of the driver


def test_workers_that_do_not_start(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    broken = tmp_path / "worker.py"
    broken.write_text("raise SystemExit('out of order')", encoding="utf-8")
    monkeypatch.setattr(process_module, "WORKER", broken)
    with pytest.raises(ExecutionError, match="worker processes do not start: out of order"):
        _one("square", n=1)
    monkeypatch.setattr(process_module.sys, "executable", str(tmp_path / "python"))
    with pytest.raises(ExecutionError, match="cannot be started: No such file"):
        _one("square", n=1)


def test_a_worker_that_speaks_another_language(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    strange = tmp_path / "worker.py"
    strange.write_text(
        "import json, sys\n"
        "sys.stdin.readline()\n"
        "key = json.loads(sys.stdin.readline())['key']\n"
        "print(json.dumps({'started': key}), flush=True)\n"
        "print('cos\\nsystem\\n(S\"echo\"\\ntR.', flush=True)\n"
        "sys.stdin.readline()\n",
        encoding="utf-8",
    )
    monkeypatch.setattr(process_module, "WORKER", strange)
    assert _one("square", n=1).kind == "crash"


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: LocalEngine(workers=0), "workers: must be at least 1, not 0"),
        (lambda: LocalEngine(time_limit=0), "time_limit: must be more than 0 seconds, not 0"),
        (lambda: Job.of("no function", {}), "'no function': a function is named as in"),
        (lambda: Job.of("os:system; x", {}), "'os:system; x': a function is named as in"),
        (lambda: Job.of("__main__:run", {}), "'__main__:run': other processes cannot find it"),
        (lambda: Job.of("a:b", {"x": {1}}), "config.x: set is not a JSON value"),
        (lambda: list(LocalEngine().run([job_of("square", n=1)] * 2)), "appears twice in the list"),
    ],
)
def test_bad_input(call: Callable[[], object], message: str) -> None:
    with pytest.raises(InputError) as caught:
        call()
    assert message in caught.value.message


def test_at_the_deadline_what_runs_is_ended_and_nothing_starts(tmp_path: Path) -> None:
    taken = []

    def jobs() -> Any:
        yield from (job_of("square", n=n) for n in range(2))
        yield job_of("wait", pids=str(tmp_path), seconds=600)
        while True:
            taken.append(len(taken))
            yield job_of("wait", pids=str(tmp_path), seconds=600 + len(taken))

    start = time.monotonic()
    answers = [answer for _, answer in LocalEngine(workers=2).run(jobs(), deadline=start + 4)]
    assert sorted(answers) == [0, 1]
    assert 4 <= time.monotonic() - start < 60
    assert len(taken) == 1
    assert all(gone(int(name)) for name in os.listdir(tmp_path))


def test_after_the_deadline_no_worker_is_started(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process_module.subprocess, "Popen", None)
    jobs = [job_of("square", n=n) for n in range(3)]
    assert list(LocalEngine(workers=2).run(jobs, deadline=time.monotonic())) == []


@pytest.fixture(autouse=True)
def _dismissed() -> Iterator[None]:
    yield
    node._dismiss()


def _errand(function: str, directory: Path | None = None, /, **config: Any) -> node.Errand:
    job = Job("0" * 16, f"{HERE}:{function}", config, directory)
    return node.errand(job)


def test_one_attempt_only(tmp_path: Path) -> None:
    config = {"marker": str(tmp_path / "marker")}
    failure = node.run_once(_errand("die_once", **config))
    assert isinstance(failure, Failure)
    assert (failure.kind, failure.message) == ("crash", "its worker process was ended by SIGKILL")
    assert node.run_once(_errand("die_once", **config)) == "alive"


def test_a_kept_process_runs_many_jobs_until_it_dies(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = (node.run_kept(_errand("where", tmp_path / name))[1] for name in "ab")
    assert first == second != os.getpid()
    assert node.run_once(_errand("where", tmp_path / "c"))[1] != first
    failure = node.run_kept(_errand("die"))
    assert isinstance(failure, Failure)
    third = node.run_kept(_errand("where", tmp_path / "d"))[1]
    assert third != first
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "1")  # another GPU is another process
    assert node.run_kept(_errand("where", tmp_path / "e"))[1] != third


def test_a_directory_that_the_node_does_not_see(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(node, "DIRECTORY_SECONDS", 0)
    order = _errand("where", tmp_path / "runs" / "key")
    shutil.rmtree(tmp_path / "runs")
    with pytest.raises(ExecutionError) as caught:
        node.run_once(order)
    assert caught.value.message.startswith(f"{tmp_path / 'runs' / 'key'}: not seen on ")
    assert "\n" not in caught.value.message
    assert not (tmp_path / "runs").exists()


def test_a_directory_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(ExecutionError, match="file/key: cannot be created: Not a directory"):
        _errand("where", tmp_path / "file" / "key")


def test_modules_of_the_driver_are_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "only_the_driver_knows.py").write_text("def answer(config):\n    return 42\n")
    monkeypatch.syspath_prepend(tmp_path)
    job = Job("0" * 16, "only_the_driver_knows:answer", {})
    order = node.errand(job)
    monkeypatch.setattr(sys, "path", [entry for entry in sys.path if entry != str(tmp_path)])
    assert node.run_once(order) == 42
