"""The results commands: documents, tables, exports, and what bad input gets."""

from __future__ import annotations

import csv
import io
import json
import os
import sys
import time
from pathlib import Path

import pytest
import typer

from longreach.training.result import RESULT, Evaluation, Final, Result, write_result
from tests.cli.conftest import Call
from tests.helpers.result_samples import sample, sample_failure, scan


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    """Two whole results, one failed, one damaged, one unfinished."""
    runs = tmp_path / "runs"
    write_result(runs, sample(0))
    write_result(runs, sample(1, config={"task": "copy-unique", "encoding": "nope"}))
    write_result(runs, sample_failure(2, error="ValueError: no\n\x1b[31mred [bold]x"))
    write_result(runs, sample(3)).write_text("{", encoding="utf-8")
    (runs / ("0" * 16)).mkdir()
    return runs


def _problem(runs: Path) -> str:
    path = runs / sample(3).key / "result.json"
    return f"{path}: Invalid JSON: EOF while parsing an object at line 1 column 1"


def test_list_as_a_document(longreach: Call, runs: Path) -> None:
    done = longreach("results", "list", "--runs", runs, "--json")
    assert (done.code, done.err) == (0, "")
    document = done.document
    assert [run["status"] for run in document["runs"]] == ["done", "done", "failed"]
    first = document["runs"][1]
    assert (first["key"], first["seed"], first["task"], first["encoding"]) == (
        sample(0).key, 0, "parity", "ape",
    )  # fmt: skip
    assert (first["steps"], first["seconds"], first["reached"]) == (100, 2.5, True)
    assert first["accuracy"] == {"1-50": 1.0, "51-100": 0.5, "101-150": 0.25}
    assert document["damaged"] == [{"directory": sample(3).key, "problem": _problem(runs)}]
    assert document["unfinished"] == ["0" * 16]


def test_the_list_and_the_table_say_which_runs_are_sure(longreach: Call, tmp_path: Path) -> None:
    accuracy = {"1-50": 1.0, "51-100": 1.0, "101-150": 1.0}
    for seed, worst in enumerate((1.0, 0.7)):
        other = {"probing 51-100": 1.0, "worst loop 51-100": 1.0, "probing 101-150": 0.9}
        other["worst loop 101-150"] = worst
        final = Final(steps=1, reached=True, accuracy=accuracy, other=other)
        write_result(tmp_path, sample(seed, final=final))
    title, *lines = longreach("results", "list", "--runs", tmp_path).out.splitlines()
    assert title.split()[-1] == "sure"
    assert [line.split()[-1] for line in lines] == ["yes", "no"]
    first, second = longreach("results", "list", "--runs", tmp_path, "--json").document["runs"]
    assert first["sure"] == {"51-100": True, "101-150": True}
    assert (second["sure"]["101-150"], second["worst_loop"]["101-150"]) == (False, 0.7)
    records = list(csv.DictReader(io.StringIO(longreach("results", "export", "--runs", tmp_path).out)))
    assert [record["sure 101-150"] for record in records] == ["true", "false"]


def test_list_for_people(longreach: Call, runs: Path) -> None:
    done = longreach("results", "list", "--runs", runs)
    title, *lines = done.out.splitlines()
    assert title.split() == [
        "key", "task", "model", "seed", "status", "steps", "seconds", "1-50", "51-100", "101-150",
    ]  # fmt: skip
    assert lines[1].split()[1:] == ["parity", "ape", "0", "done", "100", "2.5", "100.0%", "50.0%", "25.0%"]
    assert lines[2].split()[1:] == ["parity", "ape", "2", "failed", "2.5"]
    assert done.err.splitlines() == [f"skipped: {_problem(runs)}", "unfinished: 1"]


@pytest.mark.parametrize(
    ("filters", "seeds"),
    [
        (["--task", "parity"], [0, 2]),
        (["--task", "parity", "--status", "done"], [0]),
        (["--encoding", "nope"], [1]),
        (["--status", "failed"], [2]),
        (["--status", "damaged"], [None]),
        (["--task", "absent"], []),
    ],
)
def test_filters(longreach: Call, runs: Path, filters: list[str], seeds: list[int | None]) -> None:
    document = longreach("results", "list", "--runs", runs, "--json", *filters).document
    assert [run["seed"] for run in document["runs"]] == seeds


def test_names_that_are_not_there_get_a_hint(longreach: Call, runs: Path) -> None:
    done = longreach("results", "list", "--runs", runs, "--task", "party")
    assert (done.code, done.out) == (0, "")
    assert done.first_error == "no results of the task 'party'; did you mean 'parity'?"
    done = longreach("results", "list", "--runs", runs, "--encoding", "nop")
    assert done.first_error == "no results with the encoding 'nop'; did you mean 'nope'?"


def test_an_empty_directory(longreach: Call, tmp_path: Path) -> None:
    done = longreach("results", "list", "--runs", tmp_path)
    assert (done.code, done.out, done.err) == (0, "", "no results\n")
    assert longreach("results", "list", "--runs", tmp_path, "--json").document["runs"] == []
    assert list(tmp_path.iterdir()) == []


def test_the_directory_is_runs_by_default(
    longreach: Call, runs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(runs.parent)
    assert sample(0).key in longreach("results", "list").out


def test_show(longreach: Call, runs: Path) -> None:
    result = sample(0)
    done = longreach("results", "show", result.key, "--runs", runs, "--json")
    assert (done.code, done.err) == (0, "")
    assert Result.model_validate_json(done.out) == result
    text = longreach("results", "show", result.key[:6], "--runs", runs).out
    assert text.splitlines()[0] == f"{result.key}  done"
    for line in (
        '    model: {"layers": 2, "lr": 0.001}',
        "  final     100 steps, 100 % in distribution",
        "    accuracy 1-50 100.00%, 51-100 50.00%, 101-150 25.00%",
        "    step 50: loss 0.7; accuracy 1-50 50.00%",
    ):
        assert line in text.splitlines()


def test_show_what_is_long_strange_or_failed(longreach: Call, runs: Path) -> None:
    rows = tuple(Evaluation(step=step, loss=float("nan")) for step in range(30))
    long = sample(4, rows=rows, final=Final(steps=30, other={"norm": float("inf")}), checkpoints=("a.pt",))
    write_result(runs, long)
    text = longreach("results", "show", long.key, "--runs", runs).out
    assert "  evaluations 30, the last 10 (--json has all)\n    step 20: loss nan\n" in text
    assert "  checkpoints a.pt" in text
    document = longreach("results", "show", long.key, "--runs", runs, "--json").out
    shown = json.loads(document, parse_constant=lambda name: pytest.fail(f"{name} is not JSON"))
    assert (shown["rows"][0]["loss"], shown["final"]["other"]) == (None, {"norm": None})
    for asked in (("list", "--all"), ("export",)):
        document = longreach("results", *asked, "--runs", runs, "--json").out
        assert "NaN" not in document
        assert "Infinity" not in document
    listed = longreach("results", "list", "--runs", runs, "--json").out
    json.loads(listed, parse_constant=lambda name: pytest.fail(f"{name} is not JSON"))
    failed = longreach("results", "show", sample_failure(2).key, "--runs", runs).out
    assert failed.splitlines()[1:3] == ["  ValueError: no", "  \\x1b[31mred [bold]x"]


def test_show_unknown_keys(longreach: Call, runs: Path) -> None:
    key = sample(0).key
    wrong = key[:-1] + ("0" if key[-1] != "0" else "1")
    done = longreach("results", "show", wrong, "--runs", runs)
    assert (done.code, done.out) == (2, "")
    assert done.first_error.startswith(f"KEY: no result '{wrong}' in {runs}; did you mean '{key}'")
    for name in ("../runs", "", "/", "zz"):
        done = longreach("results", "show", name, "--runs", runs)
        assert (done.code, done.out) == (2, "")
        assert done.first_error.startswith(f"KEY: no result {name!r} in ")


def test_show_what_is_ambiguous_damaged_or_unfinished(longreach: Call, tmp_path: Path, runs: Path) -> None:
    for name in ("ab" + "0" * 14, "ab" + "1" * 14):
        (tmp_path / name).mkdir()
    done = longreach("results", "show", "ab", "--runs", tmp_path)
    assert done.first_error == "KEY: 'ab' is the beginning of ab00000000000000, ab11111111111111"
    done = longreach("results", "show", "0" * 16, "--runs", runs)
    assert (done.code, done.first_error) == (2, f"KEY: {'0' * 16} has no result yet")
    done = longreach("results", "show", sample(3).key, "--runs", runs, "--json")
    assert (done.code, done.out, done.first_error) == (2, "", _problem(runs))


def test_index(longreach: Call, runs: Path) -> None:
    draft = runs / ("0" * 16) / ".result.json.1234.tmp"
    draft.write_text("{", encoding="utf-8")
    os.utime(draft, (time.time() - 10_000,) * 2)
    document = longreach("results", "index", "--runs", runs, "--json").document
    assert document == {
        "index": str(runs / "index.sqlite"),
        "done": 2,
        "failed": 1,
        "damaged": [{"directory": sample(3).key, "problem": _problem(runs)}],
        "unfinished": ["0" * 16],
        "removed": 1,
    }
    assert not draft.exists()
    done = longreach("results", "index", "--runs", runs)
    assert done.out == f"{runs / 'index.sqlite'}: 2 done, 1 failed, 1 damaged\n"
    assert "skipped" in done.err


def test_index_that_cannot_be_written(longreach: Call, runs: Path) -> None:
    (runs / "index.sqlite").mkdir()
    done = longreach("results", "index", "--runs", runs)
    assert (done.code, done.out) == (2, "")
    assert done.first_error.startswith(f"{runs / 'index.sqlite'}: cannot be written: ")
    assert longreach("results", "list", "--runs", runs).code == 0


def test_export(longreach: Call, runs: Path, tmp_path: Path) -> None:
    done = longreach("results", "export", "--runs", runs)
    lines = list(csv.DictReader(io.StringIO(done.out)))
    assert [line["seed"] for line in lines] == ["1", "0", "2"]
    assert lines[1]["accuracy 51-100"] == "0.5"
    assert lines[1]["config.model.layers"] == "2"
    path = tmp_path / "table.csv"
    done_to_file = longreach("results", "export", "--runs", runs, "--out", path)
    assert done_to_file.out == ""
    assert done_to_file.err.splitlines()[-1] == f"wrote {path}"
    assert path.read_text(encoding="utf-8") == done.out
    document = longreach("results", "export", "--runs", runs, "--out", path, "--json").document
    assert (document["out"], document["records"]) == (str(path), 3)
    document = longreach("results", "export", "--runs", runs, "--json").document
    assert len(document["records"]) == 3
    assert len(document["columns"]) == len(document["records"][0])


def test_export_of_evaluations(longreach: Call, runs: Path) -> None:
    done = longreach("results", "export", "--evaluations", "--task", "parity", "--runs", runs)
    lines = list(csv.DictReader(io.StringIO(done.out)))
    assert [(line["seed"], line["step"], line["accuracy 1-50"]) for line in lines] == [
        ("0", "50", "0.5"), ("0", "100", "1.0"),
    ]  # fmt: skip


def test_parquet_needs_pyarrow(
    longreach: Call, runs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    done = longreach("results", "export", "--runs", runs, "--out", tmp_path / "a.parquet")
    assert (done.code, done.out) == (2, "")
    assert done.first_error == "Parquet needs the extra 'parquet': pip install 'longreach[parquet]'"
    assert not (tmp_path / "a.parquet").exists()


@pytest.mark.parametrize("command", ["list", "show", "index", "export"])
def test_missing_directories(longreach: Call, tmp_path: Path, command: str) -> None:
    arguments = ["0" * 16] if command == "show" else []
    for path, message in ((tmp_path / "absent", "no such directory"), (Path(__file__), "not a directory")):
        done = longreach("results", command, *arguments, "--runs", path)
        assert (done.code, done.out) == (2, "")
        assert done.first_error == f"--runs: {path}: {message}"
    assert not (tmp_path / "absent").exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["list", "--status", "odd"], "--status: "),
        (["export", "--out", "table.xlsx"], "--out: table.xlsx: must end in .csv or .parquet"),
        (["export", "--out", "no-such-place/a.csv"], "--out: no-such-place/a.csv: no such directory"),
        (["show"], "KEY: "),
        (["list", "--stauts", "done"], "--stauts: no such option; did you mean '--status'"),
    ],
)
def test_bad_input_is_one_line_and_exit_2(
    longreach: Call, runs: Path, arguments: list[str], message: str
) -> None:
    done = longreach("results", *arguments, "--runs", runs)
    assert (done.code, done.out) == (2, "")
    assert done.first_error.startswith(message)
    assert "Traceback" not in done.err


def _many(runs: Path, count: int) -> None:
    for seed in range(count):
        result = sample(seed)
        (runs / result.key).mkdir(parents=True)
        (runs / result.key / RESULT).write_text(result.model_dump_json(), encoding="utf-8")


def test_many_results_are_summed_up(longreach: Call, tmp_path: Path) -> None:
    _many(tmp_path, 250)
    write_result(tmp_path, sample_failure(250))
    done = longreach("results", "list", "--runs", tmp_path)
    title, line = done.out.splitlines()
    assert title.split() == [
        "key", "task", "model", "runs", "learned", "failed", "seconds", "1-50", "51-100", "101-150",
    ]  # fmt: skip
    assert line.split()[1:7] == ["…", "parity", "ape", "251", "250", "1"]
    assert line.split()[8:] == ["100.0%", "50.0%", "25.0%"]
    assert done.err.startswith("251 results of 1 configuration, ")
    assert "--all lists every result" in done.err
    every = longreach("results", "list", "--runs", tmp_path, "--all")
    assert len(every.out.splitlines()) == 252
    assert every.err == ""
    assert {line.split()[4] for line in every.out.splitlines()[1:]} == {"done", "failed"}
    some = longreach("results", "list", "--runs", tmp_path, "--limit", 3)
    assert len(some.out.splitlines()) == 4
    assert some.err == "the first 3 of 251 results; --all lists every one\n"
    assert len(longreach("results", "list", "--runs", tmp_path, "--json").document["runs"]) == 251
    assert longreach("results", "list", "--runs", tmp_path, "--limit", 0).code == 2


@pytest.mark.parametrize("command", [["list"], ["list", "--json"], ["export"], ["show", sample(0).key]])
def test_commands_that_read_write_nothing(longreach: Call, runs: Path, command: list[str]) -> None:
    before = sorted(runs.rglob("*"))
    assert longreach("results", *command, "--runs", runs).code == 0
    assert sorted(runs.rglob("*")) == before


FORGED = [
    '"1-50": Infinity', '"1-50": "Infinity"', '"1-50": NaN', '"1-50": 1e999', '"1-50": 1e308', '"1-50": -0.1',
    '"1-50": 1.01', '"x": 0.5', f'"{"9" * 5000}-{"9" * 5000}": 0.5', '"1-50-60": 0.5', '"１-２": 0.5',
    '"": 0.5',
]  # fmt: skip


@pytest.mark.parametrize("forged", FORGED)
def test_impossible_accuracies_are_named_and_skipped(longreach: Call, runs: Path, forged: str) -> None:
    for kind in ("accuracy", "accuracy_random_offset"):
        path = write_result(runs, sample(0))
        whole, place, rest = path.read_text(encoding="utf-8").rpartition(f'"{kind}": {{')
        rest = rest[rest.index("}") + 1 :]
        path.write_text(f"{whole}{place}{forged}}}{rest}", encoding="utf-8")
        listed = longreach("results", "list", "--runs", runs)
        assert (listed.code, sample(0).key in listed.out) == (0, False)
        assert f"skipped: {path}: final.{kind}" in listed.err
        assert all(len(line) < 500 for line in listed.err.splitlines())
        document = longreach("results", "list", "--runs", runs, "--json").document
        assert sample(0).key in {each["directory"] for each in document["damaged"]}
        shown = longreach("results", "show", sample(0).key, "--runs", runs)
        assert (shown.code, shown.out) == (2, "")
        exported = longreach("results", "export", "--runs", runs)
        assert (exported.code, sample(0).key in exported.out) == (0, False)
        forecast = longreach("forecast", "parity", "--runs", runs, "--json")
        assert (forecast.code, sample(0).key in forecast.out) == (0, False)


def test_names_of_many_digits_can_be_exported(longreach: Call, tmp_path: Path) -> None:
    write_result(tmp_path, sample(0, config={"9" * 5000: 1, "size": 10**400, "alphabet": 5}))
    assert longreach("results", "export", "--runs", tmp_path).code == 0
    assert longreach("forecast", "parity", "--runs", tmp_path).code == 0


# `results remove` says what it removes, asks, and removes that.


def _left(runs: Path) -> set[str]:
    return {entry.name for entry in scan(runs)}


@pytest.mark.parametrize(
    ("arguments", "gone"),
    [
        ([sample(0).key], {sample(0).key}),
        ([sample(0).key[:9], sample_failure(2).key], {sample(0).key, sample_failure(2).key}),
        (["--task", "parity"], {sample(0).key, sample_failure(2).key}),
        (["--task", "parity", "--status", "failed"], {sample_failure(2).key}),
        (["--encoding", "nope"], {sample(1, config={"task": "copy-unique", "encoding": "nope"}).key}),
        (["--status", "damaged"], {sample(3).key}),
        (["--status", "unfinished"], {"0" * 16}),
        (["--task", "copy-unique", "--encoding", "ape"], set()),
    ],
)
def test_what_is_chosen_goes(longreach: Call, runs: Path, arguments: list[str], gone: set[str]) -> None:
    before = _left(runs)
    done = longreach("results", "remove", *arguments, "--yes", "--runs", runs, "--json")
    assert done.code == 0
    assert {each["key"] for each in done.document["removed"]} == gone
    assert _left(runs) == before - gone


def test_what_is_removed_is_named(longreach: Call, runs: Path) -> None:
    done = longreach("results", "remove", "--task", "copy-unique", "--yes", "--runs", runs)
    (line,) = done.err.splitlines()
    assert line.split()[1:] == ["copy-unique", "nope", "1", "done"]
    assert done.out.startswith("removed 1 run, ")


@pytest.mark.parametrize("answer", [True, False])
def test_in_a_terminal_it_asks(
    longreach: Call, runs: Path, monkeypatch: pytest.MonkeyPatch, answer: bool
) -> None:
    asked: list[str] = []

    def confirm(question: str, err: bool) -> bool:
        asked.append(question)
        return answer

    monkeypatch.setattr(sys.stdin, "isatty", lambda: True, raising=False)
    monkeypatch.setattr(typer, "confirm", confirm)
    done = longreach("results", "remove", "--task", "parity", "--runs", runs)
    assert done.code == 0
    assert asked[0].startswith("remove 2 runs, ")
    assert len(_left(runs)) == (3 if answer else 5)
    assert ("nothing is removed" in done.err) is not answer


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "KEY: missing; or choose runs by --task, --encoding or --status"),
        (["fffffff"], "KEY: no run 'fffffff'"),
        ([sample(0).key + "0"], f"KEY: no run '{sample(0).key}0'; did you mean '{sample(0).key}'"),
        (["--task", "parity"], "--yes: required to remove 2 runs, "),
        (["--status", "old", "--yes"], "--status: "),
    ],
)
def test_what_cannot_be_removed(longreach: Call, runs: Path, arguments: list[str], message: str) -> None:
    done = longreach("results", "remove", *arguments, "--runs", runs, "--json")
    assert (done.code, done.out) == (2, "")
    assert done.first_error.startswith(message)
    assert len(_left(runs)) == 5


@pytest.fixture
def elsewhere(runs: Path, tmp_path: Path) -> Path:
    """A table of two runs that were measured elsewhere."""
    path = tmp_path / "measured.csv"
    head = "task,model,encoding,seed,trained_to,length,accuracy"
    lines = ["parity,LSTM,,0,20,41-60,0.98", "parity,LSTM,,1,20,41-60,0.5", "sort,mine,rope,0,20,50,0.25"]
    path.write_text("\n".join([head, *lines]), encoding="utf-8")
    return path


def test_imported_runs_are_listed_apart(longreach: Call, runs: Path, elsewhere: Path) -> None:
    before = longreach("results", "list", "--runs", runs, "--json").document
    assert before["imported"] == []
    done = longreach("results", "import", elsewhere, "--runs", runs)
    assert (done.code, done.out) == (0, "imported 3 accuracies of 3 runs\n")
    again = longreach("results", "import", elsewhere, "--runs", runs, "--json").document
    assert (again["added"], again["known"], len(again["runs"])) == (0, 3, 3)
    document = longreach("results", "list", "--runs", runs, "--json").document
    imported = document.pop("imported")
    assert [each["imported"] for each in imported] == [True] * 3
    assert [each["accuracy"] for each in imported] == [{"41-60": 0.98}, {"41-60": 0.5}, {"50-50": 0.25}]
    assert document == {name: value for name, value in before.items() if name != "imported"}
    listed = longreach("results", "list", "--runs", runs)
    assert "imported" in listed.out
    assert "98.0%" in listed.out
    assert "3 runs measured elsewhere and imported; not counted above" in listed.err
    only = longreach("results", "list", "--runs", runs, "--task", "sort", "--json").document
    assert [each["task"] for each in only["imported"]] == ["sort"]
    assert (
        longreach("results", "list", "--runs", runs, "--status", "done", "--json").document["imported"] == []
    )


def test_imported_runs_are_shown_exported_and_removed(longreach: Call, runs: Path, elsewhere: Path) -> None:
    plain = longreach("results", "export", "--runs", runs).out
    longreach("results", "import", elsewhere, "--runs", runs)
    first, second, _ = longreach("results", "list", "--runs", runs, "--json").document["imported"]
    assert longreach("results", "show", first["key"], "--runs", runs, "--json").document == first
    assert (
        "imported: measured elsewhere" in longreach("results", "show", first["key"][:9], "--runs", runs).out
    )
    exported = list(csv.DictReader(io.StringIO(longreach("results", "export", "--runs", runs).out)))
    assert [row["imported"] for row in exported] == ["false"] * 3 + ["true"] * 3
    assert [row["status"] for row in exported[3:]] == ["imported"] * 3
    assert (exported[3]["model"], exported[3]["trained_to"], exported[3]["accuracy 41-60"]) == (
        "LSTM",
        "20",
        "0.98",
    )
    removed = longreach("results", "remove", second["key"], "--yes", "--runs", runs, "--json").document
    assert [each["status"] for each in removed["removed"]] == ["imported"]
    left = longreach("results", "list", "--runs", runs, "--json").document
    assert (len(left["imported"]), len(left["runs"])) == (2, 3)
    longreach("results", "remove", "--status", "imported", "--yes", "--runs", runs)
    assert longreach("results", "export", "--runs", runs).out == plain
    assert not (runs / "imported.json").exists()


def test_a_damaged_file_of_imported_runs_is_named_and_skipped(longreach: Call, runs: Path) -> None:
    (runs / "imported.json").write_text("{", encoding="utf-8")
    done = longreach("results", "list", "--runs", runs)
    assert done.code == 0
    assert f"skipped: {runs / 'imported.json'}: Invalid JSON" in done.err
    assert longreach("results", "show", sample(0).key, "--runs", runs).code == 0


def test_a_bad_table_is_one_line(longreach: Call, tmp_path: Path) -> None:
    (tmp_path / "bad.csv").write_text("task,model\n", encoding="utf-8")
    done = longreach("results", "import", tmp_path / "bad.csv", "--runs", tmp_path / "runs")
    assert (done.code, done.out) == (2, "")
    assert done.err.splitlines()[0].endswith("bad.csv:1:1: the column seed is missing")
