"""How a program for a language is known to be right, in a few words; within two seconds."""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import replace

from longreach.errors import MissingExtra
from longreach.theory.automata.automaton import Automaton
from longreach.theory.budget import Budget
from longreach.theory.certificates.check_yes import legal_symbols, wrong_after
from longreach.theory.crasp.core import Core
from longreach.theory.prove.induction import prove_announcer, rightness

PROOF_SECONDS = 2.0
"""Of computing; `longreach verify` takes longer."""


def program_basis(core: Core, automaton: Automaton, budget: Budget) -> str:
    """How a program, for membership or for what may follow on words of the language, is known to be right.

    >>> from longreach.theory.crasp.library import load
    >>> from longreach.theory.budget import DEFAULT_BUDGET
    >>> program_basis(load("tomita-4").core, named_automaton("tomita-4"), DEFAULT_BUDGET)
    'program, proved for all lengths'
    """
    short = _short(budget)
    if core.is_predictor:
        return announcer_basis(core, automaton, legal_symbols(automaton), short)
    known = rightness(core, automaton, budget=short)
    if known.witness is not None:
        return "program, found wrong"
    return basis(None if known.proved else known.length)


def _short(budget: Budget) -> Budget:
    return replace(budget, seconds=min(budget.seconds, PROOF_SECONDS), ends=None)


def announcer_basis(core: Core, automaton: Automaton, labels: Mapping[str, Set[int]], budget: Budget) -> str:
    """The same of a program that says the labels of states on words of the language."""
    try:
        if prove_announcer(core, automaton, labels, budget=_short(budget)).proved:
            return basis(None)
    except MissingExtra:
        pass
    wrong, length = wrong_after(core, automaton, labels)
    return basis(length) if wrong is None else "program, found wrong"


def basis(length: int | None) -> str:
    """Of a program that is right on all that was tried, to a length; None: proved.

    >>> basis(None), basis(12)
    ('program, proved for all lengths', 'program, checked to length 12')
    """
    return "program, proved for all lengths" if length is None else f"program, checked to length {length}"
