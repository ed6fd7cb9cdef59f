"""`runs/<key>/result.json`: writing one, reading one, and looking through all of them."""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias

from pydantic import ValidationError
from pydantic_core import PydanticSerializationError

from longreach.config.keys import KEY
from longreach.errors import Field, InputError
from longreach.results.atomic import ResultError, clean_up, flush_directory, write_atomically
from longreach.results.locks import one_at_a_time
from longreach.results.schema import Result

RESULT = "result.json"
_WRITING = ".result.lock"
LONGEST_PLACE = 100  # characters of what a message says of a place in a file

Stamp: TypeAlias = tuple[int, int, int]
"""Time of change, size and number of a file: another stamp means that it has to be read again."""


@dataclass(frozen=True)
class Candidate:
    """A directory that may hold a result; nothing in it has been read."""

    name: str
    file: Path
    stamp: Stamp | None
    """None: there is no file yet."""
    problem: str | None = None
    """Why the file cannot even be opened."""


@dataclass(frozen=True)
class Entry:
    """A directory with its result, or with the reason why it has none."""

    name: str
    file: Path
    result: Result | None
    problem: str | None

    @property
    def state(self) -> Literal["whole", "damaged", "unfinished"]:
        """Unfinished: a job has begun here, and its result is not there yet."""
        if self.result is not None:
            return "whole"
        return "unfinished" if self.problem is None else "damaged"


def check_directory(runs: str | Path) -> Path:
    """The results directory, if there is one."""
    path = Path(runs)
    if not path.is_dir():
        wrong = "not a directory" if path.exists() else "no such directory"
        raise InputError(f"{path}: {wrong}", place=Field("runs"))
    return path


def write_result(runs: str | Path, result: Result) -> Path:
    """Write a result, whole or not at all, in place of an earlier one with its key.

    A failure never takes the place of a result that is done: what stands there is returned by `read_result`.

    >>> import tempfile
    >>> from longreach.results.schema import Final, Timings
    >>> from longreach.config.keys import job_key
    >>> result = Result(
    ...     key=job_key({"task": "parity"}), config={"task": "parity"}, status="done", code="0.1.0",
    ...     packages={}, timings=Timings(started="2026-01-31T12:00:00Z", seconds=1), final=Final(steps=10),
    ... )
    >>> with tempfile.TemporaryDirectory() as runs:
    ...     path = write_result(runs, result)
    ...     read_result(runs, result.key) == result
    True
    """
    return write_into(Path(runs) / result.key, result)


def write_into(directory: Path, result: Result) -> Path:
    """Write a result into the directory of its job."""
    try:
        content = (result.model_dump_json(indent=1) + "\n").encode()
    except PydanticSerializationError as error:
        raise ResultError(f"{directory}: the result is not Unicode text: {error}") from None
    created = False
    try:
        directory.parent.mkdir(parents=True, exist_ok=True)
        if not directory.is_dir():
            directory.mkdir(exist_ok=True)
            created = True
            flush_directory(directory.parent)
        with one_at_a_time(directory / _WRITING):
            if result.status == "done" or finished(directory) is None:
                write_atomically(directory / RESULT, content)
    except (OSError, ResultError) as error:
        if created:
            with contextlib.suppress(OSError):
                directory.rmdir()
        if isinstance(error, ResultError):
            raise
        raise ResultError(f"{directory}: cannot be created: {error.strerror or error}") from None
    return directory / RESULT


def finished(directory: Path) -> Result | None:
    """The result of a job that is done; None while there is none, it failed or it is damaged."""
    try:
        result = read_file(directory / RESULT)
    except ResultError:
        return None
    return result if result.status == "done" else None


def read_result(runs: str | Path, key: str) -> Result:
    """The result with this key; a ResultError says what is wrong with the file or that there is none."""
    if not KEY.fullmatch(key):
        raise ResultError(f"{key!r}: not a key, which has 16 digits 0-9 and a-f")
    return read_file(Path(runs) / key / RESULT)


def read_file(path: Path) -> Result:
    """The result in this file, which lies in the directory named after its key."""
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            raise ResultError(f"{path}: not a file")  # a pipe would keep its reader waiting
        content = path.read_bytes()
    except OSError as error:
        raise ResultError(f"{path}: cannot be read: {error.strerror or error}") from None
    try:
        result = Result.model_validate_json(content)
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False, include_input=False)[0]
        place = ".".join(map(str, first["loc"]))[:LONGEST_PLACE]
        message = " ".join(first["msg"].removeprefix("Value error, ").split())
        raise ResultError(f"{path}: {place + ': ' if place else ''}{message}") from None
    if result.key != path.parent.name:
        raise ResultError(f"{path}: the result of {result.key} lies in a directory of another name")
    return result


def candidates(runs: Path) -> Iterator[Candidate]:
    """The directories that are named like keys or hold a result, by name; nothing is read."""
    try:
        names = sorted(entry.name for entry in os.scandir(runs) if _is_directory(entry))
    except OSError as error:
        raise ResultError(f"{runs}: cannot be read: {error.strerror or error}") from None
    for name in names:
        file = runs / name / RESULT
        try:
            found = file.stat()
        except FileNotFoundError:
            if KEY.fullmatch(name) and file.parent.is_dir():
                yield Candidate(name, file, None)
        except OSError as error:
            yield Candidate(name, file, None, f"{file}: cannot be read: {error.strerror or error}")
        else:
            yield Candidate(name, file, (found.st_mtime_ns, found.st_size, found.st_ino))


def _is_directory(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:
        return False


def read_candidate(candidate: Candidate) -> Entry:
    """The result of a directory, or what is wrong with it."""
    result, problem = None, candidate.problem
    if candidate.stamp is not None:
        try:
            result = read_file(candidate.file)
        except ResultError as error:
            problem = error.message
    return Entry(candidate.name, candidate.file, result, problem)


def clean(runs: str | Path) -> int:
    """Remove the drafts that killed processes left behind; how many there were."""
    removed = 0
    for candidate in candidates(check_directory(runs)):
        removed += clean_up(candidate.file.parent, RESULT)
    return removed
