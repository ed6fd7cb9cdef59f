"""Programs as coli-saar's C-RASP interpreter reads them, and where that differs from ours.

That interpreter groups otherwise (`peer_grouping`), lets the last statement decide even if it is a count,
lets a name be assigned again, and has no sorts: a Boolean is 0 or 1, and a count holds where it is not 0.
`#alphabet` is kept, which it lacks; all other extensions of ours it cannot read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from longreach.crasp.parser import POSITION_TESTS, RESERVED, declared_alphabet, distance_of, source_lines
from longreach.crasp.peer_grouping import COMPARISONS, MAX_TOKENS, Node, group
from longreach.crasp.program import Program
from longreach.crasp.syntax import (
    FALSE,
    MAX_DIGITS,
    MAX_DISTANCE,
    TRUE,
    Expr,
    Guard,
    Statement,
    integer,
    make,
    reference,
    token,
)
from longreach.errors import InputError, near_names

INTERPRETER = "coli-saar's interpreter"
ACCEPT = "accept"
"""The name of the Boolean that is added where the last statement is a count."""

_TOKEN = re.compile(
    r"""(?P<comment>//[^\r\n]*)|(?P<alphabet>\#alphabet(?!\w)[^\r\n]*)|(?P<import>\#import)|(?P<newline>\r?\n)
    |(?P<space>[ \t]+)|(?P<name>[a-zA-Z_][a-zA-Z_0-9]*)|(?P<string>"[^"\r\n]*")|(?P<integer>[0-9]+)
    |(?P<sign>&&|\|\||==|!=|<=|>=|[!<>=+\-*\#(),\[\]])""",
    re.VERBOSE,
)
_KEYWORDS = frozenset(["true", "false", "if", "else", "min", "max"])
_KINDS = {
    "==": "eq", "!=": "ne", "<": "lt", "<=": "le", ">": "gt", ">=": "ge", "+": "add", "-": "sub",
    "min": "min", "max": "max",
}  # fmt: skip
_TAKES = dict.fromkeys(("!", "#", "guarded #"), (*COMPARISONS, "&&", "||")) | {"*": ("+", "-")}
_SIGNS = {"!": "!", "#": "#", "guarded #": "#", "*": "*"}


@dataclass(frozen=True, slots=True)
class Token:
    """A token of a file; `kind` as in `peer_grouping`, or "import", "alphabet", "=", "newline"."""

    kind: str
    text: str
    line: int
    column: int


@dataclass(frozen=True, slots=True)
class Difference:
    """Where the two readings part, and how that interpreter reads it."""

    line: int
    column: int
    message: str


def parse_peer(text: str, file: str = "<text>") -> Program:
    """The program as that interpreter reads it.

    >>> print(parse_peer('p = "a"\\nL = !p && "b"').text)
    p = "a"
    L = !(p && "b")
    """
    return _Reader(text, file).program()


def differences(text: str, ours: Program) -> list[Difference]:
    r"""Where that interpreter would read a text otherwise than we do, who read it as the program `ours`.

    None where it cannot read the text at all, as with our extensions.

    >>> from longreach.crasp.program import parse
    >>> def check(text): return differences(text, parse(text))
    >>> check('p = "a"\nL = !p && "b"')
    [Difference(line=2, column=5, message="'!' takes all that follows: ! (p && …")]
    >>> check('L = exists !"a" && "b"')
    []
    """
    reader = _Reader(text, "")
    found: list[Difference] = []
    try:
        statements = list(reader.statements())
        for _, body in statements:
            if _may_differ([part.kind for part in body]):
                found += _of_statement(body, reader)
        if found or ours.statements[-1].expr.sort == "count":
            reader.program()  # a text that cannot be run there is not read otherwise, but not at all
    except _TooLarge:
        pass
    except InputError:
        return []
    if (reader.last or ours.statements[-1]).expr.sort == "count":
        name = statements[-1][0]
        message = f"the last statement decides, where the count {name.text} is not 0"
        found.append(Difference(name.line, name.column, message))
    return sorted(found, key=lambda each: (each.line, each.column))


class _TooLarge(InputError):
    """A statement that is too long or nested too deeply to be grouped."""


def _may_differ(kinds: Sequence[str]) -> bool:
    """Whether there is an operator that may take more, and one that it may take: mostly there is not."""
    taking = {"!", "#", "*", "-", "if"}.intersection(kinds)
    return bool(taking) and not {*COMPARISONS, "&&", "||", "+", "-", "if"}.isdisjoint(kinds)


def _of_statement(body: Sequence[Token], reader: _Reader) -> Iterator[Difference]:
    """The nodes whose operands are larger there than here; our grouping has them only in brackets."""
    try:
        stack = [reader.tree(body)]
    except _TooLarge:
        message = "perhaps, for a statement so long or so deep is not compared"
        yield Difference(body[0].line, body[0].column, message)
        return
    while stack:
        node = stack.pop()
        stack += node.parts
        taken = node.parts[-1] if node.parts else None
        message = ""
        if node.kind == "if" and node.parts[0].kind == "if":
            message = "conditionals group to the left: (x if p else y) if q else z"
        elif node.kind == "-" and taken is not None and taken.kind == "+":
            message = "'+' binds tighter than '-': x - (y + z)"
        elif taken is not None and taken.kind in _TAKES.get(node.kind, ()):
            start = _leftmost(taken)
            opened = " ".join(part.text for part in body[node.place : start])
            inside = " ".join(part.text for part in body[start : taken.place + 1])
            message = f"'{_SIGNS[node.kind]}' takes all that follows: {opened} ({inside} …"
        if message:
            yield Difference(body[node.place].line, body[node.place].column, message)


def _leftmost(node: Node) -> int:
    while node.parts and node.kind not in ("!", "#", "guarded #", "(", "*", "min", "max"):
        node = node.parts[0]
    return node.place


class _Reader:
    def __init__(self, text: str, file: str) -> None:
        self.text, self.file = text, file
        self.alphabet: tuple[str, ...] | None = None
        self.imports: set[str] = set()
        self.names: dict[str, Expr] = {}
        self.used: set[str] = set()
        self.last: Statement | None = None

    def fail(self, place: Token, message: str, kind: type[InputError] = InputError) -> InputError:
        lines = source_lines(self.text)
        source = lines[place.line - 1] if place.line <= len(lines) else ""
        where = f"{self.file}:{place.line}:{place.column}"
        return kind(f"{where}: {message}", source=source, column=place.column)

    # Text to trees

    def tokens(self) -> Iterator[Token]:
        line, start, end = 1, 0, 0
        while end < len(self.text):
            found = _TOKEN.match(self.text, end)
            if found is None:
                char = self.text[end]
                place = Token("", char, line, end - start + 1)
                raise self.fail(place, f"{INTERPRETER} has no {char!r} here")
            kind, text = found.lastgroup or "", found[0]
            if kind == "sign" or text in _KEYWORDS:
                kind = text
            if kind not in ("comment", "space"):
                yield Token(kind, text, line, end - start + 1)
            end = found.end()
            if kind == "newline":
                line, start = line + 1, end

    def statements(self) -> Iterator[tuple[Token, list[Token]]]:
        """Name and right-hand side of each; imports and the alphabet are taken note of."""
        line: list[Token] = []
        self.imports.clear()
        self.alphabet = None
        last = Token("newline", "", len(source_lines(self.text)) + 1, 1)
        for each in (*self.tokens(), last):
            if each.kind != "newline":
                line.append(each)
                continue
            if line:
                yield from self._statement(line)
            line = []

    def _statement(self, line: list[Token]) -> Iterator[tuple[Token, list[Token]]]:
        head = line[0]
        kinds = [part.kind for part in line]
        if head.kind == "alphabet":
            self.alphabet = declared_alphabet(head.text, lambda column, text: self.fail(
                Token("", "", head.line, head.column + column), text))  # fmt: skip
        elif kinds == ["import", "name"]:
            name = line[1]
            if name.text not in POSITION_TESTS and distance_of(name.text) is None:
                raise self.fail(name, f"unknown import '{name.text}'")
            self.imports.add(name.text)
        elif kinds[:2] == ["name", "="] and len(line) > 2:
            yield head, line[2:]
        else:
            raise self.fail(head, f"{INTERPRETER} has no such statement; expected NAME = …")

    def tree(self, body: Sequence[Token]) -> Node:
        """The grouping of a right-hand side."""
        if len(body) > MAX_TOKENS:
            raise self.fail(body[0], f"more than {MAX_TOKENS} tokens: too long for --peer", _TooLarge)
        try:
            found = group([part.kind for part in body])
        except RecursionError:
            raise self.fail(body[0], "nested too deeply for --peer", _TooLarge) from None
        if found is None:
            raise self.fail(body[0], f"{INTERPRETER} cannot read this expression")
        return found

    # Trees to expressions

    def program(self) -> Program:
        self.names, self.used = {}, set()
        statements: list[Statement] = []
        found = list(self.statements())  # imports hold everywhere, before their line too
        for name, body in found:
            try:
                expr = self._expression(self.tree(body), body)
            except RecursionError:
                raise self.fail(body[0], "nested too deeply for --peer", _TooLarge) from None
            unique = self._unique(name.text)
            statements.append(Statement(unique, expr))
            self.names[name.text] = reference(unique, expr)
        if not statements:
            raise InputError(f"{self.file}:1:1: the file holds no statement; a program is lines NAME = …")
        self.last = statements[-1]
        if self.last.expr.sort == "count":
            last = self.names[found[-1][0].text]
            statements.append(Statement(self._unique(ACCEPT), _truth(last)))
        return Program(tuple(statements), self.alphabet)

    def _unique(self, name: str) -> str:
        """A name of our own: assigned once, and not reserved."""
        while name in self.used or name in RESERVED or name in self.imports:
            name += "_"
        self.used.add(name)
        return name

    def _expression(self, node: Node, body: Sequence[Token]) -> Expr:
        place = body[node.place]
        match node.kind:
            case "(":
                return self._expression(node.parts[0], body)
            case "string":
                symbol = place.text[1:-1]
                if symbol and self.alphabet is not None and symbol not in self.alphabet:
                    hint = near_names(symbol, self.alphabet)
                    raise self.fail(place, f"token {symbol!r} is not in the alphabet{hint}")
                return token(symbol) if symbol else FALSE  # no token is empty
            case "true":
                return TRUE
            case "false":
                return FALSE
            case "name":
                return self._name(place)
            case "integer":
                return integer(self._integer(place))
        parts = [self._expression(part, body) for part in node.parts]
        match node.kind:
            case "!":
                return make("not", _truth(parts[0]))
            case "#":
                return make("count", _truth(parts[0]))
            case "guarded #":
                return make("count", _truth(parts[0]), value=self._guard(body[node.place + 2]))
            case "*":
                return make("mul", integer(self._integer(place)), _number(parts[0]))
            case "if":
                return make("if", _truth(parts[1]), _number(parts[0]), _number(parts[2]))
            case "&&" | "||" as sign:
                return _connected(sign, *parts)
            case kind:
                return make(_KINDS[kind], *map(_number, parts))

    def _name(self, place: Token) -> Expr:
        name = place.text
        if name in self.names:
            return self.names[name]
        if name in self.imports and name in POSITION_TESTS:
            return Expr("periodic", (), POSITION_TESTS[name])
        hint = near_names(name, self.names)
        raise self.fail(place, f"unknown name '{name}'{hint or '; names are defined before they are used'}")

    def _guard(self, place: Token) -> Guard:
        distance = distance_of(place.text)
        if distance is None or place.text not in self.imports:
            raise self.fail(place, f"'{place.text}' is not an imported relation, as in: #import pred")
        if distance > MAX_DISTANCE:
            raise self.fail(place, f"a distance is at most {MAX_DISTANCE}")
        return Guard((distance,), place.text)

    def _integer(self, place: Token) -> int:
        if len(place.text) > MAX_DIGITS:
            raise self.fail(place, f"an integer has at most {MAX_DIGITS} digits")
        return int(place.text)


def _truth(expr: Expr) -> Expr:
    """A count holds where it is not 0."""
    return expr if expr.sort == "Boolean" else make("ne", expr, 0)


def _number(expr: Expr) -> Expr:
    """A Boolean counts as 0 or 1."""
    return expr if expr.sort == "count" else make("if", expr, 1, 0)


def _connected(sign: str, left: Expr, right: Expr) -> Expr:
    """Of Booleans the connective; otherwise one of the two values, as in Python."""
    if left.sort == right.sort == "Boolean":
        return make("and" if sign == "&&" else "or", left, right)
    one, other = (right, left) if sign == "&&" else (left, right)
    return make("if", _truth(left), _number(one), _number(other))
