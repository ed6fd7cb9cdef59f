"""A run goes whole or not at all, and none goes while one of them is running."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from longreach.errors import InputError
from longreach.results.files import write_result
from longreach.results.removal import remove_runs, size_of
from tests.helpers.result_samples import sample, scan

HOLD = (
    "import sys, time; from pathlib import Path; from longreach.results.locks import Claims\n"
    "claims = Claims(Path(sys.argv[1])); print(claims.take(sys.argv[2]), flush=True); sys.stdin.read()"
)


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
    command = [sys.executable, "-c", HOLD, str(tmp_path), keys[1]]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "True\n"
        with pytest.raises(InputError, match=f"^{keys[1]} is running"):
            remove_runs(tmp_path, keys)
        assert sorted(entry.name for entry in scan(tmp_path)) == sorted(keys)
        other.communicate("")
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
