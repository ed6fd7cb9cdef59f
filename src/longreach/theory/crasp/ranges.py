"""Which values counts can take, and the linear forms of counters that comparisons read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from longreach.theory.crasp import core as c
from longreach.theory.crasp.core import Core


@dataclass(frozen=True, slots=True)
class Range:
    """The values that an integer can take at any position of any word; None is unbounded."""

    low: int | None
    high: int | None

    @property
    def constant(self) -> int | None:
        return self.low if self.low == self.high else None

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


def range_of_op(op: c.Op, known: Sequence[Range], scaled: bool = False) -> Range:
    """The range of an operation from those of the operations before it; of a Boolean one [0, 1].

    `scaled` gives ranges of C/(i+1): a counting operation is between 0 and i, and a constant c is at most c
    at position 0; so sums of them satisfy |C| ≤ a·i + b, hence |C|/(i+1) ≤ a + b, at every position,
    whatever the sign.
    """
    match op:
        case c.One():
            return BIT if scaled else Range(1, 1)
        case c.Count(_, tuple(distances)) if not scaled:
            return Range(0, len(distances))
        case c.Count():
            return BIT if scaled else Range(0, None)
        case c.Subtract(left, right) if left == right:
            return Range(0, 0)
        case c.Add(left, right):
            return known[left].plus(known[right])
        case c.Subtract(left, right):
            return known[left].plus(known[right].times(-1))
        case c.Conditional(_, then, other):
            return known[then].hull(known[other])
        case _:
            return BIT


def value_ranges(core: Core, scaled: bool = False) -> list[Range]:
    """The range of every operation.

    >>> value_ranges(parse('P = #[i-2..i] "a" + 1 >= # "a"').core)[1:4]
    [Range(low=0, high=3), Range(low=1, high=1), Range(low=1, high=4)]
    >>> value_ranges(parse('P = # "a" - # "b" >= 3').core, scaled=True)[-4:-1]
    [Range(low=0, high=1), Range(low=0, high=2), Range(low=0, high=3)]
    """
    found: list[Range] = []
    for op in core.ops:
        found.append(range_of_op(op, found, scaled))
    return found


Factors: TypeAlias = tuple[tuple[int, int], ...]
"""A linear combination: pairs of a counter, by its operation, and its factor."""


@dataclass(frozen=True, slots=True)
class _Linear:
    """Σ factor · counter + something between `low` and `high` (constants, counts over local windows)."""

    factors: Factors
    low: int
    high: int

    def minus(self, other: _Linear) -> _Linear:
        return self.plus(other, -1)

    def plus(self, other: _Linear, sign: int = 1) -> _Linear:
        factors = dict(self.factors)
        for counter, factor in other.factors:
            factors[counter] = factors.get(counter, 0) + sign * factor
        low, high = (other.low, other.high) if sign > 0 else (-other.high, -other.low)
        kept = tuple(sorted((k, f) for k, f in factors.items() if f))
        return _Linear(kept, self.low + low, self.high + high)


@dataclass(frozen=True, slots=True)
class Form:
    """A combination of counters, and the bounds outside of which no comparison that reads it changes.

    While `remaining` positions are still to come, the value matters between `low` − remaining · (sum of
    positive factors) and `high` + remaining · (sum of negative ones). None: it always matters.
    """

    factors: Factors
    bounds: tuple[int, int] | None


_MAX_CASES = 16  # of one comparison with conditionals; beyond it its counters are compared one by one


def comparison_forms(core: Core) -> list[Form]:
    """The combinations of counters that the program's comparisons read."""
    cases = _cases(core)
    bounds: dict[Factors, tuple[int, int]] = {}
    whole: set[int] = set()
    for op in core.ops:
        if not isinstance(op, c.Leq):
            continue
        lefts, rights = cases[op.left], cases[op.right]
        if lefts is None or rights is None or len(lefts) * len(rights) > _MAX_CASES:
            whole |= _counters_below(core, op)
            continue
        for left in lefts:
            for right in rights:
                _widen(bounds, right.minus(left))
    forms = [Form(factors, bound) for factors, bound in bounds.items()]
    return forms + [Form(((counter, 1),), None) for counter in sorted(whole)]


def _widen(bounds: dict[Factors, tuple[int, int]], form: _Linear) -> None:
    """Notes that the outcome of form ≥ 0 matters; a form and its negative share one entry."""
    if not form.factors:
        return
    low, high = -form.high - 1, -form.low
    factors = form.factors
    if factors[0][1] < 0:
        factors = tuple((counter, -factor) for counter, factor in factors)
        low, high = -high, -low
    known = bounds.get(factors, (low, high))
    bounds[factors] = (min(low, known[0]), max(high, known[1]))


def _cases(core: Core) -> list[list[_Linear] | None]:
    """Per count its linear form, one for each way that its conditionals can go; None when too many."""
    cases: list[list[_Linear] | None] = []
    for index, op in enumerate(core.ops):
        found: list[_Linear] | None = None
        match op:
            case c.One():
                found = [_Linear((), 1, 1)]
            case c.Count(_, None):
                found = [_Linear(((index, 1),), 0, 0)]
            case c.Count(_, tuple(distances)):
                found = [_Linear((), 0, len(distances))]
            case c.Conditional(_, then, other):
                first, second = cases[then], cases[other]
                found = None if first is None or second is None else list(dict.fromkeys(first + second))
            case c.Add(left, right) | c.Subtract(left, right):
                first, second = cases[left], cases[right]
                sign = 1 if isinstance(op, c.Add) else -1
                if first is not None and second is not None and len(first) * len(second) <= _MAX_CASES:
                    found = list(dict.fromkeys(a.plus(b, sign) for a in first for b in second))
            case _:
                pass
        cases.append(found if found is not None and len(found) <= _MAX_CASES else None)
    return cases


def _counters_below(core: Core, op: c.Leq) -> set[int]:
    """The counters that a comparison's sums and conditionals read."""
    found: set[int] = set()
    seen: set[int] = set()
    stack = [op.left, op.right]
    while stack:
        index = stack.pop()
        below = core.ops[index]
        if index in seen or c.is_boolean(below):
            continue
        seen.add(index)
        if isinstance(below, c.Count):
            if below.distances is None:
                found.add(index)
        else:
            stack.extend(c.operands(below))
    return found
