"""Panels of accuracy by range of lengths: our runs in front, the paper's numbers faintly behind."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any, TypeAlias

from longreach.answers.agreement import level, published_lengths
from longreach.figures import BLUE, GREEN, GREY, PALE, RED, accuracy_axis
from longreach.studies.cells import Outcome
from longreach.tasks.catalog import load_task
from longreach.tasks.lengths import read_name

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

    Part: TypeAlias = Figure | SubFigure


@dataclass(frozen=True)
class Look:
    """How a kind of cell is drawn, and what the legend calls it."""

    colour: str
    marker: str
    name: str


LINES = {"ape": "-", "nope": ":"}
LINE_NAMES = {"ape": "APE", "nope": "NoPE"}
LIGHT = 0.3  # how opaque the paper's numbers are
AXIS = ("1-50", "51-100", "101-150")
ON_AXIS = ("1-50*", "51-100*", "101-150*")
SHIFT = 0.06  # so that lines at 100 % do not hide each other

Looks: TypeAlias = Callable[[Outcome], Look]

FORECAST_LOOKS: dict[str | None, Look] = {
    "yes": Look(GREEN, "o", "a program exists"),
    "no": Look(RED, "X", "none exists"),
    "undecided": Look(GREY, "D", "none found"),
    None: Look(BLUE, "s", "no forecast"),
}


BASELINE_LOOK = Look(GREY, "", "baseline: the current token alone")


def by_forecast(outcome: Outcome) -> Look:
    """Green circles: a program exists. Red crosses: none does. Grey diamonds: none has been found."""
    return BASELINE_LOOK if outcome.place.is_baseline else FORECAST_LOOKS[outcome.forecast]


def line_style(outcome: Outcome) -> str:
    """Solid for learned absolute positions, dotted without positions, as in the paper; dashed baselines."""
    return "--" if outcome.place.is_baseline else LINES.get(outcome.place.encoding, "-")


def titled(title: str, size: tuple[float, float], fontsize: float = 10) -> Figure:
    """An empty figure under a title."""
    from matplotlib.figure import Figure

    drawn = Figure(figsize=size, layout="constrained")
    drawn.suptitle(title, fontsize=fontsize)
    return drawn


def empty(axis: Axes, text: str, fontsize: float = 7) -> None:
    """Say in the middle of a panel why nothing is drawn there."""
    axis.text(0.5, 0.5, text, transform=axis.transAxes, ha="center", fontsize=fontsize, color=GREY)


def grouped(found: Iterable[Outcome]) -> dict[str, list[Outcome]]:
    """The cells of each task, in order."""
    tasks: dict[str, list[Outcome]] = {}
    for outcome in found:
        tasks.setdefault(outcome.place.task, []).append(outcome)
    return tasks


def panel(
    axis: Axes,
    cells: Sequence[Outcome],
    title: str,
    looks: Looks = by_forecast,
    styles: Callable[[Outcome], str] = line_style,
) -> None:
    """One task: a line per cell with the range of its runs, hollow where no run was learned.

    Where runs do opposite things, each has a line of its own.
    """
    task = cells[0].place.task
    chance = load_task(task).chance
    accuracy_axis(axis, chance=chance, level=level(task))
    middle = (len(cells) - 1) / 2
    for place, cell in enumerate(cells):
        look, style = looks(cell), styles(cell)
        places = [number + (place - middle) * SHIFT for number in range(len(cell.ranges))]
        if cell.published is not None:
            axis.plot(
                places,
                cell.published,
                color=look.colour,
                linestyle=style,
                linewidth=3.2,
                alpha=LIGHT,
                zorder=1,
            )
        if _is_mixed(cell):
            _draw_runs(axis, cell, places, look, style)
            continue
        known = [(at, spread) for at, spread in zip(places, cell.accuracy, strict=True) if spread]
        if not known:
            continue
        at = [number for number, _ in known]
        mean = [spread.mean for _, spread in known]
        below = [max(0.0, spread.mean - spread.low) for _, spread in known]
        above = [max(0.0, spread.high - spread.mean) for _, spread in known]
        axis.errorbar(
            at, mean, yerr=(below, above), color=look.colour, linestyle=style, linewidth=1.3, elinewidth=0.8,
            capsize=1.5, marker=look.marker, markersize=4.2, markeredgewidth=0.9,
            markerfacecolor=look.colour if cell.cell.learned else "white", zorder=3,
        )  # fmt: skip
    if any(cell.published for cell in cells) and published_lengths(task) not in (AXIS, ON_AXIS):
        theirs = " · ".join(dict.fromkeys(published_lengths(task))).replace("-", "–")
        axis.text(0.03, 0.11, f"paper: {theirs}", transform=axis.transAxes, fontsize=4.8, color=GREY)
    if not any(cell.cell.rows for cell in cells):
        empty(axis, "not run")
    axis.set_title(title, fontsize=7.5, pad=3)
    axis.set_xlim(-0.3, len(cells[0].ranges) - 0.7)
    axis.set_xticks(range(len(cells[0].ranges)), [str(number + 1) for number in range(len(cells[0].ranges))])
    axis.tick_params(labelsize=6.5, length=2, pad=1.5)


def _is_mixed(cell: Outcome) -> bool:
    """Whether on some range some runs work and others do not."""
    return any(tally.is_mixed for tally in cell.tallies)


def _draw_runs(axis: Axes, cell: Outcome, places: Sequence[float], look: Look, style: str) -> None:
    """Each run as its own thin line: a mean would lie where no run is."""
    for row in cell.cell.finished:
        axis.plot(
            places, [row.accuracy.get(name, float("nan")) for name in cell.ranges],
            color=look.colour, linestyle=style, linewidth=0.8, marker=look.marker, markersize=3.2,
            markeredgewidth=0.7, markerfacecolor=look.colour if row.reached else "white", zorder=3,
        )  # fmt: skip


def grid(
    part: Part,
    tasks: Mapping[str, Sequence[Outcome]],
    columns: int,
    titles: Mapping[str, str],
    looks: Looks = by_forecast,
    styles: Callable[[Outcome], str] = line_style,
) -> None:
    """A panel per task, row by row; the places that are left over stay empty."""
    rows = max(1, -(-len(tasks) // columns))
    axes = part.subplots(rows, columns, squeeze=False, sharex=False, sharey=True)
    for axis in axes.flat[len(tasks) :]:
        axis.axis("off")
    for axis, (task, cells) in zip(axes.flat, tasks.items(), strict=False):
        panel(axis, cells, titles[task] + _other_lengths(cells, tasks), looks, styles)
    for row in axes:
        row[0].set_ylabel("accuracy, %", fontsize=7)


def _usual(tasks: Mapping[str, Sequence[Outcome]]) -> tuple[int, ...]:
    """The last lengths of the ranges that most tasks have."""
    found = [_lasts(cells[0].ranges) for cells in tasks.values()]
    return max(dict.fromkeys(found), key=found.count)


def _lasts(names: Iterable[str]) -> tuple[int, ...]:
    return tuple(lengths.last for name in names if (lengths := read_name(name)) is not None)


def _other_lengths(cells: Sequence[Outcome], tasks: Mapping[str, Sequence[Outcome]]) -> str:
    own = _lasts(cells[0].ranges)
    return "" if own == _usual(tasks) else f" (≤ {own[0]})"


def bins_note(tasks: Mapping[str, Sequence[Outcome]]) -> str:
    """What the bins are in our runs and in the paper."""
    own = _usual(tasks)
    ranges = [f"≤ {own[0]}", *(f"{before + 1}–{last}" for before, last in pairwise(own))]
    ours = ", ".join(ranges)
    theirs = {published_lengths(task) for task in tasks if any(cell.published for cell in tasks[task])}
    notes = []
    if theirs & {AXIS, ON_AXIS} and ours != "≤ 50, 51–100, 101–150":
        notes.append("paper: 1–50, 51–100, 101–150")
    if theirs - {AXIS, ON_AXIS}:
        notes.append("the paper's files where they differ: in the panel, * as on its axis")
    paper = f" ({'; '.join(notes)})" if notes else ""
    return f"bins of length: {ours}{paper}; the first is the training range"


def legend(part: Part, found: Sequence[Outcome], looks: Looks = by_forecast, notes: str = "") -> None:
    """What colours, markers and lines mean, below the panels."""
    from matplotlib.lines import Line2D

    def handle(**style: Any) -> Line2D:
        return Line2D([], [], **style)

    kinds = list(dict.fromkeys(looks(outcome) for outcome in found))
    handles = [
        handle(
            color=k.colour, marker=k.marker, markersize=5, label=k.name,
            linestyle="--" if k == BASELINE_LOOK else "-",
        )
        for k in kinds
    ]  # fmt: skip
    for encoding in dict.fromkeys(outcome.place.encoding for outcome in found):
        if encoding in LINES:
            handles.append(
                handle(color="black", linestyle=LINES[encoding], linewidth=1.3, label=LINE_NAMES[encoding])
            )
    if any(outcome.published for outcome in found):
        handles.append(handle(color="black", linewidth=3.2, alpha=LIGHT, label="the paper's numbers"))
    handles.append(
        handle(color="black", marker="o", markerfacecolor="white", linestyle="", label="not learned (bin 1)")
    )
    if any(map(_is_mixed, found)):
        handles.append(
            handle(color="black", linewidth=0.8, marker="o", markersize=3.2, label="single runs that differ")
        )
    handles.append(handle(color=PALE, linewidth=0.7, linestyle=(0, (4, 3)), label="level of success"))
    if any(load_task(outcome.place.task).chance for outcome in found):
        handles.append(handle(color=PALE, linewidth=1.6, label="chance"))
    box = part.legend(
        handles=handles, loc="outside lower center", ncols=min(len(handles), 5), fontsize=7, frameon=False,
        title=notes, title_fontsize=7,
    )  # fmt: skip
    box.set_in_layout(True)
