"""Groups of automata, by the definitions: slow and literal."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

Map = tuple[int, ...]


def then(first: Map, second: Map) -> Map:
    return tuple(second[state] for state in first)


def all_maps(transitions: Sequence[Sequence[int]]) -> set[Map]:
    """The maps that words induce: letters and the identity, multiplied until nothing is new."""
    letters = {tuple(column) for column in zip(*transitions, strict=True)}
    found = {tuple(range(len(transitions)))} | letters
    while True:
        more = {then(one, letter) for one in found for letter in letters}
        if more <= found:
            return found
        found |= more


def subgroups(maps: set[Map]) -> list[set[Map]]:
    """For each idempotent the largest group around it: all that it leaves and that can be undone."""
    found = []
    for e in (one for one in maps if then(one, one) == one):
        local = [one for one in maps if then(e, one) == one == then(one, e)]
        found.append({x for x in local if any(then(x, y) == e == then(y, x) for y in local)})
    return found


def is_solvable(group: set[Map]) -> bool:
    """Commutators of all pairs, and all their products, again and again."""
    while len(group) > 1:
        inverse = {
            x: y for x in group for y in group if then(then(x, y), x) == x and then(then(y, x), y) == y
        }
        smaller = {then(then(inverse[x], inverse[y]), then(x, y)) for x, y in product(group, group)}
        while not (more := {then(x, y) for x, y in product(smaller, smaller)}) <= smaller:
            smaller |= more
        if len(smaller) == len(group):
            return False
        group = smaller
    return True


def group_rows(generators: Sequence[Map]) -> list[list[int]]:
    """The word problem: states are the elements, each letter multiplies by a generator."""
    elements = [tuple(range(len(generators[0])))]
    rows = []
    for one in elements:
        row = []
        for generator in generators:
            target = then(one, generator)
            if target not in elements:
                elements.append(target)
            row.append(elements.index(target))
        rows.append(row)
    return rows
