"""A question with its minutes → the runs that answer it.

First the same training length under every encoding, seeds in rounds, so that whatever is done at the end of
the time has something of everything; then other training lengths under the one that may work, one after the
other, all tested on the same long inputs.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from longreach.answers.forecast import Forecast
from longreach.answers.judge import MeasuredCell
from longreach.answers.sweep import Doubling, Sweep, sweep
from longreach.config.encodings import unknown_encoding
from longreach.config.run import RunConfig
from longreach.errors import Field, InputError
from longreach.runs.cells import ByAccuracy
from longreach.runs.plan import START_SECONDS
from longreach.runs.timed import TimedTraining, kept_share, largest_share, usual_member, with_share
from longreach.runs.train import Watcher, check_runs, check_torch
from longreach.tasks.catalog import file_name, load_argument, self_contained
from longreach.tasks.lengths import LengthRange
from longreach.theory.verdicts.verdict import Answer

# What is asked: a task, under which encodings, with how many seeds, within how many minutes.


@dataclass(frozen=True, kw_only=True)
class Question:
    """A question, checked.

    >>> Question(task="aa").file_stem, Question(task="aa", minutes=-1)
    Traceback (most recent call last):
    longreach.errors.InputError: minutes: -1 is less than 0
    """

    task: str
    """As it was asked for."""
    alphabet: tuple[str, ...] | None = None
    encodings: tuple[str, ...] = ("nope", "ape")
    minutes: float = 2.0
    """Of measuring; 0: the forecast alone."""
    seeds: int = 3
    train_to: int | None = None
    """The longest training length; None: that of the laptop's setting."""

    def __post_init__(self) -> None:
        check_minutes(self.minutes)
        if self.seeds < 1:
            raise InputError(f"{self.seeds} is less than 1", place=Field("seeds"))
        if self.train_to is not None and self.train_to < 1:
            raise InputError(f"{self.train_to} is less than 1", place=Field("train_to"))
        if not self.encodings:
            raise InputError("none is given", place=Field("encoding"))
        for name in self.encodings:
            if (wrong := unknown_encoding(name)) is not None:
                raise InputError(wrong, place=Field("encoding"))
            if self.encodings.count(name) > 1:
                raise InputError(f"{name!r} stands twice", place=Field("encoding"))

    def document(self) -> dict[str, Any]:
        """What makes two questions the same, whatever the file that a task stands in is called."""
        return {
            "task": self_contained(self.task),
            "alphabet": None if self.alphabet is None else list(self.alphabet),
            "encodings": list(self.encodings),
            "minutes": self.minutes,
            "seeds": self.seeds,
            "train_to": self.train_to,
        }

    @property
    def file_stem(self) -> str:
        """How files about it are called, without their endings.

        >>> Question(task="aa").file_stem, Question(task="regex:(ab)*").file_stem
        ('ask-aa', 'ask-regex-ab-aa4b')
        """
        return f"ask-{file_name(self.task, self.alphabet)}"


def check_minutes(minutes: float) -> None:
    """Refuse what is no time."""
    if not math.isfinite(minutes):
        raise InputError(f"{minutes} is no number of minutes", place=Field("minutes"))
    if minutes < 0:
        raise InputError(f"{minutes:g} is less than 0", place=Field("minutes"))


# Which members answer a question within its minutes: the laptop's setting, with fewer steps where needed.


WITHIN = 10
"""The tenth part of the first training length: the answer need not be nearer."""


def first_members(question: Question, share: float) -> list[RunConfig]:
    """A member for each seed and encoding, with this share of the setting's steps.

    >>> [member.encoding for member in first_members(Question(task="aa", seeds=2), 1.0)]
    ['nope', 'ape', 'nope', 'ape']
    >>> first_members(Question(task="aa"), 0.5)[0].max_steps
    500
    """
    return [
        _member(question, encoding, seed, share)
        for seed in range(question.seeds)
        for encoding in question.encodings
    ]


def _member(question: Question, encoding: str, seed: int, share: float) -> RunConfig:
    usual = usual_member(
        question.task,
        encoding,
        alphabet=question.alphabet,
        seed=seed,
        train_lengths=_lengths(question),
    )
    return with_share(usual, share)


def _lengths(question: Question) -> LengthRange | None:
    if question.train_to is None:
        return None
    least = load_argument(question.task, question.alphabet).least_length
    if question.train_to < least:
        message = f"{question.train_to} is less than the shortest input, of length {least}"
        raise InputError(message, place=Field("train_to"))
    return LengthRange(least, question.train_to)


def length_rule(member: RunConfig) -> Doubling:
    """Which training lengths to try besides a member's own: shorter ones where it works, else longer ones.

    >>> member, _ = first_members(Question(task="aa", seeds=1), 1.0)
    >>> rule = length_rule(member)
    >>> rule.next_lengths({20: True}), rule.next_lengths({20: False})
    ((10,), (40,))
    """
    own, tested = member.train_lengths, member.test_lengths[-1]
    within = max(1, own.last // WITHIN)
    return Doubling(first=own.last, least=own.first + 1, most=tested.first - 1, within=within, twice=False)


def trained_to(member: RunConfig, length: int) -> RunConfig:
    """The same member trained to another length, and tested on the longest of the same inputs.

    >>> member, _ = first_members(Question(task="aa", seeds=1), 1.0)
    >>> [each.name for each in trained_to(member, 8).ranges]
    ['2-8', '41-60']
    """
    lengths = LengthRange(member.train_lengths.first, length)
    given = {"train_lengths": list(lengths), "test_lengths": [list(member.test_lengths[-1])]}
    return RunConfig.read({**member.document(), **given})


# Training within the minutes of a question: planned to fit, resumed where it was, ended at the time.


FIRST_PART = 0.6
"""Of the time: for the first training length, where others are to be tried as well."""


@dataclass(frozen=True, kw_only=True)
class Measurement:
    """What was measured, and what was not for want of time."""

    cells: tuple[MeasuredCell, ...] = ()
    """The first training length, by encoding."""
    lengths: tuple[MeasuredCell, ...] = ()
    """Other training lengths of one encoding."""
    share: float = 1.0
    """Of the setting's steps."""
    seconds_for_all: float | None = None
    """About what all steps of the setting would take, where they did not fit."""
    more_lengths: bool = False
    """Whether there was no time for other training lengths that would have been tried."""
    interrupted: bool = False

    @property
    def is_whole(self) -> bool:
        """Whether all that was planned has ended."""
        ended = all(cell.tally.runs == cell.planned for cell in (*self.cells, *self.lengths))
        return ended and not self.more_lengths


def measure(
    question: Question, forecast: Forecast, runs: Path, *, progress: Watcher | None = None
) -> Measurement:
    """Train what fits into the minutes, and count which runs work."""
    if not question.minutes:
        return Measurement()
    check_torch()
    check_runs(runs)
    training = TimedTraining(runs, question.minutes, progress=progress)
    return _Measuring(question, forecast, training).go()


class _Measuring:
    def __init__(self, question: Question, forecast: Forecast, training: TimedTraining) -> None:
        self.question, self.forecast, self.training = question, forecast, training
        self.criterion = ByAccuracy(forecast.task.chance)

    def go(self) -> Measurement:
        training, sweeping = self.training, self._may_work()
        share = self._share(FIRST_PART if sweeping else 1.0)
        first = first_members(self.question, share)
        for_all = None if share == 1.0 else training.seconds(first_members(self.question, 1.0))
        training.train(
            first,
            f"trained to {first[0].train_lengths.last}",
            "then other training lengths" if sweeping else "",
        )
        cells = MeasuredCell.of(first, training.results.values(), self.criterion)
        others = Sweep(cells=()) if training.interrupted else self._others(first, cells)
        return Measurement(
            cells=cells,
            lengths=tuple(cell for cell in others.cells if cell.tally.runs),
            share=share,
            seconds_for_all=for_all,
            more_lengths=others.stopped == "time",
            interrupted=training.interrupted,
        )

    # Which members

    def _may_work(self) -> bool:
        return any(self.forecast.expected(encoding) is not Answer.NO for encoding in self.question.encodings)

    def _share(self, part: float) -> float:
        """The share of steps: as in the plan that was made when the question was first asked."""
        path = self.training.runs / f"{self.question.file_stem}.plan.json"
        seconds = part * self.training.left - START_SECONDS
        return kept_share(
            path,
            self.question.document(),
            lambda: largest_share(
                lambda share: first_members(self.question, share), seconds, self.training.seconds
            ),
        )

    def _others(self, first: Sequence[RunConfig], cells: Sequence[MeasuredCell]) -> Sweep:
        """Other training lengths: the encoding that works best, or could; as many as fit."""
        chosen = self._encoding(cells)
        if chosen is None:
            return Sweep(cells=())
        own = [member for member in first if member.encoding == chosen.encoding]
        return sweep(
            length_rule(own[0]),
            lambda length, seed: trained_to(own[seed], length),
            self.training,
            seeds=len(own),
            criterion=self.criterion,
            known={chosen.train_to: bool(chosen.tally.works)},
            only_what_fits=True,
        )

    def _encoding(self, cells: Sequence[MeasuredCell]) -> MeasuredCell | None:
        finished = [cell for cell in cells if cell.tally.runs == cell.planned]
        working = [cell for cell in finished if cell.tally.works]
        if working:
            return max(
                working,
                key=lambda cell: (self.forecast.expected(cell.encoding) is Answer.YES, cell.tally.work),
            )
        hopeful = [cell for cell in finished if self.forecast.expected(cell.encoding) is not Answer.NO]
        # Longer training inputs are no remedy for runs that did not learn the shorter ones.
        hopeful = [cell for cell in hopeful if 2 * cell.tally.learned >= cell.tally.runs]
        return max(hopeful, key=lambda cell: cell.tally.work, default=None)
