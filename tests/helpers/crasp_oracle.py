"""Slow, literal readings of the definitions, sharing no evaluation code with the package.

`core_values` reads Definition 8 on core operations, `surface_values` the meaning of the text format on
expressions as written, without lowering. Positions count from 1; the empty word has the single position 0.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from longreach.theory.crasp import core as c
from longreach.theory.crasp.core import Core
from longreach.theory.crasp.program import Program
from longreach.theory.crasp.syntax import Expr, Guard, PositionTest

Value = bool | int


def all_words(alphabet: Sequence[str], longest: int) -> Iterator[tuple[str, ...]]:
    """Every word up to a length: shortest first, then in the order of the alphabet."""
    for length in range(longest + 1):
        yield from itertools.product(alphabet, repeat=length)


def positions_of(word: Sequence[str]) -> range:
    return range(1, len(word) + 1) if word else range(1)


# Core programs


def core_values(core: Core, word: Sequence[str]) -> list[list[Value]]:
    """Per operation its value at every position."""
    table: list[dict[int, Value]] = []
    for op in core.ops:
        table.append({i: _core_value(op, i, word, table) for i in positions_of(word)})
    return [list(row.values()) for row in table]


def _core_value(op: c.Op, i: int, word: Sequence[str], table: list[dict[int, Value]]) -> Value:
    if isinstance(op, c.Token):
        return i >= 1 and word[i - 1] == op.symbol
    if isinstance(op, c.Top):
        return True
    if isinstance(op, c.Not):
        return not table[op.body][i]
    if isinstance(op, c.And):
        return bool(table[op.left][i]) and bool(table[op.right][i])
    if isinstance(op, c.Periodic):
        return i % op.modulus in op.residues
    if isinstance(op, c.Leq):
        return table[op.left][i] <= table[op.right][i]
    if isinstance(op, c.Count):
        distances = op.distances
        return sum(
            1 for j in range(1, i + 1) if table[op.body][j] and (distances is None or (i - j) in distances)
        )
    if isinstance(op, c.Conditional):
        return table[op.then][i] if table[op.test][i] else table[op.other][i]
    if isinstance(op, c.Add):
        return table[op.left][i] + table[op.right][i]
    if isinstance(op, c.Subtract):
        return table[op.left][i] - table[op.right][i]
    assert isinstance(op, c.One)
    return 1


def core_accepts(core: Core, word: Sequence[str]) -> bool:
    assert core.accept is not None
    return bool(core_values(core, word)[core.accept][-1])


def core_predicts(core: Core, word: Sequence[str]) -> list[list[str]]:
    """The predicted tokens at each position 1 … n."""
    values = core_values(core, word)
    return [[token for token, k in core.outputs if values[k][at]] for at in range(len(word))]


# Programs as written


class Surface:
    """Evaluates the expressions of a program on one word."""

    def __init__(self, word: Sequence[str]) -> None:
        self._word = word
        self._known: dict[tuple[int, int], Value] = {}

    def at(self, expr: Expr, i: int) -> Value:
        key = (id(expr), i)
        if key not in self._known:
            self._known[key] = self._meaning(expr, i)
        return self._known[key]

    def _meaning(self, expr: Expr, i: int) -> Value:
        kind, value = expr.kind, expr.value
        if kind == "count":
            assert value is None or isinstance(value, Guard)
            return self._count(expr.args[0], i, value)
        if kind == "exists":
            return self._count(expr.args[0], i, None) >= 1
        if kind == "periodic":
            assert isinstance(value, PositionTest)
            return _position_test(value, i)
        if kind == "if":
            test, then, other = expr.args
            return self.at(then, i) if self.at(test, i) else self.at(other, i)
        if kind == "token":
            return i >= 1 and self._word[i - 1] == value
        if kind in ("true", "false"):
            return kind == "true"
        if kind == "integer":
            assert isinstance(value, int)
            return value
        args = [self.at(arg, i) for arg in expr.args]
        return _operator(kind, args)

    def _count(self, body: Expr, i: int, guard: Guard | None) -> int:
        if guard is None:
            seen = list(range(1, i + 1))
        elif guard.name is not None:
            back = int(guard.name.removeprefix("pred") or "1")
            seen = [i - back]
        elif guard.distances is None:
            seen = list(range(1, i))
        else:
            seen = [i - distance for distance in guard.distances]
        return sum(1 for j in seen if j >= 1 and i >= 1 and self.at(body, j))


def _position_test(test: PositionTest, i: int) -> bool:
    if test.name == "pos_even":  # counted from 0
        return (i - 1) % 2 == 0
    if test.name == "pos_odd":
        return (i - 1) % 2 == 1
    return any(i % test.modulus == residue for residue in test.residues)


def _operator(kind: str, args: list[Value]) -> Value:
    if len(args) == 1:
        return not args[0] if kind == "not" else args[0]  # a name has the value of its statement
    left, right = args
    meanings: dict[str, Value] = {
        "and": left and right,
        "or": left or right,
        "implies": right if left else True,
        "iff": bool(left) == bool(right),
        "eq": left == right,
        "ne": left != right,
        "lt": left < right,
        "le": left <= right,
        "gt": left > right,
        "ge": left >= right,
        "add": left + right,
        "sub": left - right,
        "mul": left * right,
        "min": left if left < right else right,
        "max": right if left < right else left,
    }
    return meanings[kind]


def surface_values(program: Program, word: Sequence[str]) -> list[list[Value]]:
    """Per statement its value at every position."""
    reader = Surface(word)
    return [[reader.at(s.expr, i) for i in positions_of(word)] for s in program.statements]


def surface_accepts(program: Program, word: Sequence[str]) -> bool:
    values = surface_values(program, word)
    last = [k for k, s in enumerate(program.statements) if s.expr.sort == "Boolean" and not s.is_output][-1]
    return bool(values[last][-1])


def surface_predicts(program: Program, word: Sequence[str]) -> list[list[str]]:
    values = surface_values(program, word)
    outputs = [(k, s.name) for k, s in enumerate(program.statements) if s.is_output]
    return [[name for k, name in outputs if values[k][at]] for at in range(len(word))]


# Measures, read off the text


@dataclass
class Measures:
    """Nesting of counting, and the moduli and distances of the relations that a program uses."""

    depth: int
    moduli: set[int]
    distances: set[int]


def surface_measures(program: Program) -> Measures:
    """The measures of a program as written.

    Nothing is counted that needs no relation: #[i] reads the current position, a test of all residues or of
    none is a constant.
    """
    known: dict[int, int] = {}
    found = Measures(0, set(), set())

    def depth(expr: Expr) -> int:
        if id(expr) not in known:
            known[id(expr)] = _depth(expr)
        return known[id(expr)]

    def _depth(expr: Expr) -> int:
        below = max((depth(arg) for arg in expr.args), default=0)
        if isinstance(expr.value, PositionTest) and 0 < len(expr.value.residues) < expr.value.modulus:
            found.moduli.add(expr.value.modulus)
        if expr.kind not in ("count", "exists"):
            return below
        if isinstance(expr.value, Guard) and expr.value.distances is not None:
            if expr.value.distances == (0,):
                return below
            found.distances.update(expr.value.distances)
        return below + 1

    found.depth = max(depth(statement.expr) for statement in program.statements)
    return found


def subsequence(pattern: str, word: Sequence[str]) -> bool:
    return re.search(".*".join(map(re.escape, pattern)), "".join(word), re.DOTALL) is not None
