"""The published accuracies and verdicts (Huang et al., arXiv 2410.02140, Figure 1 and Tables 2 and 3)."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

FIGURE_1_TASKS = (
    "binary-majority", "binary-majority-interleave", "majority", "sort", "copy-unique", "copy-repeat",
    "parity", "addition",
    "d-2", "d-3", "d-4", "d-12", "tomita-1", "tomita-2", "tomita-3", "tomita-4", "tomita-5", "tomita-6",
    "tomita-7", "aa-bb-cc-dd-ee", "ab-d-bc", "012-0-2", "aa", "aaaa", "abab",
)  # fmt: skip
"""The tasks of Figure 1 in its order: algorithmic ones, then regular languages."""


@dataclass(frozen=True)
class Published:
    """What the paper says of one task."""

    source: str
    about: str
    """What the accuracies are."""
    accuracy: dict[str, dict[str, float]]
    """By encoding, then by range of lengths: fractions; empty where the figure does not have the task."""
    verdicts: dict[str, str]
    """By encoding: yes, no, or "none found"."""


def published(task: str) -> Published | None:
    """What the paper says of a task, by its name on the command line; None if it is not there.

    >>> found = published("copy-unique")
    >>> found.verdicts, found.accuracy["nope"]
    ({'nope': 'no', 'ape': 'yes'}, {'1-50': 1.0, '51-100': 0.18, '101-150': 0.0})
    """
    content = _content()
    if task not in content["verdicts"]:
        return None
    accuracy = {
        encoding: dict(zip(content["ranges"], tasks[task], strict=True))
        for encoding, tasks in content["accuracy"].items()
        if task in tasks
    }
    return Published(content["source"], content["about"], accuracy, content["verdicts"][task])


@cache
def _content() -> dict[str, Any]:
    content: dict[str, Any] = json.loads(
        Path(__file__).with_name("published.json").read_text(encoding="utf-8")
    )
    return content
