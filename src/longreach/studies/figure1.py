"""Figure 1: 25 tasks with APE and NoPE, algorithmic ones on the left, regular languages on the right.

The algorithmic tasks have the baseline as well, a model that sees the current token only.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from longreach.comparison.outcome import Outcome
from longreach.comparison.places import ALGORITHMIC, ENCODINGS, REGULAR, Place
from longreach.config.hyperparameters import BASELINE
from longreach.studies.drawing import bins_note, grid, grouped, legend
from longreach.studies.study_definition import Study

if TYPE_CHECKING:
    from matplotlib.figure import Figure

ALGORITHMIC_PLACES = tuple(Place(task, encoding) for task in ALGORITHMIC for encoding in ENCODINGS)
# As in the paper, which says that the baseline is very close to zero for the languages.
BASELINE_PLACES = tuple(Place(task, BASELINE) for task in ALGORITHMIC)
REGULAR_PLACES = tuple(Place(task, encoding) for task in REGULAR for encoding in ENCODINGS)


def numbered(task: str) -> str:
    """A regular language with its number in Table 2.

    >>> numbered("012-0-2")
    '(17) 012-0-2'
    """
    return f"({REGULAR.index(task) + 1}) {task}"


def figure(found: Sequence[Outcome], title: str) -> Figure:
    """Both halves side by side; one of them alone if the other has no cells."""
    from matplotlib.figure import Figure

    tasks = grouped(found)
    halves = [
        ("algorithmic tasks", {task: tasks[task] for task in ALGORITHMIC if task in tasks}, 2),
        ("regular languages", {task: tasks[task] for task in REGULAR if task in tasks}, 5),
    ]
    halves = [half for half in halves if half[1]]
    drawn = Figure(figsize=(1.75 * sum(columns for *_, columns in halves) + 0.6, 6.4), layout="constrained")
    drawn.suptitle(title, fontsize=10)
    parts = drawn.subfigures(1, len(halves), width_ratios=[columns for *_, columns in halves], squeeze=False)
    for part, (name, cells, columns) in zip(parts[0], halves, strict=True):
        part.suptitle(name, fontsize=8.5)
        titles = {task: numbered(task) if task in REGULAR else task for task in cells}
        grid(part, cells, columns, titles)
    legend(drawn, found, notes=bins_note(tasks))
    return drawn


STUDY = Study(
    name="figure1",
    title="Length generalization against the existence of C-RASP programs",
    source="Huang et al., arXiv 2410.02140, Figure 1",
    about="25 tasks with learned absolute positions and without any, beside forecasts and a baseline",
    time="smoke: a minute; laptop: about half an hour on two cores; paper: days on a GPU",
    places=(*ALGORITHMIC_PLACES, *REGULAR_PLACES, *BASELINE_PLACES),
    figure=figure,
)
