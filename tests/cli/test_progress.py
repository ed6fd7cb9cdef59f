"""Bars are shown on a terminal only, and follow what jobs say of themselves."""

from __future__ import annotations

import io
import json
import sys
import time
from pathlib import Path

import pytest

from longreach.cli import progress
from longreach.cli.progress import Bar, announce, show_bars
from longreach.execution.plan import Plan
from longreach.experiments.planning import Planned
from longreach.results.running_members import PROGRESS
from tests.helpers.result_samples import sample

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
        seconds=known,
    )  # fmt: skip
    announce(Planned(plan, most), 2, less="wait", stops_early=False)
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
    assert ("5/7" in shown) == ("members" in shown) == (total is not None)
    assert "parity seed 1" not in shown  # it has not begun
