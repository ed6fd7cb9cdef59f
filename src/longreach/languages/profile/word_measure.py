"""Uniform words of a length as a walk on the live states: labels, counts, and the chance of each step.

Counts are integers of any size; a step's probability is their quotient, rounded once. What is computed from
it by adding and multiplying numbers that are not negative is right to a relative error of a few units in the
last place for each letter of the word: nothing cancels.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
import numpy.typing as npt

from longreach.errors import InputError
from longreach.languages.regular.automaton import Automaton, live_states

IntArray = npt.NDArray[np.int64]
FloatArray = npt.NDArray[np.float64]


@dataclass(frozen=True)
class WordMeasure:
    """The words of each length, every one with the same probability.

    Live states, those from which a word can be completed, are numbered from 0, the initial one first.

    >>> from longreach.languages.regular.expression_to_automaton import from_expression
    >>> words = WordMeasure(from_expression("a*b"))
    >>> words.count(7), words.labels.tolist()
    (1, [0, 1])
    """

    automaton: Automaton

    def __post_init__(self) -> None:
        if not self.automaton.accepting:
            raise InputError("the language is empty: no word can be drawn")

    @cached_property
    def states(self) -> tuple[int, ...]:
        """The live states by their numbers in the automaton; the initial one is 0 there and here."""
        return tuple(sorted(live_states(self.automaton)))

    @cached_property
    def targets(self) -> IntArray:
        """Where each letter leads from each live state, of shape (states, letters); -1: to no live state."""
        number = {state: index for index, state in enumerate(self.states)}
        rows = [
            [number.get(target, -1) for target in self.automaton.transitions[state]] for state in self.states
        ]
        return np.array(rows, dtype=np.int64)

    @cached_property
    def accepting(self) -> npt.NDArray[np.bool_]:
        """Which live states accept."""
        return np.array([state in self.automaton.accepting for state in self.states])

    @cached_property
    def labels(self) -> IntArray:
        """The number of each state's label: the set of symbols that may come next, the end included."""
        known: dict[tuple[bool, ...], int] = {}
        sets = np.column_stack([self.targets >= 0, self.accepting])
        return np.array([known.setdefault(tuple(row), len(known)) for row in sets.tolist()], dtype=np.int64)

    @cached_property
    def to_end(self) -> IntArray:
        """The fewest letters that complete a word from each state."""
        found = np.where(self.accepting, 0, -1)
        for distance in range(1, len(found)):
            near = np.isin(self.targets, np.flatnonzero(found == distance - 1)).any(axis=1)
            found[near & (found < 0)] = distance
        return found

    @cached_property
    def _counts(self) -> list[list[int]]:
        return [[int(accepts) for accepts in self.accepting]]

    def counts(self, to_go: int) -> list[int]:
        """How many words of so many letters lead from each state to acceptance."""
        rows = self.targets.tolist()
        while len(self._counts) <= to_go:
            last = self._counts[-1]
            self._counts.append([sum(last[target] for target in row if target >= 0) for row in rows])
        return self._counts[to_go]

    def count(self, length: int) -> int:
        """The number of words of a length."""
        return self.counts(length)[0]

    @cached_property
    def _steps(self) -> list[FloatArray]:
        return [np.zeros(self.targets.shape)]

    def steps(self, to_go: int) -> FloatArray:
        """The probability of each letter at each state with so many to go, of shape (states, letters).

        Zeros at states from which no word has so many letters.

        >>> from longreach.languages.regular.expression_to_automaton import from_expression
        >>> WordMeasure(from_expression("a*b|a")).steps(1)[0].tolist()
        [0.5, 0.5]
        """
        while len(self._steps) <= to_go:
            here = len(self._steps)
            totals, after = self.counts(here), self.counts(here - 1)
            self._steps.append(
                np.array(
                    [
                        [after[target] / total if target >= 0 and total else 0.0 for target in row]
                        for row, total in zip(self.targets.tolist(), totals, strict=True)
                    ]
                )
            )
        return self._steps[to_go]

    def occupation(self, length: int) -> FloatArray:
        """The probability of each state after each number of letters of a word of that length.

        The shape is (length + 1, states); there must be words of that length.
        """
        if not self.count(length):
            raise InputError(f"no word has length {length}")
        found = np.zeros((length + 1, len(self.states)))
        found[0, 0] = 1.0
        for done in range(length):
            np.matmul(found[done], self.moves(length - done), out=found[done + 1])
        return found

    @cached_property
    def _moves(self) -> list[FloatArray]:
        return [np.zeros((len(self.states), len(self.states)))]

    def moves(self, to_go: int) -> FloatArray:
        """The probability of each next state at each state with so many letters to go; zeros at the end."""
        while len(self._moves) <= to_go:
            legal = self.targets >= 0
            found = np.zeros_like(self._moves[0])
            np.add.at(found, (legal.nonzero()[0], self.targets[legal]), self.steps(len(self._moves))[legal])
            self._moves.append(found)
        return self._moves[to_go]


@lru_cache(maxsize=4)
def word_measure(automaton: Automaton) -> WordMeasure:
    """The words of an automaton; of the last few that were asked for, what is known is kept."""
    return WordMeasure(automaton)
