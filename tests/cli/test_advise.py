from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.conftest import Outcome
from tests.helpers.made_up_training import replace_training

Call = Callable[..., Outcome]


def test_theory_alone_writes_nothing(
    longreach: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    done = longreach("advise", "parity", "--minutes", 0)
    assert done.code == 0
    assert "What would help, by theory" in done.out
    assert "longreach train parity+scratchpad --encoding coupled-local --seeds 3" in done.out
    document = json.loads(longreach("advise", "parity", "--minutes", 0, "--json").out)
    assert (document["page"], document["original"]) == (None, None)
    assert list(tmp_path.iterdir()) == []


def test_what_was_tried(longreach: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    replace_training(monkeypatch, lambda member: member.encoding == "coupled-local")
    done = longreach("advise", "copy-repeat", "--runs", tmp_path)
    assert done.code == 0
    row = next(line for line in done.out.splitlines() if line.startswith("copy-repeat with coupled-local"))
    assert row.split()[3:] == ["100.0", "%", "100.0", "%", "100.0", "%", "2", "of", "2", "runs", "work"]
    assert "copy-repeat with coupled-local works" in (tmp_path / "advise-copy-repeat.html").read_text("utf-8")
    out = tmp_path / "mine.html"
    document = json.loads(longreach("advise", "copy-repeat", "--runs", tmp_path, "--out", out, "--json").out)
    assert document["page"] == str(out)
    assert document["advice"][0]["works"] is True
    assert out.is_file()


def test_an_interruption_shows_what_there_is(
    longreach: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    replace_training(monkeypatch, lambda member: None, interrupt=True)
    done = longreach("advise", "parity", "--runs", tmp_path)
    assert done.code == 130
    assert "no run has finished" in done.out
    assert "the same command goes on where it was" in done.err


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (("paritty",), "TASK: no task is named 'paritty'"),
        (("parity", "--minutes", "-1"), "--minutes: -1 is no number of minutes"),
        (("parity", "--seeds", "0"), "--seeds: 0 is less than 1"),
        (("addition", "--train-to", "4"), "--train-to: 4 is not above the shortest input"),
        (("parity", "--out", "none/x.html"), "--out: none/x.html: no such directory"),
        (("parity", "--alphabet", "ab"), "--alphabet: "),
        (("sort", "--scratchpad"), "TASK: sort+scratchpad: no steps"),
    ],
)
def test_bad_input_is_one_line(
    longreach: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...], error: str
) -> None:
    monkeypatch.chdir(tmp_path)
    done = longreach("advise", *arguments)
    assert (done.code, done.out) == (2, "")
    assert done.first_error.startswith(error)
    assert list(tmp_path.iterdir()) == []
