"""How far a run is, in a small file, for whoever shows it."""

from __future__ import annotations

import contextlib
import json
import math
import time
from pathlib import Path
from typing import Any

from longreach.results.atomic import ResultError, write_atomically
from longreach.results.running_members import PROGRESS
from longreach.results.schema import Evaluation

DIARY_SECONDS = 1.0


class Diary:
    """Says in a small file, once a second, how far a run is, for whoever shows it."""

    def __init__(self, directory: Path) -> None:
        self._path = directory / PROGRESS
        self._written = -math.inf
        self._last: Evaluation | None = None

    def __call__(self, step: int, row: Evaluation | None) -> None:
        self._last = row or self._last
        if time.monotonic() - self._written < DIARY_SECONDS:
            return
        self._written = time.monotonic()
        content: dict[str, Any] = {"step": step}
        if self._last is not None:
            content |= {"loss": self._last.loss, "accuracy": self._last.accuracy}
        with contextlib.suppress(OSError, ResultError):  # it is not worth a run
            self._path.parent.mkdir(parents=True, exist_ok=True)
            write_atomically(self._path, json.dumps(content).encode(), flush=False)
