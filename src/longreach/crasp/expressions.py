"""Expressions and programs as people write them; Python operators build them.

>>> b = Builder(alphabet=["(", ")"])
>>> opened, closed = b.let("opened", count("(")), b.let("closed", count(")"))
>>> bad = b.let("bad", count(opened < closed))
>>> _ = b.let("D", (bad == 0) & (opened == closed))
>>> print(b.program().text)
#alphabet ( )
opened = # "("
closed = # ")"
bad = # (opened < closed)
D = bad == 0 && opened == closed
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Literal, NoReturn, TypeAlias

from longreach.errors import InputError

if TYPE_CHECKING:
    from longreach.crasp.core import Core

Sort: TypeAlias = Literal["Boolean", "count"]

MAX_DIGITS = 1000  # of an integer that is written, or a product of such
MAX_INTEGER = 10**MAX_DIGITS - 1
MAX_DISTANCE = 10**6  # a window that long is a slip, and every evaluator would have to carry it

# Kinds of expressions, with the sorts that they take (None: no operands) and give.
SORTS: dict[str, tuple[tuple[Sort, ...], Sort]] = {
    "token": ((), "Boolean"),
    "true": ((), "Boolean"),
    "false": ((), "Boolean"),
    "periodic": ((), "Boolean"),
    "not": (("Boolean",), "Boolean"),
    "and": (("Boolean", "Boolean"), "Boolean"),
    "or": (("Boolean", "Boolean"), "Boolean"),
    "implies": (("Boolean", "Boolean"), "Boolean"),
    "iff": (("Boolean", "Boolean"), "Boolean"),
    "exists": (("Boolean",), "Boolean"),
    "eq": (("count", "count"), "Boolean"),
    "ne": (("count", "count"), "Boolean"),
    "lt": (("count", "count"), "Boolean"),
    "le": (("count", "count"), "Boolean"),
    "gt": (("count", "count"), "Boolean"),
    "ge": (("count", "count"), "Boolean"),
    "count": (("Boolean",), "count"),
    "integer": ((), "count"),
    "add": (("count", "count"), "count"),
    "sub": (("count", "count"), "count"),
    "mul": (("count", "count"), "count"),
    "min": (("count", "count"), "count"),
    "max": (("count", "count"), "count"),
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
    if kind == "mul" and not any(_is_integer(arg) for arg in args):
        raise SortMismatch("'*' takes an integer and a count: one side is a literal such as 2", 1)
    return Expr(kind, args, value, sort)


def _is_integer(expr: Expr) -> bool:
    return expr.kind == "integer"


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
    """A use of a named statement."""
    return Expr("name", (target,), name, target.sort)


def all_of(operands: Iterable[Operand]) -> Expr:
    """The conjunction; true when there is nothing."""
    result: Expr | None = None
    for operand in operands:
        result = as_expr(operand) if result is None else result & operand
    return TRUE if result is None else result


def any_of(operands: Iterable[Operand]) -> Expr:
    """The disjunction; false when there is nothing."""
    result: Expr | None = None
    for operand in operands:
        result = as_expr(operand) if result is None else result | operand
    return FALSE if result is None else result


@dataclass(frozen=True, slots=True, eq=False)
class Statement:
    """`name = expr`, or `output "name" = expr` of a predictor."""

    name: str
    expr: Expr
    is_output: bool = False


@dataclass(frozen=True, eq=False)
class Program:
    """A program as written: statements over an alphabet (None: the tokens that it names)."""

    statements: tuple[Statement, ...]
    alphabet: tuple[str, ...] | None = None
    title: str = ""

    @cached_property
    def core(self) -> Core:
        """The straight-line program of core operations."""
        from longreach.crasp.lowering import lower

        return lower(self)

    @property
    def text(self) -> str:
        """The program in the `.cr` format."""
        from longreach.crasp.printer import to_text

        return to_text(self)

    def accepts(self, word: str | Sequence[str]) -> bool:
        """Whether the program accepts a word: a list of tokens, or a string as on the command line.

        >>> from longreach.crasp import parse
        >>> parse('P = # "a" >= # "b"').accepts("abba")
        True
        """
        from longreach.crasp.evaluate import accepts
        from longreach.crasp.words import encode

        return bool(accepts(self.core, [encode(self.core, word)])[0])

    def predicts(self, word: str | Sequence[str]) -> list[list[str]]:
        """For a predictor: at each position the tokens that may come next."""
        from longreach.crasp.evaluate import predictions
        from longreach.crasp.words import encode

        return predictions(self.core, [encode(self.core, word)])[0]


class Builder:
    """Builds a program statement by statement; `let` returns the name for use in later expressions."""

    def __init__(self, alphabet: Iterable[str] | None = None, title: str = "") -> None:
        self._alphabet = None if alphabet is None else tuple(alphabet)
        self._title = title
        self._statements: list[Statement] = []
        self._names: set[str] = set()

    def let(self, name: str, operand: Operand) -> Expr:
        from longreach.crasp.parser import check_name

        check_name(name)
        if name in self._names:
            raise InputError(f"name {name!r} is defined twice")
        self._names.add(name)
        expr = as_expr(operand)
        self._statements.append(Statement(name, expr))
        return reference(name, expr)

    def output(self, symbol: str, operand: Operand) -> None:
        """Make the program a predictor: `symbol` may come next where the operand holds."""
        expr = as_expr(operand)
        if expr.sort != "Boolean":
            raise InputError(f"output {symbol!r} must be a Boolean, not a count")
        if any(s.is_output and s.name == symbol for s in self._statements):
            raise InputError(f"output {symbol!r} is defined twice")
        self._statements.append(Statement(symbol, expr, is_output=True))

    def draft(self) -> Program:
        """The program so far, not yet checked as a whole."""
        return Program(tuple(self._statements), self._alphabet, self._title)

    def program(self) -> Program:
        """The finished program."""
        program = self.draft()
        _ = program.core  # rejects programs without a Boolean statement and tokens outside the alphabet
        return program
