"""The automaton of a program's language, where the language is found to be regular.

The automaton is guessed from the answers of the program on short words, and then proved right for words of
every length; without a proof there is no answer.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from itertools import product

import numpy as np

from longreach.crasp.core import Core
from longreach.crasp.equal import ProgramSide, compare
from longreach.crasp.evaluate import accepts
from longreach.errors import MissingExtra
from longreach.languages.prove.automaton_side import automaton_side
from longreach.languages.prove.induction import prove
from longreach.languages.regular.automaton import Automaton, minimal

MOST_STATES = 40
FIRST_TESTS = 40
"""Words that are appended to tell states apart: at first all up to some length, at most so many."""
COMPARED_LENGTH = 9
FEW_LETTERS = 5
LARGEST_PROGRAM = 10_000
"""Operations times letters, for an answer in a moment."""
MOST_ROUNDS = 50

Word = tuple[int, ...]


def regular_language(core: Core) -> Automaton | None:
    """The automaton of what an acceptor accepts; None if none was found, or none could be proved.

    >>> from longreach.crasp.library import load
    >>> len(regular_language(load("tomita-4").core)), regular_language(load("dyck-1").core)
    (4, None)
    """
    if core.is_predictor or core.size * len(core.alphabet) > LARGEST_PROGRAM:
        return None
    tests = _tests(len(core.alphabet))
    length = COMPARED_LENGTH if len(core.alphabet) <= FEW_LETTERS else FEW_LETTERS
    for _ in range(MOST_ROUNDS):
        guessed = _guess(core, tests)
        if guessed is None:
            return None
        sides = ProgramSide(core, core.alphabet, length=length), automaton_side(guessed)
        found = compare(*sides, core.alphabet, length)
        if found.equal:
            return guessed if _proved(core, guessed) else None
        # What follows some part of the word tells two states apart that were taken for one.
        word = tuple(core.alphabet.index(token) for token in found.witness or ())
        tests += [word[start:] for start in range(len(word)) if word[start:] not in tests]
    return None


def _proved(core: Core, automaton: Automaton) -> bool:
    try:
        return prove(core, automaton).proved
    except MissingExtra:
        return False


def _guess(core: Core, tests: Sequence[Word]) -> Automaton | None:
    """States are words, equal if no test tells them apart."""
    letters = range(len(core.alphabet))

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
    for length in range(1, FIRST_TESTS):
        if len(found) + letters**length > FIRST_TESTS:
            break
        found += product(range(letters), repeat=length)
    return found
