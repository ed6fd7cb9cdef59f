"""What the report's pages show of cells, tasks and a results directory; the templates read nothing else."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any, Literal, NamedTuple, TypeAlias

from longreach.answers.profile import Profile
from longreach.report.forecast_view import BENCHMARK, EncodingView, Known
from longreach.report.words import command, task_title, train_command
from longreach.runs.cells import ByAccuracy, Cell, Tally, range_shares, worst_words
from longreach.runs.imported import ImportedRun
from longreach.runs.index import Row
from longreach.runs.table import flat
from longreach.tasks.lengths import name_order, read_name
from longreach.theory.names import Origin, TaskName
from longreach.theory.program_class import ENCODING_SIDES
from longreach.training.result import Result, setting
from longreach.wording import counted

Judgement: TypeAlias = Literal["agrees", "disagrees", "undecided", "not counted", "not measured"]
OWN, ALGORITHMIC, LANGUAGES, FURTHER = "Your tasks", "Algorithmic tasks", "Formal languages", "Further tasks"
KINDS = (OWN, ALGORITHMIC, LANGUAGES, FURTHER)
PUBLISHED_LENGTH = 50
_MOST = 10**15
_SHAPE = (("layers", "layer"), ("heads", "head"))
_IN_THE_LINE = (
    "encoding", "penalty", "layers", "heads", "width", "lr", "max_steps", "train_lengths", "test_lengths",
)  # fmt: skip


class Judged(NamedTuple):
    """What a cell says about the forecast."""

    judgement: Judgement
    """By the mean over its runs."""
    why: str
    by_runs: Judgement = "not counted"
    """By the share of its runs that work."""


@dataclass(frozen=True, kw_only=True)
class CellView:
    """A cell, what it says about the forecast, and those of its runs that are shown."""

    cell: Cell
    encoding: str
    """Its column in the matrix: the encoding, and a penalty if it has one."""
    runs: tuple[Row, ...] = ()
    curves: tuple[Result, ...] = ()
    """Results whose evaluations are drawn."""
    common: Mapping[str, str]
    """The settings that all runs of the task share."""
    tally: Tally | None = None
    """Its runs counted on the longest range; None where it is not known which of them work."""
    judged: Judged
    chance: float | None = None
    """Of the task, where the tests of its runs do not say theirs; None if that is not known."""
    reasons: tuple[str, ...] = ()
    """Why the runs may do what was not expected, the likeliest first, each with what to try next."""

    @property
    def judgement(self) -> Judgement:
        return self.judged.judgement

    @property
    def is_side(self) -> bool:
        """Whether theory decides its encoding; charts show the others on demand."""
        return self.encoding in ENCODING_SIDES

    @property
    def number(self) -> int:
        """How many runs there are."""
        return len(self.cell.rows)

    @property
    def ranges(self) -> tuple[str, ...]:
        return self.cell.ranges

    @property
    def trained(self) -> str | None:
        """The name of the training range."""
        return training_range(self.cell)

    @property
    def model(self) -> str:
        """The shape of the model and its training in a line."""
        return model_line(self.cell.config)

    @property
    def settings(self) -> list[tuple[str, str]]:
        """What its configuration has that not all runs of the task share."""
        own = written(self.cell.config).items()
        return [(name, value) for name, value in own if name not in self.common and name not in _IN_THE_LINE]

    @property
    def command(self) -> str | None:
        """The command line that makes its runs, where the configuration tells it."""
        return train_command(self.cell.config, [row.seed for row in self.cell.rows])

    @property
    def has_offsets(self) -> bool:
        """Whether accuracies at random offsets are known."""
        return any(
            _is_known(run.accuracy_random_offset.get(name)) for run in self.runs for name in self.ranges
        )

    def worst_loop(self, run: Row) -> float | None:
        """A run's accuracy at the longest range on the probing words of its worst loop or kind."""
        return range_shares(run, "worst loop").get(self.ranges[-1]) if self.ranges else None

    @property
    def worst_words(self) -> str:
        """What the worst of the task's probing words is called."""
        return worst_words(self.cell.task)

    @property
    def has_probes(self) -> bool:
        """Whether any shown run has such an accuracy."""
        return any(self.worst_loop(run) is not None for run in self.runs)

    @property
    def lasts(self) -> list[float]:
        """The accuracies of the shown runs on the longest range."""
        return self.accuracies(self.ranges[-1]) if self.ranges else []

    def chance_at(self, name: str) -> float | None:
        """What guessing reaches on the tests of a range."""
        lengths = read_name(name)
        return None if self.chance is None or lengths is None else self.cell.chance(lengths, self.chance)

    @property
    def last_chance(self) -> float | None:
        """The same on the longest range."""
        return self.chance_at(self.ranges[-1]) if self.ranges else None

    def accuracies(self, name: str) -> list[float]:
        """The accuracies of the shown runs on a range, as far as they are known."""
        return [run.accuracy[name] for run in self.runs if _is_known(run.accuracy.get(name))]

    def lines(self) -> list[list[tuple[str, float]]]:
        """For each shown run that finished, its accuracy by range, as far as it is known."""
        return [
            [(name, run.accuracy[name]) for name in self.ranges if _is_known(run.accuracy.get(name))]
            for run in self.runs
            if run.status == "done"
        ]


def _is_known(value: float | None) -> bool:
    return value is not None and math.isfinite(value)


def training_range(cell: Cell) -> str | None:
    """The name of the range that was trained on."""
    return None if cell.trained is None else cell.trained.name


def model_line(config: Mapping[str, Any]) -> str:
    """The shape of a model and its training in a line.

    >>> model_line({"layers": 1, "width": 16, "lr": 1e-3, "max_steps": 30000})
    '1 layer, width 16, learning rate 0.001, at most 30,000 steps'
    """
    found = {name: setting(config, name) for name in ("layers", "heads", "width", "lr", "max_steps")}
    known = {name: value for name, value in found.items() if is_number(value)}
    whole = {name: value for name, value in known.items() if isinstance(value, int)}
    parts = [counted(whole[name], noun) for name, noun in _SHAPE if name in whole]
    parts += [f"width {known['width']}"] if "width" in known else []
    parts += [f"learning rate {known['lr']:g}"] if "lr" in known else []
    parts += [f"at most {counted(whole['max_steps'], 'step')}"] if "max_steps" in whole else []
    return ", ".join(parts)


def is_number(value: object) -> bool:
    """Whether it can be calculated with; a file may hold integers of any size."""
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < _MOST


def written(config: Mapping[str, Any]) -> dict[str, str]:
    """Settings by their full names, values as JSON has them, strings without quotes."""
    return {
        name: value if isinstance(value, str) else json.dumps(value) for name, value in flat(config).items()
    }


@dataclass(frozen=True, kw_only=True)
class Group:
    """The cells of a task that were trained on the same lengths, one per encoding: a chart."""

    trained: str | None
    cells: tuple[CellView, ...]


@dataclass(frozen=True, kw_only=True)
class TaskView:
    """A task with its forecast and its runs."""

    task: str
    slug: str
    """Its name as it stands in links."""
    known: Known
    alphabet: tuple[str, ...] | None = None
    verdicts: tuple[EncodingView, ...] = ()
    """Also for encodings of which nothing is known but their runs."""
    cells: tuple[CellView, ...] = ()
    chosen: tuple[CellView, ...] = ()
    """One cell per encoding, for the overview."""
    groups: tuple[Group, ...] = ()
    """The cells by the lengths that they were trained on, the shortest first."""
    further: int = 0
    """Configurations that are left out, because there are too many."""
    common: tuple[tuple[str, str], ...] = ()
    """The settings that all its runs share."""

    @property
    def name(self) -> str:
        return TaskName(self.task).short

    @property
    def title(self) -> str:
        return task_title(self.task)

    @property
    def about(self) -> str:
        return self.known.about or ""

    @property
    def kind(self) -> str:
        """The heading under which it stands."""
        if self.task not in BENCHMARK:
            return FURTHER if TaskName(self.task).origin is Origin.BUILT_IN else OWN
        return LANGUAGES if self.known.kind == "language" else ALGORITHMIC

    @property
    def level(self) -> float | None:
        """From which accuracy on the longest range on it counts as working."""
        known = (cell.last_chance for cell in self.chosen)
        chance = next((each for each in known if each is not None), self.known.chance)
        return None if chance is None else ByAccuracy(chance).level

    @property
    def more_encodings(self) -> list[str]:
        """Encodings that its charts show on demand."""
        return list(_on_demand([cell for group in self.groups for cell in group.cells]))

    @property
    def listing(self) -> str | None:
        """The command that lists all its runs, where a shell can be told its name."""
        return command("longreach", "results", "list", f"--task={self.task}", "--all")

    @property
    def forecasting(self) -> str | None:
        """The command that prints its forecast."""
        return self._command("forecast", "--json")

    @property
    def training(self) -> str | None:
        """The command that makes some runs."""
        return self._command("train", "--seeds", "3")

    def _command(self, verb: str, *rest: str) -> str | None:
        letters = [] if self.alphabet is None else ["--alphabet", "".join(self.alphabet)]
        if any(len(letter) != 1 for letter in self.alphabet or ()):
            return None
        return command("longreach", verb, TaskName(self.task).argument, *letters, *rest)

    def verdict(self, encoding: str) -> EncodingView | None:
        """The forecast for an encoding."""
        return next((verdict for verdict in self.verdicts if verdict.encoding == encoding), None)

    def cell(self, encoding: str) -> CellView | None:
        """The chosen cell of an encoding."""
        return next((cell for cell in self.chosen if cell.encoding == encoding), None)


Place: TypeAlias = tuple[TaskView, CellView]


@dataclass(frozen=True, kw_only=True)
class ImportedView:
    """Imported runs of one model on one task, beside own runs of the task."""

    task: str
    slug: str | None
    """Of the task's page, if it has one."""
    runs: tuple[ImportedRun, ...]
    own: str
    """What own runs of the task, with the encoding if it is named, come to at their longest."""

    @property
    def title(self) -> str:
        return task_title(self.task)

    @property
    def ranges(self) -> list[str]:
        return sorted({name for run in self.runs for name in run.accuracy}, key=name_order)

    def shares(self, name: str) -> list[float]:
        """The accuracies on a range, a run each."""
        return [run.accuracy[name] for run in self.runs if name in run.accuracy]


@dataclass(frozen=True, kw_only=True)
class ReportView:
    """The whole report."""

    title: str
    tasks: tuple[TaskView, ...]
    encodings: tuple[str, ...]
    """The columns of the matrix."""
    found: Sequence[Cell]
    """All cells, those that are not shown included."""
    further: int
    """Tasks with runs that are left out, because there are too many."""
    others: int
    """Results that are not of a task under an encoding, and are not shown."""
    damaged: tuple[tuple[str, str], ...]
    """Names and what is wrong."""
    unfinished: tuple[str, ...]
    provenance: tuple[tuple[str, str], ...]
    imported: tuple[ImportedView, ...] = ()
    """Runs that were measured elsewhere: they are in no count."""
    imported_further: int = 0
    """Those of them that are left out, because there are too many."""
    profiles: tuple[Profile, ...] = ()
    """Those that were made of runs of the directory."""

    @property
    def more_encodings(self) -> list[str]:
        """Encodings that charts show on demand."""
        found = _on_demand([cell for task in self.tasks for cell in task.chosen])
        return [name for name in self.encodings if name in found]

    @property
    def cells(self) -> int:
        return len(self.found)

    @property
    def runs(self) -> int:
        return sum(len(cell.rows) for cell in self.found)

    @property
    def successes(self) -> int:
        return sum(len(cell.successful) for cell in self.found)

    @property
    def failed(self) -> int:
        return sum(row.status == "failed" for cell in self.found for row in cell.rows)

    @property
    def sentence(self) -> str:
        return sentence(self.found, len(self.tasks))

    @property
    def agreeing(self) -> int:
        return len(self.places("agrees"))

    @property
    def counted(self) -> int:
        return len(self.places("agrees", "disagrees"))

    @property
    def agreeing_by_runs(self) -> int:
        """Where a cell works when at least half of its runs do, instead of its mean."""
        return len(self.places(by_runs=("agrees",)))

    @property
    def counted_by_runs(self) -> int:
        return len(self.places(by_runs=("agrees", "disagrees")))

    @property
    def groups(self) -> list[tuple[str, list[TaskView]]]:
        """The tasks under their headings."""
        return [(kind, list(found)) for kind, found in groupby(self.tasks, key=lambda task: task.kind)]

    @property
    def measured(self) -> list[TaskView]:
        """The tasks that have runs."""
        return [task for task in self.tasks if task.cells]

    @property
    def unmeasured(self) -> list[TaskView]:
        """The tasks that have none."""
        return [task for task in self.tasks if not task.cells]

    @property
    def disagreements(self) -> list[Place]:
        """The chosen cells whose measurement is not what the forecast says."""
        return self.places("disagrees")

    @property
    def only_by_runs(self) -> list[Place]:
        """The chosen cells that are as forecast by their mean, and not by the share of their runs."""
        found = self.places(by_runs=("disagrees",))
        return [(task, cell) for task, cell in found if cell.judgement != "disagrees"]

    @property
    def uncounted(self) -> list[Place]:
        """The chosen cells that say nothing about the forecast."""
        return self.places("undecided", "not counted", "not measured")

    def places(self, *judgements: Judgement, by_runs: Sequence[Judgement] = ()) -> list[Place]:
        """The chosen cells with one of these judgements, by their mean or by their runs."""
        return [
            (task, cell)
            for task in self.tasks
            for cell in task.chosen
            if cell.judgement in judgements or cell.judged.by_runs in by_runs
        ]


def _on_demand(cells: Sequence[CellView]) -> dict[str, None]:
    """All encodings but those that theory decides, if some of these have runs."""
    found = dict.fromkeys(cell.encoding for cell in cells if not cell.is_side)
    return found if any(cell.is_side for cell in cells) else {}


def sentence(found: Sequence[Cell], tasks: int) -> str:
    """What was measured, and at which scale."""
    if not found:
        return (
            f"No runs yet: the theory's forecasts for {counted(tasks, 'task')}, each with its certificate, "
            "beside the published accuracies."
        )
    runs = counted(sum(len(cell.rows) for cell in found), "run")
    text = f"{runs} of small transformers on {counted(len({cell.task for cell in found}), 'task')}"
    trained = {_end(training_range(cell)) for cell in found} - {0}
    tested = max((_end(name) for cell in found for name in cell.ranges), default=0)
    if trained and tested:
        text += f", trained up to a length of {_span(trained)} and tested up to one of {tested}"
    steps = [value for cell in found if isinstance(value := setting(cell.config, "max_steps"), int)]
    text += f", with at most {counted(max(steps), 'step')}" if steps else ""
    seeds = {len(cell.rows) for cell in found}
    text += f" and {_span(seeds)} seed{'' if seeds == {1} else 's'} each."
    if trained and max(trained) < PUBLISHED_LENGTH:
        text += f" A reduced scale: the published runs train on lengths up to {PUBLISHED_LENGTH}."
    return text


def _end(name: str | None) -> int:
    lengths = read_name(name or "")
    return 0 if lengths is None else lengths.last


def _span(numbers: set[int]) -> str:
    low, high = min(numbers), max(numbers)
    return str(low) if low == high else f"{low} to {high}"
