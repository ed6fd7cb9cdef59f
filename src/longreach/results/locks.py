"""Locks between processes. They end with the process that holds them, however it ends.

Where a file system or a system has none, nothing is locked: then two processes may do the same work twice.
"""

from __future__ import annotations

import contextlib
import errno
import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Literal, Self, TypeAlias

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
