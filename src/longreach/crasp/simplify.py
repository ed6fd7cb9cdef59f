"""Simplification that preserves meaning at every position, the empty word's position 0 included."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from longreach.crasp import core as c
from longreach.crasp.core import Core, CoreBuilder
from longreach.crasp.lowering import tidy


def simplify(core: Core) -> Core:
    """An equivalent program: constants folded, equal operations shared, unread operations removed.

    >>> from longreach.crasp import parse
    >>> simplify(parse('D = # "a" == 0 && true').core).ops
    (Token(symbol='a'), Count(body=0, distances=None), One(), Subtract(left=2, right=2), Leq(left=1, right=3))
    """
    return _simplified(core, core.names)


@lru_cache(maxsize=64)
def _simplified(core: Core, names: tuple[tuple[str, int], ...]) -> Core:
    # `names` is part of the key: equal programs may differ in them.
    best = _only_read(core)
    while True:
        smaller = _pass(best)
        if smaller.size >= best.size:
            return best
        best = smaller


def _only_read(core: Core) -> Core:
    live = bytearray(len(core.ops))
    for root in core.roots:
        live[root] = 1
    for index in reversed(range(len(core.ops))):
        if live[index]:
            for operand in c.operands(core.ops[index]):
                live[operand] = 1
    names = [(name, index) for name, index in core.names if live[index]]
    return tidy(core.ops, core.alphabet, core.closed, core.accept, core.outputs, names)


@dataclass(frozen=True, slots=True)
class _Range:
    """The values that a count can take; None is unbounded."""

    low: int | None
    high: int | None

    @property
    def constant(self) -> int | None:
        return self.low if self.low == self.high else None


class _Folder:
    """Rebuilds a program operation by operation, knowing the range of every count."""

    def __init__(self) -> None:
        self.builder = CoreBuilder()
        self._ranges: dict[int, _Range] = {}

    def fold(self, op: c.Op) -> int:
        """The index of an operation equivalent to `op`, whose operands are indices of this folder."""
        match op:
            case c.Not(body):
                return self.builder.not_(body)
            case c.And(left, right):
                return self._and(left, right)
            case c.Leq(left, right):
                return self._leq(left, right)
            case c.Count(body, distances):
                if self._truth(body) is False:
                    return self._constant(0)
                return self.builder.count(body, distances)
            case c.Conditional(test, then, other):
                truth = self._truth(test)
                if then == other or truth is not None:
                    return other if truth is False else then
            case c.Add() | c.Subtract():
                return self._sum(op)
            case _:
                pass
        return self.builder.add_op(op)

    def _truth(self, index: int) -> bool | None:
        match self.builder.ops[index]:
            case c.Top():
                return True
            case c.Not(body) if isinstance(self.builder.ops[body], c.Top):
                return False
            case _:
                return None

    def _and(self, left: int, right: int) -> int:
        left, right = min(left, right), max(left, right)
        truths = (self._truth(left), self._truth(right))
        if False in truths or self._contrary(left, right):
            return self.builder.false()
        if truths[0] is True:
            return right
        if truths[1] is True or left == right:
            return left
        return self.builder.and_(left, right)

    def _contrary(self, left: int, right: int) -> bool:
        """P ∧ ¬P, and two different tokens at one position."""
        first, second = self.builder.ops[left], self.builder.ops[right]
        if isinstance(first, c.Token) and isinstance(second, c.Token):
            return first != second
        return second == c.Not(left) or first == c.Not(right)

    def _leq(self, left: int, right: int) -> int:
        a, b = self._range(left), self._range(right)
        if left == right or (a.high is not None and b.low is not None and a.high <= b.low):
            return self.builder.add_op(c.Top())
        if a.low is not None and b.high is not None and a.low > b.high:
            return self.builder.false()
        return self.builder.leq(left, right)

    def _sum(self, op: c.Add | c.Subtract) -> int:
        a, b = self._range(op.left).constant, self._range(op.right).constant
        if isinstance(op, c.Subtract):
            if op.left == op.right:
                return self._constant(0)
            if a is not None and b is not None:
                return self._constant(a - b)
            return op.left if b == 0 else self.builder.add_op(op)
        if a is not None and b is not None:
            return self._constant(a + b)
        if a == 0:
            return op.right
        if b == 0:
            return op.left
        return self.builder.add_op(c.Add(min(op.left, op.right), max(op.left, op.right)))

    def _constant(self, value: int) -> int:
        return self.builder.integer(value)

    def _range(self, index: int) -> _Range:
        if index not in self._ranges:
            # Operands come first, so each range is found from ranges that are already known.
            for missing in range(len(self._ranges), index + 1):
                self._ranges[missing] = self._find_range(self.builder.ops[missing])
        return self._ranges[index]

    def _find_range(self, op: c.Op) -> _Range:
        match op:
            case c.One():
                return _Range(1, 1)
            case c.Count(_, None):
                return _Range(0, None)
            case c.Count(_, tuple(distances)):
                return _Range(0, len(distances))
            case c.Conditional(_, then, other):
                a, b = self._ranges[then], self._ranges[other]
                low = None if a.low is None or b.low is None else min(a.low, b.low)
                high = None if a.high is None or b.high is None else max(a.high, b.high)
                return _Range(low, high)
            case c.Add(left, right):
                a, b = self._ranges[left], self._ranges[right]
                return _Range(_plus(a.low, b.low, 1), _plus(a.high, b.high, 1))
            case c.Subtract(left, right):
                a, b = self._ranges[left], self._ranges[right]
                if left == right:
                    return _Range(0, 0)
                return _Range(_plus(a.low, b.high, -1), _plus(a.high, b.low, -1))
            case _:
                return _Range(None, None)


def _plus(a: int | None, b: int | None, sign: int) -> int | None:
    return None if a is None or b is None else a + sign * b


def _pass(core: Core) -> Core:
    folder = _Folder()
    moved: list[int] = []
    for op in core.ops:
        moved.append(folder.fold(c.with_operands(op, [moved[k] for k in c.operands(op)])))
    folded = Core(
        tuple(folder.builder.ops),
        core.alphabet,
        core.closed,
        None if core.accept is None else moved[core.accept],
        tuple((symbol, moved[index]) for symbol, index in core.outputs),
        tuple((name, moved[index]) for name, index in core.names),
    )
    return _only_read(folded)
