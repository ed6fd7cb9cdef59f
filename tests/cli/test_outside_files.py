"""Commands read regular files alone: a pipe would keep them waiting, and a device may have no end."""

from __future__ import annotations

import os
import signal
import socket
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.cli.conftest import Call

PATIENCE = 60
KEY = "0123456789abcdef"


def _socket(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(path.name)  # whole, it may be too long


KINDS: dict[str, Callable[[Path], object]] = {
    "pipe": os.mkfifo,
    "device": lambda path: path.symlink_to("/dev/zero"),
    "socket": _socket,
    "directory": os.mkdir,
}


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """An empty directory, in which a command that waits for ever is ended."""
    monkeypatch.chdir(tmp_path)
    before = signal.signal(signal.SIGALRM, signal.default_int_handler)
    signal.alarm(PATIENCE)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "command",
    [
        "verify odd",
        "language --file odd",
        "language --dfa odd",
        "crasp run odd a",
        "crasp run lib:aa --input odd",
        "crasp synthesize --examples odd",
        "forecast dfa:odd",
        "forecast crasp:odd",
        "forecast data:odd",
        "communicate dfa:odd",
    ],
)
def test_other_than_regular_files_are_refused_at_once(longreach: Call, command: str, kind: str) -> None:
    KINDS[kind](Path("odd"))
    done = longreach(*command.split())
    assert (done.code, done.out) == (2, "")
    assert done.err.removeprefix("TASK: ") == f"odd: is a {kind}, not a file\n"


@pytest.mark.parametrize("kind", KINDS)
def test_a_result_that_is_no_file_is_named_and_holds_nobody_up(longreach: Call, kind: str) -> None:
    Path("runs", KEY).mkdir(parents=True)
    result = Path("runs", KEY, "result.json")
    KINDS[kind](Path("odd"))
    Path("odd").rename(result)
    said = f"{result}: is a {kind}, not a file"
    done = longreach("results", "show", KEY)
    assert (done.code, done.out, done.err) == (2, "", f"{said}\n")
    for command in ("list", "export"):
        done = longreach("results", command)
        assert (done.code, done.err.splitlines()[-1]) == (0, f"skipped: {said}")
    assert longreach("report").code == 0


@pytest.mark.parametrize("kind", KINDS)
def test_models_and_texts_that_are_no_files(longreach: Call, kind: str) -> None:
    KINDS[kind](Path("odd"))
    Path("model").mkdir()
    for name in ("config.json", "model.safetensors"):
        Path("model", name).symlink_to(Path("odd").absolute())
    for command in ("inspect model", "perplexity model odd", "limit info model"):
        done = longreach(*command.split())
        assert (done.code, done.out, len(done.err.splitlines())) == (2, "", 1), command
