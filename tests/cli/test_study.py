"""`longreach study` from the command line: what is trained, printed, written and refused."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from longreach.config import scales as settings
from longreach.config.run import RunConfig
from longreach.studies import study as runner
from longreach.studies.catalog import STUDIES
from longreach.studies.census import members as census_settings
from longreach.training.result import Result, read_result
from tests.cli.conftest import Call
from tests.helpers.asked_results import result_of, write_results
from tests.helpers.inspected_runs import small_member, write_run
from tests.helpers.paths import ROOT

SMOKE = ("study", "figure1", "--scale", "smoke", "--tasks", "binary-majority,aa")


def _times(runs: Path) -> dict[str, int]:
    return {path.parent.name: path.stat().st_mtime_ns for path in runs.glob("*/result.json")}


def test_end_to_end_and_again(longreach: Call, tmp_path: Path) -> None:
    runs = tmp_path / "runs"
    first = longreach(*SMOKE, "--runs", runs, "--json")
    assert first.code == 0
    announced = first.err.splitlines()[0]  # a slow machine says more
    assert re.fullmatch(r"5 runs, at most about \d+ (seconds?|minutes?) on \d cores?", announced)
    document = first.document
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
    assert again.document == document
    assert _times(runs) == before
    # The other figures need nothing more for the same cells.
    dry = longreach("study", "figure3", *SMOKE[2:], "--runs", runs, "--dry-run", "--json")
    assert (dry.document["jobs"], dry.document["pending"]) == (4, 0)


@pytest.mark.slow
def test_for_people(longreach: Call, tmp_path: Path) -> None:
    figure = tmp_path / "mine.png"
    done = longreach(
        *SMOKE[:4], "--tasks", "aa", "--encodings", "nope", "--seeds", 2, "--runs", tmp_path, "--out", figure
    )
    assert done.code == 0
    head, row, _, about, *_, claim = done.out.splitlines()
    assert head.split()[:4] == ["task", "encoding", "forecast", "learned"]
    assert row.split()[:3] == ["aa", "nope", "no"]
    assert re.search(r"\d ± \d+\.\d \(\d+\.\d\)", row)
    assert about.startswith("Mean and standard deviation")
    assert claim == "smoke scale: tiny models, no claim"
    assert done.err.splitlines()[1:] == [f"wrote {figure}"]
    assert figure.read_bytes().startswith(b"\x89PNG")
    assert not (tmp_path / "figures").exists()


LAPTOP = ROOT / "results" / "laptop"


def test_what_is_there_is_judged_and_nothing_is_written(longreach: Call, tmp_path: Path) -> None:
    before = sorted(path.relative_to(LAPTOP) for path in LAPTOP.rglob("*"))
    some = ("study", "figure1", "--runs", LAPTOP, "--no-train", "--tasks", "aa,d-2,sort")
    done = longreach(*some, "--json")
    assert (done.code, done.err) == (0, "")
    document = done.document
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
    rows = [line for line in text.splitlines() if line.startswith("d-2 ") and " ape " in line]
    assert len(rows) == 2  # among all cells, and among those that do not agree
    assert all("1 of 3" in row for row in rows)
    assert "33.3" not in text
    assert "agree in 5 of 6 counted cells by the mean, in 5 of 6 by runs" in text
    figure = tmp_path / "cells.md"
    assert longreach(*some, "--out", figure).code == 0
    assert figure.is_file()
    assert sorted(path.relative_to(LAPTOP) for path in LAPTOP.rglob("*")) == before


def test_dry_run(longreach: Call, tmp_path: Path) -> None:
    runs = tmp_path / "runs"
    done = longreach(*SMOKE, "--runs", runs, "--seeds", 3, "--dry-run", "--json")
    document = done.document
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
    (cell,) = done.document["cells"]
    assert (cell["runs"], cell["finished"], cell["success"], cell["judgement"]) == (1, 0, 0.0, "not run")
    assert "at step" in done.err


def test_list(longreach: Call) -> None:
    listed = longreach("study", "--list", "--json").document["studies"]
    assert [study["name"] for study in listed] == list(STUDIES)
    text = longreach("study", "--list").out
    assert all(name in text for name in STUDIES)


def test_tables(longreach: Call, tmp_path: Path) -> None:
    document = longreach("study", "table2", "--json").document
    assert (len(document["rows"]), document["disagreeing"]) == (18, [])
    out = tmp_path / "table.md"
    done = longreach("study", "table3", "--out", out)
    assert done.out.splitlines()[-1] == "16 of 16 entries as in the paper."
    assert "| 8 | addition | no | no | yes |" in out.read_text(encoding="utf-8")


def test_theory_needs_no_torch_and_no_other_study() -> None:
    code = (
        "import sys; sys.modules['torch'] = None\n"
        "from longreach.cli.main import run\n"
        "codes = [run(['study', 'table3'])]\n"
        "assert not any(name.startswith('longreach.studies.census') for name in sys.modules)\n"
        "codes += [run(['study', '--list']), run(['study', 'figure1'])]\n"
        "sys.exit(codes != [0, 0, 2])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0
    assert done.stderr == "training needs the extra 'train': pip install 'longreach[train]'\n"


@pytest.mark.slow
def test_state_tracking_end_to_end_and_again(longreach: Call, tmp_path: Path) -> None:
    runs = tmp_path / "runs"
    tasks = "states-after:(ab|bba)*,states:((a)*ac)*"
    command = ("study", "state-tracking", "--scale", "smoke", "--tasks", tasks, "--runs", runs)
    dry = longreach(*command, "--dry-run", "--json").document
    assert (dry["jobs"], dry["pending"]) == (3, 3)
    first = longreach(*command, "--json")
    assert first.code == 0
    document = first.document
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
    document = longreach(*given).document
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
    assert again.document["parts"] == document["parts"]
    assert table.read_bytes() == before
    # A table that is lost is made from the results.
    table.unlink()
    assert longreach(*given, "--no-train").code == 0
    assert table.read_bytes() == before


@pytest.mark.slow
def test_recipes(longreach: Call, tmp_path: Path) -> None:
    given = ("study", "census", "--recipes", "--scale", "smoke", "--runs", tmp_path)
    document = longreach(*given, "--json").document
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
    given = (*given, "--part", "development", "--source", "drawn", "--encodings", "ape,reach")
    assert "126 jobs" in longreach(*given).out


# Other studies from the command line.


THRESHOLDS = ("study", "thresholds", "--scale", "smoke")


def _trained(members: list[RunConfig], runs: Path, **_: object) -> dict[str, Result]:
    write_results(runs, members, lambda member: member.train_lengths.last >= 5)
    return {}


@pytest.mark.slow
def test_the_law_from_the_command_line(
    longreach: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runner, "train_pending", _trained)
    done = longreach(*THRESHOLDS, "--runs", tmp_path, "--json")
    assert done.code == 0
    document = done.document
    assert (document["study"], document["scale"], document["target"]) == ("thresholds", "smoke", 15)
    assert [language["threshold"] for language in document["languages"]] == [5, 5]
    assert Path(document["figure"]).read_bytes().startswith(b"<?xml")
    out = tmp_path / "law.md"
    again = longreach(*THRESHOLDS, "--runs", tmp_path, "--no-train", "--out", out)
    assert out.read_text(encoding="utf-8").splitlines()[-1] in again.out
    assert "smoke scale: tiny models, no claim" in again.out


def test_what_would_run(longreach: Call, tmp_path: Path) -> None:
    done = longreach(*THRESHOLDS, "--runs", tmp_path, "--dry-run", "--json")
    assert done.document["jobs"] == 4
    assert list(tmp_path.iterdir()) == []


def test_a_run_that_fails_in_rounds_gives_exit_code_1(
    longreach: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(members: list[RunConfig], runs: Path, **_: object) -> dict[str, Result]:
        made = [result_of(member, [1.0] * len(member.ranges)) for member in members]
        return {each.key: each.model_copy(update={"status": "failed", "error": "no"}) for each in made}

    monkeypatch.setattr(runner, "train_pending", fail)
    done = longreach(*THRESHOLDS, "--runs", tmp_path)
    assert done.code == 1
    assert "not measured" in done.out


@pytest.mark.slow
def test_curves_from_the_command_line(longreach: Call, tmp_path: Path) -> None:
    """Trains one small model; the second time nothing is left to train."""
    command = ("study", "sparse-parity", "--scale", "smoke", "--runs", tmp_path)
    done = longreach(*command, "--json")
    assert done.code == 0
    document = done.document
    assert [(each["curve"], len(each["runs"])) for each in document["curves"]] == [
        ("k_test = 2", 1),
        ("k_test = 3", 1),
    ]
    assert document["claims"] == []
    assert Path(document["figure"]).read_bytes().startswith(b"<?xml")
    assert longreach(*command, "--dry-run", "--json").document["pending"] == 0
    again = longreach(*command, "--no-train")
    assert re.search(r"k_test = 2 +1/1 ", again.out)


COMPUTED = ("study", "counter-examples", "--scale", "smoke")


def test_a_table_and_a_figure(longreach: Call, tmp_path: Path) -> None:
    done = longreach(*COMPUTED, "--runs", tmp_path)
    assert done.code == 0
    assert done.out.splitlines()[0].split()[:3] == ["dropped", "version", "L"]
    assert "all mass on 0000000000000101 defeats g00" in done.out
    figure = tmp_path / "figures" / "counter-examples-smoke.svg"
    assert figure.read_bytes().startswith(b"<?xml")
    assert done.err == f"wrote {figure}\n"


def test_one_document(longreach: Call, tmp_path: Path) -> None:
    out = tmp_path / "rows.md"
    done = longreach(*COMPUTED, "--runs", tmp_path, "--no-train", "--out", out, "--json")
    document = done.document
    assert (document["study"], document["scale"], document["figure"]) == (
        "counter-examples",
        "smoke",
        str(out),
    )
    assert len(document["rows"]) == 8
    assert out.read_text(encoding="utf-8").startswith("| dropped |")
    assert [path.name for path in tmp_path.iterdir()] == ["rows.md"]


def test_without_training_nothing_is_written_unless_asked(longreach: Call, tmp_path: Path) -> None:
    done = longreach(*COMPUTED, "--runs", tmp_path / "runs", "--no-train", "--json")
    assert done.document["figure"] is None
    assert not (tmp_path / "runs").exists()


def test_there_is_nothing_to_plan(longreach: Call, tmp_path: Path) -> None:
    assert longreach(*COMPUTED, "--dry-run", "--json").document["jobs"] == 0
    said = longreach(*COMPUTED, "--dry-run", "--runs", tmp_path).out
    assert said.startswith("0 jobs: counter-examples computes and trains nothing; laptop: ")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_losses_from_the_plan_to_the_figure(longreach: Call, tmp_path: Path) -> None:
    runs = tmp_path / "runs"
    words = ("study", "modp-task", "--scale", "smoke", "--tasks", "modp-task:p=2,k=0", "--runs", runs)
    before = longreach(*words, "--no-train", "--json").document
    assert (before["figure"], [cell["runs"] for cell in before["cells"]]) == (None, [0, 0])
    assert not runs.exists()
    assert longreach(*words, "--dry-run", "--json").document["pending"] == 2
    done = longreach(*words)
    assert done.code == 0
    assert "smoke scale: tiny models, no claim" in done.out
    assert "bound / measured" not in done.out
    assert "bound, constants 1" in done.out
    assert done.err.splitlines()[-1] == f"wrote {runs / 'figures/modp-task-smoke.svg'}"
    document = longreach(*words, "--json", "--out", tmp_path / "cells.md").document
    assert [cell["runs"] for cell in document["cells"]] == [1, 1]
    assert {"attention right", "L"} <= document["cells"][0]["measured"].keys()
    assert document["thresholds"][0]["bounds"][0]["name"] == "one-layer-workshop"
    assert "| modp-task:p=2,k=0 | 4 | 1 |" in (tmp_path / "cells.md").read_text(encoding="utf-8")


POSITIONAL = ("study", "positional-functions", "--scale", "smoke")


def test_functions_of_positions(longreach: Call, tmp_path: Path) -> None:
    planned = longreach(*POSITIONAL, "--runs", tmp_path, "--dry-run", "--json")
    assert {"jobs": 1, "done": 0}.items() <= planned.document.items()
    done = longreach(*POSITIONAL, "--runs", tmp_path, "--json")
    assert done.code == 0
    document = done.document
    assert [len(each["mse"][0]) for each in document["functions"]] == [3, 3]
    assert Path(document["figure"]).read_bytes().startswith(b"<?xml")
    assert "1 of them done" in longreach(*POSITIONAL, "--runs", tmp_path, "--dry-run").out
    again = longreach(*POSITIONAL, "--runs", tmp_path, "--no-train", "--out", tmp_path / "t.md")
    assert "no claim" in again.out
    assert (tmp_path / "t.md").read_text(encoding="utf-8").count("\n") == 4
    assert "missing" in longreach(*POSITIONAL, "--runs", tmp_path / "other", "--no-train").out


def test_the_score(longreach: Call, tmp_path: Path) -> None:
    for seed in range(4):
        member = small_member("regex:(ab)*" if seed % 2 else "tomita-1", seed=seed)
        write_run(tmp_path, member, (1.0, 1.0, float(seed < 2)))
    score = ("study", "inspection-score", "--scale", "smoke", "--runs", tmp_path, "--no-train")
    done = longreach(*score, "--json")
    assert done.code == 0
    document = done.document
    assert (document["runs_there"], document["runs_looked_into"]) == (4, 4)
    assert {each["works"] for each in document["runs"]} == {True, False}
    assert "margin" in longreach(*score).out
