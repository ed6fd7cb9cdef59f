"""What a run would do: how many jobs, which are done, and how long the rest may take."""

from __future__ import annotations

import heapq
import statistics
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from longreach.config.keys import canonical_json
from longreach.execution.jobs import Job
from longreach.results.index import Row, read_index

# Settings that change the numbers but not the work per step.
NOT_SHAPE = frozenset({"seed", "lr", "learning_rate"})


@dataclass(frozen=True)
class Plan:
    """The state of a list of jobs before it runs."""

    jobs: int
    done: int
    failed: int
    """Those that have failed before and will run again; they are among the pending ones."""
    pending: int
    estimated: int
    """Pending jobs of which an earlier result of the same shape says how long they take."""
    seconds: float | None
    """How long these take together, on all workers; None if nothing is known of any."""


def shape(config: Mapping[str, Any]) -> str:
    """The configuration without what does not change the time it takes.

    >>> shape({"task": "parity", "seed": 1, "model": {"layers": 2, "lr": 0.1}})
    '{"model":{"layers":2},"task":"parity"}'
    """
    return canonical_json(_without(config))


def _without(config: Mapping[str, Any]) -> dict[str, Any]:
    kept = {name: value for name, value in config.items() if name not in NOT_SHAPE}
    return {name: _without(value) if isinstance(value, Mapping) else value for name, value in kept.items()}


def plan(jobs: Iterable[Job], runs: str | Path, parallel: int = 1) -> Plan:
    """Count jobs and estimate their time from the medians of earlier results; nothing is run.

    >>> plan([Job.of("json:dumps", {"seed": seed}) for seed in range(3)], "no-such-directory")
    Plan(jobs=3, done=0, failed=0, pending=3, estimated=0, seconds=None)
    """
    wanted = {job.key: job for job in jobs}
    rows: list[Row] = []
    if Path(runs).is_dir():
        with read_index(runs) as index:
            rows = index.rows()
    status = {row.key: row.status for row in rows}
    times: defaultdict[str, list[float]] = defaultdict(list)
    for row in rows:
        if row.status == "done" and row.seconds is not None:
            times[shape(row.config)].append(row.seconds)
    waiting = [job for key, job in wanted.items() if status.get(key) != "done"]
    known = [statistics.median(found) for job in waiting if (found := times.get(shape(job.config)))]
    return Plan(
        jobs=len(wanted),
        done=len(wanted) - len(waiting),
        failed=sum(status.get(key) == "failed" for key in wanted),
        pending=len(waiting),
        estimated=len(known),
        seconds=_together(known, parallel) if known else None,
    )


def _together(seconds: Iterable[float], parallel: int) -> float:
    """When the last of these jobs ends, if each starts as soon as a worker is free."""
    workers = [0.0] * parallel
    for job in seconds:
        heapq.heappush(workers, heapq.heappop(workers) + job)
    return max(workers)
