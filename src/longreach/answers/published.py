"""The published accuracies and verdicts (Huang et al., arXiv 2410.02140, Figure 1 and Tables 2 and 3)."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal, TypeAlias

FIGURE_1_TASKS = (
    "binary-majority", "binary-majority-interleave", "majority", "sort", "copy-unique", "copy-repeat",
    "parity", "addition",
    "d-2", "d-3", "d-4", "d-12", "tomita-1", "tomita-2", "tomita-3", "tomita-4", "tomita-5", "tomita-6",
    "tomita-7", "aa-bb-cc-dd-ee", "ab-d-bc", "012-0-2", "aa", "aaaa", "abab",
)  # fmt: skip
"""The tasks of Figure 1 in its order: algorithmic ones, then regular languages."""


Basis: TypeAlias = Literal["text", "files", "axis"]


@dataclass(frozen=True)
class PublishedBin:
    """The lengths behind one published number.

    >>> PublishedBin("501-700", "files").label, PublishedBin("51-100", "axis").label
    ('501-700', '51-100*')
    """

    lengths: str
    """As in "51-100"; a first length of 1 stands for the least of the task."""
    basis: Basis
    """Where they stand: in the paper's text, in the authors' files, or only on the axis of the figure."""

    @property
    def label(self) -> str:
        """The lengths, with a star where only the axis of the figure says them."""
        return f"{self.lengths}*" if self.basis == "axis" else self.lengths


@dataclass(frozen=True)
class Published:
    """What the paper says of one task."""

    source: str
    about: str
    accuracy: dict[str, dict[str, float]]
    """By encoding, then by bin, named as on the axis: fractions; empty where the figure lacks the task."""
    verdicts: dict[str, str]
    """By encoding: yes, no, or "none found"."""
    bins: tuple[PublishedBin, ...] = ()
    """The lengths that the bins really have, as far as they are known."""

    @property
    def lengths_note(self) -> str:
        """What is to be said about the lengths; empty where they are those of the text."""
        bases = {each.basis for each in self.bins}
        notes = {"files": "lengths of the authors' files", "axis": "* axis of the figure"}
        return "; ".join(note for basis, note in notes.items() if basis in bases)


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
    return Published(
        content["source"], content["about"], accuracy, content["verdicts"][task], _bins(content, task)
    )


def _bins(content: dict[str, Any], task: str) -> tuple[PublishedBin, ...]:
    """What the files have, else what the text says of the tasks that are drawn, else the figure's axis."""
    # Only the algorithmic tasks are drawn by a script, at the lengths of the text.
    usual: Basis = "text" if task in content["accuracy"]["ape-regularized"] else "axis"
    found = content["files"]["ranges"].get(task) or [None] * len(content["ranges"])
    return tuple(
        PublishedBin(axis, usual) if known is None else PublishedBin(known, "files")
        for axis, known in zip(content["ranges"], found, strict=True)
    )


@cache
def _content() -> dict[str, Any]:
    content: dict[str, Any] = json.loads(
        Path(__file__).with_name("published.json").read_text(encoding="utf-8")
    )
    return content
