"""Automata extended by what local and periodic relations show: the last letters and the position.

Every program with local and periodic relations is a program without them over the letters of an extended
automaton, so one refinement and one way of writing programs serve all classes of programs.
"""

from __future__ import annotations

from collections.abc import Callable, Set
from dataclasses import dataclass, replace
from enum import StrEnum

from longreach.theory.automata.automaton import Automaton, strong_components
from longreach.theory.automata.paths import explore
from longreach.theory.budget import DEFAULT_BUDGET, Budget
from longreach.theory.decide.potentials import Classes, Graph, Refinement, numbered, refine

_Key = tuple[int, tuple[int, ...] | None, int | None]


class Convention(StrEnum):
    """Where a program gives its answer."""

    LAST_LETTER = "last-letter"
    """At the last letter (Huang et al., arXiv 2410.02140, Definition 8)."""
    END_OF_SEQUENCE = "end-of-sequence"
    """At one more position after the last letter, as in arXiv 2608.13433."""


@dataclass(frozen=True)
class ExtendedState:
    """A state of the automaton with what the program sees of the past.

    `window` holds the last letters read, oldest first, by their place in the alphabet, of letters that are
    alike the first; near the start of a word it is shorter than the full window. `residue` is the number of
    letters read so far, modulo the modulus, so the next letter stands at a position (counted from 1)
    congruent to `residue + 1`.
    Both are None in states from which on letters alone are enough, such as a sink.
    """

    state: int
    window: tuple[int, ...] | None
    residue: int | None


@dataclass(frozen=True, eq=False)
class ExtendedAutomaton:
    """Reachable extended states, numbered in breadth-first order; window 0 and modulus 1 give the
    automaton itself.

    >>> from longreach.theory.automata.automaton import minimal
    >>> extend(minimal(("a",), [[1], [0]], 0, {0}), window=0, modulus=2).states
    (ExtendedState(state=0, window=(), residue=0), ExtendedState(state=1, window=(), residue=1))
    """

    automaton: Automaton
    window: int
    modulus: int
    states: tuple[ExtendedState, ...]
    transitions: tuple[tuple[int, ...], ...]
    never: frozenset[int] = frozenset()
    """States that no judged word reaches: when programs are judged on prefixes of the language, the dead
    states."""

    def judged(self, state: int, letter: int) -> bool:
        """Whether a program is judged where the letter is read at this extended state."""
        return self.automaton.transitions[self.states[state].state][letter] not in self.never


@dataclass(frozen=True, eq=False)
class Component:
    """A strongly connected component of an extended automaton with the refinement of its states."""

    states: tuple[int, ...]
    """Numbers of extended states; vertex i of the graph is `states[i]`."""
    graph: Graph
    refinement: Refinement
    rounds: int | None
    """The least number of rounds after which mates have the same successors, wherever a program is judged;
    None if no number suffices."""
    rounds_at_end: int | None
    """The least number of rounds after which there are no mates; None if no number suffices."""


@dataclass(frozen=True, eq=False)
class Analysis:
    """An extended automaton with its components in an order in which letters only lead forward."""

    extended: ExtendedAutomaton
    components: tuple[Component, ...]

    def holds(self, convention: Convention = Convention.LAST_LETTER) -> bool:
        """Whether the classes determine what a program must know."""
        return all(_needed(part, convention) is not None for part in self.components)

    def rounds(self, convention: Convention = Convention.LAST_LETTER) -> int | None:
        """The most rounds that any component needs: with this window and modulus no program counts less."""
        needed = [_needed(part, convention) for part in self.components]
        return None if None in needed else max((rounds for rounds in needed if rounds is not None), default=0)


def extend(
    automaton: Automaton,
    window: int,
    modulus: int,
    limit: int | None = None,
    settled: Set[int] = frozenset(),
    never: frozenset[int] = frozenset(),
) -> ExtendedAutomaton | None:
    """The extended automaton, or None if it has more than `limit` states.

    States in `settled`, which must not lead to others, are left as they are. Programs are not judged on words
    that lead to a state in `never`.
    """

    def successors(key: _Key) -> list[_Key]:
        state, seen, residue = key
        row = automaton.transitions[state]
        after = None if residue is None else (residue + 1) % modulus
        return [
            (row[letter], None, None)
            if seen is None or row[letter] in settled
            else (row[letter], (*seen, letter)[-window:] if window else (), after)
            for letter in automaton.alike
        ]

    start: _Key = (0, None, None) if 0 in settled else (0, (), 0)
    found = explore(start, successors, limit)
    if found is None:
        return None
    place = {letter: k for k, alike in enumerate(automaton.alike.values()) for letter in alike}
    columns = [place[letter] for letter in range(len(place))]
    rows = tuple(tuple([row[k] for k in columns]) for row in found[1])
    states = tuple(ExtendedState(*key) for key in found[0])
    return ExtendedAutomaton(automaton, window, modulus, states, rows, never)


def analyse(
    extended: ExtendedAutomaton, *, complete: bool = True, budget: Budget = DEFAULT_BUDGET
) -> Analysis:
    """Refines every component: to the fixpoint, or (not `complete`) only until mates have the same
    successors.

    >>> from longreach.theory.automata.automaton import minimal
    >>> ends_in_b = extend(minimal(("a", "b"), [[0, 1], [0, 1]], 0, {1}), 0, 1)
    >>> analysis = analyse(ends_in_b)
    >>> analysis.holds(Convention.LAST_LETTER), analysis.holds(Convention.END_OF_SEQUENCE)
    (True, False)
    """
    parts = strong_components(extended.transitions)
    return Analysis(
        extended, tuple(component_of(extended, tuple(states), complete, budget) for states in parts)
    )


def judged_on(plain: Analysis, never: frozenset[int]) -> Analysis:
    """The same analysis, complete, for programs that are not judged on words that lead to a state in `never`.

    Such a state is a sink, so that components and potentials stay as they are.

    >>> from longreach.theory.automata.automaton import minimal
    >>> no_bb = minimal("ab", [[0, 1], [0, 2], [2, 2]], 0, {0, 1})
    >>> plain = analyse(extend(no_bb, 0, 1))
    >>> plain.holds(), judged_on(plain, frozenset({2})).holds()
    (False, True)
    """
    extended = replace(plain.extended, never=never)
    return Analysis(
        extended,
        tuple(
            replace(part, rounds=_least(part.refinement, _determined(extended, part.states)))
            for part in plain.components
        ),
    )


def settled_states(plain: Analysis) -> frozenset[int]:
    """The states from which every reachable component is determined by letters alone."""
    extended = plain.extended
    settled: set[int] = set()
    for component in reversed(plain.components):
        leads = {target for state in component.states for target in extended.transitions[state]}
        if component.rounds is not None and leads <= settled | set(component.states):
            settled |= set(component.states)
    return frozenset(extended.states[state].state for state in settled)


def first_bad_pair(
    component: Component, extended: ExtendedAutomaton, classes: Classes, convention: Convention
) -> tuple[int, int, int | None] | None:
    """Two vertices of one class, and a letter, for which a program would have to give different answers."""
    leader: dict[int, int] = {}
    # By class and letter, the first vertex at which the letter is judged.
    reader: dict[tuple[int, int], int] = {}
    for vertex, number in enumerate(classes):
        first = leader.setdefault(number, vertex)
        if convention is Convention.END_OF_SEQUENCE:
            if first != vertex:
                return first, vertex, None
            continue
        row = extended.automaton.transitions[extended.states[component.states[vertex]].state]
        for letter, target in enumerate(row):
            if target in extended.never:
                continue
            other = reader.setdefault((number, letter), vertex)
            state = extended.states[component.states[other]].state
            if extended.automaton.transitions[state][letter] != target:
                return other, vertex, letter
    return None


def component_of(
    extended: ExtendedAutomaton,
    states: tuple[int, ...],
    complete: bool,
    budget: Budget = DEFAULT_BUDGET,
) -> Component:
    """The refinement of extended states: to the fixpoint, or until mates have the same successors."""
    place = {state: vertex for vertex, state in enumerate(states)}
    edges = [
        (place[state], letter, place[target])
        for state in states
        # Letters that are alike constrain alike: one of them is enough.
        for letter in extended.automaton.alike
        if (target := extended.transitions[state][letter]) in place
    ]
    seen = [(extended.states[state].window, extended.states[state].residue) for state in states]
    graph = Graph.of(len(states), edges, numbered(seen))
    determined = _determined(extended, states)
    refinement = refine(graph, (lambda classes: False) if complete else determined, budget)
    return Component(
        states,
        graph,
        refinement,
        _least(refinement, determined),
        _least(refinement, lambda classes: len(set(classes)) == len(states)),
    )


def _determined(extended: ExtendedAutomaton, states: tuple[int, ...]) -> Callable[[Classes], bool]:
    """Whether class and letter determine the next state of the automaton wherever a program is judged."""
    rows = [extended.automaton.transitions[extended.states[state].state] for state in states]
    never = extended.never
    if not never:
        return lambda classes: len(set(zip(classes, rows, strict=True))) == len(set(classes))
    moves = [
        (vertex, letter, target)
        for vertex, row in enumerate(rows)
        for letter, target in enumerate(row)
        if target not in never
    ]

    def determined(classes: Classes) -> bool:
        found = {(classes[vertex], letter, target) for vertex, letter, target in moves}
        return len(found) == len({(number, letter) for number, letter, _ in found})

    return determined


def _least(refinement: Refinement, condition: Callable[[Classes], bool]) -> int | None:
    return next((k for k in range(len(refinement.rounds) + 1) if condition(refinement.after(k))), None)


def _needed(component: Component, convention: Convention) -> int | None:
    return component.rounds if convention is Convention.LAST_LETTER else component.rounds_at_end
