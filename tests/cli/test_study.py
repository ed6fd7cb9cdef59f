"""`longreach study` from the command line: what is trained, printed, written and refused."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from longreach.config import scales as settings
from longreach.config.run import RunConfig
from longreach.studies import study as runner
from longreach.studies.catalog import STUDIES
from longreach.studies.census import members as census_settings
from longreach.training.result import Result, read_result
from tests.cli.conftest import Outcome
from tests.helpers.asked_results import result_of, write_results
from tests.helpers.inspected_runs import small_member, write_run
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
    assert [study["name"] for study in listed] == list(STUDIES)
    text = longreach("study", "--list").out
    assert all(name in text for name in STUDIES)


def test_tables(longreach: Call, tmp_path: Path) -> None:
    document = json.loads(longreach("study", "table2", "--json").out)
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
        (["table2", "--tasks", "aa"], "--tasks: not an option of table2"),
        (["counter-examples", "--seeds", 1], "--seeds: not an option of counter-examples"),
        (["thresholds", "--encodings", "ape"], "--encodings: not an option of thresholds; it takes --seeds"),
        (["figure1", "--fit"], "--fit: not an option of figure1; it takes --encodings, --seeds, --tasks"),
        (["positional-functions", "--train-to", "5"], "--train-to: not an option of positional-functions"),
        (["simple-task", "--encodings", "ape"], "--encodings: not an option of simple-task"),
        (["simple-task", "--tasks", "sort"], "--tasks: simple-task has no 'sort' at this scale; it has"),
        (["simple-task", "--tasks", "simple-task:omega=x"], "simple-task: omega: 'x' is not a number"),
        (["census", "--train-to", "7"], "--train-to: '7' is not a training length of the census; it has 10"),
        (["census", "--tasks", "sort"], "--tasks: not an option of census; it takes --encodings, --fit"),
        (["census", "--recipes", "--fit"], "--fit: census --recipes tries recipes"),
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
    document = json.loads(done.out)
    assert (document["study"], document["scale"], document["target"]) == ("thresholds", "smoke", 15)
    assert [language["threshold"] for language in document["languages"]] == [5, 5]
    assert Path(document["figure"]).read_bytes().startswith(b"<?xml")
    out = tmp_path / "law.md"
    again = longreach(*THRESHOLDS, "--runs", tmp_path, "--no-train", "--out", out)
    assert out.read_text(encoding="utf-8").splitlines()[-1] in again.out
    assert "smoke scale: tiny models, no claim" in again.out


def test_what_would_run(longreach: Call, tmp_path: Path) -> None:
    done = longreach(*THRESHOLDS, "--runs", tmp_path, "--dry-run", "--json")
    assert json.loads(done.out)["jobs"] == 4
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
    document = json.loads(done.out)
    assert [(each["curve"], len(each["runs"])) for each in document["curves"]] == [
        ("k_test = 2", 1),
        ("k_test = 3", 1),
    ]
    assert document["claims"] == []
    assert Path(document["figure"]).read_bytes().startswith(b"<?xml")
    assert json.loads(longreach(*command, "--dry-run", "--json").out)["pending"] == 0
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
    done = longreach(*COMPUTED, "--runs", tmp_path / "runs", "--no-train", "--json")
    assert json.loads(done.out)["figure"] is None
    assert not (tmp_path / "runs").exists()


def test_there_is_nothing_to_plan(longreach: Call, tmp_path: Path) -> None:
    assert json.loads(longreach(*COMPUTED, "--dry-run", "--json").out)["jobs"] == 0
    said = longreach(*COMPUTED, "--dry-run", "--runs", tmp_path).out
    assert said.startswith("0 jobs: counter-examples computes and trains nothing; laptop: ")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_losses_from_the_plan_to_the_figure(longreach: Call, tmp_path: Path) -> None:
    runs = tmp_path / "runs"
    words = ("study", "modp-task", "--scale", "smoke", "--tasks", "modp-task:p=2,k=0", "--runs", runs)
    before = json.loads(longreach(*words, "--no-train", "--json").out)
    assert (before["figure"], [cell["runs"] for cell in before["cells"]]) == (None, [0, 0])
    assert not runs.exists()
    assert json.loads(longreach(*words, "--dry-run", "--json").out)["pending"] == 2
    done = longreach(*words)
    assert done.code == 0
    assert "smoke scale: tiny models, no claim" in done.out
    assert "bound / measured" in done.out
    assert done.err.splitlines()[-1] == f"wrote {runs / 'figures/modp-task-smoke.svg'}"
    document = json.loads(longreach(*words, "--json", "--out", tmp_path / "cells.md").out)
    assert [cell["runs"] for cell in document["cells"]] == [1, 1]
    assert {"attention right", "L"} <= document["cells"][0]["measured"].keys()
    assert document["thresholds"][0]["bounds"][0]["name"] == "one-layer-workshop"
    assert "| modp-task:p=2,k=0 | 4 | 1 |" in (tmp_path / "cells.md").read_text(encoding="utf-8")


POSITIONAL = ("study", "positional-functions", "--scale", "smoke")


def test_functions_of_positions(longreach: Call, tmp_path: Path) -> None:
    planned = longreach(*POSITIONAL, "--runs", tmp_path, "--dry-run", "--json")
    assert {"jobs": 1, "done": 0}.items() <= json.loads(planned.out).items()
    done = longreach(*POSITIONAL, "--runs", tmp_path, "--json")
    assert done.code == 0
    document = json.loads(done.out)
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
    document = json.loads(done.out)
    assert (document["runs_there"], document["runs_looked_into"]) == (4, 4)
    assert {each["works"] for each in document["runs"]} == {True, False}
    assert "margin" in longreach(*score).out
