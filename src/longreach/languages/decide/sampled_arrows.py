"""The quick search for a "no" with local and periodic relations: few object words, few arrows, no monoid."""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice, product

import numpy as np

from longreach.languages.budget import DEFAULT_BUDGET, Budget
from longreach.languages.decide.arrows import Arrow, Failure, find_failure
from longreach.languages.regular.automaton import Automaton

_LONGEST_OBJECT = 64
_RANDOM_ARROWS = 16
_MOST_GOALS = 64

Letters = tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Sample:
    """A failure together with the words of its objects and arrows, letters by their place in the alphabet."""

    block: int
    """The length of every object word; it divides the length of every arrow word."""
    objects: tuple[Letters, ...]
    words: tuple[Letters, ...]
    """The word of each arrow of the failure."""
    failure: Failure


def sampled_failure(automaton: Automaton, tries: int, budget: Budget = DEFAULT_BUDGET) -> Sample | None:
    """A proof that no program with local and periodic relations exists, if a short search finds one.

    >>> from longreach.languages.regular.expression_to_automaton import from_expression
    >>> sampled_failure(from_expression("b*(ab*ab*)*"), 10).block
    2
    >>> sampled_failure(from_expression("(aa)*"), 10) is None
    True
    """
    # A fixed seed: the same language always gets the same certificate.
    chance = random.Random(0)
    found: list[Letters] = []
    for letters in islice(_candidates(len(automaton.alphabet)), tries):
        word = _idempotent_power(automaton, letters)
        if word is None or _map(automaton, word) in {_map(automaton, other) for other in found}:
            continue
        found.append(word)
        sample = _try(automaton, [word], chance, budget)
        if sample is not None:
            return sample
    for size in (2, 3):
        together = [w for w in found if len(_fixed(automaton, w)) > 1][:size]
        if len(together) == size:
            sample = _try(automaton, together, chance, budget)
            if sample is not None:
                return sample
    return None


def _candidates(letters: int) -> Iterator[Letters]:
    for length in range(1, 6):
        for word in product(range(letters), repeat=length):
            # A power of a shorter word gives the same idempotent.
            if not any(length % d == 0 and word == word[:d] * (length // d) for d in range(1, length)):
                yield word


def _map(automaton: Automaton, word: Letters) -> tuple[int, ...]:
    images = np.arange(len(automaton))
    for letter in word:
        images = automaton.table[images, letter]
    return tuple(images.tolist())


def _idempotent_power(automaton: Automaton, word: Letters) -> Letters | None:
    step = _map(automaton, word)
    images = step
    for power in range(1, _LONGEST_OBJECT // len(word) + 1):
        if all(images[images[q]] == images[q] for q in range(len(automaton))):
            return word * power
        images = tuple(step[q] for q in images)
    return None


def _fixed(automaton: Automaton, word: Letters) -> list[int]:
    return [q for q, image in enumerate(_map(automaton, word)) if image == q]


def _try(
    automaton: Automaton, objects: list[Letters], chance: random.Random, budget: Budget
) -> Sample | None:
    budget.check()
    block = max(len(word) for word in objects)
    if any(block % len(word) for word in objects):
        return None
    objects = [word * (block // len(word)) for word in objects]
    fixed = [_fixed(automaton, word) for word in objects]
    if max(map(len, fixed)) < 2:
        return None
    actions = [_map(automaton, word) for word in objects]
    words = _arrow_words(automaton, fixed, block, chance)
    arrows: list[Arrow] = []
    seen: set[tuple[int, int, tuple[int, ...]]] = set()
    for name, word in enumerate(words):
        action = _map(automaton, word)
        for source, states in enumerate(fixed):
            for target, end in enumerate(actions):
                images = tuple(end[action[q]] for q in states)
                if (source, target, images) not in seen:
                    seen.add((source, target, images))
                    arrows.append(Arrow(source, target, images, name))
    failure = find_failure(fixed, arrows, budget)
    if failure is None:
        return None
    return Sample(block, tuple(objects), tuple(words[arrow.name] for arrow in failure.arrows), failure)


def _arrow_words(
    automaton: Automaton, fixed: list[list[int]], block: int, chance: random.Random
) -> list[Letters]:
    """Words whose length is a multiple of the block: shortest ways between fixed states, and random ones."""
    letters = range(len(automaton.alphabet))
    if len(letters) ** block <= _RANDOM_ARROWS:
        words = [tuple(word) for word in product(letters, repeat=block)]
    else:
        words = [tuple(chance.choices(letters, k=block)) for _ in range(_RANDOM_ARROWS)]
    states = sorted({q for group in fixed for q in group})
    for start in states[:8]:
        words += _ways(automaton, start, set(states), block)
    return list(dict.fromkeys(words))


def _ways(automaton: Automaton, start: int, goals: set[int], block: int) -> list[Letters]:
    """Shortest nonempty words from the start to each goal with a length divisible by the block."""
    came: dict[tuple[int, int], tuple[tuple[int, int] | None, int]] = {}
    root = (start, 0)
    steps: deque[tuple[int, int] | None] = deque([None])
    while steps:
        here = steps.popleft()
        state, phase = root if here is None else here
        for letter, target in enumerate(automaton.transitions[state]):
            there = (target, (phase + 1) % block)
            if there not in came:
                came[there] = (here, letter)
                steps.append(there)
    words = []
    for goal in sorted(goals)[:_MOST_GOALS]:
        step: tuple[int, int] | None = (goal, 0)
        if step not in came:
            continue
        word: list[int] = []
        while step is not None:
            step, letter = came[step]
            word.append(letter)
        words.append(tuple(reversed(word)))
    return words
