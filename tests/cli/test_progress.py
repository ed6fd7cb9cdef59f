"""Bars are shown on a terminal only, and follow what jobs say of themselves."""

from __future__ import annotations

import io
import json
import sys
import time
from pathlib import Path

import pytest

from longreach.cli import progress
from longreach.cli.progress import Bar, show_bars
from longreach.training.checkpoint import PROGRESS
from tests.helpers.result_samples import sample

RESULT = sample(0)
BARS = [Bar(RESULT.key, "parity seed 0", 100), Bar("f" * 16, "parity seed 1", None)]


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_nothing_without_a_terminal(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with show_bars(BARS, tmp_path, total=2) as ended:
        ended(RESULT)
    assert capsys.readouterr() == ("", "")


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
