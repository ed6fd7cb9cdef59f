"""Coverage of planted places (Golowich et al., arXiv 2502.16792, Assumption 4.2)."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from longreach.errors import Field, InputError
from longreach.sparsity.position_law import Places, PlaceSet, PositionLaw, Shape


@dataclass(frozen=True, kw_only=True)
class Coverage:
    """The least η_ℓ, and where it is attained."""

    length: int
    eta: Fraction | None
    """None: no number is enough."""
    other: int
    """The length ℓ′ that it is compared with."""
    places: PlaceSet
    """The set S*."""


def coverage(places: Places, length: int, *, window: int) -> Coverage:
    """The least η with 𝒬_ℓ(S) ≤ η 𝒬_ℓ′(S − Δ) and 𝒬_ℓ′(S) ≤ η 𝒬_ℓ(S), for ℓ′ from the window to ℓ.

    Δ ≥ 0, and sets that do not fit into the other length demand nothing. A quotient 0/0 demands nothing
    either.

    >>> from longreach.sparsity.position_law import shifted_sets
    >>> coverage(shifted_sets({(1, 2): 1}, window=2), 10, window=2).eta
    Fraction(9, 1)
    """
    if not 1 <= window <= length:
        raise InputError(f"{window} is not between 1 and the length {length}", place=Field("window"))
    own, worst = places(length), None
    for other in range(window, length + 1):
        try:
            law = places(other)
        except InputError:  # no set fits there: nothing is demanded
            continue
        for found in (_shifted(own, law), _same(law, own)):
            if found is not None and (worst is None or _above(found, worst)):
                worst = found
        if worst is not None and worst.eta is None:
            return worst
    if worst is None:
        raise InputError(f"there are no planted sets up to length {length}", place=Field("places"))
    return worst


def _above(one: Coverage, other: Coverage) -> bool:
    return one.eta is None or (other.eta is not None and one.eta > other.eta)


def _shifted(own: PositionLaw, law: PositionLaw) -> Coverage | None:
    """The largest 𝒬_ℓ(S) / 𝒬_ℓ′(S − Δ): for each start the least weight of all earlier starts counts."""
    found = None
    for shape, row in own.weights.items():
        starts = law.length - shape[-1]
        if starts < 1 or not row.any():
            continue
        theirs = law.weights.get(shape)
        least = np.zeros(starts, dtype=np.int64) if theirs is None else np.minimum.accumulate(theirs)
        # Equal least weights stand together; in each such stretch the largest own weight counts.
        changes = np.concatenate(([0], np.flatnonzero(np.diff(least)) + 1))
        tops = np.maximum.reduceat(row, changes)
        for start, top in zip(changes.tolist(), tops.tolist(), strict=True):
            if top:
                place = start + int(np.argmax(row[start:] == top))
                found = _larger(found, own, law, shape, place, top * law.total, int(least[start]) * own.total)
    return found


def _same(law: PositionLaw, own: PositionLaw) -> Coverage | None:
    """The largest 𝒬_ℓ′(S) / 𝒬_ℓ(S)."""
    found = None
    for shape, theirs in law.weights.items():
        used = np.flatnonzero(theirs)
        row = own.weights.get(shape)
        if not len(used):
            continue
        mine = np.zeros(len(theirs), dtype=np.int64) if row is None else row[: len(theirs)]
        missing = used[mine[used] == 0]
        pairs = {(int(theirs[at]), int(mine[at])): int(at) for at in used.tolist()}
        if len(missing):
            at = int(missing[0])
            return _larger(found, own, law, shape, at, int(theirs[at]), 0)
        for (top, bottom), at in pairs.items():
            found = _larger(found, own, law, shape, at, top * own.total, bottom * law.total)
    return found


def _larger(
    found: Coverage | None,
    own: PositionLaw,
    law: PositionLaw,
    shape: Shape,
    start: int,
    top: int,
    bottom: int,
) -> Coverage:
    eta = Fraction(top, bottom) if bottom else None
    places = tuple(start + 1 + offset for offset in shape)
    new = Coverage(length=own.length, eta=eta, other=law.length, places=places)
    return new if found is None or _above(new, found) else found
