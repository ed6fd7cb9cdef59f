"""The first command of the README: its steps work where nothing is there yet, and CI runs it."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest

from longreach.cli.main import run
from longreach.comparison.agreement import LEAST_RUNS
from longreach.config.scales import seeds_of
from longreach.studies.all_studies import STUDIES

ROOT = Path(__file__).parent.parent


def _steps() -> Iterator[list[str]]:
    recipe = re.search(r"^demo: setup\n((?:\t.*\n)+)", (ROOT / "Makefile").read_text(encoding="utf-8"), re.M)
    assert recipe is not None
    for line in recipe[1].splitlines():
        program, *arguments = shlex.split(line)
        assert program == "$(BIN)/longreach"
        yield arguments


def test_every_step_works_from_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    for arguments in _steps():
        quick = ["--scale", "smoke"] if arguments[0] == "study" else []
        assert run([*arguments, *quick]) == 0, capsys.readouterr().err
    captured = capsys.readouterr()
    assert captured.out.splitlines()[-1] == "demo/index.html"
    assert captured.err.splitlines()[-1].startswith("No cell counts yet")  # smoke has one seed
    assert (tmp_path / "demo" / "index.html").stat().st_size > 100_000
    assert [path.name for path in tmp_path.iterdir()] == ["demo"]


def test_its_cells_can_count_and_contrast() -> None:
    demo = STUDIES["demo"]
    assert seeds_of("laptop") >= LEAST_RUNS
    forecasts = [outcome.forecast for outcome in demo.outcomes([], "laptop")]
    assert {"yes", "no"} <= set(forecasts)


def test_ci_runs_tests_lint_and_demo() -> None:
    lines = (ROOT / ".ci" / "run").read_text(encoding="utf-8").splitlines()
    assert lines == ["#!/usr/bin/env bash", "set -euo pipefail", "make test", "make lint", "make demo"]
