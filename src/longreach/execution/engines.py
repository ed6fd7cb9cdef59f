"""The engines by name, made from one set of options."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from longreach.errors import Field, InputError, near_names
from longreach.execution.jobs import Engine, load
from longreach.execution.local import LocalEngine, cores
from longreach.execution.ray import RayEngine
from longreach.execution.slurm import SlurmEngine

SLURM_LOGS = "slurm"  # below the results directory, which all nodes see


@dataclass(frozen=True, kw_only=True)
class EngineOptions:
    """Options of engines; None leaves the choice to the engine."""

    workers: int | None = None
    """How many jobs run at a time."""
    address: str | None = None
    """Of a Ray cluster."""
    gpus: float | None = None
    """Per job."""
    partition: str | None = None
    """Of a Slurm cluster."""
    time_limit: float | None = None
    """Seconds per job."""


def make_engine(name: str, options: EngineOptions, *, jobs: int, runs: str | Path) -> Engine:
    """The engine with this name, for so many jobs whose results go to `runs`.

    Options of other engines are refused, and a missing package is named.

    >>> make_engine("local", EngineOptions(workers=8), jobs=3, runs="runs").parallel
    3
    """
    if name not in ENGINES:
        raise InputError(f"no engine named {name!r}{near_names(name, ENGINES)}")
    refuse_contradictions(name, options)
    return ENGINES[name](options, jobs, Path(runs))


def refuse_contradictions(name: str, options: EngineOptions) -> None:
    """Refuse options that do not go with the engine, or that it lacks.

    >>> refuse_contradictions("local", EngineOptions(address="auto"))
    Traceback (most recent call last):
        ...
    longreach.errors.InputError: address: only for --engine ray
    """
    for option, engines in OPTIONS.items():
        if getattr(options, option) is not None and name not in engines:
            raise InputError(f"only for --engine {' or '.join(engines)}", place=Field(option))
    if options.time_limit is not None and not options.time_limit > 0:
        reason = f"must be more than 0 minutes, not {options.time_limit / 60:g}"
        raise InputError(reason, place=Field("time_limit"))
    if name == "slurm" and options.time_limit is None:
        reason = "Slurm has to know how many minutes a job may take"
        raise InputError(reason, place=Field("time_limit"))


def _local(options: EngineOptions, jobs: int, runs: Path) -> Engine:
    workers = min(options.workers or cores(), max(1, jobs))
    return LocalEngine(workers=workers, time_limit=options.time_limit)


def _ray(options: EngineOptions, jobs: int, runs: Path) -> Engine:
    load("ray", "--engine ray", "ray")
    workers = options.workers
    if options.address is None and not options.gpus:  # Ray is started here, no larger than it is needed
        workers = min(workers or cores(), max(1, jobs))
    return RayEngine(
        address=options.address, workers=workers, gpus=options.gpus or 0, time_limit=options.time_limit,
    )  # fmt: skip


def _slurm(options: EngineOptions, jobs: int, runs: Path) -> Engine:
    load("submitit", "--engine slurm", "slurm")
    assert options.time_limit is not None  # refused before
    return SlurmEngine(
        folder=runs / SLURM_LOGS, time_limit=options.time_limit, partition=options.partition,
        workers=min(options.workers or jobs, max(1, jobs)), gpus=options.gpus or 0,
    )  # fmt: skip


ENGINES: dict[str, Callable[[EngineOptions, int, Path], Engine]] = {
    "local": _local,
    "ray": _ray,
    "slurm": _slurm,
}
OPTIONS = {"address": ("ray",), "gpus": ("ray", "slurm"), "partition": ("slurm",)}
