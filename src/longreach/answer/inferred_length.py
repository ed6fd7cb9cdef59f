"""The length from which the inference procedure is right, beside measured ones; within a small budget."""

from __future__ import annotations

from functools import lru_cache

from longreach.languages.regular.automaton import Automaton
from longreach.synthesis.inference import Inference, infer
from longreach.synthesis.program_family import Family
from longreach.synthesis.search_target import RegularTarget
from longreach.wording import counted

MOST_LETTERS = 3
MOST_MODULUS, MOST_DISTANCE = 4, 2
MAX_SIZE = 7
"""Operations of the programs that are tried: so many that nobody waits long."""
TO = {1: 16, 2: 8, 3: 6}
"""How far n goes, by the number of letters."""
SECONDS = 5.0


@lru_cache(maxsize=16)
def inferred_length(automaton: Automaton, family: Family) -> Inference | None:
    """A run for membership in a language; None where that would take long.

    >>> from longreach.languages.regular.named_languages import named_automaton
    >>> inferred_length(named_automaton("aa"), Family(modulus=2)).n0_trained_to
    1
    """
    letters = len(automaton.alphabet)
    if letters > MOST_LETTERS or family.modulus > MOST_MODULUS or family.distance > MOST_DISTANCE:
        return None
    return infer(
        RegularTarget(automaton),
        family=family,
        to=TO[letters],
        max_size=MAX_SIZE,
        seconds=SECONDS,
    )


def inferred_words(run: Inference) -> str:
    """The run in a line.

    >>> from longreach.languages.regular.named_languages import named_automaton
    >>> inferred_words(inferred_length(named_automaton("aa"), Family(modulus=2)))[:34]
    'N₀ = 1 of the inference procedure:'
    """
    if run.n0 is None or run.n0_trained_to is None:
        least = run.steps[-1].at_least
        more = f"up to {run.to // 2} letters needs {least} operations or more"
        return f"N₀ of the inference procedure is not known: a program for words {more}"
    operations = counted(run.steps[-1].complexity or 0, "operation")
    return (
        f"N₀ = {run.n0} of the inference procedure: fitted to words up to length {run.n0_trained_to}, "
        f"the smallest program ({operations}) is right"
    )


def family_for(encoding: str, modulus: int | None, window: int | None) -> Family | None:
    """The programs that stand for an encoding; with learned positions, those with the relations it needs.

    >>> family_for("ape", 2, 0)
    Family(modulus=2, distance=0)
    """
    if encoding == "nope":
        return Family()
    if encoding != "ape":
        return None
    if modulus is None or window is None:
        return Family(modulus=2, distance=1)
    fits = modulus <= MOST_MODULUS and window <= MOST_DISTANCE
    return Family(modulus=modulus, distance=window) if fits else None
