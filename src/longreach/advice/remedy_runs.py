"""What the results already have of a remedy: runs of any setting, counted."""

from __future__ import annotations

from pathlib import Path

from longreach.advice.remedy import Remedy
from longreach.comparison.tally import Tally
from longreach.config.length_range import LengthRange, name_order, read_name
from longreach.results.cells import cells
from longreach.results.index import read_index


def known_runs(remedy: Remedy, runs: Path | None, chance: float) -> str | None:
    """How many runs of a remedy work on their longest inputs, of the setting that works best; None: none.

    >>> from longreach.advice.task_to_remedies import remedies
    >>> from longreach.forecast import forecast
    >>> known_runs(remedies(forecast("parity"))[0], None, 0.0) is None
    True
    """
    if runs is None or not runs.is_dir():
        return None
    with read_index(runs) as index:
        found = cells(index.rows(task=remedy.task, encoding=remedy.label, status="done"))
    best: tuple[Tally, LengthRange] | None = None
    for cell in found:
        names = sorted({name for row in cell.rows for name in row.accuracy}, key=name_order)
        longest = read_name(names[-1]) if names else None
        if longest is None:
            continue
        tally = Tally.of(cell.rows, longest, chance)
        if tally.runs and (best is None or _share(tally) > _share(best[0])):
            best = tally, longest
    return None if best is None else f"{best[0].words} at {best[1].words}"


def _share(tally: Tally) -> tuple[float, int]:
    return tally.work / tally.runs, tally.runs
