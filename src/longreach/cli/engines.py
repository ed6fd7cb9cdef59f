"""The options that say where jobs run, for every command that runs many."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeAlias

import typer

if TYPE_CHECKING:
    from longreach.execution.jobs import Engine


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

EngineMaker: TypeAlias = "Callable[[int], Engine]"
"""Makes the engine for a number of jobs."""


def engine_maker(
    name: EngineName,
    runs: Path,
    *,
    workers: int | None,
    address: str | None,
    gpus: float | None,
    partition: str | None,
    time_limit: float | None,
) -> EngineMaker:
    """The engine that the options describe; options that contradict each other are refused at once."""
    from longreach.execution.engines import EngineOptions, make_engine

    options = EngineOptions(
        workers=workers, address=address, gpus=gpus, partition=partition,
        time_limit=None if time_limit is None else 60 * time_limit,
    )  # fmt: skip
    make_engine(name.value, options, jobs=1, runs=runs)
    return lambda jobs: make_engine(name.value, options, jobs=jobs, runs=runs)
