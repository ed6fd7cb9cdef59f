"""A task in, the training length from which on runs work out, with every run and what theory says."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from longreach import notebook
from longreach.answer.question import check_minutes
from longreach.answer.threshold_curve import Threshold
from longreach.answer.threshold_question import ThresholdQuestion
from longreach.answer.threshold_sweep import Stop, sweep
from longreach.answer.threshold_theory import LengthTheory, bound_words, length_theory
from longreach.comparison.measured_cell import MeasuredCell
from longreach.comparison.tally import level_of
from longreach.config.scales import Scale
from longreach.config.task_name import TaskName
from longreach.config.training import TrainConfig
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
        "no run is half way right on its own training lengths, so longer ones were not tried: "
        "more steps, or a larger model"
    ),
}


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class ThresholdAnswer:
    """From which training length on, with every run behind it."""

    question: ThresholdQuestion
    forecast: Forecast
    cells: tuple[MeasuredCell, ...]
    """With finished runs, by training length."""
    stopped: Stop | None
    failed: tuple[Result, ...]
    waiting: tuple[TrainConfig, ...]
    """What is to be trained next."""
    minutes: float | None
    """That it was given; None: as long as it takes."""
    seconds: float

    @cached_property
    def curve(self) -> Threshold | None:
        """What the runs say together; None without any."""
        return Threshold.of_cells(self.cells, least=self.question.shortest)

    @property
    def threshold(self) -> int | None:
        """The least training length from which on all that were measured work; None if there is none."""
        return None if self.curve is None else self.curve.start

    @cached_property
    def theory(self) -> LengthTheory:
        """What is known without any run."""
        return length_theory(self.forecast, self.question.encoding)

    @property
    def chance(self) -> float:
        """What guessing gets right on long inputs."""
        return self.forecast.task.chance

    @property
    def level(self) -> float:
        """The least accuracy that works."""
        return level_of(self.chance)

    @property
    def title(self) -> str:
        """The task and the encoding."""
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
        bounds = self.theory.bounds
        return tuple(bound_words(each, self.threshold, or_less=self.or_less) for each in bounds)

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
            "task": self.forecast.name,
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
            [cell.train_to, cell.tested.name, f"{cell.tally.work} of {cell.tally.runs}", _shares(cell)]
            for cell in self.cells
        ]
        note = "; ".join([self.sentence, *self.remarks, f"theory: {self.theory.words}"])
        return notebook.table(["trained to", "tested", "work", "accuracy"], rows, title=self.title, note=note)


def _shares(cell: MeasuredCell) -> str:
    return ", ".join(f"{100 * share:.1f} %" for share in cell.accuracy)


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
    }


def _plan(question: ThresholdQuestion, minutes: float | None) -> str:
    tested = question.tested(0)
    at = "2 to 3 times as long inputs" if question.to is None else f"lengths {tested.first}–{tested.last}"
    time_given = "" if minutes is None else f", within {minutes:g} minutes"
    return f"searching for the training length: {question.rule.words}, tested on {at}{time_given}"


def threshold(
    task: str | Task,
    encoding: str = "ape",
    *,
    to: int | None = None,
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

    What was measured before is not measured again. With `minutes=0` nothing is trained, and what is there
    counts; with None it takes as long as it takes.

    >>> found = threshold("aa", to=60, minutes=0, runs="no-such-directory")
    >>> found.threshold, str(found.theory.bounds[0].value)
    (None, '2')
    """
    started = time.monotonic()
    if minutes is not None:
        check_minutes(minutes)
    name, letters = name_of_task(task, alphabet)
    question = ThresholdQuestion(
        task=name, alphabet=letters, encoding=encoding, to=to, seeds=seeds, most=most, within=within,
        lengths=None if lengths is None else tuple(lengths), scale=scale, settings=settings,
    )  # fmt: skip
    known = forecast(name, letters)
    if minutes != 0:
        check_torch()
    training = TimedTraining(check_runs(runs), minutes, engine=engine, progress=progress, here=here)
    if minutes != 0:
        training.progress.say(_plan(question, minutes))
    found = sweep(
        question.rule, question.member, training,
        seeds=seeds, chance=known.task.chance, every_seed=every_seed,
    )  # fmt: skip
    measured = [cell for cell in found.cells if cell.tally.runs]
    return ThresholdAnswer(
        question=question,
        forecast=known,
        cells=tuple(sorted(measured, key=lambda cell: cell.train_to)),
        stopped=found.stopped,
        failed=tuple(training.failed.values()),
        waiting=found.waiting,
        minutes=minutes,
        seconds=time.monotonic() - started,
    )
