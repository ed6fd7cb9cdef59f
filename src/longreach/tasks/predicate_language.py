"""A language from a Python predicate: nothing but whether a word belongs to it can be asked."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from longreach.errors import OWN_FAILURES, InputError, failure_line
from longreach.languages.regular.automaton import Automaton, Word
from longreach.tasks.evidence import Evidence
from longreach.tasks.language_task import LanguageTask, RegularLanguage, label_name
from longreach.tasks.program_task import ACCEPTED, REJECTED
from longreach.tasks.task import EOS, PAD, SEP, SOS, BoolArray, IntArray

if TYPE_CHECKING:
    from longreach.synthesis.answers_to_automaton import LearnedAutomaton, LearningLimits, NotLearned

NOT_ASKED = Evidence("none", None, "a Python predicate: a forecast looks for evidence in its answers")
(IN,), (OUT,) = ACCEPTED, REJECTED
MOST_LABELS = 4
"""Letters up to which every set of symbols may be a label."""


@dataclass(frozen=True, eq=False, kw_only=True)
class PredicateLanguage(LanguageTask):
    """SOS w, with what the predicate says at every position. Made by `Task.from_predicate`."""

    name: str
    about: str
    predicate: Callable[[Word], Any]
    alphabet: tuple[str, ...]
    asks: Literal["member", "next"] = "member"
    drawer: Callable[[int, np.random.Generator], Sequence[str]] | None = None
    completer: Callable[[Word], Any] | None = None
    least_length: int = 1

    nope = ape = NOT_ASKED

    def __post_init__(self) -> None:
        if not self.letters:
            raise InputError(f"{self.name}: the alphabet is empty")
        if self.asks not in ("member", "next"):
            raise InputError(f"{self.name}: labels: {self.asks!r} is neither 'member' nor 'next'")
        if self.least_length < 0:
            raise InputError(f"{self.name}: least_length: {self.least_length} is below 0")
        for place, letter in enumerate(self.letters):
            if not isinstance(letter, str) or not letter or any(each.isspace() for each in letter):
                raise InputError(f"{self.name}: alphabet: {letter!r} is no token: a string without blanks")
            if letter in (PAD, SOS, SEP, EOS) or letter in self.letters[:place]:
                why = (
                    "stands there twice" if letter in self.letters[:place] else "is one the task needs itself"
                )
                raise InputError(f"{self.name}: alphabet: {letter!r} {why}")

    @property
    def letters(self) -> tuple[str, ...]:
        return self.alphabet

    # What the functions say

    def contains(self, word: Sequence[str]) -> bool:
        """Whether the predicate accepts a word."""
        return self._said(self.predicate, "the predicate", tuple(word))

    def _said(self, function: Callable[[Word], Any], what: str, word: Word) -> bool:
        try:
            return bool(function(word))
        except InputError:
            raise
        except OWN_FAILURES as error:
            shown = " ".join(word) or "ε"
            raise InputError(f"{self.name}: {what} fails for {shown}: {failure_line(error)}") from error

    def learn(self, limits: LearningLimits | None = None) -> LearnedAutomaton | NotLearned:
        """The automaton of the language, its classes "accept" and "reject", if it is learned."""
        from longreach.synthesis.answers_to_automaton import learn_automaton  # slow to load

        return learn_automaton(
            lambda word: IN if self.contains(word) else OUT, self.letters, limits, also=self._shown_words
        )

    @cached_property
    def _shown_words(self) -> tuple[Word, ...]:
        """Words that the drawer gives: rare words of the language may be among them."""
        if self.drawer is None:
            return ()
        rng = np.random.default_rng(0)
        lengths = self.lengths(self.least_length, self.least_length + 30).tolist()
        return tuple(self._drawn(length, rng) for length in lengths for _ in range(5))

    @cached_property
    def _language(self) -> RegularLanguage:
        """Of the learned automaton: where nobody says what can be completed, it does."""
        from longreach.synthesis.answers_to_automaton import NotLearned

        found = self.learn()
        needs = "labels='next' need completes=… and draw=…"
        if isinstance(found, NotLearned):
            raise InputError(
                f"{self.name}: {needs}: no automaton is learned that knows them ({found.reason})"
            )
        automaton: Automaton = found.machine.language(IN)
        if not automaton.accepting:
            raise InputError(f"{self.name}: no word to length {found.exhaustive} belongs to the language")
        return RegularLanguage(self.name, automaton)

    # The task

    @cached_property
    def labels(self) -> tuple[tuple[str, ...], ...]:
        if self.asks == "member":
            return ACCEPTED, REJECTED
        if self.completer is None:
            return self._language.labels
        symbols = (*self.letters, EOS)
        if len(self.letters) > MOST_LABELS:
            raise InputError(
                f"{self.name}: with completes=… the letters are at most {MOST_LABELS}: every set is a label"
            )
        sizes = range(1, len(symbols) + 1)
        return tuple(part for size in sizes for part in combinations(symbols, size))

    def has(self, lengths: IntArray) -> BoolArray:
        found: BoolArray = lengths >= self.least_length
        if self.asks == "next" and self.drawer is None:
            found = found & self._language.has(lengths)
        return found

    def answer(self, x: Sequence[str]) -> tuple[str, ...]:
        return tuple(self._label(tuple(x[:size])) for size in range(len(x) + 1))

    def _label(self, word: Word) -> str:
        if self.asks == "member":
            return label_name(ACCEPTED if self.contains(word) else REJECTED)
        if self.completer is None:
            return self._language.answer(word)[-1]
        after = [a for a in self.letters if self._said(self.completer, "completes", (*word, a))]
        return label_name((*after, EOS) if self.contains(word) else after)

    def _drawn(self, length: int, rng: np.random.Generator) -> Word:
        assert self.drawer is not None
        try:
            found = tuple(self.drawer(length, rng))
        except InputError:
            raise
        except OWN_FAILURES as error:
            raise InputError(f"{self.name}: draw({length}, rng) fails: {failure_line(error)}") from error
        strange = next((letter for letter in found if letter not in self.letters), None)
        if strange is not None:
            raise InputError(f"{self.name}: draw({length}, rng) has {strange!r}, which is no letter")
        if len(found) != length:
            raise InputError(f"{self.name}: draw({length}, rng) gives {len(found)} letters, not {length}")
        return found

    def _words(self, lengths: IntArray, rng: np.random.Generator) -> list[Word]:
        if self.drawer is not None:
            words = [self._drawn(length, rng) for length in lengths.tolist()]
        elif self.asks == "member":
            places = rng.integers(0, len(self.letters), (len(lengths), int(lengths.max())))
            return [
                tuple(self.letters[k] for k in row[:length])
                for row, length in zip(places.tolist(), lengths.tolist(), strict=True)
            ]
        else:
            letters = self._language.draw(lengths, rng)[0]
            words = [
                tuple(self.letters[k] for k in row[:length])
                for row, length in zip(letters.tolist(), lengths.tolist(), strict=True)
            ]
        if self.asks == "next":
            # The learned automaton may be wrong on long words; a drawer may be wrong on any.
            wrong = next((word for word in words if not self.contains(word)), None)
            if wrong is not None:
                raise InputError(f"{self.name}: the word {' '.join(wrong)} is drawn, and not of the language")
        return words

    def draw(self, lengths: IntArray, rng: np.random.Generator) -> tuple[IntArray, IntArray]:
        number = {letter: place for place, letter in enumerate(self.letters)}
        place = {label_name(label): number for number, label in enumerate(self.labels)}
        words = np.zeros((len(lengths), int(lengths.max())), dtype=np.int64)
        labels = np.zeros((len(lengths), words.shape[1] + 1), dtype=np.int64)
        for row, word in enumerate(self._words(lengths, rng)):
            words[row, : len(word)] = [number[letter] for letter in word]
            labels[row, : len(word) + 1] = [place[label] for label in self.answer(word)]
        return words, labels
