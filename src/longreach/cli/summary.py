"""What several members of one configuration come to, beside the forecast."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from longreach.cli.output import console
from longreach.errors import InputError
from longreach.results.cells import Cell, cells
from longreach.results.index import open_index

if TYPE_CHECKING:
    from longreach.results.schema import Result

BRACKETS = "in brackets at random offsets"


def cell_of(results: Sequence[Result], runs: Path) -> Cell | None:
    """The cell of these results; None if there are none or they differ in more than their seeds."""
    keys = {each.key for each in results}
    with open_index(runs) as index:
        found = cells(row for row in index.rows() if row.key in keys)
    return found[0] if len(found) == 1 else None


def forecast_of(cell: Cell) -> str | None:
    """The forecast for what the cell trains, where theory has one for its encoding."""
    from longreach.forecast import forecast

    if cell.encoding not in ("ape", "nope"):
        return None
    try:
        found = forecast(cell.task, cell.config.get("alphabet"))
    except InputError:  # such as a task in a module that is gone
        return None
    return found.sides[cell.encoding].trained.value


def summary(cell: Cell) -> dict[str, Any]:
    """As a document: how many succeeded of all, mean and spread of those, and the forecast."""
    return {
        "runs": len(cell.rows),
        "finished": len(cell.finished),
        "reached": len(cell.successful),
        "success": cell.success,
        "counted": "successful" if cell.learned else "finished",
        "accuracy": {name: asdict(spread) for name, spread in cell.accuracy.items()},
        "accuracy_random_offset": {
            name: asdict(spread) for name, spread in cell.accuracy_random_offset.items()
        },
        "forecast": forecast_of(cell),
    }


def print_summary(cell: Cell) -> None:
    """The same in three lines."""
    found = summary(cell)
    of = "those" if cell.learned else "all that finished"
    shifted = cell.accuracy_random_offset
    means = "  ".join(
        f"{name} {100 * spread['mean']:.2f} ± {100 * spread['deviation']:.2f} %"
        + (f" ({100 * shifted[name].mean:.2f} %)" if name in shifted else "")
        for name, spread in found["accuracy"].items()
    )
    out = console()
    out.print()
    reached = f"{found['reached']} of {found['runs']} are right on the whole training range"
    out.print(f"{reached}; mean of {of}: {means}" if means else reached, markup=False, highlight=False)
    verdict = found["forecast"] or "none for this encoding"
    out.print(f"forecast: {verdict} (longreach forecast says why)", markup=False, highlight=False)
