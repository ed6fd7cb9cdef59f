"""The runs of a results directory for Python: rows, a data frame, a plot."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from longreach import notebook
from longreach.config.length_range import name_order
from longreach.config.task_name import TaskName
from longreach.errors import InputError
from longreach.results.index import Row, read_index
from longreach.results.length_plot import plot_by_length
from longreach.results.table import table_of
from longreach.wording import counted

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SHOWN = 40
"""Runs that a notebook shows."""
NAMED = 6
"""Tasks that one line names."""


@dataclass(frozen=True, eq=False, repr=False)
class CollectedRuns:
    """Some runs, each one once.

    >>> runs = CollectedRuns((Row(key="00", status="done", task="aa", encoding="ape", reached=True),))
    >>> runs
    1 run: aa (ape)
    1 done, 1 of them right on the whole training range
    >>> runs.rows()[0]["task"], len(runs)
    ('aa', 1)
    """

    found: tuple[Row, ...]
    """In order of task, encoding and seed."""

    def __len__(self) -> int:
        return len(self.found)

    def __iter__(self) -> Iterator[Row]:
        return iter(self.found)

    def rows(self) -> list[dict[str, Any]]:
        """One dictionary per run, all with the same names: what is known of it, its numbers, its settings."""
        table = table_of(self.found)
        return [dict(zip(table.columns, record, strict=True)) for record in table.records]

    def to_pandas(self) -> Any:
        """The same as a pandas data frame, where pandas is installed."""
        try:
            pandas = import_module("pandas")
        except ImportError:
            raise InputError(
                "a data frame needs pandas: pip install pandas; rows() has the same as dictionaries"
            ) from None
        table = table_of(self.found)
        return pandas.DataFrame(list(table.records), columns=list(table.columns))

    def plot(self, ax: Axes | None = None) -> Axes | list[Axes]:
        """Accuracy by length: a thin line per run, a colour per encoding, and a panel per task.

        With `ax` everything is drawn there, and the runs must be of one task. Gives the axes drawn on.
        """
        return plot_by_length(self.found, ax)

    @property
    def ranges(self) -> list[str]:
        """The names of all ranges of lengths, the shortest first."""
        return sorted({name for row in self.found for name in row.accuracy}, key=name_order)

    def __repr__(self) -> str:
        count = len(self.found)
        if not count:
            return "no runs"
        encodings: dict[str, dict[str, None]] = {}
        for row in self.found:
            encodings.setdefault(short_name(row), {})[row.encoding or "?"] = None
        named = [f"{task} ({', '.join(each)})" for task, each in encodings.items()]
        more = f", and {len(named) - NAMED} more tasks" if len(named) > NAMED else ""
        done = [row for row in self.found if row.status == "done"]
        learned = sum(bool(row.reached) for row in done)
        return (
            f"{counted(count, 'run')}: {', '.join(named[:NAMED])}{more}\n"
            f"{len(done)} done, {learned} of them right on the whole training range"
        )

    def _repr_html_(self) -> str:
        ranges = self.ranges
        rows = [
            [short_name(row), row.encoding, row.seed, row.status, _learned(row)]
            + [_per_cent(row.accuracy.get(name)) for name in ranges]
            for row in self.found[:SHOWN]
        ]
        more = f"and {len(self.found) - SHOWN} more" if len(self.found) > SHOWN else ""
        head = ["task", "encoding", "seed", "status", "learned", *ranges]
        return notebook.table(head, rows, note=more)


def short_name(row: Row) -> str:
    """A run's task on one line."""
    return "?" if row.task is None else TaskName(TaskName(row.task).short).expression


def _learned(row: Row) -> str:
    return "" if row.reached is None else "yes" if row.reached else "no"


def _per_cent(share: float | None) -> str:
    return "" if share is None else f"{100 * share:.1f} %"


def results(
    runs: str | Path = "runs", *, task: str | None = None, encoding: str | None = None
) -> CollectedRuns:
    """What has been run: all of a results directory, or one task or encoding of it.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as runs:
    ...     results(runs)
    no runs
    """
    with read_index(runs) as index:
        return CollectedRuns(tuple(index.rows(task=task, encoding=encoding)))


def of_keys(runs: str | Path, keys: Iterable[str]) -> CollectedRuns:
    """The runs with these keys, as far as they are there."""
    wanted = set(keys)
    with read_index(runs) as index:
        return CollectedRuns(tuple(row for row in index.rows() if row.key in wanted))
