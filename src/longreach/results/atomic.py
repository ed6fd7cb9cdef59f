"""Files that are there whole or not at all, whatever happens in between."""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
import time
from pathlib import Path

from longreach.errors import InputError

# A write takes well under a second; a draft older than this belongs to a process that was killed.
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
    # The beginning of a long name: that of the draft must not be too long.
    draft = path.parent / f".{path.name[:50]}.{secrets.token_hex(8)}.tmp"
    try:
        try:
            _write_through(draft, content, flush)
            os.replace(draft, path)
        except BaseException:
            with contextlib.suppress(OSError):
                draft.unlink(missing_ok=True)
            raise
        if flush:
            flush_directory(path.parent)
    except OSError as error:
        raise ResultError(f"{path}: cannot be written: {error.strerror or error}") from None


def _write_through(path: Path, content: bytes, flush: bool) -> None:
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o666)
    try:
        rest = memoryview(content)
        while rest:
            rest = rest[os.write(handle, rest) :]
        if flush:
            os.fsync(handle)
    finally:
        os.close(handle)


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


def leftovers(directory: Path, name: str) -> list[Path]:
    """Drafts of a file whose writer was killed, old enough that none is still being written."""
    oldest = time.time() - LEFTOVER_AGE
    found = []
    for path in directory.glob(f".{name}.*.tmp"):
        with contextlib.suppress(OSError):
            if path.stat().st_mtime < oldest:
                found.append(path)
    return found
