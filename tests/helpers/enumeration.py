"""The exact distribution of a sampler: it runs once for every sequence of random numbers it may see."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from fractions import Fraction
from typing import Any

import numpy as np


class TooManyDraws(Exception):
    """The run asked for more random numbers than are enumerated."""


class _Script:
    """Stands in for a generator: hands out the numbers of a script, then zeros, and notes the ranges."""

    def __init__(self, script: list[int], most: int) -> None:
        self.script, self.most = script, most
        self.ranges: list[int] = []

    def _next(self, span: int) -> int:
        if len(self.ranges) == self.most:
            raise TooManyDraws
        self.ranges.append(span)
        if len(self.script) < len(self.ranges):
            self.script.append(0)
        return self.script[len(self.ranges) - 1]

    def integers(self, low: Any, high: Any, size: Any = None) -> Any:
        if size is None:
            low, high = np.broadcast_arrays(low, high)
        else:
            low, high = np.broadcast_to(low, size), np.broadcast_to(high, size)
        found = [a + self._next(int(b - a)) for a, b in zip(low.flat, high.flat, strict=True)]
        return np.array(found, dtype=np.int64).reshape(low.shape)


def distribution(
    run: Callable[[Any], Hashable], most_draws: int
) -> tuple[dict[Hashable, Fraction], Fraction]:
    """The probability of each outcome within so many random numbers, and that of needing more."""
    found: dict[Hashable, Fraction] = {}
    open_ = Fraction(0)
    script: list[int] = []
    while True:
        generator = _Script(script, most_draws)
        outcome: Hashable = None
        try:
            outcome, settled = run(generator), True
        except TooManyDraws:
            settled = False
        weight = Fraction(1)
        for span in generator.ranges:
            weight /= span
        if settled:
            found[outcome] = found.get(outcome, Fraction(0)) + weight
        else:
            open_ += weight
        # The next script, as on a counter whose wheels have these ranges.
        script = generator.script[: len(generator.ranges)]
        while script and script[-1] == generator.ranges[len(script) - 1] - 1:
            script.pop()
        if not script:
            return found, open_
        script[-1] += 1


def normalized(found: dict[Hashable, Fraction]) -> dict[Hashable, Fraction]:
    """Given that it was enough: what a sampler that starts again has as its distribution."""
    total = sum(found.values(), Fraction(0))
    return {outcome: weight / total for outcome, weight in found.items()}


def chi_square_is_usual(counts: list[int], expected: float) -> bool:
    """Whether equal frequencies are plausible: less than four standard deviations away, after
    Wilson and Hilferty's approximation of the chi-square distribution."""
    freedom = len(counts) - 1
    statistic = sum((count - expected) ** 2 / expected for count in counts)
    cube = (statistic / freedom) ** (1 / 3)
    spread = 2 / (9 * freedom)
    return bool(abs(cube - (1 - spread)) < 4 * spread**0.5)
