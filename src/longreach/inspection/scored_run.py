"""A run with the numbers that may tell whether it works, and tables of such runs: a line of JSON for each.

Models are large and numbers are small: a table can be judged, and judged again, where the models are gone.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, ClassVar

from pydantic import ConfigDict, Field, TypeAdapter

from longreach.inspection.limit_runs import LengthRow
from longreach.inspection.run_features import FEATURES
from longreach.results.line_table import read_lines


@dataclass(frozen=True, kw_only=True)
class ScoredRun:
    """A run with its features, what others say of it, and what came of it."""

    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(strict=True, extra="forbid", allow_inf_nan=False)

    run: Annotated[str, Field(min_length=1)]
    language: Annotated[str, Field(min_length=1)]
    """What runs have in common, their task; intervals and folds keep them together."""
    encoding: str
    trained_to: Annotated[int, Field(ge=1)]
    seed: int
    reached: Annotated[float, Field(ge=0, le=1)]
    """The accuracy at three times the training length …"""
    works: bool
    """… and whether that is half way from chance to 1."""
    learned: bool
    """At the training length itself."""
    features: Mapping[str, float]
    beside: Mapping[str, float]
    """Scores to compare with, such as the forecast's; higher is more likely to work."""
    beyond: LengthRow | None = None
    """What the run and its approximate limit transformer do at three times the training length."""

    def __post_init__(self) -> None:
        if set(self.features) != set(FEATURES):
            raise ValueError("the features are not those of this version: look into the runs again")


_ADAPTER = TypeAdapter(ScoredRun)


def _order(run: ScoredRun) -> tuple[str, str, int, int, str]:
    return run.language, run.encoding, run.trained_to, run.seed, run.run


def scored_text(runs: Iterable[ScoredRun]) -> str:
    """A table of runs as text, sorted, numbers with six digits."""
    lines = []
    for run in sorted(runs, key=_order):
        made = asdict(run)
        made["features"] = {name: float(f"{value:.6g}") for name, value in run.features.items()}
        lines.append(json.dumps(made, ensure_ascii=False))
    return "".join(f"{line}\n" for line in lines)


def read_scored(path: Path) -> tuple[ScoredRun, ...]:
    """The runs of a table; a bad line is refused by its number."""
    return read_lines(path, _ADAPTER)
