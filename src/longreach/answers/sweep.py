"""A sweep over training lengths: which to try next, and from which on runs work.

A rule maps what is known to what to find out. So a sweep that was stopped resumes: it asks the same questions
again and finds the first answers there.

A length *works* when at least half of its seeds do. Seeds are trained only until that is decided, and no more
lengths are tried upwards once no run is good on its own training lengths.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias

from longreach.answers.judge import MeasuredCell
from longreach.config.run import RunConfig
from longreach.runs.cells import Criterion
from longreach.tasks.lengths import LengthRange

if TYPE_CHECKING:
    from longreach.runs.timed import TimedTraining

MOSTLY = 0.95
"""The accuracy that is named besides half of it."""

# Which training length to try next, and with how many seeds: it doubles, then bisects.


class Strategy(Protocol):
    """What decides which training lengths are measured."""

    @property
    def words(self) -> str: ...

    def next_lengths(self, known: Mapping[int, bool], hopeless: Collection[int] = ()) -> tuple[int, ...]:
        """The lengths to measure next, given which lengths work; none at the end."""
        ...


@dataclass(frozen=True, kw_only=True)
class Doubling:
    """Doubles until runs work at a length and at its double, then bisects between what fails and what works.

    Where the first length works already it halves instead. A length works only if longer ones do, so one far
    beyond is measured before the bisection. It gives up where no run is good on its own training lengths:
    longer ones are harder to learn in the same steps.

    >>> rule, known = Doubling(first=5, least=1, most=60), {}
    >>> while lengths := rule.next_lengths(known):
    ...     known |= {length: length >= 17 for length in lengths}
    >>> list(known), start_of(known)
    ([5, 10, 20, 40, 15, 17, 16], 17)
    """

    first: int
    least: int
    most: int
    within: int = 1
    """How near the answer has to be: with 1 it is exact, as far as outcomes are monotone."""
    twice: bool = True
    """Whether a length counts only when runs work at its double, or the longest, as well."""
    far: int = 0
    """A length counts only when runs work at this one, or the longest, as well."""

    @property
    def words(self) -> str:
        return f"doubling from {self._first}, then bisecting, between {self.least} and {self.most}"

    @property
    def _first(self) -> int:
        return min(max(self.first, self.least), self.most)

    def next_lengths(self, known: Mapping[int, bool], hopeless: Collection[int] = ()) -> tuple[int, ...]:
        found = self._next(known, hopeless)
        return () if found is None else (found,)

    def _next(self, known: Mapping[int, bool], hopeless: Collection[int]) -> int | None:
        if not known:
            return self._first
        start, longest = start_of(known), max(known)
        if start is None:
            return None if longest in hopeless else self._double(longest, longest)
        if self.twice and longest < 2 * start and (longer := self._double(start, longest)) is not None:
            return longer
        if longest < (far := min(self.far, self.most)):
            return far
        below = [length for length in known if length < start]
        if not below:
            return max(self.least, start // 2) if start > self.least else None
        return (max(below) + start) // 2 if start - max(below) > self.within else None

    def _double(self, length: int, longest: int) -> int | None:
        return None if longest >= self.most else min(2 * length, self.most)


@dataclass(frozen=True, kw_only=True)
class Grid:
    """These lengths, all at once.

    >>> Grid(lengths=(5, 10)).next_lengths({}), Grid(lengths=(5, 10)).next_lengths({5: True, 10: True})
    ((5, 10), ())
    """

    lengths: tuple[int, ...]

    @property
    def words(self) -> str:
        return ", ".join(map(str, self.lengths))

    def next_lengths(self, known: Mapping[int, bool], hopeless: Collection[int] = ()) -> tuple[int, ...]:
        return tuple(length for length in self.lengths if length not in known)


def start_of(known: Mapping[int, bool]) -> int | None:
    """The least length from which on every one that was measured works; None if the longest does not.

    >>> start_of({5: True, 10: False, 20: True, 40: True}), start_of({5: True, 10: False})
    (20, None)
    """
    found = None
    for length in sorted(known, reverse=True):
        if not known[length]:
            break
        found = length
    return found


def _share(values: Sequence[float], least: float) -> float:
    return sum(value >= least for value in values) / max(1, len(values))


def decided(work: int, fail: int, seeds: int) -> bool | None:
    """Whether at least half of so many seeds work, once the others cannot change it; None before.

    >>> decided(2, 0, 3), decided(0, 2, 3), decided(1, 1, 3), decided(1, 1, 2)
    (True, False, None, True)
    """
    if 2 * work >= seeds:
        return True
    return False if 2 * fail > seeds else None


def more_seeds(work: int, fail: int, seeds: int) -> int:
    """The fewest further runs that may decide it: no other is trained.

    >>> more_seeds(0, 0, 3), more_seeds(1, 1, 3), more_seeds(2, 0, 3)
    (2, 1, 0)
    """
    if decided(work, fail, seeds) is not None:
        return 0
    return min(-(-seeds // 2) - work, seeds // 2 + 1 - fail)


# Runs are trained as a rule asks for them, and counted length by length


Stop: TypeAlias = Literal["time", "interrupted", "failed", "not learned"]
"""Why a sweep ended before its rule did: with "not learned" no more would have helped."""


@dataclass(kw_only=True)
class Sweep:
    """Measures the lengths that a rule asks for."""

    rule: Strategy
    member_of: Callable[[int, int], RunConfig]
    """The run of a training length and a seed."""
    training: TimedTraining
    seeds: int
    criterion: Criterion
    every_seed: bool = False
    """Whether all seeds are trained at every length, also those that decide nothing."""
    only_what_fits: bool = False
    """Whether nothing is begun that would not end in time."""
    asked: dict[int, list[RunConfig]] = field(default_factory=dict)
    stopped: Stop | None = None

    @property
    def cells(self) -> tuple[MeasuredCell, ...]:
        """A training length each, in the order in which they were tried."""
        return tuple(map(self._cell, self.asked))

    @property
    def waiting(self) -> tuple[RunConfig, ...]:
        """The runs that were asked for and are not done."""
        members = [member for asked in self.asked.values() for member in asked]
        return tuple(member for member in members if self.training.done(member) is None)

    def run(self, known: Mapping[int, bool] | None = None) -> Sweep:
        """Measure, given the lengths that are known already."""
        known, hopeless = dict(known or {}), set[int]()
        while self.stopped is None and (lengths := self.rule.next_lengths(known, hopeless)):
            self.stopped = self._measure(lengths)
            for length in lengths:
                cell = self._cell(length)
                answer = decided(cell.tally.work, cell.tally.runs - cell.tally.work, self.seeds)
                if answer is not None:
                    known[length] = answer
                    # Whether no run is good on the lengths that it was trained on.
                    fits = cell.cell.count(self.criterion, cell.config.train_lengths).work
                    hopeless |= {length} if cell.cell.finished and not fits else set()
        if self.stopped is None and known and not known[max(known)] and max(known) in hopeless:
            self.stopped = "not learned"
        return self

    def _measure(self, lengths: Sequence[int]) -> Stop | None:
        """Rounds of as many seeds as may decide each length, until all are decided."""
        while True:
            new = [(length, self._more(length)) for length in lengths]
            if not any(members for _, members in new):
                return None
            for length, members in new:
                self.asked.setdefault(length, []).extend(members)
            wanted = [member for _, members in new for member in members]
            stopped = self._train(wanted, [length for length, members in new if members])
            if stopped is not None:
                return stopped

    def _more(self, length: int) -> list[RunConfig]:
        tally, first = self._cell(length).tally, len(self.asked.get(length, ()))
        count = more_seeds(tally.work, tally.runs - tally.work, self.seeds)
        last = self.seeds if self.every_seed else first + count
        return [self.member_of(length, seed) for seed in range(first, last)]

    def _train(self, members: Sequence[RunConfig], lengths: Sequence[int]) -> Stop | None:
        training = self.training
        waiting = [member for member in members if training.done(member) is None]
        if waiting and not training.is_over:
            if self.only_what_fits and not training.fits(waiting):
                return "time"
            training.train(members, f"trained to {', '.join(map(str, lengths))}")
        if all(training.done(member) is not None for member in members):
            return None
        if training.interrupted:
            return "interrupted"
        return "failed" if any(member.key in training.failed for member in members) else "time"

    def _cell(self, length: int) -> MeasuredCell:
        members, results = self.asked.get(length), self.training.results
        if not members:
            members, results = [self.member_of(length, 0)], {}
        return MeasuredCell.of(members, results, self.criterion)[0]


# From which training length on runs work, as far as it was measured.


@dataclass(frozen=True, kw_only=True)
class Threshold:
    """Runs of one encoding at several training lengths."""

    encoding: str
    cells: tuple[MeasuredCell, ...]
    """With finished runs, by training length."""
    least: int | None = None
    """The shortest length that a task can be trained to, where that is known."""

    @classmethod
    def of(cls, cells: Sequence[MeasuredCell], least: int | None = None) -> Threshold | None:
        """From cells of one encoding, in any order; None where no run has finished."""
        measured = sorted((cell for cell in cells if cell.tally.runs), key=lambda cell: cell.train_to)
        if not measured:
            return None
        return cls(encoding=measured[0].encoding, cells=tuple(measured), least=least)

    @cached_property
    def _works(self) -> dict[int, bool]:
        return {cell.train_to: bool(cell.tally.works) for cell in self.cells}

    @property
    def start(self) -> int | None:
        """The least training length from which on at least half of the runs work; None if none."""
        return start_of(self._works)

    @property
    def worked_below(self) -> tuple[int, ...]:
        """Shorter training lengths that work, though a longer one does not."""
        start = self.start
        return tuple(
            length for length, works in self._works.items() if works and (start is None or length < start)
        )

    @property
    def failed_below(self) -> int | None:
        """The longest training length that does not work; None if all do."""
        return max((length for length, works in self._works.items() if not works), default=None)

    @property
    def is_open_below(self) -> bool:
        """Whether the least training length that was tried works already, and shorter ones are possible."""
        return self.start == self.cells[0].train_to and self.start != self.least

    @property
    def is_exact(self) -> bool:
        """Whether the length just below was tried and does not work, or there is none."""
        return self.start is not None and (self.failed_below == self.start - 1 or self.start == self.least)

    @property
    def tested(self) -> LengthRange | None:
        """The lengths that all runs were tested on; None where they differ."""
        found = {cell.tested for cell in self.cells}
        return found.pop() if len(found) == 1 else None

    @property
    def words(self) -> str:
        """The answer in a few words."""
        if self.start is None:
            return f"none up to {self.cells[-1].train_to}"
        if self.is_open_below:
            return f"from {self.start} on, or less"
        if self.start == self.least:
            return f"from {self.start} on, the shortest possible"
        return f"from {'' if self.is_exact else 'about '}{self.start} on"

    @property
    def remark(self) -> str:
        """What does not fit "from some length on"; empty where everything does."""
        if not self.worked_below:
            return ""
        lengths = ", ".join(map(str, self.worked_below))
        verb = "works" if len(self.worked_below) == 1 else "work"
        return f"not monotone: {lengths} {verb}, {self.failed_below} does not"

    @property
    def right_from(self) -> dict[float, int | None]:
        """By accuracy, the least training length from which on at least half of the runs have it; empty where
        answers are numbers. Half right is halfway from guessing, where runs work."""
        if self.cells[0].criterion.name == "loss":
            return {}
        mostly = {
            cell.train_to: self._works[cell.train_to] and _share(cell.values, MOSTLY) >= 0.5
            for cell in self.cells
        }
        return {0.5: self.start, MOSTLY: start_of(mostly)}

    @property
    def right_words(self) -> str:
        """How right models are from where on; empty where answers are numbers."""
        names = {0.5: "half right", MOSTLY: f"{100 * MOSTLY:g} % right"}
        none = f"none up to {self.cells[-1].train_to}"
        parts = [f"{names[share]} from {none if at is None else at}" for share, at in self.right_from.items()]
        return ", ".join(parts)

    @property
    def counts(self) -> str:
        """How many runs work at each training length."""
        return " · ".join(cell.in_short for cell in self.cells)

    def document(self) -> dict[str, Any]:
        """As `longreach ask --json` has it."""
        return {
            "encoding": self.encoding,
            "basis": "measured",
            "tested": None if self.tested is None else self.tested.name,
            "from": self.start,
            "or_less": self.start is not None and self.is_open_below,
            "worked_below": list(self.worked_below),
            "right_from": {str(share): length for share, length in self.right_from.items()},
            "lengths": [
                {"train_to": cell.train_to, "runs": cell.tally.runs, "work": cell.tally.work}
                for cell in self.cells
            ],
        }
