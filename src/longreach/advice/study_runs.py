"""What `longreach study advice` found of tasks and their changes at the laptop scale, with the package."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any

from longreach.advice.advice_words import shares_words
from longreach.config.cell_label import encoding_label
from longreach.wording import counted

KEPT = Path(__file__).with_name("study_runs.json")
"""Written by `python tools/advice_study_runs.py` from the study's own document."""


@dataclass(frozen=True, kw_only=True)
class StudyRuns:
    """The runs of one task under one encoding, at the longest length that was tested."""

    task: str
    encoding: str
    train_to: int
    length: int
    accuracy: tuple[float, ...]
    """Of each run the share of whole inputs that are right."""

    @property
    def words(self) -> str:
        """One clause.

        >>> StudyRuns(task="a", encoding="ape", train_to=12, length=36, accuracy=(1.0, 1.0, 0.5)).words
        'longreach study advice: right on 50.0–100.0 % at length 36, trained to 12 (3 runs)'
        """
        runs = counted(len(self.accuracy), "run")
        share = shares_words((min(self.accuracy), max(self.accuracy)))
        lengths = f"at length {self.length}, trained to {self.train_to}"
        return f"longreach study advice: right on {share} {lengths} ({runs})"

    def document(self) -> dict[str, Any]:
        """As JSON has it, beside the remedy's task and encoding."""
        return {"train_to": self.train_to, "length": self.length, "accuracy": list(self.accuracy)}


def study_runs(task: str, encoding: str) -> StudyRuns | None:
    """What the study has of a task, by its stored name; None: it was not tried.

    >>> study_runs("sort", "nope") is None
    True
    """
    return _kept().get((task, encoding))


def runs_of_study(document: Mapping[str, Any]) -> list[StudyRuns]:
    """What is kept of the study's JSON document: the last length of each curve."""
    found = []
    for curve in document["curves"]:
        last = curve["points"][-1]["length"]
        found.append(
            StudyRuns(
                task=curve["task"],
                encoding=encoding_label(curve["config"]["encoding"], curve["config"]),
                train_to=curve["train_lengths"][1],
                length=last,
                accuracy=tuple(round(run["accuracy"][str(last)], 4) for run in curve["runs"]),
            )
        )
    return found


def kept_text(runs: list[StudyRuns]) -> str:
    """The file, a line for each."""
    lines = ",\n".join(json.dumps(asdict(each), ensure_ascii=False) for each in runs)
    return f"[\n{lines}\n]\n"


@cache
def _kept() -> dict[tuple[str, str], StudyRuns]:
    rows = json.loads(KEPT.read_text(encoding="utf-8"))
    found = [StudyRuns(**{**row, "accuracy": tuple(row["accuracy"])}) for row in rows]
    return {(each.task, each.encoding): each for each in found}
