"""Whether keys are local and relative, by looking at all sets.

Golowich et al. (arXiv 2502.16792), Assumption 3.3.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import product

import numpy as np

from longreach.errors import Field, InputError
from longreach.sparsity.distribution_ensemble import IntArray
from longreach.sparsity.position_law import PlaceSet
from longreach.sparsity.sparse_attention import Key, place_sets

MOST = 5_000_000


@dataclass(frozen=True, kw_only=True)
class Violation:
    """A set, its tokens and a key that break the property."""

    key: str
    places: PlaceSet
    tokens: tuple[int, ...]
    reason: str

    def __str__(self) -> str:
        return f"{self.key}: {self.reason} at {self.places} with tokens {self.tokens}"


def not_local(
    keys: Iterable[Key], window: int, *, sparsity: int, vocabulary: int, up_to: int
) -> Violation | None:
    """The first finite score of a set that is wider than the window; None if there is none up to a length.

    >>> from longreach.sparsity.sparse_attention import table_key
    >>> far = table_key("far", {(1, 1): 0.0}, vocabulary=2)
    >>> print(not_local([far], 2, sparsity=2, vocabulary=2, up_to=6))
    far: a finite score at (1, 4) with tokens (1, 1)
    """
    places, tokens = _everything(sparsity, vocabulary, up_to)
    wide = places[places[:, -1] - places[:, 0] > window]
    for key in keys:
        scores = np.broadcast_to(key.score(wide[:, None], tokens), (len(wide), len(tokens)))
        found = np.argwhere(~np.isneginf(scores))
        if len(found):
            return _violation(key, wide, tokens, found[0], "a finite score")
    return None


def not_relative(keys: Iterable[Key], *, sparsity: int, vocabulary: int, up_to: int) -> Violation | None:
    """The first score that changes when its set is shifted; None if there is none up to a length.

    >>> first = Key("first", lambda places, tokens: np.where(places[..., 0] == 1, 0.0, -np.inf))
    >>> print(not_relative([first], sparsity=1, vocabulary=2, up_to=3))
    first: another score than at (1,) at (2,) with tokens (0,)
    """
    places, tokens = _everything(sparsity, vocabulary, up_to)
    origin = places - places[:, :1] + 1
    for key in keys:
        here, there = (
            np.broadcast_to(key.score(each[:, None], tokens), (len(places), len(tokens)))
            for each in (places, origin)
        )
        found = np.argwhere(here != there)
        if len(found):
            first = tuple(origin[found[0][0]].tolist())
            return _violation(key, places, tokens, found[0], f"another score than at {first}")
    return None


def _everything(sparsity: int, vocabulary: int, up_to: int) -> tuple[IntArray, IntArray]:
    blocks = list(place_sets(up_to, sparsity, None, 1 << 30))
    if not blocks:
        raise InputError(f"no set of {sparsity} places fits into {up_to}", place=Field("up_to"))
    places, tokens = blocks[0], np.array(list(product(range(vocabulary), repeat=sparsity)), dtype=np.int64)
    if len(places) * len(tokens) > MOST:
        raise InputError(f"too many sets up to {up_to} to look at all of them", place=Field("up_to"))
    return places, tokens


def _violation(key: Key, places: IntArray, tokens: IntArray, found: IntArray, reason: str) -> Violation:
    where, which = tuple(places[found[0]].tolist()), tuple(tokens[found[1]].tolist())
    return Violation(key=key.name, places=where, tokens=which, reason=reason)
