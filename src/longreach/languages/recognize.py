"""The automaton of a program's language, where the language is found to be regular.

The automaton is guessed from the answers of the program on short words, and then proved right for words of
every length; without a proof there is no answer.
"""

from __future__ import annotations

from collections import deque
from itertools import product

import numpy as np

from longreach.crasp.core import Core
from longreach.crasp.evaluate import accepts
from longreach.errors import MissingExtra
from longreach.languages.automaton import Automaton, minimal
from longreach.languages.induction import prove

MOST_STATES = 40
MOST_TESTS = 130
"""Words that may be appended to tell two states apart: all up to some length, at most so many."""
LONGEST_TEST = 8

Word = tuple[int, ...]


def regular_language(core: Core) -> Automaton | None:
    """The automaton of what an acceptor accepts; None if none was found, or none could be proved.

    >>> from longreach.crasp.library import load
    >>> len(regular_language(load("tomita-4").core)), regular_language(load("dyck-1").core)
    (4, None)
    """
    guessed = _guess(core)
    if guessed is None:
        return None
    try:
        return guessed if prove(core, guessed).proved else None
    except MissingExtra:
        return None


def _guess(core: Core) -> Automaton | None:
    """States are words, equal if no test tells them apart."""
    letters = range(len(core.alphabet))
    tests = _tests(len(core.alphabet))

    def behaviour(word: Word) -> bytes:
        kind = np.min_scalar_type(len(core.alphabet))
        return accepts(core, [np.array(word + test, dtype=kind) for test in tests]).tobytes()

    known: dict[bytes, int] = {behaviour(()): 0}
    rows: list[list[int]] = []
    waiting: deque[Word] = deque([()])
    while waiting:
        word = waiting.popleft()
        rows.append([])
        for letter in letters:
            found = behaviour((*word, letter))
            if found not in known:
                known[found] = len(known)
                waiting.append((*word, letter))
                if len(known) > MOST_STATES:
                    return None
            rows[-1].append(known[found])
    accepting = [state for found, state in known.items() if found[0]]  # the first test is the empty word
    return minimal(core.alphabet, rows, 0, accepting)


def _tests(letters: int) -> list[Word]:
    found: list[Word] = [()]
    for length in range(1, LONGEST_TEST + 1):
        if len(found) + letters**length > MOST_TESTS:
            break
        found += product(range(letters), repeat=length)
    return found
