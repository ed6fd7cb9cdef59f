""""""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from longreach.report.render import NOTHING_COUNTS
from tests.cli.conftest import Call
from tests.helpers.report_samples import hostile, several


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    directory = tmp_path / "runs"
    directory.mkdir()
    return directory


def test_the_path_is_printed(longreach: Call, runs: Path, tmp_path: Path) -> None:
    several(runs, "aa", "ape", 1.0, 0.9, 0.8)
    out = tmp_path / "out.html"
    done = longreach("report", "--runs", runs, "--out", out, "--title", "Mine & yours")
    assert (done.code, done.out) == (0, f"{out}\n")
    assert done.err == (
        "Forecast and measurement agree in 1 of 1 cells: "
        "1 of 1 that were forecast to work on longer inputs do.\n"
    )
    text = out.read_text(encoding="utf-8")
    assert "<title>Mine &amp; yours</title>" in text
    assert [path.name for path in tmp_path.iterdir() if path.suffix != ".html"] == ["runs"]


def test_the_last_line_says_what_was_found(longreach: Call, runs: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.html"
    assert longreach("report", "--runs", runs, "--out", out).err == ""
    several(runs, "aa", "nope", 0.1)
    done = longreach("report", "--runs", runs, "--out", out)
    assert done.err == f"{NOTHING_COUNTS}\n"
    several(runs, "aa", "ape", 0.3, 0.3, 0.3)
    several(runs, "tomita-4", "nope", 0.2, 0.2, 0.2)
    several(runs, "tomita-4", "ape", 0.9, 0.9, 0.9)
    assert longreach("report", "--runs", runs, "--out", out).err == (
        "Forecast and measurement agree in 2 of 3 cells: "
        "1 of 2 that were forecast to work on longer inputs do, "
        "1 of 1 that were forecast to fail do; not as forecast: (aa)* with APE (0 of 3 runs work at 21–30).\n"
    )


def test_json(longreach: Call, runs: Path, tmp_path: Path) -> None:
    several(runs, "aa", "ape", 1.0, 0.9, 0.8)
    several(runs, "aa", "nope", 0.0)
    out = tmp_path / "out.html"
    done = longreach("report", "--runs", runs, "--out", out, "--json")
    assert done.document == {"path": str(out), "cells": 2, "runs": 4}


def test_by_default_runs_is_read_where_it_exists(
    longreach: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert longreach("report", "--json").document == {"path": "report.html", "cells": 0, "runs": 0}
    assert [path.name for path in tmp_path.iterdir()] == ["report.html"]
    (tmp_path / "runs").mkdir()
    several(tmp_path / "runs", "aa", "ape", 1.0)
    assert longreach("report", "--json").document["runs"] == 1


def test_hostile_results_are_no_error(longreach: Call, runs: Path, tmp_path: Path) -> None:
    hostile(runs)
    done = longreach("report", "--runs", runs, "--out", tmp_path / "out.html")
    assert (done.code, len(done.err.splitlines())) == (0, 1)


def test_an_old_report_stays_whole_when_the_new_one_fails(longreach: Call, tmp_path: Path) -> None:
    out = tmp_path / "report.html"
    out.write_text("old", encoding="utf-8")
    assert longreach("report", "--runs", tmp_path / "nowhere", "--out", out).code == 2
    assert out.read_text(encoding="utf-8") == "old"


def test_it_needs_neither_torch_nor_matplotlib(tmp_path: Path) -> None:
    code = (
        "import sys\n"
        "from longreach.cli.main import run\n"
        f"assert run(['report', '--out', {str(tmp_path / 'report.html')!r}]) == 0\n"
        "assert not {'torch', 'matplotlib'} & set(sys.modules)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
