"""Program and Builder, the trace of a run, and tidying programs for readers.

>>> from longreach.theory.crasp.syntax import count
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

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

import longreach
from longreach.errors import InputError
from longreach.files import DOCUMENT_BYTES, read_text
from longreach.theory.crasp import evaluate
from longreach.theory.crasp.core import Core, is_boolean
from longreach.theory.crasp.evaluate import BLOCK, Kernel, State, at_empty_word
from longreach.theory.crasp.lower import lower, raised
from longreach.theory.crasp.printer import expression_text, statement_text, to_text
from longreach.theory.crasp.syntax import (
    FALSE,
    TRUE,
    Expr,
    Listing,
    Operand,
    Statement,
    as_expr,
    check_name,
    make,
    postorder,
    reference,
)
from longreach.theory.crasp.words import Codes, Encoder, encode
from longreach.wording import counted, html_listing, some

if TYPE_CHECKING:
    from longreach.theory.limit.model import Transformer

# Tracing: the value of every operation at every position of one word.


WIDTH = 100
"""Characters of a line where no terminal says otherwise."""


@dataclass(frozen=True, slots=True)
class Row:
    """One statement: its name, its text, and its value at each position."""

    name: str
    text: str
    is_boolean: bool
    is_result: bool
    values: tuple[bool | int, ...]


@dataclass(frozen=True, slots=True, repr=False)
class Trace:
    """A table of statements by positions. The empty word has the single position 0 and no token."""

    tokens: tuple[str, ...]
    positions: tuple[int, ...]
    rows: tuple[Row, ...]
    accepted: bool | None
    predicted: tuple[tuple[str, ...], ...]

    @property
    def cells(self) -> list[tuple[str, list[str]]]:
        """The table as text: positions, tokens, and each statement with its values."""
        found = [("", [str(position) for position in self.positions]), ("", list(self.tokens) or ["ε"])]
        for row in self.rows:
            shown = [("⊤" if value else "·") if row.is_boolean else str(value) for value in row.values]
            found.append((row.text, shown))
        return found

    def __repr__(self) -> str:
        cells = self.cells
        heads = max(len(head) for head, _ in cells)
        widths = widths_of(cells)
        blocks = []
        for columns in side_by_side(widths, WIDTH - heads - 1):
            lines = [
                " ".join([head.ljust(heads), *(values[k].rjust(widths[k]) for k in columns)]).rstrip()
                for head, values in cells
            ]
            blocks.append("\n".join(lines))
        verdict = [] if self.accepted is None else ["accept" if self.accepted else "reject"]
        return "\n".join(["\n\n".join(blocks), *verdict])

    def _repr_html_(self) -> str:
        (_, positions), (_, tokens), *rows = self.cells
        lines = [
            "".join(["<tr><th></th>", *(f"<th>{escape(cell)}</th>" for cell in cells), "</tr>"])
            for cells in (positions, tokens)
        ]
        for (head, cells), row in zip(rows, self.rows, strict=True):
            name = f"<b>{escape(head)}</b>" if row.is_result else escape(head)
            values = "".join(f"<td>{escape(cell)}</td>" for cell in cells)
            lines.append(f'<tr><td style="text-align:left"><code>{name}</code></td>{values}</tr>')
        verdict = "" if self.accepted is None else f"<p>{'accept' if self.accepted else 'reject'}</p>"
        return f"<table>{''.join(lines)}</table>{verdict}"


def widths_of(cells: Sequence[tuple[str, list[str]]]) -> list[int]:
    return [max(len(values[k]) for _, values in cells) for k in range(len(cells[0][1]))]


def side_by_side(widths: Sequence[int], most: int) -> Iterator[range]:
    """Split columns, one space apart, into runs that fit into `most` characters (at least one column each).

    >>> list(side_by_side([1, 1, 3, 1], 4))
    [range(0, 2), range(2, 3), range(3, 4)]
    """
    start = 0
    while start < len(widths):
        end, used = start, 0
        while end < len(widths) and (end == start or used + widths[end] + 1 <= most):
            used += widths[end] + 1
            end += 1
        yield range(start, end)
        start = end


def values_of_all(core: Core, codes: Codes) -> list[list[bool | int]]:
    """Per operation its values at positions 1 … n, or at position 0 for the empty word."""
    if len(codes) == 0:
        return [[value] for value in at_empty_word(core)]
    everything = range(len(core.ops))
    kernel, state = Kernel(core, everything), State()
    rows: list[list[bool | int]] = [[] for _ in everything]
    for start in range(0, len(codes), BLOCK):
        block = codes[None, start : start + BLOCK]
        for index, value in kernel.advance(state, block).items():
            rows[index] += np.broadcast_to(value, block.shape)[0].tolist()
    return rows


def trace(program: Program, tokens: Sequence[str], codes: Codes, every_operation: bool = False) -> Trace:
    """The trace of a program on a word, per statement or per core operation.

    >>> from longreach.theory.crasp.words import encode
    >>> program = parse('C = # "a"\\nP = C >= 2')
    >>> for row in trace(program, "aba", encode(program.core, "aba")).rows:
    ...     print(row.name, row.values)
    C (1, 1, 2)
    P (False, False, True)
    """
    core = program.core
    statements, names = program.statements, core.names
    if every_operation:
        # Raising keeps the operations, so that statement names lead to the same values.
        listing = raised(core)
        statements, names = listing.statements, lower(listing).names
    places = dict(names) | {f"output {symbol}": index for symbol, index in core.outputs}
    values = values_of_all(core, codes)
    rows = []
    for statement in statements:
        name = f"output {statement.name}" if statement.is_output else statement.name
        index = places[name]
        rows.append(
            Row(
                name,
                statement_text(statement),
                is_boolean(core.ops[index]),
                index in core.roots,
                tuple(values[index]),
            )
        )
    accepted = None if core.accept is None else bool(values[core.accept][-1])
    predicted = [
        tuple(symbol for symbol, index in core.outputs if values[index][at]) for at in range(len(tokens))
    ]
    positions = tuple(range(1, len(tokens) + 1)) or (0,)
    return Trace(tuple(tokens), positions, tuple(rows), accepted, tuple(predicted))


def to_html(traces: Sequence[tuple[str, Trace]], title: str) -> str:
    """One self-contained page with a table per trace, each under its heading."""
    import jinja2

    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(Path(__file__).parent),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.get_template("trace.html.jinja").render(traces=traces, title=title)


# Programs: what is read, lowered, printed and run, behind one class.


SHOWN = 12
"""Letters that a short description names."""


@dataclass(frozen=True, eq=False, repr=False)
class Program(Listing):
    """A listing with its meaning: core operations, text, and what it accepts or predicts.

    >>> parse('#alphabet a b\\nP = # "a" >= # "b"')
    Program: an acceptor over a b in C-RASP[∅], 5 operations, depth 1
    """

    @classmethod
    def of(cls, listing: Listing) -> Program:
        return cls(listing.statements, listing.alphabet)

    @cached_property
    def core(self) -> Core:
        """The straight-line program of core operations."""
        return lower(self)

    @property
    def text(self) -> str:
        return to_text(self)

    def accepts(self, word: str | Sequence[str]) -> bool:
        """Whether the program accepts a word: a list of tokens, or a string as on the command line.

        >>> parse('P = # "a" >= # "b"').accepts("abba")
        True
        """
        return bool(evaluate.accepts(self.core, [encode(self.core, word)])[0])

    def predicts(self, word: str | Sequence[str]) -> list[list[str]]:
        """For a predictor: at each position the tokens that may come next."""
        if not self.core.is_predictor:
            raise InputError("the program accepts or rejects words and predicts nothing: ask for accepts")
        return evaluate.predictions(self.core, [encode(self.core, word)])[0]

    def trace(self, word: str | Sequence[str]) -> Trace:
        """The value of every statement at every position of a word.

        >>> parse('C = # "a"\\nP = C >= 2').trace("aba")
                   1 2 3
                   a b a
        C = # "a"  1 1 2
        P = C >= 2 · · ⊤
        accept
        """
        tokens = Encoder(self.core).split(word) if isinstance(word, str) else list(word)
        return trace(self, tokens, encode(self.core, word))

    def compile(self, context: int | None = None) -> Transformer:
        """The transformer that computes the program: a limit transformer, or T_n for a context of n.

        >>> parse('P = # "a" >= # "b"').compile()
        limit transformer: 1 layer, 1 head, width 8; reads a b, accepts or rejects
        """
        # Transformers stand above programs; the front door knows where.
        return longreach.compile(self, context)

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        try:
            core = self.core
        except InputError:
            return f"Program: {counted(len(self.statements), 'statement')}, not a program yet"
        kind = "a predictor" if core.is_predictor else "an acceptor"
        size = f"{counted(core.size, 'operation')}, depth {core.depth}"
        return f"Program: {kind} over {some(core.alphabet, SHOWN)} in {core.class_name}, {size}"

    def _repr_html_(self) -> str:
        return html_listing(self.text, title=repr(self))


def parse(text: str, file: str = "<text>") -> Program:
    """Read a program in the `.cr` format.

    >>> parse('P = # "a" >= 2').core.class_name
    'C-RASP[∅]'
    >>> parse('P = # "a" && true')
    Traceback (most recent call last):
    ...
    longreach.errors.InputError: <text>:1:5: '&&' takes a Boolean on its left, not a count; ...
    """
    from longreach.theory.crasp.parser import read_program  # loads Lark

    return Program.of(read_program(text, file))


def parse_file(path: str | Path) -> Program:
    return parse(read_text(path, most=DOCUMENT_BYTES), str(path))


def raise_core(core: Core) -> Program:
    """A program with one statement per operation, whose core is `core` again."""
    return Program.of(raised(core))


class Builder:
    """Builds a program statement by statement; `let` returns the name for use in later expressions."""

    def __init__(self, alphabet: Iterable[str] | None = None) -> None:
        self._alphabet = None if alphabet is None else tuple(alphabet)
        self._statements: list[Statement] = []
        self._names: set[str] = set()

    def let(self, name: str, operand: Operand) -> Expr:
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
        return Program(tuple(self._statements), self._alphabet)

    def program(self) -> Program:
        program = self.draft()
        _ = program.core  # rejects programs without a Boolean statement and tokens outside the alphabet
        return program


# Programs as a person would write them: no unused statements, trivial ones inline.


SHORT = 28  # characters of an expression that is written where it is used, if it is used once
_LEAVES = ("token", "true", "false", "integer", "name", "periodic")


def tidy_statements(program: Program) -> Program:
    """The same program without unused statements; leaves and short expressions used once stand inline.

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
    return Program(tuple(statements), program.alphabet)


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
    """The names in an expression, with repetitions."""
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
