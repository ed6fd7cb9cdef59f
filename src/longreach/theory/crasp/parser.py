"""Text to statements, with error messages that point at the mistake.

The format is a superset of the one of coli-saar's C-RASP interpreter, with one precedence for all. Names
and sorts are checked while parsing, so that every error has a line and a column.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import NoReturn, TypeAlias

from lark import Lark, Token, Tree, UnexpectedCharacters, UnexpectedInput, UnexpectedToken

from longreach.errors import InputError, Spot, near_names
from longreach.theory.crasp.syntax import (
    FALSE,
    MAX_DIGITS,
    MAX_DISTANCE,
    RESERVED,
    TRUE,
    Expr,
    Guard,
    Listing,
    PositionTest,
    SortMismatch,
    Statement,
    integer,
    make,
    reference,
    token,
)

POSITION_HINT = "'i' stands only in position tests, as in (i % 2 == 0), and in guards, as in #[i-1] …"
_COMPARISONS = {"EQ", "NE", "LT", "LE", "GT", "GE"}
_LITERALS = {
    "EQUAL": "'='", "RPAR": "')'", "LPAR": "'('", "RSQB": "']'", "RBRACE": "'}'", "LBRACE": "'{'",
    "COMMA": "','", "COLON": "':'", "ELSE": "'else'", "INT": "an integer", "STRING": "a token in quotes",
    "NAME": "a name", "I": "'i'", "PERCENT": "'%'", "IN": "'in'", "EQ": "'=='", "NE": "'!='",
    "MINUS": "'-'", "__ANON_0": "'..'",
}  # fmt: skip


def explain(error: UnexpectedInput, rest: str) -> str:
    """The message for a syntax error; `rest` is the source from the error to the end of its line."""
    if isinstance(error, UnexpectedToken):
        expected = set(error.accepts or error.expected)
        return _unexpected_token(error.token.type, str(error.token), expected, rest)
    assert isinstance(error, UnexpectedCharacters)
    return _unexpected_character(rest, set(error.allowed or ()))


def _unexpected_character(rest: str, expected: set[str]) -> str:
    char = rest[:1]
    if char in "\"'":
        return "the quoted token does not end on this line"
    if char in "&|":
        return f"unexpected '{char}'; write '{char * 2}'"
    directive = re.match(r"#\w+", rest)
    if directive and "OUTPUT" in expected:
        return f"unknown directive '{directive[0]}'; known are #alphabet and #import"
    # Which brackets are open is not known here, so that the closing ones would only mislead.
    wanted = "an operator" if "AND" in expected else _expectation(expected)
    return f"unexpected {char!r}; expected {wanted}"


def _unexpected_token(kind: str, text: str, expected: set[str], rest: str) -> str:
    if kind in ("_NL", "$END"):
        return f"unexpected end of line; expected {_expectation(expected)}"
    if "OUTPUT" in expected:
        if kind == "COUNT":
            found = re.match(r"#\s*\w*", rest)
            return f"unknown directive '{found[0] if found else '#'}'; known are #alphabet and #import"
        if text.isidentifier():
            return f"'{text}' is reserved and cannot be a name; a statement is NAME = …"
        return f"unexpected '{text}'; expected a statement: NAME = …"
    if kind in _COMPARISONS and "AND" in expected:
        return "comparisons are not chained; write a <= b && b <= c"
    if kind == "EQUAL" and "EQ" in expected:
        return "unexpected '='; write '==' to compare"
    if kind == "EQUAL" and "AND" in expected:
        return "unexpected '='; a line holds one statement"
    if kind == "EQUAL" and expected == {"STRING"}:
        return "'output' is reserved and cannot be a name; a predictor's statement is output \"a\" = …"
    if kind == "MINUS" and "STRING" in expected:
        return "there is no unary minus; write 0 - …"
    if kind == "I" and "STRING" in expected:
        return POSITION_HINT
    if kind == "PERCENT":
        return "'%' stands only in position tests, as in i % 2 == 0"
    return f"unexpected '{text}'; expected {_expectation(expected)}"


def _expectation(expected: set[str]) -> str:
    if "OUTPUT" in expected:
        return "a statement: NAME = …"
    if "STRING" in expected and "NAME" in expected:
        return "an expression"
    if expected & {"AND", "IFF"}:
        closing = [_LITERALS[name] for name in ("RPAR", "COMMA", "COLON", "ELSE") if name in expected]
        return " or ".join(["an operator", *closing] if closing else ["an operator", "the end of the line"])
    if "I" in expected and "LBRACE" in expected:
        return "a guard: pred, i-3, i-3..i-1, {i-1, i-4} or <"
    names = sorted(
        _LITERALS.get(name, f"'{name.lower()}'") for name in expected if name not in ("_NL", "$END")
    )
    return " or ".join(names) if names else "the end of the line"


# Reading the `.cr` text format.


# Position tests count from 0, as in the interpreter whose names they are: pos_even holds at our 1, 3, 5, …
POSITION_TESTS = {"pos_even": PositionTest(2, (1,), "pos_even"), "pos_odd": PositionTest(2, (0,), "pos_odd")}
KNOWN_IMPORTS = "pred, pred2, pred3, … (predK for any K ≥ 1), pos_even, pos_odd"
_MOST_LISTED = 1000  # residues that are not a given one are listed up to this many; beyond it '!=' is negated

_KINDS = {
    "&&": "and", "||": "or", "=>": "implies", "<=>": "iff", "==": "eq", "!=": "ne", "<": "lt", "<=": "le",
    ">": "gt", ">=": "ge", "+": "add", "-": "sub", "*": "mul", "!": "not", "#": "count", "exists": "exists",
    "min": "min", "max": "max",
}  # fmt: skip


def read_program(text: str, file: str = "<text>") -> Listing:
    """The statements that a text in the `.cr` format holds.

    >>> [statement.name for statement in read_program('C = # "a"\\nP = C >= 2').statements]
    ['C', 'P']
    """
    reader = _Reader(text, file)
    try:
        tree = _grammar().parse(text)
    except UnexpectedInput as error:
        reader.syntax_error(error)
    for statement in tree.children:
        assert isinstance(statement, Tree)
        reader.statement(statement)
    return reader.program()


@cache
def _grammar() -> Lark:
    grammar = Path(__file__).with_name("grammar.lark").read_text(encoding="utf-8")
    return Lark(grammar, parser="lalr", lexer="contextual")


@dataclass(frozen=True, slots=True)
class _Located:
    """An expression with the place of its first character."""

    expr: Expr
    line: int
    column: int


Node: TypeAlias = Tree[Token] | Token


class _Reader:
    """Turns parse trees into expressions, statement by statement, without recursion."""

    def __init__(self, text: str, file: str) -> None:
        self._lines = source_lines(text)
        self._file = file
        self._statements: list[Statement] = []
        self._names: dict[str, Expr] = {}
        self._imports: set[str] = set()
        self._alphabet: tuple[str, ...] | None = None
        self._tokens: dict[str, tuple[int, int]] = {}
        self._outputs: set[str] = set()

    def fail(self, line: int, column: int, message: str) -> NoReturn:
        raise self._error(line, column, message)

    def _error(self, line: int, column: int, message: str) -> InputError:
        source = self._lines[line - 1] if 1 <= line <= len(self._lines) else ""
        place = Spot(self._file, line, column)
        return InputError(message, place=place, source=source, column=column)

    def fail_at(self, place: Token, message: str) -> NoReturn:
        self.fail(place.line or 1, place.column or 1, message)

    # Statements

    def statement(self, tree: Tree[Token]) -> None:
        head = tree.children[0]
        assert isinstance(head, Token)
        match tree.data:
            case "assign":
                self._assign(head, tree.children[1])
            case "output":
                name = tree.children[1]
                assert isinstance(name, Token)
                self._output(name, tree.children[2])
            case "imports":
                for name in tree.children[1:]:
                    assert isinstance(name, Token)
                    self._import(name)
            case _:
                self._declare(head)

    def _assign(self, name: Token, body: Node) -> None:
        if name in RESERVED:
            self.fail_at(name, f"'{name}' is reserved and cannot be a name; a statement is NAME = …")
        if name in self._names:
            self.fail_at(name, f"name '{name}' is defined twice; a name is assigned once")
        if name in self._imports:
            self.fail_at(name, f"name '{name}' is an imported relation and cannot be assigned")
        located = self._expression(body)
        self._names[str(name)] = located.expr
        self._statements.append(Statement(str(name), located.expr))

    def _output(self, literal: Token, body: Node) -> None:
        symbol = self._symbol(literal)
        if symbol in self._outputs:
            self.fail_at(literal, f"output {literal} is defined twice")
        located = self._expression(body)
        if located.expr.sort != "Boolean":
            self.fail(located.line, located.column, f"output {literal} must be a Boolean, not a count")
        self._outputs.add(symbol)
        self._statements.append(Statement(symbol, located.expr, is_output=True))

    def _import(self, name: Token) -> None:
        if name not in POSITION_TESTS and distance_of(name) is None:
            self.fail_at(name, f"unknown import '{name}'; known are {KNOWN_IMPORTS}")
        if name in self._names:
            self.fail_at(name, f"name '{name}' is already assigned and cannot be imported")
        self._imports.add(str(name))

    def _declare(self, directive: Token) -> None:
        if self._alphabet is not None:
            self.fail_at(directive, "the alphabet is declared twice")
        self._alphabet = declared_alphabet(directive, lambda column, message: self._error(
            directive.line or 1, (directive.column or 1) + column, message))  # fmt: skip

    # Expressions

    def _expression(self, root: Node) -> _Located:
        values: list[_Located] = []
        stack: list[tuple[Node, bool]] = [(root, False)]
        while stack:
            node, ready = stack.pop()
            assert isinstance(node, Tree)
            below = [child for child in node.children if isinstance(child, Tree)]
            if node.data == "guarded":
                below = below[1:]  # the guard is no expression
            if ready or not below:
                args = values[len(values) - len(below) :] if below else []
                del values[len(values) - len(below) :]
                values.append(self._combine(node, args))
            else:
                stack.append((node, True))
                stack.extend((child, False) for child in reversed(below))
        return values[0]

    def _combine(self, tree: Tree[Token], args: list[_Located]) -> _Located:
        tokens = [child for child in tree.children if isinstance(child, Token)]
        match tree.data:
            case "binary":
                return self._make(_KINDS[tokens[0]], args, args[0])
            case "prefix" | "extremum":
                return self._make(_KINDS[tokens[0]], args, tokens[0])
            case "guarded":
                guard = tree.children[1]
                assert isinstance(guard, Tree)
                return self._make("count", args, tokens[0], self._guard(guard))
            case "if_else":
                return self._make("if", [args[1], args[0], args[2]], args[0])
            case "question":
                return self._make("if", args, args[0])
            case "brackets":
                return args[0]
            case _:
                first = tokens[0]
                return _Located(self._leaf(tree.data, tokens), first.line or 1, first.column or 1)

    def _make(
        self, kind: str, args: list[_Located], start: _Located | Token, guard: Guard | None = None
    ) -> _Located:
        try:
            expr = make(kind, *(arg.expr for arg in args), value=guard)
        except SortMismatch as error:
            wrong = args[error.operand]
            self.fail(wrong.line, wrong.column, error.message)
        return _Located(expr, start.line or 1, start.column or 1)

    def _leaf(self, kind: str, tokens: Sequence[Token]) -> Expr:
        first = tokens[0]
        match kind:
            case "token":
                symbol = self._symbol(first)
                return token(symbol)
            case "integer":
                return integer(self._integer(first))
            case "true":
                return TRUE
            case "false":
                return FALSE
            case "name":
                return self._name(first)
            case _:
                return self._periodic(tokens)

    def _name(self, name: Token) -> Expr:
        if name in self._names:
            return reference(str(name), self._names[name])
        if name in POSITION_TESTS and name in self._imports:
            return Expr("periodic", (), POSITION_TESTS[name])
        if name in POSITION_TESTS:
            self.fail_at(name, f"'{name}' is not imported; add the line: #import {name}")
        if name == "i":
            self.fail_at(name, POSITION_HINT)
        if name in RESERVED:
            self.fail_at(name, f"'{name}' is reserved and cannot stand here; expected an expression")
        if name in self._imports:
            self.fail_at(name, f"'{name}' is a relation: it stands in a guard, as in #[{name}] …")
        hint = near_names(name, [*self._names, *(self._imports & POSITION_TESTS.keys())])
        self.fail_at(name, f"unknown name '{name}'{hint or '; names are defined before they are used'}")

    def _periodic(self, tokens: Sequence[Token]) -> Expr:
        modulus = self._integer(tokens[1])
        if modulus < 1:
            self.fail_at(tokens[1], "a modulus is at least 1")
        numbers = [tok for tok in tokens[2:] if tok.type == "INT"]
        residues = {self._residue(number, modulus) for number in numbers}
        negated = tokens[2].type == "NE"
        if negated and modulus <= _MOST_LISTED:
            residues, negated = set(range(modulus)) - residues, False
        test = Expr("periodic", (), PositionTest(modulus, tuple(sorted(residues)))) if residues else FALSE
        return make("not", test) if negated else test

    def _residue(self, number: Token, modulus: int) -> int:
        residue = self._integer(number)
        if residue >= modulus:
            self.fail_at(number, f"i % {modulus} is never {residue}: the residues are 0 … {modulus - 1}")
        return residue

    def _guard(self, tree: Tree[Token]) -> Guard:
        match tree.data:
            case "guard_before":
                return Guard(None)
            case "guard_name":
                name = tree.children[0]
                assert isinstance(name, Token)
                return self._named_guard(name)
            case _:
                found = [self._distance(child) for child in tree.children if isinstance(child, Tree)]
        if tree.data == "guard_range":
            found = list(range(min(found), max(found) + 1))
        return Guard(tuple(sorted(set(found))))

    def _named_guard(self, name: Token) -> Guard:
        distance = distance_of(name)
        if name in POSITION_TESTS:
            self.fail_at(name, f"'{name}' tests a position; it is no guard")
        if distance is None:
            self.fail_at(name, f"unknown relation '{name}'; known are {KNOWN_IMPORTS}, i-3, i-3..i-1, <")
        if name not in self._imports:
            self.fail_at(name, f"'{name}' is not imported; add the line: #import {name}")
        if distance > MAX_DISTANCE:
            self.fail_at(name, f"a distance is at most {MAX_DISTANCE}")
        return Guard((distance,), str(name))

    def _distance(self, tree: Tree[Token]) -> int:
        if len(tree.children) == 1:
            return 0
        number = tree.children[1]
        assert isinstance(number, Token)
        distance = self._integer(number)
        if distance > MAX_DISTANCE:
            self.fail_at(number, f"a distance is at most {MAX_DISTANCE}")
        return distance

    def _integer(self, number: Token) -> int:
        if len(number) > MAX_DIGITS:
            self.fail_at(number, f"an integer has at most {MAX_DIGITS} digits")
        return int(number)

    def _symbol(self, literal: Token) -> str:
        symbol = literal[1:-1]
        if not symbol:
            self.fail_at(literal, "a token is a non-empty string")
        self._tokens.setdefault(symbol, (literal.line or 1, literal.column or 1))
        return symbol

    # The end

    def program(self) -> Listing:
        if not self._statements:
            reason = "the file holds no statement; a program is lines NAME = …"
            raise InputError(reason, place=Spot(self._file, 1, 1))
        if self._alphabet is not None:
            for symbol, (line, column) in self._tokens.items():
                if symbol not in self._alphabet:
                    hint = near_names(symbol, self._alphabet)
                    self.fail(line, column, f"token {symbol!r} is not in the alphabet{hint}")
        if not any(s.is_output or s.expr.sort == "Boolean" for s in self._statements):
            last = len(self._lines)
            self.fail(last, 1, "the program has no Boolean statement, so nothing says which words it accepts")
        return Listing(tuple(self._statements), self._alphabet)

    def syntax_error(self, error: UnexpectedInput) -> NoReturn:
        line, column = max(error.line, 1), max(error.column, 1)
        if isinstance(error, UnexpectedToken) and error.token.type == "$END":
            line, column = len(self._lines), len(self._lines[-1].rstrip()) + 1
        self.fail(line, column, explain(error, self._lines[line - 1][column - 1 :]))


def source_lines(text: str) -> list[str]:
    """Lines as the grammar counts them: `splitlines` would also split at form feeds and the like."""
    return re.split(r"\r?\n", text.removesuffix("\n").removesuffix("\r"))


def declared_alphabet(directive: str, error: Callable[[int, str], InputError]) -> tuple[str, ...]:
    """The tokens of an `#alphabet` line; `error` makes one of a column in it, from 0, and a message."""
    offset = len("#alphabet")
    symbols: dict[str, None] = {}  # in order, and quickly looked up
    for found in re.finditer(r"""("[^"]*"|'[^']*')(?=\s|//|$)|(//.*)|\S+?(?=\s|//|$)""", directive[offset:]):
        if found[2]:
            break  # a comment
        symbol = found[0][1:-1] if found[1] else found[0]
        if not symbol:
            raise error(offset + found.start(), "a token is a non-empty string")
        if symbol in symbols:
            raise error(offset + found.start(), f"token {symbol!r} is in the alphabet twice")
        symbols[symbol] = None
    if not symbols:
        raise error(0, "#alphabet needs at least one token, as in: #alphabet a b")
    return tuple(symbols)


def distance_of(name: str) -> int | None:
    """The K of predK; pred is pred1."""
    found = re.fullmatch(r"pred([1-9][0-9]{0,8})?", name)
    return None if found is None else int(found[1] or 1)
