"""What a finished job leaves behind, as a document."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import Annotated, Any, Literal, Self, TypeAlias

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, JsonValue, field_validator, model_validator

from longreach.config.keys import job_key, plain

# Numbers that the index keeps, whose integers have 64 bits.
Count: TypeAlias = Annotated[int, Field(ge=0, lt=2**63)]
Seed: TypeAlias = Annotated[int, Field(ge=-(2**63), lt=2**63)]
Seconds: TypeAlias = Annotated[float, Field(ge=0, lt=1e12, allow_inf_nan=False)]
RangeName: TypeAlias = Annotated[str, Field(pattern=r"^[0-9]{1,9}-[0-9]{1,9}$")]
"""A range of lengths, as in "51-100"."""
Shares: TypeAlias = Annotated[
    dict[RangeName, Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]], Field(max_length=1000)
]
"""Accuracies by range."""
Others: TypeAlias = dict[Annotated[str, Field(max_length=200)], float]
WRITTEN, TOKENS_WRITTEN = "written right", "tokens written right"
"""Further numbers, by these names and a range: of what a model writes on its own, ids included or not."""


class _Document(BaseModel):
    # A diverged loss is written as the string "NaN", so that files stay JSON, and read back as a number.
    model_config = ConfigDict(frozen=True, extra="forbid", ser_json_inf_nan="strings")


class Evaluation(_Document):
    """The numbers of one evaluation during a run. Ranges of lengths are named as in "51-100"."""

    step: Count
    loss: float | None = None
    accuracy: Shares = {}
    accuracy_random_offset: Shares = {}
    other: Others = {}
    """Further numbers, by name."""


class Final(_Document):
    """The numbers that a run ends with."""

    steps: Count
    reached: bool | None = None
    """Whether the training range came to 100 %, or its loss below the target where answers are numbers; null
    where the question makes no sense."""
    loss: float | None = None
    accuracy: Shares = {}
    accuracy_random_offset: Shares = {}
    other: Others = {}
    details: dict[str, JsonValue] = {}
    """What does not fit into a number."""

    @field_validator("details")
    @classmethod
    def _finite(cls, details: dict[str, JsonValue]) -> dict[str, JsonValue]:
        plain(details, "details")
        return details


class Timings(_Document):
    """When a job began and how long it took."""

    started: AwareDatetime
    seconds: Seconds
    parts: dict[str, Seconds] = {}
    """Such as compile, train, evaluate."""


class Result(_Document):
    """`result.json`: what was asked, by which code, on what, and what came out.

    >>> from longreach.config.keys import job_key
    >>> config = {"task": "parity", "seed": 0}
    >>> timings = Timings(started="2026-01-31T12:00:00Z", seconds=2.5)
    >>> result = Result(
    ...     key=job_key(config), config=config, seed=0, status="done", code="0.1.0", packages={},
    ...     device="cpu", timings=timings, final=Final(steps=100, accuracy={"1-50": 1.0}),
    ... )
    >>> Result.model_validate_json(result.model_dump_json()) == result
    True
    """

    version: Literal[1] = 1
    key: str
    config: dict[str, JsonValue]
    """The resolved configuration, all of it."""
    seed: Seed | None = None
    status: Literal["done", "failed"]
    error: str | None = None
    code: str
    """The version of this program."""
    packages: dict[str, str]
    device: str | None = None
    timings: Timings
    rows: tuple[Evaluation, ...] = ()
    final: Final | None = None
    checkpoints: tuple[str, ...] = ()
    """Files beside this one, by their paths from its directory."""

    @field_validator("checkpoints")
    @classmethod
    def _beside(cls, paths: tuple[str, ...]) -> tuple[str, ...]:
        for path in paths:
            if not path or "\\" in path or PurePosixPath(path).is_absolute() or ".." in path.split("/"):
                raise ValueError(f"{path!r} does not lie in the job's directory")
        return paths

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if self.key != job_key(self.config):
            raise ValueError(f"the key {self.key!r} is not that of the config, {job_key(self.config)!r}")
        if (self.status == "failed") != (self.error is not None):
            raise ValueError("a failed job has an error, one that is done has none")
        if self.status == "done" and self.final is None:
            raise ValueError("a job that is done has final numbers")
        return self


def task_number(task: str, range_name: str) -> str:
    """What the accuracy on a further task is called among other numbers.

    >>> task_number("sparse-parity:6-6", "20-20")
    'sparse-parity:6-6 at 20-20'
    """
    return f"{task} at {range_name}"


def loss_number(range_name: str) -> str:
    """What the loss on a range of lengths is called among other numbers.

    >>> loss_number("80-80")
    'loss 80-80'
    """
    return f"loss {range_name}"


def setting(config: Mapping[str, Any], name: str) -> Any:
    """A setting, wherever the configuration keeps it: on top or one level below; None if nowhere.

    >>> setting({"task": "parity", "model": {"layers": 2}}, "layers")
    2
    """
    below = [part for part in config.values() if isinstance(part, Mapping)]
    return next((part[name] for part in [config, *below] if name in part), None)


def named(config: Mapping[str, Any], name: str) -> str | None:
    """A setting that is a name, or a part of the configuration that has one.

    >>> named({"task": {"name": "parity", "first": 1}}, "task")
    'parity'
    """
    value = setting(config, name)
    if isinstance(value, Mapping):
        value = value.get("name")
    return value if isinstance(value, str) else None
