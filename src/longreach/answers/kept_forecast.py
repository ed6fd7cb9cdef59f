"""What a forecast says of an own task, kept beside its runs.

Reports do not load Python or files that results name. This document has words and a number, and names no code
that is run.
"""

from __future__ import annotations

from itertools import islice
from pathlib import Path
from typing import Annotated, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field

from longreach.answers.forecast import Forecast
from longreach.errors import InputError
from longreach.files import read_document, write_atomically
from longreach.theory.names import TaskName
from longreach.theory.program_class import ENCODING_SIDES

ENDING = ".forecast.json"
MOST_BYTES, MOST_FILES = 2**16, 1000
Words: TypeAlias = Annotated[str, Field(max_length=4000)]


class _Kept(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, allow_inf_nan=False)


class KeptSide(_Kept):
    """What is expected under one encoding."""

    answer: Literal["yes", "no", "undecided"]
    clause: Words
    basis: Words


class KeptForecast(_Kept):
    """`ask-….forecast.json`."""

    version: Literal[1] = 1
    task: Words
    """As results name it."""
    about: Words
    kind: Literal["algorithmic", "language"]
    chance: Annotated[float, Field(ge=0, le=1)]
    sides: dict[Literal["nope", "ape", "reach"], KeptSide]


def keep_forecast(runs: Path, stem: str, forecast: Forecast) -> None:
    """Write what a forecast says, if a report could not find it by the name of the task."""
    name = TaskName(forecast.stored)
    if not (name.is_attribute or name.is_session or name.is_data):
        return
    kept = KeptForecast.model_validate(
        {
            "task": forecast.stored,
            "about": forecast.task.about[:4000],
            "kind": forecast.task.kind,
            "chance": forecast.task.chance,
            "sides": {
                key: {"answer": side.trained.value, "clause": side.clause[:4000], "basis": side.basis[:4000]}
                for key in ENCODING_SIDES
                if (side := forecast.sides[key])
            },
        }
    )
    runs.mkdir(parents=True, exist_ok=True)
    write_atomically(runs / f"{stem}{ENDING}", kept.model_dump_json(indent=1).encode())


def kept_forecasts(runs: Path | None) -> dict[str, KeptForecast]:
    """By the names of tasks, what is kept in a results directory; damaged files are left out.

    >>> kept_forecasts(None)
    {}
    """
    found: dict[str, KeptForecast] = {}
    for path in islice([] if runs is None else sorted(runs.glob(f"*{ENDING}")), MOST_FILES):
        try:
            kept = read_document(path, KeptForecast.model_validate_json, most=MOST_BYTES)
        except InputError:
            continue
        found[kept.task] = kept
    return found
