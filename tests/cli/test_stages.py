from __future__ import annotations

import sys
import threading
import time

import pytest

from longreach.cli import stages


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
