"""The options that say where members train and how many at a time, for every command that trains."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from longreach.experiments.engine_makers import EngineMaker


class EngineName(StrEnum):
    local = "local"
    ray = "ray"
    slurm = "slurm"


EngineOption = Annotated[EngineName, typer.Option("--engine", help="Where jobs run.")]
WorkersOption = Annotated[
    int | None, typer.Option("--workers", metavar="N", min=1, help="Jobs at a time; default: one per core.")
]
AddressOption = Annotated[
    str | None,
    typer.Option(
        "--address", metavar="HOST:PORT", help="Of a Ray cluster, or auto; default: start Ray here."
    ),
]
GpusOption = Annotated[
    float | None,
    typer.Option(
        "--gpus", metavar="N", min=0, help="Per job, with ray or slurm; with ray also parts of one."
    ),
]
PartitionOption = Annotated[
    str | None, typer.Option("--partition", metavar="NAME", help="Of a Slurm cluster.")
]
TimeLimitOption = Annotated[
    float | None,
    typer.Option("--time-limit", metavar="MINUTES", help="A job past it is ended and has failed."),
]

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


def trains_here(engine: EngineName, device: str) -> bool:
    """Whether members train on the cores of this machine, so that a few steps tell how long it takes."""
    from longreach.training.devices import find_device

    return engine is EngineName.local and find_device(device).type == "cpu"


def chosen_engine(
    engine: EngineName,
    runs: Path,
    *,
    workers: int | None,
    address: str | None,
    gpus: float | None,
    partition: str | None,
    time_limit: float | None,
    device: str,
    stack: int | None,
) -> EngineMaker:
    """Makes the engine that the options describe."""
    from longreach.execution.engines import EngineOptions
    from longreach.experiments.engine_makers import engine_maker, stacked_maker
    from longreach.experiments.running import check_torch

    options = EngineOptions(
        workers=workers, address=address, gpus=gpus, partition=partition,
        time_limit=None if time_limit is None else 60 * time_limit,
    )  # fmt: skip
    make = engine_maker(engine.value, runs, options)
    check_torch()
    return stacked_maker(make, device, stack, engine=engine.value, workers=workers, gpus=gpus)
