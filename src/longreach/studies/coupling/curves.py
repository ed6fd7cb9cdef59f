"""Curves of accuracy against length: what is trained for one, what its runs came to, and claims."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from longreach.config.training import TrainConfig
from longreach.results.cells import Spread
from longreach.results.schema import Result, task_number
from longreach.tasks.catalog import load_task


@dataclass(frozen=True, kw_only=True)
class Curve:
    """One line of a figure: a configuration under several seeds, tested on its own task or on another."""

    panel: str
    name: str
    config: TrainConfig
    """With the seed 0."""
    seeds: int
    tested: str | None = None
    """A further task of the configuration; None: its own."""

    def members(self, seeds: int | None = None) -> tuple[TrainConfig, ...]:
        """What is trained for it, with the seeds 0, 1, …."""
        return tuple(self.config.with_seed(seed) for seed in range(self.seeds if seeds is None else seeds))

    @property
    def lengths(self) -> tuple[int, ...]:
        """Those tested, in order, where the task that is tested has inputs."""
        task = load_task(self.tested or self.config.task)
        known = np.array(sorted(first for first, last in self.config.test_lengths if first == last))
        return tuple(known[task.has(known)].tolist())

    @property
    def chance(self) -> float:
        """What guessing gets right."""
        return load_task(self.tested or self.config.task).chance

    def accuracy(self, result: Result, length: int) -> float | None:
        """What one run has at a length."""
        assert result.final is not None, result.key
        name = f"{length}-{length}"
        if self.tested is None:
            return result.final.accuracy.get(name)
        return result.final.other.get(task_number(self.tested, name))


@dataclass(frozen=True, kw_only=True)
class Measured:
    """A curve with its runs."""

    curve: Curve
    members: tuple[TrainConfig, ...]
    results: tuple[Result, ...]
    """Those that are done."""

    def runs(self, length: int) -> list[float]:
        """The accuracy of every run that is done."""
        found = (self.curve.accuracy(result, length) for result in self.results)
        return [value for value in found if value is not None]

    def spread(self, length: int) -> Spread | None:
        """Mean, lowest and highest over the runs; None without runs."""
        values = self.runs(length)
        return Spread.of(values) if values else None

    def mean(self, length: int) -> float | None:
        """Over the runs."""
        spread = self.spread(length)
        return None if spread is None else spread.mean

    def in_training(self, result: Result) -> float | None:
        """What a run has on the training range of its own task."""
        assert result.final is not None, result.key
        return result.final.accuracy.get(self.curve.config.train_lengths.name)


@dataclass(frozen=True, kw_only=True)
class Claim:
    """One thing that the paper says, and what the runs say of it."""

    text: str
    holds: bool | None
    """None: not measured."""
    detail: str = ""


def above(text: str, better: Sequence[float | None], worse: Sequence[float | None], margin: float) -> Claim:
    """The claim that the least of some numbers is above the greatest of others, by a margin.

    >>> above("one is above the other", [0.9], [0.5, 0.6], 0.1).holds
    True
    """
    if not better or not worse or None in (*better, *worse):
        return Claim(text=text, holds=None)
    low = min(value for value in better if value is not None)
    high = max(value for value in worse if value is not None)
    return Claim(
        text=text, holds=round(low - high, 9) >= margin, detail=f"{100 * low:.1f} against {100 * high:.1f}"
    )


def leads(text: str, better: Sequence[float | None], worse: Sequence[float | None], margin: float) -> Claim:
    """The claim that each of some numbers is above its partner, by a margin.

    >>> leads("both are above", [0.9, 0.5], [0.6, 0.3], 0.1).detail
    'the least lead is 20.0 points'
    """
    if not better or None in (*better, *worse):
        return Claim(text=text, holds=None)
    pairs = zip(better, worse, strict=True)
    least = min(high - low for high, low in pairs if high is not None and low is not None)
    detail = f"the least lead is {100 * least:.1f} points"
    return Claim(text=text, holds=round(least, 9) >= margin, detail=detail)


def at_least(text: str, values: Sequence[float | None], level: float) -> Claim:
    """The claim that all numbers reach a level.

    >>> at_least("all are high", [0.9, None], 0.8).holds is None
    True
    """
    if not values or None in values:
        return Claim(text=text, holds=None)
    low = min(value for value in values if value is not None)
    return Claim(text=text, holds=low >= level, detail=f"least {100 * low:.1f}")
