"""What training would do: how many runs, which are done, and how long the rest may take."""

from __future__ import annotations

import heapq
import statistics
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from longreach.config.run import RunConfig
from longreach.execution.jobs import Engine, Job
from longreach.files import canonical_json
from longreach.runs.index import Row, read_index
from longreach.runs.record import pending
from longreach.runs.train import (
    EngineMaker,
    InProcessEngine,
    check_runs,
    check_torch,
    job_of,
    usual_maker,
    work_of_step,
)

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
    seconds_at_most: float | None = None
    """How long all steps take, where earlier results do not say how long it takes."""


def shape(config: Mapping[str, Any]) -> str:
    """The configuration without what does not change the time it takes.

    >>> shape({"task": "parity", "seed": 1, "model": {"layers": 2, "lr": 0.1}})
    '{"model":{"layers":2},"task":"parity"}'
    """
    return canonical_json(_without(config))


def _without(config: Mapping[str, Any]) -> dict[str, Any]:
    kept = {name: value for name, value in config.items() if name not in NOT_SHAPE}
    return {name: _without(value) if isinstance(value, Mapping) else value for name, value in kept.items()}


def plan_jobs(jobs: Iterable[Job], runs: str | Path, parallel: int = 1) -> Plan:
    """Count jobs and estimate their time from the medians of earlier results; nothing is run.

    >>> plan_jobs([Job.of("json:dumps", {"seed": seed}) for seed in range(3)], "no-such-directory")
    Plan(jobs=3, done=0, failed=0, pending=3, estimated=0, seconds=None, seconds_at_most=None)
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


SAMPLE_BUDGET = 2.0  # seconds
START_SECONDS = 6.0
"""What worker processes take to start and to load what they need."""


def plan(
    configs: Sequence[RunConfig], runs: str | Path = "runs", *, engine: EngineMaker | None = None
) -> Plan:
    """What would run, and how long it takes: as earlier runs did, or all steps at the pace of a few.

    The start of worker processes is counted; where runs are tiny it is most of the time.

    >>> from longreach.runs.resolve import resolve
    >>> planned = plan([resolve("parity", max_steps=20)], "no-such-directory")
    >>> planned.pending, planned.seconds_at_most > START_SECONDS
    (1, True)
    """
    runs = check_runs(runs)
    make = engine or usual_maker(configs, runs)
    jobs, where = [job_of(config) for config in configs], make(len(configs))
    found, start = plan_jobs(jobs, runs, where.parallel), start_seconds(where)
    if found.seconds is not None:
        found = replace(found, seconds=found.seconds + start)
    if found.estimated == found.pending:
        return found
    waiting = {job.key for job in pending(jobs, runs)}
    times = list(seconds_of([config for config in configs if config.key in waiting]).values())
    return replace(found, seconds_at_most=start + together(times, where.parallel))


def start_seconds(engine: Engine) -> float:
    """Until the first run trains; this process has loaded what it needs."""
    return 0.0 if isinstance(engine, InProcessEngine) else START_SECONDS


def together(seconds: Sequence[float], parallel: int) -> float:
    """How long runs take that train so many at a time, one of them the longest.

    >>> together([10.0, 10.0, 10.0, 40.0], parallel=2)
    40.0
    """
    return max(sum(seconds) / parallel, *seconds) if seconds else 0.0


def seconds_of(
    configs: Iterable[RunConfig],
    *,
    budget: float = SAMPLE_BUDGET,
    clock: Callable[[], float] = time.perf_counter,
) -> dict[str, float]:
    """By key, how many seconds a run trains at most on one core: all its steps at the pace of a few.

    The largest shape is tried, the smallest, and others while there is time; the rest lie between those. By
    `time.process_time` other work on the machine does not count.

    >>> from longreach.runs.resolve import resolve
    >>> members = [resolve("parity", max_steps=steps) for steps in (20, 2000)]
    >>> short, long = seconds_of(members).values()
    >>> 0 < short < long
    True
    """
    check_torch()
    from longreach.training.loop import steps_at_most

    members = {config.key: config for config in configs}
    work = {key: work_of_step(config) for key, config in members.items()}
    ordered = sorted(members, key=work.__getitem__, reverse=True)
    end, each = time.monotonic() + budget, dict[str, float]()
    for number, key in enumerate([*ordered[:1], *ordered[1:][-1:], *ordered[1:-1]]):
        if number < 2 or time.monotonic() < end:
            each[key] = _step_seconds(_shape(members[key]), clock)
    tried = sorted((work[key], seconds) for key, seconds in each.items())
    return {
        key: (each[key] if key in each else _between(work[key], tried)) * steps_at_most(config)
        for key, config in members.items()
    }


def _between(work: float, tried: Sequence[tuple[float, float]]) -> float:
    """The seconds of a step, on the line between those with a little less work and a little more.

    >>> _between(3.0, [(1.0, 10.0), (5.0, 30.0)])
    20.0
    """
    more = next(place for place, (known, _) in enumerate(tried) if known >= work)
    (low, least), (high, most) = tried[max(more - 1, 0)], tried[more]
    return most if high == low else least + (most - least) * (work - low) / (high - low)


def _shape(config: RunConfig) -> RunConfig:
    """One configuration for all whose steps take as long."""
    same = {"seed": 0, "lr": 1e-3, "max_steps": 10**9, "warmup": 0, "evaluate_every": 10**9, "test_size": 1}
    return config.model_copy(update={**same, "target_loss": 0.0})


@lru_cache(maxsize=256)
def _step_seconds(config: RunConfig, clock: Callable[[], float]) -> float:
    from longreach.training.loop import step_seconds

    return step_seconds(config, clock)
