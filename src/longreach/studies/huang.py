"""Huang et al. (arXiv 2410.02140): Figures 1 to 4, Tables 2 and 3.

The algorithmic tasks have the baseline as well, a model that sees the current token only.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from longreach.answers.agreement import ALGORITHMIC, ENCODINGS, REGULAR, Place, measures_of, published_row
from longreach.config.model import BASELINE
from longreach.figures import BLUE, GREY, ORANGE
from longreach.studies.cells import Outcome
from longreach.studies.drawing import Look, Looks, bins_note, grid, grouped, legend
from longreach.studies.study import Entry, Study, TheoryTable, rows_of, verdict_entries, yes_or_no
from longreach.tasks.catalog import load_task

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# Figure 1: 25 tasks with APE and NoPE, algorithmic ones on the left, regular languages on the right.


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


def draw_figure1(found: Sequence[Outcome], title: str) -> Figure:
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


FIGURE1 = Study(
    name="figure1",
    title="Length generalization against the existence of C-RASP programs",
    source="Huang et al., arXiv 2410.02140, Figure 1",
    about="25 tasks with learned absolute positions and without any, beside forecasts and a baseline",
    time="smoke: a minute; laptop: about half an hour on two cores; paper: days on a GPU",
    places=(*ALGORITHMIC_PLACES, *REGULAR_PLACES, *BASELINE_PLACES),
    figure=draw_figure1,
)


# Figure 2: the regular languages of Figure 1, each with its name and expression.


FIGURE2_COLUMNS = 6


def draw_figure2(found: Sequence[Outcome], title: str) -> Figure:
    """A panel per language."""
    from matplotlib.figure import Figure

    tasks = grouped(found)
    drawn = Figure(figsize=(12.6, 2.0 * -(-len(tasks) // FIGURE2_COLUMNS) + 1.3), layout="constrained")
    drawn.suptitle(title, fontsize=10)
    titles = {task: f"{numbered(task)}\n{_short(load_task(task).about)}" for task in tasks}
    grid(drawn, tasks, min(FIGURE2_COLUMNS, len(tasks)), titles)
    legend(drawn, found, notes=bins_note(tasks))
    return drawn


def _short(text: str, most: int = 34) -> str:
    return text if len(text) <= most else f"{text[: most - 1]}…"


FIGURE2 = Study(
    name="figure2",
    title="Regular languages by name",
    source="Huang et al., arXiv 2410.02140, Figure 2",
    about="the regular languages of figure1, one panel each; the same runs",
    time="none after figure1; alone about two thirds of it",
    places=REGULAR_PLACES,
    figure=draw_figure2,
)


# Figure 3: the runs of Figure 1, coloured by membership in the circuit class AC⁰.


FIGURE3_COLUMNS = 9
INSIDE, OUTSIDE = Look(BLUE, "o", "in AC⁰"), Look(ORANGE, "X", "not in AC⁰")
UNKNOWN = Look(GREY, "D", "AC⁰ not computed")


def by_circuits(outcome: Outcome) -> Look:
    """Computed for languages, known from the literature for the other tasks."""
    task = outcome.place.task
    inside = published_row(task).ac0 if task in ALGORITHMIC else measures_of(task).ac0
    return UNKNOWN if inside is None else INSIDE if inside else OUTSIDE


def draw_figure3(found: Sequence[Outcome], title: str) -> Figure:
    """Algorithmic tasks above, regular languages below."""
    from matplotlib.figure import Figure

    tasks = grouped(found)
    halves = [
        {task: tasks[task] for task in ALGORITHMIC if task in tasks},
        {task: tasks[task] for task in REGULAR if task in tasks},
    ]
    halves = [half for half in halves if half]
    rows = [-(-len(half) // FIGURE3_COLUMNS) for half in halves]
    drawn = Figure(figsize=(14.2, 1.75 * sum(rows) + 1.6), layout="constrained")
    drawn.suptitle(title, fontsize=10)
    parts = drawn.subfigures(len(halves), 1, height_ratios=rows, squeeze=False)
    for part, half in zip(parts[:, 0], halves, strict=True):
        titles = {task: numbered(task) if task in REGULAR else task for task in half}
        grid(part, half, FIGURE3_COLUMNS, titles, by_circuits)
    legend(drawn, found, by_circuits, bins_note(tasks))
    return drawn


FIGURE3 = Study(
    name="figure3",
    title="Length generalization against AC⁰",
    source="Huang et al., arXiv 2410.02140, Figure 3",
    about="figure1 coloured by membership in AC⁰, which does not predict it; the same runs",
    time="none after figure1; alone as long",
    places=(*ALGORITHMIC_PLACES, *REGULAR_PLACES),
    figure=draw_figure3,
)


# Figure 4: the regular languages of Figure 1, coloured by star-freeness (A) and by dot-depth (B).


FIGURE4_COLUMNS = 9
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


def draw_figure4(found: Sequence[Outcome], title: str) -> Figure:
    """The same panels twice."""
    from matplotlib.figure import Figure

    tasks = grouped(found)
    rows = -(-len(tasks) // FIGURE4_COLUMNS)
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
        grid(part, tasks, FIGURE4_COLUMNS, titles, looks)
        legend(part, found, looks, bins_note(tasks))
    return drawn


FIGURE4 = Study(
    name="figure4",
    title="Length generalization against star-freeness and dot-depth",
    source="Huang et al., arXiv 2410.02140, Figure 4",
    about="regular languages coloured by star-freeness and dot-depth; the same runs as figure1",
    time="none after figure1; alone about two thirds of it",
    places=REGULAR_PLACES,
    figure=draw_figure4,
)


# Table 2: verdicts for the regular languages beside star-freeness, dot-depth and AC⁰.


PARITY = "parity-language"
BEFORE_PARITY = "d-12"


def table2() -> TheoryTable:
    """All of it computed from the automata.

    >>> table().disagreeing
    []
    """
    position = REGULAR.index(BEFORE_PARITY) + 1
    names = [*REGULAR[:position], PARITY, *REGULAR[position:]]
    rows = []
    for task, row in rows_of(names):
        found = measures_of(task)
        entries = {
            **verdict_entries(task, row),
            "star-free": Entry(yes_or_no(found.star_free), yes_or_no(row.star_free)),
            "dot-depth": Entry(found.dot_depth or "–", "–" if row.dot_depth is None else str(row.dot_depth)),
            "AC⁰": Entry(yes_or_no(found.ac0), yes_or_no(row.ac0)),
            "states": Entry(str(found.states)),
            "monoid": Entry("unknown" if found.monoid is None else str(found.monoid)),
        }
        rows.append(("–" if task == PARITY else str(REGULAR.index(task) + 1), task, entries))
    return TheoryTable(TABLE2.title, tuple(rows[0][2]), tuple(rows))


TABLE2 = Study(
    name="table2",
    title="Regular languages: verdicts and other measures",
    source="Huang et al., arXiv 2410.02140, Table 2",
    about="computed verdicts and measures of 18 regular languages beside the published ones",
    time="a second at any scale; trains nothing",
    table=table2,
)


# Table 3: verdicts for the algorithmic tasks beside AC⁰.


def table3() -> TheoryTable:
    """Verdicts from programs, communication and reductions; AC⁰ is known, not computed.

    >>> table().disagreeing
    []
    """
    rows = []
    for number, (task, row) in enumerate(rows_of(ALGORITHMIC), start=1):
        entries = {**verdict_entries(task, row), "AC⁰": Entry(yes_or_no(row.ac0))}
        rows.append((str(number), task, entries))
    return TheoryTable(TABLE3.title, tuple(rows[0][2]), tuple(rows))


TABLE3 = Study(
    name="table3",
    title="Algorithmic tasks: verdicts and AC⁰",
    source="Huang et al., arXiv 2410.02140, Table 3",
    about="verdicts of the 8 algorithmic tasks beside the published ones; AC⁰ as the paper has it",
    time="a second at any scale; trains nothing",
    table=table3,
)
