"""Writing programs: the `.cr` format, the papers' notation, and LaTeX."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, TypeAlias

from longreach.errors import InputError
from longreach.theory.crasp.syntax import SYMBOLS, Expr, Guard, Listing, PositionTest, Statement, postorder

Notation: TypeAlias = Literal["text", "paper", "latex"]

# How tightly each kind binds: an operand that binds less tightly than its place asks for gets brackets.
_LEVEL = {
    "if": 0, "iff": 1, "implies": 2, "or": 3, "and": 4,
    "eq": 5, "ne": 5, "lt": 5, "le": 5, "gt": 5, "ge": 5, "periodic": 5,
    "add": 6, "sub": 6, "mul": 7, "not": 8, "count": 8, "exists": 8,
}  # fmt: skip
_ATOM = 9


def to_text(program: Listing) -> str:
    """The program in the `.cr` format; reading it back gives the same core program."""
    lines = []
    imports = _imports(program)
    if program.alphabet is not None:
        lines.append("#alphabet " + " ".join(_alphabet_token(symbol) for symbol in program.alphabet))
    lines += [f"#import {name}" for name in imports]
    lines += [statement_text(statement) for statement in program.statements]
    return "\n".join(lines)


def statement_text(statement: Statement) -> str:
    head = f"output {_quoted(statement.name)}" if statement.is_output else statement.name
    return f"{head} = {_render(statement.expr, _text, _text_level)}"


def expression_text(expr: Expr) -> str:
    return _render(expr, _text, _text_level)


def to_paper(program: Listing) -> str:
    """The program in the papers' notation: C(i) := #[j ≤ i, j = i−1] Q_a(j)."""
    return "\n".join(_assignment(statement, _PAPER) for statement in program.statements)


def to_latex(program: Listing) -> str:
    """The program as a LaTeX `align*` environment in the papers' notation."""
    lines = [_assignment(statement, _LATEX) for statement in program.statements]
    return "\\begin{align*}\n" + " \\\\\n".join(lines) + "\n\\end{align*}"


def write(program: Listing, notation: Notation) -> str:
    return {"text": to_text, "paper": to_paper, "latex": to_latex}[notation](program)


# A writer turns one expression into text, given its operands' texts, bracketed where they must be, and the
# number of counts around it.
_Writer: TypeAlias = Callable[[Expr, list[str], int], str]


def _render(root: Expr, writer: _Writer, level: Callable[[Expr], int]) -> str:
    """Writes from the leaves up, without recursion; names stand for themselves."""
    texts: list[str] = []  # of the operands that wait for their operation
    stack: list[tuple[Expr, int, bool]] = [(root, 0, False)]
    while stack:
        expr, nesting, ready = stack.pop()
        args = () if expr.kind == "name" else expr.args
        if args and not ready:
            stack.append((expr, nesting, True))
            inside = nesting + (expr.kind in ("count", "exists"))
            stack.extend((arg, inside, False) for arg in reversed(args))
            continue
        places = zip(args, _places(expr), texts[len(texts) - len(args) :], strict=False)
        operands = [text if level(arg) >= wanted else f"({text})" for arg, wanted, text in places]
        del texts[len(texts) - len(args) :]
        texts.append(writer(expr, operands, nesting))
    return texts[0]


def _level(expr: Expr) -> int:
    return _LEVEL.get(expr.kind, _ATOM)


def _text_level(expr: Expr) -> int:
    """In the text format an imported position test is a name."""
    named = isinstance(expr.value, PositionTest) and expr.value.name is not None
    return _ATOM if named else _level(expr)


def _places(expr: Expr) -> tuple[int, ...]:
    """How tightly each operand must bind to stand without brackets."""
    level = _LEVEL.get(expr.kind, _ATOM)
    match expr.kind:
        case "if":
            return (1, 1, 0)
        case "min" | "max":
            return (0, 0)
        case "not" | "count" | "exists":
            return (level,)
        case "implies":
            return (level + 1, level)
        case "eq" | "ne" | "lt" | "le" | "gt" | "ge":
            return (level + 1, level + 1)
        case _:
            return (level, level + 1)[: len(expr.args)]


# The text format


def _text(expr: Expr, args: list[str], _nesting: int) -> str:
    match expr.kind, expr.value:
        case "token", str(symbol):
            return _quoted(symbol)
        case (("integer" | "name"), value):
            return str(value)
        case ("true" | "false") as constant, _:
            return constant
        case "periodic", PositionTest(name=str(name)):
            return name
        case "periodic", PositionTest(modulus, residues):
            listed = ", ".join(map(str, residues))
            return f"i % {modulus} == {listed}" if len(residues) == 1 else f"i % {modulus} in {{{listed}}}"
        case "not", _:
            return f"!{args[0]}"
        case "count", Guard() as guard:
            return f"#[{_text_guard(guard)}] {args[0]}"
        case "if", _:
            return f"{args[1]} if {args[0]} else {args[2]}"
        case ("min" | "max") as name, _:
            return f"{name}({args[0]}, {args[1]})"
        case kind, _:
            return " ".join([*args[:-1], SYMBOLS[kind], args[-1]])


def _text_guard(guard: Guard) -> str:
    if guard.name is not None:
        return guard.name
    if guard.distances is None:
        return "<"
    low, high = guard.distances[0], guard.distances[-1]
    if len(guard.distances) > 1 and high - low + 1 == len(guard.distances):
        return f"{_back(high)}..{_back(low)}"
    listed = ", ".join(_back(distance) for distance in guard.distances)
    return listed if low == high else f"{{{listed}}}"


def _back(distance: int) -> str:
    return f"i-{distance}" if distance else "i"


def _imports(program: Listing) -> list[str]:
    """The names of relations that the statements use, in the order of their first use."""
    names: dict[str, None] = {}
    done: dict[int, int] = {}
    for statement in program.statements:
        for expr in postorder(statement.expr, done, into_names=False):
            done[id(expr)] = 0
            if isinstance(expr.value, Guard | PositionTest) and expr.value.name:
                names[expr.value.name] = None
    return list(names)


def _quoted(symbol: str) -> str:
    for quote in "\"'":
        if quote not in symbol and "\n" not in symbol and "\r" not in symbol:
            return f"{quote}{symbol}{quote}"
    raise InputError(f"token {symbol!r} cannot be written in the text format (both quotes, or a line break)")


def _alphabet_token(symbol: str) -> str:
    bare = re.fullmatch(r"[^\s\"']+", symbol) and "//" not in symbol
    return symbol if bare else _quoted(symbol)


# The papers' notation


def _variable(nesting: int) -> str:
    """The position variable inside so many counts: i, j, k, …"""
    return "ijkl"[nesting] if nesting < 4 else f"j_{{{nesting}}}"


def _assignment(statement: Statement, style: _Style) -> str:
    body = _render(
        statement.expr, lambda expr, args, nesting: _mathematics(expr, args, nesting, style), _level
    )
    head = style.output(statement.name) if statement.is_output else style.name(statement.name)
    return f"{head}({_variable(0)}) {style.assign} {body}"


@dataclass(frozen=True)
class _Style:
    """The symbols in which `paper` and `latex` differ."""

    symbols: dict[str, str]
    assign: str
    leq: str
    member: str
    minus: str
    top: str
    bottom: str
    count: str
    exists: str
    conditional: str
    token: Callable[[str], str]
    name: Callable[[str], str]
    output: Callable[[str], str]
    congruent: str
    braces: tuple[str, str]
    space: str


def _mathematics(expr: Expr, args: list[str], nesting: int, style: _Style) -> str:
    here = _variable(nesting)
    match expr.kind, expr.value:
        case "token", str(symbol):
            return f"{style.token(symbol)}({here})"
        case "name", str(name):
            return f"{style.name(name)}({here})"
        case "integer", value:
            return str(value)
        case "true", _:
            return style.top
        case "false", _:
            return style.bottom
        case "periodic", PositionTest(modulus, (residue,)):
            return style.congruent.format(here, residue, modulus)
        case "periodic", PositionTest(modulus, residues):
            return f"{here} {style.symbols['mod']} {modulus} {style.member} {_set(residues, style)}"
        case "not", _:
            return f"{style.symbols['not']}{args[0]}"
        case ("count" | "exists") as kind, value:
            symbol = style.count if kind == "count" else style.exists
            relation = _relation(value if isinstance(value, Guard) else None, nesting, style)
            return f"{symbol}[{relation}]{style.space}{args[0]}"
        case "if", _:
            return style.conditional.format(*args)
        case ("min" | "max") as name, _:
            return f"{style.symbols[name]}({args[0]}, {args[1]})"
        case kind, _:
            return f"{args[0]} {style.symbols[kind]} {args[1]}"


def _relation(guard: Guard | None, nesting: int, style: _Style) -> str:
    here, below = _variable(nesting), _variable(nesting + 1)
    if guard is None:
        return f"{below} {style.leq} {here}"
    if guard.distances is None:
        return f"{below} < {here}"
    back = [f"{here}{style.minus}{d}" if d else here for d in guard.distances]
    whole = f"{below} {style.leq} {here}, "
    if len(back) == 1:
        return f"{whole}{below} = {back[0]}"
    if guard.distances[-1] - guard.distances[0] + 1 == len(back):
        return f"{back[-1]} {style.leq} {below} {style.leq} {back[0]}"
    return f"{whole}{here}{style.minus}{below} {style.member} {_set(guard.distances, style)}"


def _set(numbers: tuple[int, ...], style: _Style) -> str:
    return f"{style.braces[0]}{', '.join(map(str, numbers))}{style.braces[1]}"


_LATEX_SPECIAL = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#", "_": r"\_",
    "%": r"\%", "^": r"\^{}", "~": r"\~{}",
}  # fmt: skip


def latex_escaped(text: str) -> str:
    """Text with the characters that are special in LaTeX written out."""
    return "".join(_LATEX_SPECIAL.get(char, char) for char in text)


_PAPER = _Style(
    symbols={
        "not": "¬", "and": "∧", "or": "∨", "implies": "→", "iff": "↔", "eq": "=", "ne": "≠", "lt": "<",
        "le": "≤", "gt": ">", "ge": "≥", "add": "+", "sub": "−", "mul": "·", "min": "min", "max": "max",
        "mod": "mod",
    },
    assign=":=", leq="≤", member="∈", minus="−", top="⊤", bottom="⊥", count="#", exists="∃",
    conditional="{} ? {} : {}", token="Q_{}".format, name=str, output="NEXT_{}".format,
    congruent="{} ≡ {} (mod {})", braces=("{", "}"), space=" ",
)  # fmt: skip

_LATEX = _Style(
    symbols={
        "not": r"\lnot ", "and": r"\land", "or": r"\lor", "implies": r"\to", "iff": r"\leftrightarrow",
        "eq": "=", "ne": r"\neq", "lt": "<", "le": r"\le", "gt": ">", "ge": r"\ge", "add": "+", "sub": "-",
        "mul": r"\cdot", "min": r"\min", "max": r"\max", "mod": r"\bmod",
    },
    assign="&:=", leq=r"\le", member=r"\in", minus="-", top=r"\top", bottom=r"\bot", count=r"\#",
    exists=r"\exists", conditional=r"{} \mathbin{{?}} {} : {}",
    token=lambda symbol: f"Q_{{\\texttt{{{latex_escaped(symbol)}}}}}",
    name=lambda name: f"\\mathit{{{latex_escaped(name)}}}",
    output=lambda symbol: f"\\mathrm{{NEXT}}_{{\\texttt{{{latex_escaped(symbol)}}}}}",
    congruent=r"{} \equiv {} \pmod{{{}}}", braces=(r"\{", r"\}"), space=r"\; ",
)  # fmt: skip
