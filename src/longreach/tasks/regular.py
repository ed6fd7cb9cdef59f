"""Regular languages as tasks: next letters, states and answer classes along uniform words."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from longreach.errors import InputError
from longreach.tasks.layouts import check_distinct, states_along
from longreach.tasks.lengths import LengthRange
from longreach.tasks.task import (
    EOS,
    OWN_LANGUAGE,
    PAD,
    SEP,
    SOS,
    SOS_ID,
    AnyAutomaton,
    Batch,
    BoolArray,
    Evidence,
    Images,
    IntArray,
    ProbedBy,
    Probes,
    Reading,
    Task,
)
from longreach.tasks.uniform import UniformWords
from longreach.theory.automata.automaton import Automaton, LabelledAutomaton, minimal
from longreach.theory.names import TaskName

if TYPE_CHECKING:
    from longreach.tasks.probing import LoopWords

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
        return (PAD, SOS, *self.letters, *map(label_name, self.labels))

    def input_size(self, length: int) -> int:
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
        return self._batch(lengths, *self.draw(lengths, rng))

    def probing_sample(self, lengths: LengthRange, count: int, rng: np.random.Generator) -> Probes | None:
        """Words that the task knows to be hard."""
        from longreach.tasks.pumped import hard_probes  # only measuring needs it

        found = hard_probes(self, (), lengths, count, rng)
        return None if found is None else found.probes(self.labelled(found.pairs))

    def labelled(self, pairs: Sequence[tuple[Sequence[str], Sequence[str]]]) -> Batch:
        """Words with their labels by name as a batch."""
        sizes = np.array([len(x) for x, _ in pairs], dtype=np.int64)
        words, labels = (np.zeros((len(pairs), int(sizes.max()) + more), dtype=np.int64) for more in (0, 1))
        place = {label_name(label): number for number, label in enumerate(self.labels)}
        for row, (x, y) in enumerate(pairs):
            words[row, : len(x)] = [self.letters.index(letter) for letter in x]
            labels[row, : len(y)] = [place[label] for label in y]
        return self._batch(sizes, words, labels)

    def _batch(self, lengths: IntArray, words: IntArray, labels: IntArray) -> Batch:
        columns = np.arange(int(lengths.max()) + 1)
        mask = columns <= lengths[:, None]
        tokens = np.full(mask.shape, SOS_ID, dtype=np.int64)
        tokens[:, 1:] = np.where(mask[:, 1:], words + FIRST_LETTER, 0)
        targets = np.zeros_like(tokens)
        np.copyto(targets, labels + FIRST_LETTER + len(self.letters), where=mask)
        return Batch(tokens, targets, mask, np.tile(columns, (len(mask), 1)), lengths + 1)


class AutomatonTask(LanguageTask):
    """The label of a position is that of the state to which the word so far leads."""

    probed_by: ProbedBy = "loop"

    @property
    @abstractmethod
    def reader(self) -> AnyAutomaton:
        """Reads the letters."""

    @property
    @abstractmethod
    def state_labels(self) -> dict[int, tuple[str, ...]]:
        """Of each state through which words come."""

    @property
    def letters(self) -> tuple[str, ...]:
        return self.reader.alphabet

    @cached_property
    def labels(self) -> tuple[tuple[str, ...], ...]:
        return tuple(dict.fromkeys(self.state_labels.values()))

    def answer(self, x: Sequence[str]) -> tuple[str, ...]:
        states = [0]
        for letter in x:
            states.append(self.reader.run([letter], states[-1]))
            if states[-1] not in self.state_labels:
                raise InputError(f"{self.name}: no word begins with {' '.join(x[: len(states) - 1])}")
        return tuple(label_name(self.state_labels[state]) for state in states)

    @cached_property
    def label_table(self) -> IntArray:
        """The place of the label of each state."""
        table = np.zeros(len(self.reader), dtype=np.int64)
        for state, label in self.state_labels.items():
            table[state] = self.labels.index(label)
        return table

    @cached_property
    def loop_words(self) -> LoopWords:
        """Draws probing words; those of a language end in it."""
        from longreach.tasks.probing import LoopWords  # only measuring needs it

        reader = self.reader
        ends = reader.accepting if isinstance(reader, Automaton) else frozenset(range(len(reader)))
        return LoopWords(reader.alphabet, reader.table, ends)

    def probing_sample(self, lengths: LengthRange, count: int, rng: np.random.Generator) -> Probes | None:
        found = self.loop_words.draw(self.lengths(*lengths), count, rng)
        if found is None:
            return None
        labels = self.label_table[states_along(self.reader.table, found.letters)]
        return found.probes(self._batch(found.lengths, found.letters, labels))


@dataclass(frozen=True)
class RegularLanguage(AutomatonTask):
    """The words of a regular language; the labels are those of the live states of its minimal automaton.

    >>> RegularLanguage("mine", from_expression("a(ba)*")).answer("aba")
    ('{a}', '{b,EOS}', '{a}', '{b,EOS}')
    """

    name: str
    automaton: Automaton
    about: str = "a regular language"

    nope = ape = OWN_LANGUAGE
    chance = 0.0  # the label of every position must be right

    def __post_init__(self) -> None:
        if not self.automaton.accepting:
            raise InputError(f"{self.name}: the language is empty")
        if EOS in self.automaton.alphabet:
            raise InputError(f"{self.name}: {EOS} is the end of a word and cannot be a letter")

    @property
    def reader(self) -> Automaton:
        return self.automaton

    @cached_property
    def state_labels(self) -> dict[int, tuple[str, ...]]:
        """What may come next at each live state."""
        live = self.automaton.live
        labels: dict[int, tuple[str, ...]] = {}
        for state in sorted(live):
            row = self.automaton.transitions[state]
            after = [letter for letter, target in zip(self.letters, row, strict=True) if target in live]
            labels[state] = (*after, EOS) if state in self.automaton.accepting else tuple(after)
        return labels

    @cached_property
    def words(self) -> UniformWords:
        return UniformWords(self.automaton)

    @cached_property
    def least_length(self) -> int:
        """The length of the shortest word that is not empty; 0 if there is none."""
        live, reached = self.automaton.live, {0}
        for length in range(1, len(self.automaton) + 1):
            reached = {target for state in reached for target in self.automaton.transitions[state]} & live
            if reached & self.automaton.accepting:
                return length
        return 0

    def has(self, lengths: IntArray) -> BoolArray:
        return self.words.has(lengths)

    def continuation(self, letters: Images, after: Sequence[str], token: str) -> Automaton | None:
        """The automaton itself, read after `after`; None if some word cannot go on: it is not asked of it."""
        reading = Reading.of(self.automaton, letters, after)
        # Words are asked about whole, also where the middle of an image leaves the language.
        if reading is None or any(reading.ends[state] not in self.state_labels for state in reading.reached):
            return None
        wanted = [state for state, end in enumerate(reading.ends) if token in self.state_labels.get(end, ())]
        return minimal(tuple(letters), reading.rows, 0, wanted)

    def draw(self, lengths: IntArray, rng: np.random.Generator) -> tuple[IntArray, IntArray]:
        walks = self.words.draw(lengths, rng)
        return walks.letters.T, self.label_table[walks.states].T


OWN_CLASSES = Evidence("classes", None, "decided from the automaton of each answer class")


@dataclass(frozen=True)
class LabelledLanguage(AutomatonTask):
    """SOS w over the automaton's alphabet, every word of LEN letters equally likely; LEN is any from 1 on.

    The label of a position is the class of the state that the word so far leads to; at SOS it is that of the
    first state.

    >>> from longreach.theory.automata.automaton import labelled
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
        check_distinct(self.name, self.tokens)

    @property
    def reader(self) -> LabelledAutomaton:
        return self.machine

    @property
    def labels(self) -> tuple[tuple[str, ...], ...]:
        return tuple((label,) for label in self.machine.classes)

    @cached_property
    def state_labels(self) -> dict[int, tuple[str, ...]]:
        return {state: (output,) for state, output in enumerate(self.machine.outputs)}

    @property
    def chance(self) -> float:
        """0: at each of many positions the class must be right; 1 where there is one class only."""
        return float(len(self.machine.classes) == 1)

    def continuation(self, letters: Images, after: Sequence[str], token: str) -> Automaton | None:
        reading = Reading.of(self.machine, letters, after)
        if reading is None:
            return None
        wanted = (state for state, end in enumerate(reading.ends) if self.machine.outputs[end] == token)
        return minimal(tuple(letters), reading.rows, 0, wanted)

    def draw(self, lengths: IntArray, rng: np.random.Generator) -> tuple[IntArray, IntArray]:
        words = rng.integers(0, len(self.letters), (len(lengths), int(lengths.max())))
        return words, self.label_table[states_along(self.machine.table, words)]


def state_name(state: int) -> str:
    """How a state is called in answers and programs; numbers are those of the minimal automaton."""
    return f"q{state}"


@dataclass(frozen=True)
class StateTask(AutomatonTask):
    """SOS w for words w of the language, each of LEN letters equally likely, with the state as label.

    It is said at SOS and at each letter; with `after` at a SEP behind each letter instead, where the letter
    is no longer what is read: SOS a SEP b SEP. LEN is the length of w in both.

    >>> task = StateTask("mine", from_expression("a(ba)*"), after=True)
    >>> task.answer("aba"), task.read("aba")
    (('{q0}', '{q1}', '{q0}', '{q1}'), ('a', 'SEP', 'b', 'SEP', 'a', 'SEP'))
    """

    name: str
    language: Automaton
    """The minimal automaton whose states are asked for."""
    about: str = "the state of an automaton"
    after: bool = False

    nope = ape = OWN_LANGUAGE

    def __post_init__(self) -> None:
        if not self.language.accepting:
            raise InputError(f"{TaskName(self.name).short}: the language is empty")
        check_distinct(self.name, (PAD, SOS, SEP, *map(state_name, range(len(self.language))), *self.letters))

    @property
    def reader(self) -> Automaton:
        return self.language

    @cached_property
    def live(self) -> tuple[int, ...]:
        """The states that words of the language come through."""
        return tuple(sorted(self.language.live))

    @cached_property
    def state_labels(self) -> dict[int, tuple[str, ...]]:
        return {state: (state_name(state),) for state in self.live}

    @cached_property
    def tokens(self) -> tuple[str, ...]:
        """PAD SOS, the letters, SEP if it is read, and the states."""
        read = (*self.letters, SEP) if self.after else self.letters
        return (PAD, SOS, *read, *map(label_name, self.labels))

    @cached_property
    def automaton(self) -> Automaton:
        """Of what is read: the language itself, or its words with SEP behind each letter."""
        return after_each_letter(self.language, SEP) if self.after else self.language

    @cached_property
    def states(self) -> dict[str, frozenset[int]]:
        """For the name of each state the states of `automaton` at which it is right.

        Behind a letter, before its SEP, it is the same as behind SEP: nothing is asked there.
        """
        found: dict[str, set[int]] = {state_name(state): set() for state in self.live}
        reached, waiting = {(0, 0)}, [(0, 0)]
        while waiting:
            state, place = waiting.pop()
            found[state_name(state)].add(place)
            for letter in self.letters:
                target, now = self.language.run([letter], state), self.automaton.run([letter], place)
                if target not in self.live:
                    continue
                found[state_name(target)].add(now)
                pair = (target, self.automaton.run([SEP], now) if self.after else now)
                if pair not in reached:
                    reached.add(pair)
                    waiting.append(pair)
        return {name: frozenset(places) for name, places in found.items()}

    @property
    def chance(self) -> float:
        """0: at each of many letters the state must be right; 1 where there is one state only."""
        return float(len(self.live) == 1)

    @cached_property
    def words(self) -> RegularLanguage:
        """The language as a task: words and lengths are the same."""
        return RegularLanguage(self.name, self.language)

    @property
    def least_length(self) -> int:
        return self.words.least_length

    def has(self, lengths: IntArray) -> BoolArray:
        return self.words.has(lengths)

    def input_size(self, length: int) -> int:
        return 1 + (2 if self.after else 1) * length

    def read(self, x: Sequence[str]) -> tuple[str, ...]:
        return tuple(token for letter in x for token in (letter, SEP)) if self.after else tuple(x)

    def draw(self, lengths: IntArray, rng: np.random.Generator) -> tuple[IntArray, IntArray]:
        walks = self.words.words.draw(lengths, rng)
        return walks.letters.T, self.label_table[walks.states].T

    def _batch(self, lengths: IntArray, words: IntArray, labels: IntArray) -> Batch:
        if not self.after:
            return super()._batch(lengths, words, labels)
        columns = np.arange(2 * int(lengths.max()) + 1)
        read = columns <= 2 * lengths[:, None]
        tokens = np.zeros(read.shape, dtype=np.int64)
        tokens[:, 0] = SOS_ID
        tokens[:, 1::2] = words + FIRST_LETTER
        tokens[:, 2::2] = FIRST_LETTER + len(self.letters)
        mask = read & (columns % 2 == 0)
        targets = np.zeros_like(tokens)
        targets[:, ::2] = labels + FIRST_LETTER + len(self.letters) + 1
        tokens *= read
        targets *= mask
        return Batch(tokens, targets, mask, np.tile(columns, (len(mask), 1)), 2 * lengths + 1)


def after_each_letter(automaton: Automaton, mark: str) -> Automaton:
    """The automaton of the words with a mark behind each letter.

    >>> marked = after_each_letter(from_expression("(ab)*"), "!")
    >>> marked.accepts("a!b!"), marked.accepts("a!b"), marked.accepts("ab")
    (True, False, False)
    """
    count = len(automaton)
    dead = 2 * count  # 0 … before a letter, count … before a mark
    rows = [(*(count + target for target in row), dead) for row in automaton.transitions]
    rows += [(*(dead for _ in automaton.alphabet), state) for state in range(count)]
    rows.append((dead,) * (len(automaton.alphabet) + 1))
    return minimal((*automaton.alphabet, mark), rows, 0, automaton.accepting)
