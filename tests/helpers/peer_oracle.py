"""coli-saar's interpreter, literally and slowly: an ordered search for the first parse, then lists of values.

`read` tries the alternatives of the grammar in its order and goes back where the rest cannot be read, which
is what ANTLR's choices come to. Trees are tuples. Cases in `test_peer.py` were checked with ANTLR itself.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

Tree: TypeAlias = Any
Parses: TypeAlias = Iterator[tuple[Tree, int]]

COMPARISONS = ("<", ">", "==", "!=", "<=", ">=")
OPERATIONS: dict[str, Callable[[int, int], int]] = {
    "<": operator.lt, ">": operator.gt, "==": operator.eq, "!=": operator.ne, "<=": operator.le,
    ">=": operator.ge, "+": operator.add, "-": operator.sub, "min": min, "max": max,
}  # fmt: skip


def words_of(text: str) -> list[str]:
    return re.findall(r'"[^"]*"|\w+|&&|\|\||[=!<>]=|\S', text)


def read(words: list[str]) -> Tree:
    """The first parse of the right-hand side of a statement; None if there is none."""
    for rule in (boolean, count):
        for tree, end in rule(words, 0, 0):
            if end == len(words):
                return tree
    return None


def at(words: list[str], place: int) -> str:
    return words[place] if place < len(words) else ""


def is_name(word: str) -> bool:
    return word.isidentifier() and word not in ("true", "false", "if", "else", "min", "max")


def boolean(words: list[str], place: int, level: int) -> Parses:
    for tree, end in boolean_start(words, place):
        yield from boolean_rest(words, tree, end, level)


def boolean_rest(words: list[str], left: Tree, place: int, level: int) -> Parses:
    for sign, own, inner in (("&&", 7, 8), ("||", 6, 7)):
        if at(words, place) == sign and own >= level:
            for right, end in boolean(words, place + 1, inner):
                yield from boolean_rest(words, (sign, left, right), end, level)
    yield left, place


def boolean_start(words: list[str], place: int) -> Parses:
    word = at(words, place)
    if word.startswith('"'):
        yield ("string", word[1:-1]), place + 1
        return
    for sign in COMPARISONS:
        for left, middle in count(words, place, 0):
            if at(words, middle) == sign:
                for right, end in count(words, middle + 1, 0):
                    yield (sign, left, right), end
    if word == "!":
        for body, end in boolean(words, place + 1, 5):
            yield ("!", body), end
    if word in ("true", "false"):
        yield ("constant", word == "true"), place + 1
    if is_name(word):
        yield ("name", word), place + 1
    if word == "(":
        for body, end in boolean(words, place + 1, 0):
            if at(words, end) == ")":
                yield body, end + 1


def count(words: list[str], place: int, level: int) -> Parses:
    for tree, end in count_start(words, place):
        yield from count_rest(words, tree, end, level)


def count_rest(words: list[str], left: Tree, place: int, level: int) -> Parses:
    for sign, own, inner in (("+", 7, 8), ("-", 6, 7)):
        if at(words, place) == sign and own >= level:
            for right, end in count(words, place + 1, inner):
                yield from count_rest(words, (sign, left, right), end, level)
    if at(words, place) == "if" and level <= 2:
        for test, middle in boolean(words, place + 1, 0):
            if at(words, middle) == "else":
                for right, end in count(words, middle + 1, 3):
                    yield from count_rest(words, ("if", left, test, right), end, level)
    yield left, place


def count_start(words: list[str], place: int) -> Parses:
    word = at(words, place)
    if word == "#":
        guarded = at(words, place + 1) == "["
        for body, end in boolean(words, place + (4 if guarded else 1), 0):
            yield ("#", words[place + 2] if guarded else None, body), end
    if is_name(word):
        yield ("name", word), place + 1
    if word.isdigit():
        yield ("constant", int(word)), place + 1
        if at(words, place + 1) == "*":
            for body, end in count(words, place + 2, 5):
                yield ("*", int(word), body), end
    if word in ("max", "min"):
        for left, middle in count(words, place + 2, 0):
            if at(words, middle) == ",":
                for right, end in count(words, middle + 1, 0):
                    if at(words, end) == ")":
                        yield (word, left, right), end + 1
    if word == "(":
        for body, end in count(words, place + 1, 0):
            if at(words, end) == ")":
                yield body, end + 1


def accepts(statements: list[tuple[str, Tree]], word: list[str]) -> bool:
    """Whether the last value of the last statement is true or not 0; the word is not empty."""
    values: dict[str, list[int]] = {}
    last: list[int] = []
    for name, tree in statements:
        values[name] = last = value(tree, word, values)
    return bool(last[-1])


def value(tree: Tree, word: list[str], names: dict[str, list[int]]) -> list[int]:
    match tree:
        case ("string", symbol):
            return [token == symbol for token in word]
        case ("constant", constant):
            return [constant] * len(word)
        case ("name", name):
            return names[name]
        case ("!", body):
            return [not x for x in value(body, word, names)]
        case ("#", guard, body):
            found = value(body, word, names)
            if guard is None:
                return [sum(map(bool, found[: i + 1])) for i in range(len(word))]
            back = int(guard.removeprefix("pred") or 1)
            return [int(i >= back and bool(found[i - back])) for i in range(len(word))]
        case ("*", factor, body):
            return [factor * x for x in value(body, word, names)]
        case ("if", then, test, other):
            parts = (value(part, word, names) for part in (then, test, other))
            return [x if holds else y for x, holds, y in zip(*parts, strict=True)]
        case (sign, left, right):
            pairs = zip(value(left, word, names), value(right, word, names), strict=True)
            if sign == "&&":
                return [x and y for x, y in pairs]
            if sign == "||":
                return [x or y for x, y in pairs]
            return [OPERATIONS[sign](x, y) for x, y in pairs]
    raise AssertionError(tree)
