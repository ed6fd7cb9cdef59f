"""When a run works, and what the runs of one configuration say about a forecast.

A run *works* when it meets a criterion on the longest test range: its accuracy is at least half way from
chance to 1. Several runs work when at least half of them do. Means hide runs that do opposite things; counts
do not.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Protocol, TypeAlias

from longreach.config.run import AnyMember
from longreach.runs.index import Row
from longreach.tasks.catalog import TASKS
from longreach.tasks.lengths import LengthRange
from longreach.theory.verdicts.verdict import Answer
from longreach.training.result import Final, Result, loss_number
from longreach.wording import counted

# When a run works on long inputs: by its accuracy, or by its loss where answers are numbers.


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


# Runs counted one by one: how many learned, how many work on long inputs, and what that says of a
# forecast.


FindingState: TypeAlias = Literal["agrees", "contradicts", "not learned", "cannot be judged"]

MORE_TRAINING = "train for more steps, or a larger model"
FEW_RUNS = 3
"""With fewer runs chance is a likely reason for anything."""


def known_chance(task: str) -> float:
    """The chance of a built-in task; 0 for others, which are not loaded because a result names them.

    >>> known_chance("parity"), known_chance("somebody.elses:task")
    (0.5, 0.0)
    """
    return TASKS[task]().chance if task in TASKS else 0.0


@dataclass(frozen=True, kw_only=True)
class Tally:
    """Runs that differ in their seed only, counted.

    >>> Tally(runs=3, learned=3, work=2).words, Tally(runs=0, learned=0, work=0).words
    ('2 of 3 runs work', 'no run has finished')
    """

    runs: int
    """That finished and were measured."""
    learned: int
    """That are right on the whole training range."""
    work: int
    """That work on the longest test range."""

    @classmethod
    def of(cls, found: Iterable[Row | Result], test_range: LengthRange, chance: float) -> Tally:
        """Count results by their accuracy; those that failed, or were not measured on it, are left out.

        >>> rows = [Row(key="0", status="done", reached=True, accuracy={"21-40": 0.9})]
        >>> Tally.of(rows, LengthRange(21, 40), chance=0.0)
        Tally(runs=1, learned=1, work=1)
        """
        return cls.by(ByAccuracy(chance), found, test_range)

    @classmethod
    def by(cls, criterion: Criterion, found: Iterable[Row | Result], test_range: LengthRange) -> Tally:
        """The same by any criterion."""
        runs = learned = work = 0
        for each in found:
            numbers = each.final if isinstance(each, Result) else each
            value = None if numbers is None else criterion.value(numbers, test_range)
            if numbers is None or value is None or each.status != "done":
                continue
            runs += 1
            learned += bool(numbers.reached)
            work += criterion.works(value)
        return cls(runs=runs, learned=learned, work=work)

    @property
    def words(self) -> str:
        """How many work."""
        if not self.runs:
            return "no run has finished"
        verb = "works" if 1 in (self.work, self.runs) else "work"
        return f"{self.work} of {counted(self.runs, 'run')} {verb}"

    @property
    def learned_words(self) -> str:
        """How many are right on the whole training range."""
        verb = "is" if 1 in (self.learned, self.runs) else "are"
        return f"{self.learned} of {counted(self.runs, 'run')} {verb} right on the whole training range"

    @property
    def works(self) -> bool | None:
        """Whether at least half of the runs work; None without runs."""
        return None if not self.runs else 2 * self.work >= self.runs

    @property
    def is_mixed(self) -> bool:
        """Whether some runs work and others do not: then their mean says nothing."""
        return 0 < self.work < self.runs


@dataclass(frozen=True)
class Finding:
    """What runs say of a forecast, in words."""

    state: FindingState
    words: str
    reasons: tuple[str, ...] = ()
    """Why it may be so, the likeliest first, each with what to try next."""


def judge_runs(forecast: Answer | None, tally: Tally) -> Finding:
    """What the runs say of a forecast; None where theory has none for the encoding.

    >>> judge_runs(Answer.NO, Tally(runs=3, learned=3, work=0)).words
    'the measured runs agree with the forecast: 0 of 3 runs work, as expected'
    >>> judge_runs(Answer.YES, Tally(runs=3, learned=3, work=1)).state
    'contradicts'
    """
    if tally.works is None:
        return Finding("cannot be judged", f"cannot be judged: {tally.words}")
    if forecast is None:
        return Finding("cannot be judged", f"{tally.words}; theory has no forecast to compare it with")
    if forecast == Answer.UNDECIDED:
        return Finding("cannot be judged", f"{tally.words}; the forecast is undecided")
    expected = forecast.expectation
    if not tally.works and 2 * tally.learned < tally.runs:
        words = f"not learned: {tally.learned_words}, and {tally.words} on longer inputs ({expected})"
        reasons = (f"not learned within the steps: {MORE_TRAINING}", *_few(tally))
        return Finding("not learned", words, reasons)
    agrees = tally.works is (forecast == Answer.YES)
    reasons = _reasons(forecast, tally)
    if tally.is_mixed:
        half = "at least half" if tally.works else "fewer than half"
        relation = "agrees with" if agrees else "contradicts"
        words = f"the measured runs are mixed: {tally.words}; {half}, which {relation} the forecast"
        return Finding("agrees" if agrees else "contradicts", f"{words} ({expected})", reasons)
    runs, ending = ("the measured run", "s") if tally.runs == 1 else ("the measured runs", "")
    if agrees:
        words = f"{runs} agree{ending} with the forecast: {tally.words}, as expected"
        return Finding("agrees", words, reasons)
    words = f"{runs} contradict{ending} the forecast: {tally.words}, {expected}"
    return Finding("contradicts", words, reasons)


def _reasons(forecast: Answer, tally: Tally) -> tuple[str, ...]:
    """Why runs may do what was not expected of them."""
    unexpected = tally.runs - tally.work if forecast == Answer.YES else tally.work
    if not unexpected:
        return ()
    found = []
    if forecast == Answer.NO:
        found.append("at these lengths a short window may already be enough: test on longer inputs")
    else:
        if missing := tally.runs - tally.learned:
            found.append(f"{counted(missing, 'run')} did not learn the training range: {MORE_TRAINING}")
        found.append("too few training lengths to tell the rule from others: train on longer inputs")
    return (*found, *_few(tally))


def _few(tally: Tally) -> tuple[str, ...]:
    if tally.runs >= FEW_RUNS:
        return ()
    return (f"{'one seed' if tally.runs == 1 else f'{tally.runs} seeds'} only: train more seeds",)


# Runs of one encoding and one training length, counted one by one.


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
