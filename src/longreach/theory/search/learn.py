"""Automata learned by asking or from examples.

Angluin's way of learning: a table of words and suffixes tells states apart, an automaton is read off, and a
word on which it is wrong gives one suffix more, found by halving (Rivest and Schapire, 1993). Whether it is
right is tried on words up to a length: for longer ones nothing is promised.

The tree of the words is folded: its states, the nearest first, become one with an earlier state where no word
contradicts that, the pair with most words in favour first (the blue-fringe search of Lang, Pearlmutter and
Price, 1998). It begins with some of the words; as long as the automaton is wrong on others, some of these
join. The result agrees with every word. It is small, not always the smallest, and others agree as well.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import chain, product

import numpy as np

from longreach.theory.automata.automaton import LabelledAutomaton, Word, labelled

# Words on which a learned automaton is tried: all short ones, what its states call for, and long ones.


LONGEST_BLOCK, MOST_BLOCKS = 3, 4


def short_words(alphabet: Sequence[str], most: int, *, longest: int) -> tuple[int, Iterator[Word]]:
    """The largest length to which there are at most so many words in all, and these words.

    >>> length, words = short_words("ab", 7, longest=60)
    >>> length, ["".join(word) for word in words]
    (2, ['', 'a', 'b', 'aa', 'ab', 'ba', 'bb'])
    """
    length, count = 0, 1
    while length < longest and count + len(alphabet) ** (length + 1) <= most:
        length += 1
        count += len(alphabet) ** length
    return length, (word for size in range(length + 1) for word in product(alphabet, repeat=size))


def state_words(
    access: Sequence[Word], alphabet: Sequence[str], suffixes: Sequence[Word], extra: int
) -> Iterator[Word]:
    """Each state's word, then up to `extra` + 1 letters, then each suffix that tells states apart.

    An automaton that passes all of them is right unless the smallest one has more than `extra` states more
    (Chow's W-method).

    >>> ["".join(word) for word in state_words([()], "ab", [("a",)], 0)]
    ['a', 'aa', 'ba']
    """
    for size in range(extra + 2):
        for middle in product(alphabet, repeat=size):
            for start in access:
                for suffix in suffixes:
                    yield (*start, *middle, *suffix)


def long_words(alphabet: Sequence[str], longest: int, count: int, rng: np.random.Generator) -> Iterator[Word]:
    """Random words up to a length: letter by letter, and of a few blocks that repeat.

    Few letters drawn one by one are ever the same many times in a row; blocks are.

    >>> words = list(long_words("ab", 9, 50, np.random.default_rng(0)))
    >>> len(words), max(map(len, words)) <= 9
    (50, True)
    """
    for number in range(count):
        size = int(rng.integers(1, longest + 1))
        if number % 2:
            yield tuple(alphabet[k] for k in rng.integers(0, len(alphabet), size))
            continue
        word: list[str] = []
        blocks = int(rng.integers(1, MOST_BLOCKS + 1))
        for left in range(blocks, 0, -1):
            block = [alphabet[k] for k in rng.integers(0, len(alphabet), rng.integers(1, LONGEST_BLOCK + 1))]
            room = max(1, (size - len(word)) // (left * len(block)))
            word += block * int(rng.integers(1, 2 * room + 1))
        yield tuple(word[:size])


# Right answers, asked for one by one → the least automaton that gives them.


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


# Words with their classes, and nobody to ask → a small automaton that agrees with all of them.


FIRST, MORE = 100, 50
"""Words to begin with, and that join at a time."""


@dataclass(frozen=True, kw_only=True)
class FittingAutomaton:
    """An automaton that agrees with every example."""

    machine: LabelledAutomaton
    examples: int
    used: int
    """From so many of them it was made; the others only confirm it."""


def fit_automaton(
    examples: Mapping[Word, str],
    alphabet: Sequence[str],
    *,
    states: int = 40,
    seconds: float = 5.0,
    clock: Callable[[], float] = time.thread_time,
) -> FittingAutomaton | NotLearned:
    """A small automaton that gives every example its class.

    >>> from itertools import product
    >>> words = [word for n in range(7) for word in product("ab", repeat=n)]
    >>> found = fit_automaton({word: "odd" if word.count("a") % 2 else "even" for word in words}, "ab")
    >>> len(found.machine), found.used < found.examples
    (2, True)
    """
    ends = clock() + seconds
    order = sorted(examples, key=lambda word: (len(word), word))
    used = {word: examples[word] for word in order[:FIRST]}
    while True:
        machine = _folded(used, tuple(alphabet), states, lambda: clock() > ends)
        if clock() > ends:
            return NotLearned(f"the budget of {seconds:g} s is spent")
        if machine is None:
            return NotLearned(
                f"no automaton with at most {states} states was found that agrees with the examples"
            )
        wrong = [word for word in order if machine.class_of(word) != examples[word]]
        if not wrong:
            return FittingAutomaton(machine=machine, examples=len(examples), used=len(used))
        used |= {word: examples[word] for word in wrong[:MORE]}


class _Tree:
    """States with some moves and some classes; merging makes states one, and can be taken back."""

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
        """Makes two states one, with all that follows: how many classes are in favour, and how to take it
        back; None, and nothing done, if classes contradict."""
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
    examples: Mapping[Word, str], alphabet: tuple[str, ...], states: int, late: Callable[[], bool]
) -> LabelledAutomaton | None:
    tree = _Tree(examples, alphabet)
    red = [0]
    while not late():
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
    return None


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
    """Where no example says what follows, a state is its own successor, and has a class that others have."""
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
