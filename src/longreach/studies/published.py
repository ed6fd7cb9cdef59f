"""The numbers and verdicts of the paper, to stand beside ours. They are read from a file, never typed in."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from longreach.studies.places import Place


@dataclass(frozen=True)
class PublishedRow:
    """A row of Table 2 or 3 of Huang et al., arXiv 2410.02140."""

    nope: str
    ape: str
    ac0: bool
    star_free: bool | None = None
    dot_depth: int | None = None


@cache
def _content() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(Path(__file__).with_name("published.json").read_text(encoding="utf-8"))
    return found


def published_bins() -> tuple[str, ...]:
    """The ranges of lengths of the published numbers.

    >>> published_bins()
    ('1-50', '51-100', '101-150')
    """
    return tuple(_content()["bins"])


def published_accuracy(place: Place) -> tuple[float, ...] | None:
    """The published mean accuracies at lengths up to 50, 51–100 and 101–150, if there are any.

    >>> published_accuracy(Place("copy-unique", "ape")), published_accuracy(Place("sort", "rope"))
    ((1.0, 0.999, 0.987), None)
    """
    table = _content()["accuracy"].get(place.encoding, {})
    if place.penalty:
        table = (
            _content()["accuracy_penalty"].get(f"{place.penalty:g}", {}) if place.encoding == "ape" else {}
        )
    found = table.get(place.task)
    return None if found is None else tuple(found)


def published_row(task: str) -> PublishedRow:
    """What Table 2 or 3 says of a task.

    >>> published_row("d-12").dot_depth, published_row("addition").ac0
    (12, True)
    """
    content = _content()
    return PublishedRow(**(content["table3"].get(task) or content["table2"][task]))
