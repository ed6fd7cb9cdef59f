"""Uniform words of a length, and what can be guessed without reading them.

Counts are integers of any size; a step's probability is their quotient, rounded once. What is computed from
it by adding and multiplying numbers that are not negative is right to a relative error of a few units in the
last place for each letter of the word: nothing cancels.

A predictor that sees only the position gives one fixed label at each position, whatever the word. It is right
on a word if all labels of the word are those. Which sequence of labels is best for words of several lengths
is a search. A sequence is right in the end on no more words than so far, and on no fewer than have ended: one
that cannot beat the best found by more than the tolerance is dropped. Those that are left are right on more
than the tolerance of the words that go on, no two on the same: they are never more than one over it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
import numpy.typing as npt

from longreach.errors import InputError
from longreach.theory.automata.automaton import Automaton

IntArray = npt.NDArray[np.int64]
FloatArray = npt.NDArray[np.float64]


@dataclass(frozen=True)
class WordMeasure:
    """The words of each length, every one with the same probability.

    Live states, those from which a word can be completed, are numbered from 0, the initial one first.

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
        return tuple(sorted(self.automaton.live))

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
        """How many words of this length lead from each state to acceptance."""
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
        """The probability of each letter at each state with this many to go, of shape (states, letters).

        Zeros at states from which no word has that many letters.

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
        """The probability of each next state at each state with this many letters to go; zeros at the end."""
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


TOLERANCE = 1e-3
_BEAM = 16


def position_chance(automaton: Automaton, lengths: Iterable[int], *, tolerance: float = TOLERANCE) -> float:
    """The share of words on which the best predictor that sees only the position is right from start to end.

    A length is drawn uniformly among those that have words, then a word uniformly among those of the length.
    The true value is at least what is returned, and greater by at most the tolerance.

    >>> position_chance(from_expression("(ab)*"), range(41, 61))
    1.0
    >>> position_chance(from_expression("(aa|bb)*"), [4])
    0.25
    """
    search = _Search(word_measure(automaton), lengths)
    good = search.best(0.0, tolerance, _BEAM)
    return search.best(good, tolerance, None)


def label_entropy(automaton: Automaton, lengths: Iterable[int], *, after: int = 0) -> float:
    """The entropy, in bits, of the set of legal next symbols at a random position of a random word.

    Length, word and position are each drawn uniformly, the position among those after at least so many
    letters, the one after the last letter included. Only lengths that have such positions count.

    >>> label_entropy(from_expression("(a|b)*"), [9]), label_entropy(from_expression("(a|b)*a"), [1])
    (0.0, 1.0)
    """
    words = word_measure(automaton)
    known = _known(words, (length for length in lengths if length >= after))
    shares = np.zeros(int(words.labels.max()) + 1)
    for length in known:
        np.add.at(shares, words.labels, words.occupation(length)[after:].mean(axis=0) / len(known))
    some = shares[shares > 0]
    return max(0.0, float(-(some * np.log2(some)).sum()))


def _known(words: WordMeasure, lengths: Iterable[int]) -> list[int]:
    known = [length for length in lengths if words.count(length)]
    if not known:
        raise InputError("no word has one of the lengths")
    return known


class _Search:
    """Goes through the positions, with every sequence of labels that may still be best."""

    def __init__(self, words: WordMeasure, lengths: Iterable[int]) -> None:
        self.words, self.lengths = words, np.array(_known(words, lengths), dtype=np.int64)
        self.groups: npt.NDArray[np.bool_] = words.labels == np.arange(int(words.labels.max()) + 1)[:, None]
        self.moves = np.array([words.moves(to_go) for to_go in range(int(self.lengths.max()) + 1)])

    def best(self, known: float, tolerance: float, beam: int | None) -> float:
        """The share of the best sequence, or what is known; with a beam, that of a good one."""
        lengths = self.lengths
        # For each sequence and length: the share of words that it fits, by state, and of those that ended.
        going: FloatArray = np.zeros((1, len(lengths), len(self.words.states)))
        going[:, :, 0] = 1.0
        ended: FloatArray = np.zeros(1)
        found, slack = known * len(lengths), tolerance * len(lengths)
        for place in range(int(lengths.max()) + 1):
            going = (going[:, None] * self.groups[:, None]).reshape(-1, *going.shape[1:])
            ended = np.repeat(ended, len(self.groups))
            shares = ended + going.sum(axis=(1, 2))
            kept = np.flatnonzero(shares > found + slack)
            if beam is not None:
                kept = kept[np.argsort(-shares[kept], kind="stable")[:beam]]
            if not len(kept):
                break
            going, ended = going[kept], ended[kept]
            ended = ended + going[:, lengths == place].sum(axis=(1, 2))
            found = max(found, float(ended.max()))
            # A word that has ended has no letter to go: its row of moves is zero.
            going = np.einsum("knq,nqt->knt", going, self.moves[np.maximum(lengths - place, 0)])
        return found / len(lengths)
