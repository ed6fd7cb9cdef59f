"""A task in, advice out."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path

from longreach.advice.remedy_sparsity import measured_sparsity
from longreach.advice.task_advice import TaskAdvice
from longreach.advice.task_to_remedies import remedies
from longreach.advice.trial_members import AdviceQuestion
from longreach.advice.trials import try_remedies
from longreach.experiments.running import Watcher
from longreach.forecast import forecast
from longreach.tasks.task import Task
from longreach.tasks.task_to_name import name_of_task


def advise(
    task: str | Task,
    alphabet: Sequence[str] | None = None,
    *,
    minutes: float = 5.0,
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
    question = AdviceQuestion(task=name, alphabet=letters, minutes=minutes, seeds=seeds, train_to=train_to)
    known = forecast(name, letters)
    found = remedies(known)
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
