"""Slow literal readings of the definitions, and automata to try them on. Nothing here uses the deciders."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cache
from itertools import product

from hypothesis import strategies as st

from longreach.theory.automata.automaton import Automaton, minimal

Edge = tuple[int, int, int]


@cache
def all_minimal(states: int, letters: str = "ab") -> tuple[Automaton, ...]:
    """Every minimal complete automaton with exactly that many states."""
    found: dict[Automaton, None] = {}
    width = len(letters)
    for flat in product(range(states), repeat=width * states):
        rows = [flat[width * q : width * (q + 1)] for q in range(states)]
        for mask in range(2**states):
            automaton = minimal(letters, rows, 0, [q for q in range(states) if mask >> q & 1])
            if len(automaton) == states:
                found[automaton] = None
    return tuple(found)


def random_automaton(states: int, letters: str, chance: random.Random, sink: float = 0.0) -> Automaton:
    """A random automaton; a share of its moves leads to a sink."""
    rows = [
        [0 if q == 0 or chance.random() < sink else chance.randrange(states) for _ in letters]
        if sink
        else [chance.randrange(states) for _ in letters]
        for q in range(states)
    ]
    accepting = [q for q in range(states) if chance.random() < 0.5 and not (sink and q == 0)]
    return minimal(letters, rows, states - 1, accepting)


@st.composite
def automata(draw: st.DrawFn, states: int = 6, letters: str = "ab") -> Automaton:
    """Automata for property tests."""
    count = draw(st.integers(1, states))
    rows = draw(
        st.lists(
            st.lists(st.integers(0, count - 1), min_size=len(letters), max_size=len(letters)),
            min_size=count,
            max_size=count,
        )
    )
    return minimal(letters, rows, 0, draw(st.sets(st.integers(0, count - 1))))


def words(letters: Sequence[str], longest: int) -> Iterator[tuple[str, ...]]:
    """All words up to a length."""
    for length in range(longest + 1):
        yield from product(letters, repeat=length)


def null_space(rows: list[list[Fraction]], width: int) -> list[list[Fraction]]:
    """By elimination with fractions."""
    rows = [list(row) for row in rows]
    pivots: list[int] = []
    for column in range(width):
        pivot = next((i for i in range(len(pivots), len(rows)) if rows[i][column]), None)
        if pivot is None:
            continue
        here = len(pivots)
        rows[here], rows[pivot] = rows[pivot], rows[here]
        lead = rows[here][column]
        rows[here] = [value / lead for value in rows[here]]
        for i, row in enumerate(rows):
            if i != here and row[column]:
                factor = row[column]
                rows[i] = [x - factor * y for x, y in zip(row, rows[here], strict=True)]
        pivots.append(column)
    basis = []
    for free in range(width):
        if free not in pivots:
            vector = [Fraction(0)] * width
            vector[free] = Fraction(1)
            for i, column in enumerate(pivots):
                vector[column] = -rows[i][free]
            basis.append(vector)
    return basis


def refined(vertices: int, edges: list[Edge], start: Sequence[int] | None = None) -> list[list[int]]:
    """The classes after each round, literally: f(target) - f(source) is the same for all edges of a group."""
    rounds = [list(start) if start is not None else [0] * vertices]
    while True:
        classes = rounds[-1]
        first: dict[tuple[int, int], tuple[int, int]] = {}
        rows = set()
        for s, a, t in edges:
            row = [Fraction(0)] * vertices
            other = first.setdefault((classes[s], a), (t, s))
            for vertex, sign in zip((t, s, *other), (1, -1, -1, 1), strict=True):
                row[vertex] += sign
            rows.add(tuple(row))
        basis = null_space([list(row) for row in rows], vertices)
        keys = [(classes[v], *(f[v] for f in basis)) for v in range(vertices)]
        finer = [keys.index(key) for key in keys]
        if len(set(finer)) == len(set(classes)):
            return rounds
        rounds.append(finer)


def mutual_reachability(count: int, edges: list[Edge]) -> list[list[int]]:
    """Strongly connected components from the transitive closure."""
    reach = [[i == j for j in range(count)] for i in range(count)]
    for s, _, t in edges:
        reach[s][t] = True
    for k in range(count):
        for i in range(count):
            if reach[i][k]:
                reach[i] = [x or y for x, y in zip(reach[i], reach[k], strict=True)]
    seen: set[int] = set()
    parts = []
    for i in range(count):
        if i not in seen:
            part = [j for j in range(count) if reach[i][j] and reach[j][i]]
            seen |= set(part)
            parts.append(part)
    return parts


def plain_membership(automaton: Automaton) -> tuple[bool, bool]:
    """The criterion for C-RASP without relations, at the last letter and after it."""
    edges = [(q, a, t) for q, row in enumerate(automaton.transitions) for a, t in enumerate(row)]
    at_letter = at_end = True
    for part in mutual_reachability(len(automaton), edges):
        place = {q: i for i, q in enumerate(part)}
        inside = [(place[s], a, place[t]) for s, a, t in edges if s in place and t in place]
        classes = refined(len(part), inside)[-1]
        for i, p in enumerate(part):
            for j, q in enumerate(part[:i]):
                if classes[i] == classes[j]:
                    at_end = False
                    at_letter &= automaton.transitions[p] == automaton.transitions[q]
    return at_letter, at_end


Map = tuple[int, ...]


def after(first: Map, second: Map) -> Map:
    """First one map, then the other."""
    return tuple(second[q] for q in first)


def letter_maps(automaton: Automaton) -> list[Map]:
    return [tuple(row[a] for row in automaton.transitions) for a in range(len(automaton.alphabet))]


def maps_of_length(automaton: Automaton, length: int) -> set[Map]:
    maps = {tuple(range(len(automaton)))}
    for _ in range(length):
        maps = {after(m, x) for m in maps for x in letter_maps(automaton)}
    return maps


def semigroup(automaton: Automaton) -> set[Map]:
    """The maps of all nonempty words."""
    found = set(letter_maps(automaton))
    new = found
    while new:
        new = {after(m, x) for m in new for x in letter_maps(automaton)} - found
        found |= new
    return found


def stable(automaton: Automaton) -> tuple[int, set[Map]]:
    """The least s with the same maps for words of length s and 2s, by trying."""
    length = 1
    while maps_of_length(automaton, length) != maps_of_length(automaton, 2 * length):
        length += 1
    return length, maps_of_length(automaton, length)


def idempotent_graph_separates(maps: set[Map]) -> bool:
    """The criterion with positional relations, on all idempotents and all arrows."""
    objects = [e for e in maps if after(e, e) == e]
    vertices = [(q, e) for e in objects for q in range(len(e)) if e[q] == q]
    place = {vertex: i for i, vertex in enumerate(vertices)}
    arrows = {(e, after(after(e, x), f), f) for e in objects for f in objects for x in maps}
    edges = []
    for label, (e, x, f) in enumerate(arrows):
        edges += [(place[q, e], label, place[x[q], f]) for q in range(len(e)) if e[q] == q]
    for part in mutual_reachability(len(vertices), edges):
        number = {v: i for i, v in enumerate(part)}
        inside = [(number[s], a, number[t]) for s, a, t in edges if s in number and t in number]
        classes = refined(len(part), inside)[-1]
        keys = {(classes[i], vertices[v][1]) for i, v in enumerate(part)}
        if len(keys) < len(part):
            return False
    return True


def live(automaton: Automaton) -> set[int]:
    """The states from which a word is accepted, by trying all words as long as there are states."""
    found = set()
    for q in range(len(automaton)):
        reached = {q}
        for _ in range(len(automaton)):
            reached |= {target for state in reached for target in automaton.transitions[state]}
        if reached & automaton.accepting:
            found.add(q)
    return found


def legal(automaton: Automaton) -> dict[int, tuple[bool, ...]]:
    """At each live state whether each letter may follow, and whether a word may end."""
    good = live(automaton)
    return {q: (*(t in good for t in automaton.transitions[q]), q in automaton.accepting) for q in good}


def predictable(automaton: Automaton, window: int = 0, modulus: int = 1) -> bool:
    """The criterion for prediction on prefixes, on the automaton extended by last letters and residue."""
    good = live(automaton)
    states = [(0, (), 0)] if 0 in good else []
    edges = []
    for number, (q, seen, residue) in enumerate(states):
        for a, target in enumerate(automaton.transitions[q]):
            if target in good:
                key = (target, (*seen, a)[-window:] if window else (), (residue + 1) % modulus)
                if key not in states:
                    states.append(key)
                edges.append((number, a, states.index(key)))
    for part in mutual_reachability(len(states), edges):
        place = {number: i for i, number in enumerate(part)}
        inside = [(place[s], a, place[t]) for s, a, t in edges if s in place and t in place]
        seen_there = [states[number][1:] for number in part]
        classes = refined(len(part), inside, [seen_there.index(view) for view in seen_there])[-1]
        for i, p in enumerate(part):
            for j, q in enumerate(part[:i]):
                if classes[i] == classes[j]:
                    rows = automaton.transitions[states[p][0]], automaton.transitions[states[q][0]]
                    if any(x in good and y in good and x != y for x, y in zip(*rows, strict=True)):
                        return False
    return True


def all_of(answers: Sequence[bool | None]) -> bool | None:
    """No if one is no, undecided if one is undecided, otherwise yes."""
    if False in answers:
        return False
    return None if None in answers else True
