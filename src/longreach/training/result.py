"""What a run leaves behind: `result.json`, its progress, and the versions that made it."""

from __future__ import annotations

import contextlib
import functools
import json
import math
import os
import platform
import subprocess
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from typing import Annotated, Any, Literal, Self, TypeAlias

from pydantic import (
    AwareDatetime,
    BaseModel,
    ConfigDict,
    Field,
    JsonValue,
    ValidationError,
    field_validator,
    model_validator,
)
from pydantic_core import PydanticSerializationError

import longreach
from longreach.errors import Field as SettingField
from longreach.errors import InputError, one_line
from longreach.files import (
    DOCUMENT_BYTES,
    KEY,
    ResultError,
    clean_up,
    flush_directory,
    job_key,
    one_at_a_time,
    plain,
    read_bytes,
    write_atomically,
)
from longreach.training.log import Log

# Numbers that the index keeps, whose integers have 64 bits.
Count: TypeAlias = Annotated[int, Field(ge=0, lt=2**63)]
Seed: TypeAlias = Annotated[int, Field(ge=-(2**63), lt=2**63)]
Seconds: TypeAlias = Annotated[float, Field(ge=0, lt=1e12, allow_inf_nan=False)]
RangeName: TypeAlias = Annotated[str, Field(pattern=r"^[0-9]{1,9}-[0-9]{1,9}$")]
"""A range of lengths, as in "51-100"."""
Shares: TypeAlias = Annotated[
    dict[RangeName, Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]], Field(max_length=1000)
]
Others: TypeAlias = dict[Annotated[str, Field(max_length=200)], float]
WRITTEN, TOKENS_WRITTEN = "written right", "tokens written right"
"""Further numbers, by these names and a range: of what a model writes on its own, ids included or not."""


class _Document(BaseModel):
    # A diverged loss is written as the string "NaN", so that files stay JSON, and read back as a number.
    model_config = ConfigDict(frozen=True, extra="forbid", ser_json_inf_nan="strings")


class Evaluation(_Document):
    """The numbers of one evaluation during a run. Ranges of lengths are named as in "51-100"."""

    step: Count
    loss: float | None = None
    accuracy: Shares = {}
    accuracy_random_offset: Shares = {}
    other: Others = {}


class Final(_Document):
    """The numbers that a run ends with."""

    steps: Count
    reached: bool | None = None
    """Whether the training range came to 100 %, or its loss below the target where answers are numbers; null
    where the question makes no sense."""
    loss: float | None = None
    accuracy: Shares = {}
    accuracy_random_offset: Shares = {}
    other: Others = {}
    details: dict[str, JsonValue] = {}
    """What does not fit into a number."""

    @field_validator("details")
    @classmethod
    def _finite(cls, details: dict[str, JsonValue]) -> dict[str, JsonValue]:
        plain(details, "details")
        return details


class Timings(_Document):
    """When a job began and how long it took."""

    started: AwareDatetime
    seconds: Seconds
    parts: dict[str, Seconds] = {}
    """Such as compile, train, evaluate."""


class Result(_Document):
    """`result.json`: what was asked, by which code, on what, and what came out.

    >>> from longreach.files import job_key
    >>> config = {"task": "parity", "seed": 0}
    >>> timings = Timings(started="2026-01-31T12:00:00Z", seconds=2.5)
    >>> result = Result(
    ...     key=job_key(config), config=config, seed=0, status="done", code="0.1.0", packages={},
    ...     device="cpu", timings=timings, final=Final(steps=100, accuracy={"1-50": 1.0}),
    ... )
    >>> Result.model_validate_json(result.model_dump_json()) == result
    True
    """

    version: Literal[1] = 1
    key: str
    config: dict[str, JsonValue]
    """The resolved configuration, all of it."""
    seed: Seed | None = None
    status: Literal["done", "failed"]
    error: str | None = None
    code: str
    """The version of this program."""
    packages: dict[str, str]
    device: str | None = None
    timings: Timings
    rows: tuple[Evaluation, ...] = ()
    final: Final | None = None
    checkpoints: tuple[str, ...] = ()
    """Files beside this one, by their paths from its directory."""

    @field_validator("checkpoints")
    @classmethod
    def _beside(cls, paths: tuple[str, ...]) -> tuple[str, ...]:
        for path in paths:
            if not path or "\\" in path or PurePosixPath(path).is_absolute() or ".." in path.split("/"):
                raise ValueError(f"{path!r} does not lie in the job's directory")
        return paths

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if self.key != job_key(self.config):
            raise ValueError(f"the key {self.key!r} is not that of the config, {job_key(self.config)!r}")
        if (self.status == "failed") != (self.error is not None):
            raise ValueError("a failed job has an error, one that is done has none")
        if self.status == "done" and self.final is None:
            raise ValueError("a job that is done has final numbers")
        return self


def task_number(task: str, range_name: str) -> str:
    """What the accuracy on a further task is called among other numbers.

    >>> task_number("sparse-parity:6-6", "20-20")
    'sparse-parity:6-6 at 20-20'
    """
    return f"{task} at {range_name}"


RangeKind: TypeAlias = Literal["loss", "chance", "uniform", "probing", "worst loop", "flow", "length given"]
"""The loss; the accuracy of always giving the same answer; accuracies on inputs drawn uniformly, on probing
words and those of the loop where it is lowest, and on words of the flow certificate of a no; that of a model
which is told how long the answer is."""


def range_number(kind: RangeKind, range_name: str) -> str:
    """What a number of a range of lengths is called among other numbers.

    >>> range_number("worst loop", "41-60")
    'worst loop 41-60'
    """
    return f"{kind} {range_name}"


def setting(config: Mapping[str, Any], name: str) -> Any:
    """A setting, wherever the configuration keeps it: on top or one level below; None if nowhere.

    >>> setting({"task": "parity", "model": {"layers": 2}}, "layers")
    2
    """
    below = [part for part in config.values() if isinstance(part, Mapping)]
    return next((part[name] for part in [config, *below] if name in part), None)


def named(config: Mapping[str, Any], name: str) -> str | None:
    """A setting that is a name, or a part of the configuration that has one.

    >>> named({"task": {"name": "parity", "first": 1}}, "task")
    'parity'
    """
    value = setting(config, name)
    if isinstance(value, Mapping):
        value = value.get("name")
    return value if isinstance(value, str) else None


RESULT = "result.json"
_WRITING = ".result.lock"

Stamp: TypeAlias = tuple[int, int, int]
"""Time of change, size and number of a file: another stamp means that it has to be read again."""


@dataclass(frozen=True)
class Entry:
    """A directory that may hold a result; once `read`, with it or with the reason why it has none."""

    name: str
    file: Path
    stamp: Stamp | None
    """None: there is no file yet."""
    problem: str | None = None
    result: Result | None = None

    @property
    def state(self) -> Literal["whole", "damaged", "unfinished"]:
        """Unfinished: a job has begun here, and its result is not there yet."""
        if self.result is not None:
            return "whole"
        return "unfinished" if self.problem is None else "damaged"

    def read(self) -> Entry:
        """The same with its result, or with what is wrong with it."""
        if self.stamp is None:
            return self
        try:
            return replace(self, result=read_file(self.file))
        except ResultError as error:
            return replace(self, problem=error.message)


def check_directory(runs: str | Path) -> Path:
    """The results directory, if there is one."""
    path = Path(runs)
    if not path.is_dir():
        wrong = "not a directory" if path.exists() else "no such directory"
        raise InputError(f"{path}: {wrong}", place=SettingField("runs"))
    return path


def write_result(runs: str | Path, result: Result) -> Path:
    """Write a result, whole or not at all, in place of an earlier one with its key.

    A failure never takes the place of a result that is done: what stands there is returned by `read_result`.

    >>> import tempfile
    >>> from longreach.training.result import Final, Timings
    >>> from longreach.files import job_key
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
        content = read_bytes(path, most=DOCUMENT_BYTES)
    except InputError as error:
        raise ResultError(error.message) from None
    try:
        result = Result.model_validate_json(content)
    except ValidationError as error:
        raise ResultError(f"{path}: {one_line(error)}") from None
    if result.key != path.parent.name:
        raise ResultError(f"{path}: the result of {result.key} lies in a directory of another name")
    return result


def entries(runs: Path) -> Iterator[Entry]:
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
                yield Entry(name, file, None)
        except OSError as error:
            yield Entry(name, file, None, f"{file}: cannot be read: {error.strerror or error}")
        else:
            yield Entry(name, file, (found.st_mtime_ns, found.st_size, found.st_ino))


def _is_directory(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:
        return False


def clean(runs: str | Path) -> int:
    """Remove the drafts that killed processes left behind; how many there were."""
    return sum(clean_up(entry.file.parent, RESULT) for entry in entries(check_directory(runs)))


PACKAGES = ("numpy", "torch", "transformers")


@functools.cache
def code_version() -> str:
    """The version of this program, with the commit when it runs from a checkout.

    >>> code_version().split("+")[0] == longreach.__version__
    True
    """
    root = Path(longreach.__file__).parents[2]
    if not (root / ".git").exists():
        return longreach.__version__
    command = ["git", "-C", str(root), "describe", "--always", "--dirty", "--abbrev=12", "--exclude=*"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=10, check=True)
    except (OSError, subprocess.SubprocessError):
        return longreach.__version__
    return f"{longreach.__version__}+{done.stdout.strip()}"


@functools.cache
def _versions() -> tuple[tuple[str, str], ...]:
    import importlib.metadata

    found = [("python", platform.python_version())]
    for name in PACKAGES:
        try:
            found.append((name, importlib.metadata.version(name)))
        except importlib.metadata.PackageNotFoundError:
            continue
    return tuple(found)


def package_versions() -> dict[str, str]:
    """Python and those of the packages that numbers depend on which are installed.

    >>> package_versions()["numpy"].split(".")[0]
    '2'
    """
    return dict(_versions())


PROGRESS = "progress.json"


def progress_of(directory: Path) -> dict[str, Any] | None:
    """What it last said, if anything: at least its step.

    >>> progress_of(Path("no-such-directory")) is None
    True
    """
    try:
        found = json.loads(read_bytes(directory / PROGRESS, most=1 << 20))
    except ValueError:  # none, or half written
        return None
    return found if isinstance(found, dict) and isinstance(found.get("step"), int) else None


DIARY_SECONDS = 1.0


class Diary:
    """Writes the progress of a run to a small file, and its evaluations to a log, at most once a second."""

    def __init__(self, directory: Path) -> None:
        self._path = directory / PROGRESS
        self._log = Log(directory)
        self._written = -math.inf
        self._last: Evaluation | None = None

    def __call__(self, step: int, row: Evaluation | None) -> None:
        self._last = row or self._last
        if row is not None:
            self._log.add(row)
        if time.monotonic() - self._written < DIARY_SECONDS:
            return
        self._written = time.monotonic()
        content: dict[str, Any] = {"step": step}
        if self._last is not None:
            content |= {"loss": self._last.loss, "accuracy": self._last.accuracy}
        with contextlib.suppress(OSError, ResultError):  # it is not worth a run
            self._path.parent.mkdir(parents=True, exist_ok=True)
            write_atomically(self._path, json.dumps(content).encode(), flush=False)
            self._log.write()
