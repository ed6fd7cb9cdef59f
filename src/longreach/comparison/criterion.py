"""When a run works on long inputs: by its accuracy, or by its loss where answers are numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal, Protocol

from longreach.config.length_range import LengthRange
from longreach.results.index import Row
from longreach.results.schema import Final, loss_number


class Criterion(Protocol):
    """A number of a run on a range of lengths, and which numbers are good enough."""

    @property
    def name(self) -> Literal["accuracy", "loss"]:
        """What the number is."""
        ...

    @property
    def level(self) -> float:
        """The last number that is good enough."""
        ...

    def value(self, numbers: Final | Row, lengths: LengthRange) -> float | None:
        """The number of a run; None where it was not measured."""
        ...

    def works(self, value: float) -> bool:
        """Whether it is good enough."""
        ...


@dataclass(frozen=True)
class ByAccuracy:
    """At least half way from chance to 1: as far from guessing as from always being right.

    >>> ByAccuracy(chance=0.5).level, ByAccuracy(chance=0.0).works(0.4)
    (0.75, False)
    """

    chance: float
    name: ClassVar[Literal["accuracy"]] = "accuracy"

    @property
    def level(self) -> float:
        """The least accuracy that works."""
        return (1 + self.chance) / 2

    def value(self, numbers: Final | Row, lengths: LengthRange) -> float | None:
        """The share of right answers."""
        return numbers.accuracy.get(lengths.name)

    def works(self, value: float) -> bool:
        """Whether an accuracy is high enough."""
        return value >= self.level


@dataclass(frozen=True)
class ByLoss:
    """A mean squared error of at most a level.

    >>> ByLoss(0.01).works(0.01), ByLoss(0.01).works(0.011)
    (True, False)
    """

    level: float
    name: ClassVar[Literal["loss"]] = "loss"

    def value(self, numbers: Final | Row, lengths: LengthRange) -> float | None:
        """The mean squared error."""
        return numbers.other.get(loss_number(lengths.name))

    def works(self, value: float) -> bool:
        """Whether a loss is low enough."""
        return value <= self.level
