"""Huang et al. (arXiv 2410.02140): Figures 1 to 4, Tables 2 and 3.

The algorithmic tasks have the baseline as well, a model that sees the current token only.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from longreach.answers.agreement import (
    ALGORITHMIC,
    ENCODINGS,
    REGULAR,
    Place,
    PublishedRow,
    measures_of,
    published_row,
    verdict_of,
)
from longreach.config.architectures import BASELINE
from longreach.figures import BLUE, GREY, ORANGE
from longreach.runs.index import Row
from longreach.studies.cells import Outcome, cell_study
from longreach.studies.drawing import Look, Looks, bins_note, grid, grouped, legend, titled
from longreach.studies.study import TEXTS, Study, StudyOptions, StudyReport, table_of
from longreach.tasks.catalog import load_task
from longreach.wording import shortened

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# Figure 1: 25 tasks with APE and NoPE.


ALGORITHMIC_PLACES = tuple(Place(task, encoding) for task in ALGORITHMIC for encoding in ENCODINGS)
# As in the paper, which says that the baseline is very close to zero for the languages.
BASELINE_PLACES = tuple(Place(task, BASELINE) for task in ALGORITHMIC)
REGULAR_PLACES = tuple(Place(task, encoding) for task in REGULAR for encoding in ENCODINGS)


def numbered(task: str) -> str:
    """A regular language with its number in Table 2, another task by its name.

    >>> numbered("012-0-2"), numbered("sort")
    ('(17) 012-0-2', 'sort')
    """
    return f"({REGULAR.index(task) + 1}) {task}" if task in REGULAR else task


def _halves(found: Sequence[Outcome]) -> list[dict[str, list[Outcome]]]:
    """The algorithmic tasks and the regular languages; one of them alone if the other has no cells."""
    tasks = grouped(found)
    halves = ({task: tasks[task] for task in names if task in tasks} for names in (ALGORITHMIC, REGULAR))
    return [half for half in halves if half]


def _titles(tasks: Iterable[str]) -> dict[str, str]:
    return {task: numbered(task) for task in tasks}


def draw_figure1(found: Sequence[Outcome], title: str) -> Figure:
    """Algorithmic tasks on the left, regular languages on the right."""
    halves = [(half, 5 if next(iter(half)) in REGULAR else 2) for half in _halves(found)]
    drawn = titled(title, (1.75 * sum(columns for _, columns in halves) + 0.6, 6.4))
    parts = drawn.subfigures(1, len(halves), width_ratios=[columns for _, columns in halves], squeeze=False)
    for part, (half, columns) in zip(parts[0], halves, strict=True):
        part.suptitle("algorithmic tasks" if columns == 2 else "regular languages", fontsize=8.5)
        grid(part, half, columns, _titles(half))
    legend(drawn, found, notes=bins_note(grouped(found)))
    return drawn


FIGURE1 = cell_study(
    name="figure1",
    title="Length generalization against the existence of C-RASP programs",
    source="Huang et al., arXiv 2410.02140, Figure 1",
    about="25 tasks with learned absolute positions and without any, beside forecasts and a baseline",
    time="smoke: a minute; laptop: about half an hour on two cores; paper: days on a GPU",
    places=(*ALGORITHMIC_PLACES, *REGULAR_PLACES, *BASELINE_PLACES),
    figure=draw_figure1,
)


# Figure 2: the regular languages by name.


FIGURE2_COLUMNS = 6


def draw_figure2(found: Sequence[Outcome], title: str) -> Figure:
    """A panel per language, with its expression."""
    tasks = grouped(found)
    drawn = titled(title, (12.6, 2.0 * -(-len(tasks) // FIGURE2_COLUMNS) + 1.3))
    titles = {task: f"{numbered(task)}\n{shortened(load_task(task).about, 34)}" for task in tasks}
    grid(drawn, tasks, min(FIGURE2_COLUMNS, len(tasks)), titles)
    legend(drawn, found, notes=bins_note(tasks))
    return drawn


FIGURE2 = cell_study(
    name="figure2",
    title="Regular languages by name",
    source="Huang et al., arXiv 2410.02140, Figure 2",
    about="the regular languages of figure1, one panel each; the same runs",
    time="nothing to train after figure1; alone about two thirds of its time",
    places=REGULAR_PLACES,
    figure=draw_figure2,
)


# Figure 3: the runs of Figure 1, coloured by AC⁰.


COLUMNS = 9
"""Of panels, in Figures 3 and 4."""
INSIDE, OUTSIDE = Look(BLUE, "o", "in AC⁰"), Look(ORANGE, "X", "not in AC⁰")
UNKNOWN = Look(GREY, "D", "AC⁰ not computed")


def by_circuits(outcome: Outcome) -> Look:
    """Computed for languages, known from the literature for the other tasks."""
    task = outcome.place.task
    inside = published_row(task).ac0 if task in ALGORITHMIC else measures_of(task).ac0
    return UNKNOWN if inside is None else INSIDE if inside else OUTSIDE


def draw_figure3(found: Sequence[Outcome], title: str) -> Figure:
    """Algorithmic tasks above, regular languages below."""
    halves = _halves(found)
    rows = [-(-len(half) // COLUMNS) for half in halves]
    drawn = titled(title, (14.2, 1.75 * sum(rows) + 1.6))
    parts = drawn.subfigures(len(halves), 1, height_ratios=rows, squeeze=False)
    for part, half in zip(parts[:, 0], halves, strict=True):
        grid(part, half, COLUMNS, _titles(half), by_circuits)
    legend(drawn, found, by_circuits, bins_note(grouped(found)))
    return drawn


FIGURE3 = cell_study(
    name="figure3",
    title="Length generalization against AC⁰",
    source="Huang et al., arXiv 2410.02140, Figure 3",
    about="figure1 coloured by membership in AC⁰, which does not predict it; the same runs",
    time="nothing to train after figure1; alone as long",
    places=(*ALGORITHMIC_PLACES, *REGULAR_PLACES),
    figure=draw_figure3,
)


# Figure 4: the regular languages, coloured by star-freeness and by dot-depth.


STAR_FREE, NOT_STAR_FREE = Look(BLUE, "o", "star-free"), Look(ORANGE, "X", "not star-free")
NO_DEPTH = Look(GREY, "X", "not star-free")
# One marker and one tone of a perceptually even, colour-blind-safe scale per depth.
MARKERS, SCALE = "os^vDP*", "viridis"


def by_star_freeness(outcome: Outcome) -> Look:
    """Computed from the syntactic monoid."""
    return STAR_FREE if measures_of(outcome.place.task).star_free else NOT_STAR_FREE


def by_dot_depth(found: Sequence[Outcome]) -> Looks:
    """A tone and a marker for each dot-depth that occurs."""
    from matplotlib import colormaps
    from matplotlib.colors import to_hex

    known = {depth for each in found if (depth := measures_of(each.place.task).dot_depth)}
    depths = sorted(known, key=lambda depth: [int(number) for number in re.findall(r"\d+", depth)])
    looks: dict[str | None, Look] = {None: NO_DEPTH}
    for number, depth in enumerate(depths):
        tone = to_hex(colormaps[SCALE](0.85 * number / max(1, len(depths) - 1)))
        looks[depth] = Look(tone, MARKERS[number % len(MARKERS)], f"dot-depth {depth}")
    return lambda outcome: looks[measures_of(outcome.place.task).dot_depth]


def draw_figure4(found: Sequence[Outcome], title: str) -> Figure:
    """The same panels twice."""
    tasks = grouped(found)
    rows = -(-len(tasks) // COLUMNS)
    drawn = titled(title, (14.2, 2 * (1.75 * rows + 0.9) + 0.6))
    halves: dict[str, Looks] = {"(A) star-free": by_star_freeness, "(B) dot-depth": by_dot_depth(found)}
    for part, (name, looks) in zip(drawn.subfigures(2, 1, squeeze=False)[:, 0], halves.items(), strict=True):
        part.suptitle(name, fontsize=8.5)
        grid(part, tasks, COLUMNS, _titles(tasks), looks)
        legend(part, found, looks, bins_note(tasks))
    return drawn


FIGURE4 = cell_study(
    name="figure4",
    title="Length generalization against star-freeness and dot-depth",
    source="Huang et al., arXiv 2410.02140, Figure 4",
    about="regular languages coloured by star-freeness and dot-depth; the same runs as figure1",
    time="nothing to train after figure1; alone about two thirds of its time",
    places=REGULAR_PLACES,
    figure=draw_figure4,
)


# Tables 2 and 3: what we compute, and what the paper says where that differs.


SAME = {("undecided", "none found")}
"""Our word and the paper's for the same answer."""
PARITY = "parity-language"
BEFORE_PARITY = "d-12"


@dataclass(frozen=True)
class Entry:
    """One answer, ours and the paper's.

    >>> str(Entry("yes", "yes")), str(Entry("yes", "no")), Entry("undecided", "none found").agrees
    ('yes', 'yes (paper: no)', True)
    """

    ours: str
    published: str | None = None
    """None: the paper has no such column."""

    @property
    def agrees(self) -> bool:
        """Whether both say the same, or the paper says nothing."""
        return self.published in (None, self.ours) or (self.ours, self.published) in SAME

    def __str__(self) -> str:
        return self.ours if self.agrees else f"{self.ours} (paper: {self.published})"

    def document(self) -> dict[str, Any]:
        return {"ours": self.ours, "published": self.published, "agrees": self.agrees}


def theory_study(
    tasks: Mapping[str, str], columns: Callable[[str, PublishedRow], dict[str, Entry]], **about: Any
) -> Study:
    """A table of theory: tasks with their numbers in the paper, and more columns after the verdicts."""

    def report(options: StudyOptions, rows: Sequence[Row]) -> StudyReport:
        found = {task: _verdicts(task) | columns(task, published_row(task)) for task in tasks}
        table = table_of(
            columns=("#", "task", *next(iter(found.values()))),
            rows=[(tasks[task], task, *map(str, entries.values())) for task, entries in found.items()],
        )
        known = [
            (task, column, entry)
            for task, entries in found.items()
            for column, entry in entries.items()
            if entry.published is not None
        ]
        different = [{"task": task, "column": column} for task, column, entry in known if not entry.agrees]
        documents = [
            {
                "number": tasks[task],
                "task": task,
                "entries": {column: entry.document() for column, entry in entries.items()},
            }
            for task, entries in found.items()
        ]
        return StudyReport(
            document={"title": about["title"], "rows": documents, "disagreeing": different},
            tables=[table],
            remarks=[f"{len(known) - len(different)} of {len(known)} entries as in the paper."],
        )

    return Study(report=report, formats=TEXTS, **about)


def _verdicts(task: str) -> dict[str, Entry]:
    row = published_row(task)
    return {
        "C-RASP[∅]": Entry(verdict_of(task, "nope"), row.nope),
        "C-RASP[periodic, local]": Entry(verdict_of(task, "ape"), row.ape),
    }


def yes_or_no(value: bool | None) -> str:
    """How tables write a truth value; None is beyond the cap of a computation.

    >>> yes_or_no(True), yes_or_no(None)
    ('yes', 'unknown')
    """
    return "unknown" if value is None else "yes" if value else "no"


def _table2_columns(task: str, row: PublishedRow) -> dict[str, Entry]:
    """Computed from the automata."""
    found = measures_of(task)
    return {
        "star-free": Entry(yes_or_no(found.star_free), yes_or_no(row.star_free)),
        "dot-depth": Entry(found.dot_depth or "–", "–" if row.dot_depth is None else str(row.dot_depth)),
        "AC⁰": Entry(yes_or_no(found.ac0), yes_or_no(row.ac0)),
        "states": Entry(str(found.states)),
        "monoid": Entry("unknown" if found.monoid is None else str(found.monoid)),
    }


def _table2_tasks() -> dict[str, str]:
    place = REGULAR.index(BEFORE_PARITY) + 1
    names = (*REGULAR[:place], PARITY, *REGULAR[place:])
    return {task: "–" if task == PARITY else str(REGULAR.index(task) + 1) for task in names}


TABLE2 = theory_study(
    _table2_tasks(),
    _table2_columns,
    name="table2",
    title="Regular languages: verdicts and other measures",
    source="Huang et al., arXiv 2410.02140, Table 2",
    about="computed verdicts and measures of 18 regular languages beside the published ones",
    time="a second at any scale; trains nothing",
)
TABLE3 = theory_study(
    {task: str(number) for number, task in enumerate(ALGORITHMIC, start=1)},
    lambda task, row: {"AC⁰": Entry(yes_or_no(row.ac0))},  # known, not computed
    name="table3",
    title="Algorithmic tasks: verdicts and AC⁰",
    source="Huang et al., arXiv 2410.02140, Table 3",
    about="verdicts of the 8 algorithmic tasks beside the published ones; AC⁰ as the paper has it",
    time="a second at any scale; trains nothing",
)
