"""Cycle navigation: where a walk on a cycle of five places ends."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from longreach.languages.regular.labelled_automaton import LabelledAutomaton, labelled
from longreach.tasks.evidence import Evidence, Reduction
from longreach.tasks.regular_answer import RegularAnswer
from longreach.tasks.task import EOS, SEP, IntArray

PLACES = 5
_STEPS = {"stay": 0, "right": 1, "left": -1}
EVERY_FIFTH = "regex:(b*ab*ab*ab*ab*a)*b*"
"""The number of a is a multiple of five."""


@dataclass(frozen=True)
class CycleNavigation(RegularAnswer):
    """SOS right right stay left SEP 1 EOS: the walk begins at 0, steps are independent and uniform.

    Delétang et al., arXiv 2207.02098.

    >>> CycleNavigation().answer(["right", "left", "stay", "left", "left"])
    ('3', 'EOS')
    """

    name = "cycle-navigation"
    about = "where a walk on a cycle of five places ends"
    chance = 1 / PLACES  # one of the places
    symbols = (*_STEPS, *map(str, range(PLACES)))
    nope = ape = Evidence(
        "reduction",
        EVERY_FIFTH,
        "steps would be counted modulo five",
        Reduction(
            {"a": "right", "b": "stay"},
            (SEP,),
            "0",
            "with a as right and b as stay, 0 follows SEP for its words",
        ),
    )

    @property
    def machine(self) -> LabelledAutomaton:
        """A state for each place."""
        rows = [[(place + step) % PLACES for step in _STEPS.values()] for place in range(PLACES)]
        return labelled(tuple(_STEPS), rows, 0, [str(place) for place in range(PLACES)])

    def answer(self, x: Sequence[str]) -> tuple[str, ...]:
        return (str(sum(_STEPS[step] for step in x) % PLACES), EOS)

    def inputs(self, lengths: IntArray, rng: np.random.Generator) -> IntArray:
        return rng.integers(0, len(_STEPS), (len(lengths), int(lengths.max())))
