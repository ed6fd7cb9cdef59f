"""Texts of a local dataset: the rows of Parquet, Arrow and JSON-lines files, read one by one.

These are the files of a Hugging Face dataset on disk, as it is downloaded or as `save_to_disk` leaves it.
They hold data alone: no code of a dataset runs, and the library `datasets` is not needed.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from longreach.errors import InputError, MissingExtra

COLUMN = "text"
"""The column that is read, unless a table has one column of strings alone."""
JSON_LINES = (".jsonl", ".json", ".jsonl.gz", ".json.gz")
TABLES = (".parquet", ".arrow", *JSON_LINES)
TEXTS = (".txt", ".md")
# What the library writes beside the data.
_ABOUT = ("dataset_info.json", "dataset_infos.json", "dataset_dict.json", "state.json")
_ROWS = 1000


def is_table(path: Path) -> bool:
    """Whether the rows of a file are texts, rather than the whole of it.

    >>> is_table(Path("c4-train.00000-of-01024.json.gz")), is_table(Path("book.txt"))
    (True, False)
    """
    return path.name.lower().endswith(TABLES)


def files_of(directory: Path) -> list[Path]:
    """The tables in a directory and below, in order; the text files of one that has no tables."""
    found = sorted(
        path
        for path in directory.rglob("*")
        if path.is_file() and path.name not in _ABOUT and not path.name.startswith(("README", "."))
    )
    tables = [path for path in found if is_table(path)]
    chosen = tables or [path for path in found if path.suffix.lower() in TEXTS]
    if not chosen:
        known = ", ".join((".parquet", ".arrow", ".jsonl", ".txt"))
        raise InputError(f"{directory}: there is no text in it; files are known that end in {known}")
    return chosen


def rows_of(path: Path) -> Iterator[str]:
    """The texts of a table; rows without one are passed over."""
    reader = _json_lines if path.name.lower().endswith(JSON_LINES) else _arrow_rows
    try:
        for text in reader(path):
            if text:
                yield text
    except (OSError, EOFError) as error:
        raise InputError(f"{path}: cannot be read: {getattr(error, 'strerror', None) or error}") from None


def _json_lines(path: Path) -> Iterator[str]:
    opened: Any = gzip.open if path.suffix.lower() == ".gz" else open
    with opened(path, "rt", encoding="utf-8") as stream:
        try:
            for number, line in enumerate(stream, 1):
                if line.strip():
                    yield _text_of(line, f"{path}:{number}")
        except UnicodeDecodeError:
            raise InputError(f"{path}: is not UTF-8 text") from None


def _text_of(line: str, place: str) -> str:
    try:
        row = json.loads(line)
    except ValueError as error:
        raise InputError(f"{place}: is not a line of JSON ({error})") from None
    if not isinstance(row, dict):
        raise InputError(f"{place}: is not a JSON object, as in {{"
                         f'"{COLUMN}": "…"}}')  # fmt: skip
    name = _column(place, list(row), [key for key, value in row.items() if isinstance(value, str)])
    value = row[name]
    return value if isinstance(value, str) else ""


def _arrow_rows(path: Path) -> Iterator[str]:
    try:
        arrow, parquet = import_module("pyarrow"), import_module("pyarrow.parquet")
    except ModuleNotFoundError:
        raise MissingExtra(f"{path}: a table", "parquet") from None
    try:
        batches, schema = _batches(path, arrow, parquet)
        kinds = arrow.types
        strings = [
            field.name for field in schema if kinds.is_string(field.type) or kinds.is_large_string(field.type)
        ]
        name = _column(str(path), list(schema.names), strings)
        if name not in strings:
            raise InputError(f"{path}: the column {name} holds no text")
        for batch in batches:
            for text in batch.column(schema.names.index(name)).to_pylist():
                yield text or ""
    except arrow.ArrowInvalid as error:
        raise InputError(f"{path}: is damaged ({' '.join(str(error).split())[:200]})") from None


def _batches(path: Path, arrow: Any, parquet: Any) -> tuple[Iterator[Any], Any]:
    """Some rows at a time, and the columns."""
    if path.suffix.lower() == ".parquet":
        file = parquet.ParquetFile(path)
        return file.iter_batches(batch_size=_ROWS), file.schema_arrow
    source = arrow.memory_map(str(path))
    try:
        stream = arrow.ipc.open_stream(source)  # as `save_to_disk` writes it
        return iter(stream), stream.schema
    except arrow.ArrowInvalid:
        source.seek(0)
        whole = arrow.ipc.open_file(source)
        return (whole.get_batch(place) for place in range(whole.num_record_batches)), whole.schema


def _column(place: str, names: Sequence[str], strings: Sequence[str]) -> str:
    """The column of texts: the one named so, or the only one with strings."""
    if COLUMN in names:
        return COLUMN
    if len(strings) == 1:
        return strings[0]
    raise InputError(f"{place}: there is no column {COLUMN!r}, but {', '.join(names) or 'none'}")
