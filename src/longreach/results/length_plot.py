"""Accuracy by length with matplotlib: every run a thin line, encodings told apart by colour and dashes.

Colours are those of Okabe and Ito, which people with any kind of colour vision can tell apart.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from longreach.config.encoding_table import ENCODINGS
from longreach.config.length_range import LengthRange, read_name
from longreach.config.task_name import TaskName
from longreach.errors import InputError
from longreach.results.index import Row

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LOOKS: dict[str, tuple[str, str]] = {"ape": ("#0072B2", "-"), "nope": ("#D55E00", "--")}
OTHER_LOOKS = (("#009E73", "-."), ("#CC79A7", ":"), ("#E69F00", "-"), ("#56B4E9", "--"), ("#000000", ":"))
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
    _mark_training(panel, rows)
    panel.set_ylim(-0.05, 1.05)
    panel.set_yticks([0, 0.5, 1], ["0", "50", "100"])
    panel.set_xticks(sorted(ends) if len(ends) <= 6 else [min(ends), max(ends)])
    panel.set_xlabel("longest input of the range")
    handles, labels = panel.get_legend_handles_labels()
    titles = [ENCODINGS[label].title if label in ENCODINGS else label for label in labels]
    panel.legend(handles, titles, fontsize="small", frameon=False)


def _mark_training(panel: Axes, rows: Sequence[Row]) -> None:
    """A line where training ended, if that is the same for all."""
    ends = {tuple(row.config.get("train_lengths") or ()) for row in rows}
    if len(ends) == 1 and len(last := ends.pop()) == 2:
        panel.axvline(last[1], color="#BBBBBB", linewidth=0.8, linestyle=(0, (2, 2)), zorder=0)


def _shares(row: Row) -> list[tuple[LengthRange, float]]:
    found = [(read_name(name), share) for name, share in row.accuracy.items()]
    return [(lengths, share) for lengths, share in found if lengths is not None]


def _look(name: str, encodings: Sequence[str]) -> tuple[Any, Any]:
    others = [each for each in encodings if each not in LOOKS]
    return LOOKS[name] if name in LOOKS else OTHER_LOOKS[others.index(name) % len(OTHER_LOOKS)]
