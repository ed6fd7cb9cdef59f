"""Figure 3: the runs of Figure 1, coloured by membership in the circuit class AC⁰."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from longreach.comparison.cell_forecast import measures_of
from longreach.comparison.outcome import Outcome
from longreach.comparison.paper import published_row
from longreach.comparison.places import ALGORITHMIC, REGULAR
from longreach.studies.drawing import BLUE, GREY, ORANGE, Look, bins_note, grid, grouped, legend
from longreach.studies.figure1 import ALGORITHMIC_PLACES, REGULAR_PLACES, numbered
from longreach.studies.study_definition import Study

if TYPE_CHECKING:
    from matplotlib.figure import Figure

COLUMNS = 9
INSIDE, OUTSIDE = Look(BLUE, "o", "in AC⁰"), Look(ORANGE, "X", "not in AC⁰")
UNKNOWN = Look(GREY, "D", "AC⁰ not computed")


def by_circuits(outcome: Outcome) -> Look:
    """Computed for languages, known from the literature for the other tasks."""
    task = outcome.place.task
    inside = published_row(task).ac0 if task in ALGORITHMIC else measures_of(task).ac0
    return UNKNOWN if inside is None else INSIDE if inside else OUTSIDE


def figure(found: Sequence[Outcome], title: str) -> Figure:
    """Algorithmic tasks above, regular languages below."""
    from matplotlib.figure import Figure

    tasks = grouped(found)
    halves = [
        {task: tasks[task] for task in ALGORITHMIC if task in tasks},
        {task: tasks[task] for task in REGULAR if task in tasks},
    ]
    halves = [half for half in halves if half]
    rows = [-(-len(half) // COLUMNS) for half in halves]
    drawn = Figure(figsize=(14.2, 1.75 * sum(rows) + 1.6), layout="constrained")
    drawn.suptitle(title, fontsize=10)
    parts = drawn.subfigures(len(halves), 1, height_ratios=rows, squeeze=False)
    for part, half in zip(parts[:, 0], halves, strict=True):
        titles = {task: numbered(task) if task in REGULAR else task for task in half}
        grid(part, half, COLUMNS, titles, by_circuits)
    legend(drawn, found, by_circuits, bins_note(tasks))
    return drawn


STUDY = Study(
    name="figure3",
    title="Length generalization against AC⁰",
    source="Huang et al., arXiv 2410.02140, Figure 3",
    about="figure1 coloured by membership in AC⁰, which does not predict it; the same runs",
    time="none after figure1; alone as long",
    places=(*ALGORITHMIC_PLACES, *REGULAR_PLACES),
    figure=figure,
)
