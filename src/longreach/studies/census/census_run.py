"""One training run of the census, and tables of runs: a line of JSON for each, failed ones included."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, ClassVar

from pydantic import ConfigDict, Field, TypeAdapter

from longreach.config.encoding_table import ENCODINGS
from longreach.config.length_range import LengthRange
from longreach.errors import InputError
from longreach.results.line_table import read_lines
from longreach.studies.census.worthwhile import ranges_tested

RATIOS = (1, 2, 3, 5)
"""The ends of the tested ranges, as multiples of the training length."""


def bins(trained_to: int) -> dict[int, LengthRange]:
    """The range of lengths tested at each ratio.

    >>> {ratio: lengths.name for ratio, lengths in bins(10).items()}
    {1: '1-10', 2: '11-20', 3: '21-30', 5: '41-50'}
    """
    return dict(zip(RATIOS, ranges_tested(trained_to), strict=True))


@dataclass(frozen=True, kw_only=True)
class CensusRun:
    """What one run of the census came to.

    >>> run = CensusRun(
    ...     run="0123456789abcdef", language="8a9368b8db", encoding="nope", trained_to=20, seed=0,
    ...     accuracy=(1.0, 0.9, 0.5, 0.0), code="1.0", seconds=30.0, settings="ab12",
    ... )
    >>> run.at(3), run.failed
    (0.5, False)
    """

    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(strict=True, extra="forbid", allow_inf_nan=False)

    run: Annotated[str, Field(min_length=1)]
    """The key of the result."""
    language: Annotated[str, Field(min_length=1)]
    """The key of the language."""
    encoding: str
    trained_to: Annotated[int, Field(ge=1)]
    seed: int
    accuracy: tuple[Annotated[float, Field(ge=0, le=1)], ...]
    """At each of RATIOS; empty if the run failed."""
    code: str
    """The version of the program that trained it."""
    seconds: Annotated[float, Field(ge=0)]
    settings: str
    """The hash of the settings file."""
    error: str | None = None
    """Why the run failed."""
    recipe: str | None = None
    """What was tried, where the run is not one of the census itself."""

    def __post_init__(self) -> None:
        if self.encoding not in ENCODINGS:
            raise ValueError(f"no encoding is named {self.encoding!r}")
        if len(self.accuracy) != (len(RATIOS) if self.error is None else 0):
            raise ValueError(f"a run has {len(RATIOS)} accuracies, a failed one an error instead")

    @property
    def failed(self) -> bool:
        """Whether it ended without numbers."""
        return self.error is not None

    def at(self, ratio: int) -> float:
        """The accuracy at one of RATIOS."""
        return self.accuracy[RATIOS.index(ratio)]


_ADAPTER = TypeAdapter(CensusRun)


def _order(run: CensusRun) -> tuple[str, str, int, int, str]:
    return run.language, run.encoding, run.trained_to, run.seed, run.run


def runs_to_text(runs: Iterable[CensusRun]) -> str:
    """A table of runs as text, sorted; each run may be there once."""
    lines, seen = [], set()
    for run in sorted(runs, key=_order):
        if run.run in seen:
            raise InputError(f"the run {run.run} is there twice")
        seen.add(run.run)
        made = {name: value for name, value in asdict(run).items() if value is not None}
        lines.append(json.dumps(made, ensure_ascii=False))
    return "".join(f"{line}\n" for line in lines)


def read_runs(path: Path) -> tuple[CensusRun, ...]:
    """The runs of a table, sorted; a bad line is refused by its number."""
    return tuple(sorted(read_lines(path, _ADAPTER), key=_order))
