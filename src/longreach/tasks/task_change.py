"""What changed tasks share: the task that is changed, and the name."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import ClassVar

from longreach.config.task_name import TaskName
from longreach.errors import InputError
from longreach.tasks.layout import SequenceTask
from longreach.tasks.task import BoolArray, IntArray, Task


class ChangedTask(SequenceTask):
    """A task that is made from another one, its base."""

    change: ClassVar[str]
    """The word behind the `+` of its name."""
    base: Task

    @cached_property
    def name(self) -> str:  # type: ignore[override]
        """That of the base, with the change."""
        return TaskName(self.base.name).changed(self.change)

    @property
    def least_length(self) -> int:
        return self.base.least_length

    def has(self, lengths: IntArray) -> BoolArray:
        return self.base.has(lengths)


def base_of(task: Task) -> Task:
    """The task before all changes.

    >>> from longreach.tasks.catalog import load_task
    >>> base_of(load_task("addition+reversed")).name
    'addition'
    """
    return base_of(task.base) if isinstance(task, ChangedTask) else task


def check_distinct(name: str, tokens: Sequence[str]) -> None:
    """Refuse a task that needs a token twice, such as a state that is called like a letter."""
    twice = next((token for place, token in enumerate(tokens) if token in tokens[:place]), None)
    if twice is not None:
        raise InputError(f"{TaskName(name).short}: {twice!r} cannot be a symbol, the task needs it itself")


def places_of(symbols: tuple[str, ...], wanted: tuple[str, ...]) -> list[int]:
    """Where each of the wanted symbols stands.

    >>> places_of(("a", "b", "c"), ("c", "a"))
    [2, 0]
    """
    known = {symbol: place for place, symbol in enumerate(symbols)}
    return [known[symbol] for symbol in wanted]
