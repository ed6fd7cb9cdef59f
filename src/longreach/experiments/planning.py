"""What training would do: how many members, which are done, and how long the rest may take."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from longreach.config.training import TrainConfig
from longreach.execution.plan import Plan, shape
from longreach.execution.plan import plan as plan_jobs
from longreach.execution.record import pending
from longreach.experiments.engine_makers import EngineMaker, engine_maker
from longreach.experiments.running import check_runs, check_torch, job_of


@dataclass(frozen=True)
class Planned:
    """The state of members before they train."""

    plan: Plan
    seconds_at_most: float | None
    """How long all steps take, where earlier members do not say how long it takes."""

    def document(self) -> dict[str, Any]:
        """As JSON has it."""
        return {**asdict(self.plan), "seconds_at_most": self.seconds_at_most}


def plan(
    configs: Sequence[TrainConfig], runs: str | Path = "runs", *, engine: EngineMaker | None = None
) -> Planned:
    """What would run, and how long it takes: as earlier members did, or all steps at the pace of a few.

    >>> from longreach.experiments import resolve
    >>> planned = plan([resolve("parity", max_steps=20)], "no-such-directory")
    >>> planned.plan.pending, planned.seconds_at_most > 0
    (1, True)
    """
    check_torch()
    from longreach.training.engine import seconds_at_most

    runs = check_runs(runs)
    make = engine or engine_maker("local", runs)
    jobs, parallel = [job_of(config) for config in configs], make(len(configs)).parallel
    found = plan_jobs(jobs, runs, parallel)
    if found.estimated == found.pending:
        return Planned(found, None)
    waiting = {job.key for job in pending(jobs, runs)}
    members = [config for config in configs if config.key in waiting]
    shapes = {shape(config.document()): config for config in members}
    each = {name: seconds_at_most(config) for name, config in shapes.items()}
    times = [each[shape(config.document())] for config in members]
    return Planned(found, max(sum(times) / parallel, *times))
