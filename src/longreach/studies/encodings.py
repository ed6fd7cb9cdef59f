"""The tasks of Figure 1 with other positional encodings, and with the penalty on positions."""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import wrap
from typing import TYPE_CHECKING

from longreach.answers.agreement import ALGORITHMIC, ENCODINGS, REGULAR, Place
from longreach.config.model import CellLabel
from longreach.figures import BLUE, GREEN, ORANGE
from longreach.studies.cells import GROUPS, Outcome, cell_study, group_of, work_by_theory
from longreach.studies.drawing import Look, bins_note, grid, grouped, legend, titled

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# All encodings on the tasks of Figure 1.


OTHERS = ("sinusoidal", "rope", "alibi", "t5", "fire", "randomized")
MARKS = {"yes": " ✓", "no": " ✗", "undecided": " ?", None: ""}
COLOURS = "cividis"
DARK_BELOW = 0.55
NOTE = (
    "In a cell: the mean accuracy on the longest test range in per cent where all runs do the same thing, "
    "else how many work; in brackets: no run is right on the whole training range. ✓ ✗ ? the forecast, "
    "where theory has one."
)
OF_PAPER = "Paper: the published mean accuracy on the longest inputs."
LONG_NAME = 14  # characters: longer names of columns are slanted
NOTE_WIDTH = 18  # characters to a column of cells


def draw_encodings(found: Sequence[Outcome], title: str, *, published: bool = False) -> Figure:
    """A matrix of the runs that work, encodings across and tasks down, grouped by the programs they have.

    `published`: also a column for each encoding that the paper has numbers of, and none for one without runs.
    """
    import numpy as np

    order = list(GROUPS)
    tasks = sorted({each.place.task: None for each in found}, key=lambda task: order.index(group_of(task)))
    papers = [each for each in found if published and each.published is not None]
    if published:
        found = [each for each in found if each.tallies[-1].runs] or found
    columns = list(dict.fromkeys(each.place.encoding for each in found))
    theirs = list(dict.fromkeys(each.place.encoding for each in papers))
    shares = np.full((len(tasks), len(columns) + len(theirs)), np.nan)
    drawn = titled(title, (0.95 * shares.shape[1] + 3.6, 0.27 * len(tasks) + 1.9))
    axis = drawn.subplots()
    for each in found:
        row, column = tasks.index(each.place.task), columns.index(each.place.encoding)
        tally = each.tallies[-1]
        share = tally.work / tally.runs if tally.runs else np.nan
        shares[row, column] = share
        colour = "white" if share < DARK_BELOW else "black"
        axis.text(column, row, cell_text(each), ha="center", va="center", fontsize=7, color=colour)
    for each in papers:
        row, column = tasks.index(each.place.task), len(columns) + theirs.index(each.place.encoding)
        shares[row, column] = share = (each.published or (np.nan,))[-1]
        colour = "white" if share < DARK_BELOW else "black"
        said = f"{100 * share:.0f}{MARKS[each.forecast]}"
        axis.text(column, row, said, ha="center", va="center", fontsize=7, color=colour)
    image = axis.imshow(np.ma.masked_invalid(shares), cmap=COLOURS, vmin=0, vmax=1, aspect="auto")
    names = [
        *(CellLabel.read(column).shown for column in columns),
        *(f"{CellLabel.read(column).shown}, paper" for column in theirs),
    ]
    axis.set_xticks(range(len(names)), names, fontsize=8)
    axis.set_xticks(np.arange(1, len(names)) - 0.5, minor=True)
    axis.set_yticks(range(len(tasks)), tasks, fontsize=8)
    axis.tick_params(which="both", length=0, top=True, labeltop=True, bottom=False, labelbottom=False)
    if max(map(len, names)) > LONG_NAME:
        for tick in axis.xaxis.get_major_ticks():
            tick.label2.set(rotation=30, ha="left")
    axis.grid(which="minor", color="white", linewidth=1)
    note = f"{NOTE} {OF_PAPER}" if theirs else NOTE
    axis.set_xlabel("\n".join(wrap(note, NOTE_WIDTH * len(names))), fontsize=7)
    _name_groups(axis, tasks)
    bar = drawn.colorbar(image, ax=axis, fraction=0.025, pad=0.01)
    bar.set_label("runs that work on the longest test range", fontsize=8)
    bar.set_ticks([0, 0.5, 1], labels=["none", "half", "all"], fontsize=7)
    return drawn


def cell_text(each: Outcome) -> str:
    """What stands in a cell: a mean only where all runs do the same thing."""
    tally, last, mark = each.tallies[-1], each.accuracy[-1], MARKS[each.forecast]
    if last is None or not tally.runs:
        return f"–{mark}"
    said = f"{tally.work} of {tally.runs}" if tally.is_mixed else f"{100 * last.mean:.0f}"
    return f"{said if tally.learned else f'({said})'}{mark}"


def _name_groups(axis: Axes, tasks: Sequence[str]) -> None:
    """The groups at the right edge, and a gap between them."""
    first = 0
    for group, name in GROUPS.items():
        size = sum(group_of(task) == group for task in tasks)
        if not size:
            continue
        if first:
            axis.axhline(first - 0.5, color="white", linewidth=4)
        axis.text(
            1.01, first + (size - 1) / 2, "\n".join(wrap(name, NOTE_WIDTH)),
            fontsize=7.5, rotation=270, ha="left", va="center", multialignment="center",
            transform=axis.get_yaxis_transform(),
        )  # fmt: skip
        first += size


ENCODINGS_STUDY = cell_study(
    name="encodings",
    title="All positional encodings on the tasks of Figure 1",
    source="open question of Huang et al., arXiv 2410.02140, section 6",
    about="six other encodings beside APE and NoPE, with the setting of APE",
    time="laptop: about 110 minutes on two cores after figure1, whose runs it shares; --seeds 1: 37",
    places=tuple(
        Place(task, encoding) for task in (*ALGORITHMIC, *REGULAR) for encoding in (*ENCODINGS, *OTHERS)
    ),
    figure=draw_encodings,
    summary=work_by_theory,
)


# Learned positions with and without the penalty on attention between positions.


_LOOKS = {
    0.0: (Look(BLUE, "o", "no penalty"), "-"),
    1e-4: (Look(ORANGE, "^", "penalty 0.0001"), "--"),
    1e-3: (Look(GREEN, "s", "penalty 0.001"), "-."),
}
"""By the coefficient, with the style of the line."""
COEFFICIENTS = tuple(_LOOKS)


def by_penalty(outcome: Outcome) -> Look:
    """A colour and a marker per coefficient."""
    return _LOOKS[outcome.place.penalty][0]


def penalty_style(outcome: Outcome) -> str:
    """A line style per coefficient."""
    return _LOOKS[outcome.place.penalty][1]


def draw_regularizer(found: Sequence[Outcome], title: str) -> Figure:
    """A panel per task with a line per coefficient."""
    tasks = grouped(found)
    columns = min(4, len(tasks))
    drawn = titled(title, (9.4, 2.1 * -(-len(tasks) // columns) + 1.3))
    grid(drawn, tasks, columns, {task: task for task in tasks}, by_penalty, penalty_style)
    legend(drawn, found, by_penalty, bins_note(tasks))
    return drawn


REGULARIZER = cell_study(
    name="regularizer",
    title="The penalty on attention between positions",
    source="Huang et al., arXiv 2410.02140, Definition 5 (8); the authors' published runs with 0.0001",
    about="APE on the algorithmic tasks without the penalty and with the coefficients 0.0001 and 0.001",
    time="laptop: about 23 minutes on two cores after figure1, whose runs without the penalty it shares",
    places=tuple(Place(task, "ape", value) for task in ALGORITHMIC for value in COEFFICIENTS),
    figure=draw_regularizer,
    summary=work_by_theory,
)
