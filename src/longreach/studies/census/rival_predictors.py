"""What else might tell which languages work: the verdict beside its rivals, each as one number for a cell.

Higher means that it is more likely to work. None: not known for this language.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from longreach.studies.census.census_cell import Cell

_DEPTHS = {"0": 0.0, "1": -1.0, "2": -2.0, "≥ 2": -3.0}
_NO_PROGRAM = -20.0
"""Below every program: the logarithm of a size never comes near."""


def _star_free(cell: Cell) -> float | None:
    found = cell.language.star_free
    return None if found is None else float(found)


def _dot_depth(cell: Cell) -> float | None:
    """Lower classes first; languages that are not star-free come last, as they have none."""
    if cell.language.star_free is False:
        return min(_DEPTHS.values()) - 1
    return _DEPTHS.get(cell.language.dot_depth or "")


def _size(cell: Cell) -> float | None:
    side = cell.language.sides[cell.encoding]
    if side.verdict != "yes":
        return _NO_PROGRAM
    return None if side.size is None else -math.log2(side.size)


def _depth(cell: Cell) -> float | None:
    side = cell.language.sides[cell.encoding]
    if side.verdict != "yes":
        return _NO_PROGRAM
    return None if side.depth is None else -float(side.depth)


PREDICTORS: dict[str, Callable[[Cell], float | None]] = {
    "verdict": lambda cell: float(cell.says_yes),
    "star-free": _star_free,
    "dot-depth": _dot_depth,
    "few states": lambda cell: -float(cell.language.states),
    "small program": _size,
    "shallow program": _depth,
    "window enough": lambda cell: cell.case.by_window,
    "seen in training": lambda cell: cell.case.seen(16),
}
"""By name. The last two are determinacy: of eight letters at the test length, and of what training shows."""
