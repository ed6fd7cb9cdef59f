"""Files that are there whole or not at all, whatever happens in between."""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
import time
from pathlib import Path

from longreach.errors import InputError
from longreach.results.locks import is_at, lock_file

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
