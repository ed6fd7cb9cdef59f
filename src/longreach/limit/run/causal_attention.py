"""Causal softmax attention on arrays, without a length × length matrix.

A head whose keys or queries take few values is summed class by class, with the distances at which a local φ
is not zero taken apart; other heads go through blocks of queries. All give the same numbers up to rounding.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from longreach.limit.model import Array, Head, Relation
from longreach.limit.run.softmax_weights import Floats, Softmax

Method: TypeAlias = Literal["auto", "classes", "blocks"]
"""How heads are summed: "classes" groups whenever that is possible, "blocks" never."""

CLASSES = 64  # more classes of keys or queries than this cost more than blocks
REACH = 64  # more distances of a local φ than this cost more than blocks
SHORT = 128  # up to this length, looking for classes costs more than it saves
RANGE = 500.0  # e^±500 and sums of 10⁹ of them are normal numbers in float64
BLOCK = 1 << 21  # numbers in one block of logits


def _quotient(numerator: Array, denominator: Array) -> Array:
    """0 where all weights are 0, which only rounding can cause."""
    below = denominator[..., None]
    result: Array = np.divide(numerator, below, out=np.zeros_like(numerator), where=below > 0)
    return result


@dataclass(frozen=True, eq=False)
class Attention:
    """One head at work: keys and queries in the directions that KQ reads, values in those that V writes."""

    queries: Floats
    """KQ y_i, (words, length, directions)."""
    keys: Floats
    values: Floats
    phi: Array
    """Local φ without its zeros at the end; empty if there is none, or if `relation` stands for it."""
    relation: Relation | None
    offset: int
    softmax: Softmax

    def logits(self, start: int, stop: int) -> Floats:
        """a_ij for start ≤ i < stop and j < stop, φ included."""
        fit = self.softmax.fit
        logits = fit(self.queries[:, start:stop] @ self.keys[:, :stop].swapaxes(1, 2))
        if self.relation is not None:
            o = self.offset
            extra = [
                [self.relation(j + o, i + o) if j <= i else 0.0 for j in range(stop)]
                for i in range(start, stop)
            ]
            return fit(logits + np.array(extra) * self.softmax.local(np.arange(start, stop))[:, None])
        for distance, value in enumerate(self.phi):
            i = np.arange(max(start, distance), stop)
            scaled = fit(value * self.softmax.local(i))
            logits[:, i - start, i - distance] = fit(logits[:, i - start, i - distance] + scaled)
        return logits

    def weights(self, start: int, stop: int) -> Floats:
        """Unnormalized weights of the queries start ≤ i < stop."""
        exponents = self.softmax.exponents(self.logits(start, stop))
        seen = np.arange(stop)[None, :] <= np.arange(start, stop)[:, None]
        top = np.max(exponents, axis=-1, where=seen, initial=-np.inf, keepdims=True)
        # Unseen keys get the harmless exponent 'top' first: theirs could overflow.
        exponents = np.where(seen, exponents, top)
        return np.where(seen, self.softmax.weights(exponents, self.softmax.largest(top)), 0)

    def blocks(self) -> Array:
        words, length, _ = self.values.shape
        values = self.values.astype(np.float64, copy=False)
        result = np.empty(values.shape)
        size = max(1, BLOCK // (words * length))
        for start in range(0, length, size):
            stop = min(start + size, length)
            weights = self.weights(start, stop).astype(np.float64, copy=False)
            sums = weights.sum(axis=-1)
            result[:, start:stop] = _quotient(weights @ values[:, :stop], sums)
        return result

    def result(self, method: Method) -> Array:
        """Σ_j w_ij V y_j in the written directions."""
        length = self.values.shape[1]
        possible = self.relation is None and len(self.phi) <= REACH
        if possible and (method == "classes" or (method == "auto" and length > SHORT)):
            grouped = self._key_classes()
            if grouped is None and not self.softmax.by_row:
                grouped = self._query_classes()
            if grouped is not None:
                return grouped
        return self.blocks()

    def _near(self, logits: Sequence[Floats]) -> Floats:
        """Exponents at the distances of φ, (words, length, distances); `logits[d]` are those without φ."""
        near = np.full((*self.values.shape[:2], len(self.phi)), -np.inf)
        for distance, value in enumerate(self.phi):
            fit = self.softmax.fit
            scaled = fit(value * self.softmax.local(np.arange(distance, near.shape[1])))
            near[:, distance:, distance] = self.softmax.exponents(
                fit(logits[distance][:, distance:] + scaled)
            )
        return near

    def _shifted(self, sums: Array) -> Array:
        """Sums over the keys j ≤ i − len(φ), from sums over the keys j ≤ i."""
        reach = min(len(self.phi), sums.shape[1])
        if reach == 0:
            return sums
        result = np.zeros_like(sums)
        result[:, reach:] = sums[:, : sums.shape[1] - reach]
        return result

    def _add_near(self, numerator: Array, denominator: Array, weights: Floats) -> Array:
        length = numerator.shape[1]
        for distance in range(min(len(self.phi), length)):
            here = weights[:, distance:, distance]
            denominator[:, distance:] += here
            numerator[:, distance:] += here[..., None] * self.values[:, : length - distance]
        return _quotient(numerator, denominator)

    def _key_classes(self) -> Array | None:
        """Equal keys get equal logits: count them and sum their values once per class."""
        found = _classes(self.keys)
        if found is None:
            return None
        code, representatives = found
        logits = self.softmax.fit(self.queries @ representatives.T)
        exponents = self.softmax.exponents(logits)
        here = code[..., None] == np.arange(len(representatives))
        counts = self._shifted(np.cumsum(here, axis=1).astype(np.float64))
        # np.roll wraps around only where the distance leads before the start, which _near leaves out.
        near = self._near(
            [
                np.take_along_axis(logits, np.roll(code, distance, axis=1)[..., None], axis=2)[..., 0]
                for distance in range(len(self.phi))
            ]
        )
        top = np.max(exponents, axis=-1, where=counts > 0, initial=-np.inf)
        top = np.maximum(top, near.max(axis=-1, initial=-np.inf))[..., None]
        weights = self._masked(exponents, counts > 0, top)
        denominator = (weights * counts).sum(axis=-1)
        numerator = np.zeros(self.values.shape)
        for number in range(len(representatives)):
            values = np.where(here[..., number, None], self.values, 0).astype(np.float64, copy=False)
            numerator += weights[..., number, None] * self._shifted(np.cumsum(values, axis=1))
        return self._add_near(numerator, denominator, self._masked(near, near > -np.inf, top))

    def _masked(self, exponents: Floats, present: NDArray[np.bool_], top: Floats) -> Floats:
        safe = np.where(present, exponents, top)
        return np.where(present, self.softmax.weights(safe, self.softmax.largest(top)), 0)

    def _query_classes(self) -> Array | None:
        """Equal queries weigh every key equally: one running sum per class, if all weights fit a float."""
        found = _classes(self.queries)
        if found is None:
            return None
        code, representatives = found
        logits = self.softmax.fit(self.keys @ representatives.T)
        exponents = self.softmax.exponents(logits)
        near = self._near(
            [
                np.take_along_axis(np.roll(logits, distance, axis=1), code[..., None], axis=2)[..., 0]
                for distance in range(len(self.phi))
            ]
        )
        top = exponents.max(axis=1, keepdims=True)
        top = np.maximum(top, near.max(axis=(1, 2), initial=-np.inf)[:, None, None])
        low = np.min(near, where=near > -np.inf, initial=exponents.min())
        if (float(top.max()) - float(low)) * self.softmax.unit > RANGE:
            return None
        weights = self.softmax.weights(exponents, self.softmax.largest(top)).astype(np.float64, copy=False)
        numerator, denominator = np.zeros(self.values.shape), np.zeros(self.values.shape[:2])
        for number in range(len(representatives)):
            chosen = code == number
            weight = weights[..., number]
            denominator[chosen] = self._shifted(np.cumsum(weight, axis=1))[chosen]
            numerator[chosen] = self._shifted(np.cumsum(weight[..., None] * self.values, axis=1))[chosen]
        own = np.take_along_axis(top, code[:, None], axis=2).swapaxes(1, 2)
        return self._add_near(numerator, denominator, self._masked(near, near > -np.inf, own))


def _classes(rows: Floats) -> tuple[NDArray[np.intp], Floats] | None:
    """The class of each row of (words, length, directions), and a row of each class; None if too many."""
    directions = rows.shape[2]
    if directions == 0:
        return np.zeros(rows.shape[:2], dtype=np.intp), np.zeros((1, 0), dtype=rows.dtype)
    flat = np.ascontiguousarray(rows.reshape(-1, directions) + 0.0)  # −0.0 becomes 0.0
    whole = flat.view(np.dtype((np.void, flat.itemsize * directions)))[:, 0]
    if len(np.unique(whole[: 4 * CLASSES])) > CLASSES:
        return None
    _, first, code = np.unique(whole, return_index=True, return_inverse=True)
    return (code.reshape(rows.shape[:2]), flat[first]) if len(first) <= CLASSES else None


def attend(head: Head, stream: Floats, softmax: Softmax, offset: int) -> tuple[Attention, Any]:
    """The head on this residual stream, and the directions that it writes."""
    fit = softmax.fit
    written, read = (np.flatnonzero(head.v.any(axis=axis)) for axis in (1, 0))
    key, query = (np.flatnonzero(head.kq.any(axis=axis)) for axis in (1, 0))
    values = fit(stream[..., read] @ fit(head.v[np.ix_(written, read)]).T)
    queries = fit(stream[..., query] @ fit(head.kq[np.ix_(key, query)]).T)
    relation = head.phi if callable(head.phi) else None
    phi = np.trim_zeros(head.phi, "b") if isinstance(head.phi, np.ndarray) else np.zeros(0)
    return Attention(queries, stream[..., key], values, phi, relation, offset, softmax), written
