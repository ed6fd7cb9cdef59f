"""Words of the certificate of a no: pairs that a program without positions cannot both tell.

The certificate names a state on a loop, loops there that count alike from two states, and two words that lead
to these states. Whatever product of the loops is read first, a program that only counts has the same answer
behind both, for some product (`longreach.theory.decide.without_positions.Fooling`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from longreach.tasks.lengths import LengthRange
from longreach.tasks.regular import RegularLanguage
from longreach.tasks.task import IntArray, Probes, Task
from longreach.theory.automata.automaton import Automaton
from longreach.theory.automata.paths import distinguishing_word
from longreach.theory.budget import DEFAULT_BUDGET, Budget, OverBudget
from longreach.theory.decide.decisions import on_prefixes
from longreach.theory.decide.views import Convention
from longreach.theory.decide.without_positions import Refutation, plain_analysis, refutation

MOST_STATES = 64
"""Larger automata have none, so that no time limit decides what is measured."""


def refuted(automaton: Automaton, budget: Budget = DEFAULT_BUDGET) -> Refutation | None:
    """Why no program without positions predicts what may follow; None where one does, or nobody knows.

    >>> refuted(from_expression("(ab)*")) is None, refuted(from_expression("(b|ab*a)*")).pair
    (True, (0, 1))
    """
    if len(automaton) > MOST_STATES:
        return None
    try:
        analysis = on_prefixes(plain_analysis(automaton, budget.running()))
    except OverBudget:
        return None
    if analysis.holds():
        return None
    return refutation(analysis, Convention.LAST_LETTER, budget.certificate)


def certificate_sample(
    task: Task, lengths: LengthRange, count: int, rng: np.random.Generator
) -> Probes | None:
    """Words of the certificate that no program without positions exists; None where there is none.

    They come in pairs of which such a program cannot tell both.
    """
    if not isinstance(task, RegularLanguage) or (words := flow_words(task.automaton)) is None:
        return None
    if (found := words.draw(task.lengths(*lengths), count, rng)) is None:
        return None
    drawn, sides, kinds = found
    return Probes(task.labelled([(word, task.answer(word)) for word in drawn]), sides, kinds, words.names)


@lru_cache(maxsize=8)
def flow_words(automaton: Automaton) -> FlowWords | None:
    """Draws words of the certificate of a no without positions; None where there is none."""
    proof = refuted(automaton)
    return None if proof is None else FlowWords(automaton, proof)


@dataclass(frozen=True, eq=False)
class FlowWords:
    """Draws words of the language around the loops of a certificate.

    >>> automaton = from_expression("(b|ab*a)*")
    >>> words = FlowWords(automaton, refuted(automaton))
    >>> words.loops, words.turns
    ((('b',), ('a', 'a')), ((), ('a',)))
    """

    automaton: Automaton
    proof: Refutation

    @property
    def loops(self) -> tuple[tuple[str, ...], ...]:
        return self.proof.fooling.loops

    @property
    def turns(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """What leads from the loops to one state of the pair, and to the other."""
        return self.proof.fooling.first, self.proof.fooling.second

    @property
    def names(self) -> tuple[str, str]:
        first, second = self.proof.pair
        return f"behind q{first}", f"behind q{second}"

    def draw(
        self, known: IntArray, count: int, rng: np.random.Generator
    ) -> tuple[list[tuple[str, ...]], IntArray, IntArray] | None:
        """So many words, of both states in turn, with the state and how loops are ordered: mixed, or each in
        one block. None where no word of these lengths is long enough."""
        before, longest = self.proof.fooling.before, int(known.max())
        reach, sums = _reach(self.automaton, longest), self._sums(longest)
        tails = [self._tail(turn) for turn in self.turns]
        words, rows = list[tuple[str, ...]](), np.arange(count)
        sides, kinds = rows % 2, rows // 2 % 2
        shapes: list[list[tuple[int, int]]] = [[], []]  # letters of the product and of the end, by side
        for side, (tail, state) in enumerate(tails):
            for room in (known - len(before) - len(tail)).tolist():
                fits = np.flatnonzero(sums[: max(room + 1, 0)] & reach[: max(room + 1, 0), state][::-1])
                if len(fits):
                    shapes[side].append((int(fits[-1]), room - int(fits[-1])))
        if not all(shapes):
            return None
        for side, kind in zip(sides.tolist(), kinds.tolist(), strict=True):
            tail, state = tails[side]
            size, rest = shapes[side][int(rng.integers(0, len(shapes[side])))]
            drawn = self._product(size, sums, rng)
            product = [token for loop in (sorted(drawn) if kind else drawn) for token in loop]
            end = _walk(self.automaton, state, rest, reach, rng)
            words.append((*before, *product, *tail, *end))
        return words, sides, kinds

    def _tail(self, turn: Sequence[str]) -> tuple[tuple[str, ...], int]:
        """What follows the loops: to a state of the pair, the letter that tells the two apart, and as much of
        a word that does so later as the language allows."""
        automaton, letter = self.automaton, self.proof.letter
        assert letter is not None
        targets = [automaton.transitions[state][letter] for state in self.proof.pair]
        base = automaton.run(self.proof.fooling.before)
        tail = [*turn, automaton.alphabet[letter]]
        state = automaton.run(tail, base)
        for each in distinguishing_word(automaton, *targets):
            following = automaton.run([each], state)
            if following not in automaton.live:
                break
            tail.append(each)
            state = following
        return tuple(tail), state

    def _sums(self, longest: int) -> np.ndarray:
        """Which numbers of letters a product of loops may have."""
        found = np.zeros(longest + 1, dtype=np.bool_)
        found[0] = True
        for size in range(1, longest + 1):
            found[size] = any(found[size - len(loop)] for loop in self.loops if len(loop) <= size)
        return found

    def _product(self, size: int, sums: np.ndarray, rng: np.random.Generator) -> list[tuple[str, ...]]:
        """Loops with so many letters together, each drawn among those after which the rest can be filled."""
        drawn = list[tuple[str, ...]]()
        while size:
            possible = [loop for loop in self.loops if len(loop) <= size and sums[size - len(loop)]]
            drawn.append(possible[int(rng.integers(0, len(possible)))])
            size -= len(drawn[-1])
        return drawn


def _reach(automaton: Automaton, longest: int) -> np.ndarray:
    """(letters to go, state): whether some word of so many letters is accepted."""
    found = np.zeros((longest + 1, len(automaton)), dtype=np.bool_)
    found[0, list(automaton.accepting)] = True
    for to_go in range(1, longest + 1):
        found[to_go] = found[to_go - 1][automaton.table].any(axis=1)
    return found


def _walk(
    automaton: Automaton, state: int, size: int, reach: np.ndarray, rng: np.random.Generator
) -> list[str]:
    """A word of so many letters that is accepted, each letter uniform among those that can do."""
    word = list[str]()
    for to_go in range(size - 1, -1, -1):
        good = np.flatnonzero(reach[to_go, automaton.table[state]])
        letter = int(rng.choice(good))
        word.append(automaton.alphabet[letter])
        state = automaton.transitions[state][letter]
    return word
