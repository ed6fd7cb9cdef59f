"""What a node of a cluster does with a job, in this process."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from longreach.execution import local as node
from longreach.execution.jobs import ExecutionError, Failure, Job

HERE = "tests.helpers.job_functions"


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
