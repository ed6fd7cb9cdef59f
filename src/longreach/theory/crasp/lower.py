"""Syntax to core operations and back, and simplification of the core."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache

from longreach.errors import InputError
from longreach.theory.crasp import core as c
from longreach.theory.crasp.core import Core, CoreBuilder
from longreach.theory.crasp.ranges import Range, range_of_op
from longreach.theory.crasp.syntax import (
    FALSE,
    TRUE,
    Expr,
    Guard,
    Listing,
    PositionTest,
    Statement,
    conditional,
    integer,
    make,
    postorder,
    reference,
    token,
)


def lower(program: Listing) -> Core:
    """The core program of a program; equal operations are shared."""
    builder = CoreBuilder()
    lowered: dict[int, int] = {}
    names: list[tuple[str, int]] = []
    outputs: list[tuple[str, int]] = []
    accept: int | None = None
    for statement in program.statements:
        index = _lower_expr(builder, statement.expr, lowered)
        if statement.is_output:
            outputs.append((statement.name, index))
            continue
        names.append((statement.name, index))
        if statement.expr.sort == "Boolean":
            accept = index
    if outputs:
        accept = None
    elif accept is None:
        raise InputError("the program has no Boolean statement, so nothing says which words it accepts")
    # In order, so that the alphabet does not depend on how the statements are arranged.
    tokens = (op.symbol for op in builder.ops if isinstance(op, c.Token))
    named = sorted({*tokens, *(symbol for symbol, _ in outputs)})
    if program.alphabet is not None:
        for symbol in named:
            if symbol not in program.alphabet:
                raise InputError(f"token {symbol!r} is not in the alphabet")
    alphabet = tuple(named) if program.alphabet is None else program.alphabet
    return tidy(builder.ops, alphabet, program.alphabet is not None, accept, outputs, names)


def tidy(
    ops: Sequence[c.Op],
    alphabet: tuple[str, ...],
    closed: bool,
    accept: int | None,
    outputs: Iterable[tuple[str, int]],
    names: Iterable[tuple[str, int]],
) -> Core:
    """The core program in one fixed order, without operations that nothing reads.

    Operations keep their order, but token tests, position tests and the constants ⊤, ⊥, 1, 0 stand just
    before their first use, so that a program printed with them inline reads back the same.
    """
    outputs, names = tuple(outputs), tuple(names)
    wanted = [index for _, index in (*outputs, *names)] + ([] if accept is None else [accept])
    live = c.live(ops, wanted)
    builder = CoreBuilder()
    moved: dict[int, int] = {}

    def move(index: int) -> int:
        if index not in moved:
            op = ops[index]
            moved[index] = builder.add_op(c.with_operands(op, [move(k) for k in c.operands(op)]))
        return moved[index]

    for index, op in enumerate(ops):
        if live[index] and not is_leaf(op, ops):
            move(index)
    for index in wanted:
        move(index)
    return Core(
        tuple(builder.ops),
        alphabet,
        closed,
        None if accept is None else moved[accept],
        tuple((symbol, moved[index]) for symbol, index in outputs),
        tuple((name, moved[index]) for name, index in names),
    )


def is_leaf(op: c.Op, ops: Sequence[c.Op]) -> bool:
    """Whether an operation is printed inline: a token or position test, or one of ⊤, ⊥, 1, 0."""
    match op:
        case c.Not(body):
            return isinstance(ops[body], c.Top)
        case c.Subtract(left, right):
            return left == right and isinstance(ops[left], c.One)
        case _:
            return not c.operands(op)


def _lower_expr(builder: CoreBuilder, root: Expr, lowered: dict[int, int]) -> int:
    # Keyed by identity: the program keeps every expression alive, so an id is not reused.
    for expr in postorder(root, lowered):
        lowered[id(expr)] = _lower_one(builder, expr, [lowered[id(arg)] for arg in expr.args])
    return lowered[id(root)]


_LOWERED: dict[str, Callable[..., int]] = {
    "name": lambda b, target: target,
    "not": CoreBuilder.not_,
    "and": CoreBuilder.and_,
    "or": CoreBuilder.or_,
    "implies": CoreBuilder.implies,
    "iff": CoreBuilder.iff,
    "exists": CoreBuilder.exists,
    "le": CoreBuilder.leq,
    "ge": lambda b, left, right: b.leq(right, left),
    "lt": lambda b, left, right: b.not_(b.leq(right, left)),
    "gt": lambda b, left, right: b.not_(b.leq(left, right)),
    "eq": CoreBuilder.equal,
    "ne": lambda b, left, right: b.not_(b.equal(left, right)),
    "add": lambda b, left, right: b.add_op(c.Add(left, right)),
    "sub": lambda b, left, right: b.add_op(c.Subtract(left, right)),
    "min": lambda b, left, right: b.conditional(b.leq(left, right), left, right),
    "max": lambda b, left, right: b.conditional(b.leq(left, right), right, left),
    "if": CoreBuilder.conditional,
}
"""What an expression is made of, where its kind and its operands say it all."""


def _lower_one(b: CoreBuilder, expr: Expr, args: list[int]) -> int:
    match expr.kind, expr.value:
        case "token", str(symbol):
            return b.add_op(c.Token(symbol))
        case "true", _:
            return b.add_op(c.Top())
        case "false", _:
            return b.false()
        case "periodic", PositionTest(modulus, residues):
            return b.periodic(modulus, residues)
        case "integer", int(value):
            return b.integer(value)
        case "count", Guard(distances=None):
            return b.count_before(args[0])
        case "count", Guard(distances):
            return b.count(args[0], distances)
        case "count", _:
            return b.count(args[0])
        case "mul", _:
            return _multiply(b, expr, args)
        case kind, _:
            return _LOWERED[kind](b, *args)


def _multiply(b: CoreBuilder, expr: Expr, args: list[int]) -> int:
    left, right = expr.args
    if left.kind == "integer" and isinstance(left.value, int):
        return b.scale(left.value, args[1])
    assert isinstance(right.value, int)
    return b.scale(right.value, args[0])


def raised(core: Core) -> Listing:
    """The listing with one statement per operation, whose core is `core` again.

    Token tests and constants stand inline; operations without a name get one (P1, C1, …).
    """
    given: dict[int, list[str]] = {}
    for name, index in core.names:
        given.setdefault(index, []).append(name)
    taken = {name for name, _ in core.names}
    numbers = {"P": 0, "C": 0}
    exprs: list[Expr] = []
    statements: list[Statement] = []
    last_boolean: int | None = None
    for index, op in enumerate(core.ops):
        expr = _raise_one(op, exprs, core.ops)
        names = given.get(index, [])
        if not names and not is_leaf(op, core.ops):
            names = [_fresh("P" if c.is_boolean(op) else "C", numbers, taken)]
        for name in names:
            statements.append(Statement(name, expr))
            expr = reference(name, expr)
            last_boolean = index if c.is_boolean(op) else last_boolean
        exprs.append(expr)
    if core.accept is not None and last_boolean != core.accept:
        statements.append(Statement(_fresh("P", numbers, taken), exprs[core.accept]))
    statements += [Statement(symbol, exprs[index], is_output=True) for symbol, index in core.outputs]
    return Listing(tuple(statements), core.alphabet if core.closed else None)


def _fresh(prefix: str, numbers: dict[str, int], taken: set[str]) -> str:
    while True:
        numbers[prefix] += 1
        name = f"{prefix}{numbers[prefix]}"
        if name not in taken:
            return name


def _raise_one(op: c.Op, exprs: list[Expr], ops: Sequence[c.Op]) -> Expr:
    match op:
        case c.Not() if is_leaf(op, ops):
            return FALSE
        case c.Subtract() if is_leaf(op, ops):
            return integer(0)
        case c.Token(symbol):
            return token(symbol)
        case c.Top():
            return TRUE
        case c.Not(body):
            return make("not", exprs[body])
        case c.And(left, right):
            return make("and", exprs[left], exprs[right])
        case c.Periodic(residues=()):
            return FALSE
        case c.Periodic(modulus, residues):
            return Expr("periodic", (), PositionTest(modulus, residues))
        case c.Leq(left, right):
            return make("le", exprs[left], exprs[right])
        case c.Count(body, distances):
            return make("count", exprs[body], value=None if distances is None else Guard(distances))
        case c.Conditional(test, then, other):
            return conditional(exprs[test], exprs[then], exprs[other])
        case c.Add(left, right):
            return make("add", exprs[left], exprs[right])
        case c.Subtract(left, right):
            return make("sub", exprs[left], exprs[right])
        case c.One():
            return integer(1)


# Simplification that preserves meaning at every position, the empty word's position 0 included.


def simplify(core: Core) -> Core:
    """An equivalent program: constants folded, equal operations shared, unread operations removed.

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
    live = c.live(core.ops, core.roots)
    names = [(name, index) for name, index in core.names if live[index]]
    return tidy(core.ops, core.alphabet, core.closed, core.accept, core.outputs, names)


class _Folder:
    """Rebuilds a program operation by operation, knowing the range of every count."""

    def __init__(self) -> None:
        self.builder = CoreBuilder()
        self._ranges: list[Range] = []

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

    def _range(self, index: int) -> Range:
        for op in self.builder.ops[len(self._ranges) : index + 1]:
            self._ranges.append(range_of_op(op, self._ranges))
        return self._ranges[index]


def _pass(core: Core) -> Core:
    folder = _Folder()
    moved = c.rewrite(core.ops, folder.fold)
    return _only_read(core.moved_to(folder.builder.ops, moved))
