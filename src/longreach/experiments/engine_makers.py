"""Where members train: the engine for a number of jobs, and how many members side by side on which device."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeAlias

from longreach.config.regression_name import RegressionName
from longreach.config.training import TrainConfig
from longreach.execution.engines import EngineOptions, make_engine
from longreach.execution.jobs import Engine, Job

MOST_ON_CUDA = 64

EngineMaker: TypeAlias = Callable[[int], Engine]
"""Makes the engine for a number of jobs."""


def engine_maker(
    name: str = "local", runs: str | Path = "runs", options: EngineOptions | None = None
) -> EngineMaker:
    """The engine that the options describe; options that contradict each other are refused at once.

    >>> engine_maker("local", options=EngineOptions(workers=8))(3).parallel
    3
    """
    options = options or EngineOptions()
    make_engine(name, options, jobs=1, runs=runs)
    return lambda jobs: make_engine(name, options, jobs=jobs, runs=runs)


def stacked_maker(
    make: EngineMaker,
    device: str = "auto",
    stack: int | None = None,
    *,
    engine: str = "local",
    workers: int | None = None,
    gpus: float | None = None,
) -> EngineMaker:
    """Makes engines that train members on the device, side by side if there are several.

    This changes neither the members' keys nor which results there are. A device that is not there is refused,
    if members train on this machine.
    """
    from longreach.training.devices import check_name, find_device

    check_name(device)
    name, here = device, engine == "local"
    if here:
        name = str(find_device(device))
    elif device == "auto":  # a job of a cluster sees the devices that it has asked for, and no others
        name = "cuda" if gpus else "cpu"
    size = stack or (MOST_ON_CUDA if name.startswith("cuda") else 1)
    if name == "cpu" and size == 1:
        return make
    # Several processes on one device get in each other's way, unless somebody wants them.
    alone = here and name != "cpu" and workers is None
    return lambda jobs: _stacked(make(1 if alone else jobs), name, size)


def _stacked(engine: Engine, device: str, size: int) -> Engine:
    from longreach.execution.stacked import StackedEngine
    from longreach.training.ensemble import groups
    from longreach.training.job import GROUP_FUNCTION
    from longreach.training.regression_job import regression_groups

    def group(jobs: Sequence[Job]) -> list[list[Job]]:
        # No core waits because all members stand in one process.
        most = -(-len(jobs) // engine.parallel) if device == "cpu" else size
        known = {job.key: job for job in jobs}
        numbers = [job.config for job in jobs if _learns_numbers(job)]
        tokens = [TrainConfig.read(job.config) for job in jobs if not _learns_numbers(job)]
        made = [[member.key for member in group] for group in groups(tokens, min(size, most))]
        made += [[member.key for member in group] for group in regression_groups(numbers, min(size, most))]
        return [[known[key] for key in keys] for keys in made]

    return StackedEngine(engine, GROUP_FUNCTION, group, {"device": device})


def _learns_numbers(job: Job) -> bool:
    return RegressionName.is_one(job.config["task"])
