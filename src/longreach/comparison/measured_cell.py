"""Runs of one encoding and one training length, counted one by one."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from longreach.comparison.criterion import Criterion
from longreach.comparison.tally import Tally
from longreach.config.any_member import AnyMember
from longreach.config.length_range import LengthRange
from longreach.results.schema import Result


@dataclass(frozen=True, kw_only=True)
class MeasuredCell:
    """How many of the runs work, of those that were planned."""

    encoding: str
    train_to: int
    tested: LengthRange
    planned: int
    steps: int
    tally: Tally
    keys: tuple[str, ...]
    """Of the results that were counted."""
    accuracy: tuple[float, ...] = ()
    """Of each run that was counted, on the tested lengths."""
    loss: tuple[float, ...] = ()
    """The same, where answers are numbers."""

    @classmethod
    def of(
        cls, members: Iterable[AnyMember], results: Iterable[Result], criterion: Criterion
    ) -> tuple[MeasuredCell, ...]:
        """The cells of members, in their order, with whatever results there are."""
        found = {result.key: result for result in results}
        groups: dict[tuple[str, int], list[AnyMember]] = {}
        for member in members:
            groups.setdefault((member.encoding, member.train_lengths.last), []).append(member)
        return tuple(cls._of_group(group, found, criterion) for group in groups.values())

    @classmethod
    def _of_group(
        cls, group: list[AnyMember], found: dict[str, Result], criterion: Criterion
    ) -> MeasuredCell:
        first = group[0]
        tested = first.test_lengths[-1]
        results = [found[each.key] for each in group if each.key in found]
        finals = [each.final for each in results if each.status == "done" and each.final is not None]
        values = [value for each in finals if (value := criterion.value(each, tested)) is not None]
        return cls(
            encoding=first.encoding,
            train_to=first.train_lengths.last,
            tested=tested,
            planned=len(group),
            steps=first.max_steps,
            tally=Tally.by(criterion, results, tested),
            keys=tuple(result.key for result in results),
            **{criterion.name: tuple(values)},
        )

    @property
    def values(self) -> tuple[float, ...]:
        """The numbers by which runs were counted."""
        return self.accuracy or self.loss

    @property
    def lowest(self) -> float | None:
        """The worst accuracy of a run on the tested lengths; None without runs."""
        return min(self.accuracy, default=None)

    @property
    def highest(self) -> float | None:
        """The best one."""
        return max(self.accuracy, default=None)

    @property
    def words(self) -> str:
        """How many runs work, in a few words."""
        tally, missing = self.tally, self.planned - self.tally.runs
        if not tally.runs:
            return "no run has finished"
        return tally.words + (f", {missing} not finished" if missing else "")

    @property
    def in_short(self) -> str:
        """The same for a list of training lengths: `16: 3 of 3`."""
        return f"{self.train_to}: {self.tally.work} of {self.tally.runs}"

    def document(self) -> dict[str, Any]:
        """As `longreach ask --json` has it."""
        return {
            "encoding": self.encoding,
            "train_to": self.train_to,
            "tested": self.tested.name,
            "runs": self.tally.runs,
            "work": self.tally.work,
            "learned": self.tally.learned,
            "planned": self.planned,
            "steps": self.steps,
            "lowest": self.lowest,
            "highest": self.highest,
            "keys": list(self.keys),
        }
