"""Removing runs: results, models and states, all of a run or nothing, and never one that is running."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path

from longreach.config.keys import KEY
from longreach.errors import InputError
from longreach.results.atomic import ResultError
from longreach.results.locks import Claims

GONE = ".removed-"
"""Before the name of a directory that is being removed: it is no run any more."""


def size_of(directory: Path) -> int:
    """The bytes of all files of a run."""
    return sum(path.lstat().st_size for path in directory.rglob("*") if not path.is_dir())


def remove_runs(runs: Path, keys: Sequence[str]) -> None:
    """Remove the directories of these runs; if one of them is running, none.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as runs:
    ...     (Path(runs) / "0123456789abcdef").mkdir()
    ...     remove_runs(Path(runs), ["0123456789abcdef"])
    ...     list(Path(runs).iterdir())
    []
    """
    for key in keys:
        if not KEY.fullmatch(key):
            raise InputError(f"{key!r}: not a key, which has 16 digits 0-9 and a-f")
    with Claims(runs) as claims:
        for key in keys:
            if not claims.take(key):
                raise InputError(f"{key} is running; end it first, then remove it")
        for key in keys:
            _remove(runs / key)


def _remove(directory: Path) -> None:
    gone = directory.with_name(GONE + directory.name)
    try:
        if directory.is_symlink():  # what it points to belongs to somebody else
            directory.unlink()
            return
        # Renamed first: whoever is interrupted here has removed the whole run, not a half of it.
        shutil.rmtree(gone, ignore_errors=True)
        directory.rename(gone)
        shutil.rmtree(gone)
    except OSError as error:
        raise ResultError(f"{directory}: cannot be removed: {error.strerror or error}") from None
