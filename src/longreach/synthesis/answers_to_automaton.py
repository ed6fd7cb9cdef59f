"""Right answers, asked for one by one → the least automaton that gives them.

Angluin's way of learning: a table of words and suffixes tells states apart, an automaton is read off, and a
word on which it is wrong gives one suffix more, found by halving (Rivest and Schapire, 1993). Whether it is
right is tried on words up to a length: for longer ones nothing is promised.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain

import numpy as np

from longreach.languages.regular.automaton import Word
from longreach.languages.regular.labelled_automaton import LabelledAutomaton, labelled
from longreach.synthesis.trial_words import long_words, short_words, state_words

Teacher = Callable[[Word], str]
"""The class of a word."""


@dataclass(frozen=True, kw_only=True)
class LearningLimits:
    """When learning stops without an automaton. Counts come first, so that two machines say the same."""

    states: int = 30
    """Of the automaton; a task that needs more and more is not regular. Up to a length every language is:
    brackets need a state for every second letter, so that states must be few for the length."""
    length: int = 100
    """Of the longest words tried."""
    short: int = 20_000
    """Words of all short lengths."""
    long: int = 1500
    """Random words up to `length`."""
    extra: int = 1
    """States more than learned, up to which the trial is exact."""
    asked: int = 150_000
    """Different words asked about."""
    seconds: float = 5.0
    """Of computing."""
    clock: Callable[[], float] = field(default=time.thread_time, compare=False, repr=False)


@dataclass(frozen=True, kw_only=True)
class LearnedAutomaton:
    """An automaton that is right on every word that was tried."""

    machine: LabelledAutomaton
    length: int
    """Of the longest word tried."""
    exhaustive: int
    """All words to this length were tried."""
    exact_states: int
    """If some automaton with so many states is right on all words, this one is."""
    asked: int
    """Different words asked about."""


@dataclass(frozen=True)
class NotLearned:
    """Which limit ended it."""

    reason: str


class _Over(Exception):
    pass


def learn_automaton(
    teacher: Teacher,
    alphabet: Sequence[str],
    limits: LearningLimits | None = None,
    *,
    also: Iterable[Word] = (),
) -> LearnedAutomaton | NotLearned:
    """The least automaton that agrees with the teacher on all words tried; `also` are words to try besides.

    >>> found = learn_automaton(lambda word: "even" if word.count("a") % 2 == 0 else "odd", "ab")
    >>> len(found.machine), found.machine.class_of("aba"), found.length
    (2, 'even', 100)
    >>> learn_automaton(lambda word: "yes" if 2 * word.count("a") >= len(word) else "no", "ab").reason
    'no automaton with at most 30 states gives the answers'
    """
    table = _Table(teacher, tuple(alphabet), limits or LearningLimits())
    try:
        return table.learn([tuple(word) for word in also])
    except _Over as over:
        return NotLearned(str(over))


class _Table:
    """Words, one for each state, and the suffixes that tell them apart."""

    def __init__(self, teacher: Teacher, alphabet: tuple[str, ...], limits: LearningLimits) -> None:
        self.teacher, self.alphabet, self.limits = teacher, alphabet, limits
        self.ends = limits.clock() + limits.seconds
        self.known: dict[Word, str] = {}
        self.access: list[Word] = [()]
        self.suffixes: list[Word] = [()]

    def ask(self, word: Word) -> str:
        found = self.known.get(word)
        if found is None:
            if len(self.known) >= self.limits.asked:
                raise _Over(f"{self.limits.asked} words were asked about without an end")
            # One answer may take long; a clock that is looked at after each costs less than most answers.
            if self.limits.clock() > self.ends:
                raise _Over(f"the budget of {self.limits.seconds:g} s is spent")
            found = self.known[word] = self.teacher(word)
        return found

    def row(self, word: Word) -> tuple[str, ...]:
        return tuple(self.ask(word + suffix) for suffix in self.suffixes)

    def learn(self, also: list[Word]) -> LearnedAutomaton:
        while True:
            guess = self.hypothesis()
            wrong = next((word for word in self.trials(also) if self.ask(word) != guess.class_of(word)), None)
            if wrong is None:
                return self.result(guess)
            # One long word may call for many states.
            while self.ask(wrong) != guess.class_of(wrong):
                self.suffixes.append(self.telling(wrong, guess))
                guess = self.hypothesis()

    def hypothesis(self) -> LabelledAutomaton:
        """The automaton of the table, closed first; its states are the places of the access words.

        It may have states that it does not tell apart itself; then it is wrong on one of the trials.
        """
        rows = {self.row(word): number for number, word in enumerate(self.access)}
        transitions: list[tuple[int, ...]] = []
        for word in self.access:  # grows on the way
            targets = []
            for letter in self.alphabet:
                row = self.row((*word, letter))
                if row not in rows:
                    if len(rows) >= self.limits.states:
                        raise _Over(
                            f"no automaton with at most {self.limits.states} states gives the answers"
                        )
                    rows[row] = len(self.access)
                    self.access.append((*word, letter))
                targets.append(rows[row])
            transitions.append(tuple(targets))
        outputs = tuple(self.ask(word) for word in self.access)
        return LabelledAutomaton(self.alphabet, tuple(transitions), outputs)

    def telling(self, wrong: Word, guess: LabelledAutomaton) -> Word:
        """A suffix of a word with a wrong class that tells two words of one state apart, by halving."""

        def said(cut: int) -> str:
            """What the teacher says once the first letters are replaced by the word of their state."""
            return self.ask(self.access[guess.run(wrong[:cut])] + wrong[cut:])

        first, last, truth = 0, len(wrong), said(0)  # with none replaced the truth, with all the wrong class
        while last - first > 1:
            middle = (first + last) // 2
            first, last = (middle, last) if said(middle) == truth else (first, middle)
        return wrong[last:]

    def trials(self, also: list[Word]) -> Iterator[Word]:
        """The same words each time, but for those that the states call for; what is wrong is found early."""
        limits, rng = self.limits, np.random.default_rng(0)
        words = chain(
            also,
            state_words(list(self.access), self.alphabet, list(self.suffixes), self.extra),
            long_words(self.alphabet, limits.length, limits.long, rng),
            short_words(self.alphabet, limits.short, longest=limits.length)[1],
        )
        return (word for word in words if len(word) <= limits.length)

    @property
    def extra(self) -> int:
        """As many extra states as asked for, fewer where there are too many letters."""
        one = len(self.access) * len(self.suffixes)
        found = self.limits.extra
        while found and one * len(self.alphabet) ** (found + 1) > self.limits.asked / 4:
            found -= 1
        return found

    def result(self, guess: LabelledAutomaton) -> LearnedAutomaton:
        limits = self.limits
        machine = labelled(guess.alphabet, guess.transitions, 0, guess.outputs)
        longest = max(map(len, self.access)) + self.extra + 1 + max(map(len, self.suffixes))
        return LearnedAutomaton(
            machine=machine,
            length=limits.length,
            exhaustive=short_words(self.alphabet, limits.short, longest=limits.length)[0],
            exact_states=len(machine) + self.extra if longest <= limits.length else len(machine),
            asked=len(self.known),
        )
