from __future__ import annotations

import json
from pathlib import Path

import pytest

from longreach.cli.main import run


def _train(capsys: pytest.CaptureFixture[str], runs: Path, *words: str) -> tuple[int, str, str]:
    code = run(["train", *words, "--runs", str(runs)])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


@pytest.mark.slow
def test_losses_by_length(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    words = ("modp-task:p=2", "--scale", "smoke", "--seeds", "2", "--test-lengths", "9:9,20:24")
    code, out, _ = _train(capsys, tmp_path, *words, "--json")
    assert code == 0
    (one, other) = json.loads(out)["runs"]
    assert (one["seed"], other["seed"], one["task"]) == (0, 1, "modp-task:p=2,k=0")
    assert list(one["loss"]) == ["2-6", "9-9", "20-24"]
    assert {"L", "logit margin", "attention right", "attention wrong"} <= one["measured"].keys()
    code, out, _ = _train(capsys, tmp_path, *words)  # done before
    assert code == 0
    assert "the step budget" in out
    assert "mean squared error" in out
    file = json.loads((tmp_path / one["key"] / "result.json").read_text(encoding="utf-8"))
    assert file["final"]["accuracy"] == {}
    assert file["final"]["other"]["loss 9-9"] == one["loss"]["9-9"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["simple-task:omega=x"], "TASK: simple-task: omega: 'x' is not a number"),
        (["simple-task", "--search"], "--search: the shapes are for tasks with tokens as answers"),
        (["simple-task", "--heads", "2"], "--heads: does not go with simple-task:omega=1, whose answers"),
        (["simple-task", "--encoding", "rope"], "--encoding: simple-task has nope, not rope"),
        (
            ["modp-task:p=5", "--train-lengths", "2:9"],
            "--train-lengths: 2:9: modp-task:p=5,k=0 has sequences",
        ),
    ],
)
def test_what_is_refused(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, words: list[str], message: str
) -> None:
    code, out, err = _train(capsys, tmp_path / "none", *words)
    assert (code, out) == (2, "")
    assert err.startswith(message)
    assert len(err.splitlines()) == 1
    assert not (tmp_path / "none").exists()
