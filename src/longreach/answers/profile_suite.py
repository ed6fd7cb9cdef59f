"""Suite 1, on which any model is profiled: tasks for each need, the budget of training, the tested lengths.

The suite is a data file. `longreach.studies.census.suite` draws it by a fixed rule; a test draws it again.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable
from functools import cache
from itertools import zip_longest
from pathlib import Path
from typing import Annotated, Any, Final, Literal, Self, TypeAlias, get_args

from pydantic import BaseModel, ConfigDict, Field, model_validator

from longreach.errors import Field as Setting
from longreach.errors import InputError
from longreach.files import canonical_json, read_document
from longreach.tasks.lengths import LengthRange

SUITE: Final = Path(__file__).with_name("suite_1.json")
PROFILES, PLAN = "profiles", ".plan.json"
"""The directory beside runs in which profiles are kept, and how the names of plans there end."""
Part: TypeAlias = Literal["development", "held-out"]
PARTS: tuple[Part, ...] = get_args(Part)
Count: TypeAlias = Annotated[int, Field(ge=1)]
Share: TypeAlias = Annotated[float, Field(ge=0, le=1)]


class _Document(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, allow_inf_nan=False)


class SuiteTask(_Document):
    """A task that stands for a need."""

    task: str
    chance: Share
    """What guessing reaches on long inputs: from the position alone in the languages of the census."""
    probing: bool
    """Whether it had probing words when the suite was drawn. Runs are tested on those that it has now; the
    field stays as it was, because the hash covers it."""
    longest: Count
    """The longest tested length: that of the suite, or the longest input that the task has."""


class SuiteNeed(_Document):
    """What some tasks need, by a proof or by what they are."""

    need: str
    about: str
    steps: Count
    """Training steps of each run, whatever the model."""
    tasks: dict[Part, tuple[SuiteTask, ...]]


class Budget(_Document):
    """What every run has, whatever the model."""

    batch: Count
    seeds: Count
    rates: tuple[float, ...]
    """The learning rates that are tried on development tasks."""
    usual_rate: float
    """Where there is no time to try them."""
    layers: Count
    heads: Count
    width: Count
    words: Count
    """Tested at each length, at random; probing words are as many at most."""


class Suite(_Document):
    """All of it. The hash is that of everything else in the file.

    >>> found = suite()
    >>> found.suite, found.trained_to, found.grid[0], found.grid[-1]
    ('1', 20, 28, 500)
    """

    suite: str
    about: str
    seed: int
    trained_to: Count
    grid: tuple[Count, ...]
    """The tested lengths, from the first beyond training to 25 times as long."""
    budget: Budget
    needs: tuple[SuiteNeed, ...]
    hash: str

    @model_validator(mode="after")
    def _whole(self) -> Self:
        if self.hash != suite_hash(self.model_dump(mode="json")):
            raise ValueError("the hash is not that of the suite: a changed suite needs a new number")
        return self

    def need(self, name: str) -> SuiteNeed:
        found = next((each for each in self.needs if each.need == name), None)
        if found is None:
            known = ", ".join(each.need for each in self.needs)
            raise InputError(
                f"suite {self.suite} has no need {name!r}; it has {known}", place=Setting("needs")
            )
        return found

    def in_order(self, part: Part, needs: Collection[str] = ()) -> list[tuple[SuiteNeed, SuiteTask]]:
        """The tasks of a part with their needs, some or all: the first of every need, then the second.

        >>> [task.task for _, task in suite().in_order("development", ["depth", "groups"])][:3]
        ['word-problem:Z2', 'dyck-1', 'word-problem:Z3']
        """
        chosen = [need for need in self.needs if not needs or need.need in needs]
        columns = [[(need, task) for task in need.tasks[part]] for need in chosen]
        return [pair for rank in zip_longest(*columns) for pair in rank if pair is not None]

    def tested(self, task: SuiteTask) -> tuple[LengthRange, ...]:
        """The tested ranges of a task: each from the length before it to a length of the grid.

        >>> from longreach.answers.profile_suite import suite
        >>> found = suite()
        >>> [each.name for each in found.tested(found.need("counting").tasks["development"][0])][:3]
        ['21-28', '29-40', '41-57']
        """
        ends = [length for length in self.grid if length < task.longest]
        ends.append(min(task.longest, self.grid[-1]))
        firsts = [self.trained_to + 1, *(end + 1 for end in ends)]
        return tuple(LengthRange(*each) for each in zip(firsts, ends, strict=False))


def grid_lengths(trained_to: int) -> tuple[int, ...]:
    """N · 2^(i/2) from the first length above N, up to 25 N, which is the last.

    >>> grid_lengths(20)
    (28, 40, 57, 80, 113, 160, 226, 320, 453, 500)
    """
    last = 25 * trained_to
    found: list[int] = []
    while (length := round(trained_to * 2 ** ((len(found) + 1) / 2))) < last:
        found.append(length)
    return (*found, last)


def suite_hash(document: dict[str, Any]) -> str:
    """A short hash of all but the hash itself."""
    content = canonical_json({name: value for name, value in document.items() if name != "hash"})
    return hashlib.sha256(content.encode()).hexdigest()[:16]


@cache
def suite(path: Path = SUITE) -> Suite:
    """The suite in a file, by default the one that comes with this version."""
    return read_document(path, Suite.model_validate_json, Suite.model_fields)


def check_part(part: str) -> Part:
    if part not in PARTS:
        raise InputError(f"{part!r} is not one of {' and '.join(PARTS)}", place=Setting("part"))
    return part


def tasks_of(found: Suite, part: Part) -> Iterable[tuple[SuiteNeed, SuiteTask]]:
    """Each task of a part with its need."""
    return ((need, task) for need in found.needs for task in need.tasks[part])
