"""Trying remedies within minutes, beside the original task."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from longreach.answers.forecast import Forecast
from longreach.answers.judge import MeasuredCell
from longreach.answers.question import Question
from longreach.answers.remedies import Remedy
from longreach.config.run import RunConfig
from longreach.errors import InputError
from longreach.runs.cells import ByAccuracy
from longreach.runs.resolve import resolve
from longreach.runs.timed import TimedTraining, usual_member, with_share
from longreach.runs.train import Watcher, check_runs, check_torch
from longreach.tasks.catalog import load_argument, load_task
from longreach.tasks.lengths import LengthRange

# Which members try a remedy: the original and the changed task with the same shape, steps and lengths.


SAME = (
    "layers", "heads", "width", "lr", "batch", "max_steps", "warmup", "schedule", "evaluate_every",
    "test_size", "log_length",
)  # fmt: skip
"""What the original has as its first remedy does, so that the change alone makes the difference."""


def original_encoding(remedies: Sequence[Remedy], task: str) -> str:
    """Under which encoding the original is trained: without positions where these are the remedy.

    >>> from longreach.answers.remedies import remedies
    >>> from longreach.answers.forecast import forecast
    >>> [original_encoding(remedies(forecast(name)), name) for name in ("aa", "parity")]
    ['nope', 'ape']
    """
    return "nope" if any(each.task == task and each.encoding == "ape" for each in remedies) else "ape"


def remedy_members(question: Question, remedy: Remedy, share: float) -> list[RunConfig]:
    """A member for each seed, with this share of the setting's steps."""
    first = usual_member(
        remedy.task,
        remedy.encoding,
        alphabet=question.alphabet,
        train_lengths=question.train_lengths(remedy.task),
        predict_ids=remedy.predict_ids or None,
    )
    return [with_share(first.with_seed(seed), share) for seed in range(question.seeds)]


def original_members(question: Question, encoding: str, like: RunConfig) -> list[RunConfig]:
    """The original in the shape of a remedy's member, of as many steps, trained to the same length.

    `like` has its share of steps already.

    >>> from longreach.answers.remedies import remedies
    >>> from longreach.answers.forecast import forecast
    >>> question = Question(task="copy-repeat")
    >>> like = remedy_members(question, remedies(forecast("copy-repeat"))[0], 1.0)[0]
    >>> member = original_members(question, "ape", like)[0]
    >>> member.train_lengths == like.train_lengths, member.max_steps == like.max_steps
    (True, True)
    """
    task = load_argument(question.task, question.alphabet)
    lengths = LengthRange(task.least_length, max(like.train_lengths.last, task.least_length))
    first = resolve(
        question.task,
        encoding,
        scale="laptop",
        alphabet=question.alphabet,
        train_lengths=lengths,
        test_lengths=like.test_lengths,
        **{name: getattr(like, name) for name in SAME},
    )
    return [first.with_seed(seed) for seed in range(question.seeds)]


# Trying remedies within minutes: original and remedy side by side, the next one if the first fails.


FIRST_PART = 0.7
"""Of the time: for the first remedy, where there are more."""


@dataclass(frozen=True, kw_only=True)
class Trials:
    """What was tried, and what was not for want of time."""

    original: MeasuredCell | None = None
    tried: tuple[tuple[Remedy, MeasuredCell], ...] = ()
    untried: tuple[tuple[Remedy, float], ...] = ()
    """With the seconds that trying them takes, about."""
    refused: tuple[tuple[Remedy, str], ...] = ()
    """Those that the lengths of the question leave no room for, and why."""
    share: float = 1.0
    interrupted: bool = False

    @property
    def working(self) -> tuple[Remedy, MeasuredCell] | None:
        """The first remedy that works on the longest inputs."""
        return next((pair for pair in self.tried if pair[1].tally.works), None)

    @property
    def failed(self) -> tuple[Remedy, ...]:
        """Those that were tried and do not work."""
        return tuple(remedy for remedy, trial in self.tried if trial.tally.works is False)


def try_remedies(
    question: Question,
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
        question: Question,
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
        original = self._trial(members[::2], self.forecast.task.chance)
        tried = [(first, self._remedy_trial(first, members[1::2]))]
        untried, refused = list[tuple[Remedy, float]](), list[tuple[Remedy, str]]()
        for remedy in self.remedies[1:]:
            if training.interrupted or any(trial.tally.works for _, trial in tried):
                break
            try:
                members = remedy_members(self.question, remedy, share)
            except InputError as error:
                refused.append((remedy, error.message))
                continue
            if not training.fits(members):
                untried.append((remedy, training.seconds(members)))
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

    def _pair(self, share: float) -> list[RunConfig]:
        """Original and remedy in turns, so that whatever is done at the end has something of both."""
        changed = remedy_members(self.question, self.remedies[0], share)
        plain = original_members(self.question, self.encoding, changed[0])
        return [member for pair in zip(plain, changed, strict=True) for member in pair]

    def _share(self) -> float:
        part = FIRST_PART if len(self.remedies) > 1 else 1.0
        plan = f"{self.question.file_stem}.plan.json"
        return self.training.share(plan, self.question.document(), self._pair, part)

    def _remedy_trial(self, remedy: Remedy, members: Sequence[RunConfig]) -> MeasuredCell:
        return self._trial(members, load_task(remedy.task, self.question.alphabet).chance)

    def _trial(self, members: Sequence[RunConfig], chance: float) -> MeasuredCell:
        results = [found for member in members if (found := self.training.done(member)) is not None]
        return MeasuredCell.of(members, results, ByAccuracy(chance))[0]
