"""From which training length on runs work, as far as it was measured."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from longreach.answer.threshold_rule import start_of
from longreach.comparison.measured_cell import MeasuredCell
from longreach.config.length_range import LengthRange


@dataclass(frozen=True, kw_only=True)
class Threshold:
    """Runs of one encoding at several training lengths."""

    encoding: str
    cells: tuple[MeasuredCell, ...]
    """With finished runs, by training length."""
    least: int | None = None
    """The shortest length that a task can be trained to, where that is known."""

    @classmethod
    def of(cls, first: Sequence[MeasuredCell], others: Sequence[MeasuredCell]) -> Threshold | None:
        """From the first training length and the others; None where no other was measured."""
        measured = [cell for cell in others if cell.tally.runs]
        if not measured:
            return None
        own = [cell for cell in first if cell.encoding == measured[0].encoding]
        return cls.of_cells([*own, *measured])

    @classmethod
    def of_cells(cls, cells: Sequence[MeasuredCell], least: int | None = None) -> Threshold | None:
        """From cells of one encoding, in any order; None where no run has finished."""
        measured = sorted((cell for cell in cells if cell.tally.runs), key=lambda cell: cell.train_to)
        if not measured:
            return None
        return cls(encoding=measured[0].encoding, cells=tuple(measured), least=least)

    @cached_property
    def _works(self) -> dict[int, bool]:
        return {cell.train_to: bool(cell.tally.works) for cell in self.cells}

    @property
    def start(self) -> int | None:
        """The least training length from which on at least half of the runs work; None if none."""
        return start_of(self._works)

    @property
    def worked_below(self) -> tuple[int, ...]:
        """Shorter training lengths that work, though a longer one does not."""
        start = self.start
        return tuple(
            length for length, works in self._works.items() if works and (start is None or length < start)
        )

    @property
    def failed_below(self) -> int | None:
        """The longest training length that does not work; None if all do."""
        return max((length for length, works in self._works.items() if not works), default=None)

    @property
    def is_open_below(self) -> bool:
        """Whether the least training length that was tried works already, and shorter ones are possible."""
        return self.start == self.cells[0].train_to and self.start != self.least

    @property
    def is_exact(self) -> bool:
        """Whether the length just below was tried and does not work, or there is none."""
        return self.start is not None and (self.failed_below == self.start - 1 or self.start == self.least)

    @property
    def tested(self) -> LengthRange | None:
        """The lengths that all runs were tested on; None where they differ."""
        found = {cell.tested for cell in self.cells}
        return found.pop() if len(found) == 1 else None

    @property
    def words(self) -> str:
        """The answer in a few words."""
        if self.start is None:
            return f"none up to {self.cells[-1].train_to}"
        if self.is_open_below:
            return f"from {self.start} on, or less"
        if self.start == self.least:
            return f"from {self.start} on, the shortest possible"
        return f"from {'' if self.is_exact else 'about '}{self.start} on"

    @property
    def remark(self) -> str:
        """What does not fit "from some length on"; empty where everything does."""
        if not self.worked_below:
            return ""
        lengths = ", ".join(map(str, self.worked_below))
        verb = "works" if len(self.worked_below) == 1 else "work"
        return f"not monotone: {lengths} {verb}, {self.failed_below} does not"

    @property
    def counts(self) -> str:
        """How many runs work at each training length."""
        return " · ".join(cell.in_short for cell in self.cells)

    def document(self) -> dict[str, Any]:
        """As `longreach ask --json` has it."""
        return {
            "encoding": self.encoding,
            "basis": "measured",
            "tested": None if self.tested is None else self.tested.name,
            "from": self.start,
            "or_less": self.start is not None and self.is_open_below,
            "worked_below": list(self.worked_below),
            "lengths": [
                {"train_to": cell.train_to, "runs": cell.tally.runs, "work": cell.tally.work}
                for cell in self.cells
            ],
        }
