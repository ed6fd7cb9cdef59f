"""What can be guessed without reading: chance, and how much the answers vary at all.

A predictor that sees only the position gives one fixed label at each position, whatever the word. It is right
on a word if all labels of the word are those. Which sequence of labels is best for words of several lengths
is a search. A sequence is right in the end on no more words than so far, and on no fewer than have ended: one
that cannot beat the best found by more than the tolerance is dropped. Those that are left are right on more
than the tolerance of the words that go on, no two on the same: they are never more than one over it.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

from longreach.errors import InputError
from longreach.languages.profile.word_measure import FloatArray, WordMeasure, word_measure
from longreach.languages.regular.automaton import Automaton

TOLERANCE = 1e-3
_BEAM = 16


def position_chance(automaton: Automaton, lengths: Iterable[int], *, tolerance: float = TOLERANCE) -> float:
    """The share of words on which the best predictor that sees only the position is right from start to end.

    A length is drawn uniformly among those that have words, then a word uniformly among those of the length.
    The true value is at least what is returned, and greater by at most the tolerance.

    >>> from longreach.languages.regular.expression_to_automaton import from_expression
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

    >>> from longreach.languages.regular.expression_to_automaton import from_expression
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
