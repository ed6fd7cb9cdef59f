"""The options that say on which device members train, and how many of them side by side."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from longreach.cli.engines import EngineName

if TYPE_CHECKING:
    from collections.abc import Sequence

    from longreach.execution.jobs import Engine, Job
    from longreach.execution.record import Group, Grouping

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


@dataclass(frozen=True)
class Stacking:
    """How members share processes. It changes neither their keys nor which results there are."""

    device: str
    size: int
    one_process: bool
    """Whether one process uses the device, if nobody says how many."""

    def jobs_at_once(self, members: int) -> int:
        """For how many jobs an engine is made."""
        return 1 if self.one_process else members

    def grouping(self, engine: Engine) -> Grouping | None:
        """Which members run together; None: each on its own."""
        if self.device == "cpu" and self.size == 1:
            return None

        def made(jobs: Sequence[Job]) -> list[Group]:
            from longreach.execution.record import Group
            from longreach.training.config import TrainConfig
            from longreach.training.ensemble import groups
            from longreach.training.job import GROUP_FUNCTION

            # No core waits because all members stand in one process.
            most = -(-len(jobs) // engine.parallel) if self.device == "cpu" else self.size
            by_key = {job.key: job for job in jobs}
            members = [TrainConfig.read(job.config) for job in jobs]
            return [
                Group(GROUP_FUNCTION, tuple(by_key[each.key] for each in group), {"device": self.device})
                for group in groups(members, min(self.size, max(1, most)))
            ]

        return made


def stacking(
    device: str, stack: int | None, engine: EngineName, *, workers: int | None, gpus: float | None
) -> Stacking:
    """What the options say; a device that is not there is refused, if members train on this machine."""
    from longreach.training.devices import check_name, find_device

    check_name(device)
    if engine is EngineName.local:
        name = str(find_device(device))
    elif device == "auto":  # a job of a cluster sees the devices that it has asked for, and no others
        name = "cuda" if gpus else "cpu"
    else:
        name = device
    one = engine is EngineName.local and name != "cpu" and workers is None
    return Stacking(name, stack or (MOST_ON_CUDA if name.startswith("cuda") else 1), one)
