"""The index follows the files: new, changed, deleted, damaged; and it can be lost at any time."""

from __future__ import annotations

import math
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from longreach.files import ResultError
from longreach.runs import index as module
from longreach.runs.index import INDEX, Index, read_index, write_index
from longreach.training.result import Final, write_result
from tests.helpers.result_samples import sample, sample_failure


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    """Six whole results, one failed, one damaged, one unfinished."""
    for seed in range(3):
        write_result(tmp_path, sample(seed))
        write_result(tmp_path, sample(seed, config={"task": "copy-unique", "encoding": "nope"}))
    write_result(tmp_path, sample_failure(7))
    write_result(tmp_path, sample(8)).write_text("{", encoding="utf-8")
    (tmp_path / ("0" * 16)).mkdir()
    return tmp_path


def _seeds(index: Index, **filters: str) -> list[int | None]:
    return [row.seed for row in index.rows(**filters)]  # type: ignore[arg-type]


def test_queries(runs: Path) -> None:
    with read_index(runs) as index:
        assert len(index.rows()) == 8
        assert _seeds(index, task="parity") == [0, 1, 2, 7]
        assert _seeds(index, task="parity", status="done") == [0, 1, 2]
        assert _seeds(index, encoding="nope") == [0, 1, 2]
        assert _seeds(index, status="failed") == [7]
        assert [row.key for row in index.rows(status="damaged")] == [sample(8).key]
        assert index.rows(task="'; DROP TABLE entries; --") == []
        assert index.names("task") == ["copy-unique", "parity"]
        assert index.unfinished == ("0" * 16,)


def test_rows_hold_the_final_numbers(runs: Path) -> None:
    result = sample(0)
    with read_index(runs) as index:
        (row,) = [row for row in index.rows() if row.key == result.key]
    assert result.final is not None
    assert (row.task, row.encoding, row.seed, row.status) == ("parity", "ape", 0, "done")
    assert (row.steps, row.seconds, row.reached, row.loss) == (100, 2.5, True, 0.1)
    assert row.accuracy == result.final.accuracy
    assert row.config == result.config
    assert row.started == "2026-01-31T12:00:00+00:00"


def test_a_diverged_loss_is_told_from_a_missing_one(tmp_path: Path) -> None:
    write_result(tmp_path, sample(0, final=Final(steps=1, loss=math.nan, other={"norm": math.inf})))
    write_result(tmp_path, sample(1, final=Final(steps=1)))
    with read_index(tmp_path) as index:
        first, second = index.rows()
    assert first.loss is not None
    assert math.isnan(first.loss)
    assert first.other == {"norm": math.inf}
    assert second.loss is None


def test_only_what_changed_is_read(runs: Path) -> None:
    with write_index(runs) as index:
        assert index.read == 8
    with read_index(runs) as index:
        assert index.read == 0
    write_result(runs, sample(7))  # in place of the failed one
    shutil.rmtree(runs / sample(0).key)
    write_result(runs, sample(8))  # in place of the damaged one
    write_result(runs, sample(9))
    with read_index(runs) as index:
        assert index.read == 3
        assert _seeds(index, task="parity", status="done") == [1, 2, 7, 8, 9]
        assert _seeds(index, status="failed") == _seeds(index, status="damaged") == []
        (row,) = [row for row in index.rows(task="parity") if row.seed == 7]
        assert (row.error, row.steps) == (None, 100)


def test_a_change_that_keeps_time_and_size_is_seen(tmp_path: Path) -> None:
    path = write_result(tmp_path, sample())
    with write_index(tmp_path):
        pass
    before = path.stat()
    other = path.with_name("other")
    other.write_bytes(path.read_bytes().replace(b'"loss": 0.1', b'"loss": 0.9'))
    os.utime(other, ns=(before.st_atime_ns, before.st_mtime_ns))
    os.replace(other, path)
    assert path.stat().st_size == before.st_size
    with read_index(tmp_path) as index:
        assert (index.read, index.rows()[0].loss) == (1, 0.9)


@pytest.mark.parametrize("damage", ["garbage", "truncated", "other schema", "other tables", "flipped"])
def test_a_damaged_index_is_built_anew(runs: Path, damage: str) -> None:
    path = runs / INDEX
    if damage == "garbage":
        path.write_bytes(b"not a database" * 100)
    elif damage == "other schema":
        with sqlite3.connect(path) as other:
            other.execute("CREATE TABLE entries (name)")
            other.execute("PRAGMA user_version = 99")
        other.close()
    elif damage == "other tables":
        with sqlite3.connect(path) as other:
            other.execute("CREATE TABLE elsewhere (name)")
        other.close()
    else:
        with write_index(runs):
            pass
        content = path.read_bytes()
        if damage == "truncated":
            path.write_bytes(content[: len(content) // 2])
        else:
            path.write_bytes(content[:4096] + bytes(255 - byte for byte in content[4096:]))
    with read_index(runs) as index:
        assert _seeds(index, task="parity") == [0, 1, 2, 7]
    with write_index(runs) as index:
        assert index.path == path
    with read_index(runs) as index:
        assert index.read == 0


def test_a_rebuilt_index_is_the_same(runs: Path) -> None:
    with read_index(runs) as index:
        before = index.rows()
    with write_index(runs) as index:
        assert index.read == 8
        assert index.rows() == before


def test_where_nothing_can_be_written_the_index_is_in_memory(runs: Path) -> None:
    (runs / INDEX).mkdir()  # SQLite cannot open this, even for root
    with read_index(runs) as index:
        assert index.path is None
        assert _seeds(index, task="parity") == [0, 1, 2, 7]
    with pytest.raises(ResultError, match=r"index\.sqlite: cannot be written"):
        write_index(runs)


def test_another_writer_is_not_disturbed(runs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with write_index(runs):
        pass
    monkeypatch.setattr(module, "PATIENCE", 0.05)
    writer = sqlite3.connect(runs / INDEX, isolation_level=None)
    writer.execute("BEGIN EXCLUSIVE")
    with read_index(runs) as index:
        assert len(index.rows()) == 8
    writer.execute("ROLLBACK")
    writer.close()


KILLED = """
import os, signal, sys
from longreach.runs import index
store, count = index._store, 0
def stop(*arguments):
    global count
    count += 1
    store(*arguments)
    if count == 4:
        os.kill(os.getpid(), signal.SIGKILL)
index._store = stop
index.write_index(sys.argv[1])
"""


def test_a_kill_while_the_index_is_written(runs: Path) -> None:
    command = [sys.executable, "-c", KILLED, str(runs)]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(command, env=environment, capture_output=True, check=False)
    assert done.returncode == -signal.SIGKILL
    with read_index(runs) as index:
        assert (index.read, len(index.rows())) == (8, 8)


def test_names_that_are_not_unicode(tmp_path: Path) -> None:
    directory = tmp_path / os.fsdecode(b"odd-\xff")
    directory.mkdir()
    (directory / "result.json").write_text("{}", encoding="utf-8")
    with write_index(tmp_path) as index:
        (row,) = index.rows()
        assert row.status == "damaged"
    with read_index(tmp_path) as index:
        assert index.read == 0
