"""Transition monoids and their stable semigroups, and other measures of a regular language.

All but the number of states read the syntactic monoid, so they are computed on request and under a cap.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from longreach.theory.automata.automaton import Automaton, IntArray, Moves, Word, strong_components
from longreach.theory.budget import DEFAULT_BUDGET, Budget

BoolArray = npt.NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class TransitionMonoid:
    """All maps of states that words induce; element 0 is the identity, the map of the empty word."""

    automaton: Moves
    elements: IntArray
    """One row per element: the image of each state."""
    right: IntArray
    """`right[element, letter]` is the element followed by the letter."""
    parent: tuple[tuple[int, int], ...]
    """The element and letter from which each element was first reached; (-1, -1) for the identity."""

    def __len__(self) -> int:
        return len(self.elements)

    def word(self, element: int) -> Word:
        """A shortest word that induces the element."""
        letters: Word = ()
        while element:
            element, letter = self.parent[element]
            letters = (self.automaton.alphabet[letter], *letters)
        return letters

    def semigroup(self) -> IntArray:
        """The elements induced by nonempty words."""
        return np.flatnonzero(np.bincount(self.right.ravel()))


@dataclass(frozen=True, eq=False)
class StableSemigroup:
    """The maps of all words of length s, for the least s such that words of length 2s give the same maps."""

    monoid: TransitionMonoid
    length: int
    members: IntArray
    layers: tuple[BoolArray, ...]
    """Which elements words of length 0, 1, …, s induce."""

    def word(self, element: int) -> Word:
        """A word of length exactly s that induces the element."""
        return word_back(self.monoid.automaton, self.monoid.right, self.layers, element)


def word_back(moves: Moves, targets: IntArray, layers: Sequence[BoolArray], target: int) -> Word:
    """A word of as many letters as there are steps between layers, each reached from the one before."""
    letters: Word = ()
    for layer in reversed(layers[:-1]):
        before, letter = np.nonzero((targets == target) & layer[:, None])
        target = int(before[0])
        letters = (moves.alphabet[int(letter[0])], *letters)
    return letters


def transition_monoid(
    automaton: Moves, limit: int, budget: Budget = DEFAULT_BUDGET
) -> TransitionMonoid | None:
    """The transition monoid, which of a minimal automaton is the syntactic monoid; None if it has more than
    `limit` elements.

    >>> len(transition_monoid(from_expression("(ab)*"), 100))
    6
    """
    table = automaton.table.astype(np.uint16)
    rows = [np.arange(len(automaton), dtype=np.uint16)]
    number = {rows[0].tobytes(): 0}
    parent = [(-1, -1)]
    right: list[list[int]] = []
    while len(right) < len(rows):
        # A whole layer at a time: one gather instead of one per element.
        done = len(right)
        budget.check()
        budget.reserve(
            2 * (len(rows) - done) * len(automaton) * len(automaton.alphabet),
            "a layer of the transition monoid",
        )
        products = table[np.stack(rows[done:])]
        for offset in range(len(products)):
            row = []
            for letter in range(len(automaton.alphabet)):
                product = products[offset, :, letter]
                key = product.tobytes()
                if key not in number:
                    if len(rows) >= limit:
                        return None
                    number[key] = len(rows)
                    rows.append(product)
                    parent.append((done + offset, letter))
                row.append(number[key])
            right.append(row)
    return TransitionMonoid(
        automaton, np.stack(rows).astype(np.int64), np.array(right, dtype=np.int64), tuple(parent)
    )


def stable_semigroup(monoid: TransitionMonoid) -> StableSemigroup:
    """The stable semigroup with its length.

    >>> stable_semigroup(transition_monoid(from_expression("(aa)*"), 100)).length
    2
    """
    layer = np.zeros(len(monoid), dtype=np.bool_)
    layer[0] = True
    layers = [layer]
    first_seen: dict[bytes, int] = {}
    while True:
        layer = np.zeros(len(monoid), dtype=np.bool_)
        layer[monoid.right[layers[-1]]] = True
        key = np.packbits(layer).tobytes()
        if key in first_seen:
            period = len(layers) - first_seen[key]
            # Layers repeat from here on; the least multiple of the period in the repeating part is stable.
            length = -(-first_seen[key] // period) * period
            break
        first_seen[key] = len(layers)
        layers.append(layer)
    while len(layers) <= length:
        layers.append(layers[len(layers) - period])
    return StableSemigroup(monoid, length, np.flatnonzero(layers[length]), tuple(layers[: length + 1]))


def least_modulus(monoid: TransitionMonoid) -> int:
    """The least m for which the maps of words whose lengths are multiples of m have no group.

    Outside AC⁰ there is none: then the length of the stable semigroup.

    >>> [least_modulus(transition_monoid(from_expression(each), 100)) for each in ("(aab)*", "(aaa)*")]
    [1, 3]
    """
    length = stable_semigroup(monoid).length
    for modulus in (m for m in range(1, length + 1) if length % m == 0):
        blocks = np.arange(1)
        for _ in range(modulus):
            blocks = np.unique(monoid.right[blocks])
        found = frontier = blocks
        while len(frontier):
            for _ in range(modulus):
                frontier = np.unique(monoid.right[frontier])
            frontier = np.setdiff1d(frontier, found)
            found = np.union1d(found, frontier)
        if _aperiodic(monoid.elements[found]):
            return modulus
    return length


def idempotents(elements: IntArray) -> IntArray:
    return np.flatnonzero((np.take_along_axis(elements, elements, axis=1) == elements).all(axis=1))


def idempotent_representatives(elements: IntArray) -> list[int]:
    """At least one idempotent of every D-class that has one, and few more; `elements` is a semigroup of
    maps.

    Idempotents with the same image, or the same kernel, lie in one D-class. Chains of such steps need not
    reach every idempotent of the class, so pairs that are left are compared by maps between their images.
    """
    chosen: list[int] = []
    for candidate in _chained(elements, idempotents(elements)):
        image = np.flatnonzero(elements[candidate] == np.arange(elements.shape[1]))
        moved = np.unique(elements[:, image], axis=0, return_index=True)[0]  # without, it loads numpy.ma
        if not any(_equivalent(elements, moved, candidate, other) for other in chosen):
            chosen.append(candidate)
    return chosen


def _chained(elements: IntArray, members: IntArray) -> list[int]:
    leader: dict[tuple[str, bytes], int] = {}
    root = {int(e): int(e) for e in members}

    def find(e: int) -> int:
        while root[e] != e:
            root[e] = root[root[e]]
            e = root[e]
        return e

    for e in map(int, members):
        row = elements[e]
        kernel = np.unique(row, return_index=True, return_inverse=True)
        for key in (("image", kernel[0].tobytes()), ("kernel", kernel[1][kernel[2]].tobytes())):
            other = leader.setdefault(key, e)
            root[find(e)] = find(other)
    return sorted({find(int(e)) for e in members}, key=lambda e: (-len(set(elements[e].tolist())), e))


def _equivalent(elements: IntArray, moved: IntArray, first: int, second: int) -> bool:
    """Whether maps of the semigroup carry the image of each idempotent onto that of the other."""
    here, there = (np.flatnonzero(elements[e] == np.arange(elements.shape[1])) for e in (first, second))
    if len(here) != len(there):
        return False
    return _onto(elements[second][moved], len(here)) and _onto(elements[first][elements[:, there]], len(here))


def _onto(rows: IntArray, size: int) -> bool:
    return (
        bool((np.sort(rows, axis=1)[:, 1:] != np.sort(rows, axis=1)[:, :-1]).all(axis=1).any()) or size <= 1
    )


# Other measures of a regular language, to set beside the C-RASP verdicts.


# Pairs of arrows, and then pairs of pairs, that the test for dot-depth one may compare.
_ARROW_PAIRS = 100_000
_COMPARISONS = 20_000_000


@dataclass(frozen=True)
class Measures:
    """What is known of a language; None where the cap was reached, or where there is no dot-depth."""

    states: int
    length_complexity: int
    """2n - 2 for n states: words of this length tell any two automata of that size apart."""
    monoid: int | None = None
    star_free: bool | None = None
    """The syntactic monoid has no group (Schützenberger)."""
    piecewise_testable: bool | None = None
    """The syntactic monoid is J-trivial (Simon)."""
    r_trivial: bool | None = None
    two_variable: bool | None = None
    """Definable with two variables: regular elements of the monoid are idempotent (the class DA)."""
    ac0: bool | None = None
    """No group in the maps of words of any one length (Barrington et al., 1992)."""
    dot_depth: str | None = None
    """A number, or "≥ 2"; None if the language is not star-free or beyond the cap."""


def measure(automaton: Automaton, budget: Budget = DEFAULT_BUDGET) -> Measures:
    """All measures of the language.

    >>> found = measure(from_expression("(aa)*"))
    >>> found.star_free, found.ac0
    (False, True)
    """
    states = len(automaton)
    monoid = transition_monoid(automaton, budget.monoid)
    if monoid is None:
        return Measures(states, 2 * states - 2)
    star_free = _aperiodic(monoid.elements)
    r_trivial = _trivial(monoid.right)
    two_variable = _regular_elements_idempotent(monoid)
    return Measures(
        states,
        2 * states - 2,
        len(monoid),
        star_free,
        r_trivial and _trivial(_left(monoid)),
        r_trivial,
        two_variable,
        _aperiodic(monoid.elements[stable_semigroup(monoid).members]),
        _dot_depth(automaton, monoid, two_variable) if star_free else None,
    )


def _compose(first: IntArray, second: IntArray) -> IntArray:
    """Row by row: first one map, then the other."""
    return np.take_along_axis(second, first, axis=1)


def high_power(rows: IntArray) -> IntArray:
    """For each map a power of it that lies in the periodic part of its powers: every state is on a cycle."""
    exponent = 1
    while exponent < rows.shape[1]:
        rows = _compose(rows, rows)
        exponent *= 2
    return rows


def _aperiodic(rows: IntArray) -> bool:
    power = high_power(rows)
    return bool((_compose(power, rows) == power).all())


def _trivial(graph: IntArray) -> bool:
    return len(strong_components(graph.tolist())) == len(graph)


def _left(monoid: TransitionMonoid) -> IntArray:
    """`left[element, letter]`: the letter followed by the element."""
    number = {row.tobytes(): index for index, row in enumerate(monoid.elements)}
    letters = monoid.automaton.table.T
    return np.array(
        [[number[row[letter].tobytes()] for letter in letters] for row in monoid.elements], dtype=np.int64
    )


def _regular_elements_idempotent(monoid: TransitionMonoid) -> bool:
    """An element is regular exactly when its R-class, a component of the right graph, has an idempotent."""
    idempotent = (_compose(monoid.elements, monoid.elements) == monoid.elements).all(axis=1)
    return all(
        idempotent[members].all() or not idempotent[members].any()
        for members in strong_components(monoid.right.tolist())
    )


def _dot_depth(automaton: Automaton, monoid: TransitionMonoid, two_variable: bool) -> str | None:
    if _finite_or_cofinite(automaton):
        return "0"
    from longreach.theory.automata.named import bracket_depth

    brackets = bracket_depth(automaton)
    if brackets is not None:
        # Brzozowski and Knast, 1978: the dot-depth of D_n is n.
        return str(brackets)
    one = _knast(monoid)
    if one is None:
        return None
    if one:
        return "1"
    # Two variables are as strong as two alternations in both forms (Thérien and Wilke, 1998).
    return "2" if two_variable else "≥ 2"


def _finite_or_cofinite(automaton: Automaton) -> bool:
    """No letter leads back, except in states whose acceptance no longer changes."""
    loops = [
        members
        for members in strong_components(automaton.transitions)
        if len(members) > 1 or members[0] in automaton.transitions[members[0]]
    ]
    return len(loops) == 1 and len(loops[0]) == 1


def _knast(monoid: TransitionMonoid) -> bool | None:
    """Dot-depth at most one (Knast, 1983): (xy)^ω x t (zt)^ω = (xy)^ω (zt)^ω in the category of
    idempotents.

    Here x, z go from one idempotent to another and y, t back. One idempotent per D-class is enough,
    because the categories are equivalent.
    """
    elements = monoid.elements[monoid.semigroup()]
    objects = idempotent_representatives(elements)
    states = np.arange(elements.shape[1])
    fixed = [np.flatnonzero(elements[e] == states) for e in objects]

    def arrows(source: int, target: int) -> IntArray:
        """The maps of the arrows between two objects, on places in the lists of fixed states."""
        images = np.unique(elements[objects[target]][elements[:, fixed[source]]], axis=0)
        return np.searchsorted(fixed[target], images)

    for here in range(len(objects)):
        for there in range(len(objects)):
            forth, back = arrows(here, there), arrows(there, here)
            if len(forth) * len(back) > _ARROW_PAIRS:
                return None
            left, right = _ends(forth, back)
            if len(left[0]) * len(right[0]) > _COMPARISONS:
                return None
            if not all(_balanced(*pair, right) for pair in _rows(left)):
                return False
    return True


def _ends(forth: IntArray, back: IntArray) -> tuple[tuple[IntArray, IntArray], tuple[IntArray, IntArray]]:
    """The distinct pairs ((xy)^ω, (xy)^ω x) and ((zt)^ω, t (zt)^ω)."""
    first = np.repeat(forth, len(back), axis=0)
    second = np.tile(back, (len(forth), 1))
    # The semigroup is aperiodic, so a high power is the idempotent one.
    loops = high_power(_compose(first, second))
    left = np.unique(np.concatenate([loops, _compose(loops, first)], axis=1), axis=0)
    right = np.unique(np.concatenate([loops, _compose(second, loops)], axis=1), axis=0)
    size = forth.shape[1]
    return (left[:, :size], left[:, size:]), (right[:, :size], right[:, size:])


def _rows(pairs: tuple[IntArray, IntArray]) -> Iterator[tuple[IntArray, IntArray]]:
    return zip(*pairs, strict=True)


def _balanced(loop: IntArray, step: IntArray, right: tuple[IntArray, IntArray]) -> bool:
    """(xy)^ω x · t (zt)^ω = (xy)^ω · (zt)^ω for one left and all right ends."""
    return bool((right[1][:, step] == right[0][:, loop]).all())
