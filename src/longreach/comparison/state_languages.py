"""Runs of another group (arXiv 2608.13433): 175 regular languages, labels and accuracies of state prediction.

The numbers are read from a file, never typed in. The words are those of the language, and the state is asked
for after every letter. The positional encoding of the runs is not stated in their logs.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal, TypeAlias

Suite: TypeAlias = Literal["main", "secondary"]
TRAINED_TO: dict[Suite, int] = {"main": 50, "secondary": 200}
"""The longest training length of each suite."""


@dataclass(frozen=True, kw_only=True)
class StateLanguage:
    """One language with what was published about it."""

    suite: Suite
    name: str
    expression: str
    c_rasp: bool
    """The published label, for reading at the end of the sequence."""
    r_trivial: bool
    runs: int
    perfect: int
    """How many runs are right on the whole training range."""
    accuracy: dict[str, float]
    """By range of lengths, of the best run among the perfect ones."""

    @property
    def last(self) -> float:
        """On the longest range."""
        return list(self.accuracy.values())[-1]

    @property
    def ratio(self) -> float:
        """The longest tested length over the longest trained one."""
        longest = list(self.accuracy)[-1].partition("-")[2]
        return int(longest) / TRAINED_TO[self.suite]


@cache
def state_languages() -> tuple[StateLanguage, ...]:
    """All of them, in the order of the file.

    >>> found = state_languages()
    >>> len(found), found[0].expression, found[0].accuracy["451-500"], found[0].ratio
    (175, '(bbac)*', 1.0, 10.0)
    """
    content: dict[str, Any] = json.loads(
        Path(__file__).with_name("state_languages.json").read_text(encoding="utf-8")
    )
    found = []
    for row in content["languages"]:
        fields = dict(zip(content["fields"], row, strict=True))
        ranges = content["ranges"][fields["suite"]]
        fields["accuracy"] = dict(zip(ranges, fields["accuracy"], strict=True))
        found.append(StateLanguage(**fields))
    return tuple(found)
