"""Accuracies measured elsewhere: read from a table, kept beside the runs, and never counted among them."""

from __future__ import annotations

import csv
import json
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from longreach.errors import Field as SettingField
from longreach.errors import File, InputError, Spot, near_names
from longreach.files import (
    DOCUMENT_BYTES,
    KEY,
    ResultError,
    job_key,
    one_at_a_time,
    read_document,
    read_json,
    read_text,
    write_atomically,
)
from longreach.tasks.catalog import load_task
from longreach.tasks.lengths import LengthRange, name_order
from longreach.theory.names import Origin, TaskName
from longreach.training.result import Seed, Shares
from longreach.wording import counted, shortened

IMPORTED = "imported.json"
_WRITING = ".imported.lock"
COLUMNS = ("task", "model", "encoding", "seed", "trained_to", "length", "accuracy")
MAY_LACK = ("encoding",)
MOST_ROWS = 1_000_000
LONGEST_NAME = 1000
_WHOLE = re.compile(r"-?[0-9]{1,18}")
_RANGE = re.compile(r"([0-9]{1,9})(?:-([0-9]{1,9}))?")
_NUMBER = re.compile(r"[0-9]+(\.[0-9]*)?([eE][-+]?[0-9]{1,3})?|\.[0-9]+([eE][-+]?[0-9]{1,3})?")

Name = Annotated[str, Field(min_length=1, max_length=LONGEST_NAME)]


class ImportedRun(BaseModel):
    """One model of one seed, measured elsewhere on a task.

    >>> ImportedRun.of("aa", "mine", None, 0, 20, {"41-60": 1.0}).key
    '25de44b4d185f800'
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    key: Annotated[str, Field(pattern=KEY.pattern, min_length=16, max_length=16)]
    task: Name
    model: Name
    encoding: Name | None = None
    seed: Seed
    trained_to: Annotated[int, Field(ge=1, lt=2**63)]
    accuracy: Shares

    @classmethod
    def of(
        cls,
        task: str,
        model: str,
        encoding: str | None,
        seed: int,
        trained_to: int,
        accuracy: Mapping[str, float],
    ) -> ImportedRun:
        """With its key, which all accuracies of the run share."""
        said = {"task": task, "model": model, "encoding": encoding, "seed": seed, "trained_to": trained_to}
        ordered = {name: accuracy[name] for name in sorted(accuracy, key=name_order)}
        return cls(key=job_key({"imported": said}), accuracy=ordered, **said)  # type: ignore[arg-type]

    def document(self) -> dict[str, Any]:
        """As JSON has it, marked."""
        return {**self.model_dump(), "imported": True}

    @property
    def label(self) -> str:
        """The model with its encoding."""
        return self.model if self.encoding is None else f"{self.model}, {self.encoding}"


class _Document(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    version: Literal[1] = 1
    runs: tuple[ImportedRun, ...] = ()


@dataclass(frozen=True)
class Accuracy:
    """A line of a table that is imported."""

    task: str
    model: str
    encoding: str | None
    seed: int
    trained_to: int
    length: str
    """The name of the range."""
    accuracy: float
    line: int
    columns: Mapping[str, int]
    """Where each field begins."""

    @property
    def run(self) -> tuple[str, str, str | None, int, int]:
        return self.task, self.model, self.encoding, self.seed, self.trained_to


@dataclass(frozen=True)
class Import:
    added: int
    """New accuracies."""
    known: int
    """Those that were there."""
    runs: tuple[ImportedRun, ...]
    """Of the file, with all their accuracies."""

    @property
    def words(self) -> str:
        were = "was" if self.known == 1 else "were"
        there = f"; {self.known} {were} there already" if self.known else ""
        noun = "accuracy" if self.added == 1 else "accuracies"
        return f"imported {self.added} {noun} of {counted(len(self.runs), 'run')}{there}"


def read_imported(runs: str | Path) -> tuple[ImportedRun, ...]:
    """What was imported into a results directory, by task, model, encoding and seed.

    >>> read_imported("no-such-directory")
    ()
    """
    path = Path(runs) / IMPORTED
    if not path.exists():
        return ()
    try:
        found = read_document(path, _Document.model_validate_json).runs
    except InputError as error:
        raise ResultError(error.message) from None
    seen: set[str] = set()
    for each in found:
        if each.key in seen or each.key != ImportedRun.of(*_identity(each), {}).key:
            raise ResultError(f"{path}: the key {each.key} is not that of its run, or appears twice")
        seen.add(each.key)
    return found


def _identity(run: ImportedRun) -> tuple[str, str, str | None, int, int]:
    return run.task, run.model, run.encoding, run.seed, run.trained_to


def import_file(path: str | Path, runs: str | Path) -> Import:
    """Add the accuracies of a CSV or JSON lines file to a results directory, all of them or none.

    What is there already stays; another number for the same is refused.
    """
    rows = read_table(path)
    directory = Path(runs)
    try:
        directory.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{directory}: {error.strerror or error}", place=SettingField("runs")) from None
    with one_at_a_time(directory / _WRITING):
        before = read_imported(directory)
        shares = {_identity(run): dict(run.accuracy) for run in before}
        for row in rows:
            own = shares.setdefault(row.run, {})
            known = own.setdefault(row.length, row.accuracy)
            if known != row.accuracy:
                key = ImportedRun.of(*row.run, {}).key
                spot = Spot(str(path), row.line, row.columns["accuracy"])
                reason = f"accuracy: {row.accuracy:g}, but {known:g} was imported before"
                raise InputError(f"{reason}: longreach results remove {key}", place=spot)
        added = sum(map(len, shares.values())) - sum(len(run.accuracy) for run in before)
        after = [ImportedRun.of(*run, own) for run, own in shares.items()]
        if added:
            _write(directory, after)
    wanted = {row.run for row in rows}
    return Import(added, len(rows) - added, tuple(run for run in after if _identity(run) in wanted))


def remove_imported(runs: str | Path, keys: Iterable[str]) -> None:
    """Forget imported runs."""
    directory, gone = Path(runs), set(keys)
    if not gone:
        return
    with one_at_a_time(directory / _WRITING):
        kept = [run for run in read_imported(directory) if run.key not in gone]
        if kept:
            _write(directory, kept)
        else:
            (directory / IMPORTED).unlink(missing_ok=True)


def _write(directory: Path, found: Iterable[ImportedRun]) -> None:
    ordered = sorted(found, key=lambda run: (run.task, run.label, run.trained_to, run.seed))
    content = (_Document(runs=tuple(ordered)).model_dump_json(indent=1) + "\n").encode()
    if len(content) > DOCUMENT_BYTES:
        raise ResultError(f"{directory / IMPORTED}: would be larger than {DOCUMENT_BYTES >> 20} MiB")
    write_atomically(directory / IMPORTED, content)


# Tables from outside


def read_table(path: str | Path) -> list[Accuracy]:
    """The lines of a CSV or JSON lines file; the first that is wrong is refused with its line and column."""
    place = File(str(path))
    suffix = Path(path).suffix.lower()
    if suffix not in (".csv", ".jsonl"):
        raise InputError("expected a file that ends in .csv or .jsonl", place=place)
    text = read_text(path, most=DOCUMENT_BYTES)
    found: dict[tuple[Any, ...], Accuracy] = {}
    for line, columns, fields in (_csv_lines if suffix == ".csv" else _json_lines)(text, str(path)):
        row = _checked(fields, line, columns, str(path))
        same = found.setdefault((*row.run, row.length), row)
        if same is not row:
            reason = f"this length of this run stands in line {same.line} already"
            raise InputError(reason, place=Spot(str(path), line, 1))
        if len(found) > MOST_ROWS:
            raise InputError(f"more than {MOST_ROWS:,} lines", place=place)
    if not found:
        raise InputError("has no accuracies", place=place)
    return list(found.values())


def _csv_lines(text: str, path: str) -> Iterator[tuple[int, dict[str, int], dict[str, Any]]]:
    lines = text.splitlines()
    reader = csv.reader(lines, strict=True)
    names: list[str] | None = None
    before = 0
    while True:
        try:
            fields = next(reader)
        except StopIteration:
            break
        except csv.Error as error:
            raise InputError(f"not CSV: {error}", place=Spot(path, before + 1, 1)) from None
        line, before = before + 1, reader.line_num
        if not any(field.strip() for field in fields):
            continue
        if names is None:
            names = [field.strip() for field in fields]
            _check_names(names, Spot(path, line, 1))
            continue
        starts = _starts(lines[line - 1])
        if len(fields) != len(names):
            reason = f"{counted(len(fields), 'field')}, not {len(names)} as in the first line"
            raise InputError(reason, place=Spot(path, line, 1))
        columns = {name: starts[min(place, len(starts) - 1)] for place, name in enumerate(names)}
        yield line, columns, {name: field.strip() for name, field in zip(names, fields, strict=True)}


def _starts(line: str) -> list[int]:
    """Where the fields of a line begin, counted from 1.

    >>> _starts('a,"b,c",d')
    [1, 3, 9]
    """
    found, quoted = [1], False
    for place, character in enumerate(line, 1):
        quoted ^= character == '"'
        if character == "," and not quoted:
            found.append(place + 1)
    return found


def _json_lines(text: str, path: str) -> Iterator[tuple[int, dict[str, int], dict[str, Any]]]:
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        fields = read_json(line, path, first_line=number)
        if not isinstance(fields, dict):
            reason = f"expected an object with {', '.join(COLUMNS)}"
            raise InputError(reason, place=Spot(path, number, 1))
        _check_names(list(fields), Spot(path, number, 1))
        places = {name: line.find(json.dumps(name)) + 1 for name in fields}
        yield number, places, fields


def _check_names(names: Sequence[str], spot: Spot) -> None:
    for place, name in enumerate(names):
        if name not in COLUMNS:
            reason = f"{shortened(name, 40)!r} is no column{near_names(name, COLUMNS)}"
            raise InputError(reason, place=spot)
        if name in names[:place]:
            raise InputError(f"the column {name} appears twice", place=spot)
    missing = next((name for name in COLUMNS if name not in (*names, *MAY_LACK)), None)
    if missing is not None:
        raise InputError(f"the column {missing} is missing", place=spot)


def _checked(fields: Mapping[str, Any], line: int, columns: Mapping[str, int], path: str) -> Accuracy:
    values: dict[str, Any] = {"encoding": None}
    for name in fields:
        try:
            values[name] = _READ[name](fields[name])
        except ValueError as error:
            spot = Spot(path, line, max(1, columns[name]))
            raise InputError(f"{name}: {error}", place=spot) from None
    return Accuracy(**values, line=line, columns=columns)


def _shown(value: Any) -> str:
    return shortened(repr(value), 60)


def _name(value: Any) -> str:
    if not isinstance(value, str) or not value.strip() or len(value) > LONGEST_NAME:
        raise ValueError(f"{_shown(value)} is not a name")
    if not value.isprintable():
        raise ValueError(f"{_shown(value)} has characters that cannot be shown")
    return value.strip()


def _task(value: Any) -> str:
    name = _name(value)
    if (problem := _problem(name)) is not None:
        raise ValueError(problem)
    return name


@lru_cache(maxsize=1024)
def _problem(name: str) -> str | None:
    """Why no task is named so; files and modules are not looked at."""
    if TaskName(name).origin not in (Origin.BUILT_IN, Origin.REGEX, Origin.STATES):
        return None
    try:
        load_task(name)
    except InputError as error:
        return error.reason
    return None


def _encoding(value: Any) -> str | None:
    return None if value is None or value == "" else _name(value)


def _whole(value: Any) -> int:
    if isinstance(value, str) and _WHOLE.fullmatch(value):
        return int(value)
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) < 10**18:
        return value
    raise ValueError(f"{_shown(value)} is not a whole number")


def _positive(value: Any) -> int:
    found = _whole(value)
    if found < 1:
        raise ValueError(f"must be at least 1, not {found}")
    return found


def _length(value: Any) -> str:
    plain = isinstance(value, str | int) and not isinstance(value, bool)
    found = _RANGE.fullmatch(str(value)) if plain else None
    if found is None:
        raise ValueError(f"{_shown(value)} is neither a length nor a range such as 41-60")
    lengths = LengthRange(int(found[1]), int(found[2] or found[1]))
    if lengths.last < lengths.first:
        raise ValueError(f"{_shown(value)} is a range that ends before it begins")
    return lengths.name


def _accuracy(value: Any) -> float:
    text = isinstance(value, str) and _NUMBER.fullmatch(value)
    if not text and (isinstance(value, str | bool) or not isinstance(value, int | float)):
        raise ValueError(f"{_shown(value)} is not a number from 0 to 1")
    found = float(value)
    if not math.isfinite(found) or not 0 <= found <= 1:
        hint = "; per cent are divided by 100 here" if 1 < found <= 100 else ""
        raise ValueError(f"{_shown(value)} is not between 0 and 1{hint}")
    return found


_READ: dict[str, Callable[[Any], Any]] = {
    "task": _task,
    "model": _name,
    "encoding": _encoding,
    "seed": _whole,
    "trained_to": _positive,
    "length": _length,
    "accuracy": _accuracy,
}
