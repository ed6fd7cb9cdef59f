"""Words with their classes, and nobody to ask → a small automaton that agrees with all of them.

The tree of the words is folded: its states, the nearest first, become one with an earlier state where no word
contradicts that, the pair with most words in favour first (the blue-fringe search of Lang, Pearlmutter and
Price, 1998). It begins with some of the words; as long as the automaton is wrong on others, some of these
join. The result agrees with every word. It is small, not always the smallest, and others agree as well.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from longreach.languages.regular.automaton import Word
from longreach.languages.regular.labelled_automaton import LabelledAutomaton, labelled
from longreach.synthesis.answers_to_automaton import NotLearned

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
