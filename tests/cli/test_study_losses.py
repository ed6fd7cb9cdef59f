from __future__ import annotations

import json
from pathlib import Path

import pytest

from longreach.cli.main import run


def _study(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    code = run(["study", *words])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


@pytest.mark.slow
def test_smoke_from_the_plan_to_the_figure(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    words = (
        "modp-task",
        "--scale",
        "smoke",
        "--tasks",
        "modp-task:p=2,k=0",
        "--runs",
        str(tmp_path / "runs"),
    )
    code, out, _ = _study(capsys, *words, "--no-train", "--json")
    before = json.loads(out)
    assert (code, before["figure"], [cell["runs"] for cell in before["cells"]]) == (0, None, [0, 0])
    assert not (tmp_path / "runs").exists()
    code, out, _ = _study(capsys, *words, "--dry-run", "--json")
    assert (code, json.loads(out)["pending"]) == (0, 2)
    code, out, err = _study(capsys, *words)
    assert code == 0
    assert "smoke scale: tiny models, no claim" in out
    assert "bound / measured" in out
    assert err.splitlines()[-1] == f"wrote {tmp_path / 'runs/figures/modp-task-smoke.svg'}"
    code, out, _ = _study(capsys, *words, "--json", "--out", str(tmp_path / "cells.md"))
    document = json.loads(out)
    assert code == 0
    assert [cell["runs"] for cell in document["cells"]] == [1, 1]
    assert {"attention right", "L"} <= document["cells"][0]["measured"].keys()
    assert document["thresholds"][0]["bounds"][0]["name"] == "one-layer-workshop"
    assert "| modp-task:p=2,k=0 | 4 | 1 |" in (tmp_path / "cells.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            ["--encodings", "ape"],
            "--encodings: simple-task trains models that have the positions of their tasks",
        ),
        (["--tasks", "sort"], "--tasks: simple-task has no 'sort' at this scale; it has simple-task:omega=2"),
        (["--tasks", "simple-task:omega=x"], "simple-task: omega: 'x' is not a number"),
        (["--out", "figure.gif"], "--out: figure.gif: must end in .svg"),
    ],
)
def test_what_is_refused(capsys: pytest.CaptureFixture[str], words: list[str], message: str) -> None:
    code, out, err = _study(capsys, "simple-task", *words)
    assert (code, out) == (2, "")
    assert err.removeprefix("--tasks: ").startswith(message.removeprefix("--tasks: "))
    assert len(err.splitlines()) == 1
