"""Files and documents: atomic writing, locks between processes, JSON from outside, canonical JSON.

Where a file system or a system has none, nothing is locked: then two processes may do the same work twice.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import io
import json
import math
import os
import re
import secrets
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Self, TypeAlias

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from longreach.errors import File, InputError, Spot, near_names

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# Locks between processes. They end with the process that holds them, however it ends.


if sys.platform != "win32":
    import fcntl

CLAIMS = ".claims"
PATIENCE = 10.0  # seconds to wait for a process that writes a small file; longer, and it is stopped
POLL = 0.01
_BUSY = (errno.EWOULDBLOCK, errno.EACCES)

Held: TypeAlias = Literal["mine", "other", "unknown"]
"""Who holds a lock; unknown where there are no locks."""


def lock_file(handle: int) -> Held:
    """Try to lock an open file, until it is closed."""
    if sys.platform == "win32":
        return "unknown"
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        return "other" if error.errno in _BUSY else "unknown"
    return "mine"


def is_at(path: Path, handle: int) -> bool:
    """Whether the open file is still the one at this path."""
    try:
        return os.path.samestat(os.stat(path), os.fstat(handle))
    except OSError:
        return False


@contextlib.contextmanager
def one_at_a_time(path: Path) -> Iterator[None]:
    """Wait until no other process is here with the same path; the file goes when it is left.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with one_at_a_time(Path(folder) / "lock"):
    ...         inside = os.listdir(folder)
    ...     inside, os.listdir(folder)
    (['lock'], [])
    """
    handle = _wait_for(path)
    try:
        yield
    finally:
        if handle is not None:
            with contextlib.suppress(OSError):
                path.unlink()
            os.close(handle)


def _wait_for(path: Path) -> int | None:
    """The locked file; None where it cannot be had, or its holder does not come to an end."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        try:
            handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
        except OSError:  # a full disk, say, which whoever writes here will meet and report
            return None
        held = lock_file(handle)
        if held == "mine" and is_at(path, handle):
            return handle
        os.close(handle)
        if held == "unknown":
            with contextlib.suppress(OSError):
                path.unlink()
            return None
        if held == "other":
            time.sleep(POLL)
    return None


class Claims:
    """The jobs of a results directory that this process runs, so that another one leaves them to it.

    One file for all, with a locked byte per job: nothing is left to clean up when a process is killed.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as runs, Claims(Path(runs)) as claims:
    ...     claims.take("0123456789abcdef")
    True
    """

    def __init__(self, runs: Path) -> None:
        self._path = runs / CLAIMS
        self._handle: int | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._handle is None:
            return
        if self._lock(0, 0) == "mine" and is_at(self._path, self._handle):  # all of it: nobody else is left
            with contextlib.suppress(OSError):
                self._path.unlink()
        os.close(self._handle)
        self._handle = None

    def take(self, key: str) -> bool:
        """Claim a job; False if another process has it."""
        while True:
            if self._handle is None:
                self._handle = self._open()
            if self._handle is None or (held := self._lock(_place(key), 1)) == "unknown":
                return True
            if held == "other":
                return False
            if is_at(self._path, self._handle):
                return True
            os.close(self._handle)  # the last one to leave has removed it, so nothing was claimed by it
            self._handle = None

    def release(self, key: str) -> None:
        """Let others have a job."""
        if sys.platform != "win32" and self._handle is not None:
            with contextlib.suppress(OSError):
                fcntl.lockf(self._handle, fcntl.LOCK_UN, 1, _place(key))

    def _open(self) -> int | None:
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            return os.open(self._path, os.O_RDWR | os.O_CREAT, 0o666)
        except OSError:
            return None

    def _lock(self, first: int, count: int) -> Held:
        if sys.platform == "win32" or self._handle is None:
            return "unknown"
        try:
            fcntl.lockf(self._handle, fcntl.LOCK_EX | fcntl.LOCK_NB, count, first)
        except OSError as error:
            return "other" if error.errno in _BUSY else "unknown"
        return "mine"


def _place(key: str) -> int:
    """The byte that stands for a key; offsets have 63 bits."""
    return int(key, 16) >> 1


# Files that are there whole or not at all, whatever happens in between.


# Where files cannot be locked: a write takes well under a second, so an older draft is left from a kill.
LEFTOVER_AGE = 600.0


class ResultError(InputError):
    """A result cannot be written, or what lies there is not a result."""


def write_atomically(path: Path, content: bytes, *, flush: bool = True) -> None:
    """Write a file beside its place, flush it to disk and rename it; on an error the old state stays.

    Without `flush` a power cut may cost the file, for those that are of no use after one.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_atomically(Path(folder) / "a.txt", b"whole")
    ...     [path.name for path in Path(folder).iterdir()]
    ['a.txt']
    """
    try:
        draft, handle = _new_draft(path)
        try:
            with contextlib.ExitStack() as stack:
                stack.callback(os.close, handle)
                _write_through(handle, content, flush)
                if os.name == "nt":  # an open file cannot be renamed there
                    stack.close()
                os.replace(draft, path)
        except BaseException:
            with contextlib.suppress(OSError):
                draft.unlink(missing_ok=True)
            raise
        if flush:
            flush_directory(path.parent)
    except OSError as error:
        raise ResultError(f"{path}: cannot be written: {error.strerror or error}") from None


def _new_draft(path: Path) -> tuple[Path, int]:
    """A file of another name, locked while it is written, which tells it from what a kill has left."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    while True:
        # The beginning of a long name: that of the draft must not be too long.
        draft = path.parent / f".{path.name[:50]}.{secrets.token_hex(8)}.tmp"
        handle = os.open(draft, flags, 0o666)
        if lock_file(handle) != "other" and is_at(draft, handle):
            return draft, handle
        os.close(handle)  # somebody who cleans up was faster


def _write_through(handle: int, content: bytes, flush: bool) -> None:
    rest = memoryview(content)
    while rest:
        rest = rest[os.write(handle, rest) :]
    if flush:
        os.fsync(handle)


def flush_directory(path: Path) -> None:
    """Make what was created or renamed in a directory survive a power cut, where the system can."""
    if os.name == "nt":
        return
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.ENOTSUP):  # some network file systems cannot
            raise
    finally:
        os.close(handle)


def clean_up(directory: Path, *names: str) -> int:
    """Remove the drafts of these files whose writers were killed, never one that is being written.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = (Path(folder) / ".a.txt.0123456789abcdef.tmp").write_text("hal")
    ...     clean_up(Path(folder), "a.txt")
    1
    """
    removed = 0
    for name in names:
        for draft in directory.glob(f".{name}.*tmp"):
            with contextlib.suppress(OSError):
                removed += _removed(draft)
    return removed


def _removed(draft: Path) -> bool:
    handle = os.open(draft, os.O_RDWR | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
    try:
        held = lock_file(handle)
        old = os.fstat(handle).st_mtime < time.time() - LEFTOVER_AGE
        if held == "other" or (held == "unknown" and not old):
            return False
        draft.unlink()
        return True
    finally:
        os.close(handle)


# JSON from outside: what is no JSON is named by file, line and column.


LONG = 40
"""Letters of a value that are shown."""


def read_json(text: str | bytes, file: str, first_line: int = 1) -> Any:
    """The document of a file, or of a part of it that begins at a line.

    >>> read_json("[1, 2]", "mine.json")
    [1, 2]
    >>> read_json("[1, 2", "mine.json")
    Traceback (most recent call last):
    longreach.errors.InputError: mine.json:1:6: not JSON: Expecting ',' delimiter
    >>> read_json('{"verdict": "yes", "verdict": "no"}', "mine.json")
    Traceback (most recent call last):
    longreach.errors.InputError: mine.json: the field 'verdict' stands twice in one object
    """

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        # JSON leaves open which of two equal fields counts, so that readers may differ.
        found = dict(pairs)
        if len(found) < len(pairs):
            names = [name for name, _ in pairs]
            twice = next(name for name in names if names.count(name) > 1)
            raise InputError(f"the field {twice[:LONG]!r} stands twice in one object", place=File(file))
        return found

    try:
        return json.loads(text, object_pairs_hook=once)
    except InputError:
        raise
    except json.JSONDecodeError as error:
        place = Spot(file, error.lineno + first_line - 1, error.colno)
        raise InputError(f"not JSON: {error.msg}", place=place) from None
    except UnicodeDecodeError:
        raise InputError("not JSON: not UTF-8", place=File(file)) from None
    except ValueError:
        reason = "JSON with a number of too many digits"
        raise InputError(reason, place=File(f"{file}:{first_line}")) from None
    except RecursionError:
        raise InputError("JSON that is nested too deeply", place=File(f"{file}:{first_line}")) from None


def first_problem(error: ValidationError, known: Iterable[str] = ()) -> str:
    """What a document lacks or has too much of: the field and one clause, with what stands there.

    >>> from pydantic import BaseModel
    >>> class Point(BaseModel, extra="forbid"):
    ...     height: int
    >>> def problem(document):
    ...     try:
    ...         Point.model_validate(document)
    ...     except ValidationError as error:
    ...         return first_problem(error, Point.model_fields)
    >>> problem({}), problem({"height": "high"})
    ('height: missing', "height: expected a whole number, not 'high'")
    >>> problem({"height": 1, "heigth": 2})
    "heigth: there is no such field; did you mean 'height'?"
    """
    first = error.errors(include_url=False)[0]
    # Of a union pydantic says which member it tried, which is not a field.
    place = ".".join(str(part) for part in first["loc"] if part not in ("int", "none"))
    return f"{place}: {in_words(first, known)}" if place else in_words(first, known)


_EXPECTED = {
    "int_type": "a whole number",
    "int_parsing": "a whole number",
    "int_from_float": "a whole number",
    "float_type": "a number",
    "float_parsing": "a number",
    "string_type": "a string",
    "bool_type": "true or false",
    "bool_parsing": "true or false",
    "tuple_type": "a list",
    "list_type": "a list",
    "dict_type": "an object",
    "model_type": "an object",
}


_BOUNDS = {
    "greater_than_equal": "is less than {ge}",
    "greater_than": "is not more than {gt}",
    "less_than_equal": "is more than {le}",
    "less_than": "is not less than {lt}",
    "finite_number": "is not a finite number",
}


def in_words(problem: ErrorDetails, known: Iterable[str] = ()) -> str:
    """One clause on what pydantic refuses, with what was given."""
    kind = problem["type"]
    if kind == "missing":
        return "missing"
    if kind == "extra_forbidden":
        return f"there is no such field{near_names(str(problem['loc'][-1]), known)}"
    if kind in _BOUNDS:
        return f"{problem['input']} {_BOUNDS[kind].format(**problem.get('ctx', {}))}"
    expected = problem["ctx"]["expected"] if kind == "literal_error" else _EXPECTED.get(kind)
    if expected is not None:
        given = repr(problem["input"])
        return f"expected {expected}, not {given if len(given) <= LONG else given[:LONG] + '…'}"
    return problem["msg"].removeprefix("Value error, ")


# The key of a configuration, which names its results: a hash of the one way to write it as JSON.


KEY = re.compile(r"[0-9a-f]{16}")
_SURROGATES = re.compile("[\ud800-\udfff]")  # how Python stands for bytes that are not text
_EXACT = 2.0**53  # up to here a float without a fraction and the integer are the same number


def canonical_json(config: Mapping[str, Any]) -> str:
    """One text for all ways to write the same configuration.

    >>> canonical_json({"width": 16.0, "task": "parity"})
    '{"task":"parity","width":16}'
    """
    return json.dumps(plain(config, "config"), sort_keys=True, separators=(",", ":"))


def job_key(config: Mapping[str, Any]) -> str:
    """The key of the job with this configuration: the beginning of the hash of its canonical JSON.

    >>> job_key({"task": "parity", "lr": 1e-3}) == job_key({"lr": 0.001, "task": "parity"})
    True
    """
    return hashlib.sha256(canonical_json(config).encode()).hexdigest()[:16]


def plain(value: Any, place: str) -> Any:
    """The value as JSON has it, each number in one way; what JSON cannot hold is refused by its place."""
    if value is None or isinstance(value, bool | int):
        return value
    if isinstance(value, str):
        if not value.isascii() and _SURROGATES.search(value):
            raise InputError(f"{place}: {value!a} is not Unicode text")
        return value
    if isinstance(value, float):
        if not math.isfinite(value):
            raise InputError(f"{place}: {value} is not a JSON number")
        return int(value) if value.is_integer() and abs(value) < _EXACT else float(value)
    if isinstance(value, dict | Mapping):  # the first is much faster to tell
        for name in value:
            if not isinstance(name, str):
                raise InputError(f"{place}: the name {name!r} is not a string")
            plain(name, place)
        return {str(name): plain(entry, f"{place}.{name}") for name, entry in value.items()}
    if isinstance(value, list | tuple):
        return [plain(entry, f"{place}[{number}]") for number, entry in enumerate(value)]
    raise InputError(f"{place}: {type(value).__name__} is not a JSON value")


# Figures as files: the same numbers give the same bytes.


def figure_bytes(draw: Callable[[], Figure], suffix: str, *, salt: str) -> bytes:
    """What is drawn as `.svg`, `.png` or `.pdf`, without its date; `salt` fixes the names in an SVG.

    >>> from matplotlib.figure import Figure
    >>> figure_bytes(Figure, ".png", salt="example")[1:4]
    b'PNG'
    """
    from matplotlib import rc_context

    buffer = io.BytesIO()
    metadata = {} if suffix == ".png" else {"Date": None} if suffix == ".svg" else {"CreationDate": None}
    with rc_context({"svg.hashsalt": salt}):
        draw().savefig(buffer, format=suffix[1:], dpi=150, metadata=metadata)
    return buffer.getvalue()
