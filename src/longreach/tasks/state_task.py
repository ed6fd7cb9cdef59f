"""State prediction: along a word of a regular language the state of its minimal automaton."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from longreach.config.task_name import TaskName
from longreach.errors import InputError
from longreach.languages.regular.automaton import Automaton, live_states, minimal
from longreach.tasks.evidence import OWN_LANGUAGE
from longreach.tasks.language_task import FIRST_LETTER, LanguageTask, RegularLanguage, label_name
from longreach.tasks.task import PAD, SEP, SOS, SOS_ID, Batch, BoolArray, IntArray


def state_name(state: int) -> str:
    """How a state is called in answers and programs; numbers are those of the minimal automaton."""
    return f"q{state}"


@dataclass(frozen=True)
class StateTask(LanguageTask):
    """SOS w for words w of the language, each of LEN letters equally likely, with the state as label.

    It is said at SOS and at each letter; with `after` at a SEP behind each letter instead, where the letter
    is no longer what is read: SOS a SEP b SEP. LEN is the length of w in both.

    >>> from longreach.languages.regular.expression_to_automaton import from_expression
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
        reserved = {PAD, SOS, SEP, *map(state_name, range(len(self.language)))}
        twice = next((letter for letter in self.letters if letter in reserved), None)
        if twice is not None:
            raise InputError(
                f"{TaskName(self.name).short}: {twice!r} cannot be a letter, the task needs it itself"
            )

    @property
    def letters(self) -> tuple[str, ...]:
        return self.language.alphabet

    @cached_property
    def live(self) -> tuple[int, ...]:
        """The states that words of the language come through."""
        return tuple(sorted(live_states(self.language)))

    @cached_property
    def labels(self) -> tuple[tuple[str, ...], ...]:
        return tuple((state_name(state),) for state in self.live)

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
    def chance(self) -> float:  # type: ignore[override]
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

    def answer(self, x: Sequence[str]) -> tuple[str, ...]:
        states = [0]
        for letter in x:
            states.append(self.language.run([letter], states[-1]))
            if states[-1] not in self.live:
                raise InputError(f"{self.name}: no word begins with {' '.join(x[: len(states) - 1])}")
        return tuple(label_name((state_name(state),)) for state in states)

    @cached_property
    def _label_table(self) -> IntArray:
        table = np.zeros(len(self.language), dtype=np.int64)
        table[list(self.live)] = np.arange(len(self.live))
        return table

    def draw(self, lengths: IntArray, rng: np.random.Generator) -> tuple[IntArray, IntArray]:
        walks = self.words.words.draw(lengths, rng)
        return walks.letters.T, self._label_table[walks.states].T

    def _sample(self, lengths: IntArray, rng: np.random.Generator) -> Batch:
        if not self.after:
            return super()._sample(lengths, rng)
        words, labels = self.draw(lengths, rng)
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

    >>> from longreach.languages.regular.expression_to_automaton import from_expression
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
