"""Tests of `cli.study`."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from longreach.cli.train import BRACKETS
from longreach.config import scales as settings
from longreach.studies.catalog import EVERY
from longreach.studies.census import members as census_settings
from longreach.training.result import read_result
from tests.cli.conftest import Outcome
from tests.helpers.paths import ROOT

Call = Callable[..., Outcome]
SMOKE = ("study", "figure1", "--scale", "smoke", "--tasks", "binary-majority,aa")


def _times(runs: Path) -> dict[str, int]:
    return {path.parent.name: path.stat().st_mtime_ns for path in runs.glob("*/result.json")}


def test_end_to_end_and_again(longreach: Call, tmp_path: Path) -> None:
    runs = tmp_path / "runs"
    first = longreach(*SMOKE, "--runs", runs, "--json")
    assert first.code == 0
    assert re.fullmatch(r"5 runs, at most about \d+ seconds? on \d cores?\n", first.err)
    document = json.loads(first.out)
    assert (document["study"], document["scale"]) == ("figure1", "smoke")
    cells = document["cells"]
    assert [(cell["task"], cell["encoding"], cell["forecast"]) for cell in cells] == [
        ("binary-majority", "ape", "yes"), ("binary-majority", "nope", "yes"), ("aa", "ape", "yes"),
        ("aa", "nope", "no"), ("binary-majority", "mlp", None),
    ]  # fmt: skip
    for cell in cells:
        assert (cell["runs"], cell["finished"], cell["judgement"]) == (1, 1, "not counted")
        (key,) = cell["keys"]
        result = read_result(runs, key)
        assert result.final is not None
        assert result.final.steps <= 20
        assert [spread["mean"] for spread in cell["accuracy"].values()] == [
            result.final.accuracy[name] for name in cell["accuracy"]
        ]
        assert cell["success"] == float(bool(result.final.reached))
    assert document["agreement"]["counted"] == 0
    assert document["agreement"]["not_counted"] == 4
    drawn = Path(document["figure"])
    assert drawn == runs / "figures" / "figure1-smoke.svg"
    assert "binary-majority" in drawn.read_text(encoding="utf-8")
    before = _times(runs)
    assert len(before) == 5
    again = longreach(*SMOKE, "--runs", runs, "--json")
    assert json.loads(again.out) == document
    assert _times(runs) == before
    # The other figures need nothing more for the same cells.
    dry = longreach("study", "figure3", *SMOKE[2:], "--runs", runs, "--dry-run", "--json")
    assert (json.loads(dry.out)["jobs"], json.loads(dry.out)["pending"]) == (4, 0)


@pytest.mark.slow
def test_for_people(longreach: Call, tmp_path: Path) -> None:
    figure = tmp_path / "mine.png"
    done = longreach(
        *SMOKE[:4], "--tasks", "aa", "--encodings", "nope", "--seeds", 2, "--runs", tmp_path, "--out", figure
    )
    assert done.code == 0
    head, row, *notes, blank, claim = done.out.splitlines()
    assert notes == [
        f"bins: mean per cent from the first position on ({BRACKETS}); – where some runs work, others not",
        "* axis of the paper's figure; the lengths of its files are not known",
    ]
    assert re.search(r"\d±\d+\.\d \(\d+\.\d\)", row)
    assert head.split()[:3] == ["task", "encoding", "learned"]
    assert row.split()[:2] == ["aa", "nope"]
    assert row.split()[2].endswith("/2")
    assert (blank, claim) == ("", "smoke scale: tiny models, no claim")
    assert done.err.splitlines()[1:] == [f"wrote {figure}"]
    assert figure.read_bytes().startswith(b"\x89PNG")
    assert not (tmp_path / "figures").exists()


LAPTOP = ROOT / "results" / "laptop"


def test_what_is_there_is_judged_and_nothing_is_written(longreach: Call, tmp_path: Path) -> None:
    before = sorted(path.relative_to(LAPTOP) for path in LAPTOP.rglob("*"))
    some = ("study", "figure1", "--runs", LAPTOP, "--no-train", "--tasks", "aa,d-2,sort")
    done = longreach(*some, "--json")
    assert (done.code, done.err) == (0, "")
    document = json.loads(done.out)
    assert document["figure"] is None
    cells = {(cell["task"], cell["encoding"]): cell for cell in document["cells"]}
    assert (cells["sort", "mlp"]["runs"], cells["sort", "mlp"]["judgement"]) == (0, "not run")
    for cell in cells.values():
        shares = [read_result(LAPTOP, key).final for key in cell["keys"]]
        last = [final.accuracy[list(cell["accuracy"])[-1]] for final in shares if final is not None]
        assert cell["work"] == sum(share >= cell["level"] for share in last)
        assert cell["works_by_runs"] == (2 * cell["work"] >= len(last) if last else None)
    assert {cells["d-2", "ape"][name] for name in ("judgement", "judgement_by_runs")} == {"disagrees"}
    counts = document["agreement"]
    assert (counts["agrees"], counts["by_runs"]["agrees"], counts["by_runs"]["counted"]) == (5, 5, 6)
    text = longreach(*some).out
    (row,) = [line for line in text.splitlines() if line.startswith("d-2 ") and " ape " in line]
    assert "1 of 3" in row
    assert "33.3" not in text
    assert "agree in 5 of 6 counted cells by the mean, in 5 of 6 by runs" in text
    figure = tmp_path / "cells.md"
    assert longreach(*some, "--out", figure).code == 0
    assert figure.is_file()
    assert sorted(path.relative_to(LAPTOP) for path in LAPTOP.rglob("*")) == before


def test_dry_run(longreach: Call, tmp_path: Path) -> None:
    runs = tmp_path / "runs"
    done = longreach(*SMOKE, "--runs", runs, "--seeds", 3, "--dry-run", "--json")
    document = json.loads(done.out)
    assert (document["study"], document["jobs"], document["done"]) == ("figure1", 15, 0)
    assert document["seconds_at_most"] > 0
    assert not runs.exists()
    assert longreach(*SMOKE, "--runs", runs, "--dry-run").out.startswith("5 jobs: 0 done, 5 to run\n")


def test_a_member_that_fails_gives_exit_code_1(
    longreach: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wild = settings.SMOKE.defaults.model_copy(update={"lr": 1e30})
    monkeypatch.setattr(settings, "SMOKE", settings.SMOKE.model_copy(update={"defaults": wild}))
    done = longreach(*SMOKE[:4], "--tasks", "parity", "--encodings", "ape", "--runs", tmp_path, "--json")
    assert done.code == 1
    (cell,) = json.loads(done.out)["cells"]
    assert (cell["runs"], cell["finished"], cell["success"], cell["judgement"]) == (1, 0, 0.0, "not run")
    assert "at step" in done.err


def test_list(longreach: Call) -> None:
    listed = json.loads(longreach("study", "--list", "--json").out)["studies"]
    assert [study["name"] for study in listed] == list(EVERY)
    text = longreach("study", "--list").out
    assert all(name in text for name in EVERY)


def test_tables(longreach: Call, tmp_path: Path) -> None:
    document = json.loads(longreach("study", "table2", "--json").out)
    assert (len(document["rows"]), document["disagreeing"]) == (18, [])
    out = tmp_path / "table.md"
    done = longreach("study", "table3", "--out", out)
    assert done.out == out.read_text(encoding="utf-8")
    assert done.out.splitlines()[-1] == "16 of 16 entries as in the paper."


def test_theory_needs_no_torch() -> None:
    code = (
        "import sys; sys.modules['torch'] = None\n"
        "from longreach.cli.main import run\n"
        "codes = [run(['study', '--list']), run(['study', 'table3']), run(['study', 'figure1'])]\n"
        "sys.exit(codes != [0, 0, 2])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0
    assert done.stderr == "training needs the extra 'train': pip install 'longreach[train]'\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "NAME: missing; --list names the studies"),
        (["figur1"], "NAME: no study is named 'figur1'; did you mean 'figure1'"),
        (["figure1", "--tasks", "majorty"], "--tasks: figure1 has no 'majorty'; did you mean 'majority'"),
        (["figure1", "--tasks", "aa,"], "--tasks: 'aa,' is not a list of names, as in a,b"),
        (["figure2", "--encodings", "rope"], "--encodings: figure2 has no 'rope'; it has ape, nope"),
        (["figure1", "--scale", "huge"], "--scale: "),
        (["figure1", "--seeds", 0], "--seeds: "),
        (["figure1", "--workers", 0], "--workers: "),
        (["figure1", "--address", "auto"], "--address: goes with --engine ray"),
        (["figure1", "--engine", "slurm"], "--time-limit: Slurm has to know how many minutes"),
        (["figure1", "--out", "figure.txt"], "--out: figure.txt: must end in .svg, .png, .pdf, .md"),
        (
            ["figure1", "--out", "no-such-directory/a.svg"],
            "--out: no-such-directory/a.svg: no such directory",
        ),
        (["table2", "--out", "table.svg"], "--out: table.svg: must end in .md, .json"),
        (["table2", "--tasks", "aa"], "--tasks: table2 is a table of theory and trains nothing"),
        (["figure1", "--sacle", "smoke"], "--sacle: no such option"),
    ],
    ids=lambda value: " ".join(map(str, value)) if isinstance(value, list) else "",
)
def test_bad_input(longreach: Call, tmp_path: Path, arguments: list[object], message: str) -> None:
    done = longreach("study", *arguments, "--runs", tmp_path / "runs", "--json")
    assert (done.code, done.out) == (2, "")
    assert done.first_error.startswith(message)
    assert not (tmp_path / "runs").exists()


def test_runs_must_be_a_directory(longreach: Call, tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("")
    done = longreach(*SMOKE, "--runs", file)
    assert (done.code, done.first_error) == (2, f"--runs: {file}: not a directory")


def test_help_has_an_example(longreach: Call) -> None:
    assert "Example: longreach study figure1 --scale smoke" in longreach("study", "--help").out


@pytest.mark.slow
def test_state_tracking_end_to_end_and_again(longreach: Call, tmp_path: Path) -> None:
    runs = tmp_path / "runs"
    tasks = "states-after:(ab|bba)*,states:((a)*ac)*"
    command = ("study", "state-tracking", "--scale", "smoke", "--tasks", tasks, "--runs", runs)
    dry = json.loads(longreach(*command, "--dry-run", "--json").out)
    assert (dry["jobs"], dry["pending"]) == (3, 3)
    first = longreach(*command, "--json")
    assert first.code == 0
    document = json.loads(first.out)
    assert [(cell["task"], cell["encoding"], cell["forecast"]) for cell in document["cells"]] == [
        ("states-after:(ab|bba)*", "nope", "no"), ("states-after:(ab|bba)*", "ape", "yes"),
        ("states:((a)*ac)*", "nope", "yes"),
    ]  # fmt: skip
    assert all(len(cell["accuracy"]) == 5 for cell in document["cells"])
    assert document["summary"]["agreement"]["levels"]["0.99"]["nope_after_letter"] == 169
    # The smoke scale has other ranges, so nothing is compared.
    assert document["summary"]["encodings"] is None
    assert Path(document["figure"]).is_file()
    before = _times(runs)
    assert len(before) == 3
    table = tmp_path / "cells.md"
    again = longreach(*command, "--no-train", "--out", table)
    assert again.code == 0
    assert _times(runs) == before
    assert "169" in again.out
    assert "## All languages" in table.read_text(encoding="utf-8")


# `longreach study census` from the command line.


SMOKE_STUDY_CENSUS = ("study", "census", "--scale", "smoke", "--part", "development", "--encodings", "nope")


def test_it_trains_keeps_a_table_and_goes_on(longreach: Call, tmp_path: Path) -> None:
    table, runs = tmp_path / "runs.jsonl", tmp_path / "runs"
    given = (*SMOKE_STUDY_CENSUS, "--runs", runs, "--table", table, "--json")
    document = json.loads(longreach(*given).out)
    (part,) = document["parts"]
    assert (part["part"], part["languages"], part["runs"], part["failed"]) == ("development", 9, 9, 0)
    assert (document["missing"], document["settings_commit"]) == (0, None)
    assert Path(document["figure"]).read_text(encoding="utf-8").startswith("<?xml")
    lines = [json.loads(line) for line in table.read_text(encoding="utf-8").splitlines()]
    assert len(lines) == 9
    before = table.read_bytes()
    # From the table alone, without the results.
    again = longreach(
        *SMOKE_STUDY_CENSUS, "--runs", tmp_path / "none", "--table", table, "--no-train", "--json"
    )
    assert json.loads(again.out)["parts"] == document["parts"]
    assert table.read_bytes() == before
    # A table that is lost is made from the results.
    table.unlink()
    assert longreach(*given, "--no-train").code == 0
    assert table.read_bytes() == before


@pytest.mark.slow
def test_recipes(longreach: Call, tmp_path: Path) -> None:
    given = ("study", "census", "--recipes", "--scale", "smoke", "--runs", tmp_path)
    document = json.loads(longreach(*given, "--json").out)
    assert [(each["recipe"], each["runs"]) for each in document["recipes"]] == [
        ("as is", 2),
        ("log-length", 2),
    ]
    assert "log-length" in longreach(*given, "--no-train").out


def test_held_out_languages_wait_for_the_settings(
    longreach: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(path: Path = census_settings.SETTINGS) -> str:
        raise census_settings.InputError("not committed as it is")

    monkeypatch.setattr("longreach.studies.census.members.commit_of", refuse)
    given = ("study", "census", "--dry-run", "--runs", tmp_path, "--train-to", "20")
    for part in ("held-out", "all"):
        done = longreach(*given, "--part", part)
        assert (done.code, done.out) == (2, "")
        assert "not committed" in done.err
    assert "126 jobs" in longreach(*given, "--part", "development").out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--train-to", "7"], "--train-to: '7' is not a training length of the census; it has 10, 20, 50"),
        (["--train-to", "ten"], "--train-to: 'ten' is not a training length"),
        (["--tasks", "sort"], "--tasks: census draws its languages"),
        (["--recipes", "--fit"], "--fit: census --recipes tries recipes"),
        (["--out", "figure.gif"], "--out: figure.gif: must end in .svg"),
    ],
)
def test_what_is_refused(longreach: Call, words: list[str], message: str) -> None:
    done = longreach("study", "census", "--dry-run", *words)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith(message)
    assert len(done.err.splitlines()) == 1
