"""Formal languages: at each position the set of symbols that may come next, coded as one label."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from longreach.errors import InputError
from longreach.languages.regular.automaton import Automaton, live_states, minimal
from longreach.tasks.evidence import OWN_LANGUAGE, Images, image
from longreach.tasks.task import EOS, PAD, SOS, SOS_ID, Batch, BoolArray, IntArray, Task
from longreach.tasks.uniform_words import UniformWords

FIRST_LETTER = SOS_ID + 1


def label_name(symbols: Iterable[str]) -> str:
    """The token of a set of symbols.

    >>> label_name(["a", "EOS"])
    '{a,EOS}'
    """
    return "{" + ",".join(symbols) + "}"


class LanguageTask(Task):
    """SOS w, with a label at every position, SOS included; LEN is the length of w.

    Labels are tokens of the same vocabulary as letters: what is read and what is predicted share one space
    (Huang et al., E.3). They name sets in the order of the alphabet, EOS last.
    """

    kind = "language"

    @property
    @abstractmethod
    def letters(self) -> tuple[str, ...]:
        """The alphabet."""

    @property
    @abstractmethod
    def labels(self) -> tuple[tuple[str, ...], ...]:
        """The sets of symbols that may come next, each one once."""

    @cached_property
    def tokens(self) -> tuple[str, ...]:
        """PAD SOS, the letters, and the labels."""
        return (PAD, SOS, *self.letters, *map(label_name, self.labels))

    def input_size(self, length: int) -> int:
        """SOS and w."""
        return 1 + length

    def read(self, x: Sequence[str]) -> tuple[str, ...]:
        """What a model reads for a word or the beginning of one, SOS apart."""
        return tuple(x)

    @abstractmethod
    def draw(self, lengths: IntArray, rng: np.random.Generator) -> tuple[IntArray, IntArray]:
        """Words, uniform among those of their length, and labels at SOS and at each letter.

        Places in `letters` and in `labels`; one column more for labels, and what lies beyond is ignored.
        """

    def _sample(self, lengths: IntArray, rng: np.random.Generator) -> Batch:
        words, labels = self.draw(lengths, rng)
        columns = np.arange(int(lengths.max()) + 1)
        mask = columns <= lengths[:, None]
        tokens = np.full(mask.shape, SOS_ID, dtype=np.int64)
        tokens[:, 1:] = np.where(mask[:, 1:], words + FIRST_LETTER, 0)
        targets = np.zeros_like(tokens)
        np.copyto(targets, labels + FIRST_LETTER + len(self.letters), where=mask)
        return Batch(tokens, targets, mask, np.tile(columns, (len(mask), 1)), lengths + 1)


@dataclass(frozen=True)
class RegularLanguage(LanguageTask):
    """The words of a regular language; the labels are those of the live states of its minimal automaton.

    >>> from longreach.languages.regular.expression_to_automaton import from_expression
    >>> RegularLanguage("mine", from_expression("a(ba)*")).answer("aba")
    ('{a}', '{b,EOS}', '{a}', '{b,EOS}')
    """

    name: str
    automaton: Automaton
    about: str = "a regular language"

    nope = ape = OWN_LANGUAGE

    def __post_init__(self) -> None:
        if not self.automaton.accepting:
            raise InputError(f"{self.name}: the language is empty")
        if EOS in self.automaton.alphabet:
            raise InputError(f"{self.name}: {EOS} is the end of a word and cannot be a letter")

    @property
    def letters(self) -> tuple[str, ...]:
        return self.automaton.alphabet

    @cached_property
    def state_labels(self) -> dict[int, tuple[str, ...]]:
        """What may come next at each live state."""
        live = live_states(self.automaton)
        labels: dict[int, tuple[str, ...]] = {}
        for state in sorted(live):
            row = self.automaton.transitions[state]
            after = [letter for letter, target in zip(self.letters, row, strict=True) if target in live]
            labels[state] = (*after, EOS) if state in self.automaton.accepting else tuple(after)
        return labels

    @cached_property
    def labels(self) -> tuple[tuple[str, ...], ...]:
        return tuple(dict.fromkeys(self.state_labels.values()))

    @cached_property
    def words(self) -> UniformWords:
        """The sampler of words."""
        return UniformWords(self.automaton)

    @cached_property
    def least_length(self) -> int:
        """The length of the shortest word that is not empty; 0 if there is none."""
        live, reached = live_states(self.automaton), {0}
        for length in range(1, len(self.automaton) + 1):
            reached = {target for state in reached for target in self.automaton.transitions[state]} & live
            if reached & self.automaton.accepting:
                return length
        return 0

    def has(self, lengths: IntArray) -> BoolArray:
        return self.words.has(lengths)

    def answer(self, x: Sequence[str]) -> tuple[str, ...]:
        states = [0]
        for letter in x:
            states.append(self.automaton.run([letter], states[-1]))
            if states[-1] not in self.state_labels:
                raise InputError(f"{self.name}: no word begins with {' '.join(x[: len(states) - 1])}")
        return tuple(label_name(self.state_labels[state]) for state in states)

    def continuation(self, letters: Images, after: Sequence[str], token: str) -> Automaton | None:
        """The automaton itself, read after `after`; None if some word cannot go on: it is not asked of it."""
        images = [image(letters, [letter]) for letter in letters]
        if (
            not {*after, *(symbol for word in images for symbol in word)}
            <= self.automaton.letter_index.keys()
        ):
            return None
        # Words are asked about whole, also where the middle of an image leaves the language.
        rows = [[self.automaton.run(word, state) for word in images] for state in range(len(self.automaton))]
        ends = [self.automaton.run(after, state) for state in range(len(rows))]
        reached, waiting = set[int](), [0]
        while waiting:
            new = {*rows[waiting.pop()]} - reached
            reached |= new
            waiting += new
        if any(ends[state] not in self.state_labels for state in reached):
            return None
        wanted = [state for state, end in enumerate(ends) if token in self.state_labels.get(end, ())]
        return minimal(tuple(letters), rows, 0, wanted)

    @cached_property
    def _label_table(self) -> IntArray:
        table = np.zeros(len(self.automaton), dtype=np.int64)
        for state, label in self.state_labels.items():
            table[state] = self.labels.index(label)
        return table

    def draw(self, lengths: IntArray, rng: np.random.Generator) -> tuple[IntArray, IntArray]:
        walks = self.words.draw(lengths, rng)
        return walks.letters.T, self._label_table[walks.states].T
