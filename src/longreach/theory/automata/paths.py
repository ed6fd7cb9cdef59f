"""Breadth-first searches: the states of a product, and the shortest words between states."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Iterator
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from longreach.theory.automata.automaton import Automaton, Moves, Word

S = TypeVar("S", bound=Hashable)
L = TypeVar("L")


def explore(
    start: S, successors: Callable[[S], Iterable[S]], limit: int | None = None
) -> tuple[list[S], list[list[int]]] | None:
    """All states that are reached, nearest first, with the numbers of their successors; None beyond a limit.

    >>> explore(0, lambda state: [(state + 1) % 3, 0])
    ([0, 1, 2], [[1, 0], [2, 0], [0, 0]])
    """
    number = {start: 0}
    order = [start]
    rows: list[list[int]] = []
    for state in order:
        row = []
        for target in successors(state):
            if target not in number:
                if limit is not None and len(order) >= limit:
                    return None
                number[target] = len(order)
                order.append(target)
            row.append(number[target])
        rows.append(row)
    return order, rows


def reached(start: S, successors: Callable[[S], Iterable[S]]) -> list[S]:
    """All states that are reached, nearest first."""
    found = explore(start, successors)
    assert found is not None
    return found[0]


class Paths(Generic[S, L]):
    """Shortest words from a state, along moves that each have a letter.

    >>> steps = Paths(1, lambda n: [("+", n + 1), ("*", 2 * n)])
    >>> "".join(steps.first(lambda n: n == 10))
    '+*+*'
    """

    def __init__(self, start: S, moves: Callable[[S], Iterable[tuple[L, S]]]) -> None:
        self._start, self._moves = start, moves
        self._came: dict[S, tuple[S, L]] = {}

    def __iter__(self) -> Iterator[S]:
        """The states that are reached, nearest first."""
        self._came.clear()
        queue = [self._start]
        for state in queue:
            yield state
            for letter, target in self._moves(state):
                if target not in self._came and target != self._start:
                    self._came[target] = (state, letter)
                    queue.append(target)

    def to(self, state: S) -> tuple[L, ...]:
        """The word to a state that a search has met."""
        word: list[L] = []
        while state != self._start:
            state, letter = self._came[state]
            word.append(letter)
        return tuple(reversed(word))

    def first(self, wanted: Callable[[S], bool]) -> tuple[L, ...] | None:
        """The word to the nearest state of a kind; None where there is none."""
        found = next((state for state in self if wanted(state)), None)
        return None if found is None else self.to(found)


def moves_inside(
    automaton: Moves, inside: Collection[int] | None = None
) -> Callable[[int], Iterable[tuple[str, int]]]:
    """The moves of an automaton for a search, with their tokens; only to the given states."""

    def moves(state: int) -> Iterable[tuple[str, int]]:
        found = zip(automaton.alphabet, automaton.transitions[state], strict=True)
        return found if inside is None else ((token, to) for token, to in found if to in inside)

    return moves


def moves_of_pairs(automaton: Moves) -> Callable[[tuple[int, int]], Iterable[tuple[str, tuple[int, int]]]]:
    """The moves of two states at once."""

    def moves(pair: tuple[int, int]) -> Iterable[tuple[str, tuple[int, int]]]:
        rows = (automaton.transitions[state] for state in pair)
        return zip(automaton.alphabet, zip(*rows, strict=True), strict=True)

    return moves


def shortest_word(automaton: Moves, start: int, goal: int, inside: Collection[int] | None = None) -> Word:
    """A shortest word from one state to another, through the given states only."""
    allowed = None if inside is None else frozenset(inside)
    word = Paths(start, moves_inside(automaton, allowed)).first(lambda state: state == goal)
    if word is None:
        raise ValueError("no word leads there")
    return word


def distinguishing_word(automaton: Automaton, first: int, second: int) -> Word:
    """A shortest word accepted from exactly one of two different states.

    >>> distinguishing_word(from_expression("(aa)*"), 0, 1)
    ()
    """
    word = Paths((first, second), moves_of_pairs(automaton)).first(
        lambda pair: (pair[0] in automaton.accepting) != (pair[1] in automaton.accepting)
    )
    if word is None:
        raise ValueError("the two states are equivalent")
    return word
