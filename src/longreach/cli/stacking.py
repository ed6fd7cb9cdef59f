"""The options that say on which device members train, and how many of them side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from longreach.cli.engines import EngineMaker, EngineName

if TYPE_CHECKING:
    from collections.abc import Sequence

    from longreach.execution.jobs import Engine, Job

MOST_ON_CUDA = 64

DeviceOption = Annotated[
    str, typer.Option("--device", metavar="NAME", help="auto, cpu, cuda, cuda:N or mps; auto: CUDA or CPU.")
]
StackOption = Annotated[
    int | None,
    typer.Option(
        "--stack", metavar="K", min=1,
        help="Train up to K members of one shape side by side; default: 1, on CUDA 64.",
    ),
]  # fmt: skip


def stacked_maker(
    make: EngineMaker,
    device: str,
    stack: int | None,
    *,
    engine: EngineName,
    workers: int | None,
    gpus: float | None,
) -> EngineMaker:
    """Makes engines that train members on the device, side by side if there are several.

    This changes neither the members' keys nor which results there are. A device that is not there is refused,
    if members train on this machine.
    """
    from longreach.training.devices import check_name, find_device

    check_name(device)
    name, here = device, engine is EngineName.local
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
    from longreach.training.config import TrainConfig
    from longreach.training.ensemble import groups
    from longreach.training.job import GROUP_FUNCTION

    def group(jobs: Sequence[Job]) -> list[list[Job]]:
        # No core waits because all members stand in one process.
        most = -(-len(jobs) // engine.parallel) if device == "cpu" else size
        known = {job.key: job for job in jobs}
        made = groups([TrainConfig.read(job.config) for job in jobs], min(size, most))
        return [[known[member.key] for member in members] for members in made]

    return StackedEngine(engine, GROUP_FUNCTION, group, {"device": device})
