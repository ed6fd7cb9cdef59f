"""What tasks share whose answer is one token that a finite automaton knows after reading x."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from functools import cached_property

import numpy as np

from longreach.languages.regular.automaton import Automaton, minimal
from longreach.languages.regular.labelled_automaton import LabelledAutomaton
from longreach.tasks.evidence import Images, image
from longreach.tasks.layout import SequenceTask
from longreach.tasks.task import SEP, IntArray

UNDEFINED = "undefined"
"""The class of what is no input of the task."""


class RegularAnswer(SequenceTask):
    """SOS x SEP y EOS with a single y: the class that `machine` gives to x."""

    @property
    @abstractmethod
    def machine(self) -> LabelledAutomaton:
        """Reads x; its classes are the answers, and `UNDEFINED` for what is no input."""

    @abstractmethod
    def inputs(self, lengths: IntArray, rng: np.random.Generator) -> IntArray:
        """x as places in `symbols`, one row each; what lies beyond the length is ignored."""

    def answer_size(self, length: int) -> int:
        return 1

    def continuation(self, letters: Images, after: Sequence[str], token: str) -> Automaton | None:
        """The machine, read after what `after` has before SEP; None if some word gives no input."""
        images = [image(letters, [letter]) for letter in letters]
        known = self.machine.letter_index.keys()
        if tuple(after[-1:]) != (SEP,) or token not in self.machine.classes or token == UNDEFINED:
            return None
        if not {*after[:-1], *(symbol for word in images for symbol in word)} <= known:
            return None
        states = range(len(self.machine))
        rows = [[self.machine.run(word, state) for word in images] for state in states]
        ends = [self.machine.outputs[self.machine.run(after[:-1], state)] for state in states]
        reached, waiting = set[int](), [0]
        while waiting:
            new = {*rows[waiting.pop()]} - reached
            reached |= new
            waiting += new
        if any(ends[state] == UNDEFINED for state in reached):
            return None
        return minimal(tuple(letters), rows, 0, (state for state in states if ends[state] == token))

    @cached_property
    def _moves(self) -> tuple[IntArray, IntArray]:
        """The machine's table by places in `symbols`, and the place of the answer of each state."""
        table = np.zeros((len(self.machine), len(self.symbols)), dtype=np.int64)
        for symbol, letter in self.machine.letter_index.items():
            table[:, self.symbols.index(symbol)] = self.machine.table[:, letter]
        said = [-1 if label == UNDEFINED else self.symbols.index(label) for label in self.machine.outputs]
        return table, np.array(said, dtype=np.int64)

    def draw(self, lengths: IntArray, rng: np.random.Generator) -> tuple[IntArray, IntArray, IntArray]:
        x = self.inputs(lengths, rng)
        table, said = self._moves
        states = np.zeros(len(lengths), dtype=np.int64)
        for column in range(x.shape[1]):
            states = np.where(column < lengths, table[states, x[:, column]], states)
        return x, said[states][:, None], np.ones_like(lengths)
