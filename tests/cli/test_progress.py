"""Tests of `cli.progress`."""

from __future__ import annotations

import io
import json
import sys
import threading
import time
from pathlib import Path

import pytest

from longreach.cli import progress
from longreach.cli import progress as module
from longreach.cli import progress as stages
from longreach.cli.progress import Bar, announce, counted_stages, show_bars
from longreach.runs.plan import Plan
from longreach.training.result import PROGRESS
from tests.helpers.result_samples import sample

# Stages on standard error: quiet in a pipe, a line after some time.


def test_a_pipe_hears_a_line_now_and_then(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with counted_stages() as stage:
        stage("reading", 10)(3)
    assert capsys.readouterr().err == ""
    monkeypatch.setattr(module, "LINE_SECONDS", 0.0)
    with counted_stages() as stage:
        advance = stage("reading", 10)
        advance(3)
        advance(4)
    assert capsys.readouterr().err.splitlines() == ["reading: 3 of 10", "reading: 7 of 10"]
    with counted_stages(silent=True) as stage:
        stage("reading", 10)(3)
    assert capsys.readouterr() == ("", "")


# Bars are shown on a terminal only, and follow what jobs say of themselves.


RESULT = sample(0)
BARS = [Bar(RESULT.key, "parity seed 0", 100), Bar("f" * 16, "parity seed 1", None)]


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_nothing_in_a_pipe_that_is_soon_done(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with show_bars(BARS, tmp_path, total=2) as ended:
        ended(RESULT)
    assert capsys.readouterr() == ("", "")


def test_a_line_now_and_then_in_a_pipe(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(progress, "LINE_SECONDS", 0.02)
    (tmp_path / BARS[1].key).mkdir()
    (tmp_path / BARS[1].key / PROGRESS).write_text('{"step": 42}', encoding="utf-8")
    told, end = "", time.monotonic() + 30
    with show_bars(BARS, tmp_path, total=7) as ended:
        while "5 of 7 runs done" not in told:
            assert time.monotonic() < end
            time.sleep(0.02)
            told += capsys.readouterr().err
        ended(RESULT)
        while "6 of 7 runs done" not in told:
            assert time.monotonic() < end
            time.sleep(0.02)
            told += capsys.readouterr().err
    assert "5 of 7 runs done; parity seed 1 at step 42\n" in told
    assert "6 of 7 runs done, the rest in about 1 second; parity seed 1 at step 42\n" in told


@pytest.mark.parametrize(
    ("done", "pending", "known", "most", "said"),
    [
        (0, 3, None, 100.0, "3 runs, about 100 seconds on 2 cores\n"),
        (2, 1, 240.0, None, "3 runs, 2 done before, about 4 minutes on 2 cores\n"),
        (3, 0, None, None, "3 runs, done before\n"),
        (0, 1, None, 3600.0, "1 run, about 60 minutes on 2 cores\nfor less: wait\n"),
    ],
)
def test_what_is_said_before_it_starts(
    capsys: pytest.CaptureFixture[str],
    done: int, pending: int, known: float | None, most: float | None, said: str,
) -> None:  # fmt: skip
    plan = Plan(
        jobs=done + pending, done=done, failed=0, pending=pending, estimated=0 if most else pending,
        seconds=known, seconds_at_most=most,
    )  # fmt: skip
    announce(plan, 2, less="wait", stops_early=False)
    assert capsys.readouterr() == ("", said)


@pytest.mark.parametrize("total", [None, 7])
def test_bars_follow_the_jobs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, total: int | None) -> None:
    screen = Terminal()
    monkeypatch.setattr(sys, "stderr", screen)
    monkeypatch.setattr(progress, "WATCH_SECONDS", 0.01)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "200")
    said = {"step": 42, "loss": 0.125, "accuracy": {"1-50": 0.5}}
    (tmp_path / RESULT.key).mkdir()
    (tmp_path / RESULT.key / PROGRESS).write_text(json.dumps(said), encoding="utf-8")
    (tmp_path / BARS[1].key).mkdir()
    (tmp_path / BARS[1].key / PROGRESS).write_text("{", encoding="utf-8")
    with show_bars(BARS, tmp_path, total=total) as ended:
        end = time.monotonic() + 30
        while "loss 0.1250" not in screen.getvalue():
            assert time.monotonic() < end
            time.sleep(0.02)
        ended(RESULT)
    shown = screen.getvalue()
    assert "parity seed 0" in shown
    assert "42/100" in shown
    assert "1-50 50.0 %" in shown
    assert ("5/7" in shown) == ("runs" in shown) == (total is not None)
    assert "parity seed 1" not in shown  # it has not begun


def test_short_work_is_not_spoken_of(capsys: pytest.CaptureFixture[str]) -> None:
    with stages.stage("compiling"):
        pass
    assert capsys.readouterr() == ("", "")


def test_long_work_is_said_now_and_then(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stages, "FIRST_SECONDS", 0.02)
    monkeypatch.setattr(stages, "THEN_SECONDS", 0.02)
    said: list[str] = []
    twice = threading.Event()

    def listen(message: str) -> None:
        said.append(message)
        if len(said) == 2:
            twice.set()

    monkeypatch.setattr(stages, "note", listen)
    with stages.stage("verifying words"):
        assert twice.wait(20)
    assert said[0] == "verifying words: 0 s so far"
    ended = len(said)
    time.sleep(0.1)
    assert len(said) == ended
    assert capsys.readouterr().out == ""


def test_an_error_passes_and_ends_the_talk() -> None:
    before = threading.active_count()
    with pytest.raises(KeyError), stages.stage("compiling"):
        raise KeyError
    assert threading.active_count() == before


def test_a_terminal_sees_it_at_once(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    monkeypatch.setenv("TERM", "xterm")
    with stages.stage("compiling [1] \x1b[2J"):
        time.sleep(0.2)
    found = capsys.readouterr()
    assert "compiling [1] \\x1b[2J" in found.err
    assert found.out == ""
