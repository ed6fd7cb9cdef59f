"""Results as one flat table, as CSV or Parquet, and tables of runs as lines of JSON."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from pydantic import TypeAdapter, ValidationError

from longreach.errors import File, InputError, MissingExtra, one_line
from longreach.files import read_text
from longreach.runs.cells import sure_at
from longreach.runs.index import Row
from longreach.training.log import KINDS, numbers_of
from longreach.training.result import Result

if TYPE_CHECKING:
    from longreach.runs.imported import ImportedRun

FIXED = (
    "key", "status", "task", "model", "encoding", "seed", "steps", "seconds", "reached", "loss", "started",
    "device", "code", "error",
)  # fmt: skip
LARGEST = 1e300  # integers beyond become text


@dataclass(frozen=True)
class Table:
    """Named columns and the records under them; what a record lacks is None."""

    columns: tuple[str, ...]
    records: tuple[tuple[Any, ...], ...]


def table_of(rows: Iterable[Row], imported: Sequence[ImportedRun] = ()) -> Table:
    """One record per result: what is known of it, its final numbers, where it is sure, its configuration.

    Imported runs come last, and a column says which they are.

    >>> rows = [Row(key="00", status="done", accuracy={"51-100": 0.5, "1-50": 1.0}, config={"lr": 0.1})]
    >>> table_of(rows).columns[-3:]
    ('accuracy 1-50', 'accuracy 51-100', 'config.lr')
    """
    records = []
    for row in rows:
        record = {name: getattr(row, name) for name in FIXED} | {"encoding": row.positions}
        for kind in KINDS:
            record |= {f"{kind} {label}": value for label, value in getattr(row, kind).items()}
        record |= {f"sure {label}": value for label, value in sure_at(row).items()}
        records.append(record | flat(row.config, "config.") | ({"imported": False} if imported else {}))
    for run in imported:
        said = {name: value for name, value in run.document().items() if name != "accuracy"}
        shares = {f"accuracy {label}": value for label, value in run.accuracy.items()}
        records.append({"status": "imported", **said, **shares})
    return _table(FIXED, records)


def evaluations_of(results: Iterable[Result]) -> Table:
    """One record per evaluation on the way."""
    records = []
    for result in results:
        records += [{"key": result.key, "seed": result.seed} | numbers_of(row) for row in result.rows]
    return _table(("key", "seed", "step", "loss"), records)


def flat(value: Mapping[str, Any], place: str = "") -> dict[str, Any]:
    """Nested settings by their full names; lists as JSON.

    >>> flat({"lr": 0.1, "model": {"widths": [1, 2]}})
    {'lr': 0.1, 'model.widths': '[1, 2]'}
    """
    found: dict[str, Any] = {}
    for name, entry in value.items():
        if isinstance(entry, Mapping) and entry:
            found |= flat(entry, f"{place}{name}.")
        else:
            plain = entry is None or isinstance(entry, bool | int | float | str)
            found[place + name] = entry if plain else json.dumps(entry, ensure_ascii=False)
    return found


def _table(fixed: Sequence[str], records: Sequence[Mapping[str, Any]]) -> Table:
    others = {name for record in records for name in record} - set(fixed)
    columns = (*fixed, *sorted(others, key=column_order))
    return Table(columns, tuple(tuple(record.get(name) for name in columns) for record in records))


def column_order(name: str) -> tuple[bool, list[tuple[int, int, str]]]:
    """Configuration last; ranges of lengths by their numbers.

    >>> sorted(["51-100", "101-150", "1-50"], key=column_order)
    ['1-50', '51-100', '101-150']
    """
    parts = re.split(r"(\d+)", name)
    order = [(0, *_number(part)) if part.isdecimal() else (1, 0, part) for part in parts]
    return name.startswith("config."), order


def _number(digits: str) -> tuple[int, str]:
    """In the order of the numbers, however many digits they have."""
    plain = digits.lstrip("0")
    return len(plain), plain


def csv_text(table: Table) -> str:
    """The table as CSV with a line of titles; missing values are empty, truth values true and false.

    >>> print(csv_text(Table(("a", "b"), ((1, None), (True, "x,y")))), end="")
    a,b
    1,
    true,"x,y"
    """
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(table.columns)
    for record in table.records:
        writer.writerow([str(value).lower() if isinstance(value, bool) else value for value in record])
    return stream.getvalue()


def parquet_bytes(table: Table) -> bytes:
    """The table as Parquet, for which pyarrow must be installed."""
    try:
        pyarrow, parquet = import_module("pyarrow"), import_module("pyarrow.parquet")
    except ImportError:
        raise MissingExtra("Parquet", "parquet") from None
    columns = {
        name: pyarrow.array(*_typed([record[number] for record in table.records], pyarrow))
        for number, name in enumerate(table.columns)
    }
    sink = io.BytesIO()
    parquet.write_table(pyarrow.table(columns), sink)
    return sink.getvalue()


def _typed(values: list[Any], arrow: Any) -> tuple[list[Any], Any]:
    """The values of a column and the one type that fits all of them; text where none does."""
    kinds = {type(value) for value in values if value is not None}
    if kinds <= {bool}:
        return values, arrow.bool_()
    if kinds <= {int} and all(abs(value) < 2**63 for value in values if value is not None):
        return values, arrow.int64()
    if kinds <= {int, float} and all(abs(value) < LARGEST for value in values if value is not None):
        return [None if value is None else float(value) for value in values], arrow.float64()
    texts = [value if value is None or isinstance(value, str) else json.dumps(value) for value in values]
    return texts, arrow.string()


class Line(Protocol):
    """What a table has lines of."""

    @property
    def run(self) -> str:
        """The key of the run."""
        ...


AnyLine = TypeVar("AnyLine", bound=Line)


def read_lines(path: Path, adapter: TypeAdapter[AnyLine]) -> tuple[AnyLine, ...]:
    """The lines of a table, in order; a bad one is refused by its number."""
    found: dict[str, AnyLine] = {}
    for number, line in enumerate(read_text(path).split("\n"), 1):
        if not line.strip():
            continue
        place = File(f"{path}:{number}")
        try:
            run = adapter.validate_json(line)
        except ValidationError as error:
            raise InputError(one_line(error), place=place) from None
        if run.run in found:
            raise InputError(f"the run {run.run} appears twice", place=place)
        found[run.run] = run
    return tuple(found.values())
