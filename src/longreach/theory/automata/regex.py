"""From a regular expression to its minimal automaton, with errors that name the column and with budgets.

The syntax is that of automata-lib, whose errors carry no position and whose subset construction has no
bound. An expression becomes tokens, a nondeterministic automaton, and a deterministic one.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NoReturn

from longreach.errors import InputError
from longreach.theory.automata.automaton import Automaton, minimal
from longreach.theory.budget import DEFAULT_BUDGET, Budget, OverBudget
from longreach.theory.names import PROGRAM, REGEX
from longreach.wording import some

_REPETITION = re.compile(r"\{(\d*)(,?)(\d*)\}")
_CLASS = re.compile(r"\[(\^?)((?:\\.|[^\]\\])*)\]", re.DOTALL)
_DIGITS = frozenset("0123456789")
_LETTERS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_") | _DIGITS
_SHORTHAND = {"d": _DIGITS, "w": _LETTERS, "s": frozenset(" \t\n\r\f\v")}
_CONTROL = {"n": "\n", "t": "\t", "r": "\r", "v": "\v", "f": "\f"}
_NOTHING = -1  # the letter of a move that reads none


def from_expression(
    expression: str, alphabet: Sequence[str] | None = None, budget: Budget = DEFAULT_BUDGET
) -> Automaton:
    """The minimal automaton of an expression in automata-lib's syntax.

    Without an alphabet, the letters of the expression are the alphabet.

    >>> from_expression("(a|b)*b").transitions
    ((0, 1), (0, 1))
    >>> from_expression("(a|b", "ab")
    Traceback (most recent call last):
    longreach.errors.InputError: column 1: this bracket is never closed
    """
    if alphabet is not None:
        alphabet = _checked_alphabet(alphabet)
    tokens = _tokens(expression)
    _refuse_anchors(expression, tokens, alphabet or ())
    if alphabet is None:
        alphabet = letters_of(expression)
        if not alphabet:
            _nondeterministic(expression, tokens, ("a",), budget)  # a syntax error is reported first
            raise InputError(
                f"the expression {expression!r} has no letters; give its alphabet", source=expression
            )
    machine = _nondeterministic(expression, tokens, alphabet, budget)
    try:
        rows, accepting = _determinize(machine, len(alphabet), budget.running())
    except OverBudget as spent:
        raise InputError(f"the automaton of this expression is not built: {spent}") from None
    return minimal(alphabet, rows, 0, accepting)


def _refuse_anchors(expression: str, tokens: Sequence[_Token], alphabet: Sequence[str]) -> None:
    """Elsewhere `^` and `$` hold a match to the whole word; here `$` is a letter, and `^` an operator."""
    before = bool(tokens) and tokens[0].text == "^"
    behind = bool(tokens) and tokens[-1].text == "$" and "$" not in alphabet
    if before or behind:
        anchors = " and ".join(sign for sign, there in (("'^'", before), ("'$'", behind)) if there)
        letter = "" if before else ", or write '\\$' for the letter"
        column = tokens[0 if before else -1].column
        _fail(expression, column, f"expressions match whole words: remove {anchors}{letter}")


def letters_of(expression: str) -> tuple[str, ...]:
    """The letters that an expression names, in order.

    >>> letters_of("(b|a)*c?")
    ('a', 'b', 'c')
    """
    return tuple(sorted(set().union(*(token.letters for token in _tokens(expression)))))


def expression_hint(name: str) -> str:
    """A hint for an unknown name that looks like an expression or a program's file.

    >>> expression_hint("(aa)*"), expression_hint("aa")
    ("; for a regular expression write 'regex:(aa)*'", '')
    """
    if set(name) & set("()*+?|[]"):
        return f"; for a regular expression write {shlex.quote(REGEX + name)}"
    return f"; for a program write {shlex.quote(PROGRAM + name)}" if name.endswith(".cr") else ""


@dataclass(frozen=True)
class _Token:
    kind: str  # one of: letters, open, close, infix, repeat
    column: int
    text: str = ""
    letters: frozenset[str] = frozenset()
    negated: bool = False
    least: int = 0
    most: int | None = None


def _checked_alphabet(alphabet: Sequence[str]) -> tuple[str, ...]:
    letters = tuple(alphabet)
    if not letters:
        raise InputError("the alphabet is empty; a language needs at least one letter")
    for letter in letters:
        if len(letter) != 1:
            raise InputError(f"letter {letter!r} of the alphabet: expressions need single characters")
        if letters.count(letter) > 1:
            raise InputError(f"letter {letter!r} appears twice in the alphabet")
    return letters


def _fail(expression: str, column: int, message: str) -> NoReturn:
    raise InputError(f"column {column}: {message}", source=expression, column=column)


def _tokens(expression: str) -> list[_Token]:
    tokens: list[_Token] = []
    place = 0
    while place < len(expression):
        char, column = expression[place], place + 1
        width = 1
        if char in "()":
            if expression.startswith("(?", place):
                width = len("(?:")
                if not expression.startswith("(?:", place):
                    _fail(expression, column, "the only groups are (…) and (?:…)")
            tokens.append(_Token("open" if char == "(" else "close", column, char))
        elif char in "|&^":
            tokens.append(_Token("infix", column, char))
        elif char in "*+?":
            bounds: tuple[int, int | None] = {"*": (0, None), "+": (1, None), "?": (0, 1)}[char]
            tokens.append(_Token("repeat", column, char, least=bounds[0], most=bounds[1]))
        elif char == "{":
            match = _REPETITION.match(expression, place)
            if match is None or not (match[1] or match[3]):
                _fail(expression, column, "write a repetition as {2}, {2,5}, {2,} or {,5}")
            tokens.append(_repetition(expression, column, match))
            width = len(match[0])
        elif char == "[":
            match = _CLASS.match(expression, place)
            if match is None:
                _fail(expression, column, "this bracket is never closed")
            letters = _class_letters(expression, column + 1 + len(match[1]), match[2])
            tokens.append(_Token("letters", column, match[0], letters, negated=bool(match[1])))
            width = len(match[0])
        elif char in "]}":
            _fail(expression, column, f"unmatched {char!r}; write '\\{char}' for the letter")
        elif char == ".":
            tokens.append(_Token("letters", column, char, negated=True))
        elif char == "\\":
            letters, negated = _escaped(expression, place)
            tokens.append(_Token("letters", column, expression[place : place + 2], letters, negated))
            width = 2
        elif char.isspace():
            _fail(
                expression, column, "unexpected space; remove it, or write '\\' before it if it is a letter"
            )
        else:
            tokens.append(_Token("letters", column, char, frozenset(char)))
        place += width
    return tokens


def _repetition(expression: str, column: int, match: re.Match[str]) -> _Token:
    # More digits than this cannot be within any budget, and int() refuses very long numbers.
    if max(len(match[1]), len(match[3])) > 9:
        _fail(expression, column, "this repetition count is too large")
    least = int(match[1] or 0)
    most = least if not match[2] else int(match[3]) if match[3] else None
    if most is not None and most < least:
        _fail(expression, column, f"a repetition from {least} to {most} is empty")
    return _Token("repeat", column, match[0], least=least, most=most)


def _escaped(expression: str, place: int) -> tuple[frozenset[str], bool]:
    if place + 1 == len(expression):
        _fail(expression, place + 1, "a backslash at the end escapes nothing")
    char = expression[place + 1]
    if char.lower() in _SHORTHAND:
        return _SHORTHAND[char.lower()], char.isupper()
    return frozenset(_CONTROL.get(char, char)), False


def _class_letters(expression: str, column: int, content: str) -> frozenset[str]:
    if not content:
        _fail(expression, column, "this class of letters is empty")
    items: list[tuple[str, int, bool]] = []  # letter, column, and whether it was escaped
    letters: set[str] = set()
    place = 0
    while place < len(content):
        if content[place] == "\\":
            found, negated = _escaped(content, place)
            if negated:
                _fail(expression, column + place, "a negated shorthand cannot appear inside […]")
            if len(found) > 1:
                letters |= found
            else:
                items.append((next(iter(found)), column + place, True))
            place += 2
        else:
            items.append((content[place], column + place, False))
            place += 1
    index = 0
    while index < len(items):
        if index + 2 < len(items) and items[index + 1][::2] == ("-", False):
            first, last = items[index][0], items[index + 2][0]
            if ord(last) < ord(first):
                _fail(expression, items[index][1], f"the range {first}-{last} runs backwards")
            if ord(last) - ord(first) > 1000:
                _fail(expression, items[index][1], f"the range {first}-{last} has more than 1000 letters")
            letters |= {chr(code) for code in range(ord(first), ord(last) + 1)}
            index += 3
        else:
            letters.add(items[index][0])
            index += 1
    return frozenset(letters)


@dataclass
class _Nondeterministic:
    """An automaton under construction; what is added to it is copied, so that it can be added again."""

    moves: list[list[tuple[int, int]]]
    """By state: (letter, target)."""
    final: set[int]
    start: int = 0

    def include(self, other: _Nondeterministic) -> int:
        """Copy the states of another, unconnected; returns the number that was added to each."""
        shift = len(self.moves)
        self.moves += [[(letter, target + shift) for letter, target in row] for row in other.moves]
        return shift

    def follow(self, other: _Nondeterministic) -> int:
        """Words of this one followed by words of the other; returns where the copy of the other starts."""
        shift = self.include(other)
        for state in self.final:
            self.moves[state].append((_NOTHING, other.start + shift))
        self.final = {state + shift for state in other.final}
        return other.start + shift

    def join(self, other: _Nondeterministic) -> None:
        """Words of this one or of the other."""
        shift = self.include(other)
        self.final |= {state + shift for state in other.final}
        self.moves.append([(_NOTHING, self.start), (_NOTHING, other.start + shift)])
        self.start = len(self.moves) - 1

    def repeated(self, least: int, most: int | None) -> _Nondeterministic:
        found = _Nondeterministic([[]], {0})
        ends: set[int] = set()
        for copy in range(max(least, 1) if most is None else most):
            if copy >= least:
                ends |= found.final
            begin = found.follow(self)
        if most is None:
            for state in found.final:
                found.moves[state].append((_NOTHING, begin))
        found.final |= ends
        return found

    def closure(self, state: int) -> set[int]:
        """The states reached without reading a letter."""
        seen, stack = {state}, [state]
        while stack:
            for letter, target in self.moves[stack.pop()]:
                if letter == _NOTHING and target not in seen:
                    seen.add(target)
                    stack.append(target)
        return seen

    def reading(self) -> _Nondeterministic:
        """The same language with moves that read a letter only."""
        closures = [self.closure(state) for state in range(len(self.moves))]
        moves = [
            [(letter, target) for state in closure for letter, target in self.moves[state] if letter >= 0]
            for closure in closures
        ]
        final = {state for state, closure in enumerate(closures) if closure & self.final}
        return _Nondeterministic(moves, final, self.start)

    def product(self, other: _Nondeterministic, *, shuffle: bool) -> _Nondeterministic:
        """Words of both; or, with `shuffle`, a word of each with their letters interleaved."""
        left, right = self.reading(), other.reading()
        pairs = [(left.start, right.start)]
        number = {pairs[0]: 0}
        found = _Nondeterministic([], set())
        for p, q in pairs:
            if shuffle:
                steps = [(a, (t, q)) for a, t in left.moves[p]] + [(a, (p, t)) for a, t in right.moves[q]]
            else:
                steps = [(a, (t, u)) for a, t in left.moves[p] for b, u in right.moves[q] if a == b]
            for _, pair in steps:
                if pair not in number:
                    number[pair] = len(pairs)
                    pairs.append(pair)
            if p in left.final and q in right.final:
                found.final.add(len(found.moves))
            found.moves.append([(letter, number[pair]) for letter, pair in dict.fromkeys(steps)])
        return found


@dataclass
class _Frame:
    """What has been read since a bracket: what stands before the last operator, and the terms behind it.

    Sizes are estimates of the number of states, made before anything is built.
    """

    column: int
    before: _Nondeterministic | None = None
    size: int = 0
    operator: str = ""
    terms: list[tuple[_Nondeterministic, int]] = field(default_factory=list)

    def grown(self) -> int:
        """The size with its terms."""
        size = sum(part for _, part in self.terms)
        return self.size * size if self.operator in ("&", "^") else self.size + size + 1

    def close_choice(self) -> None:
        """Join the terms, and what they make to what stands before them."""
        self.size = self.grown()
        behind = _Nondeterministic([[]], {0})
        for term, _ in self.terms:
            behind.follow(term)
        if self.before is None:
            self.before = behind
        elif self.operator == "|":
            self.before.join(behind)
        else:
            self.before = self.before.product(behind, shuffle=self.operator == "^")
        self.terms = []


def _nondeterministic(
    expression: str, tokens: list[_Token], alphabet: tuple[str, ...], budget: Budget
) -> _Nondeterministic:
    """The automaton of the expression; checks brackets, operators and size."""
    number = {letter: index for index, letter in enumerate(alphabet)}
    frames = [_Frame(0)]
    work = 0

    def spend(size: int, column: int) -> None:
        nonlocal work
        work += size
        if work > 4 * budget.expression or size > budget.expression:
            _fail(
                expression, column, f"the expression is too large here (budget: {budget.expression} states)"
            )

    for token in tokens:
        frame = frames[-1]
        if token.kind == "letters":
            letters = _meaning(expression, token, alphabet)
            frame.terms.append((_Nondeterministic([[(number[each], 1) for each in letters], []], {1}), 2))
        elif token.kind == "open":
            frames.append(_Frame(token.column))
        elif token.kind == "close":
            if len(frames) == 1:
                _fail(expression, token.column, "unmatched closing bracket")
            if not frame.terms and frame.operator:
                _fail(expression, token.column, f"nothing between {frame.operator!r} and this bracket")
            spend(frame.grown(), token.column)
            frame.close_choice()
            frames.pop()
            assert frame.before is not None
            frames[-1].terms.append((frame.before, frame.size))
        elif token.kind == "infix":
            if not frame.terms:
                _fail(expression, token.column, f"nothing before {token.text!r}")
            spend(frame.grown(), token.column)
            frame.close_choice()
            frame.operator = token.text
        else:
            if not frame.terms:
                _fail(expression, token.column, f"nothing to repeat before {token.text!r}")
            term, size = frame.terms.pop()
            size = 1 + size * max(1, token.least if token.most is None else token.most)
            spend(size, token.column)
            frame.terms.append((term.repeated(token.least, token.most), size))
    (frame, *inner) = frames
    if inner:
        _fail(expression, inner[-1].column, "this bracket is never closed")
    if not frame.terms and frame.operator:
        _fail(expression, len(expression), f"nothing after {frame.operator!r}")
    spend(frame.grown(), 1)
    frame.close_choice()
    assert frame.before is not None
    return frame.before


def _meaning(expression: str, token: _Token, alphabet: tuple[str, ...]) -> list[str]:
    if token.negated:
        return [letter for letter in alphabet if letter not in token.letters]
    inside = [letter for letter in alphabet if letter in token.letters]
    outside = sorted(token.letters - set(alphabet))
    # A shorthand such as \d means those of its letters that the alphabet has.
    if outside and not (token.text[0] == "\\" and len(token.letters) > 1 and inside):
        _fail(expression, token.column, f"symbol {outside[0]!r} is not in the alphabet {some(alphabet, 40)}")
    return inside


def _determinize(
    machine: _Nondeterministic, letters: int, budget: Budget
) -> tuple[list[list[int]], list[int]]:
    """The subset construction, stopped at the budget."""
    spent = 0

    def spend(steps: int) -> None:
        nonlocal spent
        spent += steps
        if spent > budget.determinization:
            raise InputError(
                f"the automaton of this expression is too large (budget: {budget.determinization} steps)"
            )

    closures: dict[int, frozenset[int]] = {}

    def closure(state: int) -> frozenset[int]:
        if state not in closures:
            seen = machine.closure(state)
            spend(len(seen))
            # States that only pass on without reading a letter carry no information.
            closures[state] = frozenset(
                q for q in seen if q in machine.final or any(a != _NOTHING for a, _ in machine.moves[q])
            )
        return closures[state]

    start = closure(machine.start)
    number = {start: 0}
    subsets = [start]
    rows: list[list[int]] = []
    for subset in subsets:
        spend(letters)
        budget.check()
        targets: list[set[int]] = [set() for _ in range(letters)]
        for state in subset:
            for letter, target in machine.moves[state]:
                if letter != _NOTHING:
                    into = closure(target)
                    spend(len(into) + 1)
                    targets[letter] |= into
        row = []
        for members in targets:
            reached = frozenset(members)
            if reached not in number:
                if len(subsets) >= budget.states:
                    raise InputError(
                        f"the automaton of this expression has more than {budget.states} states (budget)"
                    )
                number[reached] = len(subsets)
                subsets.append(reached)
            row.append(number[reached])
        rows.append(row)
    return rows, [index for index, subset in enumerate(subsets) if subset & machine.final]
