"""How few tokens each step of a task depends on, and how near they are in coupled position ids."""

from __future__ import annotations

from dataclasses import dataclass

from longreach.tasks.task import Task
from longreach.wording import counted

END = "the end comes where no symbol of the input has the next position"


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
    but: str = ""
    """What is not of this kind."""
    everywhere: bool = True
    """Whether no written token needs one farther away, where the input ends apart."""

    @property
    def words(self) -> str:
        """One sentence without a full stop."""
        tokens = counted(self.parents, "token")
        said = f"each step depends on {tokens} at coupled distance {self.distance} or less: {self.why}"
        return f"{said}; {self.but}" if self.but else said


def local_steps(task: Task) -> LocalSteps | None:
    """What is known of a task under its own coupled ids; None: nothing.

    >>> from longreach.tasks.catalog import load_task
    >>> local_steps(load_task("parity+scratchpad")).parents, local_steps(load_task("parity"))
    (2, None)
    """
    found = getattr(task, "local_steps", None)
    return found if isinstance(found, LocalSteps) else None


def far_steps(task: Task) -> str | None:
    """Why some steps of a task depend on many tokens or on far ones, under its own coupled ids.

    >>> from longreach.tasks.catalog import load_task
    >>> far_steps(load_task("multiplication"))
    'a bit of a product depends on all lower bits of both factors'
    """
    found = getattr(task, "far_steps", None)
    return found if isinstance(found, str) else None
