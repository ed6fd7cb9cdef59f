"""How much is trained: `smoke`, `laptop` and `paper`, as tables of settings by task and encoding.

`laptop` is what trains where nothing else is said: read from a file, with a setting for languages, one for
all other tasks, and cells for what differs, each with a sentence that says why. `paper` is everything as
published. `smoke` is for tests of the machinery and says nothing.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, Self, TypeAlias, get_args

from pydantic import BaseModel, ConfigDict, Field, create_model, model_validator

from longreach.config.architectures import BASELINE
from longreach.config.model import BASELINE_SHAPE
from longreach.config.run import RunConfig
from longreach.files import read_document
from longreach.theory.names import Origin, TaskName

Scale: TypeAlias = Literal["smoke", "laptop", "paper"]
SCALES: tuple[Scale, ...] = get_args(Scale)

PUBLISHED_ENCODINGS = ("ape", "nope")
PAPER_SEEDS = 5
Count: TypeAlias = Annotated[int, Field(ge=1)]
LAPTOP = Path(__file__).with_name("laptop.json")
# A cell has a task and an encoding, its runs have seeds, and `train_to` gives the lengths.
_NOT_OF_A_CELL = ("task", "alphabet", "encoding", "train_lengths", "test_lengths", "seed")


class Setting(BaseModel):
    """What a cell of a table says: any field of a configuration, the lengths, and why.

    The rest is as in the table's defaults, and then as published.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, allow_inf_nan=False)

    train_to: Count | None = None
    """The longest training length; tests are up to twice and three times as long."""
    remark: str | None = None

    @property
    def given(self) -> dict[str, Any]:
        """The fields of a configuration that the setting says."""
        return self.model_dump(exclude_none=True, exclude={"remark", "train_to"})


if TYPE_CHECKING:
    CellSetting: TypeAlias = Setting
else:
    _FIELDS = {
        name: (Annotated[field.annotation, Field(), *field.metadata] | None, None)
        for name, field in RunConfig.model_fields.items()
        if name not in _NOT_OF_A_CELL
    }
    CellSetting = create_model("CellSetting", __base__=Setting, **_FIELDS)


@dataclass(frozen=True)
class Hyperparameters:
    """What the paper used (Huang et al., arXiv 2410.02140, Tables 4–7); defaults for other tasks."""

    layers: int = 2
    heads: int = 2
    width: int = 64
    lr: float = 1e-3
    max_steps: int = 30_000
    warmup: int = 0


def hyperparameters(task: str, encoding: str) -> Hyperparameters:
    """What the paper used for a task, by its name on the command line, under an encoding.

    >>> hyperparameters("copy-unique", "ape")
    Hyperparameters(layers=2, heads=1, width=64, lr=0.001, max_steps=30000, warmup=0)
    """
    if encoding == BASELINE:
        return replace(hyperparameters(task, "ape"), **BASELINE_SHAPE)
    return _published().get(encoding, {}).get(task, Hyperparameters())


@cache
def _published() -> dict[str, dict[str, Hyperparameters]]:
    content = json.loads(Path(__file__).with_name("hyperparameters.json").read_text(encoding="utf-8"))
    del content["source"]
    return {
        encoding: {task: Hyperparameters(**values) for task, values in tasks.items()}
        for encoding, tasks in content.items()
    }


class ScaleTable(BaseModel):
    """The settings of one scale, as its file has them."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    about: str
    seeds: Count
    first_seed: Annotated[int, Field(ge=0)] = 0
    """Of the runs in studies; seeds below are for trials."""
    defaults: CellSetting
    languages: CellSetting | None = None
    """For regular expressions, automata and the named languages; None: as for other tasks."""
    named_languages: tuple[str, ...] = ()
    others: CellSetting = CellSetting()
    encodings: dict[str, CellSetting] = {}
    """For encodings that need another setting than `ape`, whatever the task."""
    cells: dict[str, dict[str, CellSetting]] = {}
    """By task and encoding: how a cell differs. Encodings without an entry have the setting of `ape`."""

    @model_validator(mode="after")
    def _complete(self) -> Self:
        for task, encodings in self.cells.items():
            for encoding, setting in encodings.items():
                if not setting.remark:
                    raise ValueError(f"{task}, {encoding}: has no remark")
            for encoding in PUBLISHED_ENCODINGS:
                if encoding not in encodings:
                    raise ValueError(f"no setting for {task}, {encoding}")
        if self.defaults.train_to is None:
            raise ValueError("defaults: train_to is missing")
        return self

    def setting(self, task: str, encoding: str) -> Setting:
        """What the table says of a cell, with its defaults."""
        known = self.cells.get(task, {})
        said = self.defaults.model_dump(exclude_none=True)
        if encoding in self.encodings and encoding not in known:
            return CellSetting(**said | self.encodings[encoding].model_dump(exclude_none=True))
        usual = self.languages if self._is_language(task) and self.languages is not None else self.others
        own = known.get(encoding) or known.get("ape") or CellSetting()
        for setting in (usual, own):
            said |= setting.model_dump(exclude_none=True)
        return CellSetting(**said)

    def _is_language(self, task: str) -> bool:
        return task in self.named_languages or TaskName(task).origin in (Origin.REGEX, Origin.AUTOMATON)

    def remark(self, task: str, encoding: str) -> str:
        """Where the setting of a cell comes from, in a sentence."""
        own = self.cells.get(task, {})
        if own and encoding not in own and encoding not in self.encodings:
            return "the setting of ape" + (", as in the paper" if encoding == BASELINE else "")
        return self.setting(task, encoding).remark or self.about


SMOKE = ScaleTable(
    about="tiny models and 20 steps: no claim",
    seeds=1,
    defaults=CellSetting.model_validate(
        {
            "layers": 1, "heads": 1, "width": 8, "lr": 1e-3, "batch": 16, "max_steps": 20, "warmup": 0,
            "test_size": 20, "train_to": 6,
        }
    ),
)  # fmt: skip


def read_table(path: Path) -> ScaleTable:
    """The settings in a file, or an error of one line that names it."""
    return read_document(path, ScaleTable.model_validate_json, ScaleTable.model_fields)


@cache
def _laptop() -> ScaleTable:
    return read_table(LAPTOP)


def scale_table(scale: Scale) -> ScaleTable | None:
    """The table of a scale; None for `paper`, which is as published.

    >>> scale_table("laptop").setting("sort", "rope").train_to
    20
    """
    if scale == "paper":
        return None
    return SMOKE if scale == "smoke" else _laptop()


def seeds_of(scale: Scale) -> int:
    """How many runs a cell has.

    >>> seeds_of("laptop"), seeds_of("paper")
    (3, 5)
    """
    table = scale_table(scale)
    return PAPER_SEEDS if table is None else table.seeds


def first_seed_of(scale: Scale) -> int:
    """The seed of the first run of a cell; the others follow.

    >>> first_seed_of("laptop"), first_seed_of("paper")
    (3, 0)
    """
    table = scale_table(scale)
    return 0 if table is None else table.first_seed


def remark_of(task: str, encoding: str, scale: Scale) -> str:
    """Where the setting of a cell comes from, in a sentence.

    >>> remark_of("sort", "rope", "paper")
    'without a published setting: 2 layers, 2 heads, width 64'
    """
    table = scale_table(scale)
    if table is not None:
        return table.remark(task, encoding)
    if encoding in (*PUBLISHED_ENCODINGS, BASELINE):
        return "as published"
    usual = Hyperparameters()
    return f"without a published setting: {usual.layers} layers, {usual.heads} heads, width {usual.width}"
