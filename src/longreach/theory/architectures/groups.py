"""Finds what decides for an architecture: cycles and groups of the maps that words induce.

A word whose map x has powers that never settle cycles through states: its period is that of a cyclic group.
The words that permute a set X of states, the image of an idempotent map, make a group; every group of maps
is a subgroup of one of these.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, product

import numpy as np

from longreach.theory.architectures.cascades import MOST_MODULUS, find_cascade
from longreach.theory.architectures.documents import (
    NOTHING,
    CascadeCertificate,
    CycleCertificate,
    FiniteStateCertificate,
    LastTokenCertificate,
    PeriodsCertificate,
    Question,
    SameTokenCertificate,
    SolvableCertificate,
    StableGroupCertificate,
    UnsolvableCertificate,
)
from longreach.theory.automata.automaton import LabelledAutomaton, Word
from longreach.theory.automata.monoid import (
    BoolArray,
    TransitionMonoid,
    high_power,
    idempotents,
    stable_semigroup,
    transition_monoid,
    word_back,
)
from longreach.theory.automata.paths import Paths, moves_of_pairs, reached, shortest_word
from longreach.theory.budget import DEFAULT_BUDGET, Budget

Permutation = tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Groups:
    """What is asked, and the groups of its automaton."""

    question: Question
    budget: Budget = DEFAULT_BUDGET

    @property
    def machine(self) -> LabelledAutomaton:
        return self.question.machine

    @cached_property
    def monoid(self) -> TransitionMonoid | None:
        """None beyond the budget."""
        return transition_monoid(self.machine, self.budget.monoid, self.budget)

    def periods(self) -> PeriodsCertificate | None:
        """The index and the period of the monoid.

        >>> from longreach.theory.automata.automaton import labelled
        >>> groups = Groups(Question(labelled("a", [[1], [2], [3], [1]], 0, ["x", "x", "x", "y"])))
        >>> groups.periods().index, groups.periods().period
        (1, 3)
        """
        if self.monoid is None:
            return None
        shapes = [_shape(row) for row in self.monoid.elements.tolist()]
        return PeriodsCertificate(
            machine=self.question.table,
            elements=len(shapes),
            index=max(tail for tail, _ in shapes),
            period=math.lcm(*(period for _, period in shapes)),
        )

    def cycle(self, *, odd: bool = False) -> CycleCertificate | None:
        """A shortest word that cycles through two or more states that are told apart; `odd`: through an odd
        number of them."""
        if self.monoid is None:
            return None
        for element, row in enumerate(self.monoid.elements.tolist()):
            for states in _cycles(row):
                times = len(states) & -len(states) if odd else 1  # the largest power of two
                visited = states[::times]
                found = _told_apart(self.machine, visited) if len(visited) > 1 else None
                if found is not None:
                    return CycleCertificate(
                        machine=self.question.table,
                        before=shortest_word(self.machine, 0, visited[0]),
                        word=self.monoid.word(element) * times,
                        states=tuple(visited),
                        pair=found[0],
                        after=found[1],
                    )
        return None

    def odd_cycle(self) -> CycleCertificate | None:
        return self.cycle(odd=True)

    @cached_property
    def lengths(self) -> tuple[tuple[BoolArray, ...], int] | None:
        """Which maps words of each length 0, 1, … induce, until they repeat, and the period of that."""
        if self.monoid is None:
            return None
        stable = stable_semigroup(self.monoid)
        layers, period = list(stable.layers), 0
        while period == 0 or (layers[stable.length + period] != layers[stable.length]).any():
            layer = np.zeros(len(self.monoid), dtype=np.bool_)
            layer[self.monoid.right[layers[-1]]] = True
            layers.append(layer)
            period += 1
        return tuple(layers[: stable.length + 1]), period

    def stable_group(self) -> StableGroupCertificate | None:
        """Two shortest words of one length of which one cycles through states that are told apart, and the
        other stays at them.

        Where some cycle has its period among the maps of words of stable length, the idempotent power of its
        map is there as well, so a pair is found there at the latest. Beyond the budget for maps, only cycles
        of two and three states are looked for.
        """
        if self.monoid is None or self.lengths is None:
            return next(filter(None, map(self._steady_cycle, (2, 3))), None)
        rows = self.monoid.elements
        told: dict[tuple[int, ...], tuple[tuple[int, int], Word] | None] = {}
        high = high_power(rows)
        cyclic = (np.take_along_axis(rows, high, axis=1) != high).any(axis=1)
        layers, _ = self.lengths
        if not cyclic[layers[-1]].any():
            return None
        for length, layer in enumerate(layers[1:], 1):
            self.budget.check()
            members = np.flatnonzero(layer)
            for element in members[cyclic[members]].tolist():
                for states in _cycles(rows[element].tolist()):
                    if len(states) < 2:
                        continue
                    visited = tuple(states)
                    if visited not in told:
                        told[visited] = _told_apart(self.machine, visited)
                    found = told[visited]
                    if found is None:
                        continue
                    steady = members[(rows[members][:, visited] == visited).all(axis=1)]
                    if len(steady):
                        return StableGroupCertificate(
                            machine=self.question.table,
                            before=shortest_word(self.machine, 0, visited[0]),
                            word=self._word(element, length),
                            states=visited,
                            steady=self._word(int(steady[0]), length),
                            pair=found[0],
                            after=found[1],
                        )
        return None

    def _steady_cycle(self, size: int) -> StableGroupCertificate | None:
        """So many states through which one word cycles while another of its length stays at each."""
        table = self.machine.table
        places = [range(len(table))] * size
        if len(table) ** size > MOST_TUPLES:
            return None
        rows = np.array(list(product(*places)))
        weights = len(table) ** np.arange(size)[::-1]
        moves = table[rows].transpose(0, 2, 1) @ weights
        for states in rows[(rows[:, :1] < rows[:, 1:]).all(axis=1)].tolist():
            self.budget.check()
            found = _told_apart(self.machine, states)
            if found is None or len(set(states)) < size:
                continue
            here, there = int(np.dot(states, weights)), int(np.dot([*states[1:], states[0]], weights))
            layers = [np.arange(len(rows)) == here]
            while len(layers) <= MOST_STEADY:
                layer = np.zeros(len(rows), dtype=np.bool_)
                layer[moves[layers[-1]]] = True
                layers.append(layer)
                if layer[here] and layer[there]:
                    return StableGroupCertificate(
                        machine=self.question.table,
                        before=shortest_word(self.machine, 0, states[0]),
                        word=word_back(self.machine, moves, layers, there),
                        states=tuple(states),
                        steady=word_back(self.machine, moves, layers, here),
                        pair=found[0],
                        after=found[1],
                    )
        return None

    def _word(self, element: int, length: int) -> Word:
        """A word of just this length that induces the element."""
        assert self.monoid is not None
        assert self.lengths is not None
        return word_back(self.machine, self.monoid.right, self.lengths[0][: length + 1], element)

    def cascade(self) -> CascadeCertificate | None:
        """With the fewest layers and then the least modulus that the search finds."""
        period = USUAL_PERIOD if self.lengths is None else self.lengths[1]
        moduli = [m for m in range(1, min(period, MOST_MODULUS) + 1) if period % m == 0]
        return find_cascade(self.question, moduli, self.budget)

    def steady_cascade(self) -> CascadeCertificate | None:
        """Without a clock."""
        return find_cascade(self.question, [1], self.budget)

    def series(self) -> SolvableCertificate | UnsolvableCertificate | None:
        """A longest derived series, or a group that is not solvable on states that are told apart."""
        if self.monoid is None:
            return None
        longest: tuple[int, int] = (0, 0)
        best = SolvableCertificate(
            machine=self.question.table, elements=len(self.monoid), states=(0,), orders=(1,)
        )
        doubtful = False
        for states in self._images():
            self.budget.check()
            group = self._group(states)
            series = _derived_series(list(group))
            if len(series[-1]) > 1:
                doubtful = True
                found = self._unsolvable(states, group, _generators(series[-1]))
                if found is not None:
                    return found
            elif (len(series), len(group)) > longest:
                longest = (len(series), len(group))
                orders = tuple(len(each) for each in series)
                best = best.model_copy(update={"states": states, "orders": orders})
        return None if doubtful else best

    def _unsolvable(
        self, states: tuple[int, ...], group: dict[Permutation, int], core: list[Permutation]
    ) -> UnsolvableCertificate | None:
        """On one orbit of the core, which is a group without an abelian quotient as well."""
        assert self.monoid is not None
        elements = _closure(core, len(states))
        for start in range(len(states)):
            orbit = sorted({one[start] for one in elements})
            pairs = combinations((states[place] for place in orbit), 2)
            if len(orbit) > 1 and all(_apart(self.machine, p, q) is not None for p, q in pairs):
                return UnsolvableCertificate(
                    machine=self.question.table,
                    states=tuple(states[place] for place in orbit),
                    words=tuple(self.monoid.word(group[each]) for each in core),
                    order=len({tuple(one[place] for place in orbit) for one in elements}),
                )
        return None

    def _images(self) -> Iterator[tuple[int, ...]]:
        """The images of idempotent maps with two states or more, each once."""
        assert self.monoid is not None
        rows = self.monoid.elements
        found = dict.fromkeys(tuple(sorted(set(row))) for row in rows[idempotents(rows)].tolist())
        return (states for states in found if len(states) > 1)

    def _group(self, states: tuple[int, ...]) -> dict[Permutation, int]:
        """The permutations of the states, by places, and a first element that induces each."""
        assert self.monoid is not None
        moved = self.monoid.elements[:, list(states)]
        members = np.flatnonzero((np.sort(moved, axis=1) == np.array(states)).all(axis=1))
        found: dict[Permutation, int] = {}
        for element, row in zip(
            members.tolist(), np.searchsorted(states, moved[members]).tolist(), strict=True
        ):
            found.setdefault(tuple(row), element)
        return found

    def finite_state(self) -> FiniteStateCertificate:
        """The automaton alone."""
        return FiniteStateCertificate(machine=self.question.table)

    def reflected(self) -> FiniteStateCertificate:
        """The automaton, with the reflections that its steps need.

        A permutation of n things with c cycles is a product of n - c transpositions, each a reflection
        (Grazzi et al., arXiv 2411.12537: n - 1 suffice). Other automata are cascades of steps that permute
        or forget at most n states, for each of which n suffice (the same, by Krohn and Rhodes).
        """
        letters = [list(column) for column in zip(*self.machine.transitions, strict=True)]
        states = len(self.machine)
        if any(len(set(row)) < states for row in letters):
            return FiniteStateCertificate(machine=self.question.table, reflections=states)
        blocks, needed = _fewest_reflections(letters)
        return FiniteStateCertificate(
            machine=self.question.table, reflections=max(needed, 1), blocks=tuple(map(tuple, blocks))
        )

    def token(self) -> LastTokenCertificate | SameTokenCertificate:
        """What is right after each token, or two words after which it is not the same."""
        seen: dict[str, tuple[str, int, Word]] = {}
        words = [shortest_word(self.machine, 0, state) for state in range(len(self.machine))]
        for state, row in enumerate(self.machine.transitions):
            for letter, target in zip(self.machine.alphabet, row, strict=True):
                output = self.machine.outputs[target]
                if output == NOTHING:
                    continue
                token = "" if self.question.at_end else letter
                word = (*words[state], letter)
                known = seen.setdefault(token, (output, target, word))
                if known[0] != output:
                    return SameTokenCertificate(machine=self.question.table, first=known[2], second=word)
        answers = {token: output for token, (output, _, _) in sorted(seen.items())}
        return LastTokenCertificate(machine=self.question.table, answers=answers)


USUAL_PERIOD = 12
"""Its divisors are tried as moduli where there are too many maps."""
MOST_TUPLES = 20_000
MOST_STEADY = 100
"""Tuples of states, and letters of words, that are looked through where there are too many maps."""


def _shape(row: Sequence[int]) -> tuple[int, int]:
    """After how many steps every state is on a cycle, and after how many more all are back."""
    cycles = list(_cycles(row))
    on_cycle = {state for states in cycles for state in states}
    tail, now = 0, set(range(len(row)))
    while not now <= on_cycle:
        now = {row[state] for state in now}
        tail += 1
    return tail, math.lcm(*map(len, cycles))


def _cycles(row: Sequence[int]) -> Iterator[list[int]]:
    """The cycles of a map, each in the order in which it is run through."""
    visited = [-1] * len(row)
    for start in range(len(row)):
        path, state = [], start
        while visited[state] < 0:
            visited[state] = start
            path.append(state)
            state = row[state]
        if visited[state] == start:
            yield path[path.index(state) :]


def _told_apart(machine: LabelledAutomaton, states: Sequence[int]) -> tuple[tuple[int, int], Word] | None:
    """Two places in the list, and a word after which different outputs are asked of the two."""
    for i, j in combinations(range(len(states)), 2):
        word = _apart(machine, states[i], states[j])
        if word is not None:
            return (i, j), word
    return None


def _apart(machine: LabelledAutomaton, first: int, second: int) -> Word | None:
    """A shortest word after which different outputs are asked; None if there is none."""

    def differs(pair: tuple[int, int]) -> bool:
        one, other = (machine.outputs[state] for state in pair)
        return NOTHING not in (one, other) and one != other

    return Paths((first, second), moves_of_pairs(machine)).first(differs)


# Permutation groups, as lists of all their elements


def _times(first: Permutation, second: Permutation) -> Permutation:
    return tuple(second[place] for place in first)


def _inverse(one: Permutation) -> Permutation:
    return tuple(np.argsort(one).tolist())


def _closure(generators: Sequence[Permutation], size: int) -> list[Permutation]:
    """All products, the identity first."""
    return reached(tuple(range(size)), lambda one: [_times(one, generator) for generator in generators])


def _generators(group: Sequence[Permutation]) -> list[Permutation]:
    """A few elements that generate the group, in its order."""
    size = len(group[0])
    chosen: list[Permutation] = []
    made = {tuple(range(size))}
    for one in group:
        if one not in made:
            chosen.append(one)
            made = set(_closure(chosen, size))
    return chosen


def _derived_series(group: list[Permutation]) -> list[list[Permutation]]:
    """The group, its derived group, and so on until it no longer shrinks."""
    series = [group]
    while len(series[-1]) > 1:
        smaller = _derived(series[-1])
        if len(smaller) == len(series[-1]):
            break
        series.append(smaller)
    return series


def _derived(group: Sequence[Permutation]) -> list[Permutation]:
    """Generated by the commutators of generators and their conjugates."""
    generators = _generators(group)
    size = len(group[0])
    chosen: list[Permutation] = []
    made = {tuple(range(size))}
    waiting = [_times(_times(_inverse(a), _inverse(b)), _times(a, b)) for a, b in combinations(generators, 2)]
    while waiting:
        one = waiting.pop()
        if one not in made:
            chosen.append(one)
            made = set(_closure(chosen, size))
            waiting += [_times(_times(_inverse(g), one), g) for g in generators]
    return _closure(chosen, size)


# Sets of states that letters permute


MOST_PARTITIONS = 200
MOST_PERMUTED = 150
"""Partitions that are looked at, and states of automata for which that is done."""

Blocks = list[list[int]]


def _fewest_reflections(letters: list[list[int]]) -> tuple[Blocks, int]:
    """Blocks of states on which the letters act as a group of the same order, with the fewest transpositions.

    Merging two states of a block system gives the next; only some are looked at.
    """
    size = len(letters[0])
    best: Blocks = [[state] for state in range(size)]
    fewest = (_transpositions(letters), size)
    if size > MOST_PERMUTED:
        return best, fewest[0]
    few = _generators([tuple(row) for row in letters])
    group = np.array(_closure(few, size))
    seen = {tuple(range(size))}
    waiting = [tuple(range(size))]
    for number in waiting:
        for state in sorted({*number} - {0}):
            if len(seen) >= MOST_PARTITIONS:
                return best, fewest[0]
            merged = _merged(number, state, few)
            if merged in seen:
                continue
            seen.add(merged)
            least = sorted(set(merged))
            place = np.searchsorted(least, merged)
            if len({row.tobytes() for row in place[group[:, least]]}) < len(group):
                continue
            waiting.append(merged)
            acting = place[np.array(letters)[:, least]].tolist()
            if (count := (_transpositions(acting), len(least))) < fewest:
                best = [[q for q in range(size) if merged[q] == one] for one in least]
                fewest = count
    return best, fewest[0]


def _transpositions(letters: list[list[int]]) -> int:
    return max(len(row) - sum(1 for _ in _cycles(row)) for row in letters)


def _merged(number: tuple[int, ...], state: int, letters: Sequence[Sequence[int]]) -> tuple[int, ...]:
    """The least block system, as the least state of each block, in which state 0 and another are in one."""
    root = list(number)

    def find(q: int) -> int:
        while root[q] != q:
            root[q] = q = root[root[q]]
        return q

    waiting = [(0, state)]
    while waiting:
        p, q = waiting.pop()
        first, second = sorted((find(p), find(q)))
        if first != second:
            root[second] = first
            waiting += [(row[p], row[q]) for row in letters]
    return tuple(find(q) for q in range(len(root)))
