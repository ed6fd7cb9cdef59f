"""How long the command takes to start, against `python -c pass`."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator, Sequence

from benchmarks.harness import Row, best_time


def _time(arguments: Sequence[str]) -> float:
    command = [sys.executable, *arguments]
    return best_time(lambda: subprocess.run(command, check=True, capture_output=True), repeats=7)


def rows() -> Iterator[Row]:
    nothing = _time(["-c", "pass"])
    yield Row(
        "longreach --help / python -c pass", _time(["-m", "longreach", "--help"]) / nothing, "×", "≤ about 15"
    )
    yield Row("import typer / python -c pass", _time(["-c", "import typer"]) / nothing, "×", "for comparison")
    run = _time(["-m", "longreach", "crasp", "run", "lib:dyck-1", "()"])
    yield Row("longreach crasp run lib:dyck-1 / python -c pass", run / nothing, "×", "")
    language = _time(["-m", "longreach", "language", "(aa)*"])
    yield Row('longreach language "(aa)*" / python -c pass', language / nothing, "×", "≤ about 30")
