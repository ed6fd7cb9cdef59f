"""What would help a task: remedies with their evidence, tried or not, and in words."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from longreach.answers.forecast import Forecast, forecast
from longreach.answers.judge import MeasuredCell
from longreach.answers.question import Question
from longreach.answers.remedies import (
    TRY_MINUTES,
    Remedy,
    StudyRuns,
    remedies,
    study_runs,
)
from longreach.answers.step_sparsity import StepSparsity, step_sparsity
from longreach.answers.trials import Trials, try_remedies
from longreach.config.encodings import side_title
from longreach.runs.train import Watcher
from longreach.tasks.catalog import load_task, name_of_task
from longreach.tasks.lengths import LengthRange
from longreach.tasks.task import Task
from longreach.theory.names import TaskName
from longreach.theory.verdicts.verdict import Answer

# Advice in words, for the terminal, the page and notebooks.


NOTHING_NEEDED = "Nothing is needed: theory expects it to work as it is, without positions."
NOTHING_KNOWN = (
    "No change is known that would help: neither another encoding, nor steps that depend on few tokens."
)


def title(found: TaskAdvice) -> str:
    """What the task is called."""
    name = TaskName(found.forecast.name)
    return found.forecast.task.name if name.is_session else name.expression


def as_it_is(found: TaskAdvice) -> list[tuple[str, str, str]]:
    """What is expected of the original: under which encoding, what, and why."""
    rows = []
    for key in ("nope", "ape"):
        side = found.forecast.sides[key]
        why = side.clause if side.trained is Answer.UNDECIDED else f"{side.basis}: {side.clause}"
        rows.append((side_title(key), side.trained.expectation, why))
    return rows


def trial_ranges(found: TaskAdvice) -> tuple[LengthRange, ...]:
    """The ranges of lengths that were measured, the training range first."""
    known = {lengths for _, cell in found.tried for curve in cell.curves for lengths, _ in curve}
    return tuple(sorted(known, key=lambda lengths: (lengths.last, lengths.first)))


def conclusion(found: TaskAdvice) -> str:
    """One sentence on what to do.

    >>> from longreach.answers.advice import advise
    >>> conclusion(advise("sort", minutes=0))
    'Nothing is needed: theory expects it to work as it is, without positions.'
    """
    trials = found.trials
    if not found.remedies:
        return NOTHING_KNOWN if found.is_needed else NOTHING_NEEDED
    if trials.working is not None:
        remedy, trial = trials.working
        tested = trial.tested.words
        original = trials.original
        beside = "" if original is None else f"; as it is, {original.words}"
        return f"{remedy.name} works: {trial.words} at lengths {tested}{beside}."
    finished = [(remedy, trial) for remedy, trial in trials.tried if trial.tally.works is False]
    if finished:
        names = ", ".join(_outcome(remedy.name, trial) for remedy, trial in finished)
        rest = [remedy.name for remedy in found.remedies if remedy not in trials.failed]
        left = f" Not tried: {', '.join(rest)}." if rest else ""
        return f"Tried, and not seen to work: {names}.{left}"
    first = found.remedies[0]
    if first.ground == "open":
        return f"Not tried yet: no theory speaks for a change; worth a try is {first.name}."
    return f"Not tried yet: the surest change is {first.name}."


def _outcome(name: str, trial: MeasuredCell) -> str:
    unlearned = trial.tally.runs - trial.tally.learned
    learned = "" if not unlearned else f", {unlearned} did not fit the training range"
    return f"{name} ({trial.words}{learned})"


def as_text(found: TaskAdvice) -> str:
    """Everything as plain text, a line each."""
    lines = [f"{found.forecast.name}   {found.forecast.task.about}"]
    lines += [f"  {label}: {says}; {why}" for label, says, why in as_it_is(found)]
    for remedy in found.remedies:
        known = found.in_study(remedy)
        lines.append(f"  {remedy.change}: {remedy.basis}{'' if known is None else f'; {known.words}'}")
    lines += [f"  {each.name}: {each.words}" for each in found.sparsity]
    return "\n".join([*lines, conclusion(found)])


# All that is known of what would help a task: remedies, their sparsity, and what trying them showed.


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
            "conclusion": conclusion(self),
            "minutes": self.question.minutes,
            "seeds": self.question.seeds,
            "share_of_steps": trials.share,
            "interrupted": trials.interrupted,
            "seconds": round(self.seconds, 1),
        }

    def __repr__(self) -> str:
        return as_text(self)


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


# A task in, advice out.


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
    """What would help a task, and whether it does when tried within the minutes.

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
