"""Tests of `runs.record`."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from longreach.errors import InputError
from longreach.execution.jobs import Failure, Job
from longreach.execution.local import LocalEngine
from longreach.files import ResultError
from longreach.runs.claims import CLAIMS, Claims
from longreach.runs.record import failed, pending, remove_runs, run_pending, size_of
from longreach.training.result import RESULT, read_result, write_result
from tests.execution.test_local import gone
from tests.helpers.result_samples import sample, sample_failure, scan

ENGINE = LocalEngine(workers=2)


def _jobs(count: int, **config: Any) -> list[Job]:
    return [_job(seed, **config) for seed in range(count)]


def _job(seed: int, **config: Any) -> Job:
    return Job.of("tests.helpers.job_functions:train", sample(seed, config=config).config)


def _calls(runs: Path, job: Job) -> int:
    return len((runs / job.key / "calls").read_text(encoding="utf-8").splitlines())


def _process(code: str, *arguments: object) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", code, *map(str, arguments)]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    return subprocess.Popen(command, env=environment, text=True, **pipes)


HOLD = """
import sys
from pathlib import Path
from longreach.runs.claims import Claims
with Claims(Path(sys.argv[1])) as claims:
    print([claims.take(key) for key in sys.argv[2:]], flush=True)
    sys.stdin.read()
"""


@contextmanager
def _held(runs: Path, *keys: str) -> Iterator[str]:
    """Another process that claims jobs, and which of them it has."""
    with _process(HOLD, runs, *keys) as other:
        assert other.stdout is not None
        yield other.stdout.readline().strip()
        other.communicate("")


def test_results_are_written_and_not_run_again(tmp_path: Path) -> None:
    jobs = _jobs(4)
    results = list(run_pending(jobs, tmp_path / "runs", ENGINE))
    assert sorted(result.key for result in results) == sorted(job.key for job in jobs)
    assert all(read_result(tmp_path / "runs", result.key) == result for result in results)
    (new,) = run_pending([*jobs, *_jobs(5)], tmp_path / "runs", ENGINE)
    assert new.seed == 4
    assert [_calls(tmp_path / "runs", job) for job in jobs] == [1, 1, 1, 1]


def test_failed_and_damaged_ones_run_again(tmp_path: Path) -> None:
    jobs = _jobs(4)
    write_result(tmp_path, sample(0))
    write_result(tmp_path, sample_failure(1))
    write_result(tmp_path, sample(2)).write_text("{", encoding="utf-8")
    assert pending(jobs + jobs, tmp_path) == jobs[1:]
    assert {result.status for result in run_pending(jobs, tmp_path, ENGINE)} == {"done"}
    assert pending(jobs, tmp_path) == []


def test_failures_are_results(tmp_path: Path) -> None:
    jobs = [
        _job(0, die=True),
        _job(1, honest=False),
        Job.of("tests.helpers.job_functions:train", {"seed": 2}),
    ]
    found = {result.key: result for result in run_pending(jobs, tmp_path, ENGINE)}
    crashed, dishonest, other = (found[job.key] for job in jobs)
    assert {result.status for result in found.values()} == {"failed"}
    assert crashed.error is not None
    assert crashed.error.splitlines()[0] == "its worker process was ended by SIGKILL, in 2 attempts"
    assert (crashed.seed, crashed.config) == (0, jobs[0].config)
    assert dishonest.error is not None
    assert dishonest.error.startswith("tests.helpers.job_functions:train returned no result: config: ")
    assert other.error is not None
    assert "returned the result of another job" in other.error
    assert all(read_result(tmp_path, key) == result for key, result in found.items())


def test_long_and_strange_errors_are_kept_readable(tmp_path: Path) -> None:
    config = {"text": "x" * 100_000, "seed": 2**70, "tuple": (1, 2)}
    (result,) = run_pending([Job.of("tests.helpers.job_functions:fail", config)], tmp_path, ENGINE)
    assert result.error is not None
    assert len(result.error) < 21_000
    assert (result.seed, result.config["tuple"]) == (None, [1, 2])
    assert read_result(tmp_path, result.key) == result


def test_error_texts_that_are_not_unicode(tmp_path: Path) -> None:
    result = failed(_job(0), Failure("crash", "\udcff"))
    write_result(tmp_path, result)
    assert read_result(tmp_path, result.key).error == r"\udcff"


def test_a_key_of_another_configuration(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="has the configuration of another"):
        pending([Job("0" * 16, "a:b", {})], tmp_path)


def test_a_full_disk_costs_only_unfinished_jobs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    jobs = _jobs(6)
    run = run_pending(jobs, tmp_path, ENGINE)
    first = next(run)

    def full(*_: object) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", full)
        with pytest.raises(ResultError, match="cannot be written: No space left on device"):
            list(run)
    assert [entry.name for entry in scan(tmp_path) if entry.state == "whole"] == [first.key]
    assert not list(tmp_path.rglob("*.tmp"))
    assert len(list(run_pending(jobs, tmp_path, ENGINE))) == 5


DRIVER = """
import sys
from longreach.execution.local import LocalEngine
from longreach.runs.record import run_pending
from tests.runs.test_record import _jobs
for result in run_pending(_jobs(8, seconds=0.3), sys.argv[1], LocalEngine(workers=2)):
    print(result.key, flush=True)
"""


@pytest.mark.parametrize("end", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_the_end_of_the_driver_ends_the_workers_and_keeps_results(tmp_path: Path, end: int) -> None:
    driver = _process(DRIVER, tmp_path)
    assert driver.stdout is not None
    finished = [driver.stdout.readline().strip() for _ in range(3)]
    began = time.monotonic()
    driver.send_signal(end)
    out, err = driver.communicate(timeout=30)
    assert time.monotonic() - began < 10
    assert driver.returncode == -end
    assert ("KeyboardInterrupt" in err) == (end == signal.SIGINT)
    finished += out.split()
    pids = {int(pid) for path in tmp_path.rglob("calls") for pid in path.read_text(encoding="utf-8").split()}
    assert pids
    assert all(gone(pid) for pid in pids)
    states = {entry.name: entry.state for entry in scan(tmp_path)}
    assert "damaged" not in states.values()
    whole = {name for name, state in states.items() if state == "whole"}
    assert set(finished) <= whole
    assert len(whole) < 8
    jobs = _jobs(8, seconds=0.3)
    calls = {name: (tmp_path / name / "calls").read_text(encoding="utf-8") for name in whole}
    assert len(list(run_pending(jobs, tmp_path, LocalEngine(workers=4)))) == 8 - len(whole)
    assert {name: (tmp_path / name / "calls").read_text(encoding="utf-8") for name in whole} == calls
    assert pending(jobs, tmp_path) == []


def test_an_interruption_ends_the_workers_at_once(tmp_path: Path) -> None:
    jobs = [_job(0), _job(1, seconds=60), _job(2, seconds=60)]
    run = run_pending(jobs, tmp_path, LocalEngine(workers=3))
    next(run)
    while sum(path.stat().st_size > 0 for path in tmp_path.rglob("calls")) < 3:
        time.sleep(0.01)
    with pytest.raises(KeyboardInterrupt):
        run.throw(KeyboardInterrupt)
    for job in jobs[1:]:
        assert gone(int((tmp_path / job.key / "calls").read_text(encoding="utf-8")), patience=2)
    assert {entry.name: entry.state for entry in scan(tmp_path)} == {
        jobs[0].key: "whole", jobs[1].key: "unfinished", jobs[2].key: "unfinished",
    }  # fmt: skip


PARTNER = """
import sys
from longreach.execution.jobs import Job
from longreach.execution.local import LocalEngine
from longreach.runs.record import run_pending
from tests.runs.test_record import _jobs
runs, function, count, seconds = sys.argv[1:]
jobs = [
    Job.of(f"tests.helpers.job_functions:{function}", job.config)
    for job in _jobs(int(count), seconds=float(seconds))
]
for result in run_pending(jobs, runs, LocalEngine(workers=1)):
    print(result.key, result.status, flush=True)
"""


def _partner(runs: Path, function: str, count: int, seconds: float = 0.0) -> subprocess.Popen[str]:
    return _process(PARTNER, runs, function, count, seconds)


def test_two_drivers_share_the_work(tmp_path: Path) -> None:
    drivers = [_partner(tmp_path, "train", 6, 0.3) for _ in range(2)]
    told = [driver.communicate(timeout=120)[0].split() for driver in drivers]
    jobs = _jobs(6, seconds=0.3)
    assert [_calls(tmp_path, job) for job in jobs] == [1] * 6
    assert {key for words in told for key in words[::2]} == {job.key for job in jobs}
    assert {status for words in told for status in words[1::2]} == {"done"}
    assert not (tmp_path / CLAIMS).exists()


def test_a_job_of_a_driver_that_is_killed_is_taken_over(tmp_path: Path) -> None:
    (job,) = _jobs(1, seconds=0.0)
    first = _partner(tmp_path, "hang_once", 1)
    while not (tmp_path / job.key / "calls").exists():
        time.sleep(0.01)
    second = _partner(tmp_path, "hang_once", 1)
    assert second.stderr is not None
    assert second.stderr.readline() == "waiting for jobs that another process runs: 1\n"
    assert _calls(tmp_path, job) == 1
    first.kill()
    first.communicate(timeout=30)
    out, _ = second.communicate(timeout=60)
    assert out.split() == [job.key, "done"]
    assert _calls(tmp_path, job) == 2


def test_a_failure_elsewhere_is_taken_as_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    held = [False, True]  # the other process lets go after our first look

    def take(claims: Claims, key: str) -> bool:
        if not held.pop(0) if held else False:
            write_result(tmp_path, sample_failure(0))
            return False
        return True

    monkeypatch.setattr(Claims, "take", take)
    (result,) = run_pending(_jobs(1), tmp_path, ENGINE)
    assert result == sample_failure(0)
    assert not (tmp_path / result.key / "calls").exists()


@pytest.mark.parametrize("workers", [1, 2])
def test_a_finished_result_is_never_replaced_by_a_failure(tmp_path: Path, workers: int) -> None:
    jobs = [Job.of("tests.helpers.job_functions:overtaken", sample(seed).config) for seed in range(2)]
    results = list(run_pending(jobs, tmp_path, LocalEngine(workers=workers)))
    assert {result.status for result in results} == {"done"}
    for seed in range(2):
        write_result(tmp_path, sample_failure(seed))
        assert read_result(tmp_path, sample(seed).key) == sample(seed)
        assert [path.name for path in (tmp_path / sample(seed).key).iterdir()] == [RESULT]


def test_claims_of_one_process_are_not_those_of_another(tmp_path: Path) -> None:
    keys = ["0" * 16, "f" * 16, "0123456789abcdef"]

    def other() -> str:
        with _held(tmp_path, *keys) as found:
            return found

    with Claims(tmp_path) as claims:
        assert other() == "[True, True, True]"
        assert claims.take(keys[0])  # its file was removed meanwhile
        assert claims.take(keys[2])
        assert other() == "[False, True, False]"
        claims.release(keys[0])
        assert other() == "[True, True, False]"
    assert other() == "[True, True, True]"
    assert list(tmp_path.iterdir()) == []


def test_a_deadline_ends_the_run_and_leaves_the_rest_for_another(tmp_path: Path) -> None:
    quick, slow = _job(0), _job(1, seconds=600)
    found = list(run_pending([quick, slow], tmp_path, ENGINE, deadline=time.monotonic() + 5))
    assert [result.key for result in found] == [quick.key]
    assert pending([quick, slow], tmp_path) == [slow]
    with Claims(tmp_path) as claims:
        assert claims.take(slow.key)


def test_a_deadline_does_not_wait_for_other_processes(tmp_path: Path) -> None:
    job = _job(0)
    with _held(tmp_path, job.key) as found:
        assert found == "[True]"
        assert list(run_pending([job], tmp_path, ENGINE, deadline=time.monotonic() + 1)) == []


def test_all_files_of_a_run_go_and_no_others(tmp_path: Path) -> None:
    for seed in range(3):
        directory = write_result(tmp_path, sample(seed)).parent
        (directory / "state.safetensors").write_bytes(b"x" * 1000)
    assert size_of(tmp_path / sample(0).key) > 1000
    remove_runs(tmp_path, [sample(0).key, sample(2).key])
    assert os.listdir(tmp_path) == [sample(1).key]
    assert [entry.state for entry in scan(tmp_path)] == ["whole"]


def test_nothing_goes_while_one_is_running(tmp_path: Path) -> None:
    keys = [write_result(tmp_path, sample(seed)).parent.name for seed in range(2)]
    with _held(tmp_path, keys[1]) as found:
        assert found == "[True]"
        with pytest.raises(InputError, match=f"^{keys[1]} is running"):
            remove_runs(tmp_path, keys)
        assert sorted(entry.name for entry in scan(tmp_path)) == sorted(keys)
    remove_runs(tmp_path, keys)
    assert scan(tmp_path) == []


@pytest.mark.parametrize("name", ["", ".", "..", "figures", "../other", "0123456789ABCDEF"])
def test_only_directories_of_runs_are_removed(tmp_path: Path, name: str) -> None:
    with pytest.raises(InputError, match="not a key"):
        remove_runs(tmp_path, [name])
    assert tmp_path.is_dir()


def test_what_a_link_points_to_stays(tmp_path: Path) -> None:
    elsewhere = write_result(tmp_path / "elsewhere", sample(0)).parent
    runs = tmp_path / "runs"
    runs.mkdir()
    (runs / sample(0).key).symlink_to(elsewhere)
    remove_runs(runs, [sample(0).key])
    assert os.listdir(runs) == []
    assert (elsewhere / "result.json").is_file()
