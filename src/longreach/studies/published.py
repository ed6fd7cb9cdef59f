"""The numbers and verdicts of the paper, to stand beside ours. They are read from files, never typed in."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from longreach.studies.places import Place
from longreach.tasks.published import published

PENALIZED = {0.0: "{}", 1e-4: "{}-regularized"}
"""How the published numbers with a penalty are called, by its coefficient."""


@dataclass(frozen=True)
class PublishedRow:
    """A row of Table 2 or 3 of Huang et al., arXiv 2410.02140."""

    nope: str
    ape: str
    ac0: bool
    star_free: bool | None = None
    dot_depth: int | None = None


@cache
def _tables() -> dict[str, Any]:
    content = json.loads(Path(__file__).with_name("tables.json").read_text(encoding="utf-8"))
    found: dict[str, Any] = content["tasks"]
    return found


def published_ranges(place: Place) -> dict[str, float]:
    """The published mean accuracies of a cell by range of lengths; empty if there are none.

    >>> published_ranges(Place("copy-unique", "ape"))
    {'1-50': 1.0, '51-100': 0.999, '101-150': 0.987}
    """
    found = published(place.task)
    if found is None or place.penalty not in PENALIZED:
        return {}
    return found.accuracy.get(PENALIZED[place.penalty].format(place.encoding), {})


def published_accuracy(place: Place) -> tuple[float, ...] | None:
    """The same without the ranges, from the shortest to the longest; None if there are none.

    >>> published_accuracy(Place("sort", "ape", 1e-4)), published_accuracy(Place("sort", "rope"))
    ((1.0, 0.9999, 0.9956), None)
    """
    return tuple(published_ranges(place).values()) or None


def published_row(task: str) -> PublishedRow:
    """What Table 2 or 3 says of a task.

    >>> published_row("d-12").dot_depth, published_row("addition").ac0
    (12, True)
    """
    found = published(task)
    assert found is not None, f"{task} is not in the tables"
    return PublishedRow(found.verdicts["nope"], found.verdicts["ape"], **_tables()[task])
