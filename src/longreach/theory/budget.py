"""How much work a question may cost before the answer is "undecided", "not written" or "not proved"."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace


class OverBudget(Exception):
    """A budget ended the work; the message says which one."""


@dataclass(frozen=True)
class Budget:
    """Limits of every step that can explode.

    Nearly all are counts, so that two machines give the same answer. Seconds are the last resort, for work
    that counts do not foresee; they are seconds of computing, so that a busy machine changes no answer. Bytes
    are estimated before memory is taken.

    >>> Budget(monoid=100).monoid
    100
    """

    seconds: float = 10.0
    """Time for one question: deciding a language, writing a program, proving it."""
    bytes: int = 1 << 30
    """Memory for any one table or matrix."""
    expression: int = 20_000
    """States of the nondeterministic automaton of an expression."""
    states: int = 4_096
    """States of a deterministic automaton before it is minimized."""
    determinization: int = 1_500_000
    """Elementary steps of the subset construction."""
    samples: int = 24
    """Object words tried by the sampled search for a "no"."""
    monoid: int = 10_000
    """Elements of the transition monoid."""
    arrows: int = 200_000
    """Edges of the graph of idempotents."""
    window: int = 64
    """Letters of the past that a window may show."""
    window_states: int = 6_000
    """States of the automaton extended by a window and a modulus."""
    certificate: int = 150
    """Vertices of a component for which flows are written out."""
    ends: float | None = field(default=None, compare=False)
    """When the time is over, by the clock; None if it is not running."""
    clock: Callable[[], float] = field(default=time.thread_time, compare=False, repr=False)
    """By default the CPU time of this thread; `time.monotonic` is wall-clock time."""

    def running(self) -> Budget:
        """The same budget with its clock running; all who receive it share one deadline.

        >>> Budget(seconds=5, clock=lambda: 100.0).running().left
        5.0
        """
        return self if self.ends is not None else replace(self, ends=self.clock() + self.seconds)

    @property
    def left(self) -> float:
        """Seconds left; all of them if the clock is not running."""
        return self.seconds if self.ends is None else self.ends - self.clock()

    def check(self) -> None:
        """Raise `OverBudget` when the time is over."""
        if self.left < 0:
            raise OverBudget(f"the budget of {self.seconds:.3g} s is spent")

    def reserve(self, size: int, what: str) -> None:
        """Raise `OverBudget` before allocating more bytes than allowed.

        >>> Budget(bytes=1000).reserve(8 * 10**6, "a matrix")
        Traceback (most recent call last):
        longreach.theory.budget.OverBudget: a matrix needs 8 MB, more than the budget of 0.001 MB
        """
        if size > self.bytes:
            raise OverBudget(
                f"{what} needs {size / 1e6:.6g} MB, more than the budget of {self.bytes / 1e6:.6g} MB"
            )


DEFAULT_BUDGET = Budget()
