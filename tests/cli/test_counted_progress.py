"""Stages on standard error: quiet in a pipe, a line after some time."""

from __future__ import annotations

import pytest

from longreach.cli import counted_progress as module
from longreach.cli.counted_progress import counted_stages


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
