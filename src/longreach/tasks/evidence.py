"""What a forecast may rely on for a task: where the reason for a yes or a no is to be found."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

Kind: TypeAlias = Literal["program", "language", "communication", "reduction", "none"]


@dataclass(frozen=True)
class Evidence:
    """The evidence about one task under one encoding.

    >>> Evidence("program", "sort", "the least number above the last one").name
    'sort'
    """

    kind: Kind
    """`program`: a library program solves it, so yes. `language`: to be decided from the task's automaton.
    `communication`: the bits between the halves of an input grow linearly, so no. `reduction`: a program
    would decide the named language, so no if that has none. `none`: nothing is known, so undecided."""
    name: str | None
    """The library program, the problem of the communication measurements, or the language reduced to."""
    reason: str
    """One sentence."""


OWN_LANGUAGE = Evidence("language", None, "decided from the automaton of the language")
