"""In which order an input can be read, step by step: alignments of its symbols with the steps of an answer.

A column holds what one step reads: one symbol of the input, or one digit of each operand, counted from the
same end. Symbols that stand in no column are separators, or are not needed at all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise, zip_longest
from typing import TypeAlias

from longreach.theory.automata.automaton import Word
from longreach.wording import listed

Column: TypeAlias = tuple[int | None, ...]
"""Places of an input; None where an operand has no digit left."""
NOTHING = "□"
"""What is read there."""
MOST_OPERANDS = 3
"""That are read side by side."""


@dataclass(frozen=True)
class Alignment:
    """Maps inputs to columns and columns back to inputs.

    >>> backwards = ORDERS["backwards"]
    >>> backwards.columns("abc"), backwards.letters("abc"), backwards.word(["c", "b", "a"])
    ([(2,), (1,), (0,)], ['c', 'b', 'a'], ('a', 'b', 'c'))
    """

    name: str
    words: str
    """Behind "the input, read"; of operands what is read."""
    columns: Callable[[Sequence[str]], list[Column] | None]
    """None: the input is not of this form."""
    word: Callable[[Sequence[str]], Word | None]
    """The input whose columns have these letters; None: there is none."""
    moves: bool = True
    """Whether symbols that stand in no column are beside the point, and not separators."""
    pairs: bool = False
    """Whether a column has a digit of each operand."""

    def letters(self, x: Sequence[str]) -> list[str] | None:
        """What each step reads, as the letter of an automaton."""
        found = self.columns(x)
        if found is None:
            return None
        return [" ".join(NOTHING if place is None else x[place] for place in column) for column in found]


# Orders of all places or of some


def _order(name: str, words: str, places: Callable[[int], Iterable[int]]) -> Alignment:
    def columns(x: Sequence[str]) -> list[Column]:
        return [(place,) for place in places(len(x))]

    def word(letters: Sequence[str]) -> Word | None:
        size = next((n for n in range(len(letters), 3 * len(letters) + 4) if _count(n) == len(letters)), None)
        if size is None:
            return None
        found = [letters[0] if letters else ""] * size
        for letter, place in zip(letters, places(size), strict=True):
            found[place] = letter
        return None if size and not letters else tuple(found)

    def _count(size: int) -> int:
        return len(list(places(size)))

    return Alignment(name, words, columns, word)


def _zigzag(n: int) -> list[int]:
    return [place for both in zip_longest(range((n + 1) // 2), range(n - 1, (n - 1) // 2, -1))
            for place in both if place is not None]  # fmt: skip


def _riffled(n: int, half: int) -> list[int]:
    both = zip_longest(range(half), range(half, n))
    return [place for pair in both for place in pair if place is not None]


def _rotated(n: int, step: int) -> list[int]:
    return [(place + step) % n for place in range(n)]


def _blocks(n: int, size: int) -> list[int]:
    return sorted(range(n), key=lambda place: (place // size, -place))


def _halves(n: int, first: int) -> list[int]:
    return [*range(first, n), *range(first)]


def _parted(n: int, first: int) -> list[int]:
    return [*range(first, n, 2), *range(1 - first, n, 2)]


def _every(n: int, start: int, step: int) -> range:
    return range(start, n, step)


def _part(n: int, begin: int, end: int) -> range:
    return range(min(begin, n), max(0, n - end))


def _orders() -> list[Alignment]:
    """The simplest first."""
    found = [
        _order("forwards", "from the first symbol to the last", range),
        _order("backwards", "from the last symbol to the first", lambda n: range(n - 1, -1, -1)),
    ]
    for step in (1, 2, 3):
        many = "the first symbol" if step == 1 else f"the first {step} symbols"
        last = many.replace("first", "last")
        found += [
            _order(f"rotated by {step}", f"with {many} at the end", partial(_rotated, step=step)),
            _order(f"rotated by -{step}", f"with {last} at the beginning", partial(_rotated, step=-step)),
        ]
    for size in (2, 3, 4):
        words = f"in blocks of {size} symbols, each from its end"
        found.append(_order(f"blocks of {size}", words, partial(_blocks, size=size)))
    turned, parted = "the second half before the first", "every second symbol first, then the others"
    found += [
        _order("halves", turned, lambda n: _halves(n, (n + 1) // 2)),
        _order("halves, the middle in the second", turned, lambda n: _halves(n, n // 2)),
        _order("zigzag", "from both ends in turns", _zigzag),
        _order("riffle", "from both halves in turns", lambda n: _riffled(n, (n + 1) // 2)),
        _order("parted", parted, partial(_parted, first=0)),
        _order("parted, the second first", parted, partial(_parted, first=1)),
        _order("first half", "only in its first half", lambda n: range((n + 1) // 2)),
        _order("first half without the middle", "only in its first half", lambda n: range(n // 2)),
        _order("second half", "only in its second half", lambda n: range(n // 2, n)),
        _order("second half without the middle", "only in its second half", lambda n: range((n + 1) // 2, n)),
    ]
    for step, nth in ((2, "second"), (3, "third")):
        for start in range(step):
            words = f"only at every {nth} symbol"
            found.append(
                _order(f"every {nth} from {start + 1}", words, partial(_every, start=start, step=step))
            )
    for step in (1, 2, 3):
        many = "symbol" if step == 1 else f"{step} symbols"
        for name, begin, end in ((f"first {step}", step, 0), (f"last {step}", 0, step)):
            words = f"without the {name.split()[0]} {many}"
            found.append(_order(f"without the {name}", words, partial(_part, begin=begin, end=end)))
    return found


ORDERS = {each.name: each for each in _orders()}
"""The simplest first."""


def kept(dropped: frozenset[str]) -> Alignment:
    """All symbols but some, in their order.

    >>> kept(frozenset("a")).letters("banana")
    ['b', 'n', 'n']
    """

    def columns(x: Sequence[str]) -> list[Column]:
        return [(place,) for place, symbol in enumerate(x) if symbol not in dropped]

    return Alignment("kept", f"without {listed(sorted(dropped))}", columns, tuple)


# Operands between separators


def separators(inputs: Iterable[Sequence[str]]) -> tuple[str, ...]:
    """Symbols that every input has exactly once, always in one order.

    >>> separators([tuple("1+10="), tuple("01+1="), tuple("1+1=")])
    ('+', '=')
    """
    words = list(inputs)
    known = [symbol for symbol in words[0] if all(x.count(symbol) == 1 for x in words)] if words else []
    same = all([symbol for symbol in x if symbol in known] == known for x in words)
    return tuple(known) if same else ()


def operands(between: tuple[str, ...], *, behind: bool, from_end: bool, in_turns: bool) -> Alignment:
    """Columns of the digits of several operands, or these digits one after the other; `behind` says whether
    an operand stands behind the last separator.

    >>> sums = operands(("+", "="), behind=False, from_end=True, in_turns=False)
    >>> sums.letters("10+1="), sums.word(["0 1", "1 □"])
    (['0 1', '1 □'], ('1', '0', '+', '1', '='))
    """
    many = len(between) + behind

    def columns(x: Sequence[str]) -> list[Column] | None:
        cuts = [place for place, symbol in enumerate(x) if symbol in between]
        if [x[place] for place in cuts] != list(between) or (not behind and cuts[-1] != len(x) - 1):
            return None
        edges = [-1, *cuts, *([len(x)] if behind else [])]
        parts = [list(range(first + 1, last)) for first, last in pairwise(edges)]
        made: list[Column] = list(zip_longest(*(part[::-1] if from_end else part for part in parts)))
        return [(place,) for column in made for place in column] if in_turns else made

    def word(letters: Sequence[str]) -> Word | None:
        turns = [list(letters[first : first + many]) for first in range(0, len(letters), many)]
        read = turns if in_turns else [letter.split(" ") for letter in letters]
        if any(len(each) != many or {*each} == {NOTHING} for each in read):
            return None
        found: list[str] = []
        for number in range(many):
            row = [each[number] for each in read]
            digits = [digit for digit in row if digit != NOTHING]
            if row[: len(digits)] != digits:
                return None  # a digit behind nothing
            found += digits[::-1] if from_end else digits
            found += between[number : number + 1]
        return tuple(found)

    first = "the last" if from_end else "the first"
    how = "one after the other" if in_turns else "side by side"
    words = f"a digit of each operand {how}" if many > 1 else "digit by digit"
    name = f"operands in {'turns' if in_turns else 'columns'}, from the {'end' if from_end else 'beginning'}"
    return Alignment(name, f"{words}, from {first} on", columns, word, moves=False, pairs=not in_turns)
