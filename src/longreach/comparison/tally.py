"""Runs counted one by one: how many learned, how many work on long inputs, and what that says of a forecast.

A run *works* when it meets a criterion on the longest test range: its accuracy is at least half way from
chance to 1. Several runs work when at least half of them do. Means hide runs that do opposite things; counts
do not.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, TypeAlias

from longreach.comparison.criterion import ByAccuracy, Criterion
from longreach.config.length_range import LengthRange
from longreach.results.index import Row
from longreach.results.schema import Result
from longreach.tasks.catalog import TASKS
from longreach.verdicts.verdict import Answer
from longreach.wording import counted

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
