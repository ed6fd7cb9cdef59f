"""Tests of own functions: as many inputs of each answer as can be found, and whether any word is an input."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from itertools import pairwise
from typing import Literal, TypeAlias, TypeVar

Example = TypeVar("Example")

REJECTED = 8
"""Further draws for each test input, at most."""
MOST_ANSWERS = 16
"""More different answers are not balanced: every one of them is rare."""
PROBED = 300
"""Words that are drawn to see how a function draws."""
EXPECTED, APART = 12, 0.35
"""How often something must be expected for its absence to say something; how unlike uniform draws are."""

Drawing: TypeAlias = Literal["uniform", "free", "formed"]
"""Words drawn uniformly; any words, some more often than others; only words of some form."""


def balanced(
    lengths: Sequence[int],
    draw: Callable[[int], Example],
    answer_of: Callable[[Example], Hashable],
) -> list[Example]:
    """An example of each length; at each length all answers about as often, as far as draws find them.

    >>> numbers = iter(range(1000))
    >>> found = balanced([5] * 8, lambda length: next(numbers), lambda number: number % 10 == 9)
    >>> sum(number % 10 == 9 for number in found)
    4
    """
    found = [draw(length) for length in lengths]
    seen = {answer_of(each) for each in found}
    rows: dict[int, list[int]] = {}
    for row, length in enumerate(lengths):
        rows.setdefault(length, []).append(row)
    for length, own in rows.items():
        counts = Counter(answer_of(found[row]) for row in own)
        for _ in range(REJECTED * len(own)):
            most = -(-len(own) // max(2, len(seen)))
            spare = next((row for row in own if counts[answer_of(found[row])] > most), None)
            if spare is None or len(seen) > MOST_ANSWERS:
                break
            other = draw(length)
            answer = answer_of(other)
            seen.add(answer)
            if counts[answer] < most:
                counts[answer_of(found[spare])] -= 1
                counts[answer] += 1
                found[spare] = other
    return found


def drawing_of(words: Sequence[Sequence[str]]) -> Drawing:
    """How words of one length were drawn, by letters at each place and by neighbours.

    >>> from random import Random
    >>> random = Random(0)
    >>> drawing_of([random.choices("ab", k=12) for _ in range(300)])
    'uniform'
    >>> drawing_of([random.choices("ab", [9, 1], k=12) for _ in range(300)])
    'free'
    >>> drawing_of([["k", random.choice("01")] * 6 for _ in range(300)])
    'formed'
    """
    letters = Counter(letter for word in words for letter in word)
    total = letters.total()
    shares = {letter: count / total for letter, count in letters.items()}
    pairs = Counter(pair for word in words for pair in pairwise(word))
    places = [Counter(place) for place in zip(*words, strict=True)]
    for letter, share in shares.items():
        if share * len(words) >= EXPECTED and any(letter not in place for place in places):
            return "formed"
    for one, share in shares.items():
        for other, also in shares.items():
            if share * also * pairs.total() >= EXPECTED and (one, other) not in pairs:
                return "formed"
    unlike = max(abs(share * len(shares) - 1) for share in shares.values())
    return "free" if unlike > APART else "uniform"
