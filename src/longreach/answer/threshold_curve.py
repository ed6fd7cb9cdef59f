"""From which training length on runs work, as far as it was measured."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from longreach.answer.measured_cell import MeasuredCell
from longreach.config.length_range import LengthRange


@dataclass(frozen=True, kw_only=True)
class Threshold:
    """Runs of one encoding at several training lengths, tested on the same inputs."""

    encoding: str
    tested: LengthRange
    cells: tuple[MeasuredCell, ...]
    """With finished runs, by training length."""

    @classmethod
    def of(cls, first: Sequence[MeasuredCell], others: Sequence[MeasuredCell]) -> Threshold | None:
        """From the first training length and the others; None where no other was measured."""
        measured = [cell for cell in others if cell.tally.runs]
        if not measured:
            return None
        encoding = measured[0].encoding
        own = [cell for cell in first if cell.encoding == encoding and cell.tally.runs]
        cells = sorted([*own, *measured], key=lambda cell: cell.train_to)
        return cls(encoding=encoding, tested=cells[0].tested, cells=tuple(cells))

    @property
    def start(self) -> int | None:
        """The least training length from which on at least half of the runs work; None if none."""
        found = None
        for cell in reversed(self.cells):
            if not cell.tally.works:
                break
            found = cell.train_to
        return found

    @property
    def is_open_below(self) -> bool:
        """Whether the least training length that was tried works already."""
        return self.start == self.cells[0].train_to

    @property
    def words(self) -> str:
        """The answer in a few words."""
        if self.start is None:
            return f"none up to {self.cells[-1].train_to}"
        return f"from {self.start} on, or less" if self.is_open_below else f"from about {self.start} on"

    @property
    def counts(self) -> str:
        """How many runs work at each training length."""
        return " · ".join(cell.in_short for cell in self.cells)

    def document(self) -> dict[str, Any]:
        """As `longreach ask --json` has it."""
        return {
            "encoding": self.encoding,
            "basis": "measured",
            "tested": self.tested.name,
            "from": self.start,
            "or_less": self.start is not None and self.is_open_below,
            "lengths": [
                {"train_to": cell.train_to, "runs": cell.tally.runs, "work": cell.tally.work}
                for cell in self.cells
            ],
        }
