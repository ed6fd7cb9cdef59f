"""The output at the last position alone, for words of a million tokens.

The last layer has one query there, so that it costs one pass over the keys. In a model of one layer keys with
the same token and residue beyond the reach of φ are alike: they are counted, and evaluated once.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from longreach.limit.model import Array, Head, Layer, Transformer
from longreach.limit.run.float_evaluator import Precision, final_states
from longreach.limit.run.softmax_weights import Softmax, fitting


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

    >>> from longreach.limit.compile.hand_built import induction_head
    >>> model = induction_head("ab")
    >>> last_output(model, model.encode("ab" * 40 + "a")).round(3).tolist()
    [0.0, 1.0]
    """
    rounding = model.precision if precision == "own" else precision
    *first, last = model.layers
    keys = _streams(model, tuple(first), codes, precision) if first else _classes(model, codes)
    softmax = Softmax(np.array([len(codes)]), rounding, fitting("float64"))
    query = keys.rows[-1]
    mixed = query + sum(
        (_head(head, keys, query, len(codes) - 1, softmax) for head in last.heads), 0.0 * query
    )
    result: Array = model.unembedding @ _mlp(last, mixed)
    return result


def _streams(
    model: Transformer, layers: tuple[Layer, ...], codes: NDArray[np.intp], precision: Precision
) -> _Keys:
    rows = final_states(replace(model, layers=layers), codes[None], precision=precision)[0]
    return _Keys(rows, np.ones(len(codes)), len(codes) - 1 - np.arange(len(codes)))


def _classes(model: Transformer, codes: NDArray[np.intp]) -> _Keys:
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
        values = np.append(np.zeros(0) if head.phi is None else head.phi, 0.0)
        phi = values[np.minimum(keys.distances, len(values) - 1)]
    exponents = softmax.exponents((logits + phi * softmax.local(np.array([position])))[None])
    top = softmax.largest(exponents.max(axis=1, keepdims=True))
    weights = np.asarray(softmax.weights(exponents, top))[0] * keys.times
    total = weights.sum()
    result: Array = head.v @ (weights @ keys.rows / total if total > 0 else 0.0 * query)
    return result


def _mlp(layer: Layer, mixed: Array) -> Array:
    hidden = layer.a @ mixed + layer.b
    active = np.where(layer.heaviside, hidden >= 0, np.maximum(hidden, 0))
    result: Array = mixed + layer.out @ active
    return result
