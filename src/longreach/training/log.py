"""`log.csv` of a run: its evaluations as they come, one on each line."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from longreach.errors import InputError
from longreach.files import read_text, write_atomically

if TYPE_CHECKING:
    from longreach.training.result import Evaluation

LOG = "log.csv"
KINDS = ("accuracy", "accuracy_random_offset", "other")
"""The numbers of an evaluation besides its step and its loss."""


def numbers_of(row: Evaluation) -> dict[str, Any]:
    """The numbers of an evaluation by the names that tables have for them.

    >>> from longreach.training.result import Evaluation
    >>> numbers_of(Evaluation(step=5, loss=0.5, accuracy={"1-50": 1.0}))
    {'step': 5, 'loss': 0.5, 'accuracy 1-50': 1.0}
    """
    found: dict[str, Any] = {"step": row.step, "loss": row.loss}
    for kind in KINDS:
        found |= {f"{kind} {label}": value for label, value in getattr(row, kind).items()}
    return found


def log_text(records: Iterable[dict[str, Any]]) -> str:
    """Evaluations as CSV; a number that one of them lacks is empty.

    >>> print(log_text([{"step": 1, "loss": 0.5}, {"step": 2, "loss": None, "accuracy 1-5": 1.0}]), end="")
    step,loss,accuracy 1-5
    1,0.5,
    2,,1.0
    """
    known = list(records)
    names = dict.fromkeys(name for record in known for name in record)
    stream = io.StringIO()
    writer = csv.DictWriter(stream, list(names), restval="", lineterminator="\n")
    writer.writeheader()
    writer.writerows(known)
    return stream.getvalue()


def write_log(directory: Path, rows: Sequence[Evaluation]) -> None:
    """All evaluations of a run that has ended."""
    if rows:
        write_atomically(directory / LOG, log_text(map(numbers_of, rows)).encode(), flush=False)


class Log:
    """The evaluations of a run on its way; one that is resumed keeps those from before."""

    def __init__(self, directory: Path) -> None:
        self._path = directory / LOG
        self._records: list[dict[str, Any]] = []
        try:
            found = list(csv.DictReader(io.StringIO(read_text(self._path))))
            self._records = [each for each in found if each["step"].isdecimal() and None not in each]
        except (InputError, KeyError, AttributeError, csv.Error):  # none, or not ours
            self._records = []

    def add(self, row: Evaluation) -> None:
        """Behind earlier ones: steps that are taken again are evaluated again."""
        self._records = [each for each in self._records if int(each["step"]) < row.step]
        self._records.append(numbers_of(row))

    def write(self) -> None:
        """Whole, or not at all."""
        if self._records:
            write_atomically(self._path, log_text(self._records).encode(), flush=False)
