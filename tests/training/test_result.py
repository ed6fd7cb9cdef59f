"""Tests of `training.result`."""

from __future__ import annotations

import errno
import json
import math
import os
import pickle
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

import longreach
from longreach import files as atomic
from longreach.errors import InputError
from longreach.files import ResultError
from longreach.training import result as provenance
from longreach.training.result import (
    RESULT,
    Evaluation,
    Final,
    Result,
    clean,
    named,
    read_result,
    setting,
    write_result,
)
from tests.helpers.examples import at_most
from tests.helpers.paths import ROOT
from tests.helpers.result_samples import sample, sample_failure, scan


def _states(runs: Path) -> dict[str, str]:
    return {entry.name: entry.state for entry in scan(runs)}


def test_written_results_are_read_back(tmp_path: Path) -> None:
    result = sample()
    path = write_result(tmp_path / "new" / "runs", result)
    assert path == tmp_path / "new" / "runs" / result.key / "result.json"
    assert read_result(tmp_path / "new" / "runs", result.key) == result
    assert [entry.result for entry in scan(tmp_path / "new" / "runs")] == [result]


def test_a_new_result_replaces_the_old_one(tmp_path: Path) -> None:
    write_result(tmp_path, sample_failure())
    write_result(tmp_path, sample())
    assert read_result(tmp_path, sample().key).status == "done"
    assert os.listdir(tmp_path / sample().key) == ["result.json"]


KILLED = """
import os, signal, sys
from longreach.training.result import write_result
from tests.helpers.result_samples import sample

def die(*_: object) -> None:
    os.kill(os.getpid(), signal.SIGKILL)

real_write = os.write
def half(handle, content):
    real_write(handle, content[: len(content) // 2])
    die()

where = sys.argv[2]
if where == "write":
    os.write = half
else:
    setattr(os, where, die)
write_result(sys.argv[1], sample())
"""


@pytest.mark.parametrize("where", ["open", "write", "fsync", "replace"])
@pytest.mark.parametrize("before", ["nothing", "failed"])
def test_a_kill_during_a_write_leaves_the_old_state(tmp_path: Path, where: str, before: str) -> None:
    if before == "failed":
        write_result(tmp_path, sample_failure())
    root = ROOT
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(root), *sys.path])}
    done = subprocess.run(
        [sys.executable, "-c", KILLED, str(tmp_path), where],
        env=environment,
        capture_output=True,
        check=False,
    )
    assert done.returncode == -signal.SIGKILL
    key = sample().key
    drafts = list((tmp_path / key).glob(".*.tmp"))
    assert len(drafts) == (where in ("write", "replace") or (where == "fsync" and before == "failed"))
    if before == "failed":
        assert read_result(tmp_path, key) == sample_failure()
    else:
        assert _states(tmp_path) == {key: "unfinished"}
    write_result(tmp_path, sample())
    assert read_result(tmp_path, key) == sample()
    assert clean(tmp_path) == len(drafts)
    assert os.listdir(tmp_path / key) == ["result.json"]


def test_a_draft_that_is_being_written_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = []

    def slow(handle: int) -> None:
        seen.append(clean(tmp_path))

    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", slow)
        write_result(tmp_path, sample())
    assert set(seen) == {0}
    assert read_result(tmp_path, sample().key) == sample()


def test_without_locks_only_old_drafts_go(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(atomic, "lock_file", lambda _: "unknown")
    write_result(tmp_path, sample())
    draft = tmp_path / sample().key / f".{RESULT}.0123456789abcdef.tmp"
    draft.write_bytes(b"{")
    assert clean(tmp_path) == 0
    old = time.time() - 2 * atomic.LEFTOVER_AGE
    os.utime(draft, (old, old))
    assert clean(tmp_path) == 1
    assert os.listdir(tmp_path / sample().key) == [RESULT]


def _full(*_: Any, **__: Any) -> None:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


@pytest.mark.parametrize("call", ["open", "write", "fsync", "replace", "mkdir"])
def test_a_full_disk_leaves_nothing_new(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: str) -> None:
    with monkeypatch.context() as patched:
        patched.setattr(os, call, _full)
        with pytest.raises(ResultError) as caught:
            write_result(tmp_path, sample())
    assert caught.value.message.endswith(": No space left on device")
    assert str(tmp_path / sample().key) in caught.value.message
    assert list(tmp_path.iterdir()) == []
    write_result(tmp_path, sample())
    assert _states(tmp_path) == {sample().key: "whole"}


@pytest.mark.parametrize("call", ["open", "write", "fsync", "replace"])
def test_a_full_disk_leaves_the_old_result(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: str
) -> None:
    write_result(tmp_path, sample_failure())
    with monkeypatch.context() as patched:
        patched.setattr(os, call, _full)
        with pytest.raises(InputError, match="cannot be written: No space left on device"):
            write_result(tmp_path, sample())
    assert read_result(tmp_path, sample().key) == sample_failure()
    assert os.listdir(tmp_path / sample().key) == ["result.json"]


def test_the_order_of_flushes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[str] = []
    with monkeypatch.context() as patched:
        for name in ("write", "fsync", "replace"):
            real = getattr(os, name)
            patched.setattr(os, name, lambda *a, name=name, real=real: [calls.append(name), real(*a)][1])
        write_result(tmp_path, sample())
    # The new directory in its parent; then the content before the name, and the name.
    assert calls == ["fsync", "write", "fsync", "replace", "fsync"]


def test_writes_in_small_pieces(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write = os.write
    with monkeypatch.context() as patched:
        patched.setattr(os, "write", lambda handle, content: write(handle, content[:100]))
        write_result(tmp_path, sample())
    assert read_result(tmp_path, sample().key) == sample()


def test_a_really_full_disk(tmp_path: Path) -> None:
    command = ["mount", "-t", "tmpfs", "-o", "size=32k", "tmpfs", str(tmp_path)]
    try:
        mounted = subprocess.run(command, capture_output=True, check=False).returncode == 0
    except OSError:
        mounted = False
    if not mounted:
        pytest.skip("left out: needs the right to mount a file system")
    try:
        small = sample(rows=())
        write_result(tmp_path, small)
        with pytest.raises(ResultError, match="cannot be written: No space left on device"):
            [write_result(tmp_path, sample(seed, rows=sample().rows * 20)) for seed in range(1, 50)]
        states = set(_states(tmp_path).values())
        assert states == {"whole"}
        assert not list(tmp_path.rglob("*.tmp"))
        assert read_result(tmp_path, small.key) == small
    finally:
        subprocess.run(["umount", str(tmp_path)], check=True)


TEXT = sample().model_dump_json(indent=1).encode()


@settings(max_examples=at_most(60))
@given(st.integers(0, len(TEXT) - 1))
def test_a_truncated_file_is_reported(tmp_path_factory: pytest.TempPathFactory, length: int) -> None:
    runs = tmp_path_factory.mktemp("runs")
    path = write_result(runs, sample())
    path.write_bytes(TEXT[:length])
    (entry,) = scan(runs)
    assert entry.state == "damaged"
    assert entry.problem is not None
    assert entry.problem.startswith(f"{path}: ")
    assert "\n" not in entry.problem


@settings(max_examples=at_most(60))
@given(st.integers(0, len(TEXT) - 1), st.integers(0, 255))
def test_a_changed_byte_never_crashes(
    tmp_path_factory: pytest.TempPathFactory, place: int, byte: int
) -> None:
    runs = tmp_path_factory.mktemp("runs")
    path = write_result(runs, sample())
    path.write_bytes(TEXT[:place] + bytes([byte]) + TEXT[place + 1 :])
    (entry,) = scan(runs)
    assert entry.state in ("whole", "damaged")


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"null",
        b"[]",
        b"{}",
        b"\x00" * 4096,
        b"\xff\xfe",
        b"[" * 100_000,
        b'{"a":' * 100_000,
        b"9" * 10_000,
        pickle.dumps(sample()),
        TEXT.replace(b'"version": 1', b'"version": 2'),
        TEXT.replace(b'"seed": 0', b'"seed": ' + b"9" * 5000),
        TEXT.replace(b'"seed": 0', b'"seed": NaN'),
    ],
    ids=range(13),
)
def test_damaged_files_are_reported_and_skipped(tmp_path: Path, content: bytes) -> None:
    write_result(tmp_path, sample(1))
    write_result(tmp_path, sample()).write_bytes(content)
    assert _states(tmp_path) == {sample(1).key: "whole", sample().key: "damaged"}
    with pytest.raises(ResultError):
        read_result(tmp_path, sample().key)


def test_strange_directories(tmp_path: Path) -> None:
    whole = write_result(tmp_path, sample())
    names = [f"{number:016x}" for number in range(6)]
    for name in names:
        (tmp_path / name).mkdir()
    (tmp_path / names[0] / "checkpoint.pt").write_bytes(b"half")
    (tmp_path / names[1] / "result.json").mkdir()
    os.mkfifo(tmp_path / names[2] / "result.json")
    (tmp_path / names[3] / "result.json").symlink_to(names[3])  # to itself
    (tmp_path / names[4] / "result.json").write_bytes(whole.read_bytes())  # copied under another name
    (tmp_path / names[5] / ".result.json.0.tmp").write_bytes(b"{")
    (tmp_path / "figures").mkdir()
    (tmp_path / "notes.txt").write_text("mine", encoding="utf-8")
    (tmp_path / "dangling").symlink_to(tmp_path / "nowhere")
    (tmp_path / os.fsdecode(b"\xff")).mkdir()
    states = ["unfinished", "damaged", "damaged", "damaged", "damaged", "unfinished"]
    # A link to itself may count as absent or as damaged, but must not stop the others.
    found = _states(tmp_path)
    assert found.pop(names[3]) in ("damaged", "unfinished")
    assert found == {
        sample().key: "whole",
        **{name: state for name, state in zip(names, states, strict=True) if name != names[3]},
    }


def test_directories_that_vanish_or_forbid(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_result(tmp_path, sample())

    def refuse(*_: object) -> int:
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr("longreach.files._opened_at_once", refuse)
    (entry,) = scan(tmp_path)
    assert entry.problem is not None
    assert entry.problem.endswith("cannot be read: Permission denied")


def test_bad_arguments(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"runs: .*: no such directory"):
        list(scan(tmp_path / "absent"))
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(InputError, match=r"runs: .*: not a directory"):
        list(scan(tmp_path / "file"))
    with pytest.raises(ResultError, match=r"cannot be created: (Not a directory|File exists)"):
        write_result(tmp_path / "file", sample())
    with pytest.raises(ResultError, match="not Unicode text"):
        write_result(tmp_path, sample_failure(error="\udcff"))
    with pytest.raises(ResultError, match="not a key"):
        read_result(tmp_path, "../file")
    with pytest.raises(ResultError, match="no such file"):
        read_result(tmp_path, "0" * 16)


def test_the_version_of_a_checkout_names_its_commit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "src" / "longreach" / "__init__.py"
    package.parent.mkdir(parents=True)
    package.write_text("", encoding="utf-8")
    monkeypatch.setattr(longreach, "__file__", str(package))
    describe = provenance.code_version.__wrapped__
    assert describe() == longreach.__version__
    git = ["git", "-C", str(tmp_path), "-c", "user.name=a", "-c", "user.email=a@b"]
    for arguments in (["init", "-q"], ["add", "."], ["commit", "-qm", "first"]):
        subprocess.run([*git, *arguments], check=True)
    clean = describe()
    assert clean.startswith(f"{longreach.__version__}+")
    assert not clean.endswith("-dirty")
    package.write_text("changed", encoding="utf-8")
    assert describe() == f"{clean}-dirty"
    monkeypatch.setenv("PATH", "")
    assert describe() == longreach.__version__


def test_packages() -> None:
    found = provenance.package_versions()
    assert {"python", "numpy"} <= found.keys()
    found["numpy"] = "changed"
    assert provenance.package_versions()["numpy"] != "changed"


@pytest.mark.parametrize("result", [sample(), sample_failure()], ids=["done", "failed"])
def test_documents_survive_the_way_through_a_file(result: Result) -> None:
    assert Result.model_validate_json(result.model_dump_json()) == result


def test_a_diverged_loss_stays_json_and_a_number() -> None:
    result = sample(rows=(Evaluation(step=1, loss=math.nan, other={"norm": math.inf}),))
    text = result.model_dump_json()
    json.loads(text, parse_constant=lambda name: pytest.fail(f"{name} is not JSON"))
    (row,) = Result.model_validate_json(text).rows
    assert row.loss is not None
    assert math.isnan(row.loss)
    assert row.other == {"norm": math.inf}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"key": "0" * 16}, "is not that of the config"),
        ({"error": "but done"}, "one that is done has none"),
        ({"status": "failed"}, "a failed job has an error"),
        ({"final": None}, "has final numbers"),
        ({"checkpoints": ("../../secret",)}, "does not lie in the job's directory"),
        ({"checkpoints": ("/etc/passwd",)}, "does not lie in the job's directory"),
        ({"checkpoints": ("",)}, "does not lie in the job's directory"),
        ({"version": 2}, "Input should be 1"),
        ({"seed": 2**63}, "Input should be less than"),
        ({"surprise": 1}, "Extra inputs are not permitted"),
    ],
)
def test_inconsistent_documents_are_refused(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ValidationError, match=message):
        sample(**changes)


def test_details_are_json() -> None:
    assert Final(steps=1, details={"matrix": [[1, 0.5]]}).details == {"matrix": [[1, 0.5]]}
    with pytest.raises(ValidationError, match=r"details\.matrix\[0\]"):
        Final(steps=1, details={"matrix": [math.nan]})


def test_settings_are_found_on_top_and_one_level_below() -> None:
    config = {"task": {"name": "parity"}, "model": {"encoding": "ape", "layers": 2}, "seed": 1}
    assert (named(config, "task"), named(config, "encoding"), named(config, "seed")) == (
        "parity",
        "ape",
        None,
    )
    assert setting(config, "layers") == 2
    assert setting(config, "absent") is None
