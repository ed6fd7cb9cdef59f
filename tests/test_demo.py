"""The first command of the README: its steps work where nothing is there yet, and CI runs it."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest

from longreach.answers.forecast import forecast
from longreach.cli.main import run
from longreach.theory.program_class import ENCODING_SIDES

ROOT = Path(__file__).parent.parent


def _steps() -> Iterator[list[str]]:
    recipe = re.search(r"^demo: setup\n((?:\t.*\n)+)", (ROOT / "Makefile").read_text(encoding="utf-8"), re.M)
    assert recipe is not None
    for line in recipe[1].splitlines():
        program, *arguments = shlex.split(line)
        assert program == "$(BIN)/longreach"
        yield arguments


@pytest.mark.slow
def test_every_step_works_from_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    asked = [arguments for arguments in _steps() if arguments[0] == "ask"]
    for arguments in _steps():
        quick: list[str] = []
        if arguments[0] == "ask":  # time for one run of the first task alone
            quick = ["--seeds", "1", "--minutes", "0.4" if arguments == asked[0] else "0.01"]
        assert run([*arguments, *quick]) == 0, capsys.readouterr().err
    captured = capsys.readouterr()
    assert captured.out.splitlines()[-1] == "demo/index.html"
    pages = {path.name for path in (tmp_path / "demo" / "runs").glob("ask-*.html")}
    assert pages == {f"ask-{arguments[1]}.html" for arguments in asked}
    assert (tmp_path / "demo" / "index.html").stat().st_size > 50_000
    assert [path.name for path in tmp_path.iterdir()] == ["demo"]


def test_its_tasks_contrast() -> None:
    """Yes by counting, with positions, for attention to the last match alone, and for none."""
    asked = [arguments[1] for arguments in _steps() if arguments[0] == "ask"]
    sides = [forecast(task).sides for task in asked]
    verdicts = [tuple(each[key].trained.value for key in ENCODING_SIDES) for each in sides]
    assert verdicts == [
        ("yes", "yes", "undecided"), ("no", "yes", "yes"), ("no", "no", "yes"), ("no", "no", "no"),
    ]  # fmt: skip


def test_ci_runs_tests_lint_and_demo() -> None:
    lines = (ROOT / ".ci" / "run").read_text(encoding="utf-8").splitlines()
    assert lines == ["#!/usr/bin/env bash", "set -euo pipefail", "make test", "make lint", "make demo"]
