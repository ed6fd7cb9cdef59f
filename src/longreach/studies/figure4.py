"""Figure 4: the regular languages of Figure 1, coloured by star-freeness (A) and by dot-depth (B)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from longreach.comparison.cell_forecast import measures_of
from longreach.comparison.outcome import Outcome
from longreach.studies.drawing import BLUE, GREY, ORANGE, Look, Looks, bins_note, grid, grouped, legend
from longreach.studies.figure1 import REGULAR_PLACES, numbered
from longreach.studies.study_definition import Study

if TYPE_CHECKING:
    from matplotlib.figure import Figure

COLUMNS = 9
STAR_FREE, NOT_STAR_FREE = Look(BLUE, "o", "star-free"), Look(ORANGE, "X", "not star-free")
NO_DEPTH = Look(GREY, "X", "not star-free")
# One marker and one tone of a perceptually even, colour-blind-safe scale per depth.
MARKERS, SCALE = "os^vDP*", "viridis"


def by_star_freeness(outcome: Outcome) -> Look:
    """Computed from the syntactic monoid."""
    return STAR_FREE if measures_of(outcome.place.task).star_free else NOT_STAR_FREE


class ByDotDepth:
    """A tone and a marker for each dot-depth that occurs."""

    def __init__(self, found: Sequence[Outcome]) -> None:
        depths = {depth for each in found if (depth := measures_of(each.place.task).dot_depth)}
        self._depths = sorted(depths, key=lambda depth: [int(n) for n in re.findall(r"\d+", depth)])

    def __call__(self, outcome: Outcome) -> Look:
        from matplotlib import colormaps
        from matplotlib.colors import to_hex

        depth = measures_of(outcome.place.task).dot_depth
        if depth is None:
            return NO_DEPTH
        number = self._depths.index(depth)
        tone = 0.85 * number / max(1, len(self._depths) - 1)
        return Look(to_hex(colormaps[SCALE](tone)), MARKERS[number % len(MARKERS)], f"dot-depth {depth}")


def figure(found: Sequence[Outcome], title: str) -> Figure:
    """The same panels twice."""
    from matplotlib.figure import Figure

    tasks = grouped(found)
    rows = -(-len(tasks) // COLUMNS)
    drawn = Figure(figsize=(14.2, 2 * (1.75 * rows + 0.9) + 0.6), layout="constrained")
    drawn.suptitle(title, fontsize=10)
    titles = {task: numbered(task) for task in tasks}
    halves: list[tuple[str, Looks]] = [
        ("(A) star-free", by_star_freeness),
        ("(B) dot-depth", ByDotDepth(found)),
    ]
    parts = drawn.subfigures(2, 1, squeeze=False)
    for part, (name, looks) in zip(parts[:, 0], halves, strict=True):
        part.suptitle(name, fontsize=8.5)
        grid(part, tasks, COLUMNS, titles, looks)
        legend(part, found, looks, bins_note(tasks))
    return drawn


STUDY = Study(
    name="figure4",
    title="Length generalization against star-freeness and dot-depth",
    source="Huang et al., arXiv 2410.02140, Figure 4",
    about="regular languages coloured by star-freeness and dot-depth; the same runs as figure1",
    time="none after figure1; alone about two thirds of it",
    places=REGULAR_PLACES,
    figure=figure,
)
