"""Integer linear forms over named directions, and what is known about the size of the values there.

A count C is stored as C/(i+1), so a form Σ c·C − a is known at position i up to the factor 1/(i+1), which
does not change its sign. Forms are kept over integers, where tests can be sharpened and merged.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

from longreach.crasp import core as c
from longreach.crasp.core import Core
from longreach.limit.compile.directions import Direction

Form: TypeAlias = tuple[tuple[Direction, int], ...]
"""(direction, coefficient) in the order of the directions; no coefficient is zero."""


def form_of(coefficients: Mapping[Direction, int]) -> Form:
    """The form with these coefficients.

    >>> a, b, c = map(Direction, "abc")
    >>> form_of({b: -1, a: 2, c: 0}) == ((a, 2), (b, -1))
    True
    """
    return tuple(sorted((name, value) for name, value in coefficients.items() if value))


def primitive(form: Form) -> tuple[Form, int]:
    """The form divided by the greatest common divisor, first coefficient positive; and the signed divisor.

    >>> a, b = map(Direction, "ab")
    >>> primitive(((a, -4), (b, 6))) == (((a, 2), (b, -3)), -2)
    True
    """
    divisor = math.gcd(*(value for _, value in form))
    divisor = divisor if form[0][1] > 0 else -divisor
    return tuple((name, value // divisor) for name, value in form), divisor


@dataclass(frozen=True, slots=True)
class Range:
    """The values that an integer can take at any position of any word; None is unbounded."""

    low: int | None
    high: int | None

    def times(self, factor: int) -> Range:
        low, high = (None if end is None else factor * end for end in (self.low, self.high))
        return Range(low, high) if factor >= 0 else Range(high, low)

    def plus(self, other: Range) -> Range:
        low = None if self.low is None or other.low is None else self.low + other.low
        high = None if self.high is None or other.high is None else self.high + other.high
        return Range(low, high)

    def hull(self, other: Range) -> Range:
        low = None if self.low is None or other.low is None else min(self.low, other.low)
        high = None if self.high is None or other.high is None else max(self.high, other.high)
        return Range(low, high)


BIT = Range(0, 1)


def range_of(form: Form, ranges: Mapping[Direction, Range]) -> Range:
    """The values of a form.

    >>> a, b = map(Direction, "ab")
    >>> range_of(((a, 2), (b, -1)), {a: BIT, b: BIT})
    Range(low=-1, high=2)
    """
    total = Range(0, 0)
    for name, factor in form:
        total = total.plus(ranges[name].times(factor))
    return total


def integer_ranges(core: Core) -> list[Range]:
    """For every operation the range of its values; of a Boolean one [0, 1].

    >>> from longreach.crasp import parse
    >>> integer_ranges(parse('P = #[i-2..i] "a" + 1 >= # "a"').core)[1:4]
    [Range(low=0, high=3), Range(low=1, high=1), Range(low=1, high=4)]
    """
    return _ranges(core, Range(1, 1), Range(0, None), scaled=False)


def scaled_ranges(core: Core) -> list[Range]:
    """For every count C a range of C/(i+1).

    A counting operation is between 0 and i, and a constant c is at most c at position 0; so sums of them
    satisfy |C| ≤ a·i + b, hence |C|/(i+1) ≤ a + b, at every position, whatever the sign.

    >>> from longreach.crasp import parse
    >>> scaled_ranges(parse('P = # "a" - # "b" >= 3').core)[-4:-1]
    [Range(low=0, high=1), Range(low=0, high=2), Range(low=0, high=3)]
    """
    return _ranges(core, BIT, BIT, scaled=True)


def _ranges(core: Core, one: Range, count: Range, scaled: bool) -> list[Range]:
    ranges: list[Range] = []
    for op in core.ops:
        match op:
            case c.One():
                ranges.append(one)
            case c.Count(_, tuple(distances)) if not scaled:
                ranges.append(Range(0, len(distances)))
            case c.Count():
                ranges.append(count)
            case c.Subtract(left, right) if left == right:
                ranges.append(Range(0, 0))
            case c.Add(left, right):
                ranges.append(ranges[left].plus(ranges[right]))
            case c.Subtract(left, right):
                ranges.append(ranges[left].plus(ranges[right].times(-1)))
            case c.Conditional(_, then, other):
                ranges.append(ranges[then].hull(ranges[other]))
            case _:
                ranges.append(BIT)
    return ranges
