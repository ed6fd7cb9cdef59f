"""What a program is searched for: an automaton, a program, a predicate up to a length, or labelled words."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np

from longreach.errors import Field, InputError
from longreach.theory.automata.automaton import Automaton
from longreach.theory.automata.samples import longest_within
from longreach.theory.budget import Budget
from longreach.theory.crasp.core import Core
from longreach.theory.crasp.evaluate import accepts
from longreach.theory.crasp.program import Program
from longreach.theory.crasp.words import Encoder
from longreach.theory.prove.equivalence import equivalent
from longreach.theory.prove.induction import rightness
from longreach.theory.search.space import Truth, Word, WordTree, accepted_on
from longreach.wording import word as spaced

Predicate: TypeAlias = Callable[[tuple[str, ...]], bool]
Examples: TypeAlias = Mapping[Word, bool]
Wanted: TypeAlias = (
    Automaton | Program | Core | Predicate | Mapping[Any, bool] | Iterable[tuple[Sequence[str], bool]]
)
"""What a program is searched for, as users say it; `target_of` makes a target of it."""
CHECKED_LENGTH = 12
CHECKED_WORDS = 1 << 14
"""Words on which a predicate is asked, at most."""
LONGEST_EXAMPLE = 2000
"""Letters; all beginnings of a word are looked at."""
LEARNED_WORDS = 1 << 11
"""Words from which an automaton is learned, at most."""


@dataclass(frozen=True, kw_only=True)
class Check:
    """What is known of a program for a target."""

    witness: Word | None = None
    proved: bool = False
    length: int | None = None
    """All words up to here were compared; None where words are a list."""


def _tree(alphabet: Sequence[str], nodes: int) -> WordTree:
    """All words up to a length, and a few random longer ones: they show what counts come to later."""
    rng = np.random.default_rng(0)
    length = max(1, longest_within(len(alphabet), nodes, CHECKED_LENGTH))
    probes = [[alphabet[k] for k in rng.integers(0, len(alphabet), 2 * length + 4)] for _ in range(4)]
    return WordTree.of(alphabet, length=length, words=probes)


@dataclass(frozen=True, eq=False)
class RegularTarget:
    automaton: Automaton

    @property
    def alphabet(self) -> tuple[str, ...]:
        return self.automaton.alphabet

    def tree(self, nodes: int) -> WordTree:
        return _tree(self.alphabet, nodes)

    def labels(self, tree: WordTree) -> tuple[Truth, Truth]:
        states = np.zeros(len(tree), np.int64)
        for first, end in zip(tree.starts[1:], tree.starts[2:], strict=False):
            states[first:end] = self.automaton.table[states[tree.parents[first:end]], tree.letters[first:end]]
        return self.automaton.accepting_mask[states], np.ones(len(tree), bool)

    def check(self, core: Core, budget: Budget) -> Check:
        known = rightness(core, self.automaton, CHECKED_LENGTH, budget)
        return Check(witness=known.witness, proved=known.proved, length=known.length)


@dataclass(frozen=True, eq=False)
class PredicateTarget:
    """Whatever a function says of words; it is asked up to a length only."""

    predicate: Predicate
    alphabet: tuple[str, ...]
    length: int | None = None
    """None: as long as there are not too many words."""
    _known: dict[Word, bool] = field(default_factory=dict, repr=False)

    def ask(self, word: Word) -> bool:
        if word not in self._known:
            try:
                said = self.predicate(word)
            except Exception as error:
                reason = f"the predicate fails on {spaced(word)}: {type(error).__name__}: {error}"
                raise InputError(reason) from error
            if not isinstance(said, bool | np.bool_ | int):
                raise InputError(f"the predicate gives {said!r} for {spaced(word)}; expected true or false")
            self._known[word] = bool(said)
        return self._known[word]

    @cached_property
    def all_words(self) -> WordTree:
        """The words on which programs are compared with it."""
        length = (
            max(1, longest_within(len(self.alphabet), CHECKED_WORDS, 20))
            if self.length is None
            else self.length
        )
        return WordTree.of(self.alphabet, length=length)

    def known_words(self) -> Examples:
        """What it says of words up to a length, not too many of them."""
        words = self.tree(LEARNED_WORDS).words
        return {word: self.ask(word) for word in words}

    def tree(self, nodes: int) -> WordTree:
        length = max(1, longest_within(len(self.alphabet), nodes, self.all_words.longest))
        return WordTree.of(self.alphabet, length=length)

    def labels(self, tree: WordTree) -> tuple[Truth, Truth]:
        return np.array([self.ask(word) for word in tree.words]), np.ones(len(tree), bool)

    def check(self, core: Core, budget: Budget) -> Check:
        tree = self.all_words
        wrong = np.flatnonzero(accepted_on(core, tree) != self.labels(tree)[0])
        witness = tree.words[wrong[0]] if len(wrong) else None
        return Check(witness=witness, length=tree.longest)


@dataclass(frozen=True, eq=False)
class ProgramTarget:
    program: Core

    def __post_init__(self) -> None:
        if self.program.is_predictor:
            raise InputError("a predictor accepts no words; only acceptors can be searched for")

    @property
    def alphabet(self) -> tuple[str, ...]:
        return self.program.alphabet

    def tree(self, nodes: int) -> WordTree:
        return _tree(self.alphabet, nodes)

    def labels(self, tree: WordTree) -> tuple[Truth, Truth]:
        return accepted_on(self.program, tree), np.ones(len(tree), bool)

    def check(self, core: Core, budget: Budget) -> Check:
        found = equivalent(core, self.program, CHECKED_LENGTH, budget=budget).comparison
        return Check(witness=found.witness, proved=found.proof == "proved", length=found.length)


@dataclass(frozen=True, eq=False)
class ExamplesTarget:
    """Labelled words, and nothing else is known."""

    examples: Examples
    alphabet: tuple[str, ...]

    def known_words(self) -> Examples:
        """All of them."""
        return self.examples

    @cached_property
    def _in_order(self) -> list[Word]:
        return sorted(self.examples, key=lambda word: (len(word), word))

    def tree(self, nodes: int) -> WordTree:
        """The shortest examples of each label in turn."""
        chosen: list[Word] = []
        letters = 0
        by_label = [
            [word for word in self._in_order if self.examples[word] is label] for label in (True, False)
        ]
        for k in range(max(map(len, by_label))):
            for words in by_label:
                if k < len(words) and (letters <= nodes or len(chosen) < 4):
                    chosen.append(words[k])
                    letters += len(words[k])
        return WordTree.of(self.alphabet, words=chosen)

    def labels(self, tree: WordTree) -> tuple[Truth, Truth]:
        said = np.array([self.examples.get(word, False) for word in tree.words])
        return said, np.array([word in self.examples for word in tree.words])

    def check(self, core: Core, budget: Budget) -> Check:
        words = self._in_order
        wrong = np.flatnonzero(
            accepted_words(core, words) != np.array([self.examples[word] for word in words])
        )
        return Check(witness=words[wrong[0]] if len(wrong) else None)


Target: TypeAlias = RegularTarget | PredicateTarget | ProgramTarget | ExamplesTarget
"""Which words a program should accept.

Each has an `alphabet`; `labels`, for each word of a tree whether it is accepted and whether that is known;
`tree`, about so many words to begin a search with; and `check`, whether a program is right.
"""


def accepted_words(core: Core, words: Sequence[Word]) -> Truth:
    encoder = Encoder(core)
    return accepts(core, [encoder.tokens(word) for word in words])


def target_of(
    wanted: Wanted | Target,
    alphabet: Iterable[str] | None = None,
    *,
    length: int | None = None,
) -> Target:
    """The target that is meant: an automaton, a program, a function of words, or labelled words.

    >>> target_of({"ab": True, "ba": False}).alphabet
    ('a', 'b')
    """
    match wanted:
        case RegularTarget() | PredicateTarget() | ProgramTarget() | ExamplesTarget():
            return wanted
        case Automaton():
            return RegularTarget(wanted)
        case Program():
            return ProgramTarget(wanted.core)
        case Core():
            return ProgramTarget(wanted)
    if callable(wanted):
        if alphabet is None:
            raise InputError("a predicate needs its letters: alphabet=…")
        return PredicateTarget(wanted, tuple(alphabet), length)
    pairs = wanted.items() if isinstance(wanted, Mapping) else wanted
    examples: dict[Word, bool] = {}
    for word, label in pairs:
        if examples.setdefault(tuple(word), bool(label)) != bool(label):
            raise InputError(f"{spaced(word)} has two labels")
    if not examples:
        raise InputError("no examples")
    longest = max(map(len, examples))
    if longest > LONGEST_EXAMPLE:
        raise InputError(f"an example has {longest:,} letters; a search takes at most {LONGEST_EXAMPLE:,}")
    used = sorted({letter for word in examples for letter in word})
    letters = tuple(used if alphabet is None else alphabet)
    outside = [letter for letter in used if letter not in letters]
    if outside:
        listed = " ".join(letters)
        raise InputError(
            f"{outside[0]!r} stands in an example, and not among {listed}", place=Field("alphabet")
        )
    return ExamplesTarget(examples, letters or ("a",))
