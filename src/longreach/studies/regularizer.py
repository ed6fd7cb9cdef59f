"""Learned absolute positions with the penalty on attention between positions, beside training without it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from longreach.comparison.outcome import Outcome
from longreach.comparison.places import ALGORITHMIC, Place
from longreach.studies.drawing import BLUE, GREEN, ORANGE, Look, bins_note, grid, grouped, legend
from longreach.studies.study_definition import Study
from longreach.studies.work_by_theory import work_by_theory

if TYPE_CHECKING:
    from matplotlib.figure import Figure

COEFFICIENTS = (0.0, 1e-4, 1e-3)
_LOOKS = dict(
    zip(
        COEFFICIENTS,
        (
            Look(BLUE, "o", "no penalty"),
            Look(ORANGE, "^", "penalty 0.0001"),
            Look(GREEN, "s", "penalty 0.001"),
        ),
        strict=True,
    )
)
_STYLES = dict(zip(COEFFICIENTS, ("-", "--", "-."), strict=True))


def by_penalty(outcome: Outcome) -> Look:
    """A colour and a marker per coefficient."""
    return _LOOKS[outcome.place.penalty]


def penalty_style(outcome: Outcome) -> str:
    """A line style per coefficient."""
    return _STYLES[outcome.place.penalty]


def figure(found: Sequence[Outcome], title: str) -> Figure:
    """A panel per task with a line per coefficient."""
    from matplotlib.figure import Figure

    tasks = grouped(found)
    columns = min(4, len(tasks))
    drawn = Figure(figsize=(9.4, 2.1 * -(-len(tasks) // columns) + 1.3), layout="constrained")
    drawn.suptitle(title, fontsize=10)
    grid(drawn, tasks, columns, {task: task for task in tasks}, by_penalty, penalty_style)
    legend(drawn, found, by_penalty, bins_note(tasks))
    return drawn


STUDY = Study(
    name="regularizer",
    title="The penalty on attention between positions",
    source="Huang et al., arXiv 2410.02140, Definition 5 (8); the authors' published runs with 0.0001",
    about="APE on the algorithmic tasks without the penalty and with the coefficients 0.0001 and 0.001",
    time="laptop: about 23 minutes on two cores after figure1, whose members without the penalty it shares",
    places=tuple(Place(task, "ape", value) for task in ALGORITHMIC for value in COEFFICIENTS),
    figure=figure,
    summary=work_by_theory,
)
