"""Tests of `runs.imported`: accuracies measured elsewhere."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from longreach.errors import InputError
from longreach.runs.cells import cells
from longreach.runs.collected import results
from longreach.runs.imported import IMPORTED, import_file, read_imported, remove_imported
from longreach.runs.index import read_index
from longreach.training.result import write_result
from tests.helpers.result_samples import sample

HEAD = "task,model,encoding,seed,trained_to,length,accuracy\n"
LINES = """parity,LSTM,,0,20,41-60,0.98
parity,LSTM,,0,20,80,0.5
parity,LSTM,,1,20,41-60,1
aa,mine,rope,0,20,50,0
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "measured.csv"
    path.write_text(HEAD + LINES, encoding="utf-8")
    return path


def test_runs_are_put_together_from_lines(file: Path, tmp_path: Path) -> None:
    runs = tmp_path / "new" / "runs"
    found = import_file(file, runs)
    assert (found.added, found.known, len(found.runs)) == (4, 0, 3)
    assert found.words == "imported 4 accuracies of 3 runs"
    first, second, third = read_imported(runs)
    assert first.document() == {
        "key": first.key, "task": "aa", "model": "mine", "encoding": "rope", "seed": 0, "trained_to": 20,
        "accuracy": {"50-50": 0.0}, "imported": True,
    }  # fmt: skip
    assert first.accuracy == {"50-50": 0.0}
    assert second.accuracy == {"41-60": 0.98, "80-80": 0.5}
    assert third.accuracy == {"41-60": 1.0}
    assert second.document()["imported"] is True
    assert len({first.key, second.key, third.key}) == 3


def test_json_lines_are_the_same(file: Path, tmp_path: Path) -> None:
    names = HEAD.strip().split(",")
    documents: list[dict[str, Any]] = []
    for line in LINES.splitlines():
        fields: dict[str, Any] = dict(zip(names, line.split(","), strict=True))
        whole = {name: int(fields[name]) for name in ("seed", "trained_to")}
        length = int(fields["length"]) if fields["length"].isdecimal() else fields["length"]
        documents.append({**fields, **whole, "accuracy": float(fields["accuracy"]), "length": length})
    documents[0]["encoding"] = None
    del documents[1]["encoding"]
    path = tmp_path / "measured.jsonl"
    path.write_text("\n\n".join(map(json.dumps, documents)), encoding="utf-8")
    import_file(file, tmp_path / "one")
    import_file(path, tmp_path / "other")
    assert read_imported(tmp_path / "one") == read_imported(tmp_path / "other")


def test_importing_again_changes_nothing(file: Path, tmp_path: Path) -> None:
    import_file(file, tmp_path)
    stored = tmp_path / IMPORTED
    before = stored.read_bytes(), stored.stat().st_mtime_ns
    again = import_file(file, tmp_path)
    assert (again.added, again.known) == (0, 4)
    assert again.words == "imported 0 accuracies of 3 runs; 4 were there already"
    assert (stored.read_bytes(), stored.stat().st_mtime_ns) == before


def test_further_lengths_join_their_run(file: Path, tmp_path: Path) -> None:
    import_file(file, tmp_path)
    file.write_text(HEAD + "parity,LSTM,,0,20,41-60,0.98\nparity,LSTM,,0,20,200,0.1\n", encoding="utf-8")
    found = import_file(file, tmp_path)
    assert (found.added, found.known) == (1, 1)
    (run,) = found.runs
    assert run.accuracy == {"41-60": 0.98, "80-80": 0.5, "200-200": 0.1}
    assert len(read_imported(tmp_path)) == 3


def test_another_number_for_the_same_is_refused(file: Path, tmp_path: Path) -> None:
    import_file(file, tmp_path)
    before = (tmp_path / IMPORTED).read_bytes()
    file.write_text(HEAD + "sort,x,,0,20,9,1\nparity,LSTM,,0,20,41-60,0.97\n", encoding="utf-8")
    with pytest.raises(InputError) as caught:
        import_file(file, tmp_path)
    key = read_imported(tmp_path)[1].key
    reason = f"accuracy: 0.97, but 0.98 was imported before: longreach results remove {key}"
    assert caught.value.message == f"{file}:3:25: {reason}"
    assert (tmp_path / IMPORTED).read_bytes() == before


def test_runs_are_removed_one_by_one(file: Path, tmp_path: Path) -> None:
    import_file(file, tmp_path)
    first, *rest = read_imported(tmp_path)
    remove_imported(tmp_path, [first.key])
    assert list(read_imported(tmp_path)) == rest
    remove_imported(tmp_path, [run.key for run in rest])
    assert not (tmp_path / IMPORTED).exists()


def test_imported_runs_are_in_no_count_of_own_runs(file: Path, tmp_path: Path) -> None:
    write_result(tmp_path, sample(0))
    with read_index(tmp_path) as index:
        rows, names = index.rows(), index.names("task")
    before = cells(rows)
    import_file(file, tmp_path)
    with read_index(tmp_path) as index:
        assert index.rows() == rows
        assert index.names("task") == names
        assert index.unfinished == ()
    assert cells(rows) == before
    assert len(results(tmp_path)) == 1
    assert len(results(tmp_path, task="aa")) == 0


REFUSALS = {
    "": "has no accuracies",
    HEAD: "has no accuracies",
    "task,model\n": "1:1: the column seed is missing",
    "tsk,model\n": "1:1: 'tsk' is no column; did you mean 'task'?",
    "task,task\n": "1:1: the column task appears twice",
    HEAD + "parity,x,,0,20,9\n": "2:1: 6 fields, not 7 as in the first line",
    HEAD + "\n\nparity,x,,0,20,9,1.5\n": "4:18: accuracy: '1.5' is not between 0 and 1; per cent are ",
    HEAD + "parity,x,,0,20,9,-1\n": "2:18: accuracy: '-1' is not a number from 0 to 1",
    HEAD + "parity,x,,0,20,9,nan\n": "2:18: accuracy: 'nan' is not a number from 0 to 1",
    HEAD + "parity,x,,0,20,9,1e999\n": "2:18: accuracy: '1e999' is not between 0 and 1",
    HEAD + 'parity,"x,y",,zero,20,9,1\n': "2:15: seed: 'zero' is not a whole number",
    HEAD + "parity,x,,0,0,9,1\n": "2:13: trained_to: must be at least 1, not 0",
    HEAD + "parity,x,,0,20,60-41,1\n": "2:16: length: '60-41' is a range that ends before it begins",
    HEAD + "parity,x,,0,20,41:60,1\n": "2:16: length: '41:60' is neither a length nor a range such as 41-60",
    HEAD + "parity,,,0,20,9,1\n": "2:8: model: '' is not a name",
    HEAD + "parity,\x1b[31m,,0,20,9,1\n": "2:8: model: '\\x1b[31m' has characters that cannot be shown",
    HEAD + "pariti,x,,0,20,9,1\n": "2:1: task: no task named 'pariti'; did you mean 'parity'?",
    HEAD + "regex:(a,x,,0,20,9,1\n": "2:1: task: ",
    HEAD + 2 * "parity,x,,0,20,9,1\n": "3:1: this length of this run stands in line 2 already",
    HEAD + 'parity,"x,,0,20,9,1\n': "2:1: not CSV: unexpected end of data",
}  # fmt: skip


@pytest.mark.parametrize("text", REFUSALS, ids=lambda text: repr(text[-24:]))
def test_bad_tables_are_one_line_and_write_nothing(text: str, tmp_path: Path) -> None:
    path, runs = tmp_path / "bad.csv", tmp_path / "runs"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError) as caught:
        import_file(path, runs)
    wanted = REFUSALS[text]
    assert caught.value.message.startswith(f"{path}:{' ' if wanted.startswith('has') else ''}{wanted}")
    assert "\n" not in caught.value.message
    assert not runs.exists()


GOOD = {"task": "parity", "model": "x", "seed": 0, "trained_to": 20, "length": 9, "accuracy": 1}
JSON_REFUSALS: list[tuple[Any, str]] = [
    ([1], "1:1: expected an object with task, model, "),
    ({**GOOD, "more": 1}, "1:1: 'more' is no column"),
    ({**GOOD, "seed": True}, "1:34: seed: True is not a whole number"),
    ({**GOOD, "seed": 1.5}, "1:34: seed: 1.5 is not a whole number"),
    ({**GOOD, "length": True}, "1:63: length: True is neither"),
    ({**GOOD, "length": -3}, "1:63: length: -3 is neither"),
    ({**GOOD, "accuracy": "0,5"}, "1:76: accuracy: '0,5' is not a number from 0 to 1"),
    ({**GOOD, "task": 3}, "1:2: task: 3 is not a name"),
]


@pytest.mark.parametrize(("document", "message"), JSON_REFUSALS, ids=str)
def test_bad_json_lines(document: Any, message: str, tmp_path: Path) -> None:
    path = tmp_path / "bad.jsonl"
    path.write_text(json.dumps(document), encoding="utf-8")
    with pytest.raises(InputError) as caught:
        import_file(path, tmp_path / "runs")
    assert caught.value.message.startswith(f"{path}:{message}")
    path.write_text(json.dumps(GOOD) + "\n{", encoding="utf-8")
    with pytest.raises(InputError, match=r"bad\.jsonl:2:2: not JSON"):
        import_file(path, tmp_path / "runs")


def test_other_files_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "measured.txt"
    path.write_text(HEAD, encoding="utf-8")
    with pytest.raises(InputError, match="expected a file that ends in"):
        import_file(path, tmp_path)
    os.mkfifo(tmp_path / "pipe.csv")
    with pytest.raises(InputError, match="is a pipe, not a file"):
        import_file(tmp_path / "pipe.csv", tmp_path)


@pytest.mark.parametrize("change", [lambda text: text[:-9], lambda text: text.replace('"aa"', '"ab"')])
def test_a_damaged_file_is_named(change: Any, file: Path, tmp_path: Path) -> None:
    import_file(file, tmp_path)
    stored = tmp_path / IMPORTED
    stored.write_text(change(stored.read_text(encoding="utf-8")), encoding="utf-8")
    with pytest.raises(InputError, match=IMPORTED):
        read_imported(tmp_path)
