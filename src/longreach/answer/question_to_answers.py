"""A question in, three answers out."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path

from longreach.answer.measurement import measure
from longreach.answer.question import Question
from longreach.answer.three_answers import ThreeAnswers
from longreach.experiments.running import Watcher
from longreach.forecast import forecast
from longreach.tasks.task import Task
from longreach.tasks.task_to_name import name_of_task


def ask(
    task: str | Task,
    alphabet: Sequence[str] | None = None,
    *,
    encodings: Sequence[str] = ("nope", "ape"),
    minutes: float = 2.0,
    seeds: int = 3,
    train_to: int | None = None,
    budget: float | None = None,
    runs: str | Path = "runs",
    progress: Watcher | None = None,
) -> ThreeAnswers:
    """Forecast a task and measure it within the minutes; what was measured before is not measured again.

    `budget` are the seconds for finding evidence in the answers of a task that nobody can see into.

    >>> found = ask("regex:(ab)*", minutes=0)
    >>> found.answer_of("nope").value, found.threshold, len(found.advice) > 0
    ('yes', None, False)
    """
    started = time.monotonic()
    name, letters = name_of_task(task, alphabet)
    question = Question(
        task=name,
        alphabet=letters,
        encodings=tuple(encodings),
        minutes=minutes,
        seeds=seeds,
        train_to=train_to,
    )
    known = forecast(name, letters, budget=budget)
    measured = measure(question, known, Path(runs), progress=progress)
    return ThreeAnswers(
        question=question,
        forecast=known,
        measurement=measured,
        seconds=time.monotonic() - started,
        runs=Path(runs),
    )
