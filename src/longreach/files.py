"""Files and documents: reading from outside, JSON, tensors, atomic writing, locks between processes.

Where a file system or a system has no locks, nothing is locked: two processes may do the same work twice.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import json
import math
import os
import re
import secrets
import stat
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, BinaryIO, Literal, TypeAlias, TypeVar

from longreach.errors import File, InputError, Spot, one_line
from longreach.wording import shortened, some

if sys.platform != "win32":
    import fcntl

Document = TypeVar("Document")


DOCUMENT_BYTES = 256 << 20
"""The largest JSON document that is read."""
DATA_BYTES = 1 << 30
"""The largest file of data."""
MODEL_BYTES = 64 << 30
"""The largest file of parameters or of a search."""
CHUNK = 1 << 16


def open_file(path: str | Path) -> BinaryIO:
    """Open a regular file; one line says why it cannot be read.

    A pipe may keep its reader waiting and a device may be endless: both are refused at once.

    >>> open_file("no/such/file")
    Traceback (most recent call last):
    longreach.errors.InputError: no/such/file: no such file
    """
    place = File(str(path))
    try:
        _refuse_others(os.stat(path).st_mode, place)  # before it is opened: for a device that is an action
        file = open(path, "rb", opener=_opened_at_once)  # noqa: SIM115 (for the caller)
    except OSError as error:
        raise InputError(reason_in_words(error), place=place) from None
    except InputError:
        raise
    except ValueError as error:  # a name with a NUL
        raise InputError(f"cannot be read: {error}", place=place) from None
    try:
        _refuse_others(os.fstat(file.fileno()).st_mode, place)
    except InputError:
        file.close()
        raise
    return file


def read_bytes(path: str | Path, *, most: int = DATA_BYTES) -> bytes:
    """The content of a regular file of at most so many bytes."""
    with open_file(path) as file:
        try:
            size, content = os.fstat(file.fileno()).st_size, b""
            # Not at once: so much would be taken from memory first, whatever the size of the file.
            while max(size, len(content)) <= most and (more := file.read(max(size, CHUNK))):
                content += more
        except OSError as error:
            raise InputError(reason_in_words(error), place=File(str(path))) from None
    if max(size, len(content)) > most:
        raise InputError(f"larger than {_size(most)}", place=File(str(path)))
    return content


def read_text(path: str | Path, *, most: int = DATA_BYTES) -> str:
    """The text of a file in UTF-8."""
    content = read_bytes(path, most=most)
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        reason = f"is not a text file (byte {error.start} is not UTF-8)"
        raise InputError(reason, place=File(str(path))) from None
    if "\0" in text:
        raise InputError("is not a text file (it holds a NUL byte)", place=File(str(path)))
    return text


def read_document(
    path: str | Path,
    validate: Callable[[bytes], Document],
    known: Iterable[str] = (),
    *,
    most: int = DOCUMENT_BYTES,
) -> Document:
    """What pydantic makes of a JSON file, as in `read_document(path, Model.model_validate_json)`."""
    content = read_bytes(path, most=most)
    try:
        return validate(content)
    except ValueError as error:
        from pydantic import ValidationError

        if not isinstance(error, ValidationError):
            raise
        raise InputError(one_line(error, known), place=File(str(path))) from None


def reason_in_words(error: OSError) -> str:
    """Why a file cannot be read.

    >>> reason_in_words(IsADirectoryError()), reason_in_words(PermissionError(13, "Permission denied"))
    ('is a directory, not a file', 'cannot be read: Permission denied')
    """
    if isinstance(error, FileNotFoundError):
        return "no such file"
    if isinstance(error, IsADirectoryError):
        return "is a directory, not a file"
    return f"cannot be read: {error.strerror or error}"


_KINDS = ((stat.S_ISDIR, "directory"), (stat.S_ISFIFO, "pipe"), (stat.S_ISSOCK, "socket"))


def _refuse_others(mode: int, place: File) -> None:
    if not stat.S_ISREG(mode):
        kind = next((name for test, name in _KINDS if test(mode)), "device")
        raise InputError(f"is a {kind}, not a file", place=place)


def _opened_at_once(path: str, flags: int) -> int:
    """Without waiting for a writer to open a pipe."""
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0))


def _size(count: int) -> str:
    for unit, bits in (("GiB", 30), ("MiB", 20)):
        if count >= 1 << bits and not count % (1 << bits):
            return f"{count >> bits} {unit}"
    return f"{count:,} bytes"


# JSON: what is no JSON is named by file, line and column; what is written has null where JSON has no number.


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
    longreach.errors.InputError: mine.json: the field 'verdict' appears twice in one object
    """

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        # JSON leaves open which of two equal fields counts, so that readers may differ.
        found = dict(pairs)
        if len(found) < len(pairs):
            names = [name for name, _ in pairs]
            twice = next(name for name in names if names.count(name) > 1)
            raise InputError(f"the field {twice[:LONG]!r} appears twice in one object", place=File(file))
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


def json_text(document: Any, *, ascii_only: bool = False) -> str:
    """A document on one line, with null for NaN and the infinities.

    >>> json_text({"loss": float("nan"), "runs": (1, 2)})
    '{"loss": null, "runs": [1, 2]}'
    """
    try:
        return json.dumps(document, ensure_ascii=ascii_only, allow_nan=False)
    except ValueError:
        return json.dumps(finite(document), ensure_ascii=ascii_only, allow_nan=False)


def finite(value: Any) -> Any:
    """The same document with None for NaN and the infinities."""
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, Mapping):
        return {key: finite(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [finite(item) for item in value]
    return value


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


# Tensors: only what a table of shapes names is read, and shapes are compared first.

Shapes: TypeAlias = Mapping[str, tuple[int, ...]]


def read_tensors(
    path: Path,
    shapes: Shapes | Callable[[Mapping[str, str]], Shapes],
    *,
    framework: Literal["np", "pt"] = "np",
    dtype: str | None = None,
    exactly: bool = False,
) -> tuple[dict[str, Any], dict[str, str]]:
    """Tensors of a safetensors file by name, and the texts in its header, from which the shapes may follow.

    `exactly`: the file must hold no other tensors. `dtype` is their type as the format has it, such as F32.
    """
    from safetensors import SafetensorError, safe_open

    place = File(str(path))
    try:
        with open_file(path), safe_open(path, framework=framework) as file:
            header, names = file.metadata() or {}, set(file.keys())
            wanted = shapes(header) if callable(shapes) else shapes
            wrong = names ^ set(wanted) if exactly else set(wanted) - names
            if wrong:
                shown = some([repr(name[:LONG]) for name in sorted(wrong)], 3, ", ")
                raise InputError(f"not the tensors that belong there: {shown}", place=place)
            for name, shape in wanted.items():
                part = file.get_slice(name)
                found, kind = tuple(part.get_shape()), part.get_dtype()
                if dtype not in (None, kind):
                    raise InputError(f"{name} is {kind}, expected {dtype}", place=place)
                if found != shape:
                    raise InputError(f"{name} has the shape {found}, expected {shape}", place=place)
            return {name: file.get_tensor(name) for name in wanted}, header
    except (OSError, SafetensorError) as error:
        raise InputError(
            f"not a model, or damaged: {shortened(' '.join(str(error).split()), 200)}", place=place
        ) from None


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


def write_file(path: Path, content: str | bytes) -> None:
    """Write a file whole or not at all; a link stays a link, and a device or a pipe is written to."""
    data = content.encode("utf-8", "replace") if isinstance(content, str) else content
    if not path.exists() or path.is_file():
        write_atomically(Path(os.path.realpath(path)) if path.is_symlink() else path, data)
        return
    try:
        path.write_bytes(data)
    except OSError as error:
        raise InputError(f"cannot be written: {error.strerror}", place=File(str(path))) from None


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


# Locks between processes. They end with the process that holds them, however it ends.

PATIENCE = 10.0  # seconds to wait for a process that writes a small file; longer, and it is stopped
POLL = 0.01
BUSY = (errno.EWOULDBLOCK, errno.EACCES)

Held: TypeAlias = Literal["mine", "other", "unknown"]
"""Who holds a lock; unknown where there are no locks."""


def lock_file(handle: int) -> Held:
    """Try to lock an open file, until it is closed."""
    if sys.platform == "win32":
        return "unknown"
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        return "other" if error.errno in BUSY else "unknown"
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
        except OSError:  # a full disk, say, which the next write meets and reports
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
