"""Tests of `cli.study_kinds`."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from longreach.cli.main import run
from longreach.config.run import RunConfig
from longreach.studies import thresholds as threshold_law
from longreach.training.result import Result
from tests.cli.conftest import Outcome
from tests.helpers.asked_results import result_of, write_results
from tests.helpers.inspected_runs import small_member, write_run

Call = Callable[..., Outcome]
SMOKE = ("study", "thresholds", "--scale", "smoke")


def _trained(members: list[RunConfig], runs: Path, **_: object) -> dict[str, Result]:
    write_results(runs, members, lambda member: member.train_lengths.last >= 5)
    return {}


@pytest.mark.slow
def test_the_law_from_the_command_line(
    longreach: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(threshold_law, "train_pending", _trained)
    done = longreach(*SMOKE, "--runs", tmp_path, "--json")
    assert done.code == 0
    document = json.loads(done.out)
    assert (document["study"], document["scale"], document["target"]) == ("thresholds", "smoke", 15)
    assert [language["threshold"] for language in document["languages"]] == [5, 5]
    assert Path(document["figure"]).read_bytes().startswith(b"<?xml")
    out = tmp_path / "law.md"
    again = longreach(*SMOKE, "--runs", tmp_path, "--no-train", "--out", out)
    assert again.out.startswith(out.read_text(encoding="utf-8"))
    assert "smoke scale: tiny models, no claim" in again.out


def test_what_would_run(longreach: Call, tmp_path: Path) -> None:
    done = longreach(*SMOKE, "--runs", tmp_path, "--dry-run", "--json")
    assert json.loads(done.out)["jobs"] == 4
    assert list(tmp_path.iterdir()) == []


def test_a_member_that_fails_gives_exit_code_1(
    longreach: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(members: list[RunConfig], runs: Path, **_: object) -> dict[str, Result]:
        made = [result_of(member, [1.0] * len(member.ranges)) for member in members]
        return {each.key: each.model_copy(update={"status": "failed", "error": "no"}) for each in made}

    monkeypatch.setattr(threshold_law, "train_pending", fail)
    done = longreach(*SMOKE, "--runs", tmp_path)
    assert done.code == 1
    assert "not measured" in done.out


@pytest.mark.parametrize("option", ["--tasks", "--encodings"])
def test_it_has_cells_of_its_own(longreach: Call, tmp_path: Path, option: str) -> None:
    done = longreach(*SMOKE, option, "ape", "--runs", tmp_path)
    assert (done.code, done.out) == (2, "")
    assert done.first_error == f"{option}: thresholds has cells of its own"


@pytest.mark.slow
def test_curves_from_the_command_line(longreach: Call, tmp_path: Path) -> None:
    """Trains one small model; the second time nothing is left to train."""
    command = ("study", "sparse-parity", "--scale", "smoke", "--runs", tmp_path)
    done = longreach(*command, "--json")
    assert done.code == 0
    document = json.loads(done.out)
    assert [(each["curve"], len(each["runs"])) for each in document["curves"]] == [
        ("k_test = 2", 1),
        ("k_test = 3", 1),
    ]
    assert document["claims"] == []
    assert Path(document["figure"]).read_bytes().startswith(b"<?xml")
    assert json.loads(longreach(*command, "--dry-run", "--json").out)["pending"] == 0
    again = longreach(*command, "--no-train")
    assert "| k_test = 2 | 1/1 " in again.out


SMOKE_STUDY_COMPUTED = ("study", "counter-examples", "--scale", "smoke")


def test_a_table_and_a_figure(longreach: Call, tmp_path: Path) -> None:
    done = longreach(*SMOKE_STUDY_COMPUTED, "--runs", tmp_path)
    assert done.code == 0
    assert done.out.splitlines()[0].split()[:3] == ["dropped", "version", "L"]
    assert "all mass on 0000000000000101 defeats g00" in done.out
    figure = tmp_path / "figures" / "counter-examples-smoke.svg"
    assert figure.read_bytes().startswith(b"<?xml")
    assert done.err == f"wrote {figure}\n"


def test_one_document(longreach: Call, tmp_path: Path) -> None:
    out = tmp_path / "rows.md"
    done = longreach(*SMOKE_STUDY_COMPUTED, "--runs", tmp_path, "--no-train", "--out", out, "--json")
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
    done = longreach(*SMOKE_STUDY_COMPUTED, "--runs", tmp_path / "runs", "--no-train", "--json")
    assert json.loads(done.out)["figure"] is None
    assert not (tmp_path / "runs").exists()


def test_there_is_nothing_to_plan(longreach: Call, tmp_path: Path) -> None:
    assert json.loads(longreach(*SMOKE_STUDY_COMPUTED, "--dry-run", "--json").out)["jobs"] == 0
    said = longreach(*SMOKE_STUDY_COMPUTED, "--dry-run", "--runs", tmp_path).out
    assert said.startswith("0 jobs: counter-examples computes and trains nothing; laptop: ")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("option", ["--tasks", "--encodings", "--seeds"])
def test_options_of_training_are_refused(longreach: Call, option: str) -> None:
    done = longreach(*SMOKE_STUDY_COMPUTED, option, "1")
    assert (done.code, done.out) == (2, "")
    assert done.first_error == f"{option}: counter-examples computes and trains nothing"


def test_a_figure_that_cannot_be_written(longreach: Call, tmp_path: Path) -> None:
    done = longreach(*SMOKE_STUDY_COMPUTED, "--out", tmp_path / "figure.gif")
    assert done.code == 2
    assert "must end in .svg, .png, .pdf, .md" in done.first_error


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


SMOKE_STUDY_STANDALONE = ("study", "positional-functions", "--scale", "smoke")


def test_functions_of_positions(longreach: Call, tmp_path: Path) -> None:
    planned = longreach(*SMOKE_STUDY_STANDALONE, "--runs", tmp_path, "--dry-run", "--json")
    assert {"jobs": 1, "done": 0}.items() <= json.loads(planned.out).items()
    done = longreach(*SMOKE_STUDY_STANDALONE, "--runs", tmp_path, "--json")
    assert done.code == 0
    document = json.loads(done.out)
    assert [len(each["mse"][0]) for each in document["functions"]] == [3, 3]
    assert Path(document["figure"]).read_bytes().startswith(b"<?xml")
    assert "1 of them done" in longreach(*SMOKE_STUDY_STANDALONE, "--runs", tmp_path, "--dry-run").out
    again = longreach(*SMOKE_STUDY_STANDALONE, "--runs", tmp_path, "--no-train", "--out", tmp_path / "t.md")
    assert "no claim" in again.out
    assert (tmp_path / "t.md").read_text(encoding="utf-8").count("\n") == 4
    assert "missing" in longreach(*SMOKE_STUDY_STANDALONE, "--runs", tmp_path / "other", "--no-train").out


def test_the_score(longreach: Call, tmp_path: Path) -> None:
    for seed in range(4):
        member = small_member("regex:(ab)*" if seed % 2 else "tomita-1", seed=seed)
        write_run(tmp_path, member, (1.0, 1.0, float(seed < 2)))
    score = ("study", "inspection-score", "--scale", "smoke", "--runs", tmp_path, "--no-train")
    done = longreach(*score, "--json")
    assert done.code == 0
    document = json.loads(done.out)
    assert (document["runs_there"], document["runs_looked_into"]) == (4, 4)
    assert {each["works"] for each in document["runs"]} == {True, False}
    assert "margin" in longreach(*score).out


@pytest.mark.parametrize("option", ["--tasks", "--encodings", "--part", "--train-to"])
def test_options_that_are_no_use(longreach: Call, tmp_path: Path, option: str) -> None:
    value = "development" if option == "--part" else "x"
    done = longreach(*SMOKE_STUDY_STANDALONE, "--runs", tmp_path, option, value)
    assert done.code == 2
    assert option in done.first_error
