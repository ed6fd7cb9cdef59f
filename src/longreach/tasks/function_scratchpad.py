"""A scratchpad for a task from plain functions: the steps that a third function gives, then the answer."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from longreach.config.task_name import TaskName
from longreach.tasks.function_task import FunctionTask


def with_steps(task: FunctionTask, steps: Callable[[tuple[str, ...]], Sequence[str]]) -> FunctionTask:
    """The task that writes its steps before its answer: SOS x SEP steps y EOS.

    >>> from longreach.tasks.task import Task
    >>> def word(length, rng):
    ...     return ["ab"[k] for k in rng.integers(0, 2, length)]
    >>> last = Task.from_function(word, lambda x: x[-1], name="last", steps=lambda x: x)
    >>> with_steps(last, last.stepper).answer("ab")
    ('a', 'b', 'b', 'EOS')
    """

    def steps_and_answer(x: tuple[str, ...]) -> tuple[str, ...]:
        return (*written(steps(x)), *written(task.answerer(x)))

    steps_and_answer.__name__ = getattr(steps, "__name__", "steps")
    return replace(
        task,
        name=TaskName(task.name).changed("scratchpad"),
        about=f"{task.about}, with its steps written down",
        answerer=steps_and_answer,
        longest_answer=None,
        stepper=None,
    )


def written(found: Any) -> tuple[Any, ...]:
    """What a function gives, as tokens: several, or one as a string, a whole number or a truth value.

    >>> written(True), written(3), written(["a", "b"])
    (('yes',), ('3',), ('a', 'b'))
    """
    if isinstance(found, bool):
        return ("yes" if found else "no",)
    if isinstance(found, str | int):
        return (str(found),)
    return tuple(found)
