"""Automata as a side of the comparison with programs."""

from __future__ import annotations

import numpy as np

from longreach.crasp.equal import DeterministicSide
from longreach.languages.regular.automaton import Automaton


def automaton_side(automaton: Automaton) -> DeterministicSide:
    """The automaton, ready to be compared with a program over the same letters."""
    accepting = np.isin(np.arange(len(automaton)), list(automaton.accepting))
    return DeterministicSide(automaton.table, 0, accepting)
