"""The tasks of the benchmark as functions and predicates of which nothing but answers is known."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from longreach.tasks.layouts import SequenceTask
from longreach.tasks.regular import RegularLanguage
from longreach.tasks.task import Task


def anonymous(task: Task) -> Task:
    """The same task: a language by the predicate of its words, any other by its sampler and its answers."""
    if isinstance(task, RegularLanguage):
        return Task.from_predicate(task.automaton.accepts, task.letters, labels="next", name="anonymous")
    assert isinstance(task, SequenceTask)

    def draw(length: int, rng: np.random.Generator) -> list[str]:
        tokens = task.sample([length], rng).tokens[0]
        return task.decode(tokens[1 : 1 + length].tolist())

    def answer(x: Sequence[str]) -> tuple[str, ...]:
        return task.answer(x)[:-1]

    def has(length: int) -> bool:
        return bool(task.has(np.array([length], dtype=np.int64))[0])

    return Task.from_function(
        draw,
        answer,
        name="anonymous",
        has=has,
        least_length=task.least_length,
        longest_answer=task.answer_size,
    )
