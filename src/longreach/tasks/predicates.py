"""Languages from plain Python predicates."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from longreach.errors import OWN_FAILURES, InputError, own_code, unprinted
from longreach.tasks.balance import balanced
from longreach.tasks.lengths import LengthRange
from longreach.tasks.outside import ACCEPTED, REJECTED
from longreach.tasks.own import TRIED_SPAN, TRIES, Drawer, asked, by_pieces, written
from longreach.tasks.regular import LanguageTask, RegularLanguage, label_name
from longreach.tasks.task import (
    EOS,
    PAD,
    RARE,
    SEP,
    SOS,
    Batch,
    BoolArray,
    Evidence,
    IntArray,
    Probes,
    called,
    draw_lengths,
)
from longreach.theory.automata.automaton import Automaton, Word
from longreach.theory.automata.samples import short_words
from longreach.wording import spelled

if TYPE_CHECKING:
    from longreach.tasks.aligned import Aligned
    from longreach.theory.automata.learn import LearnedAutomaton, LearningLimits, NotLearned


PREDICATE_NOT_ASKED = Evidence(
    "none", None, "a Python predicate: a forecast looks for evidence in its answers"
)
(IN,), (OUT,) = ACCEPTED, REJECTED
FEW_WORDS = 127
"""Short words on which it is tried whether a predicate expects strings or tuples."""
MOST_LABELS = 4
"""Letters up to which every set of symbols may be a label."""


@dataclass(frozen=True, eq=False, kw_only=True)
class PredicateLanguage(LanguageTask):
    """SOS w, with what the predicate says at every position. Made by `Task.from_predicate`."""

    name: str
    about: str
    predicate: Callable[[Any], Any]
    alphabet: tuple[str, ...]
    asks: Literal["member", "next"] = "member"
    drawer: Callable[[int, np.random.Generator], Sequence[str]] | None = None
    completer: Callable[[Any], Any] | None = None
    least_length: int = 1
    as_tuple: bool | None = None
    """Whether words are handed over as tuples; None: strings where letters are single characters."""
    prober: Drawer | None = None
    """Draws hard words."""

    nope = ape = PREDICATE_NOT_ASKED

    def __post_init__(self) -> None:
        if not self.letters:
            raise InputError(f"{self.name}: the alphabet is empty")
        if self.asks not in ("member", "next"):
            raise InputError(f"{self.name}: labels: {self.asks!r} is neither 'member' nor 'next'")
        if self.least_length < 0:
            raise InputError(f"{self.name}: least_length: must be at least 0, not {self.least_length}")
        for place, letter in enumerate(self.letters):
            if not isinstance(letter, str) or not letter or any(each.isspace() for each in letter):
                raise InputError(f"{self.name}: alphabet: {letter!r} is not a token, a string without spaces")
            if letter in (PAD, SOS, SEP, EOS) or letter in self.letters[:place]:
                why = "appears twice" if letter in self.letters[:place] else "is one the task needs itself"
                raise InputError(f"{self.name}: alphabet: {letter!r} {why}")

    @property
    def letters(self) -> tuple[str, ...]:
        return self.alphabet

    # What the functions say

    def contains(self, word: Sequence[str]) -> bool:
        return self._said(self.predicate, called(self.predicate, "predicate"), word)

    def _said(self, function: Callable[[Any], Any], what: str, word: Sequence[str]) -> bool:
        with own_code(f"{self.name}: {what}({spelled(tuple(word))})"):
            found = function(tuple(word) if self._by_tuples else "".join(word))
            if isinstance(found, float | Mapping) or (isinstance(found, str) and found):
                # Every name is true, "no" as well.
                shown = f"{found!r}, a {type(found).__name__}"
                raise InputError(
                    f"{self.name}: {what}({spelled(tuple(word))}) gives {shown}; expected True or False"
                )
            return bool(found)

    @cached_property
    def _by_tuples(self) -> bool:
        """Strings are what most predicates expect; one that tells only tuples apart gets tuples."""
        if self.as_tuple is not None:
            return self.as_tuple
        if any(len(letter) > 1 for letter in self.letters):
            return True
        words = list(short_words(self.letters, FEW_WORDS, longest=FEW_WORDS)[1])
        return not self._differs("".join(word) for word in words) and self._differs(words)

    def _differs(self, words: Iterable[str | Word]) -> bool:
        said: set[bool] = set()
        try:
            for word in words:
                with unprinted(self.name):
                    said.add(bool(self.predicate(word)))
                if len(said) > 1:  # each may take long
                    return True
        except OWN_FAILURES:
            return False
        return False

    def learn(self, limits: LearningLimits | None = None) -> LearnedAutomaton | NotLearned:
        """The automaton of the language, its classes "accept" and "reject", if it is learned."""
        from longreach.theory.automata.learn import learn_automaton  # slow to load

        return learn_automaton(
            lambda word: IN if self.contains(word) else OUT, self.letters, limits, also=self.shown_words
        )

    @cached_property
    def aligned(self) -> Aligned | None:
        """The automaton that tells words of the language, reading in some order, where examples show one."""
        from longreach.tasks.aligned import drawn_alignment  # slow to load

        if self.asks == "next":
            return None
        draw = self._any if self.drawer is None else self._drawn
        known = self.lengths(max(1, self.least_length), self.least_length + TRIED_SPAN).tolist()
        return drawn_alignment(draw, lambda word: written(self.contains(word)), known)

    @cached_property
    def shown_words(self) -> tuple[Word, ...]:
        """Words that the drawer gives: rare words of the language may be among them."""
        if self.drawer is None:
            return ()
        rng = np.random.default_rng(0)
        lengths = self.lengths(self.least_length, self.least_length + 30).tolist()
        return tuple(self._drawn(length, rng) for length in lengths for _ in range(5))

    @cached_property
    def _language(self) -> RegularLanguage:
        """Of the learned automaton: where nobody says what can be completed, it does."""
        from longreach.theory.automata.learn import NotLearned

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

    def _drawn(self, length: int, rng: np.random.Generator, drawer: Drawer | None = None) -> Word:
        call = f"{'draw' if drawer is None else 'probe'}({length}, rng)"
        drawer = drawer or self.drawer
        assert drawer is not None
        with own_code(f"{self.name}: {call}"):
            found = tuple(drawer(length, rng))
        strange = next((letter for letter in found if letter not in self.letters), None)
        if strange is not None:
            raise InputError(f"{self.name}: {call} has {strange!r}, which is not a letter")
        if len(found) != length:
            raise InputError(f"{self.name}: {call} gives {len(found)} letters, not {length}")
        return found

    def _words(self, lengths: IntArray, rng: np.random.Generator) -> list[Word]:
        if self.drawer is not None:
            words = [self._drawn(length, rng) for length in lengths.tolist()]
        else:
            places = (
                rng.integers(0, len(self.letters), (len(lengths), int(lengths.max())))
                if self.asks == "member"
                else self._language.draw(lengths, rng)[0]
            )
            words = [
                tuple(self.letters[k] for k in row[:length])
                for row, length in zip(places.tolist(), lengths.tolist(), strict=True)
            ]
        self._check_members(words)
        return words

    def _check_members(self, words: Iterable[Word]) -> None:
        """The learned automaton may be wrong on long words; a drawer may be wrong on any."""
        wrong = None
        if self.asks == "next":
            wrong = next((word for word in words if not self.contains(word)), None)
        if wrong is not None:
            raise InputError(f"{self.name}: the word {' '.join(wrong)} is drawn, and not of the language")

    def draw(self, lengths: IntArray, rng: np.random.Generator) -> tuple[IntArray, IntArray]:
        return self._arrays(self._words(lengths, rng))

    def test_sample(self, lengths: IntArray, rng: np.random.Generator) -> Batch:
        """Half of the words of each length belong to the language, as far as draws find them."""
        if self.asks == "next":
            return self.sample(lengths, rng)
        drawn = self._drawn if self.drawer is not None else self._any
        return self._balanced(lengths, lambda length: drawn(length, rng))

    def uniform_sample(self, lengths: IntArray, rng: np.random.Generator) -> Batch | None:
        if self.asks == "next" or self.drawer is None:
            return None
        return self._balanced(lengths, lambda length: self._any(length, rng))

    @cached_property
    def _pieces(self) -> tuple[Word, ...]:
        """Whose repetition changes the answer."""
        from longreach.tasks.probing import changing_pieces

        rng = np.random.default_rng(3)
        sizes = range(self.least_length, self.least_length + TRIES)
        return changing_pieces([self._any(size, rng) for size in sizes], self.contains)

    def probing_sample(self, lengths: LengthRange, count: int, rng: np.random.Generator) -> Probes | None:
        if self.prober is None and self.asks == "next":
            return self._probed_by_automaton(lengths, count, rng)
        sizes = draw_lengths(self, *lengths, count, rng)

        def labelled(words: Iterable[Word]) -> Batch:
            return self._batch(sizes, *self._arrays(list(words)))

        if self.prober is not None:
            words = [self._drawn(size, rng, self.prober) for size in sizes.tolist()]
            self._check_members(words)
            return asked(labelled(words))
        return by_pieces(sizes, lambda: self._pieces, lambda size: self._any(size, rng), labelled)

    def _probed_by_automaton(
        self, lengths: LengthRange, count: int, rng: np.random.Generator
    ) -> Probes | None:
        """Those of the learned automaton, where it was learned and its words are of the language."""
        if self.completer is not None or self.drawer is not None:
            return None
        found = self._language.loop_words.draw(self.lengths(*lengths), count, rng)
        if found is None:
            return None
        rows = zip(found.letters.tolist(), found.lengths.tolist(), strict=True)
        words = [tuple(self.letters[letter] for letter in row[:size]) for row, size in rows]
        try:
            self._check_members(words)
        except InputError:
            return None
        return found.probes(self._batch(found.lengths, *self._arrays(words)))

    def _any(self, length: int, rng: np.random.Generator) -> Word:
        return tuple(self.letters[k] for k in rng.integers(0, len(self.letters), length))

    def _balanced(self, lengths: IntArray, draw: Callable[[int], Word]) -> Batch:
        return self._batch(lengths, *self._arrays(balanced(lengths.tolist(), draw, self.contains)))

    def constant_share(self, batch: Batch) -> float | None:
        """Of words with one answer at all places, as most have whose answer never changes."""
        if self.asks == "next":
            return None
        said = [{*targets} for targets in batch.answers]
        counts = Counter(next(iter(labels)) for labels in said if len(labels) == 1)
        share = max(counts.values(), default=0) / len(said)
        return share if share > RARE else 0.0

    def _arrays(self, found: Sequence[Word]) -> tuple[IntArray, IntArray]:
        number = {letter: place for place, letter in enumerate(self.letters)}
        place = {label_name(label): number for number, label in enumerate(self.labels)}
        words = np.zeros((len(found), max(map(len, found))), dtype=np.int64)
        labels = np.zeros((len(found), words.shape[1] + 1), dtype=np.int64)
        for row, word in enumerate(found):
            words[row, : len(word)] = [number[letter] for letter in word]
            labels[row, : len(word) + 1] = [place[label] for label in self.answer(word)]
        return words, labels
