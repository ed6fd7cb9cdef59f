"""All positional encodings on the tasks of Figure 1: the open question of what others would reach."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from longreach.comparison.outcome import Outcome
from longreach.comparison.places import ALGORITHMIC, ENCODINGS, REGULAR, Place
from longreach.studies.study_definition import Study

if TYPE_CHECKING:
    from matplotlib.figure import Figure

OTHERS = ("sinusoidal", "rope", "alibi", "t5", "fire", "randomized")
MARKS = {"yes": " ✓", "no": " ✗", "undecided": " ?", None: ""}
SCALE = "cividis"
DARK_BELOW = 0.55


def figure(found: Sequence[Outcome], title: str) -> Figure:
    """A matrix of accuracy on the last bin, tasks down and encodings across."""
    import numpy as np
    from matplotlib.figure import Figure

    tasks = list(dict.fromkeys(each.place.task for each in found))
    columns = list(dict.fromkeys(each.place.encoding for each in found))
    values = np.full((len(tasks), len(columns)), np.nan)
    drawn = Figure(figsize=(1.05 * len(columns) + 3.6, 0.3 * len(tasks) + 1.9), layout="constrained")
    drawn.suptitle(title, fontsize=10)
    axis = drawn.subplots()
    for each in found:
        row, column = tasks.index(each.place.task), columns.index(each.place.encoding)
        last = each.accuracy[-1]
        mark = MARKS[each.forecast]
        if last is None or each.cell is None:
            axis.text(column, row, f"–{mark}", ha="center", va="center", fontsize=7, color="black")
            continue
        values[row, column] = last.mean
        number = f"{100 * last.mean:.0f}" if each.learned else f"({100 * last.mean:.0f})"
        text = f"{number}  {len(each.cell.successful)}/{len(each.cell.rows)}{mark}"
        colour = "white" if last.mean < DARK_BELOW else "black"
        axis.text(column, row, text, ha="center", va="center", fontsize=7, color=colour)
    image = axis.imshow(np.ma.masked_invalid(values), cmap=SCALE, vmin=0, vmax=1, aspect="auto")
    axis.set_xticks(range(len(columns)), columns, fontsize=8)
    axis.set_yticks(range(len(tasks)), tasks, fontsize=8)
    axis.tick_params(length=0, top=True, labeltop=True, bottom=False, labelbottom=False)
    drawn.colorbar(image, ax=axis, fraction=0.03, pad=0.02).set_label("accuracy on the last bin", fontsize=8)
    note = "per cent on the last bin (in brackets: not learned in distribution), successful runs of all"
    axis.set_xlabel(f"{note}; ✓ ✗ ? the forecast", fontsize=7)
    return drawn


STUDY = Study(
    name="encodings",
    title="All positional encodings on the tasks of Figure 1",
    source="open question of Huang et al., arXiv 2410.02140, section 6",
    about="six other encodings beside APE and NoPE, with the setting of APE",
    time="laptop: about three times figure1, whose members it shares",
    places=tuple(
        Place(task, encoding) for task in (*ALGORITHMIC, *REGULAR) for encoding in (*ENCODINGS, *OTHERS)
    ),
    figure=figure,
)
