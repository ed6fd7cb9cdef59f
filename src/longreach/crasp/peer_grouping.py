"""How coli-saar's C-RASP interpreter groups an expression.

Its grammar is ambiguous (a name is a Boolean or a count) and is read by ANTLR 4, which takes, at each choice
from left to right, the first alternative with which the rest of the statement can still be read. A Boolean
is tried as a comparison first (in the order < > == != <= >=), then as a name or in brackets, and a statement
as a Boolean before a count. Binary operators bind by their place in the grammar: && before ||, + before -,
and `x if p else y` last, all grouping to the left; `!` and `k *` take all that binds no weaker than they do,
and `#` takes a whole Boolean.

Sets of places in a statement are the bits of an integer. For every place the tables say where an expression
that begins there can end; then one walk from the left takes the first alternative that can reach the end.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

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
