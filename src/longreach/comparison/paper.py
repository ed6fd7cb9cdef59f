"""The numbers and verdicts of the paper, to stand beside ours. They are read from files, never typed in."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from longreach.comparison.places import Place
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


def published_accuracy(place: Place) -> tuple[float, ...] | None:
    """The published mean accuracies of a cell, from the shortest bin to the longest; None if there are none.

    >>> published_accuracy(Place("sort", "ape", 1e-4)), published_accuracy(Place("sort", "rope"))
    ((1.0, 0.9999, 0.9956), None)
    """
    found = published(place.task)
    if found is None or place.penalty not in PENALIZED:
        return None
    shares = found.accuracy.get(PENALIZED[place.penalty].format(place.encoding), {})
    return tuple(shares.values()) or None


def published_lengths(task: str) -> tuple[str, ...]:
    """The lengths of the published bins of a task, with a star where only the figure's axis says them.

    >>> published_lengths("copy-unique"), published_lengths("tomita-4")
    (('1-50', '51-100', '101-150'), ('1-100', '101-150', '101-150'))
    >>> published_lengths("d-4"), published_lengths("dyck-1")
    (('1-100', '51-100*', '101-150*'), ())
    """
    found = published(task)
    return () if found is None else tuple(each.label for each in found.bins)


def published_row(task: str) -> PublishedRow:
    """What Table 2 or 3 says of a task.

    >>> published_row("d-12").dot_depth, published_row("addition").ac0
    (12, True)
    """
    found = published(task)
    assert found is not None, f"{task} is not in the tables"
    return PublishedRow(found.verdicts["nope"], found.verdicts["ape"], **_tables()[task])
