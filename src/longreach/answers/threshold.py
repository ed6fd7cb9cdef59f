"""TASK → the least training length from which on runs work, with every run and a figure.

The *target* is "3N" or a length L. The inputs that a model trained to N is tested on are those with lengths
in (2N, 3N], or in (2L/3, L]: the same lengths, where L is 3N.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import groupby
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np

from longreach.answers.forecast import Forecast, forecast
from longreach.answers.judge import MeasuredCell
from longreach.answers.question import Problem, refuse, time_problems
from longreach.answers.sweep import Doubling, Grid, Stop, Strategy, Sweep, Threshold
from longreach.answers.threshold_theory import LengthTheory, length_theory, loss_theory
from longreach.config.model import CellLabel
from longreach.config.run import RunConfig
from longreach.config.scales import Scale
from longreach.errors import Argument, Field, InputError
from longreach.runs.cells import ByAccuracy, ByLoss, Criterion
from longreach.runs.resolve import resolve
from longreach.runs.timed import TimedTraining
from longreach.runs.train import EngineMaker, Watcher, check_runs, check_torch
from longreach.tasks.catalog import file_name, load_argument, name_of_task
from longreach.tasks.lengths import LengthRange
from longreach.tasks.names import NUMBER_FAMILIES, FamilyName, has_numbers
from longreach.tasks.numbers import RegressionTask, load_regression
from longreach.tasks.task import IntArray, Task
from longreach.training.result import Result
from longreach.wording import Table

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Target: TypeAlias = int | Literal["3N"]

FIRST = 5
"""Where doubling begins: 5, 10, 20, 40. The laptop's own training length is 20."""
MOST = 40
"""The longest training length to try at 3N, unless another is given."""
LONGEST = 20_000
"""Of all lengths: attention over longer inputs does not fit into memory."""
CHOSEN_HERE = ("train_lengths", "test_lengths", "seed")


@dataclass(frozen=True, kw_only=True)
class ThresholdQuestion:
    """A task, an encoding or another model, a target, and how training lengths are chosen.

    >>> question = ThresholdQuestion(task="aa", to=60)
    >>> question.tested(8).name, question.tested(20).name, question.rule.most
    ('41-60', '41-60', 40)
    >>> ThresholdQuestion(task="aa").tested(8).name
    '17-24'
    """

    task: str
    alphabet: tuple[str, ...] | None = None
    encoding: str = "ape"
    to: int | None = None
    """The long length L; None: three times the training length."""
    seeds: int = 3
    most: int | None = None
    """The longest training length to try; None: just below the tested lengths, or `MOST` at 3N."""
    within: int = 1
    """How near to the least length: with 1 the length before it was measured as well."""
    lengths: tuple[int, ...] | None = None
    """Training lengths to measure, instead of a search."""
    scale: Scale = "laptop"
    settings: Mapping[str, Any] = field(default_factory=dict)
    """Of training, where they are not those of the scale."""
    loss: float | None = None
    """Up to which a run works, where answers are numbers; None: that of the task's family."""

    def __post_init__(self) -> None:
        refuse(self._problems())
        self.member(self.shortest, 0)  # what is wrong with the settings is said before anything trains

    def _problems(self) -> Iterator[Problem]:
        for name in ("seeds", "within", "most", "to"):
            value = getattr(self, name)
            if value is not None and not 1 <= value <= LONGEST:
                bound = "least 1" if value < 1 else f"most {LONGEST}"
                yield name, f"must be at {bound}, not {value}"
        if self.lengths == ():
            yield "lengths", "none is given"
        if not all(1 <= length <= LONGEST for length in self.lengths or ()):
            yield "lengths", f"not all are from 1 to {LONGEST}"
        if self.loss is not None and not self.has_numbers:
            yield "loss", "only for tasks whose answers are numbers"
        if self.loss is not None and not 0 < self.loss < inf:
            yield "loss", f"{self.loss:g} is not a number above 0"
        for name in CHOSEN_HERE:
            if name in self.settings:
                yield name, "the search chooses these itself"
        least, tested = self.loaded.least_length, self.tested(0)
        if self.to is not None and self.to < least:
            yield "to", f"{self.to} is less than the shortest input, of length {least}"
        if self.to is not None and not self._has(tested):
            yield "to", f"no input has a length from {tested.first} to {tested.last}"
        if self.to is not None and not self._possible:
            left = f"between the shortest input, of length {least}, and the tested ones, {tested.first} to"
            yield "to", f"{self.to} leaves no training length {left} {tested.last}"
        if not self._possible:
            reason = f"no length from {least + 1} to {self.longest_asked} has inputs 2 to 3 times as long"
            yield "task" if self.most is None else "most", reason
        for length in self.lengths or ():
            if length not in self._possible:
                possible = f"lengths from {self.shortest} to {self._possible[-1]} are"
                reason = (
                    f"{length} is not possible: {possible}, with inputs to train on below the tested ones"
                )
                yield "lengths", reason

    @property
    def has_numbers(self) -> bool:
        return has_numbers(self.task)

    @cached_property
    def loaded(self) -> Task | RegressionTask:
        return load_regression(self.task) if self.has_numbers else load_argument(self.task, self.alphabet)

    @cached_property
    def criterion(self) -> Criterion:
        if isinstance(self.loaded, RegressionTask):
            return ByLoss(self.loss or NUMBER_FAMILIES[self.loaded.named.family].loss)
        return ByAccuracy(self.loaded.chance)

    @property
    def target(self) -> Target:
        return "3N" if self.to is None else self.to

    def tested(self, train_to: int) -> LengthRange:
        """The lengths that a model which is trained to a length is tested on."""
        if self.to is None:
            return LengthRange(2 * train_to + 1, 3 * train_to)
        return LengthRange(2 * self.to // 3 + 1, self.to)

    @property
    def longest_asked(self) -> int:
        """The longest training length, whether or not it has inputs to be tested on."""
        if self.to is None:
            return max((self.most or MOST, *(self.lengths or ())))
        below = self.tested(0).first - 1
        return below if self.most is None else min(self.most, below)

    @cached_property
    def _possible(self) -> tuple[int, ...]:
        """The training lengths that have inputs to test on; of several stretches of them the longest."""
        lengths = range(self.loaded.least_length + 1, self.longest_asked + 1)
        if self.to is not None:
            return tuple(lengths) if self._has(self.tested(0)) else ()
        groups = groupby(lengths, lambda length: self._has(self.tested(length)))
        return max((tuple(group) for has, group in groups if has), key=len, default=())

    def _has(self, lengths: LengthRange) -> bool:
        """Whether there is an input with one of these lengths."""
        return bool(self._inputs[lengths.last] > self._inputs[lengths.first - 1])

    @cached_property
    def _inputs(self) -> IntArray:
        """By length, how many lengths up to it have inputs."""
        span = np.arange(1 + (3 * self.longest_asked if self.to is None else self.to), dtype=np.int64)
        return np.cumsum(self.loaded.has(span), dtype=np.int64)

    @property
    def shortest(self) -> int:
        """The shortest training length that can be tried."""
        return self._possible[0]

    @property
    def rule(self) -> Strategy:
        if self.lengths is not None:
            return Grid(lengths=tuple(dict.fromkeys(self.lengths)))
        return Doubling(
            first=FIRST,
            least=self.shortest,
            most=self._possible[-1],
            within=self.within,
            twice=True,
            far=MOST,
        )

    def member(self, train_to: int, seed: int) -> RunConfig:
        """What is trained: at 3N the same as by `longreach train`, so that what is done there is done here.

        >>> question = ThresholdQuestion(task="aa")
        >>> question.member(20, 0).key == resolve("aa").key
        True
        """
        known: dict[int, RunConfig] = self._members
        if train_to not in known:
            known[train_to] = resolve(
                self.task, **CellLabel.read(self.encoding).settings, scale=self.scale, alphabet=self.alphabet,
                train_lengths=LengthRange(self.loaded.least_length, train_to),
                test_lengths=self._tests(train_to), **self.settings,
            )  # fmt: skip
        return known[train_to].with_seed(seed)

    @cached_property
    def _members(self) -> dict[int, RunConfig]:
        return {}

    def _tests(self, train_to: int) -> tuple[LengthRange, ...]:
        tested = self.tested(train_to)
        between = LengthRange(train_to + 1, 2 * train_to)
        return (between, tested) if self.to is None and self._has(between) else (tested,)

    @property
    def file_stem(self) -> str:
        """How files about it are called, without their endings.

        >>> ThresholdQuestion(task="aa", to=60).file_stem
        'threshold-aa-ape-60'
        """
        name = file_name(self.task, self.alphabet)
        model = re.sub(r"[^A-Za-z0-9]+", "-", self.encoding).strip("-")
        return f"threshold-{name}-{model}-{self.target}"


# The answer


MINUTES = 10.0
UNTRIED = "longer training lengths were not tried"
NOTHING_TRAINED = f"nothing was trained: use --minutes {MINUTES:g} to search"
ENDS: dict[Stop | None, str] = {
    None: "",
    "time": "out of time before the search was done: run the same command again to resume",
    "interrupted": "interrupted: run the same command again to resume",
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
    curve: Threshold | None
    """What the runs say together; None without any."""
    stopped: Stop | None
    failed: tuple[Result, ...]
    waiting: tuple[RunConfig, ...]
    """What is to be trained next."""
    minutes: float | None
    """That it was given; None: as long as it takes."""
    seconds: float
    results: Mapping[str, Result]

    @property
    def cells(self) -> tuple[MeasuredCell, ...]:
        """With finished runs, by training length."""
        return () if self.curve is None else self.curve.cells

    @property
    def threshold(self) -> int | None:
        """The least training length from which on all that were measured work; None if there is none."""
        return None if self.curve is None else self.curve.start

    @cached_property
    def theory(self) -> LengthTheory:
        """What is known, for bounds of trained models with what was read off them."""
        if self.forecast is None:
            return loss_theory(self.question.task, self.criterion.level, self.norm)
        return length_theory(self.forecast, self.question.encoding)

    @property
    def norm(self) -> float | None:
        """The largest L of runs at the threshold, where answers are numbers and models have one layer."""
        keys = [key for cell in self.cells if cell.train_to == self.threshold for key in cell.keys]
        finals = [self.results[key].final for key in keys]
        return max((each.other["L"] for each in finals if each and "L" in each.other), default=None)

    @property
    def criterion(self) -> Criterion:
        return self.question.criterion

    @property
    def title(self) -> str:
        if self.forecast is None:
            return self.question.task
        return f"{self.forecast.title} {CellLabel.read(self.question.encoding).words}"

    @property
    def tested_words(self) -> str:
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
        return "not known: no run has finished" if self.curve is None else self.curve.words

    @property
    def sentence(self) -> str:
        """The same, with its verb."""
        if self.curve is None:
            return self.words
        if self.threshold:
            right = self.curve.right_words
            return f"works {self.words}{': ' if right else ''}{right}"
        return f"does not work from any length up to {self.cells[-1].train_to} on"

    @property
    def remarks(self) -> tuple[str, ...]:
        """What else is to be said of the answer."""
        end = NOTHING_TRAINED if self.stopped == "time" and not self.minutes else ENDS[self.stopped]
        # A length works only if longer ones do.
        untried = end and self.threshold is not None and self.threshold == self.cells[-1].train_to
        said = ["" if self.curve is None else self.curve.remark, UNTRIED if untried else "", end]
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
            "right_from": {}
            if curve is None
            else {str(share): length for share, length in curve.right_from.items()},
            "seeds": question.seeds,
            "whole": self.stopped in (None, "not learned"),
            "stopped": self.stopped,
            **({"loss": self.criterion.level} if question.has_numbers else {}),
            "theory": self.theory.document(self.threshold),
            "seconds": round(self.seconds, 1),
        }

    def plot(self, ax: Axes | None = None) -> Axes:
        """Accuracy by training length, every run a mark, with the answer and the bounds of theory."""
        from longreach.answers.threshold_figure import plot_threshold

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
        return Table(
            ["trained to", "tested", "work", self.criterion.name], rows, title=self.title, note=note
        ).html()

    def _shown(self, cell: MeasuredCell) -> str:
        return ", ".join(
            f"{value:.2g}" if self.question.has_numbers else f"{100 * value:.1f} %" for value in cell.values
        )


def _point(cell: MeasuredCell) -> dict[str, Any]:
    known, values = cell.document(), list(cell.values)
    by_loss = cell.criterion.name == "loss"
    return {
        **{name: known[name] for name in ("train_to", "runs", "work")},
        "accuracy": [] if by_loss else values,
        **{name: known[name] for name in ("tested", "learned", "steps", "keys")},
        "chance": known["chance"].get(cell.tested.name),
        **({"loss": values} if by_loss else {}),
    }


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
    """Find the shortest training length from which runs work at length `to`, or at three times that length.

    The default encoding is `ape`, or the task's own where answers are numbers; there a run works if its loss
    is at most `loss`. Finished runs are reused. `minutes=0` trains nothing and uses existing runs only; None
    sets no time limit.

    >>> found = threshold("aa", to=60, minutes=0, runs="no-such-directory")
    >>> found.threshold, str(found.theory.bounds[0].value)
    (None, '2')
    """
    started = time.monotonic()
    if minutes is not None:
        refuse(time_problems(minutes))
    name, letters = _name(task, alphabet)
    by_loss = has_numbers(name)
    usual = NUMBER_FAMILIES[FamilyName.read(name).family].encoding if by_loss else "ape"
    if architecture := settings.pop("architecture", None):
        options = {"model_options": settings.pop("model_options", {})}
        label = CellLabel.of({"encoding": encoding or usual, "architecture": architecture, **options})
        if encoding is not None and (lack := label.row.lacks("positions")) is not None:
            raise InputError(lack, place=Field("encoding"))
        encoding = label.name
    question = ThresholdQuestion(
        task=name, alphabet=letters, encoding=encoding or usual, to=to, seeds=seeds, most=most, within=within,
        lengths=None if lengths is None else tuple(lengths), scale=scale, settings=settings, loss=loss,
    )  # fmt: skip
    known = None if by_loss else forecast(name, letters)
    if minutes != 0:
        check_torch()
    training = TimedTraining(check_runs(runs), minutes, engine=engine, progress=progress, here=here)
    if minutes != 0:
        tested = question.tested(0)
        at = "2 to 3 times as long inputs" if to is None else f"lengths {tested.first}–{tested.last}"
        within_time = "" if minutes is None else f", within {minutes:g} minutes"
        plan = f"searching for the training length: {question.rule.words}, tested on {at}{within_time}"
        training.progress.say(plan)
    found = Sweep(
        rule=question.rule,
        member_of=question.member,
        training=training,
        seeds=seeds,
        criterion=question.criterion,
        every_seed=every_seed,
    ).run()
    return ThresholdAnswer(
        question=question,
        forecast=known,
        curve=Threshold.of(found.cells, least=question.shortest),
        stopped=found.stopped,
        failed=tuple(training.failed.values()),
        waiting=found.waiting,
        minutes=minutes,
        seconds=time.monotonic() - started,
        results=training.results,
    )


def _name(task: str | Task, alphabet: Sequence[str] | None) -> tuple[str, tuple[str, ...] | None]:
    if isinstance(task, str) and has_numbers(task):
        try:
            return FamilyName.read(task).text, None if alphabet is None else tuple(alphabet)
        except InputError as error:
            raise error.at(Argument("task")) from None
    return name_of_task(task, alphabet)
