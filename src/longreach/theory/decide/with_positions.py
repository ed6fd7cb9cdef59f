"""Is a language in C-RASP with periodic and local relations? Exact, within a budget.

A long power of an object word hides the position and everything older than the window from a program. Between
such powers a program reads arrows as if they were letters, so the potentials of the graph of arrows bound
what it can know; states that they leave together after the same object word cannot be told apart.

A language is in C-RASP[periodic, local] if and only if in the graph of idempotents of its stable semigroup
the potentials separate any two states after the same idempotent; with the semigroup of all nonempty words
the same test decides C-RASP[local]. Where the answer is yes, an extended automaton gives the window and
the modulus.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice, product

import numpy as np
import numpy.typing as npt

from longreach.theory.automata.automaton import Automaton, IntArray, Word, strong_components
from longreach.theory.automata.monoid import (
    StableSemigroup,
    TransitionMonoid,
    idempotent_representatives,
    stable_semigroup,
    transition_monoid,
)
from longreach.theory.automata.paths import Paths
from longreach.theory.budget import DEFAULT_BUDGET, Budget, OverBudget
from longreach.theory.decide.potentials import Classes, Graph, numbered, refine
from longreach.theory.decide.views import Analysis, analyse, extend, settled_states
from longreach.theory.decide.without_positions import plain_analysis

Int64Array = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Arrow:
    """A map from the states that one object word fixes to those that another fixes."""

    source: int
    target: int
    """Numbers of objects."""
    images: tuple[int, ...]
    """The image of each fixed state of the source object, in their order."""
    name: int
    """Whatever the caller needs to find a word of the arrow again."""


@dataclass(frozen=True, eq=False)
class Failure:
    """A component in which two states after the same object word stay together."""

    vertices: tuple[tuple[int, int], ...]
    """(state, object) of each vertex."""
    arrows: tuple[Arrow, ...]
    """Edge labels of the graph are places in this list."""
    graph: Graph
    classes: Classes
    pair: tuple[int, int]
    """Two vertices of one class with the same object and different states."""


def find_failure(
    fixed: Sequence[Sequence[int]], arrows: Sequence[Arrow], budget: Budget = DEFAULT_BUDGET
) -> Failure | None:
    """The smallest component of the graph in which the potentials leave two states together, if there is
    one.

    `fixed` lists the states that each object word fixes.

    >>> swap = [Arrow(0, 0, (0, 1), 0), Arrow(0, 0, (1, 0), 1)]
    >>> find_failure([[0, 1]], swap).pair
    (0, 1)
    """
    vertices = [(state, number) for number, states in enumerate(fixed) for state in states]
    place = {vertex: index for index, vertex in enumerate(vertices)}
    source: list[int] = []
    label: list[int] = []
    target: list[int] = []
    for number, arrow in enumerate(arrows):
        for state, image in zip(fixed[arrow.source], arrow.images, strict=True):
            source.append(place[state, arrow.source])
            label.append(number)
            target.append(place[image, arrow.target])
    edges = np.array([source, label, target], dtype=np.int64)
    successors: list[set[int]] = [set() for _ in vertices]
    for s, t in set(zip(source, target, strict=True)):
        successors[s].add(t)
    components = strong_components([sorted(targets) for targets in successors])
    for members in sorted(components, key=len):
        objects = [vertices[v][1] for v in members]
        if len(set(objects)) == len(objects):
            continue
        failure = _failure_in(members, vertices, edges, arrows, budget)
        if failure is not None:
            return failure
    return None


def _failure_in(
    members: list[int],
    vertices: list[tuple[int, int]],
    edges: Int64Array,
    arrows: Sequence[Arrow],
    budget: Budget,
) -> Failure | None:
    number = np.full(len(vertices), -1, dtype=np.int64)
    number[members] = np.arange(len(members))
    inside = edges[:, (number[edges[0]] >= 0) & (number[edges[2]] >= 0)]
    used, label = np.unique(inside[1], return_inverse=True)
    chosen = tuple(vertices[v] for v in members)
    graph = Graph(len(members), number[inside[0]], label, number[inside[2]], numbered([o for _, o in chosen]))
    classes = refine(graph, budget=budget).classes
    leader: dict[int, int] = {}
    for vertex, c in enumerate(classes):
        if leader.setdefault(c, vertex) != vertex:
            return Failure(chosen, tuple(arrows[a] for a in used), graph, classes, (leader[c], vertex))
    return None


# The graph of all idempotents of a semigroup of maps: the exact test for local and periodic relations.


@dataclass(frozen=True, eq=False)
class IdempotentGraph:
    """One idempotent per D-class and all arrows between them; an arrow's name is a row of the semigroup."""

    objects: tuple[int, ...]
    """Rows of the semigroup."""
    fixed: tuple[tuple[int, ...], ...]
    arrows: tuple[Arrow, ...]
    complete: bool
    """Whether these are all arrows; a failure proves as much in a part of the graph."""

    def failure(self, budget: Budget = DEFAULT_BUDGET) -> Failure | None:
        """A component that the potentials leave unresolved, seen with as few arrows as a short search
        finds.

        Fewer arrows mean fewer constraints, so a failure of a part is a failure of the whole.
        """
        count = 2 * len(self.objects) + 4
        while count < len(self.arrows):
            # Arrows at even distances of the list, so that every pair of objects is met.
            step = len(self.arrows) / count
            part = [self.arrows[int(k * step)] for k in range(count)]
            failure = find_failure(self.fixed, part, budget)
            if failure is not None:
                return failure
            count *= 4
        return find_failure(self.fixed, self.arrows, budget)


def idempotent_graph(elements: Int64Array, limit: int, budget: Budget = DEFAULT_BUDGET) -> IdempotentGraph:
    """The graph for a semigroup of maps, given by rows, with at most about `limit` edges.

    >>> graph = idempotent_graph(np.array([[0, 1], [1, 0]]), 100)
    >>> graph.failure().pair
    (0, 1)
    """
    objects = idempotent_representatives(elements)
    states = np.arange(elements.shape[1])
    fixed = [np.flatnonzero(elements[e] == states) for e in objects]
    arrows: list[Arrow] = []
    edges = 0
    for source, start in enumerate(fixed):
        moved, row = np.unique(elements[:, start], axis=0, return_index=True)
        for target, e in enumerate(objects):
            budget.check()
            images, index = np.unique(elements[e][moved], axis=0, return_index=True)
            kept = images[: max(0, limit - edges) // max(1, len(start))]
            edges += images.size
            arrows += [
                Arrow(source, target, tuple(image), name)
                for image, name in zip(kept.tolist(), row[index[: len(kept)]].tolist(), strict=True)
            ]
    places = tuple(tuple(f.tolist()) for f in fixed)
    return IdempotentGraph(tuple(objects), places, tuple(arrows), edges <= limit)


# The quick search for a "no" with local and periodic relations: few object words, few arrows, no monoid.


_LONGEST_OBJECT = 64
_RANDOM_ARROWS = 16
_MOST_GOALS = 64

Letters = tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Sample:
    """A failure together with the words of its objects and arrows, letters by their place in the alphabet."""

    block: int
    """The length of every object word; it divides the length of every arrow word."""
    objects: tuple[Letters, ...]
    words: tuple[Letters, ...]
    failure: Failure


def sampled_failure(automaton: Automaton, tries: int, budget: Budget = DEFAULT_BUDGET) -> Sample | None:
    """A proof that no program with local and periodic relations exists, if a short search finds one.

    >>> sampled_failure(from_expression("b*(ab*ab*)*"), 10).block
    2
    >>> sampled_failure(from_expression("(aa)*"), 10) is None
    True
    """
    # A fixed seed: the same language always gets the same certificate.
    chance = random.Random(0)
    found: list[Letters] = []
    for letters in islice(_candidates(len(automaton.alphabet)), tries):
        word = _idempotent_power(automaton, letters)
        if word is None or _map(automaton, word) in {_map(automaton, other) for other in found}:
            continue
        found.append(word)
        sample = _try(automaton, [word], chance, budget)
        if sample is not None:
            return sample
    for size in (2, 3):
        together = [w for w in found if len(_fixed(automaton, w)) > 1][:size]
        if len(together) == size:
            sample = _try(automaton, together, chance, budget)
            if sample is not None:
                return sample
    return None


def _candidates(letters: int) -> Iterator[Letters]:
    for length in range(1, 6):
        for word in product(range(letters), repeat=length):
            # A power of a shorter word gives the same idempotent.
            if not any(length % d == 0 and word == word[:d] * (length // d) for d in range(1, length)):
                yield word


def _map(automaton: Automaton, word: Letters) -> tuple[int, ...]:
    images = np.arange(len(automaton))
    for letter in word:
        images = automaton.table[images, letter]
    return tuple(images.tolist())


def _idempotent_power(automaton: Automaton, word: Letters) -> Letters | None:
    step = _map(automaton, word)
    images = step
    for power in range(1, _LONGEST_OBJECT // len(word) + 1):
        if all(images[images[q]] == images[q] for q in range(len(automaton))):
            return word * power
        images = tuple(step[q] for q in images)
    return None


def _fixed(automaton: Automaton, word: Letters) -> list[int]:
    return [q for q, image in enumerate(_map(automaton, word)) if image == q]


def _try(
    automaton: Automaton, objects: list[Letters], chance: random.Random, budget: Budget
) -> Sample | None:
    budget.check()
    block = max(len(word) for word in objects)
    if any(block % len(word) for word in objects):
        return None
    objects = [word * (block // len(word)) for word in objects]
    fixed = [_fixed(automaton, word) for word in objects]
    if max(map(len, fixed)) < 2:
        return None
    actions = [_map(automaton, word) for word in objects]
    words = _arrow_words(automaton, fixed, block, chance)
    arrows: list[Arrow] = []
    seen: set[tuple[int, int, tuple[int, ...]]] = set()
    for name, word in enumerate(words):
        action = _map(automaton, word)
        for source, states in enumerate(fixed):
            for target, end in enumerate(actions):
                images = tuple(end[action[q]] for q in states)
                if (source, target, images) not in seen:
                    seen.add((source, target, images))
                    arrows.append(Arrow(source, target, images, name))
    failure = find_failure(fixed, arrows, budget)
    if failure is None:
        return None
    return Sample(block, tuple(objects), tuple(words[arrow.name] for arrow in failure.arrows), failure)


def _arrow_words(
    automaton: Automaton, fixed: list[list[int]], block: int, chance: random.Random
) -> list[Letters]:
    """Words whose length is a multiple of the block: shortest ways between fixed states, and random ones."""
    letters = range(len(automaton.alphabet))
    if len(letters) ** block <= _RANDOM_ARROWS:
        words = [tuple(word) for word in product(letters, repeat=block)]
    else:
        words = [tuple(chance.choices(letters, k=block)) for _ in range(_RANDOM_ARROWS)]
    states = sorted({q for group in fixed for q in group})
    for start in states[:8]:
        words += _ways(automaton, start, set(states), block)
    return list(dict.fromkeys(words))


def _ways(automaton: Automaton, start: int, goals: set[int], block: int) -> list[Letters]:
    """Shortest nonempty words from the start to each goal with a length divisible by the block."""

    def moves(here: tuple[int, int] | None) -> Iterator[tuple[int, tuple[int, int]]]:
        state, phase = (start, 0) if here is None else here
        for letter, target in enumerate(automaton.transitions[state]):
            yield letter, (target, (phase + 1) % block)

    # From a vertex of its own, so that the start can be reached again.
    ways = Paths[tuple[int, int] | None, int](None, moves)
    reached = set(ways)
    return [ways.to((goal, 0)) for goal in sorted(goals)[:_MOST_GOALS] if (goal, 0) in reached]


# C-RASP with local and periodic relations: is the language in it? Exact, within a budget.


@dataclass(frozen=True, eq=False)
class ArrowRefutation:
    """The proof that a language is outside C-RASP[periodic, local] or outside C-RASP[local]."""

    automaton: Automaton
    block: int | None
    """Every object word has this length and it divides that of every arrow word; None without periodic
    relations, where lengths do not matter."""
    objects: Mapping[int, Word]
    """The word of each object that the failure names by number."""
    words: tuple[Word, ...]
    failure: Failure


@dataclass(frozen=True, eq=False)
class Decision:
    """The answer for one class of programs: yes, no, or None where the budget ended the search."""

    answer: bool | None
    analysis: Analysis | None = None
    """For yes: the extended automaton with its potentials; None if it is beyond the budget."""
    smallest: bool = True
    """Whether window and modulus are known to be the smallest."""
    refutation: ArrowRefutation | None = None
    exhausted: str = ""
    """The budget that ended the search, in words."""
    length: int = 1
    """The moduli that are looked at divide it: the stable length, or 1 without periodic relations."""


@dataclass(frozen=True, eq=False)
class PositionalDecisions:
    """The answers with both kinds of relations and with local ones alone."""

    periodic_local: Decision
    local: Decision


def decide_positional(
    automaton: Automaton, plain: Analysis | None = None, budget: Budget = DEFAULT_BUDGET
) -> PositionalDecisions:
    """Decides C-RASP[periodic, local] and C-RASP[local].

    >>> both = decide_positional(from_expression("(aa)*"))
    >>> both.periodic_local.answer, both.local.answer, both.periodic_local.analysis.extended.modulus
    (True, False, 2)
    """
    budget = budget.running()
    try:
        plain = plain or plain_analysis(automaton, budget)
        if plain.holds():
            return PositionalDecisions(Decision(True, plain), Decision(True, plain))
        return _decide(automaton, plain, budget)
    except OverBudget as spent:
        unknown = Decision(None, exhausted=str(spent))
        return PositionalDecisions(unknown, unknown)


def _decide(automaton: Automaton, plain: Analysis, budget: Budget) -> PositionalDecisions:
    essential = automaton.essential
    sample = sampled_failure(essential, budget.samples, budget)
    if sample is not None:
        spell = essential.alphabet
        proof = ArrowRefutation(
            automaton,
            sample.block,
            {number: tuple(spell[a] for a in word) for number, word in enumerate(sample.objects)},
            tuple(tuple(spell[a] for a in word) for word in sample.words),
            sample.failure,
        )
        return PositionalDecisions(Decision(False, refutation=proof), Decision(False, refutation=proof))
    monoid = transition_monoid(essential, budget.monoid, budget)
    if monoid is None:
        return _without_monoid(plain, budget)
    stable = stable_semigroup(monoid)
    both = _periodic_local(plain, stable, budget)
    if both.answer is False:
        return PositionalDecisions(both, both)
    if both.analysis is not None and both.analysis.extended.modulus == 1 and both.smallest:
        return PositionalDecisions(both, replace(both, length=1))
    try:
        local = _local(plain, monoid, budget)
    except OverBudget as spent:
        local = Decision(None, exhausted=str(spent))
    if both.analysis is None and local.analysis is not None:
        # A program that looks back is also one that may look at the position.
        both = replace(local, smallest=False, length=both.length)
    return PositionalDecisions(both, local)


def _without_monoid(plain: Analysis, budget: Budget) -> PositionalDecisions:
    exhausted = f"the transition monoid has more than {budget.monoid} elements"
    # A small window alone may still be enough; that needs no monoid.
    found = _yes(plain, 1, budget)
    local = found or Decision(None, exhausted=exhausted)
    return PositionalDecisions(local if found is None else replace(found, smallest=False), local)


def _periodic_local(plain: Analysis, stable: StableSemigroup, budget: Budget) -> Decision:
    members = stable.members
    return _by_idempotents(plain, stable.monoid, members, stable.length, stable.word, budget)


def _local(plain: Analysis, monoid: TransitionMonoid, budget: Budget) -> Decision:
    return _by_idempotents(plain, monoid, monoid.semigroup(), None, lambda x: _nonempty(monoid, x), budget)


def _by_idempotents(
    plain: Analysis,
    monoid: TransitionMonoid,
    members: IntArray,
    block: int | None,
    spell: Callable[[int], Word],
    budget: Budget,
) -> Decision:
    """The exact test on the graph of idempotents of the members, whose words have the block's length."""
    graph = idempotent_graph(monoid.elements[members], budget.arrows, budget)
    failure = graph.failure(budget)
    if failure is None:
        exhausted = f"the graph of idempotents has more than {budget.arrows} edges"
        length = block or 1
        unknown = (
            Decision(True, smallest=False, length=length)
            if graph.complete
            else Decision(None, exhausted=exhausted)
        )
        return _yes(plain, length, budget) or unknown
    # Only the objects that occur in the failing component are part of the proof.
    used = sorted({number for _, number in failure.vertices})
    proof = ArrowRefutation(
        plain.extended.automaton,
        block,
        {number: spell(int(members[graph.objects[number]])) for number in used},
        tuple(spell(int(members[arrow.name])) for arrow in failure.arrows),
        failure,
    )
    return Decision(False, refutation=proof)


def _nonempty(monoid: TransitionMonoid, element: int) -> Word:
    if element:
        return monoid.word(element)
    before, letter = (int(found[0]) for found in np.nonzero(monoid.right == 0))
    return (*monoid.word(before), monoid.automaton.alphabet[letter])


def decide_prediction(membership: Decision, plain: Analysis, budget: Budget) -> Decision:
    """The same class for programs that are judged on prefixes of the language only, as `plain` is.

    The answer is that of membership, because a program that sees one letter more notices the first letter
    that may not follow. So the window is that of membership, or one less.

    >>> from longreach.theory.decide.decisions import on_prefixes
    >>> plain = plain_analysis(from_expression("(b|ab|aab)*(a|aa)?"))
    >>> member = decide_positional(plain.extended.automaton, plain).local
    >>> predicted = decide_prediction(member, on_prefixes(plain), DEFAULT_BUDGET)
    >>> [found.analysis.extended.window for found in (member, predicted)]
    [2, 1]
    """
    if plain.holds():
        return Decision(True, plain)
    if not membership.answer or not plain.extended.never:
        return membership  # where every word is a prefix, the two are one question
    known = membership.analysis
    first = max(0, known.extended.window - 1) if known is not None and membership.smallest else 0
    try:
        found = _yes(plain, membership.length, budget, first)
    except OverBudget:
        found = None
    if found is None:
        return replace(membership, analysis=None, smallest=False)
    return replace(found, smallest=found.smallest and membership.smallest)


def _yes(plain: Analysis, length: int, budget: Budget, first: int = 0) -> Decision | None:
    """A yes with the smallest window from `first` on, then the smallest modulus dividing the length; None
    beyond the budget.

    A multiple of a modulus sees more, so the largest one decides whether a window is wide enough. Where that
    has too many states, smaller moduli are tried; wider windows are then no longer known to be the smallest.
    """
    moduli = [m for m in range(1, length + 1) if length % m == 0]
    views = _Views(plain, budget)
    smallest = True
    for window in range(first, budget.window + 1):
        widest = views.analysis(window, length)
        if widest is not None and not widest.holds():
            continue
        tried = 0
        for modulus in moduli[:-1]:
            analysis = views.analysis(window, modulus)
            if analysis is None:
                smallest = False
                continue
            tried += 1
            if analysis.holds():
                return Decision(True, analysis, smallest=smallest, length=length)
        if widest is not None:
            return Decision(True, widest, smallest=smallest, length=length)
        if not tried:
            return None
        smallest = False
    return None


class _Views:
    """Extended automata of one language, as many as the budget allows."""

    def __init__(self, plain: Analysis, budget: Budget) -> None:
        self.automaton = plain.extended.automaton
        self.never = plain.extended.never
        self.settled = settled_states(plain)
        self.budget = budget
        self.most = budget.window_states
        self.left = 10 * budget.window_states

    def analysis(self, window: int, modulus: int) -> Analysis | None:
        """Whether this window and modulus are enough; None beyond the budget."""
        limit = min(self.most, self.left)
        extended = extend(self.automaton, window, modulus, limit, self.settled, self.never)
        if extended is None:
            return None
        self.left -= len(extended.states)
        try:
            return analyse(extended, complete=False, budget=self.budget)
        except OverBudget:
            # Out of memory for this view is not yet out of time.
            self.budget.check()
            return None
