"""The options of every command that trains: the configuration, and where it runs."""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from types import NoneType, UnionType
from typing import TYPE_CHECKING, Annotated, Any, Literal, Union, get_args, get_origin

import typer

from longreach.cli.options import option, sign
from longreach.config.reach import read_modulus
from longreach.config.run import FROM_PYTHON_ONLY, RESOLVED, SWITCHES, RunConfig, option_name
from longreach.errors import Field, InputError
from longreach.tasks.lengths import LengthRange, read_option, read_options
from longreach.theory.names import TaskName, read_letters

if TYPE_CHECKING:
    from longreach.runs.train import EngineMaker

# The fields of a configuration as options of a command: name, type, default and help come from the field.


METAVARS = {
    "encoding": "NAME", "alphabet": "LETTERS", "lr": "RATE", "train_lengths": "A:B", "test_lengths": "A:B,…",
    "seed": "S", "penalty": "C", "architecture": "NAME", "model_options": "KEY=VALUE",
    "reach_modulus": "M",
}  # fmt: skip
"""The others are numbers, N."""


class ScaleName(StrEnum):
    smoke = "smoke"
    laptop = "laptop"
    paper = "paper"


ScaleOption = Annotated[
    ScaleName,
    option("How long to train: smoke (seconds), laptop (minutes) or paper (as published).", None, "--scale"),
]
OWN = ("task", "seed")
"""Fields that a command has a parameter of its own for."""


def read_model_options(texts: Sequence[str]) -> dict[str, Any]:
    """The options of a model, from KEY=VALUE each; a value that is not JSON is text.

    >>> read_model_options(["width=32", "theory=ssm", "signed=true"])
    {'width': 32, 'theory': 'ssm', 'signed': True}
    """
    found: dict[str, Any] = {}
    for text in texts:
        name, sign_, value = text.partition("=")
        if not sign_ or not name.isidentifier():
            raise InputError(f"{text!r} is not KEY=VALUE")
        if name in found:
            raise InputError(f"{name} is given twice")
        try:
            found[name] = json.loads(value)
        except ValueError:
            found[name] = value
    return found


_READERS: dict[Any, Callable[[Any], Any]] = {
    LengthRange: read_option,
    tuple[LengthRange, ...]: read_options,
    tuple[str, ...] | None: read_letters,
    RunConfig.model_fields["model_options"].annotation: read_model_options,
    RunConfig.model_fields["reach_modulus"].annotation: read_modulus,
}
"""How the text of an option is read, by the type of its field."""


def setting_names(without: Collection[str] = ()) -> list[str]:
    """The fields that are options, in order."""
    return [name for name in RunConfig.model_fields if name not in (*OWN, *FROM_PYTHON_ONLY, *without)]


def help_of(name: str) -> str:
    """What a field is, in a line."""
    return RunConfig.model_fields[name].description or ""


def with_setting_options(command: Callable[..., None], without: Collection[str] = ()) -> Callable[..., None]:
    """The command with an option for each setting but some, after its first parameter; it takes them as
    `settings`."""
    first, *others = inspect.signature(command, eval_str=True).parameters.values()
    own = [each for each in others if each.kind is not inspect.Parameter.VAR_KEYWORD]
    sign(command, [first, *map(_parameter, setting_names(without)), *own])
    return command


# Types that are made when the program runs, which mypy does not follow.
_annotated: Any = Annotated
_choices: Any = StrEnum


def _parameter(name: str) -> inspect.Parameter:
    field = RunConfig.model_fields[name]
    kind: Any = field.annotation if field.annotation in _READERS else _plain(field.annotation)
    spelling = option_name(name)
    metavar: str | None = None
    if name in SWITCHES:
        spelling = "/".join(each for each in SWITCHES[name] if each)
    elif get_origin(kind) is Literal:
        kind = _choices(name.title(), {choice: choice for choice in get_args(kind)})
    else:
        metavar = METAVARS.get(name, "N")
        kind = list[str] if name == "model_options" else str if kind in _READERS else kind
    # What is not given is left to the scale, also where the help says what that is.
    unset = name in RESOLVED or field.default is None or field.default == {}
    default = "" if unset else f" [default: {field.default}]"
    text = help_of(name) + ("" if name in SWITCHES else default)
    option = typer.Option(spelling, metavar=metavar, help=text, show_default=False)
    annotation = _annotated[kind | None, option]
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=annotation)


def _plain(kind: Any) -> Any:
    """A type without its None and what is said about it."""
    if get_origin(kind) in (Union, UnionType):
        (kind,) = (each for each in get_args(kind) if each is not NoneType)
    return get_args(kind)[0] if get_origin(kind) is Annotated else kind


def check_alphabet(settings: Mapping[str, Any], task: str) -> None:
    """Refuse an alphabet for a task that has its own."""
    if settings["alphabet"] is not None and not TaskName(task).takes_alphabet:
        raise InputError("--alphabet: only for a TASK regex:…, states:… or a plain function")


def given_settings(values: Mapping[str, Any]) -> dict[str, Any]:
    """The settings that option values stand for; what is not given is left out."""
    given: dict[str, Any] = {}
    for name, value in values.items():
        if value is None or value == []:
            continue
        kind = RunConfig.model_fields[name].annotation
        if kind in _READERS:
            try:
                value = _READERS[kind](value)
            except InputError as error:
                raise error.at(Field(name)) from None
        elif isinstance(value, StrEnum):
            value = value.value
        given[name] = value
    return given


# Where runs train and how many at a time, for every command that trains.


class EngineName(StrEnum):
    local = "local"
    ray = "ray"
    slurm = "slurm"


DeviceOption = Annotated[
    str, option("auto, cpu, cuda, cuda:N or mps; auto: CUDA or CPU.", "NAME", "--device")
]


@dataclass(frozen=True)
class Where:
    """Where runs train and how many at a time, as the options say."""

    engine: Annotated[EngineName, option("Where to run jobs.")] = EngineName.local
    workers: Annotated[int | None, option("Parallel jobs (default: one per core).", "N", min=1)] = None
    address: Annotated[
        str | None, option("Address of a Ray cluster, or auto (default: start Ray here).", "HOST:PORT")
    ] = None
    gpus: Annotated[
        float | None, option("GPUs per job, with ray or slurm; with ray also fractions.", "N", min=0)
    ] = None
    partition: Annotated[str | None, option("Partition of a Slurm cluster.", "NAME")] = None
    time_limit: Annotated[
        float | None, option("Stop jobs that take longer and count them as failed.", "MINUTES")
    ] = None
    device: DeviceOption = "auto"
    stack: Annotated[
        int | None,
        option("Train up to K runs of one shape side by side (default: 1, on CUDA 64).", "K", min=1),
    ] = None

    @property
    def is_here(self) -> bool:
        """Whether runs train on the cores of this machine, so that a few steps tell how long it takes."""
        from longreach.training.devices import find_device

        return self.engine is EngineName.local and find_device(self.device).type == "cpu"

    def engine_maker(self, runs: Path) -> EngineMaker:
        """Makes the engine."""
        from longreach.execution.engines import EngineOptions
        from longreach.runs.train import check_torch, engine_maker, stacked_maker

        limit = None if self.time_limit is None else 60 * self.time_limit
        options = EngineOptions(
            workers=self.workers, address=self.address, gpus=self.gpus, partition=self.partition,
            time_limit=limit,
        )  # fmt: skip
        make = engine_maker(self.engine.value, runs, options)
        check_torch()
        return stacked_maker(
            make, self.device, self.stack, engine=self.engine.value, workers=self.workers, gpus=self.gpus
        )


HERE = Where()
