"""A small automaton for examples some of which have a wrong label.

One wrong label is enough to mislead what folds examples exactly. So automata are fitted to many small
choices of short examples, some of which hold no wrong label if few labels are wrong, and the one that is
right on most of all examples is taken (Fischler and Bolles, 1981).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from longreach.theory.automata.automaton import LabelledAutomaton, Word
from longreach.theory.automata.learn import NotLearned, fit_automaton
from longreach.theory.budget import Budget

SIZES, TRIALS = (20, 30, 45), 90
"""Examples of a choice, and how many choices there are."""
STATES = 8
AMONG = 4
"""A choice is made among the shortest examples, this many times as many as it has."""
BETTER = 0.01
"""The share of examples by which a larger automaton must be better."""


@dataclass(frozen=True, kw_only=True)
class NoisyAutomaton:
    machine: LabelledAutomaton
    examples: int
    against: int
    """How many examples have another label than it gives."""


def fit_noisy_automaton(
    examples: Mapping[Word, str], alphabet: Sequence[str], *, budget: Budget
) -> NoisyAutomaton | None:
    """The automaton that agrees with most examples, of those fitted to a few.

    >>> from itertools import product
    >>> words = [word for n in range(9) for word in product("ab", repeat=n)]
    >>> said = {word: str((word.count("a") + (k % 40 == 7)) % 2) for k, word in enumerate(words)}
    >>> found = fit_noisy_automaton(said, "ab", budget=Budget(seconds=5.0))
    >>> len(found.machine), found.against, found.examples
    (2, 13, 511)
    """
    budget = budget.running()
    order = sorted(examples, key=lambda word: (len(word), word))
    rng = np.random.default_rng(0)
    best: NoisyAutomaton | None = None
    for number in range(TRIALS):
        if budget.left < 0:
            break
        size = min(SIZES[number % len(SIZES)], len(order))
        among = order[: AMONG * size]
        chosen = {among[k]: examples[among[k]] for k in rng.choice(len(among), size, replace=False)}
        if len(set(chosen.values())) < 2:
            continue
        fitted = fit_automaton(chosen, alphabet, states=STATES, budget=budget)
        if isinstance(fitted, NotLearned):
            continue
        allowed = len(order) if best is None else best.against
        wrong = _wrong(fitted.machine, examples, order, allowed + 1)
        if best is None or _is_better(fitted.machine, wrong, best):
            best = NoisyAutomaton(machine=fitted.machine, examples=len(order), against=wrong)
    return best


def _wrong(machine: LabelledAutomaton, examples: Mapping[Word, str], order: list[Word], most: int) -> int:
    """How many examples have another label; counting ends at `most`."""
    wrong = 0
    for word in order:
        wrong += machine.class_of(word) != examples[word]
        if wrong >= most:
            break
    return wrong


def _is_better(machine: LabelledAutomaton, wrong: int, best: NoisyAutomaton) -> bool:
    if len(machine) > len(best.machine):
        return wrong < best.against - BETTER * best.examples
    return wrong < best.against or (wrong == best.against and len(machine) < len(best.machine))
