"""Running a limit transformer in floating point, at every position or the last.

A head whose keys or queries take few values is summed class by class, with the distances at which a local φ
is not zero taken apart; other heads go through blocks of queries. All give the same numbers up to rounding.

No array is larger than length × width, or length × a block of queries.

Arithmetic: with `dtype` float32 or bfloat16, parameters and the result of every operation are rounded to it.
Operations are matrix products, sums, the scaling of logits by log|x|, the exponential of a scaled logit minus
the largest, and the quotient of the weighted sum and the sum of weights, both accumulated in float64.

If a model rounds to p bits and all exponentials of a query round to 0, then the head adds nothing there; the
papers leave this case open.

The last layer has one query there, so that it costs one pass over the keys. In a model of one layer keys with
the same token and residue beyond the reach of φ are alike: they are counted, and evaluated once.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from longreach.errors import InputError
from longreach.theory.limit.model import Array, Head, Layer, Relation, Transformer
from longreach.theory.limit.rounding import Dtype, Fit, Floats, Rounding, Softmax, fitting

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
        found = _row_classes(self.keys)
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
        found = _row_classes(self.queries)
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


def _row_classes(rows: Floats) -> tuple[NDArray[np.intp], Floats] | None:
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
    return Attention(queries, stream[..., key], values, head.local, relation, offset, softmax), written


Word: TypeAlias = Sequence[str]
Precision: TypeAlias = Rounding | Literal["own"]
"""How attention is rounded instead of as the model says itself: one of the models of `rounding`."""

CHUNK = 1 << 22  # numbers in one batch of residual streams


def _mlp(layer: Layer, stream: Floats, fit: Fit) -> None:
    """Add the MLP's output in place, a few rows at a time, because it may be wider than the stream."""
    if not len(layer.b):
        return
    inner, bias, out = fit(layer.a).T, fit(layer.b), fit(layer.out).T
    rows = stream.reshape(-1, stream.shape[-1])
    size = max(1, BLOCK // len(layer.b))
    for start in range(0, len(rows), size):
        part = rows[start : start + size]
        hidden = fit(fit(part @ inner) + bias)
        active = np.where(layer.heaviside, hidden >= 0, np.maximum(hidden, 0))
        rows[start : start + size] = fit(part + fit(fit(active) @ out))


def _softmax(model: Transformer, lengths: Any, precision: Precision, dtype: Dtype = "float64") -> Softmax:
    return Softmax(np.asarray(lengths), model.precision if precision == "own" else precision, fitting(dtype))


def _streams(
    model: Transformer, codes: NDArray[np.intp], softmax: Softmax, offset: int, method: Method
) -> Iterator[Floats]:
    """The residual stream (words, length, width) before the first layer and after each."""
    fit = softmax.fit
    rows = np.arange(codes.shape[1]) + offset
    stream = fit(fit(model.embedding)[codes] + fit(model.positions)[rows % len(model.positions)])
    yield stream
    for layer in model.layers:
        after = stream.copy()
        for head in layer.heads:
            attention, written = attend(head, stream, softmax, offset)
            if len(written):
                after[..., written] = fit(after[..., written] + fit(attention.result(method)))
        _mlp(layer, after, fit)
        stream = after
        yield stream


def _batches(model: Transformer, lengths: NDArray[np.int64]) -> Iterator[NDArray[np.intp]]:
    """Words by number, those of similar length together: little is padded, and memory stays bounded."""
    batch: list[int] = []
    for number in np.argsort(lengths, kind="stable").tolist():
        length = int(lengths[number])
        full = (len(batch) + 1) * length * max(model.width, 1) > CHUNK
        if batch and (full or length > 1.25 * lengths[batch[0]]):
            yield np.array(batch)
            batch = []
        batch.append(number)
    if batch:
        yield np.array(batch)


def run(
    model: Transformer,
    words: Sequence[Word],
    offset: int = 0,
    *,
    dtype: Dtype = "float64",
    precision: Precision = "own",
    method: Method = "auto",
) -> list[Array]:
    """The outputs at every position of every word, one array (1 + length of the word, outputs) per word.

    A finite transformer reads its positions from `offset` on; a limit transformer's positions and general φ
    are shifted by it, too.

    >>> from longreach.theory.limit.model import Head, Layer, Transformer
    >>> share = Head(kq=np.zeros((2, 2)), v=np.array([[0.0, 0.0], [1.0, 0.0]]))
    >>> nothing = dict(a=np.zeros((0, 2)), b=np.zeros(0), out=np.zeros((2, 0)), heaviside=np.zeros(0, bool))
    >>> embedding = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 0.0]])
    >>> model = Transformer("limit", ("$", "a", "b"), embedding, np.zeros((1, 2)),
    ...                     (Layer((share,), **nothing),), np.array([[0.0, 1.0]]))
    >>> [output.ravel().tolist() for output in run(model, ["aba", ""])]
    [[0.0, 0.5, 0.3333333333333333, 0.5], [0.0]]
    """
    encoded = [model.encode(word, offset) for word in words]
    lengths = np.array([len(code) for code in encoded], dtype=np.int64)
    results: list[Array] = [np.zeros(0)] * len(encoded)
    for batch in _batches(model, lengths):
        # Causal attention does not look ahead, so what pads the shorter words is never read.
        codes = np.zeros((len(batch), int(lengths[batch].max())), dtype=np.intp)
        for row, number in enumerate(batch):
            codes[row, : lengths[number]] = encoded[number]
        softmax = _softmax(model, lengths[batch], precision, dtype)
        stream = _last(_streams(model, codes, softmax, offset, method))
        outputs = np.asarray(softmax.fit(stream @ softmax.fit(model.unembedding).T), dtype=np.float64)
        for row, number in enumerate(batch):
            results[number] = outputs[row, : lengths[number]]
    return results


def _last(streams: Iterator[Floats]) -> Floats:
    return deque(streams, maxlen=1)[0]


def accepts(model: Transformer, words: Sequence[Word], offset: int = 0) -> NDArray[np.bool_]:
    """Which words an acceptor accepts: those whose output at the last position is > 0."""
    if model.read_out != "acceptor":
        raise InputError("read_out: a predictor does not accept words; ask for its predictions")
    return np.array([output[-1, 0] > 0 for output in run(model, words, offset)], dtype=np.bool_)


def predictions(model: Transformer, words: Sequence[Word]) -> list[list[tuple[str, ...]]]:
    """For every word, at $ and after each token, the tokens whose output is > 0."""
    names = model.read_out
    if names == "acceptor":
        raise InputError("read_out: an acceptor does not predict tokens; ask which words it accepts")
    return [
        [tuple(name for name, value in zip(names, row, strict=True) if value > 0) for row in output]
        for output in run(model, words)
    ]


def residuals(
    model: Transformer, word: Word, offset: int = 0, *, precision: Precision = "own"
) -> list[Array]:
    """The residual streams (positions, width): before the first layer, then after each layer."""
    codes = model.encode(word, offset)
    streams = _streams(model, codes[None], _softmax(model, [len(codes)], precision), offset, "auto")
    return [np.array(stream[0], dtype=np.float64) for stream in streams]


def final_states(
    model: Transformer, codes: NDArray[np.intp], offset: int = 0, *, precision: Precision = "own"
) -> Array:
    """The residual streams after the last layer, for rows of the embedding (words of one length, $ first)."""
    softmax = _softmax(model, np.full(len(codes), codes.shape[1]), precision)
    return np.asarray(_last(_streams(model, codes, softmax, offset, "auto")), dtype=np.float64)


def attention(
    model: Transformer, word: Word, layer: int, head: int, *, precision: Precision = "own"
) -> Array:
    """The weights of one head, rows = queries, as a whole matrix: meant for drawing."""
    if not (0 <= layer < len(model.layers) and 0 <= head < len(model.layers[layer].heads)):
        raise InputError(f"layer.{layer}.head.{head}: there is no such head")
    stream = residuals(model, word, precision=precision)[layer][None]
    softmax = _softmax(model, [stream.shape[1]], precision)
    working, _ = attend(model.layers[layer].heads[head], stream, softmax, 0)
    weights = np.asarray(working.weights(0, stream.shape[1])[0], dtype=np.float64)
    return _quotient(weights, weights.sum(axis=1))


@dataclass(frozen=True, eq=False)
class _Keys:
    """What the last query sees; the last row is the query's own position."""

    rows: Array
    """Residual streams, one row per key or per class of keys."""
    times: Array
    """How many keys each row stands for."""
    distances: NDArray[np.intp]
    """From the query; of a class any distance beyond the reach of φ."""


def last_output(model: Transformer, codes: NDArray[np.intp], *, precision: Precision = "own") -> Array:
    """The outputs at the last position of a limit transformer; `codes` are rows of the embedding, $ first.

    >>> from longreach.theory.limit.hand_built import induction_head
    >>> model = induction_head("ab")
    >>> last_output(model, model.encode("ab" * 40 + "a")).round(3).tolist()
    [0.0, 1.0]
    """
    *first, last = model.layers
    keys = _keys_one_by_one(model, tuple(first), codes, precision) if first else _keys_by_class(model, codes)
    softmax = _softmax(model, [len(codes)], precision)
    query = keys.rows[-1]
    mixed = query + sum(
        (_head(head, keys, query, len(codes) - 1, softmax) for head in last.heads), 0.0 * query
    )
    _mlp(last, mixed[None], softmax.fit)
    result: Array = model.unembedding @ mixed
    return result


def _keys_one_by_one(
    model: Transformer, layers: tuple[Layer, ...], codes: NDArray[np.intp], precision: Precision
) -> _Keys:
    rows = final_states(replace(model, layers=layers), codes[None], precision=precision)[0]
    return _Keys(rows, np.ones(len(codes)), len(codes) - 1 - np.arange(len(codes)))


def _keys_by_class(model: Transformer, codes: NDArray[np.intp]) -> _Keys:
    """The keys that φ reaches one by one, those before them by class; the last one is always by itself."""
    length, period = len(codes), model.period
    near = min(model.locality + 1, length)
    number = codes * period + np.arange(length) % period
    counts = np.bincount(number[: length - near], minlength=len(model.vocabulary) * period)
    present = np.flatnonzero(counts)
    both = np.concatenate([present, number[length - near :]])
    return _Keys(
        model.embedding[both // period] + model.positions[both % period],
        np.concatenate([counts[present], np.ones(near)]).astype(np.float64),
        np.concatenate([np.full(len(present), near), np.arange(near)[::-1]]),
    )


def _head(head: Head, keys: _Keys, query: Array, position: int, softmax: Softmax) -> Array:
    logits = keys.rows @ (head.kq @ query)
    if callable(head.phi):
        phi = np.array([head.phi(position - distance, position) for distance in keys.distances.tolist()])
    else:
        values = np.append(head.local, 0.0)
        phi = values[np.minimum(keys.distances, len(values) - 1)]
    exponents = softmax.exponents((logits + phi * softmax.local(np.array([position])))[None])
    top = softmax.largest(exponents.max(axis=1, keepdims=True))
    weights = np.asarray(softmax.weights(exponents, top))[0] * keys.times
    total = weights.sum()
    result: Array = head.v @ (weights @ keys.rows / total if total > 0 else 0.0 * query)
    return result
