"""Automata learned by asking or from examples.

By asking: a table of words and suffixes tells states apart, an automaton is read off, and a word on which it
is wrong gives one more suffix, found by halving (Angluin, 1987; Rivest and Schapire, 1993).

From examples: the tree of the words is folded. Its states, the nearest first, are merged with an earlier
state where no word contradicts that, the pair with most words in favour first (the blue-fringe search of
Lang, Pearlmutter and Price, 1998). It begins with some of the words; as long as the automaton is wrong on
others, some of these join. The result agrees with every word. It is small, not always the smallest, and
others agree as well.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import chain
from typing import TypeAlias

import numpy as np

from longreach.errors import InputError
from longreach.theory.automata.automaton import LabelledAutomaton, Word, labelled
from longreach.theory.automata.evidence import length_ranges, seen_answers
from longreach.theory.automata.samples import (
    class_shares,
    class_words,
    long_words,
    longest_within,
    near_words,
    short_words,
    state_words,
    suffixes_to,
)
from longreach.theory.budget import Budget, OverBudget

Teacher: TypeAlias = Callable[[Word], str]
"""The class of a word."""
LEARNING_BUDGET = Budget(seconds=5.0)


class ObservationTable:
    """Words, one for each state, and the suffixes that tell them apart; `answers` gives the classes of words.

    >>> table = ObservationTable(lambda words: (str(len(word) % 3) for word in words), "a", states=5)
    >>> def wrong(guess):
    ...     return next((word for word in ("a", "aa") if guess.class_of(word) != str(len(word))), None)
    >>> table.learn(wrong).transitions
    ((1,), (2,), (0,))
    """

    def __init__(
        self,
        answers: Callable[[Sequence[Word]], Iterable[str]],
        alphabet: Sequence[str],
        states: int,
        suffixes: Iterable[Word] = ((),),
    ) -> None:
        self.alphabet = tuple(alphabet)
        self.known: dict[Word, str] = {}
        self.access: list[Word] = [()]
        self.suffixes = list(suffixes)
        self._answers, self._states = answers, states

    def ask(self, *words: Word) -> tuple[str, ...]:
        """The classes of words; each is asked for once."""
        missing = [word for word in words if word not in self.known]
        if missing:
            for word, answer in zip(missing, self._answers(missing), strict=True):
                self.known[word] = answer
        return tuple(self.known[word] for word in words)

    def learn(self, wrong: Callable[[LabelledAutomaton], Word | None]) -> LabelledAutomaton:
        """An automaton that `wrong` finds no word against; raises `OverBudget` if it needs too many states.

        It may have states that it does not tell apart itself.
        """
        while True:
            guess = self._hypothesis()
            word = wrong(guess)
            if word is None:
                return guess
            # One long word may call for many states.
            while self.ask(word) != (guess.class_of(word),):
                self.suffixes.append(self._telling(word, guess))
                guess = self._hypothesis()

    def _row(self, word: Word) -> tuple[str, ...]:
        return self.ask(*(word + suffix for suffix in self.suffixes))

    def _hypothesis(self) -> LabelledAutomaton:
        """The automaton of the table, closed first; its states are the places of the access words."""
        rows = {self._row(word): number for number, word in enumerate(self.access)}
        transitions: list[tuple[int, ...]] = []
        for word in self.access:  # grows on the way
            targets = []
            for letter in self.alphabet:
                row = self._row((*word, letter))
                if row not in rows:
                    if len(rows) >= self._states:
                        raise OverBudget(f"no automaton with at most {self._states} states gives the answers")
                    rows[row] = len(self.access)
                    self.access.append((*word, letter))
                targets.append(rows[row])
            transitions.append(tuple(targets))
        return LabelledAutomaton(self.alphabet, tuple(transitions), self.ask(*self.access))

    def _telling(self, wrong: Word, guess: LabelledAutomaton) -> Word:
        """A suffix of a word with a wrong class that tells two words of one state apart, by halving."""

        def said(cut: int) -> tuple[str, ...]:
            """The answer once the first letters are replaced by the word of their state."""
            return self.ask(self.access[guess.run(wrong[:cut])] + wrong[cut:])

        first, last, truth = 0, len(wrong), said(0)  # with none replaced the truth, with all the wrong class
        while last - first > 1:
            middle = (first + last) // 2
            first, last = (middle, last) if said(middle) == truth else (first, middle)
        return wrong[last:]


@dataclass(frozen=True, kw_only=True)
class LearningLimits:
    """When learning stops without an automaton; counts come first, so that two machines agree."""

    states: int = 30
    """Of the automaton. Up to a length every language is regular (brackets need a state for every second
    letter), so there must be few states for the length."""
    length: int = 100
    """Of the longest words tried."""
    short: int = 20_000
    """Words of all short lengths."""
    long: int = 1500
    """Random words up to `length`."""
    near: int = 600
    """Words made from known ones of every class,; with 0 also none drawn from the automaton."""
    sparse: int = 90_000
    """Further words where hardly any short word has another class: detours between the states."""
    beyond: int = 40
    """Words longer than `length` on which the automaton must be right as well, where they have an answer."""
    extra: int = 1
    """The trial is exact for automata with up to this many more states."""
    asked: int = 300_000
    budget: Budget = LEARNING_BUDGET


@dataclass(frozen=True, kw_only=True)
class LearnedAutomaton:
    """An automaton that is right on every word that was tried; beyond their length nothing is promised."""

    machine: LabelledAutomaton
    length: int
    """Of the longest word tried."""
    exhaustive: int
    """All words to this length were tried."""
    exact_states: int
    """If some automaton with so many states is right on all words, this one is."""
    asked: int
    seen: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    """For each class how many words were asked about, by ranges of lengths."""
    rare: tuple[str, int] | None = None
    """A class that short words hardly ever have, and how many letters a detour to it has that no word tried
    would show."""


@dataclass(frozen=True)
class NotLearned:
    reason: str


def learn_automaton(
    teacher: Teacher,
    alphabet: Sequence[str],
    limits: LearningLimits | None = None,
    *,
    also: Iterable[Word] = (),
    undefined: str | None = None,
) -> LearnedAutomaton | NotLearned:
    """The least automaton that agrees with the teacher on all words tried; `also` are words to try besides,
    and `undefined` is the class of words that have no answer.

    >>> found = learn_automaton(lambda word: "even" if word.count("a") % 2 == 0 else "odd", "ab")
    >>> len(found.machine), found.machine.class_of("aba"), found.length
    (2, 'even', 100)
    >>> learn_automaton(lambda word: "yes" if 2 * word.count("a") >= len(word) else "no", "ab").reason
    'no automaton with at most 30 states gives the answers'
    """
    limits = limits or LearningLimits()
    budget = limits.budget.running()
    shown = [tuple(word) for word in also]

    def answers(words: Sequence[Word]) -> Iterator[str]:
        for word in words:
            if len(table.known) >= limits.asked:
                raise OverBudget(f"no automaton was found after asking about {limits.asked} words")
            # One answer may take long; a clock that is looked at after each costs less than most answers.
            budget.check()
            yield teacher(word)

    table = ObservationTable(answers, alphabet, limits.states)

    def wrong(guess: LabelledAutomaton) -> Word | None:
        trials = _trials(table, limits, shown, guess, undefined)
        return next((word for word in trials if table.ask(word) != (guess.class_of(word),)), None)

    try:
        guess = table.learn(wrong)
    except OverBudget as spent:
        return NotLearned(str(spent))
    machine = labelled(guess.alphabet, guess.transitions, 0, guess.outputs)
    if (change := _changes(machine, teacher, limits, budget, undefined)) is not None:
        return NotLearned(change)
    extra = _extra(table, limits)
    longest = max(map(len, table.access)) + extra + 1 + max(map(len, table.suffixes))
    rare = _rare(table, limits, undefined)
    return LearnedAutomaton(
        machine=machine,
        length=limits.length,
        exhaustive=longest_within(len(table.alphabet), limits.short, limits.length),
        exact_states=len(machine) + extra if longest <= limits.length else len(machine),
        asked=len(table.known),
        seen=seen_answers(table.known.items(), limits.length),
        rare=None if rare is None else (rare, _detours(table, guess, limits, rare)[0] + 1),
    )


def _trials(
    table: ObservationTable,
    limits: LearningLimits,
    also: list[Word],
    guess: LabelledAutomaton,
    undefined: str | None,
) -> Iterator[Word]:
    """The same words each time, but for those that the states call for; what is wrong is found early."""
    rng = np.random.default_rng(0)
    words = chain(
        also,
        state_words(list(table.access), table.alphabet, list(table.suffixes), _extra(table, limits)),
        long_words(table.alphabet, limits.length, limits.long, rng),
        _class_words(guess, limits, undefined),
        _near_words(table, limits, undefined),
        short_words(table.alphabet, limits.short, longest=limits.length)[1],
        _sparse_words(table, guess, limits, undefined),
        _near_words(table, limits, undefined),
    )
    return (word for word in words if len(word) <= limits.length)


EACH_RANGE, MOST_CLASSES = 24, 4
"""Words of each class that the automaton draws in every range of lengths; fewer of more classes."""
KNOWN_WORDS = 20
"""Of each class, short ones and others: words are made from these."""
SPARSE = 0.01
"""The share of a class among all short words below which it is rare."""


def _class_words(guess: LabelledAutomaton, limits: LearningLimits, undefined: str | None) -> Iterator[Word]:
    """Words of every class in every range of lengths, as the automaton has them."""
    if not limits.near:
        return
    rng = np.random.default_rng(1)
    labels = [label for label in guess.classes if label != undefined]
    each = EACH_RANGE if len(labels) <= MOST_CLASSES else EACH_RANGE // 2
    for label in labels:
        shares = class_shares(guess, label, limits.length)
        for part in length_ranges(limits.length):
            lengths = [length for length in part if shares[length][0]]
            if lengths:
                yield from class_words(guess, label, np.resize(rng.permutation(lengths), each).tolist(), rng)


def _near_words(table: ObservationTable, limits: LearningLimits, undefined: str | None) -> Iterator[Word]:
    """Words near known ones of every class, the rarest class first."""
    rng = np.random.default_rng(2)
    known: dict[str, list[Word]] = {}
    for word, label in table.known.items():
        if label != undefined:
            known.setdefault(label, []).append(word)
    for words in sorted(known.values(), key=len):
        short = sorted(words, key=len)[:KNOWN_WORDS]
        others = [words[place] for place in rng.integers(0, len(words), KNOWN_WORDS)]
        count = limits.near // len(known)
        yield from near_words([*short, *others], table.alphabet, limits.length, count, rng)


def _rare(table: ObservationTable, limits: LearningLimits, undefined: str | None) -> str | None:
    """The class that is rare among all short words; of one class alone that class."""
    length = longest_within(len(table.alphabet), limits.short, limits.length)
    counts = Counter(
        label for word, label in table.known.items() if len(word) <= length and label != undefined
    )
    if not counts or limits.sparse <= limits.short or length == limits.length:
        return None
    label = min(counts, key=lambda each: counts[each])
    return label if len(counts) == 1 or counts[label] < SPARSE * sum(counts.values()) else None


def _detours(
    table: ObservationTable, guess: LabelledAutomaton, limits: LearningLimits, label: str
) -> tuple[int, Iterator[Word]]:
    """How long detours are, and words with all of them: from a state by any letters, and on to the class as
    some state goes."""
    rest = suffixes_to(guess, label)
    starts = [word for state, word in enumerate(table.access) if state in rest] if len(guess) > 1 else [()]
    ends = {end for each in rest.values() for end in each} if len(guess) > 1 else {()}
    size = longest_within(len(table.alphabet), limits.sparse // (len(starts) * len(ends)), limits.length)
    return size, state_words(starts, table.alphabet, sorted(ends), size - 1)


def _sparse_words(
    table: ObservationTable, guess: LabelledAutomaton, limits: LearningLimits, undefined: str | None
) -> Iterator[Word]:
    """More words where those of some class are rare."""
    label = _rare(table, limits, undefined)
    if label is not None:
        yield from _detours(table, guess, limits, label)[1]


FARTHER = 4
"""How many times as long the longest words are that are tried beyond the length."""


def _changes(
    machine: LabelledAutomaton,
    teacher: Teacher,
    limits: LearningLimits,
    budget: Budget,
    undefined: str | None,
) -> str | None:
    """What is wrong with the automaton on longer words; None if nothing is, or if they have no answers."""
    rng = np.random.default_rng(3)
    lengths = rng.integers(limits.length + 1, FARTHER * limits.length + 1, limits.beyond).tolist()
    for number, length in enumerate(sorted(lengths)):
        label = machine.classes[number % len(machine.classes)]
        for word in class_words(machine, label, [length], rng):
            if budget.left < 0:
                return None
            try:
                said = teacher(word)
            except InputError:  # functions may be for short words only
                return None
            if said not in (label, undefined):
                return (
                    f"an automaton with {len(machine)} states gives the answers to length {limits.length}, "
                    f"but not to a word of {length} letters"
                )
    return None


def _extra(table: ObservationTable, limits: LearningLimits) -> int:
    """As many extra states as asked for, fewer where there are too many letters."""
    one = len(table.access) * len(table.suffixes)
    found = limits.extra
    while found and one * len(table.alphabet) ** (found + 1) > limits.asked / 4:
        found -= 1
    return found


FIRST, MORE = 100, 50
"""Words to begin with, and that join at a time."""


@dataclass(frozen=True, kw_only=True)
class FittingAutomaton:
    machine: LabelledAutomaton
    examples: int
    used: int
    """How many examples it was built from; the others only confirm it."""


def fit_automaton(
    examples: Mapping[Word, str],
    alphabet: Sequence[str],
    *,
    states: int = 40,
    budget: Budget = LEARNING_BUDGET,
) -> FittingAutomaton | NotLearned:
    """A small automaton that gives every example its class.

    >>> from itertools import product
    >>> words = [word for n in range(7) for word in product("ab", repeat=n)]
    >>> found = fit_automaton({word: "odd" if word.count("a") % 2 else "even" for word in words}, "ab")
    >>> len(found.machine), found.used < found.examples
    (2, True)
    """
    budget = budget.running()
    order = sorted(examples, key=lambda word: (len(word), word))
    used = {word: examples[word] for word in order[:FIRST]}
    while True:
        try:
            machine = _folded(used, tuple(alphabet), states, budget)
            budget.check()
        except OverBudget as spent:
            return NotLearned(str(spent))
        if machine is None:
            return NotLearned(
                f"no automaton with at most {states} states was found that agrees with the examples"
            )
        wrong = [word for word in order if machine.class_of(word) != examples[word]]
        if not wrong:
            return FittingAutomaton(machine=machine, examples=len(examples), used=len(used))
        used |= {word: examples[word] for word in wrong[:MORE]}


class _Tree:
    """A partial automaton whose states can be merged; a merge can be undone."""

    def __init__(self, examples: Mapping[Word, str], alphabet: tuple[str, ...]) -> None:
        self.moves: list[dict[int, int]] = [{}]
        self.labels: list[str | None] = [None]
        number = {letter: place for place, letter in enumerate(alphabet)}
        for word, label in examples.items():
            state = 0
            for letter in word:
                state = self.moves[state].setdefault(number[letter], len(self.moves))
                if state == len(self.moves):
                    self.moves.append({})
                    self.labels.append(None)
            self.labels[state] = label
        self.parent = list(range(len(self.moves)))

    def find(self, state: int) -> int:
        while self.parent[state] != state:
            state = self.parent[state]
        return state

    def merge(self, left: int, right: int) -> tuple[int, list[Callable[[], object]]] | None:
        """Merge two states and all that follows; the number of agreeing classes and the steps to undo it, or
        None, with nothing changed, if classes contradict."""
        undo: list[Callable[[], object]] = []
        waiting, score = [(left, right)], 0
        while waiting:
            first, second = (self.find(state) for state in waiting.pop())
            if first == second:
                continue
            here, there = self.labels[first], self.labels[second]
            if here is not None and there is not None:
                if here != there:
                    for step in reversed(undo):
                        step()
                    return None
                score += 1
            self._join(first, second, undo)
            for letter, target in self.moves[second].items():
                if letter in self.moves[first]:
                    waiting.append((self.moves[first][letter], target))
                else:
                    self.moves[first][letter] = target
                    undo.append(partial(self.moves[first].pop, letter))
        return score, undo

    def _join(self, first: int, second: int, undo: list[Callable[[], object]]) -> None:
        label = self.labels[first]

        def step() -> None:
            self.parent[second] = second
            self.labels[first] = label

        self.parent[second] = first
        if label is None:
            self.labels[first] = self.labels[second]
        undo.append(step)


def _folded(
    examples: Mapping[Word, str], alphabet: tuple[str, ...], states: int, budget: Budget
) -> LabelledAutomaton | None:
    tree = _Tree(examples, alphabet)
    red = [0]
    while True:
        budget.check()
        fringe = _fringe(tree, red)
        if not fringe:
            return _machine(tree, red, alphabet)
        best: tuple[int, int, int] | None = None
        alone = None
        for blue in fringe:
            scores = []
            for place, state in enumerate(red):
                tried = tree.merge(state, blue)
                if tried is not None:
                    scores.append((tried[0], -place))
                    for step in reversed(tried[1]):
                        step()
            if not scores:
                alone = blue
                break
            score, place = max(scores)
            if best is None or score > best[0]:
                best = (score, red[-place], blue)
        if alone is not None:
            if len(red) == states:
                return None
            red.append(alone)
        else:
            assert best is not None
            tree.merge(best[1], best[2])


def _fringe(tree: _Tree, red: list[int]) -> list[int]:
    """The states one letter behind the settled ones."""
    known = set(red)
    found: dict[int, None] = {}
    for state in red:
        for letter in sorted(tree.moves[state]):
            target = tree.find(tree.moves[state][letter])
            if target not in known:
                found[target] = None
    return list(found)


def _machine(tree: _Tree, red: list[int], alphabet: tuple[str, ...]) -> LabelledAutomaton:
    """Where no example says what follows, a state loops; one without a class gets the first known class."""
    number = {state: place for place, state in enumerate(red)}
    rows = [
        [
            number[tree.find(tree.moves[state][letter])] if letter in tree.moves[state] else place
            for letter in range(len(alphabet))
        ]
        for place, state in enumerate(red)
    ]
    known = [label for state in red if (label := tree.labels[state]) is not None]
    outputs = [tree.labels[state] or known[0] for state in red]
    return labelled(alphabet, rows, 0, outputs)
