"""Rows of local datasets, in the formats in which they lie on disk."""

from __future__ import annotations

import gzip
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from longreach.errors import InputError, MissingExtra
from longreach.language_models.dataset_texts import files_of, rows_of

ROWS = ["one row", "", "two\nlines", "ünd so fort"]
KEPT = [row for row in ROWS if row]


def _lines(rows: list[Any]) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


def _arrow(path: Path, columns: dict[str, list[Any]]) -> Path:
    """As `save_to_disk` writes it: a stream; `.ipc.arrow` is the format with an index."""
    arrow = pytest.importorskip("pyarrow")
    table = arrow.table(columns)
    if path.suffix == ".parquet":
        pytest.importorskip("pyarrow.parquet").write_table(table, path)
        return path
    make = arrow.ipc.new_file if path.name.endswith(".ipc.arrow") else arrow.ipc.new_stream
    with arrow.OSFile(str(path), "wb") as sink, make(sink, table.schema) as writer:
        writer.write_table(table, max_chunksize=2)
    return path


@pytest.mark.parametrize("name", ["a.parquet", "a.arrow", "a.ipc.arrow"])
def test_tables(tmp_path: Path, name: str) -> None:
    numbers = list(range(len(ROWS)))
    assert list(rows_of(_arrow(tmp_path / name, {"id": numbers, "text": ROWS}))) == KEPT
    assert list(rows_of(_arrow(tmp_path / name, {"id": numbers, "content": [*ROWS[:3], None]}))) == KEPT[:2]
    with pytest.raises(InputError, match=r"no column 'text', but title, body$"):
        list(rows_of(_arrow(tmp_path / name, {"title": ROWS, "body": ROWS})))
    with pytest.raises(InputError, match="the column text holds no text"):
        list(rows_of(_arrow(tmp_path / name, {"text": numbers})))
    (tmp_path / name).write_bytes(b"this is none of it" * 9)
    with pytest.raises(InputError, match="damaged"):
        list(rows_of(tmp_path / name))


@pytest.mark.parametrize("name", ["a.jsonl", "a.json", "a.json.gz", "a.jsonl.gz"])
def test_lines(tmp_path: Path, name: str) -> None:
    path = tmp_path / name

    def write(text: str) -> Path:
        path.write_bytes(gzip.compress(text.encode()) if name.endswith(".gz") else text.encode())
        return path

    assert list(rows_of(write(_lines([{"text": row, "n": 1} for row in ROWS]) + "\n"))) == KEPT
    assert list(rows_of(write(_lines([{"body": row, "n": 1} for row in ROWS])))) == KEPT
    assert list(rows_of(write(_lines([{"text": None}])))) == []
    for text, said in (("{", ":1: is not a line of JSON"), ('{"text": "a"}\n[1]', ":2: is not a JSON object"),
                       ('{"n": 1}', "no column 'text', but n")):  # fmt: skip
        with pytest.raises(InputError, match=said):
            list(rows_of(write(text)))


def test_files_that_cannot_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.json.gz").write_bytes(b"not zipped")
    with pytest.raises(InputError, match=r"a\.json\.gz: cannot be read"):
        list(rows_of(tmp_path / "a.json.gz"))
    (tmp_path / "a.jsonl").write_bytes(b'{"text": "\xff"}')
    with pytest.raises(InputError, match="not UTF-8"):
        list(rows_of(tmp_path / "a.jsonl"))
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(MissingExtra, match="parquet"):
        list(rows_of(tmp_path / "a.parquet"))


def test_directories(tmp_path: Path) -> None:
    """Tables of all splits and nothing of what stands beside them; texts where there is no table."""
    with pytest.raises(InputError, match="there is no text in it"):
        files_of(tmp_path)
    (tmp_path / "b.txt").write_text("a text", encoding="utf-8")
    (tmp_path / "README.md").write_text("about", encoding="utf-8")
    assert [path.name for path in files_of(tmp_path)] == ["b.txt"]
    for split in ("train", "test"):
        (tmp_path / split).mkdir()
        (tmp_path / split / "data-00000-of-00001.arrow").touch()
        (tmp_path / split / "state.json").write_text("{}", encoding="utf-8")
    (tmp_path / "dataset_dict.json").write_text("{}", encoding="utf-8")
    assert [path.parent.name for path in files_of(tmp_path)] == ["test", "train"]
