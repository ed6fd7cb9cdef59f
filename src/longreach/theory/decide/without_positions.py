"""C-RASP without positional relations: is the language in it? Exact, in polynomial time.

A language is in C-RASP[∅], read at the last letter, if and only if in every component of its minimal
automaton two states that no potential separates have the same successors; read after the last letter, if
and only if there are no two such states.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from longreach.theory.automata.automaton import Automaton, Word
from longreach.theory.automata.paths import Paths, distinguishing_word, moves_inside, shortest_word
from longreach.theory.budget import DEFAULT_BUDGET, Budget
from longreach.theory.decide.exact_algebra import independent_columns
from longreach.theory.decide.flows import Flow, flows_between_mates
from longreach.theory.decide.views import Analysis, Component, Convention, analyse, extend, first_bad_pair


@dataclass(frozen=True)
class Fooling:
    """Two families of words that differ in the language and look alike to any given program.

    For every program there is a product p of the loops, in some order and with some repetitions, such that
    the program gives the same answer to `before p first after` and `before p second after`. One of the two
    words is in the language and the other is not, whatever p is.
    """

    before: Word
    loops: tuple[Word, ...]
    first: Word
    second: Word
    after: Word


@dataclass(frozen=True, eq=False)
class Refutation:
    """The proof that a language is outside C-RASP[∅]."""

    automaton: Automaton
    convention: Convention
    states: tuple[int, ...]
    """The states of a strongly connected component."""
    classes: tuple[tuple[int, ...], ...]
    """A partition of these states."""
    flows: tuple[tuple[int, int, dict[tuple[int, int], str]], ...]
    """From the first state of a class to each other one: weights by (state, letter), as fractions in text."""
    pair: tuple[int, int]
    """Two states of one class that a program would have to tell apart."""
    letter: int | None
    """The letter that leads from them to different states; None at the end of the sequence."""
    fooling: Fooling


def plain_analysis(automaton: Automaton, budget: Budget = DEFAULT_BUDGET) -> Analysis:
    """The refinement of every component of the automaton itself.

    >>> plain_analysis(from_expression("(a(ab)*b)*")).holds()
    True
    >>> plain_analysis(from_expression("(aa)*")).holds()
    False
    """
    extended = extend(automaton, 0, 1)
    assert extended is not None
    return analyse(extended, budget=budget)


def refutation(analysis: Analysis, convention: Convention, limit: int) -> Refutation | None:
    """The proof, from the smallest component that fails; None if that has more than `limit` states.

    >>> proof = refutation(plain_analysis(from_expression("(aa)*")), Convention.LAST_LETTER, 100)
    >>> proof.pair, proof.fooling.loops
    ((0, 1), (('a', 'a'),))
    """
    found: list[tuple[Component, tuple[int, int, int | None]]] = []
    for component in analysis.components:
        pair = first_bad_pair(component, analysis.extended, component.refinement.classes, convention)
        if pair is not None:
            found.append((component, pair))
    if not found:
        raise ValueError("the language is in the class")
    component, pair = min(found, key=lambda item: len(item[0].states))
    if len(component.states) > limit:
        return None
    return refutation_of(analysis, component, pair, convention)


def refutation_of(
    analysis: Analysis, component: Component, pair: tuple[int, int, int | None], convention: Convention
) -> Refutation:
    """The proof by two vertices of one class, and the letter that tells them apart."""
    automaton, (first, second, letter) = analysis.extended.automaton, pair
    states = component.states
    classes = component.refinement.classes
    partition = tuple(
        tuple(q for q, c in zip(states, classes, strict=True) if c == k) for k in range(max(classes) + 1)
    )
    pair_of_states = states[first], states[second]
    return Refutation(
        automaton,
        convention,
        states,
        partition,
        tuple(_readable(component, flow) for flow in flows_between_mates(component.graph, classes)),
        pair_of_states,
        letter,
        _fooling(automaton, component, pair_of_states, letter),
    )


def _readable(component: Component, flow: Flow) -> tuple[int, int, dict[tuple[int, int], str]]:
    graph, states = component.graph, component.states
    edges = [(states[source], label) for source, label, _ in graph.edges]
    weights = {edges[number]: str(weight) for number, weight in flow.weights.items()}
    return states[flow.first], states[flow.second], weights


def _fooling(
    automaton: Automaton, component: Component, pair: tuple[int, int], letter: int | None
) -> Fooling:
    inside = component.states
    base = pair[0]
    if letter is None:
        after = distinguishing_word(automaton, *pair)
    else:
        targets = [automaton.transitions[q][letter] for q in pair]
        after = (automaton.alphabet[letter], *distinguishing_word(automaton, targets[0], targets[1]))
    return Fooling(
        shortest_word(automaton, 0, base),
        _loops(automaton, component, base),
        (),
        shortest_word(automaton, base, pair[1], inside),
        after,
    )


def _loops(automaton: Automaton, component: Component, base: int) -> tuple[Word, ...]:
    """Loops at the base whose counts of (class, letter) pairs span those of all loops."""
    graph, states = component.graph, component.states
    forth = Paths(base, moves_inside(automaton, set(states)))
    to = {q: forth.to(q) for q in list(forth)}
    back = {q: shortest_word(automaton, q, base, states) for q in states}
    words = {(*to[states[s]], automaton.alphabet[a], *back[states[t]]) for s, a, t in graph.edges}
    loops = sorted(words, key=lambda word: (len(word), word))
    place = {q: vertex for vertex, q in enumerate(states)}
    groups = graph.groups(component.refinement.classes).tolist()
    group = {(s, a): g for (s, a, _), g in zip(graph.edges, groups, strict=True)}
    counts = np.zeros((max(group.values()) + 1, len(loops)), dtype=np.int64)
    for column, loop in enumerate(loops):
        state = base
        for token in loop:
            letter = automaton.letter_index[token]
            counts[group[place[state], letter], column] += 1
            state = automaton.transitions[state][letter]
    return tuple(loops[column] for column in independent_columns(counts))
