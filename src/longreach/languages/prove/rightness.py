"""Is a program right for an automaton's language: proved for all lengths, refuted by a word, or neither?"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from longreach.crasp.core import Core
from longreach.crasp.equal import ProgramSide, Side, compare, within_length
from longreach.crasp.evaluate import Kernel, State
from longreach.crasp.simplify import simplify
from longreach.errors import MissingExtra
from longreach.languages.budget import DEFAULT_BUDGET, Budget
from longreach.languages.prove.automaton_side import automaton_side
from longreach.languages.prove.induction import prove
from longreach.languages.regular.automaton import Automaton, Word

CHECKED_LENGTH = 12
MODULI = 4
"""Without a proof, all words up to so many moduli are tried, as far as the budget of states goes."""
MOST_STATES = 100_000
LONGEST_WORD = 2000
ROWS = 24
"""Random words of each kind."""

Letters = NDArray[np.int64]


@dataclass(frozen=True)
class Rightness:
    """How a program is known to be right."""

    proved: bool
    length: int
    """All words up to here were compared."""
    witness: Word | None = None
    """A word on which the program is wrong."""
    reason: str = ""
    """Why there is no proof."""
    tried: int = 0
    """Without a proof: so many random words, each with all its beginnings."""

    @property
    def word(self) -> str:
        """The same in one word."""
        return "proved" if self.proved else "checked" if self.witness is None else "wrong"

    def __str__(self) -> str:
        if self.witness is not None:
            return f"wrong on {' '.join(self.witness) or 'ε'}"
        if self.proved:
            return "proved for all lengths"
        why = f" ({self.reason})" if self.reason else ""
        return (
            f"not proved{why}: no difference on all words to length {self.length} "
            f"and {self.tried} random words to length {LONGEST_WORD}"
        )


def rightness(
    core: Core, automaton: Automaton, length: int = CHECKED_LENGTH, budget: Budget = DEFAULT_BUDGET
) -> Rightness:
    """Compares a program with an automaton on all short words and by proof; without a proof, on more words.

    >>> from longreach.crasp.library import load
    >>> from longreach.languages.regular.named_languages import named_automaton
    >>> str(rightness(load("tomita-4").core, named_automaton("tomita-4")))
    'proved for all lengths'
    """
    found = compare(*_sides(core, automaton, length), automaton.alphabet, length)
    if not found.equal:
        return Rightness(False, found.length, found.witness)
    try:
        attempt = prove(core, automaton, budget=budget)
    except MissingExtra as missing:
        return _tried(core, automaton, found.length, str(missing))
    if attempt.witness is not None or attempt.proved:
        return Rightness(attempt.proved, found.length, attempt.witness)
    return _tried(core, automaton, found.length, attempt.reason)


def _sides(core: Core, automaton: Automaton, length: int) -> tuple[Side, Side]:
    return ProgramSide(core, automaton.alphabet, length=length), automaton_side(automaton)


def _tried(core: Core, automaton: Automaton, length: int, reason: str) -> Rightness:
    longer = min(MODULI * core.modulus + core.locality, LONGEST_WORD)
    if longer > length:
        found = compare(*_sides(core, automaton, longer), automaton.alphabet, longer, MOST_STATES)
        length = max(length, found.length)
        if not found.equal:
            return Rightness(False, length, found.witness)
    words = random_words(automaton, np.random.default_rng(0))
    return Rightness(False, length, difference(core, automaton, words), reason, len(words))


def difference(core: Core, automaton: Automaton, words: Letters) -> Word | None:
    """The shortest beginning of the words (rows of places in the alphabet) on which the two differ."""
    near = simplify(within_length(core, words.shape[1]))
    assert near.accept is not None
    place = {symbol: code for code, symbol in enumerate(near.alphabet)}
    codes = np.array([place.get(letter, len(place)) for letter in automaton.alphabet], np.uint32)
    value = Kernel(near, near.roots).advance(State(), codes[words])[near.accept]
    said = np.broadcast_to(np.asarray(value, dtype=np.bool_), words.shape)
    accepting = np.isin(np.arange(len(automaton)), list(automaton.accepting))
    states = np.zeros(len(words), dtype=np.int64)
    for column, letters in enumerate(words.T):
        states = automaton.table[states, letters]
        wrong = np.flatnonzero(said[:, column] != accepting[states])
        if len(wrong):
            return tuple(automaton.alphabet[k] for k in words[wrong[0], : column + 1])
    return None


def random_words(automaton: Automaton, rng: np.random.Generator, length: int = LONGEST_WORD) -> Letters:
    """Words of four kinds: uniform, with few frequent letters, repetitions of short words, and words that
    keep out of the states that are never left."""
    letters, size = len(automaton.alphabet), (ROWS, length)
    uniform = rng.integers(0, letters, size)
    shares = rng.dirichlet(np.full(letters, 0.3), ROWS).cumsum(axis=1)
    uneven = (rng.random(size)[:, :, None] > shares[:, None, :-1]).sum(axis=2)
    repeated = np.stack([_repetitions(letters, length, rng) for _ in range(ROWS)])
    return np.concatenate([uniform, uneven, repeated, _staying(automaton, length, rng)])


def _repetitions(letters: int, length: int, rng: np.random.Generator) -> Letters:
    """Three short words, each many times, one after another."""
    cuts = np.sort(rng.integers(0, length + 1, 2))
    parts = []
    for part in np.diff([0, *cuts, length]):
        word = rng.integers(0, letters, rng.integers(1, 9))
        parts.append(np.resize(word, part) if part else np.zeros(0, np.int64))
    return np.concatenate(parts)


def _staying(automaton: Automaton, length: int, rng: np.random.Generator) -> Letters:
    left = (automaton.table != np.arange(len(automaton))[:, None]).any(axis=1)
    good = left[automaton.table]
    states = np.zeros(ROWS, dtype=np.int64)
    words = np.empty((ROWS, length), dtype=np.int64)
    for column in range(length):
        words[:, column] = (rng.random((ROWS, len(automaton.alphabet))) + good[states]).argmax(axis=1)
        states = automaton.table[states, words[:, column]]
    return words
