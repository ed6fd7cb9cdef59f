"""Trying remedies within minutes: original and remedy side by side, the next one if the first fails."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from longreach.advice.remedy import Remedy
from longreach.advice.trial_members import (
    AdviceQuestion,
    original_encoding,
    original_members,
    remedy_members,
)
from longreach.comparison.criterion import ByAccuracy
from longreach.comparison.measured_cell import MeasuredCell
from longreach.config.length_range import LengthRange
from longreach.config.training import TrainConfig
from longreach.errors import InputError
from longreach.experiments.planning import START_SECONDS
from longreach.experiments.running import Watcher, check_runs, check_torch
from longreach.experiments.timed_training import TimedTraining, kept_share, largest_share
from longreach.forecast import Forecast
from longreach.results.schema import Result
from longreach.tasks.catalog import load_task

FIRST_PART = 0.7
"""Of the time: for the first remedy, where there are more."""


@dataclass(frozen=True, kw_only=True)
class Trial:
    """Runs of the original or of a remedy, and how right they are at each range of lengths."""

    task: str
    encoding: str
    cell: MeasuredCell
    """At the longest range."""
    curves: tuple[tuple[tuple[LengthRange, float], ...], ...]
    """Of each run the accuracy by range, the training range first."""

    @property
    def works(self) -> bool | None:
        """Whether at least half of the runs work on the longest inputs; None without runs."""
        return self.cell.tally.works

    def span(self, lengths: LengthRange) -> tuple[float, float] | None:
        """The worst and the best accuracy of a run at these lengths; None if none was measured."""
        shares = [share for curve in self.curves for each, share in curve if each == lengths]
        return (min(shares), max(shares)) if shares else None

    def document(self) -> dict[str, Any]:
        """As JSON has it."""
        return {
            "task": self.task,
            **self.cell.document(),
            "accuracy": [{lengths.name: share for lengths, share in curve} for curve in self.curves],
        }


@dataclass(frozen=True, kw_only=True)
class Trials:
    """What was tried, and what was not for want of time."""

    original: Trial | None = None
    tried: tuple[tuple[Remedy, Trial], ...] = ()
    untried: tuple[tuple[Remedy, float], ...] = ()
    """With the seconds that trying them takes, about."""
    refused: tuple[tuple[Remedy, str], ...] = ()
    """Those that the lengths of the question leave no room for, and why."""
    share: float = 1.0
    interrupted: bool = False

    @property
    def working(self) -> tuple[Remedy, Trial] | None:
        """The first remedy that works on the longest inputs."""
        return next((pair for pair in self.tried if pair[1].works), None)

    @property
    def failed(self) -> tuple[Remedy, ...]:
        """Those that were tried and do not work."""
        return tuple(remedy for remedy, trial in self.tried if trial.works is False)


def try_remedies(
    question: AdviceQuestion,
    forecast: Forecast,
    remedies: Sequence[Remedy],
    runs: Path,
    *,
    progress: Watcher | None = None,
) -> Trials:
    """Train what fits into the minutes; what was trained before is read, and the same question goes on."""
    if not question.minutes or not remedies:
        return Trials()
    check_torch()
    check_runs(runs)
    return _Trying(
        question, forecast, remedies, TimedTraining(runs, question.minutes, progress=progress)
    ).go()


class _Trying:
    def __init__(
        self,
        question: AdviceQuestion,
        forecast: Forecast,
        remedies: Sequence[Remedy],
        training: TimedTraining,
    ) -> None:
        self.question, self.forecast, self.remedies, self.training = question, forecast, remedies, training
        self.encoding = original_encoding(remedies, forecast.stored)

    def go(self) -> Trials:
        training, first = self.training, self.remedies[0]
        share = self._share()
        members = self._pair(share)
        training.train(members, f"of {self._name} and of {first.name}")
        original = self._trial(self.question.task, members[::2], self.forecast.task.chance)
        tried = [(first, self._remedy_trial(first, members[1::2]))]
        untried, refused = list[tuple[Remedy, float]](), list[tuple[Remedy, str]]()
        for remedy in self.remedies[1:]:
            if training.interrupted or any(trial.works for _, trial in tried):
                break
            try:
                members = remedy_members(self.question, remedy, share)
            except InputError as error:
                refused.append((remedy, error.message))
                continue
            seconds = training.seconds(members)
            if seconds and seconds > training.left - START_SECONDS:
                untried.append((remedy, seconds))
                continue
            training.train(members, f"of {remedy.name}")
            tried.append((remedy, self._remedy_trial(remedy, members)))
        return Trials(
            original=original,
            tried=tuple(tried),
            untried=tuple(untried),
            refused=tuple(refused),
            share=share,
            interrupted=training.interrupted,
        )

    @property
    def _name(self) -> str:
        return f"{self.forecast.name} with {self.encoding}"

    def _pair(self, share: float) -> list[TrainConfig]:
        """Original and remedy in turns, so that whatever is done at the end has something of both."""
        changed = remedy_members(self.question, self.remedies[0], share)
        plain = original_members(self.question, self.encoding, changed[0])
        return [member for pair in zip(plain, changed, strict=True) for member in pair]

    def _share(self) -> float:
        part = FIRST_PART if len(self.remedies) > 1 else 1.0
        seconds = part * self.training.left - START_SECONDS
        path = self.training.runs / f"{self.question.file_stem}.plan.json"
        return kept_share(
            path,
            self.question.document(),
            lambda: largest_share(self._pair, seconds, self.training.seconds),
        )

    def _remedy_trial(self, remedy: Remedy, members: Sequence[TrainConfig]) -> Trial:
        return self._trial(remedy.task, members, load_task(remedy.task, self.question.alphabet).chance)

    def _trial(self, task: str, members: Sequence[TrainConfig], chance: float) -> Trial:
        results = [found for member in members if (found := self.training.done(member)) is not None]
        (cell,) = MeasuredCell.of(members, results, ByAccuracy(chance))
        curves = tuple(_curve(members[0], result) for result in results)
        return Trial(task=task, encoding=members[0].encoding, cell=cell, curves=curves)


def _curve(member: TrainConfig, result: Result) -> tuple[tuple[LengthRange, float], ...]:
    shares = {} if result.final is None else result.final.accuracy
    return tuple((lengths, shares[lengths.name]) for lengths in member.ranges if lengths.name in shares)
