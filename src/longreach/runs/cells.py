"""Runs that differ in their seed only, taken together: how often they succeed, and what they reach."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from longreach.files import canonical_json
from longreach.runs.index import Row
from longreach.tasks.lengths import name_order


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
    """All runs of one configuration, whatever their seeds."""

    task: str
    encoding: str
    config: dict[str, Any]
    """Without the seed."""
    rows: tuple[Row, ...]
    """All of them: those that failed or did not learn the training range too."""

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
    def success(self) -> float:
        """The share of all runs, failed ones included, that are right on the whole training range."""
        return len(self.successful) / len(self.rows)

    @property
    def counted(self) -> tuple[Row, ...]:
        """The runs whose accuracies count: the successful ones; all finished ones where none is."""
        return self.successful or self.finished

    @property
    def ranges(self) -> tuple[str, ...]:
        """The ranges of lengths, the training range first."""
        names = {name for row in self.finished for name in row.accuracy}
        return tuple(sorted(names, key=name_order))

    @property
    def accuracy(self) -> dict[str, Spread]:
        """Per range, over the runs that count."""
        return _spreads(self.ranges, [row.accuracy for row in self.counted])

    @property
    def accuracy_random_offset(self) -> dict[str, Spread]:
        """The same, at random offsets."""
        return _spreads(self.ranges, [row.accuracy_random_offset for row in self.counted])

    @property
    def accuracy_all(self) -> dict[str, Spread]:
        """Per range, over all finished runs."""
        return _spreads(self.ranges, [row.accuracy for row in self.finished])

    @property
    def seconds(self) -> float:
        """Of all runs together."""
        return sum(row.seconds or 0.0 for row in self.rows)


def _spreads(ranges: Iterable[str], found: list[dict[str, float]]) -> dict[str, Spread]:
    values = {
        name: [one[name] for one in found if not math.isnan(one.get(name, math.nan))] for name in ranges
    }
    return {name: Spread.of(numbers) for name, numbers in values.items() if numbers}


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
        Cell(task=task, encoding=encoding, config=without_seed(members[0].config), rows=tuple(members))
        for (task, encoding, _), members in sorted(found.items())
    ]
