"""What the report's pages show, as plain data: the templates read nothing else."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import groupby
from typing import Literal, TypeAlias

from longreach.runs.cells import Tally

Answer: TypeAlias = Literal["yes", "no", "undecided", "unknown"]
"""Of the forecast; unknown where the theory says nothing about an encoding."""
Judgement: TypeAlias = Literal["agrees", "disagrees", "undecided", "not counted", "not measured"]


@dataclass(frozen=True, kw_only=True)
class ProgramView:
    """A program as people read it."""

    text: str
    summary: str
    """Its class, size and depth."""


@dataclass(frozen=True, kw_only=True)
class CertificateView:
    """What a verdict rests on."""

    kind: str
    lines: tuple[str, ...] = ()
    """A few sentences; a line that begins with blanks is a word, not a sentence."""
    facts: tuple[tuple[str, str], ...] = ()
    program: ProgramView | None = None
    json: str | None = None
    """The document itself, unless it is too long for a page."""
    size: int = 0
    """Characters of the document."""


@dataclass(frozen=True, kw_only=True)
class EncodingView:
    """What is shown of the forecast for one encoding: words and numbers, made from its `Verdict` if any."""

    encoding: str
    answer: Answer
    title: str = ""
    """The encoding in words that need no paper."""
    expected: str = ""
    """What the answer means for training, in the same words."""
    clause: str = ""
    """Why, likewise."""
    basis: str = ""
    """What it rests on."""
    program_class: str = ""
    reason: str = ""
    """Why, in the papers' words."""
    published: tuple[float | None, ...] = ()
    """The published accuracies, as fractions, from the shortest bin to the longest."""
    published_lengths: tuple[str, ...] = ("1-50", "51-100", "101-150")
    """The lengths of these bins; a star where only the axis of the published figure says them."""
    certificate: CertificateView | None = None


@dataclass(frozen=True, kw_only=True)
class Point:
    """The accuracies of a cell in one range of lengths."""

    label: str
    mean: float
    low: float
    high: float
    offset: float | None = None
    """The mean at random offsets."""


@dataclass(frozen=True, kw_only=True)
class CurveView:
    """The evaluations of one run: steps with loss and accuracy on the training range, where known."""

    seed: str
    steps: tuple[int, ...]
    loss: tuple[float | None, ...]
    accuracy: tuple[float | None, ...]


@dataclass(frozen=True, kw_only=True)
class RunView:
    """A line of the run table."""

    key: str
    seed: str
    status: Literal["done", "failed"]
    steps: int | None
    seconds: float | None
    reached: bool | None
    accuracy: tuple[float | None, ...]
    """By range."""
    offset: tuple[float | None, ...]
    """The same at random offsets."""
    error: str | None


@dataclass(frozen=True, kw_only=True)
class CellView:
    """The runs of one configuration."""

    encoding: str
    model: str
    """Its shape in a few words."""
    trained: str | None = None
    """The range of lengths that it was trained on."""
    ranges: tuple[str, ...]
    points: tuple[Point, ...]
    number: int
    """How many runs there are."""
    runs: tuple[RunView, ...]
    """Those that are shown."""
    curves: tuple[CurveView, ...]
    settings: tuple[tuple[str, str], ...]
    """What its configuration has that not all runs of the task share."""
    successes: int
    learned: bool
    tally: Tally | None = None
    """Its runs counted one by one; None where it is not known from when on one works."""
    judgement: Judgement
    """By the mean over its runs."""
    by_runs: Judgement = "not counted"
    """The same by the share of its runs that work."""
    why: str
    reasons: tuple[str, ...] = ()
    """Why the runs may do what was not expected, the likeliest first, each with what to try next."""
    command: str | None = None
    """The command line that makes its runs, where the configuration tells it."""

    @property
    def has_offsets(self) -> bool:
        """Whether accuracies at random offsets are known."""
        return any(value is not None for run in self.runs for value in run.offset)

    @property
    def last(self) -> Point | None:
        """The longest range that was measured."""
        return self.points[-1] if self.points else None

    @property
    def lasts(self) -> tuple[float, ...]:
        """The accuracies on the longest range, run by run, of the runs that are shown."""
        return tuple(run.accuracy[-1] for run in self.runs if run.accuracy and run.accuracy[-1] is not None)

    @property
    def finished(self) -> tuple[RunView, ...]:
        """The runs that are shown and came to their end."""
        return tuple(run for run in self.runs if run.status == "done")


@dataclass(frozen=True, kw_only=True)
class HeadView:
    """Where one head attends."""

    title: str
    svg: str


@dataclass(frozen=True, kw_only=True)
class AttentionView:
    """Where a compiled program attends on one word."""

    program: str
    word: str
    heads: tuple[HeadView, ...]
    number: int
    """How many heads there are; not all may be drawn."""


@dataclass(frozen=True, kw_only=True)
class Group:
    """The cells of a task that were trained on the same lengths, one per encoding: a chart."""

    trained: str | None
    cells: tuple[CellView, ...]


@dataclass(frozen=True, kw_only=True)
class TaskView:
    """A task with its forecast and its runs."""

    name: str
    title: str
    """What it is called where people read."""
    slug: str
    """Its name as it stands in links."""
    about: str
    kind: str
    """The heading under which it stands."""
    verdicts: tuple[EncodingView, ...]
    cells: tuple[CellView, ...]
    chosen: tuple[CellView, ...]
    """One cell per encoding, for the overview."""
    groups: tuple[Group, ...] = ()
    """The cells by the lengths that they were trained on, the shortest first."""
    further: int = 0
    """Configurations that are left out, because there are too many."""
    listing: str | None = None
    """The command that lists all its runs, where a shell can be told its name."""
    forecasting: str | None = None
    """The command that prints its forecast."""
    training: str | None = None
    """The command that makes some runs."""
    common: tuple[tuple[str, str], ...] = ()
    """The settings that all its runs share."""
    automaton: str | None = None
    automaton_note: str = ""
    attention: AttentionView | None = None
    note: str = ""
    """Why something is missing."""
    level: float | None = None
    """From which accuracy on the longest range on it counts as working."""

    def verdict(self, encoding: str) -> EncodingView | None:
        """The forecast for an encoding."""
        return next((verdict for verdict in self.verdicts if verdict.encoding == encoding), None)

    def cell(self, encoding: str) -> CellView | None:
        """The chosen cell of an encoding."""
        return next((cell for cell in self.chosen if cell.encoding == encoding), None)

    @property
    def runs(self) -> int:
        """How many there are in the cells that are shown."""
        return sum(cell.number for cell in self.cells)


@dataclass(frozen=True, kw_only=True)
class ReportView:
    """The whole report."""

    title: str
    sentence: str
    """What was measured, at which scale."""
    tasks: tuple[TaskView, ...]
    encodings: tuple[str, ...]
    """The columns of the matrix."""
    cells: int
    runs: int
    successes: int
    failed: int
    agreeing: int
    counted: int
    agreeing_by_runs: int
    """Where a cell works when at least half of its runs do, instead of its mean."""
    counted_by_runs: int
    rule: str
    """When a cell counts as working."""
    further: int
    """Tasks with runs that are left out, because there are too many."""
    others: int
    """Results that are not of a task under an encoding, and are not shown."""
    damaged: tuple[tuple[str, str], ...]
    """Names and what is wrong."""
    unfinished: tuple[str, ...]
    provenance: tuple[tuple[str, str], ...]

    @property
    def groups(self) -> tuple[tuple[str, tuple[TaskView, ...]], ...]:
        """The tasks under their headings."""
        return grouped(self.tasks)

    @property
    def measured(self) -> tuple[TaskView, ...]:
        """The tasks that have runs."""
        return tuple(task for task in self.tasks if task.runs)

    @property
    def unmeasured(self) -> tuple[TaskView, ...]:
        """The tasks that have none."""
        return tuple(task for task in self.tasks if not task.runs)

    @property
    def disagreements(self) -> tuple[tuple[TaskView, CellView], ...]:
        """The chosen cells whose measurement is not what the forecast says."""
        return self._judged("disagrees")

    @property
    def only_by_runs(self) -> tuple[tuple[TaskView, CellView], ...]:
        """The chosen cells that are as forecast by their mean, and not by the share of their runs."""
        cells = ((task, cell) for task in self.tasks for cell in task.chosen)
        return tuple(
            (task, cell)
            for task, cell in cells
            if cell.by_runs == "disagrees" and cell.judgement != "disagrees"
        )

    @property
    def uncounted(self) -> tuple[tuple[TaskView, CellView], ...]:
        """The chosen cells that say nothing about the forecast."""
        return self._judged("undecided", "not counted", "not measured")

    def _judged(self, *states: Judgement) -> tuple[tuple[TaskView, CellView], ...]:
        return tuple((task, cell) for task in self.tasks for cell in task.chosen if cell.judgement in states)


def grouped(tasks: Iterable[TaskView]) -> tuple[tuple[str, tuple[TaskView, ...]], ...]:
    """Tasks under their headings, in the order in which they come."""
    return tuple((kind, tuple(found)) for kind, found in groupby(tasks, key=lambda task: task.kind))
