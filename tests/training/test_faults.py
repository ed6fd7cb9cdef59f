"""Kills, interruptions, full disks and damaged files: what is done stays, and numbers do not change."""

from __future__ import annotations

import errno
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from longreach.cli.main import run as longreach
from longreach.config.run import RunConfig
from longreach.execution.jobs import Job
from longreach.execution.local import LocalEngine
from longreach.files import ResultError
from longreach.runs.record import run_pending
from longreach.training import checkpoint, job
from longreach.training.job import FUNCTION, run
from longreach.training.result import RESULT, read_result
from tests.execution.test_local import gone
from tests.helpers.result_samples import scan
from tests.helpers.training_functions import CRASHES
from tests.training.test_loop import tiny

HERE = "tests.helpers.training_functions"
OPTIONS = (
    "--layers", "1", "--heads", "1", "--width", "16", "--train-lengths", "1:10", "--test-lengths", "11:20",
    "--max-steps", "300", "--evaluate-every", "100", "--test-size", "50", "--train-on", "--json",
)  # fmt: skip
COMMAND = """
import sys
from longreach.training import job
job.FUNCTION = "tests.helpers.training_functions:run_often"
from longreach.cli.main import main
main(sys.argv[1:])
"""


def _wait(condition: Callable[[], object], patience: float = 120.0) -> None:
    end = time.monotonic() + patience
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.005)


def _full(*_: object) -> int:
    raise OSError(errno.ENOSPC, "No space left on device")


def _drafts(runs: Path) -> list[Path]:
    return list(runs.rglob("*.tmp"))


@pytest.mark.parametrize("end", [signal.SIGINT, signal.SIGKILL])
def test_a_command_that_is_ended_goes_on_with_the_same_numbers(
    tmp_path: Path, end: int, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["train", "parity", *OPTIONS, "--runs", str(tmp_path)]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    command = subprocess.Popen(
        [sys.executable, "-c", COMMAND, *arguments],
        env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    _wait(lambda: list(tmp_path.glob(f"*/{checkpoint.STATE}")))
    workers = _children(command.pid)
    assert workers
    command.send_signal(end)
    out, err = command.communicate(timeout=60)
    assert out == ""
    if end == signal.SIGINT:
        assert command.returncode == 130
        assert err.splitlines()[1:] == ["run the same command again to resume", "interrupted"]
    else:
        assert command.returncode == -end
    assert all(gone(worker) for worker in workers)
    assert [entry.state for entry in scan(tmp_path)] == ["unfinished"]
    assert longreach(arguments) == 0
    (member,) = json.loads(capsys.readouterr().out)["runs"]
    result = read_result(tmp_path, member["key"])
    assert result.final is not None
    assert int(str(result.final.details["resumed"])) > 0
    assert result.rows == run(result.config).rows


def _children(parent: int) -> list[int]:
    found = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text(encoding="utf-8").rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[1]) == parent:
            found.append(int(path.parent.name))
    return found


def _one(function: str, config: RunConfig, runs: Path) -> Any:
    (result,) = run_pending([Job.of(f"{HERE}:{function}", config.document())], runs, LocalEngine(workers=1))
    return result


def test_a_worker_that_is_killed_goes_on_from_its_state(tmp_path: Path) -> None:
    config = tiny()
    result = _one("die_once", config, tmp_path)
    assert (tmp_path / config.key / "died").exists()
    assert result.final.details["resumed"] == 24
    assert result.rows == run(config.document()).rows


def test_no_space_for_a_state(tmp_path: Path) -> None:
    config = tiny()
    failed = _one("full_disk", config, tmp_path)
    path = tmp_path / config.key / checkpoint.STATE
    first = f"longreach.files.ResultError: {path}: cannot be written: No space left on device"
    assert (failed.status, failed.error.splitlines()[0]) == ("failed", first)
    assert _drafts(tmp_path) == []
    assert not path.exists()
    result = _one("full_disk", config, tmp_path)
    assert result.rows == run(config.document()).rows


def test_no_space_for_the_result_leaves_the_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    config = tiny()
    directory = tmp_path / config.key
    write = job.write_into

    def full(*arguments: Any) -> Path:
        with monkeypatch.context() as patched:
            patched.setattr(os, "fsync", _full)
            return write(*arguments)

    monkeypatch.setattr(job, "write_into", full)
    with pytest.raises(ResultError, match=r"result.json: cannot be written: No space left on device$"):
        run(config.document(), directory, checkpoint_seconds=0)
    assert (directory / checkpoint.STATE).exists()
    assert not (directory / RESULT).exists()
    assert _drafts(tmp_path) == []
    monkeypatch.undo()
    result = run(config.document(), directory)
    assert result.final is not None
    assert result.final.details["resumed"] == 60  # nothing is trained again
    assert result.rows == run(config.document()).rows


def test_a_command_on_a_full_disk_says_so_in_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["train", "parity", *OPTIONS, "--max-steps", "5", "--runs", str(tmp_path)]
    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", _full)
        assert longreach(arguments) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.endswith("cannot be written: No space left on device\n")
    announced, complaint = captured.err.splitlines()
    assert announced.startswith("1 run, about ")
    assert complaint.startswith(str(tmp_path))
    assert _drafts(tmp_path) == []
    assert longreach(arguments) == 0


def test_a_damaged_result_is_trained_again(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["train", "parity", *OPTIONS, "--max-steps", "5", "--runs", str(tmp_path)]
    assert longreach(arguments) == 0
    (member,) = json.loads(capsys.readouterr().out)["runs"]
    path = tmp_path / member["key"] / RESULT
    whole = read_result(tmp_path, member["key"])
    path.write_bytes(path.read_bytes()[:100])
    assert longreach(arguments) == 0
    (again,) = json.loads(capsys.readouterr().out)["runs"]
    assert again["accuracy"] == member["accuracy"]
    assert read_result(tmp_path, member["key"]).rows == whole.rows


@pytest.mark.slow
def test_many_jobs_and_some_crashes(tmp_path: Path) -> None:
    fields = {"max_steps": 1, "width": 4, "batch": 2, "test_size": 2, "train_lengths": (1, 3)}
    configs = [tiny(seed=seed, test_lengths=((4, 5),), **fields) for seed in range(100)]
    jobs = [Job.of(f"{HERE}:run_or_die", config.document()) for config in configs]
    results = list(run_pending(jobs, tmp_path, LocalEngine(workers=2)))
    assert len(results) == 100
    failed = {result.seed for result in results if result.status == "failed"}
    assert failed == set(CRASHES)
    for result in results:
        assert read_result(tmp_path, result.key) == result
        if result.status == "failed":
            assert str(result.error).startswith("its worker process was ended by SIGKILL, in 2 attempts")
    (tmp_path / "healed").touch()
    again = list(run_pending(jobs, tmp_path, LocalEngine(workers=2)))
    assert {(result.seed, result.status) for result in again} == {(seed, "done") for seed in CRASHES}


def test_the_job_is_found_by_its_name() -> None:
    module, _, name = FUNCTION.partition(":")
    assert getattr(sys.modules[module], name) is run
