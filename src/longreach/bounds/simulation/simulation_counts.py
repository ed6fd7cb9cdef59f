"""How often each class of tokens stands in z: the case analysis of Theorem 4.1 (arXiv 2510.27015, A.1).

A class is a token with a residue of its position; counts are arrays (tokens, residues), of the part of x that
may be shortened. `f` and `g` are the classes that the models attend to. The proof has no positions; with them
z loses whole periods, the same number of positions at every residue. docs/simulation.md has the constants.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from math import ceil
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Counts: TypeAlias = NDArray[np.int64]
Classes: TypeAlias = NDArray[np.bool_]


class Case(StrEnum):
    """Which case of the proof made z."""

    WHOLE = "x itself"
    """Nothing shorter is certain to do."""
    COPIED = "both copied"
    """f and g attend to few tokens: all of them stand in z."""
    APART = "hardly shared"
    """Few tokens that g attends to are attended to by f: two scales."""
    SHARED = "shared"
    """One scale for both."""
    NO_ROOM = "one scale for all"
    """At some residue every token is attended to, so that positions leave no choice but one scale."""


@dataclass(frozen=True, kw_only=True)
class Scales:
    """The numbers of the construction for attention weights within `tolerance` (α), by total variation."""

    tolerance: Fraction
    tokens: int
    period: int
    kept: int
    """k: the last τ + 1 positions and $, which stand in z as they do in x."""

    @property
    def classes(self) -> int:
        """K: the most by which counts miss their scale, summed."""
        return (self.tokens + 2) * self.period

    @property
    def first(self) -> int:
        """T, the τ/ε of the proof: how many tokens stand for those that f attends to."""
        return 2 * self.classes + ceil(8 * (self.classes + self.kept) / self.tolerance)

    @property
    def overlap(self) -> Fraction:
        """η, the ε of the proof's second case: the least share that counts as shared."""
        return min(self.tolerance / 16, Fraction(1, 4 * self.period))

    @property
    def second(self) -> int:
        """T / η, the τ/ε² of the proof: how many stand for those that g attends to."""
        return ceil((self.first + self.kept) / self.overlap)

    @property
    def longest(self) -> int:
        """No z is longer, positions with $ counted, unless attention becomes hard later than that."""
        return self.period * (self.first + self.second + self.kept + 4) + self.kept


@dataclass(frozen=True, kw_only=True, eq=False)
class Plan:
    """What z has in the part that is shortened."""

    counts: Counts
    removed: int
    """Positions fewer than in x, at each residue."""
    case: Case


def plan(n: Counts, f: Classes, g: Classes, scales: Scales, *, least: int = 0) -> Plan:
    """Counts for z from the counts n of x; `least` positions must stay.

    >>> scales = Scales(tolerance=Fraction(1), tokens=2, period=1, kept=2)
    >>> f, g = np.array([[True], [False]]), np.array([[True], [True]])
    >>> found = plan(np.array([[600], [300]]), f, g, scales)
    >>> found.case.value, scales.first, found.counts.ravel().tolist()
    ('shared', 56, [56, 28])
    """
    if n[f].sum() > n[g].sum():
        f, g = g, f
    sizes = n.sum(axis=0)
    spare = _spare(n, least)
    counts, case = _attended(n, f, g, scales)
    removed = min(spare, int((sizes - counts.sum(axis=0)).min()))
    # Residues without a token that nobody attends to: there, nothing can be added.
    full: Classes = np.all((n == 0) | f | g, axis=0, keepdims=True)[0]
    short = sizes - removed > counts.sum(axis=0)
    if spare > 0 and case is not Case.COPIED and full.any() and (removed == 0 or short[full].any()):
        return _without_room(n, f, g, scales, spare=spare, full=full)
    if removed <= 0:
        return Plan(counts=n, removed=0, case=Case.WHOLE)
    return Plan(counts=_filled(counts, n, f | g, sizes - removed), removed=removed, case=case)


def _spare(n: Counts, least: int) -> int:
    """How many positions can go at each residue, such that `least` stay in all."""
    sizes = n.sum(axis=0)
    return min(int(sizes.min()), (int(sizes.sum()) - least) // len(sizes))


def _attended(n: Counts, f: Classes, g: Classes, scales: Scales) -> tuple[Counts, Case]:
    """The three cases, by the floor formulas; f attends to no more tokens than g."""
    a_f, a_g, shared = (int(n[classes].sum()) for classes in (f, g, f & g))
    t, others = scales.first, g & ~f
    if a_g <= t:
        return np.where(f | g, n, 0), Case.COPIED
    counts = np.where(f, n if a_f <= t else n * t // a_f, 0)
    if shared <= scales.overlap * a_g:
        t = min(scales.second, a_g)
        return np.where(others, n * t // a_g, counts), Case.APART
    star = np.unravel_index(np.argmax(np.where(f, n, -1)), n.shape)  # s* of the proof
    return np.where(others, n * counts[star] // n[star], counts), Case.SHARED


def _filled(counts: Counts, n: Counts, attended: Classes, sizes: Counts) -> Counts:
    """At every residue, what is missing is a token that neither attends to, the most frequent one."""
    free = np.where(attended, 0, n).argmax(axis=0)
    result = counts.copy()
    result[free, np.arange(n.shape[1])] += sizes - counts.sum(axis=0)
    return result


def _without_room(n: Counts, f: Classes, g: Classes, scales: Scales, *, spare: int, full: Classes) -> Plan:
    """At the `full` residues all counts are given by the number of positions: they share it as in x."""
    a_f, a_g = int(n[f].sum()), int(n[g].sum())
    few = a_f <= scales.overlap * a_g  # then f has a scale of its own, and g takes the rest
    target, of = (scales.second, a_g) if few else (scales.first, a_f)
    sizes = n.sum(axis=0)
    smallest = int(sizes.min())
    removed = min(spare, smallest * (of - target) // of)
    if removed <= 0:
        return Plan(counts=n, removed=0, case=Case.WHOLE)
    room = sizes - removed
    scaled = n * (smallest - removed) // smallest
    if few:
        own = np.where(f, n if a_f <= scales.first else n * scales.first // a_f, 0)
        rest = g & ~f
    else:
        own, rest = np.zeros_like(n), f | g
    counts = np.where(rest, scaled, own)
    tight = full | (counts.sum(axis=0) > room)
    for residue in np.flatnonzero(tight).tolist():
        left = int(room[residue] - own[:, residue].sum())
        counts[:, residue] = own[:, residue] + apportioned(np.where(rest, n, 0)[:, residue], left)
    loose = _filled(counts, n, f | g, room)
    counts = np.where(tight, counts, loose)
    return Plan(counts=counts, removed=removed, case=Case.APART if few else Case.NO_ROOM)


def apportioned(shares: Counts, total: int) -> Counts:
    """Integers that add up to `total`, each within one of its share: the largest remainders are rounded up.

    >>> apportioned(np.array([5, 3, 1]), 4).tolist()
    [2, 1, 1]
    """
    whole = int(shares.sum())
    floors = shares * total // whole
    remainders = shares * total % whole
    up = np.argsort(-remainders, kind="stable")[: total - int(floors.sum())]
    floors[up] += 1
    return floors
