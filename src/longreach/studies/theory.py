"""Tables of theory: what we compute for each task, and what the paper says where that differs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from longreach.comparison.cell_forecast import verdict_of
from longreach.comparison.paper import PublishedRow, published_row
from longreach.studies.markdown_table import markdown_table

SAME = {("undecided", "none found")}
"""Our word and the paper's for the same answer."""


@dataclass(frozen=True)
class Entry:
    """One answer, ours and the paper's.

    >>> str(Entry("yes", "yes")), str(Entry("yes", "no")), Entry("undecided", "none found").agrees
    ('yes', 'yes (paper: no)', True)
    """

    ours: str
    published: str | None = None
    """None: the paper has no such column."""

    @property
    def agrees(self) -> bool:
        """Whether both say the same, or the paper says nothing."""
        return self.published in (None, self.ours) or (self.ours, self.published) in SAME

    def __str__(self) -> str:
        return self.ours if self.agrees else f"{self.ours} (paper: {self.published})"


@dataclass(frozen=True)
class TheoryTable:
    """Rows of entries under named columns."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, str, dict[str, Entry]], ...]
    """The number in the paper, the task, and its entries by column."""

    @property
    def disagreeing(self) -> list[tuple[str, str]]:
        """Task and column of each entry in which the paper says something else."""
        return [
            (task, column)
            for _, task, entries in self.rows
            for column, entry in entries.items()
            if not entry.agrees
        ]

    def markdown(self) -> str:
        """The table for people; what the paper says stands there only where it differs."""
        rows = [
            (str(number), task, *(str(entries[name]) for name in self.columns))
            for number, task, entries in self.rows
        ]
        lines = markdown_table(("#", "task", *self.columns), rows)
        entries_with = sum(
            entry.published is not None for *_, entries in self.rows for entry in entries.values()
        )
        agree = entries_with - len(self.disagreeing)
        return "\n".join([*lines, "", f"{agree} of {entries_with} entries as in the paper.", ""])

    def document(self) -> dict[str, Any]:
        """The table as JSON has it."""
        return {
            "title": self.title,
            "rows": [
                {
                    "number": number,
                    "task": task,
                    "entries": {
                        name: {"ours": entry.ours, "published": entry.published, "agrees": entry.agrees}
                        for name, entry in entries.items()
                    },
                }
                for number, task, entries in self.rows
            ],
            "disagreeing": [{"task": task, "column": column} for task, column in self.disagreeing],
        }


def verdict_entries(task: str, row: PublishedRow) -> dict[str, Entry]:
    """The two columns that both tables have."""
    return {
        "C-RASP[∅]": Entry(verdict_of(task, "nope"), row.nope),
        "C-RASP[periodic, local]": Entry(verdict_of(task, "ape"), row.ape),
    }


def yes_or_no(value: bool | None) -> str:
    """How tables write a truth value; None is beyond the cap of a computation.

    >>> yes_or_no(True), yes_or_no(None)
    ('yes', 'unknown')
    """
    return "unknown" if value is None else "yes" if value else "no"


def rows_of(tasks: Sequence[str]) -> list[tuple[str, PublishedRow]]:
    """The tasks with what the paper says of them."""
    return [(task, published_row(task)) for task in tasks]
