"""What counting knows of the states of an automaton, short enough to stand below each in a drawing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from longreach.languages.budget import Budget
from longreach.languages.decide.without_positions import plain_analysis
from longreach.languages.regular.automaton import Automaton, live_states

SECONDS = 3.0
NAMED = 3
"""States of a class that are named one by one; a larger class has a letter."""


@dataclass(frozen=True, kw_only=True)
class PotentialNotes:
    """Notes by state, and the letters in them."""

    below: Mapping[int, str]
    classes: Mapping[str, tuple[int, ...]]
    """For each letter the states that no count can tell from each other."""

    @property
    def legend(self) -> str:
        """The letters in words.

        >>> PotentialNotes(below={}, classes={"A": (0, 1, 2, 5)}).legend
        'A: the states 0–2, 5.'
        """
        return "; ".join(f"{letter}: the states {_ranges(each)}" for letter, each in self.classes.items()) + (
            "." if self.classes else ""
        )


def potential_notes(automaton: Automaton) -> PotentialNotes:
    """The potentials of the states of each loop, without positions, and which of them are alike.

    >>> from longreach.languages.regular.expression_to_automaton import from_expression
    >>> potential_notes(from_expression("(ab)*", "ab")).below
    {0: '0', 1: '1'}
    >>> potential_notes(from_expression("(aa)*")).below
    {0: '≈ 1', 1: '≈ 0'}
    >>> potential_notes(from_expression("(aaaa)*"))
    PotentialNotes(below={0: '≈ A', 1: '≈ A', 2: '≈ A', 3: '≈ A'}, classes={'A': (0, 1, 2, 3)})
    """
    analysis = plain_analysis(automaton, Budget(seconds=SECONDS).running())
    live = set(live_states(automaton))
    letters = _letters()
    notes: dict[int, str] = {}
    named: dict[str, tuple[int, ...]] = {}
    for component in analysis.components:
        states = [analysis.extended.states[state].state for state in component.states]
        if len(states) < 2 or not set(states) <= live:
            continue
        columns = [each.values for step in component.refinement.rounds for each in step.potentials]
        classes: dict[int, list[int]] = {}
        for vertex, state in enumerate(states):
            notes[state] = ", ".join(str(column[vertex]) for column in columns)
            classes.setdefault(component.refinement.classes[vertex], []).append(state)
        for alike in classes.values():
            if len(alike) > NAMED:
                letter = next(letters)
                named[letter] = tuple(sorted(alike))
            for state in alike if len(alike) > 1 else ():
                others = (
                    letter if len(alike) > NAMED else ", ".join(str(each) for each in alike if each != state)
                )
                notes[state] = f"{notes[state]} ≈ {others}".strip()
    return PotentialNotes(below=dict(sorted(notes.items())), classes=named)


def _letters() -> Iterator[str]:
    number = 0
    while True:
        yield chr(ord("A") + number % 26) * (number // 26 + 1)
        number += 1


def _ranges(states: Sequence[int]) -> str:
    starts = [states[0], *(each for before, each in pairwise(states) if each != before + 1)]
    ends = [*(before for before, each in pairwise(states) if each != before + 1), states[-1]]
    both = zip(starts, ends, strict=True)
    return ", ".join(str(first) if first == last else f"{first}–{last}" for first, last in both)
