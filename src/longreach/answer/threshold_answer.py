"""A task in, the training length from which on runs work out, with every run and what theory says."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from longreach import notebook
from longreach.answer.loss_theory import LossTheory
from longreach.answer.question import check_minutes
from longreach.answer.threshold_curve import Threshold
from longreach.answer.threshold_question import ThresholdQuestion
from longreach.answer.threshold_rule import start_of
from longreach.answer.threshold_sweep import Stop, sweep
from longreach.answer.threshold_theory import TheoryOfLengths, length_theory
from longreach.comparison.criterion import Criterion
from longreach.comparison.measured_cell import MeasuredCell
from longreach.config.any_member import AnyMember
from longreach.config.regression_name import FAMILIES, RegressionName
from longreach.config.scales import Scale
from longreach.config.task_name import TaskName
from longreach.errors import Argument, InputError
from longreach.experiments.engine_makers import EngineMaker
from longreach.experiments.running import Watcher, check_runs, check_torch
from longreach.experiments.timed_training import TimedTraining
from longreach.forecast import Forecast, forecast
from longreach.results.schema import Result
from longreach.tasks.task import Task
from longreach.tasks.task_to_name import name_of_task
from longreach.verdicts.plain_words import side_title

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MINUTES = 10.0
NOTHING_TRAINED = f"nothing was trained: --minutes {MINUTES:g} goes on with the search"
ENDS: dict[Stop | None, str] = {
    None: "",
    "time": "the time was over before the search was: the same command goes on where it was",
    "interrupted": "interrupted: the same command goes on where it was",
    "failed": "a run failed, and the search ended there: the same command tries it again",
    "not learned": (
        "no run is good on its own training lengths, so longer ones were not tried: "
        "more steps, or a larger model"
    ),
}


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class ThresholdAnswer:
    """From which training length on, with every run behind it."""

    question: ThresholdQuestion
    forecast: Forecast | None
    """None where answers are numbers."""
    cells: tuple[MeasuredCell, ...]
    """With finished runs, by training length."""
    stopped: Stop | None
    failed: tuple[Result, ...]
    waiting: tuple[AnyMember, ...]
    """What is to be trained next."""
    minutes: float | None
    """That it was given; None: as long as it takes."""
    seconds: float
    norm: float | None = None
    """The largest L of runs at the threshold, where answers are numbers and models have one layer."""

    @cached_property
    def curve(self) -> Threshold | None:
        """What the runs say together; None without any."""
        return Threshold.of_cells(self.cells, least=self.question.shortest)

    @property
    def threshold(self) -> int | None:
        """The least training length from which on all that were measured work; None if there is none."""
        return None if self.curve is None else self.curve.start

    @cached_property
    def theory(self) -> TheoryOfLengths:
        """What is known, for bounds of trained models with what was read off them."""
        if self.forecast is None:
            return LossTheory.of(self.question.task, self.criterion.level, self.norm)
        return length_theory(self.forecast, self.question.encoding)

    @property
    def criterion(self) -> Criterion:
        """When a run works."""
        return self.question.criterion

    @property
    def title(self) -> str:
        """The task and the encoding."""
        if self.forecast is None:
            return self.question.task
        name = TaskName(self.forecast.name)
        task = self.forecast.task.name if name.is_session else TaskName(name.short).expression
        return f"{task} {side_title(self.question.encoding)}"

    @property
    def tested_words(self) -> str:
        """What runs were tested on."""
        if self.question.to is None:
            return "two to three times the training length"
        tested = self.question.tested(0)
        return f"lengths {tested.first}–{tested.last}"

    @property
    def or_less(self) -> bool:
        """Whether the shortest length that was tried works already, and shorter ones are possible."""
        return self.curve is not None and self.threshold is not None and self.curve.is_open_below

    @property
    def bounds_words(self) -> tuple[str, ...]:
        """The bounds of theory beside what was measured, a line each."""
        return self.theory.bounds_words(self.threshold, or_less=self.or_less)

    @property
    def words(self) -> str:
        """The answer in a line."""
        if self.curve is None:
            return "not known: no run has finished"
        return self.curve.words

    @property
    def sentence(self) -> str:
        """The same, with its verb."""
        if self.curve is None:
            return self.words
        longest = self.cells[-1].train_to
        return (
            f"works {self.words}" if self.threshold else f"does not work from any length up to {longest} on"
        )

    @property
    def remarks(self) -> tuple[str, ...]:
        """What else is to be said of the answer."""
        end = NOTHING_TRAINED if self.stopped == "time" and not self.minutes else ENDS[self.stopped]
        said = ["" if self.curve is None else self.curve.remark, end]
        return tuple(each for each in said if each)

    def document(self) -> dict[str, Any]:
        """As `longreach threshold --json` prints it."""
        question, curve = self.question, self.curve
        return {
            "task": question.task if self.forecast is None else self.forecast.name,
            "encoding": question.encoding,
            "target": question.target,
            "points": [_point(cell) for cell in self.cells],
            "threshold": self.threshold,
            "words": self.words,
            "exact": curve is not None and curve.is_exact,
            "or_less": self.or_less,
            "worked_below": [] if curve is None else list(curve.worked_below),
            "seeds": question.seeds,
            "whole": self.stopped in (None, "not learned"),
            "stopped": self.stopped,
            **({"loss": self.criterion.level} if question.has_numbers else {}),
            "theory": self.theory.document(self.threshold),
            "seconds": round(self.seconds, 1),
        }

    def plot(self, ax: Axes | None = None) -> Axes:
        """Accuracy by training length, every run a mark, with the answer and the bounds of theory."""
        from longreach.answer.threshold_figure import plot_threshold

        return plot_threshold(self, ax)

    def __repr__(self) -> str:
        lines = [f"{self.title}, tested on {self.tested_words}", f"  {self.sentence}"]
        lines += [f"  {self.curve.counts}"] if self.curve is not None else []
        return "\n".join([*lines, *(f"  {each}" for each in self.remarks), f"theory: {self.theory.words}"])

    def _repr_html_(self) -> str:
        rows = [
            [cell.train_to, cell.tested.name, f"{cell.tally.work} of {cell.tally.runs}", self._shown(cell)]
            for cell in self.cells
        ]
        note = "; ".join([self.sentence, *self.remarks, f"theory: {self.theory.words}"])
        return notebook.table(
            ["trained to", "tested", "work", self.criterion.name], rows, title=self.title, note=note
        )

    def _shown(self, cell: MeasuredCell) -> str:
        return ", ".join(
            f"{value:.2g}" if self.question.has_numbers else f"{100 * value:.1f} %" for value in cell.values
        )


def _point(cell: MeasuredCell) -> dict[str, Any]:
    return {
        "train_to": cell.train_to,
        "runs": cell.tally.runs,
        "work": cell.tally.work,
        "accuracy": list(cell.accuracy),
        "tested": cell.tested.name,
        "learned": cell.tally.learned,
        "steps": cell.steps,
        "keys": list(cell.keys),
        **({"loss": list(cell.loss)} if cell.loss else {}),
    }


def _plan(question: ThresholdQuestion, minutes: float | None) -> str:
    tested = question.tested(0)
    at = "2 to 3 times as long inputs" if question.to is None else f"lengths {tested.first}–{tested.last}"
    time_given = "" if minutes is None else f", within {minutes:g} minutes"
    return f"searching for the training length: {question.rule.words}, tested on {at}{time_given}"


def threshold(
    task: str | Task,
    encoding: str | None = None,
    *,
    to: int | None = None,
    loss: float | None = None,
    seeds: int = 3,
    most: int | None = None,
    within: int = 1,
    lengths: Sequence[int] | None = None,
    every_seed: bool = False,
    minutes: float | None = MINUTES,
    alphabet: Sequence[str] | None = None,
    scale: Scale = "laptop",
    runs: str | Path = "runs",
    engine: EngineMaker | None = None,
    here: bool = True,
    progress: Watcher | None = None,
    **settings: Any,
) -> ThresholdAnswer:
    """Search for the least training length from which on runs work at length `to`, or at 3 times it.

    The encoding is `ape` if none is given, and that of the task where answers are numbers; there runs work
    when their loss is at most `loss`. What was measured before is not measured again. With `minutes=0`
    nothing is trained, and what is there counts; with None it takes as long as it takes.

    >>> found = threshold("aa", to=60, minutes=0, runs="no-such-directory")
    >>> found.threshold, str(found.theory.bounds[0].value)
    (None, '2')
    """
    started = time.monotonic()
    if minutes is not None:
        check_minutes(minutes)
    name, letters = _name(task, alphabet)
    has_numbers = RegressionName.is_one(name)
    usual = FAMILIES[RegressionName.read(name).family].encoding if has_numbers else "ape"
    question = ThresholdQuestion(
        task=name, alphabet=letters, encoding=encoding or usual, to=to, seeds=seeds, most=most, within=within,
        lengths=None if lengths is None else tuple(lengths), scale=scale, settings=settings, loss=loss,
    )  # fmt: skip
    known = None if has_numbers else forecast(name, letters)
    if minutes != 0:
        check_torch()
    training = TimedTraining(check_runs(runs), minutes, engine=engine, progress=progress, here=here)
    if minutes != 0:
        training.progress.say(_plan(question, minutes))
    found = sweep(
        question.rule, question.member, training,
        seeds=seeds, criterion=question.criterion, every_seed=every_seed,
    )  # fmt: skip
    measured = [cell for cell in found.cells if cell.tally.runs]
    start = start_of({cell.train_to: bool(cell.tally.works) for cell in measured})
    reached = [cell for cell in measured if cell.train_to == start]
    return ThresholdAnswer(
        question=question,
        forecast=known,
        cells=tuple(sorted(measured, key=lambda cell: cell.train_to)),
        stopped=found.stopped,
        failed=tuple(training.failed.values()),
        waiting=found.waiting,
        minutes=minutes,
        seconds=time.monotonic() - started,
        norm=_norm(training, reached),
    )


def _name(task: str | Task, alphabet: Sequence[str] | None) -> tuple[str, tuple[str, ...] | None]:
    """How results name the task."""
    if isinstance(task, str) and RegressionName.is_one(task):
        try:
            return RegressionName.read(task).text, None if alphabet is None else tuple(alphabet)
        except InputError as error:
            raise error.at(Argument("task")) from None
    return name_of_task(task, alphabet)


def _norm(training: TimedTraining, cells: Sequence[MeasuredCell]) -> float | None:
    finals = [training.results[key].final for cell in cells for key in cell.keys]
    return max((each.other["L"] for each in finals if each and "L" in each.other), default=None)
