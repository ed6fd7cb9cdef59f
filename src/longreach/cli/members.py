"""What commands that train members share: jobs, a plan of them, and results as they come."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from longreach.cli.engines import EngineMaker
from longreach.cli.progress import Bar, duration, show_bars
from longreach.errors import MissingExtra

if TYPE_CHECKING:
    from longreach.execution.jobs import Job
    from longreach.execution.plan import Plan
    from longreach.results.schema import Result
    from longreach.training.config import TrainConfig


def check_torch() -> None:
    """Say what to install where torch is missing."""
    try:
        import torch  # noqa: F401
    except ModuleNotFoundError:
        raise MissingExtra("training", "train") from None


def job_of(config: TrainConfig) -> Job:
    """The job that trains a member."""
    from longreach.execution.jobs import Job
    from longreach.training.job import FUNCTION

    return Job.of(FUNCTION, config.document())


def planned(configs: Sequence[TrainConfig], runs: Path, make: EngineMaker) -> tuple[Plan, float | None]:
    """What would run, and, where earlier members do not say how long it takes, the seconds of all steps.

    The latter are taken from a few steps of each shape.
    """
    from longreach.execution.plan import plan, shape
    from longreach.execution.record import pending
    from longreach.training.engine import seconds_at_most

    jobs, parallel = [job_of(config) for config in configs], make(len(configs)).parallel
    found = plan(jobs, runs, parallel)
    if found.estimated == found.pending:
        return found, None
    waiting = {job.key for job in pending(jobs, runs)}
    members = [config for config in configs if config.key in waiting]
    shapes = {shape(config.document()): config for config in members}
    each = {name: seconds_at_most(config) for name, config in shapes.items()}
    times = [each[shape(config.document())] for config in members]
    return found, max(sum(times) / parallel, *times)


def print_plan(found: Plan, most: float | None) -> None:
    """The plan for people."""
    again = f", {found.failed} of them failed before" if found.failed else ""
    plural = "s" if found.jobs > 1 else ""
    print(f"{found.jobs} job{plural}: {found.done} done, {found.pending} to run{again}")
    if most is not None:
        print(f"at most about {duration(most)}, if no member stops early")
    elif found.seconds is not None:
        print(f"about {duration(found.seconds)}")


def train_pending(
    configs: Sequence[TrainConfig], runs: Path, make: EngineMaker, *, overall: bool = False
) -> dict[str, Result]:
    """Train the members that are not done, in this order; their results by key, failed ones included."""
    from longreach.execution.record import pending, run_pending
    from longreach.tasks.program import short_name

    jobs = [job_of(config) for config in configs]
    waiting = {job.key for job in pending(jobs, runs)}
    bars = [
        Bar(each.key, f"{short_name(each.task)} {each.encoding} seed {each.seed}", each.max_steps)
        for each in configs
        if each.key in waiting
    ]
    finished: dict[str, Result] = {}
    with show_bars(bars, runs, total=len(jobs) if overall else None) as ended:
        for result in run_pending(jobs, runs, make(len(waiting))):
            finished[result.key] = result
            ended(result)
    return finished
