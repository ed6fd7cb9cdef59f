"""Programs in the dialect of coli-saar's interpreter.

Its grammar is ambiguous (a name is a Boolean or a count) and is read by ANTLR 4, which takes, at each choice
from left to right, the first alternative with which the rest of the statement can still be read. A Boolean
is tried as a comparison first (in the order < > == != <= >=), then as a name or in brackets, and a statement
as a Boolean before a count. Binary operators bind by their place in the grammar: && before ||, + before -,
and `x if p else y` last, all grouping to the left; `!` and `k *` take all that binds no weaker than they do,
and `#` takes a whole Boolean.

Sets of places in a statement are the bits of an integer. For every place the tables say where an expression
that begins there can end; then one walk from the left takes the first alternative that can reach the end.

That interpreter groups otherwise (`peer_grouping`), lets the last statement decide even if it is a count,
lets a name be assigned again, and has no sorts: a Boolean is 0 or 1, and a count holds where it is not 0.
`#alphabet` is kept, which it lacks; all other extensions of ours it cannot read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from longreach.errors import InputError, near_names
from longreach.theory.crasp.parser import POSITION_TESTS, declared_alphabet, distance_of, source_lines
from longreach.theory.crasp.program import Program
from longreach.theory.crasp.syntax import (
    FALSE,
    MAX_DIGITS,
    MAX_DISTANCE,
    RESERVED,
    TRUE,
    Expr,
    Guard,
    Statement,
    integer,
    make,
    reference,
    token,
)

COMPARISONS = ("<", ">", "==", "!=", "<=", ">=")
MAX_TOKENS = 1000
# How weakly a binary operator binds at the least, and what its right operand takes; greater is tighter.
_BOOLEAN = {"&&": (7, 8), "||": (6, 7)}
_COUNT = {"+": (7, 8), "-": (6, 7), "if": (2, 3)}
_NOT, _TIMES = 5, 5
_LEVELS = (0, 3, 5, 7, 8)

Kind: TypeAlias = str
"""Of a token: "string", "name", "integer", or an operator or keyword itself; "" at the end."""


@dataclass(frozen=True, slots=True)
class Node:
    """`kind` is an operator, "string", "name", "integer", "true", "false", "guarded #", or "("."""

    kind: str
    place: int
    """The index of the token that names it: the operator, or the only one."""
    parts: tuple[Node, ...] = ()


def group(kinds: Sequence[Kind]) -> Node | None:
    """The tree of the right-hand side of a statement; None if that interpreter cannot read it.

    >>> def show(node):
    ...     return node.kind if not node.parts else f"{node.kind}({', '.join(map(show, node.parts))})"
    >>> show(group(["!", "name", "&&", "name"]))
    '!(&&(name, name))'
    >>> show(group(["#", "name", ">=", "integer", "&&", "name", ">=", "integer"]))
    '>=(#(&&(>=(name, integer), name)), integer)'
    """
    return _Grouping(kinds).root()


class _Grouping:
    def __init__(self, kinds: Sequence[Kind]) -> None:
        self.kinds = (*kinds, "")
        size = len(self.kinds) + 1
        # Ends of Booleans and counts that begin at a place, by level; and what operators may follow adds.
        self.ends = {boolean: {level: [0] * size for level in _LEVELS} for boolean in (True, False)}
        self.after = {boolean: {level: [0] * size for level in _LEVELS} for boolean in (True, False)}
        for place in reversed(range(len(kinds) + 1)):
            for boolean in (True, False):
                for level in _LEVELS:
                    self.after[boolean][level][place] = self._after(boolean, level, place)
            for boolean in (False, True):  # a Boolean may begin with a count
                first = self._primary(boolean, place)
                for level in _LEVELS:
                    self.ends[boolean][level][place] = _union(first, self.after[boolean][level])

    # Tables

    def _after(self, boolean: bool, level: int, place: int) -> int:
        """Where what ends at a place can end when binary operators follow."""
        found = 1 << place
        kind = self.kinds[place]
        weakest, right = (_BOOLEAN if boolean else _COUNT).get(kind, (-1, 0))
        if weakest >= level:
            starts = 1 << (place + 1)
            if kind == "if":
                starts = self._step(self.ends[True][0][place + 1], "else")
            ends = _union(starts, self.ends[boolean][right])
            found |= _union(ends, self.after[boolean][level])
        return found

    def _step(self, places: int, kind: Kind) -> int:
        """The places behind a token of this kind."""
        return sum(1 << (place + 1) for place in _bits(places) if self.kinds[place] == kind)

    def _primary(self, boolean: bool, place: int) -> int:
        """Where what begins at a place can end before any binary operator."""
        kind, behind = self.kinds[place], 1 << (place + 1)
        ends = self.ends[boolean]
        found = self._step(ends[0][place + 1], ")") if kind == "(" else 0
        if kind == "name" or (boolean and kind in ("string", "true", "false")):
            found |= behind
        if boolean:
            if kind == "!":
                found |= ends[_NOT][place + 1]
            for comparison in COMPARISONS:
                found |= _union(self._step(self.ends[False][0][place], comparison), self.ends[False][0])
        elif kind == "integer":
            found |= behind
            if self.kinds[place + 1] == "*":
                found |= ends[_TIMES][place + 2]
        elif kind == "#":
            found |= self.ends[True][0][self._body(place)] if self._body(place) else 0
        elif kind in ("min", "max") and self.kinds[place + 1] == "(":
            second = self._step(ends[0][place + 2], ",")
            found |= self._step(_union(second, ends[0]), ")")
        return found

    def _body(self, place: int) -> int:
        """Where the body of a count begins; 0: its guard is none."""
        if self.kinds[place + 1] != "[":
            return place + 1
        return place + 4 if self.kinds[place + 1 : place + 4] == ("[", "name", "]") else 0

    # The walk; `good` are the ends from which the rest can be read

    def root(self) -> Node | None:
        good = 1 << (len(self.kinds) - 1)
        for boolean in (True, False):
            if self.ends[boolean][0][0] & good:
                return self._tree(boolean, 0, 0, good)[0]
        return None

    def _tree(self, boolean: bool, level: int, place: int, good: int) -> tuple[Node, int]:
        """What begins at a place, and its end."""
        after = self.after[boolean][level]
        node, end = self._first(boolean, place, self._leading(self._primary(boolean, place), after, good))
        while True:
            kind = self.kinds[end]
            weakest, right = (_BOOLEAN if boolean else _COUNT).get(kind, (-1, 0))
            # Going on comes before ending here.
            if weakest < level or not after[end] & good & ~(1 << end):
                return node, end
            place, start = end, end + 1
            then: tuple[Node, ...] = ()
            if kind == "if":
                condition, start = self._tree(True, 0, start, self._elses(right, after, good))
                then, start = (condition,), start + 1
            ends = self._leading(self.ends[boolean][right][start], after, good)
            operand, end = self._tree(boolean, right, start, ends)
            node = Node(kind, place, (node, *then, operand))

    def _elses(self, right: int, after: Sequence[int], good: int) -> int:
        """The places of an `else` from which the rest can be read."""
        return sum(
            1 << place
            for place, kind in enumerate(self.kinds)
            if kind == "else" and self._leading(self.ends[False][right][place + 1], after, good)
        )

    def _leading(self, places: int, table: Sequence[int], good: int) -> int:
        """Those of the places from which the table leads to a good one."""
        return sum(1 << place for place in _bits(places) if table[place] & good)

    def _first(self, boolean: bool, place: int, good: int) -> tuple[Node, int]:
        """The first alternative, before any binary operator, that ends at a good place."""
        kind = self.kinds[place]
        if boolean and kind != "string":
            counts = self.ends[False][0]
            for comparison in COMPARISONS:
                signs = sum(
                    1 << sign
                    for sign in _bits(counts[place])
                    if self.kinds[sign] == comparison and counts[sign + 1] & good
                )
                if signs:
                    left, sign = self._tree(False, 0, place, signs)
                    right, end = self._tree(False, 0, sign + 1, good)
                    return Node(comparison, sign, (left, right)), end
        if kind == "!":
            body, end = self._tree(True, _NOT, place + 1, good)
            return Node("!", place, (body,)), end
        if kind == "#":
            body, end = self._tree(True, 0, self._body(place), good)
            return Node("#" if self._body(place) == place + 1 else "guarded #", place, (body,)), end
        if kind == "integer" and not good >> (place + 1) & 1:
            body, end = self._tree(False, _TIMES, place + 2, good)
            return Node("*", place, (body,)), end
        if kind in ("min", "max"):
            ends = self.ends[False][0]
            commas = sum(
                1 << comma
                for comma in _bits(ends[place + 2])
                if self.kinds[comma] == "," and self._closing(ends[comma + 1], good)
            )
            left, comma = self._tree(False, 0, place + 2, commas)
            right, end = self._tree(False, 0, comma + 1, self._closing(ends[comma + 1], good))
            return Node(kind, place, (left, right)), end + 1
        if kind == "(":
            closing = self._closing(self.ends[boolean][0][place + 1], good)
            body, end = self._tree(boolean, 0, place + 1, closing)
            return Node("(", place, (body,)), end + 1
        return Node(kind, place), place + 1

    def _closing(self, places: int, good: int) -> int:
        """The places of a closing bracket behind which the rest can be read."""
        return sum(1 << end for end in _bits(places) if self.kinds[end] == ")" and good >> (end + 1) & 1)


def _bits(places: int) -> Iterator[int]:
    while places:
        lowest = places & -places
        yield lowest.bit_length() - 1
        places ^= lowest


def _union(places: int, table: Sequence[int]) -> int:
    found = 0
    for place in _bits(places):
        found |= table[place]
    return found


# Programs as coli-saar's C-RASP interpreter reads them, and where that differs from ours.


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
