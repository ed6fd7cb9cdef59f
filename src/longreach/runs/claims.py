"""Which process runs which job of a results directory. Where there are no locks, nothing is claimed."""

from __future__ import annotations

import contextlib
import os
import sys
from pathlib import Path
from typing import Self

from longreach.files import BUSY, Held, is_at

if sys.platform != "win32":
    import fcntl

CLAIMS = ".claims"


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
            return "other" if error.errno in BUSY else "unknown"
        return "mine"


def _place(key: str) -> int:
    """The byte that stands for a key; offsets have 63 bits."""
    return int(key, 16) >> 1
