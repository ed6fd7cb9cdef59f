"""Summaries: the little that is kept of a prefix, and the automaton that carries it along."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from longreach.errors import InputError
from longreach.languages.budget import OverBudget
from longreach.languages.profile.word_measure import IntArray, WordMeasure

WINDOWS = range(1, 17)
MODULI = range(2, 9)
CLIPS = range(1, 9)


@dataclass(frozen=True, kw_only=True)
class Summary:
    """What is kept of a prefix; by default nothing.

    A prefix shorter than the window is seen whole, and that it is so: the window shows the start.

    >>> Summary(window=2, modulus=3).value("abbab"), Summary(window=2).value("a")
    (((), 2, False, ('a', 'b')), ((), 0, True, ('a',)))
    >>> Summary(clip=2).value("bbab")
    ((('a', 1), ('b', 2)), 0, False, ())
    >>> str(Summary(window=2, modulus=3))
    'last 2 letters, position modulo 3'
    """

    window: int = 0
    """How many of the last letters are seen."""
    modulus: int = 1
    """The number of letters read is known modulo this."""
    clip: int = 0
    """The count of each letter is known up to this, from where on it reads "at least"."""

    def __post_init__(self) -> None:
        for name, least in (("window", 0), ("modulus", 1), ("clip", 0)):
            if getattr(self, name) < least:
                raise InputError(f"the {name} of a summary is at least {least}, not {getattr(self, name)}")

    def value(self, prefix: Sequence[str]) -> tuple[tuple[tuple[str, int], ...], int, bool, tuple[str, ...]]:
        """Of one prefix: clipped counts, residue of the length, whether the start is seen, and the window."""
        counts = {letter: min(prefix.count(letter), self.clip) for letter in sorted(set(prefix))}
        start = len(prefix) - self.window
        clipped = tuple(counts.items()) if self.clip else ()
        return clipped, len(prefix) % self.modulus, start < 0, tuple(prefix[max(start, 0) :])

    def __str__(self) -> str:
        parts = []
        if self.window:
            parts.append("last letter" if self.window == 1 else f"last {self.window} letters")
        if self.modulus > 1:
            parts.append(f"position modulo {self.modulus}")
        if self.clip:
            parts.append(f"letter counts up to {self.clip}")
        return ", ".join(parts) or "nothing"


def summaries(
    windows: Iterable[int] = WINDOWS, moduli: Iterable[int] = MODULI, clips: Iterable[int] = CLIPS
) -> tuple[Summary, ...]:
    """The family: windows, positions modulo m, clipped counts, and windows with positions modulo m.

    >>> [str(each) for each in summaries([1], [2], [3])]
    ['last letter', 'position modulo 2', 'letter counts up to 3', 'last letter, position modulo 2']
    """
    windows, moduli = list(windows), list(moduli)
    return (
        *(Summary(window=k) for k in windows),
        *(Summary(modulus=m) for m in moduli),
        *(Summary(clip=c) for c in clips),
        *(Summary(window=k, modulus=m) for m in moduli for k in windows),
    )


@dataclass(frozen=True, eq=False, kw_only=True)
class Carried:
    """Live states together with residue and clipped counts, as far as prefixes reach them; first the start.

    The window is not among them: `determinacy` follows what it says instead of its letters.
    """

    states: IntArray
    """The live state of each pair."""
    values: IntArray
    """The number of its residue and counts."""
    targets: IntArray
    """Where each letter leads, of shape (pairs, letters); -1: to no live state."""
    depth: IntArray
    """The length of the shortest prefix that leads there."""


def carried(words: WordMeasure, summary: Summary, most: int) -> Carried:
    """The pairs of live states and what the summary keeps beside its window.

    >>> from longreach.languages.regular.expression_to_automaton import from_expression
    >>> found = carried(WordMeasure(from_expression("(ab)*")), Summary(modulus=4), 100)
    >>> found.states.tolist(), found.values.tolist(), found.depth.tolist()
    ([0, 1, 0, 1], [0, 1, 2, 3], [0, 1, 2, 3])
    """
    rows = words.targets.tolist()
    start = (0, 0, (0,) * len(words.automaton.alphabet))
    depth = {start: 0}
    queue = [start]
    moves: list[list[int]] = []
    number = {start: 0}
    for here in queue:
        state, residue, counts = here
        moves.append([])
        for letter, target in enumerate(rows[state]):
            if target < 0:
                moves[-1].append(-1)
                continue
            more = list(counts)
            more[letter] = min(more[letter] + 1, summary.clip)
            there = (target, (residue + 1) % summary.modulus, tuple(more))
            if there not in number:
                if len(number) == most:
                    raise OverBudget(f"{summary}: more than the budget of {most} states with their summaries")
                number[there] = len(number)
                depth[there] = depth[here] + 1
                queue.append(there)
            moves[-1].append(number[there])
    values: dict[tuple[int, tuple[int, ...]], int] = {}
    return Carried(
        states=np.array([state for state, _, _ in queue], dtype=np.int64),
        values=np.array([values.setdefault(each[1:], len(values)) for each in queue], dtype=np.int64),
        targets=np.array(moves, dtype=np.int64),
        depth=np.array([depth[each] for each in queue], dtype=np.int64),
    )
