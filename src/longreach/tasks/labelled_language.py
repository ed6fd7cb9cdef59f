"""State tracking: at each position the answer class of the automaton's state, over all words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from longreach.config.task_name import TaskName
from longreach.errors import InputError
from longreach.languages.regular.automaton import Automaton, minimal
from longreach.languages.regular.labelled_automaton import LabelledAutomaton
from longreach.tasks.evidence import Evidence, Images, image
from longreach.tasks.language_task import LanguageTask, label_name
from longreach.tasks.task import IntArray

OWN_CLASSES = Evidence("classes", None, "decided from the automaton of each answer class")


@dataclass(frozen=True)
class LabelledLanguage(LanguageTask):
    """SOS w over the automaton's alphabet, every word of LEN letters equally likely; LEN is any from 1 on.

    The label of a position is the class of the state that the word so far leads to; at SOS it is that of the
    first state.

    >>> from longreach.languages.regular.labelled_automaton import labelled
    >>> task = LabelledLanguage("mine", labelled("ab", [[1, 0], [0, 1]], 0, ["even", "odd"]))
    >>> task.answer("aba")
    ('{even}', '{odd}', '{odd}', '{even}')
    """

    name: str
    machine: LabelledAutomaton
    about: str = "the answer class of an automaton's state"

    nope = ape = OWN_CLASSES
    least_length = 1

    def __post_init__(self) -> None:
        if len(set(self.tokens)) < len(self.tokens):
            twice = next(token for place, token in enumerate(self.tokens) if token in self.tokens[:place])
            raise InputError(
                f"{TaskName(self.name).short}: {twice!r} cannot be a letter, the task needs it itself"
            )

    @property
    def letters(self) -> tuple[str, ...]:
        return self.machine.alphabet

    @cached_property
    def labels(self) -> tuple[tuple[str, ...], ...]:
        return tuple((label,) for label in self.machine.classes)

    @property
    def chance(self) -> float:  # type: ignore[override]
        """0: at each of many positions the class must be right; 1 where there is one class only."""
        return float(len(self.machine.classes) == 1)

    def answer(self, x: Sequence[str]) -> tuple[str, ...]:
        states = [0]
        for letter in x:
            states.append(self.machine.run([letter], states[-1]))
        return tuple(label_name((self.machine.outputs[state],)) for state in states)

    def continuation(self, letters: Images, after: Sequence[str], token: str) -> Automaton | None:
        """The automaton itself, read after `after`."""
        images = [image(letters, [letter]) for letter in letters]
        if not {*after, *(symbol for word in images for symbol in word)} <= self.machine.letter_index.keys():
            return None
        states = range(len(self.machine))
        rows = [[self.machine.run(word, state) for word in images] for state in states]
        ends = [self.machine.outputs[self.machine.run(after, state)] for state in states]
        return minimal(tuple(letters), rows, 0, (state for state in states if ends[state] == token))

    @cached_property
    def _label_table(self) -> IntArray:
        places = {label: place for place, label in enumerate(self.machine.classes)}
        return np.array([places[output] for output in self.machine.outputs], dtype=np.int64)

    def draw(self, lengths: IntArray, rng: np.random.Generator) -> tuple[IntArray, IntArray]:
        words = rng.integers(0, len(self.letters), (len(lengths), int(lengths.max())))
        states = np.zeros((len(lengths), words.shape[1] + 1), dtype=np.int64)
        for column in range(words.shape[1]):
            states[:, column + 1] = self.machine.table[states[:, column], words[:, column]]
        return words, self._label_table[states]
