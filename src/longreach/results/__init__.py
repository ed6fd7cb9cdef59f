"""The results directory: one file per finished job, and an index over these files.

Import what you need from the modules: `schema` (what a result holds), `files` (write, read),
`index` (queries), `table` (CSV, Parquet), `collected_runs` (rows, plots), `provenance` (versions).

The package itself can be called: `longreach.results(…)` is `longreach.results.results(…)`.
"""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType

from longreach.results.collected_runs import CollectedRuns, results

__all__ = ["CollectedRuns", "results"]


class _Callable(ModuleType):
    """The package, which stands in `longreach` under the name of its function."""

    def __call__(
        self, runs: str | Path = "runs", *, task: str | None = None, encoding: str | None = None
    ) -> CollectedRuns:
        return results(runs, task=task, encoding=encoding)


sys.modules[__name__].__class__ = _Callable
