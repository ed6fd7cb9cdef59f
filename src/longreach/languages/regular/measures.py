"""Other measures of a regular language, to set beside the C-RASP verdicts.

All but the number of states read the syntactic monoid, so they are computed on request and under a cap.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from longreach.languages.budget import DEFAULT_BUDGET, Budget
from longreach.languages.regular.automaton import Automaton, strong_components
from longreach.languages.regular.monoid import (
    TransitionMonoid,
    idempotent_representatives,
    stable_semigroup,
    transition_monoid,
)
from longreach.languages.regular.named_languages import bracket_depth

IntArray = npt.NDArray[np.int64]
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

    >>> from longreach.languages.regular.expression_to_automaton import from_expression
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


def _high_power(rows: IntArray) -> IntArray:
    """For each map a power of it that lies in the periodic part of its powers."""
    exponent = 1
    while exponent < rows.shape[1]:
        rows = _compose(rows, rows)
        exponent *= 2
    return rows


def _aperiodic(rows: IntArray) -> bool:
    power = _high_power(rows)
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
    loops = _high_power(_compose(first, second))
    left = np.unique(np.concatenate([loops, _compose(loops, first)], axis=1), axis=0)
    right = np.unique(np.concatenate([loops, _compose(second, loops)], axis=1), axis=0)
    size = forth.shape[1]
    return (left[:, :size], left[:, size:]), (right[:, :size], right[:, size:])


def _rows(pairs: tuple[IntArray, IntArray]) -> Iterator[tuple[IntArray, IntArray]]:
    return zip(*pairs, strict=True)


def _balanced(loop: IntArray, step: IntArray, right: tuple[IntArray, IntArray]) -> bool:
    """(xy)^ω x · t (zt)^ω = (xy)^ω · (zt)^ω for one left and all right ends."""
    return bool((right[1][:, step] == right[0][:, loop]).all())
