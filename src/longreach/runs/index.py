"""An SQLite index over the result files, so that queries do not read them all. The files are the truth.

`longreach results index` writes it, never the jobs. It can be deleted at any time, and what has changed since
is read from the files.
"""

from __future__ import annotations

import contextlib
import json
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal, TypeAlias

from longreach.config.architectures import DECODER
from longreach.config.model import CellLabel
from longreach.files import ResultError
from longreach.training.result import (
    Entry,
    Result,
    Stamp,
    check_directory,
    entries,
    named,
)

INDEX = "index.sqlite"
SCHEMA = 2  # another number in the file means that it is built anew
PATIENCE = 10.0  # seconds to wait for another writer

Status: TypeAlias = Literal["done", "failed", "damaged"]

_CREATE = """
CREATE TABLE entries (
    name TEXT PRIMARY KEY, changed INTEGER, size INTEGER, inode INTEGER, status TEXT NOT NULL,
    task TEXT, encoding TEXT, seed INTEGER, steps INTEGER, seconds REAL, started TEXT, device TEXT, code TEXT,
    reached INTEGER, error TEXT, config TEXT
);
CREATE TABLE numbers (
    name TEXT NOT NULL, kind TEXT NOT NULL, label TEXT NOT NULL, value REAL,
    PRIMARY KEY (name, kind, label)
) WITHOUT ROWID;
CREATE INDEX by_task ON entries (task, encoding, status);
"""
_COLUMNS = (
    "name", "status", "task", "encoding", "seed", "steps", "seconds", "started", "device", "code",
    "reached", "error", "config",
)  # fmt: skip
_KINDS = ("accuracy", "accuracy_random_offset", "other")


@dataclass(frozen=True, kw_only=True)
class Row:
    """One result, without its evaluations on the way."""

    key: str
    status: Status
    task: str | None = None
    encoding: str | None = None
    seed: int | None = None
    steps: int | None = None
    seconds: float | None = None
    started: str | None = None
    device: str | None = None
    code: str | None = None
    reached: bool | None = None
    loss: float | None = None
    error: str | None = None
    """Of a failed job; of a damaged file what is wrong with it."""
    config: dict[str, Any] = field(default_factory=dict)
    accuracy: dict[str, float] = field(default_factory=dict)
    accuracy_random_offset: dict[str, float] = field(default_factory=dict)
    other: dict[str, float] = field(default_factory=dict)

    @property
    def model(self) -> str | None:
        """The architecture, with its options where they are not the usual ones."""
        if self.encoding is None:
            return None
        label = CellLabel.of(self.config)
        return label.architecture + (f"({label.options})" if label.options else "")

    @property
    def positions(self) -> str | None:
        """The positional encoding alone; None where the model has none."""
        label = CellLabel.of(self.config)
        if self.encoding is None or label.architecture == DECODER:
            return self.encoding
        return replace(label, architecture=DECODER).name if "positions" in label.row.can else None


def row_of(result: Result) -> Row:
    """A result without its evaluations on the way, as the index has it."""
    final = result.final
    fields = _fields(result) | {"config": dict(result.config)}
    if final is not None:
        fields |= {"loss": final.loss} | {kind: dict(getattr(final, kind)) for kind in _KINDS}
    return Row(key=result.key, **fields)


class Index:
    """An open index, in step with the files at the time it was opened.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as runs, read_index(runs) as index:
    ...     index.rows(task="parity"), index.unfinished
    ([], ())
    """

    def __init__(self, runs: Path, connection: sqlite3.Connection, path: Path | None) -> None:
        self.runs = runs
        self.path = path
        """None: the index is in memory."""
        self.unfinished: tuple[str, ...] = ()
        self.read = 0
        """How many files had to be read."""
        self._connection = connection

    def __enter__(self) -> Index:
        return self

    def __exit__(self, *_: object) -> None:
        self._connection.close()

    def rows(
        self, *, task: str | None = None, encoding: str | None = None, status: Status | None = None
    ) -> list[Row]:
        """The results that match, ordered by task, encoding, seed and key."""
        wanted = {"task": task, "encoding": encoding, "status": status}
        asked = {name: value for name, value in wanted.items() if value is not None}
        where = " AND ".join(f"{name} = :{name}" for name in asked) or "1"
        order = "task IS NULL, task, encoding, seed, name"
        query = f"SELECT {', '.join(_COLUMNS)} FROM entries WHERE {where} ORDER BY {order}"
        numbers = self._numbers(where, asked)
        found = []
        for values in self._connection.execute(query, asked):
            fields = dict(zip(_COLUMNS, values, strict=True))
            name = fields.pop("name")
            fields["config"] = json.loads(fields["config"] or "{}")
            fields["reached"] = None if fields["reached"] is None else bool(fields["reached"])
            fields |= numbers.get(name, {})
            fields["loss"] = fields.get("loss", {}).get("final")
            found.append(Row(key=name, **fields))
        return found

    def _numbers(self, where: str, asked: dict[str, str]) -> dict[str, dict[str, dict[str, float]]]:
        query = f"SELECT * FROM numbers WHERE name IN (SELECT name FROM entries WHERE {where})"
        found: dict[str, dict[str, dict[str, float]]] = {}
        for name, kind, label, value in self._connection.execute(query, asked):
            # SQLite has no NaN and keeps a missing value instead.
            found.setdefault(name, {}).setdefault(kind, {})[label] = float("nan") if value is None else value
        return found

    def names(self, column: Literal["name", "task", "encoding"]) -> list[str]:
        """All keys, tasks or encodings, without repetitions."""
        query = f"SELECT DISTINCT {column} FROM entries WHERE {column} IS NOT NULL ORDER BY 1"
        return [name for (name,) in self._connection.execute(query)]

    def refresh(self) -> None:
        """Read the files that are new or changed since the last time, forget those that are gone."""
        cursor = self._connection.cursor()
        stamps = cursor.execute("SELECT name, changed, size, inode FROM entries")
        known: dict[str, Stamp] = {name: (changed, size, inode) for name, changed, size, inode in stamps}
        unfinished, seen = [], set()
        for entry in entries(self.runs):
            name = _readable(entry.name)
            if entry.stamp is None and entry.problem is None:
                unfinished.append(name)
                continue
            seen.add(name)
            if entry.stamp is None or entry.stamp != known.get(name):
                self.read += 1
                if name in known:
                    _remove(cursor, name)
                _store(cursor, name, entry.read())
        for name in known.keys() - seen:
            _remove(cursor, name)
        self.unfinished = tuple(unfinished)


def _readable(name: str) -> str:
    return name.encode("utf-8", "backslashreplace").decode("utf-8")


def _remove(cursor: sqlite3.Cursor, name: str) -> None:
    for table in ("entries", "numbers"):
        cursor.execute(f"DELETE FROM {table} WHERE name = ?", (name,))


def _store(cursor: sqlite3.Cursor, name: str, entry: Entry) -> None:
    if entry.state == "unfinished":  # taken away since it was listed
        return
    fields: dict[str, Any] = dict(zip(("changed", "size", "inode"), entry.stamp or (), strict=False))
    if entry.result is None:
        fields |= {"status": "damaged", "error": _readable(entry.problem or "")}
    else:
        fields |= _fields(entry.result)
    fields["name"] = name
    marks = ", ".join(f":{column}" for column in fields)
    cursor.execute(f"INSERT INTO entries ({', '.join(fields)}) VALUES ({marks})", fields)
    final = None if entry.result is None else entry.result.final
    if final is None:
        return
    # The loss stands with the numbers, where a missing value means NaN.
    numbers = [(name, "loss", "final", final.loss)] if final.loss is not None else []
    for kind in _KINDS:
        numbers += [(name, kind, label, value) for label, value in getattr(final, kind).items()]
    cursor.executemany("INSERT INTO numbers VALUES (?, ?, ?, ?)", numbers)


def _fields(result: Result) -> dict[str, Any]:
    final, encoding = result.final, named(result.config, "encoding")
    return {
        "status": result.status,
        "task": named(result.config, "task"),
        "encoding": None if encoding is None else CellLabel.of({**result.config, "encoding": encoding}).name,
        "seed": result.seed,
        "steps": None if final is None else final.steps,
        "seconds": result.timings.seconds,
        "started": result.timings.started.isoformat(),
        "device": result.device,
        "code": result.code,
        "reached": None if final is None else final.reached,
        "error": result.error,
        "config": json.dumps(result.config),
    }


def read_index(runs: str | Path) -> Index:
    """The index of a directory in which nothing is written: what its file has, brought up to date in memory.

    A file that is damaged, or that another process is writing, is left alone, and all results are read.
    """
    directory = check_directory(runs)
    path = directory / INDEX
    if path.is_file():
        with contextlib.suppress(sqlite3.Error, ValueError):
            connection = sqlite3.connect(":memory:", isolation_level=None)
            place = f"{path.absolute().as_uri()}?mode=ro"
            with contextlib.closing(sqlite3.connect(place, uri=True, timeout=PATIENCE)) as file:
                file.execute(
                    "SELECT count(*) FROM sqlite_master"
                )  # refused while locked, where a backup waits
                file.backup(connection)
            return _brought_up(directory, connection, None, rebuild=False)
    connection = sqlite3.connect(":memory:", isolation_level=None)
    return _brought_up(directory, connection, None, rebuild=True)


def write_index(runs: str | Path) -> Index:
    """Build the index of a results directory anew, in its file; close it or use it in `with`."""
    directory = check_directory(runs)
    path = directory / INDEX
    try:
        return _written(directory, path)
    except sqlite3.OperationalError as error:
        raise ResultError(f"{path}: cannot be written: {error}") from None
    except sqlite3.DatabaseError:  # damaged
        with contextlib.suppress(OSError, sqlite3.Error):
            path.unlink(missing_ok=True)
            path.with_name(f"{INDEX}-journal").unlink(missing_ok=True)
            return _written(directory, path)
        raise ResultError(f"{path}: damaged, and cannot be replaced") from None


def _written(runs: Path, path: Path) -> Index:
    connection = sqlite3.connect(path, timeout=PATIENCE, isolation_level=None)
    return _brought_up(runs, connection, path, rebuild=True)


def _brought_up(runs: Path, connection: sqlite3.Connection, path: Path | None, *, rebuild: bool) -> Index:
    try:
        with _transaction(connection):
            if rebuild or connection.execute("PRAGMA user_version").fetchone()[0] != SCHEMA:
                _build(connection)
            index = Index(runs, connection, path)
            index.refresh()
        return index
    except BaseException:
        connection.close()
        raise


@contextlib.contextmanager
def _transaction(connection: sqlite3.Connection) -> Iterator[None]:
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        with contextlib.suppress(sqlite3.Error):
            connection.execute("ROLLBACK")
        raise


def _build(connection: sqlite3.Connection) -> None:
    tables = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
    for (name,) in tables:
        connection.execute(f'DROP TABLE "{name}"')
    for statement in _CREATE.split(";"):
        connection.execute(statement)
    connection.execute(f"PRAGMA user_version = {SCHEMA}")
