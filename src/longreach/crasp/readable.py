"""Programs as a person would write them: no unused statements, trivial ones inline."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from longreach.crasp.printer import expression_text
from longreach.crasp.program import Program
from longreach.crasp.syntax import FALSE, TRUE, Expr, Statement, make, postorder, reference

SHORT = 28  # characters of an expression that is written where it is used, if it is used once
_LEAVES = ("token", "true", "false", "integer", "name", "periodic")


def tidy_statements(program: Program) -> Program:
    """The same program without unused statements; leaves and short expressions used once stand inline.

    >>> from longreach.crasp import parse
    >>> print(tidy_statements(parse('A = "a"\\nB = # A\\nC = exists A\\nD = B == 0 && true')).text)
    D = # "a" == 0
    """
    kept = _used(program)
    uses = Counter(name for statement in kept for name in _names_in(statement.expr))
    last = max((k for k, s in enumerate(kept) if s.expr.sort == "Boolean"), default=len(kept) - 1)
    known: dict[str, Expr] = {}
    statements: list[Statement] = []
    for place, statement in enumerate(kept):
        expr = _rebuilt(statement.expr, known)
        decides = statement.is_output or (place == last and not kept[-1].is_output)
        short = len(expression_text(expr)) <= SHORT or kept[-1].expr.value == statement.name
        inline = expr.kind in _LEAVES or (uses[statement.name] == 1 and short)
        if inline and not decides:
            known[statement.name] = expr
            continue
        statements.append(Statement(statement.name, expr, statement.is_output))
        if not statement.is_output:
            known[statement.name] = reference(statement.name, expr)
    return Program(tuple(statements), program.alphabet, program.title)


def _used(program: Program) -> list[Statement]:
    """The statements that the result depends on."""
    outputs = any(statement.is_output for statement in program.statements)
    needed: set[str] = set()
    kept: list[Statement] = []
    found = outputs
    for statement in reversed(program.statements):
        decides = statement.is_output or (not found and statement.expr.sort == "Boolean")
        if decides or (not statement.is_output and statement.name in needed):
            found = True
            kept.append(statement)
            needed |= set(_names_in(statement.expr))
    return kept[::-1]


def _names_in(root: Expr) -> Iterator[str]:
    """The names that an expression uses, as often as it does."""
    stack = [root]
    while stack:
        expr = stack.pop()
        if expr.kind == "name":
            yield str(expr.value)
        else:
            stack.extend(expr.args)


def _rebuilt(root: Expr, known: dict[str, Expr]) -> Expr:
    """The expression with names replaced and constants folded."""
    done: dict[int, int] = {}
    built: list[Expr] = []
    for expr in postorder(root, done, into_names=False):
        if expr.kind == "name":
            new = known.get(str(expr.value), expr)
        else:
            new = _folded(expr, [built[done[id(arg)]] for arg in expr.args])
        done[id(expr)] = len(built)
        built.append(new)
    return built[done[id(root)]]


def _folded(expr: Expr, args: list[Expr]) -> Expr:
    match expr.kind, args:
        case "and", [left, right]:
            return conjunction(left, right)
        case "or", [left, right]:
            return disjunction(left, right)
        case "not", [body]:
            return negation(body)
        case _:
            return make(expr.kind, *args, value=expr.value) if args else expr


def conjunction(left: Expr, right: Expr) -> Expr:
    """left && right, without the constants."""
    if left is FALSE or right is FALSE:
        return FALSE
    if left is TRUE:
        return right
    return left if right is TRUE else left & right


def disjunction(left: Expr, right: Expr) -> Expr:
    """left || right, without the constants."""
    if left is TRUE or right is TRUE:
        return TRUE
    if left is FALSE:
        return right
    return left if right is FALSE else left | right


def negation(expr: Expr) -> Expr:
    """!expr, without constants and double negations."""
    if expr is TRUE:
        return FALSE
    if expr is FALSE:
        return TRUE
    return expr.args[0] if expr.kind == "not" else ~expr
