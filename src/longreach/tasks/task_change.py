"""What changed tasks share: the task that is changed, its name, and how local the changed one is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

from longreach.config.task_name import TaskName
from longreach.errors import InputError
from longreach.tasks.layout import SequenceTask
from longreach.tasks.task import BoolArray, IntArray, Task


@dataclass(frozen=True)
class LocalSteps:
    """On how many tokens each written token depends, and how far they are in coupled position ids.

    It is what Golowich et al. (arXiv 2502.16792) ask of a task in Theorem 4.3, with Proposition 4.4 for ids.

    >>> LocalSteps(2, 1, "the state before and the letter").words
    'each step depends on 2 tokens at coupled distance 1 or less: the state before and the letter'
    """

    parents: int
    distance: int
    why: str
    """Which tokens these are: it follows from how the task is made."""

    @property
    def words(self) -> str:
        """One sentence without a full stop."""
        tokens = "1 token" if self.parents == 1 else f"{self.parents} tokens"
        return f"each step depends on {tokens} at coupled distance {self.distance} or less: {self.why}"


def local_steps(task: Task) -> LocalSteps | None:
    """What is known of a task under its own coupled ids; None: nothing.

    >>> from longreach.tasks.catalog import load_task
    >>> local_steps(load_task("parity+scratchpad")).parents, local_steps(load_task("parity"))
    (2, None)
    """
    found = getattr(task, "local_steps", None)
    return found if isinstance(found, LocalSteps) else None


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
