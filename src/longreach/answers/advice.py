"""What would help a task: remedies with their evidence, tried beside the original within minutes."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from longreach.answers.forecast import Forecast, forecast, side_words
from longreach.answers.judge import MeasuredCell
from longreach.answers.question import Question
from longreach.answers.remedies import Remedy, remedies
from longreach.answers.step_sparsity import StepSparsity, step_sparsity
from longreach.answers.suggestions import TRY_MINUTES, StudyRuns, study_runs
from longreach.config.encodings import side_title
from longreach.config.run import RunConfig
from longreach.errors import InputError
from longreach.runs.cells import ByAccuracy
from longreach.runs.resolve import resolve
from longreach.runs.timed import TimedTraining, usual_member, with_share
from longreach.runs.train import Watcher, check_runs, check_torch
from longreach.tasks.catalog import load_argument, load_task, name_of_task
from longreach.tasks.lengths import LengthRange
from longreach.tasks.task import Task
from longreach.theory.names import TaskName
from longreach.theory.program_class import ENCODING_SIDES
from longreach.theory.verdicts.verdict import Answer

# Which runs try a remedy: the original and the changed task with the same shape, steps and lengths


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
    """A run for each seed, with this share of the setting's steps."""
    first = usual_member(
        remedy.task,
        remedy.encoding,
        alphabet=question.alphabet,
        train_lengths=question.train_lengths(remedy.task),
        predict_ids=remedy.predict_ids or None,
    )
    return [with_share(first.with_seed(seed), share) for seed in range(question.seeds)]


def original_members(question: Question, encoding: str, like: RunConfig) -> list[RunConfig]:
    """The original in the shape of a remedy's run, of as many steps, trained to the same length.

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


# Original and remedy side by side, the next one if the first fails


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
    """Train what fits into the minutes; runs that were trained before are read, interrupted ones resumed.

    The first remedy that the lengths leave room for is trained beside the original; of later ones as many
    runs as there is time for.
    """
    if not question.minutes or not remedies:
        return Trials()
    check_torch()
    training = TimedTraining(check_runs(runs), question.minutes, progress=progress)
    possible, refused = list[Remedy](), list[tuple[Remedy, str]]()
    for remedy in remedies:
        try:
            remedy_members(question, remedy, 1.0)
            possible.append(remedy)
        except InputError as error:
            refused.append((remedy, error.message))
            if len(refused) == len(remedies):
                raise
    first, *others = possible
    encoding = original_encoding(remedies, forecast.stored)

    def pair(share: float) -> list[RunConfig]:
        """Original and remedy in turns, so that whatever is done at the end has something of both."""
        changed = remedy_members(question, first, share)
        plain = original_members(question, encoding, changed[0])
        return [member for both in zip(plain, changed, strict=True) for member in both]

    def measured(members: Sequence[RunConfig], task: Task) -> MeasuredCell:
        return MeasuredCell.of(members, training.outcomes(members), ByAccuracy(task.chance))[0]

    def tried_remedy(remedy: Remedy, members: Sequence[RunConfig]) -> tuple[Remedy, MeasuredCell]:
        return remedy, measured(members, load_task(remedy.task, question.alphabet))

    part = FIRST_PART if others else 1.0
    share = training.share(f"{question.file_stem}.plan.json", question.document(), pair, part)
    members = pair(share)
    training.train(members, f"of {forecast.name} with {encoding} and of {first.name}")
    original, tried = measured(members[::2], forecast.task), [tried_remedy(first, members[1::2])]
    untried = list[tuple[Remedy, float]]()
    for remedy in others:
        if training.interrupted or any(trial.tally.works for _, trial in tried):
            break
        members = remedy_members(question, remedy, share)
        counts = range(len(members), 0, -1)
        fitting = next((count for count in counts if training.fits(members[:count])), None)
        if fitting is None:
            untried.append((remedy, training.seconds(members)))
            continue
        training.train(members[:fitting], f"of {remedy.name}")
        tried.append(tried_remedy(remedy, members[:fitting]))
    return Trials(
        original=original,
        tried=tuple(tried),
        untried=tuple(untried),
        refused=tuple(refused),
        share=share,
        interrupted=training.interrupted,
    )


# All that is known of what would help a task


NOTHING_NEEDED = "Nothing is needed: theory expects it to work as it is, without positions."
NOTHING_KNOWN = (
    "No change is known that would help: neither another encoding, nor steps that depend on few tokens."
)


@dataclass(frozen=True, eq=False, kw_only=True)
class TaskAdvice:
    """Remedies of a task, the surest first, measured as far as there was time."""

    question: Question
    forecast: Forecast
    remedies: tuple[Remedy, ...]
    sparsity: tuple[StepSparsity, ...]
    """Of the original, then of the changed tasks, each once."""
    trials: Trials
    seconds: float

    @property
    def is_needed(self) -> bool:
        """Whether theory does not expect the task to work without positions, as it is."""
        return self.forecast.sides["nope"].trained is not Answer.YES

    @property
    def best(self) -> Remedy | None:
        """The one that works when it is tried, or else the surest that was not seen to fail."""
        if self.trials.working is not None:
            return self.trials.working[0]
        return next((each for each in self.remedies if each not in self.trials.failed), None)

    @property
    def tried(self) -> tuple[tuple[str, MeasuredCell], ...]:
        """The runs of the original and of the remedies that were tried, with their names."""
        original, trials = self.trials.original, self.trials.tried
        found = [] if original is None else [(self.question.task, original)]
        found += [(remedy.task, cell) for remedy, cell in trials]
        return tuple(
            (f"{TaskName(TaskName(task).short).expression} with {cell.encoding}", cell)
            for task, cell in found
        )

    def in_study(self, remedy: Remedy) -> StudyRuns | None:
        """What `longreach study advice` found of a remedy."""
        return study_runs(remedy.task, remedy.label)

    @property
    def as_it_is(self) -> list[tuple[str, str, str]]:
        """What is expected of the original: under which encoding, what, and why."""
        sides = [(key, self.forecast.sides[key]) for key in ENCODING_SIDES]
        return [(side_title(key), side.trained.expectation, side_words(side)) for key, side in sides]

    @property
    def ranges(self) -> tuple[LengthRange, ...]:
        """The ranges of lengths that were measured, the training range first."""
        known = {lengths for _, cell in self.tried for curve in cell.curves for lengths, _ in curve}
        return tuple(sorted(known, key=lambda lengths: (lengths.last, lengths.first)))

    @property
    def conclusion(self) -> str:
        """One sentence on what to do.

        >>> advise("sort", minutes=0).conclusion
        'Nothing is needed: theory expects it to work as it is, without positions.'
        """
        trials = self.trials
        if not self.remedies:
            return NOTHING_KNOWN if self.is_needed else NOTHING_NEEDED
        if trials.working is not None:
            remedy, trial = trials.working
            beside = "" if trials.original is None else f"; as it is, {trials.original.words}"
            return f"{remedy.name} works: {trial.words} at lengths {trial.tested.words}{beside}."
        if trials.failed:
            names = ", ".join(_outcome(*pair) for pair in trials.tried if pair[0] in trials.failed)
            rest = [remedy.name for remedy in self.remedies if remedy not in trials.failed]
            left = f" Not tried: {', '.join(rest)}." if rest else ""
            return f"Tried, and not seen to work: {names}.{left}"
        first = self.remedies[0]
        if first.ground == "open":
            return f"Not tried yet: no theory speaks for a change; worth a try is {first.name}."
        return f"Not tried yet: the surest change is {first.name}."

    def document(self) -> dict[str, Any]:
        """As `longreach advise --json` prints it."""
        trials = self.trials
        measured = dict(trials.tried)
        waiting = dict(trials.untried)
        sparsity = {(each.task, each.coupled): each.document() for each in self.sparsity}
        return {
            "task": self.forecast.name,
            "about": self.forecast.task.about,
            "trained": {key: side.trained.value for key, side in self.forecast.sides.items()},
            "original": None if trials.original is None else _trial(self.question.task, trials.original),
            "original_sparsity": sparsity.get((self.forecast.stored, False)),
            "advice": [
                {
                    **remedy.document(),
                    "sparsity": sparsity.get((remedy.task, remedy.is_coupled)),
                    "study": None if (known := self.in_study(remedy)) is None else known.document(),
                    "measured": _trial(remedy.task, measured[remedy]) if remedy in measured else None,
                    "works": measured[remedy].tally.works if remedy in measured else None,
                    "seconds_to_try": waiting.get(remedy),
                }
                for remedy in self.remedies
            ],
            "best": None if self.best is None else self.best.name,
            "conclusion": self.conclusion,
            "minutes": self.question.minutes,
            "seeds": self.question.seeds,
            "share_of_steps": trials.share,
            "interrupted": trials.interrupted,
            "seconds": round(self.seconds, 1),
        }

    def __repr__(self) -> str:
        lines = [f"{self.forecast.name}   {self.forecast.task.about}"]
        lines += [f"  {label}: {says}; {why}" for label, says, why in self.as_it_is]
        for remedy in self.remedies:
            known = self.in_study(remedy)
            lines.append(f"  {remedy.change}: {remedy.basis}{'' if known is None else f'; {known.words}'}")
        lines += [f"  {each.name}: {each.words}" for each in self.sparsity]
        return "\n".join([*lines, self.conclusion])


def _outcome(remedy: Remedy, trial: MeasuredCell) -> str:
    unlearned = trial.tally.runs - trial.tally.learned
    learned = "" if not unlearned else f", {unlearned} did not fit the training range"
    return f"{remedy.name} ({trial.words}{learned})"


def _trial(task: str, cell: MeasuredCell) -> dict[str, Any]:
    accuracy = [{lengths.name: share for lengths, share in curve} for curve in cell.curves]
    return {"task": task, **cell.document(), "accuracy": accuracy}


def measured_sparsity(
    forecast: Forecast, remedies: Sequence[Remedy], alphabet: Sequence[str] | None
) -> tuple[StepSparsity, ...]:
    """Of the original, and of each remedy's task in the ids that it is trained with.

    >>> from longreach.answers.remedies import remedies
    >>> from longreach.answers.forecast import forecast
    >>> known = forecast("parity")
    >>> [(each.parents, each.is_sparse) for each in measured_sparsity(known, remedies(known)[:1], None)]
    [((6, None), False), ((2, 2), True)]
    """
    if not remedies:
        return ()
    found = [step_sparsity(forecast.task, forecast.stored, coupled=False)]
    for remedy in remedies:
        if all((each.task, each.coupled) != (remedy.task, remedy.is_coupled) for each in found):
            task = load_task(remedy.task, alphabet)
            found.append(step_sparsity(task, remedy.task, coupled=remedy.is_coupled))
    return tuple(found)


def advise(
    task: str | Task,
    alphabet: Sequence[str] | None = None,
    *,
    minutes: float = TRY_MINUTES,
    seeds: int = 2,
    train_to: int | None = None,
    runs: str | Path = "runs",
    progress: Watcher | None = None,
) -> TaskAdvice:
    """Say what would help a task that fails, and try it within the given minutes.

    >>> found = advise("copy-repeat", minutes=0)
    >>> [each.encoding for each in found.remedies], found.trials.tried
    (['coupled-local', 'ape'], ())
    """
    started = time.monotonic()
    name, letters = name_of_task(task, alphabet)
    question = Question(
        command="advise", task=name, alphabet=letters, minutes=minutes, seeds=seeds, train_to=train_to
    )
    known = forecast(name, letters)
    found = tuple(each for each in remedies(known) if each.can_be_tried)
    sparsity = measured_sparsity(known, found, letters)
    tried = try_remedies(question, known, found, Path(runs), progress=progress)
    return TaskAdvice(
        question=question,
        forecast=known,
        remedies=found,
        sparsity=sparsity,
        trials=tried,
        seconds=time.monotonic() - started,
    )
