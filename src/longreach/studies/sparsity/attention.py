"""Sparse functional attention, and properties of its keys (Golowich et al., arXiv 2502.16792).

Definition 3.3: h(x) = Σ_S exp g₀(S, x_S) g₁(x_S) / Σ_S exp g₀(S, x_S) over all sets S of k places. Where
every score is −∞, h is the mean of g₁ over all sets. Assumption 3.3 asks that keys are local and relative.

A plain attention head is the case k = 1 (Propositions 3.2 and B.1). The paper says that the two classes are
equal. But with embedding dimension 1, both scores and values of a head are multiples of one row W_e, so that
scores (0, 1) never go with values (1, 0). With as many dimensions as tokens every table is a head.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import combinations, product
from math import comb
from typing import Protocol, TypeAlias

import numpy as np

from longreach.errors import Field, InputError
from longreach.studies.sparsity.ensembles import FloatArray, IntArray, Label

# Sums over all sets of k places, without enumerating them.


CHUNK = 1 << 16
"""Numbers held at a time, about."""
FRACTION = 20
"""Values that are whole numbers of 2^-20 are summed without rounding while sums stay below 2^53."""


def tuple_counts(tokens: IntArray, sparsity: int) -> tuple[IntArray, IntArray]:
    """The symbols that occur, and for each row how many sets of places have each tuple of them, in order.

    >>> symbols, counts = tuple_counts(np.array([[7, 9, 7]]), 2)
    >>> dict(zip(map(tuple, token_tuples(symbols, 2).tolist()), counts[0].tolist()))
    {(7, 7): 1, (7, 9): 1, (9, 7): 1, (9, 9): 0}
    """
    count, length = tokens.shape
    if comb(length, sparsity) >= 2**62:
        raise InputError(f"{length} tokens have too many sets of {sparsity}", place=Field("tokens"))
    symbols, numbers = np.unique(tokens, return_inverse=True)
    numbers = numbers.reshape(tokens.shape)
    size = len(symbols) ** sparsity
    if size * length > CHUNK << 8:
        raise InputError(f"{len(symbols)} tokens have too many {sparsity}-tuples", place=Field("tokens"))
    found = np.empty((count, size), dtype=np.int64)
    step = max(1, CHUNK // (length * size))
    for first in range(0, count, step):
        part = numbers[first : first + step]
        here = part[..., None] == np.arange(len(symbols))
        ends = here.astype(np.int64)
        for _ in range(sparsity - 1):
            # Tuples that end at a place: one of those that ended before it, and its token.
            before = np.cumsum(ends, axis=1) - ends
            ends = (before[..., :, None] * here[..., None, :]).reshape(*part.shape, -1)
        found[first : first + step] = ends.sum(axis=1)
    return symbols.astype(np.int64), found


def token_tuples(symbols: IntArray, sparsity: int) -> IntArray:
    """All tuples of the symbols, in the order of `tuple_counts`."""
    found = list(product(symbols.tolist(), repeat=sparsity))
    return np.array(found, dtype=np.int64).reshape(len(found), sparsity)


def is_dyadic(values: FloatArray, times: int) -> bool:
    """Whether sums of so many of these values are exact in floating point.

    >>> is_dyadic(np.array([0.5, 1.0]), 1000), is_dyadic(np.array([0.1]), 1)
    (True, False)
    """
    scaled = values * 2.0**FRACTION
    largest = float(np.abs(scaled).max(initial=0.0))
    return bool((scaled == np.floor(scaled)).all()) and largest * times < 2.0**53


# Attention over sets of k tokens.


Score: TypeAlias = Callable[[IntArray, IntArray], FloatArray]
"""From places (…, k), counted from 1, and tokens (…, k) to scores (…); −∞ is allowed."""
ValueFunction: TypeAlias = Callable[[IntArray], FloatArray]
"""From tokens (…, k) to points of 𝒴 (…, d)."""


@dataclass(frozen=True, slots=True, eq=False)
class Quotient:
    """Predictions as numerators (n, d) and denominators (n,)."""

    numerators: FloatArray
    denominators: FloatArray
    exact: bool
    """Whether both are right to the last bit, so that the quotient is known as a rational number."""

    @property
    def values(self) -> FloatArray:
        found: FloatArray = self.numerators / self.denominators[:, None]
        return found


class Hypothesis(Protocol):
    """A function from sequences of any length to points of 𝒴."""

    @property
    def name(self) -> str:
        """What it is called; names in a class differ."""
        ...

    def quotient(self, tokens: IntArray) -> Quotient:
        """Its values on sequences of one length, one in each row."""
        ...


@dataclass(frozen=True, eq=False)
class Key:
    """g₀, with what is claimed of it; `not_local` and `not_relative` check it."""

    name: str
    score: Score
    window: int | None = None
    """L_local: sets with max S − min S above it have the score −∞. None: no such claim."""
    position_free: bool = False
    """Whether the score depends on the tokens alone, apart from the window."""


@dataclass(frozen=True, eq=False)
class Value:
    """g₁."""

    name: str
    value: ValueFunction


@dataclass(frozen=True, eq=False)
class SparseAttention:
    """h_{g₀,g₁}. With a window the sum runs over the sets inside windows only.

    >>> key = table_key("pairs of 1", {(1, 1): 0.0}, vocabulary=2, window=3)
    >>> value = table_value("both", {(1, 1): (1,)}, vocabulary=2)
    >>> attention = SparseAttention(key, value, sparsity=2)
    >>> attention.quotient(np.array([[0, 1, 1, 0], [0, 0, 1, 0]])).values.tolist()
    [[1.0], [0.0]]
    """

    key: Key
    value: Value
    sparsity: int

    @property
    def name(self) -> str:
        return f"{self.key.name}, {self.value.name}"

    def quotient(self, tokens: IntArray) -> Quotient:
        """Its values on sequences of one length, one in each row."""
        if tokens.ndim != 2 or not len(tokens) or tokens.shape[1] < self.sparsity:
            reason = f"sequences of at least {self.sparsity} tokens are needed, not of {tokens.shape[-1]}"
            raise InputError(reason, place=Field("tokens"))
        step = max(1, 4 * CHUNK // tokens.shape[1])  # memory for some rows at a time
        parts = [self._quotient(tokens[first : first + step]) for first in range(0, len(tokens), step)]
        if len(parts) == 1:
            return parts[0]
        return Quotient(
            np.concatenate([part.numerators for part in parts]),
            np.concatenate([part.denominators for part in parts]),
            all(part.exact for part in parts),
        )

    def _quotient(self, tokens: IntArray) -> Quotient:
        if self.key.position_free and self.key.window is None:
            found = self._by_tuples(tokens)
        else:
            found = self._by_sets(tokens)
        return self._without_scores(tokens, found)

    def _by_sets(self, tokens: IntArray) -> Quotient:
        """The weights of all sets, relative to the highest score so far."""
        count, length = tokens.shape
        top = np.full(count, -np.inf)
        sums, total, exact = None, np.zeros(count), True
        for places in place_sets(length, self.sparsity, self.key.window, max(1, CHUNK // count)):
            chosen = tokens[:, places - 1]
            scores = np.broadcast_to(self.key.score(places, chosen), chosen.shape[:-1])
            exact = exact and bool(((scores == 0) | np.isneginf(scores)).all())
            higher = np.maximum(top, scores.max(axis=1))
            known = np.where(np.isneginf(higher), 0.0, higher)
            kept, weights = np.exp(top - known), np.exp(scores - known[:, None])
            values = self.value.value(chosen)
            exact = exact and is_dyadic(values, comb(length, self.sparsity))
            part = np.einsum("nm,nmd->nd", weights, values)
            sums = part if sums is None else sums * kept[:, None] + part
            total, top = total * kept + weights.sum(axis=1), higher
        if sums is None:  # no set fits into the window
            sums = np.zeros_like(self.value.value(tokens[:, : self.sparsity]))
        return Quotient(sums, total, exact)

    def _by_tuples(self, tokens: IntArray) -> Quotient:
        """Where only tokens matter: the number of sets with each tuple of tokens."""
        symbols, counts = tuple_counts(tokens, self.sparsity)
        tuples = token_tuples(symbols, self.sparsity)
        scores = np.broadcast_to(self.key.score(np.arange(1, self.sparsity + 1), tuples), len(tuples))
        values = self.value.value(tuples)
        there = np.where(counts > 0, scores, -np.inf)
        top = there.max(axis=1)
        known = np.where(np.isneginf(top), 0.0, top)
        weights = np.exp(there - known[:, None]) * counts
        exact = bool(((scores == 0) | np.isneginf(scores)).all())
        exact = exact and is_dyadic(values, comb(tokens.shape[1], self.sparsity))
        return Quotient(weights @ values, weights.sum(axis=1), exact)

    def _without_scores(self, tokens: IntArray, found: Quotient) -> Quotient:
        """Rows in which every score is −∞ have the mean over all sets, near or far."""
        silent = np.flatnonzero(found.denominators == 0)
        if not len(silent):
            return found
        symbols, counts = tuple_counts(tokens[silent], self.sparsity)
        values = self.value.value(token_tuples(symbols, self.sparsity))
        sets = comb(tokens.shape[1], self.sparsity)
        numerators, denominators = found.numerators.copy(), found.denominators.copy()
        numerators[silent], denominators[silent] = counts @ values, sets
        return Quotient(numerators, denominators, found.exact and is_dyadic(values, sets))


def attention_class(
    keys: Iterable[Key], values: Iterable[Value], *, sparsity: int
) -> tuple[SparseAttention, ...]:
    """ℋ^attn(𝒢^key, 𝒢^val): each key with each value."""
    known = list(values)
    return tuple(SparseAttention(key, value, sparsity) for key in keys for value in known)


def place_sets(length: int, sparsity: int, window: int | None, rows: int) -> Iterator[IntArray]:
    """All sets of places up to a length, those inside windows only; about so many rows at a time.

    >>> [block.tolist() for block in place_sets(4, 2, 1, 100)]
    [[[1, 2], [2, 3], [3, 4]]]
    """
    waiting: list[IntArray] = []
    size = 0
    for shape in _shapes(sparsity, length - 1 if window is None else min(window, length - 1)):
        starts = np.arange(1, length - int(shape[-1]) + 1)
        waiting.append(starts[:, None] + shape)
        size += len(starts)
        if size >= rows:
            yield np.concatenate(waiting)
            waiting, size = [], 0
    if waiting:
        yield np.concatenate(waiting)


@cache
def _shapes(sparsity: int, span: int) -> IntArray:
    if span < sparsity - 1:
        return np.zeros((0, sparsity), dtype=np.int64)
    found = [(0, *rest) for rest in combinations(range(1, span + 1), sparsity - 1)]
    return np.array(found, dtype=np.int64).reshape(len(found), sparsity)


def codes(tokens: IntArray, vocabulary: int) -> IntArray:
    """Tuples of tokens as numbers, which tables are read by."""
    powers = vocabulary ** np.arange(tokens.shape[-1])[::-1]
    found: IntArray = (tokens * powers).sum(axis=-1)
    return found


def table_key(
    name: str,
    scores: Mapping[tuple[int, ...], float],
    *,
    vocabulary: int,
    window: int | None = None,
    other: float = -np.inf,
) -> Key:
    """A key that looks at tokens: the score of each tuple, `other` for those that are not listed."""
    size = len(next(iter(scores)))
    table = np.full(vocabulary**size, other)
    for listed, number in scores.items():
        table[codes(np.array(listed), vocabulary)] = number

    def score(places: IntArray, tokens: IntArray) -> FloatArray:
        found: FloatArray = table[codes(tokens, vocabulary)]
        if window is None:
            return found
        near: FloatArray = np.where(places[..., -1] - places[..., 0] > window, -np.inf, found)
        return near

    return Key(name, score, window, position_free=True)


def table_value(
    name: str, labels: Mapping[tuple[int, ...], Label | tuple[int, ...]], *, vocabulary: int
) -> Value:
    """A value for each tuple of tokens; those that are not listed have zeros."""
    first, point = next(iter(labels.items()))
    table = np.zeros((vocabulary ** len(first), len(point)))
    for tokens, label in labels.items():
        table[codes(np.array(tokens), vocabulary)] = [float(part) for part in label]
    return Value(name, lambda tokens: table[codes(tokens, vocabulary)])


# Whether keys are local and relative, by trying all sets.


MOST = 5_000_000


def not_local(keys: Iterable[Key], window: int, *, sparsity: int, vocabulary: int, up_to: int) -> str | None:
    """The first finite score of a set that is wider than the window; None if there is none up to a length.

    >>> far = table_key("far", {(1, 1): 0.0}, vocabulary=2)
    >>> not_local([far], 2, sparsity=2, vocabulary=2, up_to=6)
    'far: a finite score at (1, 4) with tokens (1, 1)'
    """
    places, tokens = _everything(sparsity, vocabulary, up_to)
    wide = places[places[:, -1] - places[:, 0] > window]
    for key in keys:
        scores = np.broadcast_to(key.score(wide[:, None], tokens), (len(wide), len(tokens)))
        found = np.argwhere(~np.isneginf(scores))
        if len(found):
            return _violation(key, wide, tokens, found[0], "a finite score")
    return None


def not_relative(keys: Iterable[Key], *, sparsity: int, vocabulary: int, up_to: int) -> str | None:
    """The first score that changes when its set is shifted; None if there is none up to a length.

    >>> first = Key("first", lambda places, tokens: np.where(places[..., 0] == 1, 0.0, -np.inf))
    >>> not_relative([first], sparsity=1, vocabulary=2, up_to=3)
    'first: another score than at (1,) at (2,) with tokens (0,)'
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


def _violation(key: Key, places: IntArray, tokens: IntArray, found: IntArray, reason: str) -> str:
    where, which = tuple(places[found[0]].tolist()), tuple(tokens[found[1]].tolist())
    return f"{key.name}: {reason} at {where} with tokens {which}"
