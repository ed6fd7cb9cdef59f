from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.conftest import Outcome

Call = Callable[..., Outcome]
SMOKE = ("study", "counter-examples", "--scale", "smoke")


def test_a_table_and_a_figure(longreach: Call, tmp_path: Path) -> None:
    done = longreach(*SMOKE, "--runs", tmp_path)
    assert done.code == 0
    assert done.out.splitlines()[0].split()[:3] == ["dropped", "version", "L"]
    assert "all mass on 0000000000000101 defeats g00" in done.out
    figure = tmp_path / "figures" / "counter-examples-smoke.svg"
    assert figure.read_bytes().startswith(b"<?xml")
    assert done.err == f"wrote {figure}\n"


def test_one_document(longreach: Call, tmp_path: Path) -> None:
    out = tmp_path / "rows.md"
    done = longreach(*SMOKE, "--runs", tmp_path, "--no-train", "--out", out, "--json")
    document = json.loads(done.out)
    assert (document["study"], document["scale"], document["figure"]) == (
        "counter-examples",
        "smoke",
        str(out),
    )
    assert len(document["rows"]) == 8
    assert out.read_text(encoding="utf-8").startswith("| dropped |")
    assert [path.name for path in tmp_path.iterdir()] == ["rows.md"]


def test_without_training_nothing_is_written_unless_asked(longreach: Call, tmp_path: Path) -> None:
    done = longreach(*SMOKE, "--runs", tmp_path / "runs", "--no-train", "--json")
    assert json.loads(done.out)["figure"] is None
    assert not (tmp_path / "runs").exists()


def test_there_is_nothing_to_plan(longreach: Call, tmp_path: Path) -> None:
    assert json.loads(longreach(*SMOKE, "--dry-run", "--json").out)["jobs"] == 0
    said = longreach(*SMOKE, "--dry-run", "--runs", tmp_path).out
    assert said.startswith("0 jobs: counter-examples computes and trains nothing; laptop: ")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("option", ["--tasks", "--encodings", "--seeds"])
def test_options_of_training_are_refused(longreach: Call, option: str) -> None:
    done = longreach(*SMOKE, option, "1")
    assert (done.code, done.out) == (2, "")
    assert done.first_error == f"{option}: counter-examples computes and trains nothing"


def test_a_figure_that_cannot_be_written(longreach: Call, tmp_path: Path) -> None:
    done = longreach(*SMOKE, "--out", tmp_path / "figure.gif")
    assert done.code == 2
    assert "must end in .svg, .png, .pdf, .md" in done.first_error
