"""The runs of a results directory for Python: rows, a data frame, a plot of accuracy by length.

Colours are those of Okabe and Ito, which people with any kind of colour vision can tell apart.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from longreach.config.model import CellLabel
from longreach.errors import InputError
from longreach.figures import BLACK, BLUE, GREEN, ORANGE, PURPLE, RED, SKY, accuracy_axis
from longreach.runs.index import Row, read_index
from longreach.runs.table import table_of
from longreach.tasks.lengths import LengthRange, name_order, read_name
from longreach.theory.names import TaskName
from longreach.wording import Table, counted, percent

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LOOKS: dict[str, tuple[str, str]] = {"ape": (BLUE, "-"), "nope": (RED, "--")}
OTHER_LOOKS = ((GREEN, "-."), (PURPLE, ":"), (ORANGE, "-"), (SKY, "--"), (BLACK, ":"))
COLUMNS = 4
SHIFT = 0.006
"""How far encodings stand apart, so that lines at 100 % do not hide each other."""


def plot_by_length(rows: Iterable[Row], ax: Axes | None = None) -> Axes | list[Axes]:
    """A panel per task; where there is one task, its axes, which may be given."""
    tasks: dict[str, list[Row]] = {}
    for row in rows:
        if row.accuracy:
            tasks.setdefault(row.task or "?", []).append(row)
    if not tasks:
        raise InputError("there is nothing to plot: no run has been measured")
    if ax is not None and len(tasks) > 1:
        raise InputError(f"one plot shows one task, and the runs are of {len(tasks)}: choose with task=")
    if ax is None:
        import matplotlib.pyplot as plt

        columns = min(COLUMNS, len(tasks))
        lines = math.ceil(len(tasks) / columns)
        size = (max(5.0, 3.4 * columns), 3.4 if lines == 1 else 2.8 * lines)
        _, grid = plt.subplots(lines, columns, squeeze=False, sharey=True, figsize=size, layout="constrained")
        panels: list[Axes] = list(grid.flat)
        for spare in panels[len(tasks) :]:
            spare.axis("off")
        panels = panels[: len(tasks)]
    else:
        panels = [ax]
    for number, (panel, (task, found)) in enumerate(zip(panels, tasks.items(), strict=True)):
        _draw(panel, found)
        panel.set_ylabel("" if number % COLUMNS else "accuracy, %")
        panel.set_title(TaskName(TaskName(task).short).expression)
    return panels[0] if len(panels) == 1 else panels


def _draw(panel: Axes, rows: Sequence[Row]) -> None:
    encodings = list(dict.fromkeys(row.encoding or "?" for row in rows))
    ends: set[int] = set()
    for row in rows:
        name = row.encoding or "?"
        place = encodings.index(name)
        points = sorted((lengths, share) for lengths, share in _shares(row) if not math.isnan(share))
        ends |= {lengths.last for lengths, _ in points}
        colour, dashes = _look(name, encodings)
        panel.plot(
            [lengths.last for lengths, _ in points],
            [share - SHIFT * place for _, share in points],
            color=colour, linestyle=dashes, linewidth=1.0, alpha=0.85, marker="o", markersize=3.5,
            # Hollow: the training range was not learned.
            markerfacecolor="white" if row.reached is False else colour,
            label=None if name in {line.get_label() for line in panel.lines} else name,
        )  # fmt: skip
    accuracy_axis(panel, trained_to=_trained_to(rows))
    panel.set_xticks(sorted(ends) if len(ends) <= 6 else [min(ends), max(ends)])
    panel.set_xlabel("longest input of the range")
    handles, labels = panel.get_legend_handles_labels()
    titles = [CellLabel.read(label).title for label in labels]
    panel.legend(handles, titles, fontsize="small", frameon=False)


def _trained_to(rows: Sequence[Row]) -> int | None:
    """Where training ended, if that is the same for all."""
    ends = {tuple(row.config.get("train_lengths") or ()) for row in rows}
    (only,) = ends if len(ends) == 1 else [()]
    return int(only[1]) if len(only) == 2 else None


def _shares(row: Row) -> list[tuple[LengthRange, float]]:
    found = [(read_name(name), share) for name, share in row.accuracy.items()]
    return [(lengths, share) for lengths, share in found if lengths is not None]


def _look(name: str, encodings: Sequence[str]) -> tuple[Any, Any]:
    others = [each for each in encodings if each not in LOOKS]
    return LOOKS[name] if name in LOOKS else OTHER_LOOKS[others.index(name) % len(OTHER_LOOKS)]


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
            [short_name(row), row.encoding, row.seed, row.status, learned_word(row)]
            + [percent(row.accuracy.get(name)) for name in ranges]
            for row in self.found[:SHOWN]
        ]
        more = f"and {len(self.found) - SHOWN} more" if len(self.found) > SHOWN else ""
        head = ["task", "encoding", "seed", "status", "learned", *ranges]
        return Table(head, rows, note=more).html()


def short_name(row: Row) -> str:
    """A run's task on one line."""
    return "?" if row.task is None else TaskName(TaskName(row.task).short).expression


def learned_word(row: Row) -> str:
    return "" if row.reached is None else "yes" if row.reached else "no"


def results(
    runs: str | Path = "runs", *, task: str | None = None, encoding: str | None = None
) -> CollectedRuns:
    """The runs of a results directory, or those of one task or encoding.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as runs:
    ...     results(runs)
    no runs
    """
    with read_index(runs) as index:
        return CollectedRuns(tuple(index.rows(task=task, encoding=encoding)))
