"""On how many earlier tokens each written token depends, and how far away, measured from examples."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from longreach.advice.remedy import Remedy
from longreach.advice.same_layout import SameLayout
from longreach.config.task_name import TaskName
from longreach.forecast import Forecast
from longreach.tasks.catalog import load_task
from longreach.tasks.measured_parents import MeasuredParents, measured_parents
from longreach.tasks.task import Task

SPAN, FIRST, APART = 40, 5, 4
"""How far above the least length lengths are looked for, from where on, and how far apart at least."""
EXAMPLES, POOL, TRIED = 8, 2000, 6
"""Examples whose parents are looked for, sequences that may speak against them, and parents at most."""


@dataclass(frozen=True, kw_only=True)
class StepSparsity:
    """The most tokens that a written token depends on, at a short length and at a longer one."""

    task: str
    name: str
    lengths: tuple[int, int]
    parents: tuple[int | None, int | None]
    """None: more than were tried."""
    distances: tuple[int | None, int | None]
    """The farthest of them from the token that is read, in coupled ids or in positions."""
    coupled: bool
    tested: tuple[bool, bool] = (True, True)
    """Whether enough inputs could have shown that more tokens matter; else a number is a lower bound."""

    @property
    def is_sparse(self) -> bool:
        """Whether longer inputs need no more tokens, as far as that was tested."""
        short, long = self.parents
        return all(self.tested) and short is not None and long is not None and long <= short

    @property
    def is_local(self) -> bool:
        """Whether those are no farther away on longer inputs, as far as that was tested."""
        short, long = self.distances
        return all(self.tested) and short is not None and long is not None and long <= short

    @property
    def words(self) -> str:
        """One line.

        >>> said = {"task": "a", "name": "a", "lengths": (4, 6), "coupled": True}
        >>> StepSparsity(**said, parents=(2, 2), distances=(1, 1)).words
        '2 tokens, within 1 in coupled ids'
        >>> StepSparsity(**said, parents=(4, None), distances=(4, None)).words
        '4 tokens at length 4, more than 6 at 6'
        >>> StepSparsity(**said, parents=(2, 3), distances=(1, 1), tested=(True, False)).words
        '2 tokens at length 4, at least 3 at 6'
        """
        first, second = self.lengths
        short, long = map(_shown, self.parents, self.tested)
        if self.is_sparse:
            many = "1 token" if long == "1" else f"{long} tokens"
        else:
            many = f"{short} tokens at length {first}, {long} at {second}"
        near, far = self.distances
        if near is None or far is None or not all(self.tested):
            return many
        ids = "coupled ids" if self.coupled else "positions"
        if self.is_local:
            return f"{many}, within {far} in {ids}"
        return f"{many}, within {near} in {ids} at length {first}, {far} at {second}"

    def document(self) -> dict[str, Any]:
        """As JSON has it."""
        return {
            "lengths": list(self.lengths),
            "parents": list(self.parents),
            "distances": list(self.distances),
            "ids": "coupled" if self.coupled else "true",
            "tested": list(self.tested),
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


def step_sparsity(task: Task, name: str, *, coupled: bool) -> StepSparsity:
    """Of one task, in its coupled ids or in positions."""
    lengths = _two_lengths(task)
    short, long = (_measured(task, length, coupled) for length in lengths)
    return StepSparsity(
        task=name,
        name=f"{TaskName(TaskName(name).short).expression}{', coupled' if coupled else ''}",
        lengths=lengths,
        parents=(short.most, long.most),
        distances=(short.distance, long.distance),
        coupled=coupled,
        tested=(short.most is None or short.is_tested, long.most is None or long.is_tested),
    )


def _shown(parents: int | None, tested: bool) -> str:
    if parents is None:
        return f"more than {TRIED}"
    return str(parents) if tested else f"at least {parents}"


def _measured(task: Task, length: int, coupled: bool) -> MeasuredParents:
    """Among inputs that stand alike, where ids tell how they stand; else among all of the length."""
    rng = np.random.default_rng(0)
    asked = SameLayout(task, length) if coupled else task
    batch = asked.sample([length] * EXAMPLES, rng)
    ids = asked.coupled_ids(batch) if coupled else None
    return measured_parents(
        asked, length, rng, ids=None if ids is None else ids[:, :-1], batch=batch, pool=POOL, tried=TRIED
    )


def _two_lengths(task: Task) -> tuple[int, int]:
    """Short enough that examples cover most inputs, and not the same where the task has more than one."""
    least = task.least_length
    known = task.lengths(least, least + SPAN).tolist()
    first = next((length for length in known if length >= least + FIRST), known[0])
    return first, next((length for length in known if length >= first + APART), known[-1])
