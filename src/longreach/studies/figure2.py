"""Figure 2: the regular languages of Figure 1, each with its name and expression."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from longreach.comparison.outcome import Outcome
from longreach.studies.drawing import bins_note, grid, grouped, legend
from longreach.studies.figure1 import REGULAR_PLACES, numbered
from longreach.studies.study_definition import Study
from longreach.tasks.catalog import load_task

if TYPE_CHECKING:
    from matplotlib.figure import Figure

COLUMNS = 6


def figure(found: Sequence[Outcome], title: str) -> Figure:
    """A panel per language."""
    from matplotlib.figure import Figure

    tasks = grouped(found)
    drawn = Figure(figsize=(12.6, 2.0 * -(-len(tasks) // COLUMNS) + 1.3), layout="constrained")
    drawn.suptitle(title, fontsize=10)
    titles = {task: f"{numbered(task)}\n{_short(load_task(task).about)}" for task in tasks}
    grid(drawn, tasks, min(COLUMNS, len(tasks)), titles)
    legend(drawn, found, notes=bins_note(tasks))
    return drawn


def _short(text: str, most: int = 34) -> str:
    return text if len(text) <= most else f"{text[: most - 1]}…"


STUDY = Study(
    name="figure2",
    title="Regular languages by name",
    source="Huang et al., arXiv 2410.02140, Figure 2",
    about="the regular languages of figure1, one panel each; the same runs",
    time="none after figure1; alone about two thirds of it",
    places=REGULAR_PLACES,
    figure=figure,
)
