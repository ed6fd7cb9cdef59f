"""On how many earlier tokens each written token depends, and how far away, measured from examples."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from longreach.advice.remedy import Remedy
from longreach.advice.step_parents import step_parents
from longreach.config.task_name import TaskName
from longreach.forecast import Forecast
from longreach.forecast.other_encodings import COUPLED
from longreach.tasks.catalog import load_task
from longreach.tasks.task import Task

SPAN, FIRST = 40, 3
"""How far above the least length lengths are looked for, and from where on."""


@dataclass(frozen=True, kw_only=True)
class StepSparsity:
    """The most tokens that a written token depends on, at a short length and at a longer one."""

    task: str
    name: str
    lengths: tuple[int, int]
    parents: tuple[int, int]
    distances: tuple[int, int]
    """The farthest of them, in the task's own position ids if it has some, else in positions."""
    coupled: bool

    @property
    def is_sparse(self) -> bool:
        """Whether longer inputs need no more tokens, and none farther away."""
        return self.parents[1] <= self.parents[0]

    @property
    def is_local(self) -> bool:
        """Whether those are no farther away on longer inputs."""
        return self.distances[1] <= self.distances[0]

    @property
    def words(self) -> str:
        """One line."""
        short, long = self.lengths
        one = "1 token" if self.parents[1] == 1 else f"{self.parents[1]} tokens"
        ids = "coupled ids" if self.coupled else "positions"
        many = (
            one
            if self.is_sparse
            else f"{self.parents[0]} tokens at length {short}, {self.parents[1]} at {long}: more and more"
        )
        far = (
            f"within {self.distances[1]} in {ids}"
            if self.is_local
            else f"within {self.distances[0]} in {ids} at length {short}, {self.distances[1]} at {long}"
        )
        return f"{many}, {far}"

    def document(self) -> dict[str, Any]:
        """As JSON has it."""
        return {
            "lengths": list(self.lengths),
            "parents": list(self.parents),
            "distances": list(self.distances),
            "ids": "coupled" if self.coupled else "true",
            "sparse": self.is_sparse,
            "local": self.is_local,
        }


def measured_sparsity(
    forecast: Forecast, remedies: Sequence[Remedy], alphabet: Sequence[str] | None
) -> tuple[StepSparsity, ...]:
    """Of the original, and of each remedy's task in the ids that it is trained with.

    >>> from longreach.advice.task_to_remedies import remedies
    >>> from longreach.forecast import forecast
    >>> known = forecast("parity")
    >>> [(each.parents, each.is_sparse) for each in measured_sparsity(known, remedies(known)[:1], None)]
    [((4, 6), False), ((2, 2), True)]
    """
    if not remedies:
        return ()
    found = [_of(forecast.task, forecast.stored, coupled=False)]
    for remedy in remedies:
        coupled = remedy.encoding in COUPLED
        if all((each.task, each.coupled) != (remedy.task, coupled) for each in found):
            found.append(_of(load_task(remedy.task, alphabet), remedy.task, coupled=coupled))
    return tuple(found)


def _of(task: Task, name: str, *, coupled: bool) -> StepSparsity:
    first, second = _two_lengths(task)
    short, long = (
        step_parents(task, length, coupled=coupled, rng=np.random.default_rng(0))
        for length in (first, second)
    )
    return StepSparsity(
        task=name,
        name=TaskName(TaskName(name).short).expression,
        lengths=(first, second),
        parents=(short.parents, long.parents),
        distances=(short.distance, long.distance),
        coupled=coupled,
    )


def _two_lengths(task: Task) -> tuple[int, int]:
    """Short enough that examples cover most inputs, and not the same."""
    least = task.least_length
    known = [int(length) for length in task.lengths(least, least + SPAN) if length >= least + FIRST]
    later = [length for length in known if length >= known[0] + 2]
    return known[0], later[0]
