"""The runs of one configuration, which differ in their seed alone: what they reach, and how many work.

A run *works* on longer inputs when it fits its training range and meets a criterion there: an accuracy at
least halfway from chance to 1, or, where answers are numbers, a loss of at most some level. Several runs
work when at least half of them do. Everything counts runs by this rule. Means hide runs that do opposite
things; counts do not.

Inputs of the tests are random. A run is *sure* at a length when it works there and the probing words of the
loop, or kind, that it does worst on (`longreach.tasks.probing`, `longreach.tasks.pumped`) are good enough as
well.
"""

from __future__ import annotations

import math
import re
import statistics
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any, ClassVar, Literal, Protocol

from longreach.config.model import CellLabel
from longreach.files import canonical_json
from longreach.runs.index import Row
from longreach.tasks.catalog import TASKS, load_task
from longreach.tasks.lengths import LengthRange, name_order, read_name
from longreach.tasks.names import FamilyName
from longreach.theory.names import AUTOMATON, REGEX, STATES, STATES_AFTER, TaskName
from longreach.training.result import RangeKind, named, range_number, setting
from longreach.wording import counted

FITS = 0.95
"""The accuracy from which on a run fits its training range. Below it, being right on longer inputs is luck:
nearly all long words may contain a pattern that the run has not learned."""


class Criterion(Protocol):
    """A number of a run on a range of lengths, and which numbers are good enough."""

    @property
    def name(self) -> Literal["accuracy", "loss"]: ...

    @property
    def level(self) -> float:
        """The last number that is good enough."""
        ...

    def value(self, row: Row, lengths: LengthRange) -> float | None:
        """The number of a run; None where it was not measured."""
        ...

    def works(self, value: float) -> bool: ...

    def passes(self, row: Row, lengths: LengthRange) -> bool | None:
        """Whether a run's number is good enough; None where it was not measured."""
        ...

    def passes_probes(self, row: Row, lengths: LengthRange) -> bool | None:
        """The same on the worst loop or kind of probing words; None where there are none."""
        ...


@dataclass(frozen=True)
class ByAccuracy:
    """At least halfway from chance to 1: as far from guessing as from always being right.

    The chance of the run's own tests counts, where the run has it; else that of the task.

    >>> ByAccuracy(chance=0.5).level, ByAccuracy(chance=0.0).works(0.4)
    (0.75, False)
    """

    chance: float
    name: ClassVar[Literal["accuracy"]] = "accuracy"

    @property
    def level(self) -> float:
        return (1 + self.chance) / 2

    def value(self, row: Row, lengths: LengthRange) -> float | None:
        return row.accuracy.get(lengths.name)

    def works(self, value: float) -> bool:
        return value >= self.level

    def chance_of(self, row: Row, lengths: LengthRange) -> float:
        """What guessing reaches on the run's tests."""
        return row.other.get(range_number("chance", lengths.name), self.chance)

    def passes(self, row: Row, lengths: LengthRange) -> bool | None:
        value = self.value(row, lengths)
        return None if value is None else ByAccuracy(self.chance_of(row, lengths)).works(value)

    def passes_probes(self, row: Row, lengths: LengthRange) -> bool | None:
        value = row.other.get(range_number("worst loop", lengths.name))
        chance = row.other.get(range_number("chance", range_number("probing", lengths.name)), self.chance)
        return None if value is None else ByAccuracy(chance).works(value)


@dataclass(frozen=True)
class ByLoss:
    """A mean squared error of at most a level.

    >>> ByLoss(0.01).works(0.01), ByLoss(0.01).works(0.011)
    (True, False)
    """

    level: float
    name: ClassVar[Literal["loss"]] = "loss"

    def value(self, row: Row, lengths: LengthRange) -> float | None:
        return row.other.get(range_number("loss", lengths.name))

    def works(self, value: float) -> bool:
        return value <= self.level

    def passes(self, row: Row, lengths: LengthRange) -> bool | None:
        value = self.value(row, lengths)
        return None if value is None else self.works(value)

    def passes_probes(self, row: Row, lengths: LengthRange) -> bool | None:
        return None


@dataclass(frozen=True, kw_only=True)
class Tally:
    """How many runs there are, how many fit the training range, and how many work.

    >>> Tally(runs=3, learned=3, work=2).words, Tally(runs=0, learned=0, work=0).words
    ('2 of 3 runs work', 'no run has finished')
    """

    runs: int = 0
    """That finished and were measured."""
    learned: int = 0
    """That are right on the whole training range."""
    work: int = 0
    unfit: int = 0
    """That do not fit the training range; none of them works."""
    probed: int = 0
    """That were measured on probing words as well."""
    sure: int = 0
    """Of these, the runs that work and whose worst loop or kind does."""

    def __add__(self, other: Tally) -> Tally:
        mine, others = asdict(self), asdict(other)
        return Tally(**{name: count + others[name] for name, count in mine.items()})

    @property
    def works(self) -> bool | None:
        """Whether at least half of the runs work; None without runs."""
        return None if not self.runs else 2 * self.work >= self.runs

    @property
    def is_learned(self) -> bool:
        """Whether at least half of the runs are right on the whole training range."""
        return self.runs > 0 and 2 * self.learned >= self.runs

    @property
    def is_mixed(self) -> bool:
        """Whether some runs work and others do not: then their mean says nothing."""
        return 0 < self.work < self.runs

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
    def sure_words(self) -> str:
        """How many are sure; empty where there are no probing words.

        >>> Tally(runs=3, work=2, probed=3, sure=1).sure_words
        '1 of 3 sure'
        """
        return f"{self.sure} of {self.probed} sure" if self.probed else ""

    @property
    def is_doubtful(self) -> bool:
        """Whether the runs work, and most of those with probing words fail on some loop or kind."""
        return bool(self.works) and 2 * self.sure < self.probed

    def document(self) -> dict[str, int]:
        """As JSON has it."""
        found = asdict(self)
        return found if self.probed else {name: found[name] for name in found if name not in _PROBED}


_PROBED = ("probed", "sure")


@dataclass(frozen=True)
class Spread:
    """A number over several runs.

    >>> Spread.of([1.0, 0.5])
    Spread(mean=0.75, low=0.5, high=1.0, deviation=0.25, count=2)
    """

    mean: float
    low: float
    high: float
    deviation: float
    """The standard deviation of these runs, not an estimate for others."""
    count: int

    @classmethod
    def of(cls, values: Iterable[float]) -> Spread:
        """The spread of at least one value."""
        found = list(values)
        return cls(statistics.fmean(found), min(found), max(found), statistics.pstdev(found), len(found))


@dataclass(frozen=True, kw_only=True)
class Cell:
    """The runs of one configuration; there may be none yet.

    >>> config = {"task": "aa", "encoding": "ape", "train_lengths": [2, 20], "test_lengths": [[21, 40]]}
    >>> rows = [Row(key="0", status="done", reached=True, accuracy={"2-20": 1.0, "21-40": 0.9})]
    >>> cell = Cell.of(config, rows)
    >>> cell.count(ByAccuracy(chance=0.0), cell.tested)
    Tally(runs=1, learned=1, work=1, unfit=0, probed=0, sure=0)
    """

    task: str
    encoding: str
    """With its position ids where they are unusual."""
    config: dict[str, Any]
    """Without the seed."""
    rows: tuple[Row, ...]
    """All of them, failed ones included."""

    @classmethod
    def of(cls, config: Mapping[str, Any], rows: Iterable[Row] = ()) -> Cell:
        """The cell of a configuration, with what has been run of it."""
        task, label = named(config, "task") or "?", CellLabel.of(config)
        return cls(task=task, encoding=label.name, config=without_seed(config), rows=tuple(rows))

    @property
    def finished(self) -> tuple[Row, ...]:
        """The runs that came to their end."""
        return tuple(row for row in self.rows if row.status == "done")

    @property
    def successful(self) -> tuple[Row, ...]:
        """The runs that are right on the whole training range."""
        return tuple(row for row in self.finished if row.reached)

    @property
    def learned(self) -> bool:
        """Whether any run is right on the whole training range."""
        return bool(self.successful)

    @property
    def success(self) -> float | None:
        """The share of all runs, failed ones included, that are right on the whole training range."""
        return len(self.successful) / len(self.rows) if self.rows else None

    @property
    def seconds(self) -> float:
        """Of all runs together."""
        return sum(row.seconds or 0.0 for row in self.rows)

    @property
    def keys(self) -> tuple[str, ...]:
        return tuple(row.key for row in self.rows)

    # Lengths

    @cached_property
    def ranges(self) -> tuple[str, ...]:
        """The names of the measured ranges of lengths, the training range first."""
        names = {name for row in self.finished for name in row.accuracy}
        return tuple(sorted(names, key=name_order))

    @property
    def trained(self) -> LengthRange | None:
        """The training range: as configured, else the shortest that was measured."""
        lengths = setting(self.config, "train_lengths")
        if isinstance(lengths, list | tuple) and len(lengths) == 2:
            return LengthRange(*lengths)
        return read_name(self.ranges[0]) if self.ranges else None

    @property
    def tested(self) -> LengthRange | None:
        """The longest test range: as configured, else the longest that was measured; None: not tested."""
        lengths = setting(self.config, "test_lengths")
        if isinstance(lengths, list | tuple) and lengths:
            return LengthRange(*lengths[-1])
        return read_name(self.ranges[-1]) if len(self.ranges) > 1 else None

    # What runs reach

    def values(self, criterion: Criterion, lengths: LengthRange) -> tuple[float, ...]:
        """The number of each finished run that was measured there."""
        found = (criterion.value(row, lengths) for row in self.finished)
        return tuple(value for value in found if value is not None)

    def fits(self, row: Row) -> bool:
        """Whether a run fits the training range, as far as that was measured."""
        share = None if self.trained is None else row.accuracy.get(self.trained.name)
        return bool(row.reached) or share is None or share >= FITS

    def count(self, criterion: Criterion, lengths: LengthRange) -> Tally:
        """How many of the runs that were measured on a range work there; on the training range all may."""
        found = [(row, criterion.passes(row, lengths)) for row in self.finished]
        measured = [(row, passes) for row, passes in found if passes is not None]
        unfit = {row.key for row, _ in measured if not self.fits(row)}
        working = [
            row for row, passes in measured if passes and (lengths == self.trained or row.key not in unfit)
        ]
        probed = [row for row, _ in measured if criterion.passes_probes(row, lengths) is not None]
        return Tally(
            runs=len(measured),
            learned=sum(bool(row.reached) for row, _ in measured),
            work=len(working),
            unfit=len(unfit),
            probed=len(probed),
            sure=sum(bool(criterion.passes_probes(row, lengths)) for row in working),
        )

    def chance(self, lengths: LengthRange, usual: float) -> float:
        """What guessing reaches on the tests of its runs; `usual` where these do not say."""
        known = [row.other.get(range_number("chance", lengths.name)) for row in self.finished]
        found = [share for share in known if share is not None]
        return statistics.fmean(found) if found else usual

    @cached_property
    def accuracy(self) -> dict[str, Spread]:
        """Per range, over the successful runs; over all finished ones where none is successful."""
        return self._spreads([row.accuracy for row in self.successful or self.finished])

    @cached_property
    def accuracy_random_offset(self) -> dict[str, Spread]:
        """The same, at random offsets."""
        return self._spreads([row.accuracy_random_offset for row in self.successful or self.finished])

    @cached_property
    def accuracy_all(self) -> dict[str, Spread]:
        """Per range, over all finished runs."""
        return self._spreads([row.accuracy for row in self.finished])

    @property
    def last(self) -> float | None:
        """The mean accuracy at the longest range."""
        return next(reversed(self.accuracy.values())).mean if self.accuracy else None

    def _spreads(self, found: list[dict[str, float]]) -> dict[str, Spread]:
        values = {
            name: [one[name] for one in found if not math.isnan(one.get(name, math.nan))]
            for name in self.ranges
        }
        return {name: Spread.of(numbers) for name, numbers in values.items() if numbers}

    def document(self) -> dict[str, Any]:
        """With all that a reader needs to judge the numbers."""
        return {
            "encoding": self.encoding,
            "runs": len(self.rows),
            "finished": len(self.finished),
            "successful": len(self.successful),
            "counted": "successful" if self.learned else "finished",
            "accuracy": {
                name: {"mean": spread.mean, "low": spread.low, "high": spread.high, "count": spread.count}
                for name, spread in self.accuracy.items()
            },
            "keys": list(self.keys),
            "config": self.config,
        }


def known_chance(task: str) -> float:
    """The chance of a built-in task; 0 for others, which are not loaded because a result names them.

    >>> known_chance("parity"), known_chance("somebody.elses:task")
    (0.5, 0.0)
    """
    return TASKS[task]().chance if task in TASKS else 0.0


def worst_words(task: str) -> str:
    """What the worst of a task's probing words is called; a task that a result names is not imported.

    >>> worst_words("regex:(ab)*"), worst_words("sort"), worst_words("somebody.elses:task")
    ('worst loop', 'worst kind', 'worst kind')
    """
    name = TaskName(task).base
    known = name in TASKS or FamilyName.is_one(name)
    if known:
        return f"worst {load_task(name).probed_by}"
    of_automaton = name.startswith((REGEX, STATES, STATES_AFTER, AUTOMATON)) or re.fullmatch(r"d-\d+", name)
    return "worst loop" if of_automaton else "worst kind"


def range_shares(row: Row, kind: RangeKind) -> dict[str, float]:
    """By range, a further number of a run, such as its accuracy on probing words."""
    found = {name: row.other.get(range_number(kind, name)) for name in row.accuracy}
    return {name: share for name, share in found.items() if share is not None}


def sure_at(row: Row, chance: float | None = None) -> dict[str, bool]:
    """By range with probing words, whether a run is sure there; `chance` is by default that of its task.

    >>> other = {range_number("worst loop", "21-40"): 0.6, range_number("worst loop", "41-60"): 0.1}
    >>> row = Row(key="0", status="done", accuracy={"21-40": 1.0, "41-60": 1.0}, other=other)
    >>> sure_at(row)
    {'21-40': True, '41-60': False}
    """
    cell = Cell.of(row.config, [row])
    criterion = ByAccuracy(known_chance(cell.task) if chance is None else chance)
    spans = {name: read_name(name) for name in range_shares(row, "worst loop")}
    return {name: cell.count(criterion, span).sure == 1 for name, span in spans.items() if span is not None}


def without_seed(config: Mapping[str, Any]) -> dict[str, Any]:
    """What all runs of a cell have in common.

    >>> without_seed({"task": "parity", "seed": 3})
    {'task': 'parity'}
    """
    return {name: value for name, value in config.items() if name != "seed"}


def cells(rows: Iterable[Row]) -> list[Cell]:
    """The cells of these runs, ordered by task, encoding and configuration; damaged files have none.

    >>> config = {"task": "parity", "encoding": "ape"}
    >>> shares = [{"1-5": 1.0, "6-10": 0.6}, {"1-5": 0.9, "6-10": 0.5}]
    >>> cell, = cells(
    ...     Row(
    ...         key=str(seed), status="done", task="parity", encoding="ape", config={**config, "seed": seed},
    ...         reached=share["1-5"] == 1, accuracy=share,
    ...     )
    ...     for seed, share in enumerate(shares)
    ... )
    >>> cell.success, cell.accuracy["6-10"].mean, cell.accuracy_all["6-10"].mean
    (0.5, 0.6, 0.55)
    """
    found: dict[tuple[str, str, str], list[Row]] = {}
    for row in rows:
        if row.status != "damaged" and row.task is not None and row.encoding is not None:
            name = row.task, row.encoding, canonical_json(without_seed(row.config))
            found.setdefault(name, []).append(row)
    return [
        Cell(task=task, encoding=encoding, config=without_seed(same[0].config), rows=tuple(same))
        for (task, encoding, _), same in sorted(found.items())
    ]
