"""Fast evaluation of transformers in floating point, for lengths of 10⁴ and beyond.

No array is larger than length × width, or length × a block of queries.

Arithmetic: with `dtype` float32 or bfloat16, parameters and the result of every operation are rounded to it.
Operations are matrix products, sums, the scaling of logits by log|x|, the exponential of a scaled logit minus
the largest, and the quotient of the weighted sum and the sum of weights, both accumulated in float64.

If a model rounds to p bits and all exponentials of a query round to 0, then the head adds nothing there; the
papers leave this case open.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from longreach.errors import InputError
from longreach.limit.model import Array, Layer, Transformer
from longreach.limit.run.causal_attention import BLOCK, Method, attend
from longreach.limit.run.softmax_weights import Dtype, Fit, Floats, Rounding, Softmax, fitting

Word: TypeAlias = Sequence[str]
Precision: TypeAlias = Rounding | Literal["own"]
"""How attention is rounded instead of as the model says itself: one of the models of `softmax_weights`."""

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

    >>> from longreach.limit.model import Head, Layer, Transformer
    >>> share = Head(kq=np.zeros((2, 2)), v=np.array([[0.0, 0.0], [1.0, 0.0]]))
    >>> nothing = dict(a=np.zeros((0, 2)), b=np.zeros(0), out=np.zeros((2, 0)), heaviside=np.zeros(0, bool))
    >>> embedding = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 0.0]])
    >>> model = Transformer("limit", ("$", "a", "b"), embedding, np.zeros((1, 2)),
    ...                     (Layer((share,), **nothing),), np.array([[0.0, 1.0]]))
    >>> [output.ravel().tolist() for output in run(model, ["aba", ""])]
    [[0.0, 0.5, 0.3333333333333333, 0.5], [0.0]]
    """
    rounding = model.precision if precision == "own" else precision
    encoded = [model.encode(word, offset) for word in words]
    lengths = np.array([len(code) for code in encoded], dtype=np.int64)
    fit = fitting(dtype)
    results: list[Array] = [np.zeros(0)] * len(encoded)
    for batch in _batches(model, lengths):
        # Causal attention does not look ahead, so what pads the shorter words is never read.
        codes = np.zeros((len(batch), int(lengths[batch].max())), dtype=np.intp)
        for row, number in enumerate(batch):
            codes[row, : lengths[number]] = encoded[number]
        stream = _last(_streams(model, codes, Softmax(lengths[batch], rounding, fit), offset, method))
        outputs = np.asarray(fit(stream @ fit(model.unembedding).T), dtype=np.float64)
        for row, number in enumerate(batch):
            results[number] = outputs[row, : lengths[number]]
    return results


def _last(streams: Iterator[Floats]) -> Floats:
    for stream in streams:
        last = stream
    return last


def accepts(
    model: Transformer,
    words: Sequence[Word],
    offset: int = 0,
    *,
    dtype: Dtype = "float64",
    precision: Precision = "own",
) -> NDArray[np.bool_]:
    """Which words an acceptor accepts: those whose output at the last position is > 0."""
    if model.read_out != "acceptor":
        raise InputError("read_out: a predictor does not accept words; ask for its predictions")
    outputs = run(model, words, offset, dtype=dtype, precision=precision)
    return np.array([output[-1, 0] > 0 for output in outputs], dtype=np.bool_)


def predictions(
    model: Transformer,
    words: Sequence[Word],
    offset: int = 0,
    *,
    dtype: Dtype = "float64",
    precision: Precision = "own",
) -> list[list[tuple[str, ...]]]:
    """For every word, at $ and after each token, the tokens whose output is > 0."""
    names = model.read_out
    if names == "acceptor":
        raise InputError("read_out: an acceptor does not predict tokens; ask which words it accepts")
    outputs = run(model, words, offset, dtype=dtype, precision=precision)
    return [
        [tuple(name for name, value in zip(names, row, strict=True) if value > 0) for row in output]
        for output in outputs
    ]


def residuals(
    model: Transformer,
    word: Word,
    offset: int = 0,
    *,
    dtype: Dtype = "float64",
    precision: Precision = "own",
) -> list[Array]:
    """The residual streams (positions, width): before the first layer, then after each layer."""
    codes = model.encode(word, offset)
    rounding = model.precision if precision == "own" else precision
    softmax = Softmax(np.array([len(codes)]), rounding, fitting(dtype))
    return [
        np.array(stream[0], dtype=np.float64)
        for stream in _streams(model, codes[None], softmax, offset, "auto")
    ]


def final_states(
    model: Transformer, codes: NDArray[np.intp], offset: int = 0, *, precision: Precision = "own"
) -> Array:
    """The residual streams after the last layer, for rows of the embedding (words of one length, $ first)."""
    rounding = model.precision if precision == "own" else precision
    softmax = Softmax(np.full(len(codes), codes.shape[1]), rounding, fitting("float64"))
    return np.asarray(_last(_streams(model, codes, softmax, offset, "auto")), dtype=np.float64)


def attention(
    model: Transformer,
    word: Word,
    layer: int,
    head: int,
    offset: int = 0,
    *,
    dtype: Dtype = "float64",
    precision: Precision = "own",
) -> Array:
    """The weights of one head, rows = queries, as a whole matrix: meant for drawing."""
    if not (0 <= layer < len(model.layers) and 0 <= head < len(model.layers[layer].heads)):
        raise InputError(f"layer.{layer}.head.{head}: there is no such head")
    stream = residuals(model, word, offset, dtype=dtype, precision=precision)[layer][None]
    rounding = model.precision if precision == "own" else precision
    softmax = Softmax(np.array([stream.shape[1]]), rounding, fitting(dtype))
    working, _ = attend(model.layers[layer].heads[head], softmax.fit(stream), softmax, offset)
    weights = np.asarray(working.weights(0, stream.shape[1])[0], dtype=np.float64)
    sums = weights.sum(axis=1, keepdims=True)
    result: Array = np.divide(weights, sums, out=np.zeros_like(weights), where=sums > 0)
    return result
