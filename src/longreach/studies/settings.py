"""How the members of a cell are trained at each scale.

`paper` is everything as published. `laptop` is read from a file, with a sentence for each cell that says how
its setting was chosen on two CPU cores. `smoke` is for tests of the machinery and says nothing.
"""

from __future__ import annotations

from dataclasses import asdict
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, Self, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from longreach.errors import InputError
from longreach.studies.places import ALGORITHMIC, ENCODINGS, REGULAR, Place, Scale
from longreach.tasks.catalog import load_task
from longreach.tasks.hyperparameters import BASELINE_SHAPE, hyperparameters

if TYPE_CHECKING:
    from longreach.training.config import TrainConfig

PAPER_SEEDS = 5
Count: TypeAlias = Annotated[int, Field(ge=1)]
Share: TypeAlias = Annotated[float, Field(gt=0)]
LAPTOP = Path(__file__).with_name("laptop.json")


class Setting(BaseModel):
    """What a cell of the table says; the rest is as in the table's defaults, and then as published."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, allow_inf_nan=False)

    layers: Count | None = None
    heads: Count | None = None
    width: Count | None = None
    lr: Share | None = None
    batch: Count | None = None
    max_steps: Count | None = None
    warmup: Annotated[int, Field(ge=0)] | None = None
    schedule: Literal["linear", "constant"] | None = None
    evaluate_every: Count | None = None
    stop_early: bool | None = None
    weight_decay: Annotated[float, Field(ge=0)] | None = None
    clip: Share | None = None
    layer_norm: bool | None = None
    log_length: bool | None = None
    tied: bool | None = None
    offsets: Literal["random", "none"] | None = None
    compile: bool | None = None
    test_size: Count | None = None
    train_to: Count | None = None
    """The longest training length; tests are up to twice and three times as long."""
    remark: str | None = None
    """Why this setting, in a sentence."""


class ScaleTable(BaseModel):
    """The settings of one scale, as its file has them."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    about: str
    seeds: Count
    defaults: Setting
    cells: dict[str, dict[str, Setting]] = {}
    """By task and encoding. Encodings without an entry have the setting of `ape`."""

    @model_validator(mode="after")
    def _complete(self) -> Self:
        for task, encodings in self.cells.items():
            load_task(task)
            for encoding, setting in encodings.items():
                if not setting.remark:
                    raise ValueError(f"{task}, {encoding}: has no remark")
        if self.cells:
            missing = [
                f"{task}, {encoding}"
                for task in (*ALGORITHMIC, *REGULAR)
                for encoding in ENCODINGS
                if encoding not in self.cells.get(task, {})
            ]
            if missing:
                raise ValueError(f"no setting for {missing[0]}")
        if self.defaults.train_to is None:
            raise ValueError("defaults: train_to is missing")
        return self

    def setting(self, place: Place) -> Setting:
        """What the table says of a cell, with its defaults."""
        known = self.cells.get(place.task, {})
        own = known.get(place.encoding) or known.get("ape") or Setting()
        return Setting(**{**self.defaults.model_dump(exclude_none=True), **own.model_dump(exclude_none=True)})


SMOKE = ScaleTable(
    about="tiny models and 20 steps: no claim",
    seeds=1,
    defaults=Setting(
        layers=1, heads=1, width=8, lr=1e-3, batch=16, max_steps=20, warmup=0, test_size=20, train_to=6
    ),
)


def read_table(path: Path) -> ScaleTable:
    """The settings in a file, or an error of one line that names it."""
    try:
        return ScaleTable.model_validate_json(path.read_bytes())
    except OSError as error:
        raise InputError(f"{path.name}: cannot be read: {error.strerror}") from None
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False, include_input=False)[0]
        place = ".".join(map(str, first["loc"]))
        message = first["msg"].removeprefix("Value error, ")
        raise InputError(f"{path.name}: {place + ': ' if place else ''}{message}") from None


@cache
def _laptop() -> ScaleTable:
    return read_table(LAPTOP)


def scale_table(scale: Scale) -> ScaleTable | None:
    """The table of a scale; None for `paper`, which is as published.

    >>> scale_table("laptop").setting(Place("sort", "rope")).train_to
    20
    """
    if scale == "paper":
        return None
    return SMOKE if scale == "smoke" else _laptop()


def seeds_of(scale: Scale) -> int:
    """How many members a cell has.

    >>> seeds_of("laptop"), seeds_of("paper")
    (3, 5)
    """
    table = scale_table(scale)
    return PAPER_SEEDS if table is None else table.seeds


def remark_of(place: Place, scale: Scale) -> str:
    """Where the setting of a cell comes from, in a sentence."""
    table = scale_table(scale)
    if table is None:
        return "as published" if place.encoding in ENCODINGS else "as published for ape"
    own = table.cells.get(place.task, {})
    if own and place.encoding not in own:
        return "the setting of ape" + (", as in the paper" if place.is_baseline else "")
    return table.setting(place).remark or table.about


def config_of(place: Place, scale: Scale) -> TrainConfig:
    """The member of a cell with the seed 0.

    >>> config = config_of(Place("binary-majority", "ape"), "paper")
    >>> config.layers, config.width, config.max_steps, config.test_lengths[-1]
    (1, 16, 30000, (101, 150))
    """
    from longreach.training.config import TrainConfig

    table = scale_table(scale)
    if table is None:
        # Other encodings have no published setting: that of ape makes them comparable.
        given: dict[str, Any] = (
            {} if place.encoding in ENCODINGS else asdict(hyperparameters(place.task, "ape"))
        )
    else:
        given = table.setting(place).model_dump(exclude_none=True, exclude={"remark", "train_to"})
        longest = table.setting(place).train_to
        given["train_lengths"] = (load_task(place.task).least_length, longest)
    if place.is_baseline:
        given |= BASELINE_SHAPE
    if place.penalty:
        given["penalty"] = place.penalty
    return TrainConfig.resolve(place.task, place.encoding, **given)
