"""One's own runs of a task, from the results."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from longreach.results.cells import Cell, Spread, cells
from longreach.results.index import Row


@dataclass(frozen=True)
class Measured:
    """The runs of one configuration, whatever their seeds."""

    cell: Cell

    @property
    def encoding(self) -> str:
        return self.cell.encoding

    @property
    def accuracy(self) -> dict[str, Spread]:
        """Over the successful runs, or over all that finished where none was."""
        return self.cell.accuracy

    @property
    def last(self) -> float | None:
        """The mean accuracy at the longest range."""
        found = list(self.accuracy.values())
        return found[-1].mean if found else None

    def document(self) -> dict[str, Any]:
        """With all that a reader needs to judge the numbers."""
        cell = self.cell
        return {
            "encoding": cell.encoding,
            "runs": len(cell.rows),
            "finished": len(cell.finished),
            "successful": len(cell.successful),
            "counted": "successful" if cell.learned else "finished",
            "accuracy": {
                name: {"mean": spread.mean, "low": spread.low, "high": spread.high, "count": spread.count}
                for name, spread in self.accuracy.items()
            },
            "keys": [row.key for row in cell.rows],
            "config": cell.config,
        }


def measured(rows: Iterable[Row], letters: Sequence[str], usual: Sequence[str]) -> tuple[Measured, ...]:
    """The runs over an alphabet, the best of each encoding first; `usual` is that of runs without one."""
    fitting = [row for row in rows if _alphabet(row, usual) == tuple(letters)]
    found = [Measured(cell) for cell in cells(fitting)]
    return tuple(sorted(found, key=lambda each: (each.encoding, not each.cell.learned, -(each.last or 0.0))))


def _alphabet(row: Row, usual: Sequence[str]) -> tuple[Any, ...]:
    given = row.config.get("alphabet")
    return tuple(given if isinstance(given, list) and given else usual)
