"""Timing for benchmarks. Only ratios within one run are reported: absolute times differ between machines."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Row:
    """One measured ratio, with what was asked of it."""

    name: str
    value: float
    unit: str
    wanted: str


def best_time(work: Callable[[], object], repeats: int = 5) -> float:
    """The shortest of several runs, in seconds: the one that other work on the machine disturbed least."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return min(times)
