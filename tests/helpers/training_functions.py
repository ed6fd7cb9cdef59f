"""Training jobs that end badly, as workers run them; torch is imported only where a job trains."""

from __future__ import annotations

import errno
import os
import signal
from pathlib import Path
from typing import Any

CRASHES = (20, 21, 50, 51, 80)


def _die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def run_often(config: dict[str, Any], directory: Path) -> Any:
    """Keeps its state all the time."""
    from longreach.training.job import run

    return run(config, directory, checkpoint_seconds=0.02)


def die_once(config: dict[str, Any], directory: Path) -> Any:
    """Is killed in the middle of training, the first time."""
    from longreach.training.job import run

    marker = directory / "died"

    def report(step: int, row: object) -> None:
        if step == 25 and not marker.exists():
            marker.touch()
            _die()

    return run(config, directory, report=report, checkpoint_seconds=0)


def full_disk(config: dict[str, Any], directory: Path) -> Any:
    """Has space for no state, the first time."""
    from longreach.training.job import run

    marker, flush = directory / "full", os.fsync

    def full(handle: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    os.fsync = flush if marker.exists() else full
    marker.touch()
    try:
        return run(config, directory, checkpoint_seconds=0)
    finally:
        os.fsync = flush


def run_or_die(config: dict[str, Any], directory: Path) -> Any:
    """Some are killed, before or while they train."""
    if config["seed"] in CRASHES and not (directory.parent / "healed").exists():
        if config["seed"] != CRASHES[2]:
            _die()
        from longreach.training.job import run

        return run(config, directory, report=lambda step, row: _die())
    from longreach.training.job import run

    return run(config, directory)
