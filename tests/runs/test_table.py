"""Tests of `runs.table`."""

from __future__ import annotations

import csv
import importlib
import io
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest
from pydantic import TypeAdapter

from longreach.errors import InputError
from longreach.runs.index import Row
from longreach.runs.table import FIXED, Table, csv_text, evaluations_of, parquet_bytes, read_lines, table_of
from tests.helpers.extras import needs
from tests.helpers.result_samples import sample


@dataclass(frozen=True)
class Run:
    run: str
    seed: int


ADAPTER = TypeAdapter(Run)


def test_lines_in_order_without_blank_ones(tmp_path: Path) -> None:
    path = tmp_path / "runs.jsonl"
    path.write_text('{"run": "b", "seed": 1}\n\n{"run": "a", "seed": 2}\n')
    assert read_lines(path, ADAPTER) == (Run("b", 1), Run("a", 2))


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b'{"run": "a", "seed": 1}\n{"run": "a", "seed": 2}', r"runs\.jsonl:2: the run a appears twice"),
        (b'{"run": "a", "seed": 1}\n{"run": "b"}', r"runs\.jsonl:2: seed: "),
        (b"{", r"runs\.jsonl:1: Invalid JSON"),
        (b"\xff", r"runs\.jsonl: is not a text file"),
    ],
)
def test_bad_tables_are_refused_by_the_line(tmp_path: Path, content: bytes, reason: str) -> None:
    path = tmp_path / "runs.jsonl"
    path.write_bytes(content)
    with pytest.raises(InputError, match=reason):
        read_lines(path, ADAPTER)


def test_no_file(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such file"):
        read_lines(tmp_path / "none.jsonl", ADAPTER)


ROWS = [
    Row(key="a" * 16, status="done", task="parity", seed=0, reached=True,
        accuracy={"51-100": 0.5, "1-50": 1.0},
        config={"task": "parity", "model": {"layers": 2}, "ranges": [1, 2], "none": {}}),
    Row(key="b" * 16, status="failed", error='ValueError: "a,\nb"', config={"model": {"layers": "two"}}),
]  # fmt: skip


def test_columns() -> None:
    table = table_of(ROWS)
    assert table.columns == (
        *FIXED,
        "accuracy 1-50",
        "accuracy 51-100",
        "config.model.layers",
        "config.none",
        "config.ranges",
        "config.task",
    )
    first, second = (dict(zip(table.columns, record, strict=True)) for record in table.records)
    assert (first["accuracy 1-50"], first["config.model.layers"], first["config.ranges"]) == (
        1.0,
        2,
        "[1, 2]",
    )
    assert (second["accuracy 1-50"], second["config.task"], second["reached"]) == (None, None, None)


def test_csv() -> None:
    read = list(csv.DictReader(io.StringIO(csv_text(table_of(ROWS)))))
    assert [line["error"] for line in read] == ["", 'ValueError: "a,\nb"']
    assert [line["reached"] for line in read] == ["true", ""]
    assert read[0]["accuracy 51-100"] == "0.5"


def test_evaluations() -> None:
    table = evaluations_of([sample(0), sample(1)])
    assert table.columns == ("key", "seed", "step", "loss", "accuracy 1-50")
    assert [record[1:] for record in table.records] == [
        (0, 50, 0.7, 0.5), (0, 100, 0.1, 1.0), (1, 50, 0.7, 0.5), (1, 100, 0.1, 1.0),
    ]  # fmt: skip


def test_an_empty_table() -> None:
    assert csv_text(table_of([])) == ",".join(FIXED) + "\n"


@needs("pyarrow")
def test_parquet() -> None:
    parquet = importlib.import_module("pyarrow.parquet")
    table = table_of(ROWS)
    read = parquet.read_table(io.BytesIO(parquet_bytes(table)))
    assert tuple(read.column_names) == table.columns
    values = read.to_pydict()
    assert values["seed"] == [0, None]
    assert values["reached"] == [True, None]
    assert values["config.model.layers"] == ["2", "two"]  # of different kinds: text
    assert values["accuracy 1-50"] == [1.0, None]
    numbers = Table(("mixed", "large", "nothing"), ((1, 2**70, None), (0.5, 1, None)))
    read = parquet.read_table(io.BytesIO(parquet_bytes(numbers))).to_pydict()
    assert read == {"mixed": [1.0, 0.5], "large": [float(2**70), 1.0], "nothing": [None, None]}


def test_parquet_without_pyarrow(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(InputError, match="Parquet needs the extra 'parquet'"):
        parquet_bytes(table_of(ROWS))


def test_models_and_encodings_have_columns_of_their_own() -> None:
    said = {
        "nope": {"encoding": "nope"},
        "rope+pose": {"encoding": "rope", "position_ids": "pose"},
        "mlp": {"encoding": "mlp"},
        "lstm": {"encoding": "nope", "architecture": "lstm"},
        "looped(loops=2)+rope": {"encoding": "rope", "architecture": "looped", "model_options": {"loops": 2}},
        "mine:make()": {"encoding": "nope", "architecture": "mine:make"},
    }
    rows = [Row(key="00", status="done", encoding=label, config=config) for label, config in said.items()]
    table = table_of(rows)
    model, encoding = (table.columns.index(name) for name in ("model", "encoding"))
    assert [(record[model], record[encoding]) for record in table.records] == [
        ("decoder", "nope"), ("decoder", "rope+pose"), ("mlp", None), ("lstm", None),
        ("looped(loops=2)", "rope"), ("mine:make", None),
    ]  # fmt: skip
