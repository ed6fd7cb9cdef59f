"""Which training length to try next, and with how many seeds: it doubles, then bisects.

Nothing here trains: what is known goes in, what to find out comes out. So a sweep that was ended goes on
where it was, because it asks the same questions again and finds the first answers there.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Protocol


class Strategy(Protocol):
    """What decides which training lengths are measured."""

    @property
    def words(self) -> str:
        """Which lengths, in a few words."""
        ...

    def next_lengths(self, known: Mapping[int, bool], hopeless: Collection[int] = ()) -> tuple[int, ...]:
        """The lengths to measure next, given which lengths work; none at the end."""
        ...


@dataclass(frozen=True, kw_only=True)
class Doubling:
    """Doubles until runs work at a length and at its double, then bisects between what fails and what works.

    Where the first length works already it halves instead. It gives up where no run is good on its own
    training lengths: longer ones are harder to learn in the same steps.

    >>> rule, known = Doubling(first=5, least=1, most=60), {}
    >>> while lengths := rule.next_lengths(known):
    ...     known |= {length: length >= 17 for length in lengths}
    >>> list(known), start_of(known)
    ([5, 10, 20, 40, 15, 17, 16], 17)
    """

    first: int
    least: int
    most: int
    within: int = 1
    """How near the answer has to be: with 1 it is exact, as far as outcomes are monotone."""
    twice: bool = True
    """Whether a length counts only when runs work at its double, or the longest, as well."""

    @property
    def words(self) -> str:
        """Where it searches."""
        return f"doubling from {self._first}, then bisecting, between {self.least} and {self.most}"

    @property
    def _first(self) -> int:
        return min(max(self.first, self.least), self.most)

    def next_lengths(self, known: Mapping[int, bool], hopeless: Collection[int] = ()) -> tuple[int, ...]:
        """One length at a time."""
        found = self._next(known, hopeless)
        return () if found is None else (found,)

    def _next(self, known: Mapping[int, bool], hopeless: Collection[int]) -> int | None:
        if not known:
            return self._first
        start, longest = start_of(known), max(known)
        if start is None:
            return None if longest in hopeless else self._double(longest, longest)
        if self.twice and longest < 2 * start and (longer := self._double(start, longest)) is not None:
            return longer
        below = [length for length in known if length < start]
        if not below:
            return max(self.least, start // 2) if start > self.least else None
        return (max(below) + start) // 2 if start - max(below) > self.within else None

    def _double(self, length: int, longest: int) -> int | None:
        return None if longest >= self.most else min(2 * length, self.most)


@dataclass(frozen=True, kw_only=True)
class Grid:
    """These lengths, all at once.

    >>> Grid(lengths=(5, 10)).next_lengths({}), Grid(lengths=(5, 10)).next_lengths({5: True, 10: True})
    ((5, 10), ())
    """

    lengths: tuple[int, ...]

    @property
    def words(self) -> str:
        """The lengths."""
        return ", ".join(map(str, self.lengths))

    def next_lengths(self, known: Mapping[int, bool], hopeless: Collection[int] = ()) -> tuple[int, ...]:
        """All that are not known."""
        return tuple(length for length in self.lengths if length not in known)


def start_of(known: Mapping[int, bool]) -> int | None:
    """The least length from which on every one that was measured works; None if the longest does not.

    >>> start_of({5: True, 10: False, 20: True, 40: True}), start_of({5: True, 10: False})
    (20, None)
    """
    found = None
    for length in sorted(known, reverse=True):
        if not known[length]:
            break
        found = length
    return found


def decided(work: int, fail: int, seeds: int) -> bool | None:
    """Whether at least half of so many seeds work, once the others cannot change it; None before.

    >>> decided(2, 0, 3), decided(0, 2, 3), decided(1, 1, 3), decided(1, 1, 2)
    (True, False, None, True)
    """
    if 2 * work >= seeds:
        return True
    return False if 2 * fail > seeds else None


def more_seeds(work: int, fail: int, seeds: int) -> int:
    """The fewest further runs that may decide it: no other is trained.

    >>> more_seeds(0, 0, 3), more_seeds(1, 1, 3), more_seeds(2, 0, 3)
    (2, 1, 0)
    """
    if decided(work, fail, seeds) is not None:
        return 0
    return min(-(-seeds // 2) - work, seeds // 2 + 1 - fail)
