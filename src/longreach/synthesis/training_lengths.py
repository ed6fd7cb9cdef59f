"""Training lengths t(n): up to which length the inference procedure sees the target at context n."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from longreach.errors import Field, InputError, near_names


@dataclass(frozen=True)
class Schedule:
    """A training length of Definition 22 of Huang et al.: t(n) ≤ n, without a bound.

    >>> SCHEDULES["half"](9), SCHEDULES["log"](9)
    (4, 3)
    """

    name: str
    formula: str
    rule: Callable[[int], int]

    def __call__(self, n: int) -> int:
        return self.rule(n)


SCHEDULES: Final[dict[str, Schedule]] = {
    each.name: each
    for each in (
        Schedule("half", "n/2", lambda n: n // 2),
        Schedule("full", "n", lambda n: n),
        Schedule("third", "n/3", lambda n: n // 3),
        Schedule("root", "√n", math.isqrt),
        Schedule("log", "log₂ n", lambda n: n.bit_length() - 1),
    )
}
"""By name; `half` is that of Definition 6."""


def schedule_named(name: str) -> Schedule:
    """The schedule of a name."""
    if name not in SCHEDULES:
        hint = near_names(name, SCHEDULES) or f"; expected {', '.join(SCHEDULES)}"
        raise InputError(f"no training length is named {name!r}{hint}", place=Field("schedule"))
    return SCHEDULES[name]
