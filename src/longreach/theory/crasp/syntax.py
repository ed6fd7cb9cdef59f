"""Expressions and statements as people write them, as plain data; Python operators build expressions.

>>> opened, closed = count("("), count(")")
>>> (opened < closed).kind, (opened < closed).sort
('lt', 'Boolean')
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import reduce
from operator import and_, or_
from typing import Literal, NoReturn, TypeAlias

from longreach.errors import InputError

RESERVED = frozenset(["i", "in", "exists", "output", "true", "false", "if", "else", "min", "max"])


Sort: TypeAlias = Literal["Boolean", "count"]

MAX_DIGITS = 1000  # of an integer that is written, or a product of such
MAX_INTEGER = 10**MAX_DIGITS - 1
MAX_DISTANCE = 10**6  # a window that long is a slip, and every evaluator would have to carry it

# Kinds of expressions, with the sorts that they take and give.
SORTS: dict[str, tuple[tuple[Sort, ...], Sort]] = {
    **dict.fromkeys(("token", "true", "false", "periodic"), ((), "Boolean")),
    **dict.fromkeys(("not", "exists"), (("Boolean",), "Boolean")),
    **dict.fromkeys(("and", "or", "implies", "iff"), (("Boolean", "Boolean"), "Boolean")),
    **dict.fromkeys(("eq", "ne", "lt", "le", "gt", "ge"), (("count", "count"), "Boolean")),
    "count": (("Boolean",), "count"),
    "integer": ((), "count"),
    **dict.fromkeys(("add", "sub", "mul", "min", "max"), (("count", "count"), "count")),
    "if": (("Boolean", "count", "count"), "count"),
}

SYMBOLS = {
    "not": "!", "and": "&&", "or": "||", "implies": "=>", "iff": "<=>", "exists": "exists", "count": "#",
    "eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">=",
    "add": "+", "sub": "-", "mul": "*", "min": "min", "max": "max", "if": "if",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Guard:
    """A local relation: i − j is one of `distances`; None means every j < i. `name` is its imported name."""

    distances: tuple[int, ...] | None
    name: str | None = None


@dataclass(frozen=True, slots=True)
class PositionTest:
    """A periodic relation: i mod `modulus` is one of `residues`. `name` is its imported name."""

    modulus: int
    residues: tuple[int, ...]
    name: str | None = None


Value: TypeAlias = str | int | Guard | PositionTest | None


class SortMismatch(InputError):
    """Operands of the wrong sort; `operand` is the index of the first one that does not fit."""

    def __init__(self, message: str, operand: int) -> None:
        super().__init__(message)
        self.operand = operand


@dataclass(frozen=True, slots=True, eq=False)
class Expr:
    """One expression. `args` are its operands; `value` holds a token, an integer, a name or a relation."""

    kind: str
    args: tuple[Expr, ...] = ()
    value: Value = None
    sort: Sort = "Boolean"

    def __invert__(self) -> Expr:
        return make("not", self)

    def __and__(self, other: Operand) -> Expr:
        return make("and", self, other)

    def __or__(self, other: Operand) -> Expr:
        return make("or", self, other)

    def __rshift__(self, other: Operand) -> Expr:
        return make("implies", self, other)

    def iff(self, other: Operand) -> Expr:
        return make("iff", self, other)

    def __add__(self, other: Operand) -> Expr:
        return make("add", self, other)

    def __radd__(self, other: Operand) -> Expr:
        return make("add", other, self)

    def __sub__(self, other: Operand) -> Expr:
        return make("sub", self, other)

    def __rsub__(self, other: Operand) -> Expr:
        return make("sub", other, self)

    def __mul__(self, other: Operand) -> Expr:
        return make("mul", self, other)

    def __rmul__(self, other: Operand) -> Expr:
        return make("mul", other, self)

    def __lt__(self, other: Operand) -> Expr:
        return make("lt", self, other)

    def __le__(self, other: Operand) -> Expr:
        return make("le", self, other)

    def __gt__(self, other: Operand) -> Expr:
        return make("gt", self, other)

    def __ge__(self, other: Operand) -> Expr:
        return make("ge", self, other)

    def __eq__(self, other: Operand) -> Expr:  # type: ignore[override]
        return make("eq", self, other)

    def __ne__(self, other: Operand) -> Expr:  # type: ignore[override]
        return make("ne", self, other)

    __hash__ = object.__hash__

    def __bool__(self) -> NoReturn:
        raise TypeError("an expression has no truth value of its own: use &, |, ~ instead of and, or, not")


Operand: TypeAlias = Expr | str | int | bool


def as_expr(operand: Operand) -> Expr:
    """Strings become token tests, integers and truth values constants."""
    match operand:
        case Expr():
            return operand
        case bool():
            return make("true" if operand else "false")
        case int():
            return integer(operand)
        case str():
            return token(operand)


def make(kind: str, *operands: Operand, value: Value = None) -> Expr:
    """An expression of a kind, after checking the sorts of its operands."""
    args = tuple(as_expr(operand) for operand in operands)
    wanted, sort = SORTS[kind]
    for index, (arg, want) in enumerate(zip(args, wanted, strict=True)):
        if arg.sort != want:
            raise SortMismatch(_mismatch(kind, args, want, index), index)
    if kind == "mul" and isinstance(args[0].value, int) and isinstance(args[1].value, int):
        product = args[0].value * args[1].value
        if product > MAX_INTEGER:
            raise SortMismatch(f"an integer has at most {MAX_DIGITS} digits", 1)
        return integer(product)
    if kind == "mul" and all(arg.kind != "integer" for arg in args):
        raise SortMismatch("'*' takes an integer and a count: one side is a literal such as 2", 1)
    return Expr(kind, args, value, sort)


def _mismatch(kind: str, args: tuple[Expr, ...], want: Sort, index: int) -> str:
    """One sentence that names both sorts and says where brackets may be missing."""
    symbol, got = SYMBOLS[kind], args[index].sort
    article = {"Boolean": "a Boolean", "count": "a count"}
    if kind == "if":
        part = ("the condition", "the first value", "the second value")[index]
        hint = "it binds loosest, brackets may be missing: (x if p else y) …"
        if want == "count":
            hint += "; for Booleans write (p && x) || (!p && y)"
        return f"in a conditional {part} must be {article[want]}, not {article[got]}; {hint}"
    if kind in ("not", "count", "exists"):
        space = " " if kind == "exists" else ""
        hint = f"'{symbol}' binds tightest, brackets may be missing: {symbol}{space}(…)"
        return f"'{symbol}' takes {article[want]}, not {article[got]}; {hint}"
    side = ("left", "right")[index]
    hint = "brackets may be missing"
    if kind in ("eq", "ne") and all(arg.sort == "Boolean" for arg in args):
        hint = "to compare Booleans write p <=> q" if kind == "eq" else "to compare Booleans write !(p <=> q)"
    return f"'{symbol}' takes {article[want]} on its {side}, not {article[got]}; {hint}"


def token(symbol: str) -> Expr:
    """Q_σ: the current token is `symbol`."""
    if not symbol:
        raise InputError("a token is a non-empty string")
    return Expr("token", (), symbol, "Boolean")


def integer(value: int) -> Expr:
    if value < 0:
        return make("sub", integer(0), integer(-value))
    return Expr("integer", (), value, "count")


TRUE, FALSE = Expr("true"), Expr("false")


def count(body: Operand, *distances: int, before: bool = False) -> Expr:
    """# body; with distances #[j = i − d for one of them] body; with `before` over j < i only."""
    if before and distances:
        raise InputError("count takes distances or before=True, not both")
    if any(distance < 0 for distance in distances):
        raise InputError("a distance looks back: 0, 1, 2, …")
    if any(distance > MAX_DISTANCE for distance in distances):
        raise InputError(f"a distance is at most {MAX_DISTANCE}")
    guard = Guard(None) if before else Guard(tuple(sorted(set(distances)))) if distances else None
    return make("count", body, value=guard)


def exists(body: Operand) -> Expr:
    """# body >= 1."""
    return make("exists", body)


def position(modulus: int, *residues: int) -> Expr:
    """i mod modulus is one of the residues; positions count from 1."""
    if modulus < 1:
        raise InputError(f"a modulus is at least 1, not {modulus}")
    if not residues or any(not 0 <= residue < modulus for residue in residues):
        raise InputError(f"the residues of modulus {modulus} are 0 … {modulus - 1}")
    return Expr("periodic", (), PositionTest(modulus, tuple(sorted(set(residues)))))


def minimum(left: Operand, right: Operand) -> Expr:
    return make("min", left, right)


def maximum(left: Operand, right: Operand) -> Expr:
    return make("max", left, right)


def conditional(test: Operand, then: Operand, other: Operand) -> Expr:
    """test ? then : other."""
    return make("if", test, then, other)


def reference(name: str, target: Expr) -> Expr:
    return Expr("name", (target,), name, target.sort)


def all_of(operands: Iterable[Operand]) -> Expr:
    """The conjunction; true when there is nothing."""
    first, *others = [as_expr(operand) for operand in operands] or [TRUE]
    return reduce(and_, others, first)


def any_of(operands: Iterable[Operand]) -> Expr:
    """The disjunction; false when there is nothing."""
    first, *others = [as_expr(operand) for operand in operands] or [FALSE]
    return reduce(or_, others, first)


@dataclass(frozen=True, slots=True, eq=False)
class Statement:
    """`name = expr`, or `output "name" = expr` of a predictor."""

    name: str
    expr: Expr
    is_output: bool = False


@dataclass(frozen=True, eq=False)
class Listing:
    """A program as written: statements over an alphabet (None: the tokens that it names)."""

    statements: tuple[Statement, ...]
    alphabet: tuple[str, ...] | None = None


def postorder(root: Expr, done: dict[int, int], into_names: bool = True) -> Iterator[Expr]:
    """The expressions below `root` whose id is not a key of `done`, operands first, without recursion.

    The caller adds each expression to `done` before asking for the next.
    """
    stack: list[tuple[Expr, bool]] = [(root, False)]
    while stack:
        expr, ready = stack.pop()
        if id(expr) in done:
            continue
        if ready:
            yield expr
        else:
            stack.append((expr, True))
            if into_names or expr.kind != "name":
                stack.extend((arg, False) for arg in reversed(expr.args))


def check_name(name: str) -> None:
    """Reject what the text format could not read back as a name."""
    if not re.fullmatch(r"[^\W\d]\w*", name) or name in RESERVED:
        reserved = ", ".join(sorted(RESERVED))
        raise InputError(f"{name!r} is not a name: letters, digits and _, not reserved ({reserved})")
