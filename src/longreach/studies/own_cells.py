"""Studies whose cells are not tasks under encodings: what they offer instead."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol

from longreach.config.any_member import AnyMember
from longreach.config.scales import Scale
from longreach.experiments.engine_makers import EngineMaker
from longreach.experiments.running import Watcher
from longreach.results.schema import Result


class OwnReport(Protocol):
    """What such a study came to."""

    @property
    def failed(self) -> Sequence[Result]:
        """The members that failed this time."""
        ...

    def document(self) -> dict[str, Any]:
        """As JSON has it, beside the study's name and scale."""
        ...

    def text(self) -> str:
        """For people."""
        ...

    def content(self, suffix: str, title: str) -> bytes:
        """The figure, or with `.md` the table, in the format of a name's ending."""
        ...


class OwnCells(Protocol):
    """How such a study is run."""

    def members(self, scale: Scale, seeds: int | None = None) -> Sequence[AnyMember]:
        """What is trained at most."""
        ...

    def run(
        self,
        scale: Scale,
        *,
        seeds: int | None = None,
        runs: str | Path = "runs",
        engine: EngineMaker | None = None,
        progress: Watcher | None = None,
        train: bool = True,
    ) -> OwnReport:
        """Train what is missing, unless only what is there counts, and look at the whole of it."""
        ...
