"""Running a compiled model in a data type of few digits, under a stated rounding model.

The model: every sum, product and quotient of two numbers is rounded to nearest, ties to even, to the digits
of the type; exponents are unlimited (nothing here is near their limits). Zero terms are skipped, which is
exact. A head adds up its numerator Σ e·v and its denominator Σ e and divides once; e is 1 where the logit is
0. The bounds of `margins` hold for any order of summation; here positions are added from left to right, with
the target of a local head last, and coordinates in their order. Hardware that accumulates in a wider type is
at least as exact. An implementation that divides the weights first and adds up the quotients is less exact
and is not covered.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from longreach.errors import InputError
from longreach.limit.model import Array, Head, Layer, Transformer


@dataclass(frozen=True, slots=True)
class Format:
    """A floating-point type with `digits` binary digits, the hidden one included."""

    name: str
    digits: int

    @property
    def unit(self) -> float:
        """u: the largest relative error of rounding."""
        return 2.0**-self.digits

    def round(self, values: Array) -> Array:
        """To nearest, ties to even.

        >>> FORMATS["bfloat16"].round(np.array([1 + 2.0**-8, 1 + 3 * 2.0**-8, 0.1])).tolist()
        [1.0, 1.015625, 0.10009765625]
        """
        dropped = np.uint64(53 - self.digits)
        if not dropped:
            return values
        bits = np.ascontiguousarray(values).view(np.uint64)
        odd = (bits >> dropped) & np.uint64(1)
        half = (np.uint64(1) << (dropped - np.uint64(1))) - np.uint64(1)
        kept = ((bits + half + odd) >> dropped) << dropped
        return kept.view(np.float64)


FORMATS = {name: Format(name, digits) for name, digits in (("float64", 53), ("float32", 24), ("bfloat16", 8))}


def rounded_states(model: Transformer, tokens: NDArray[np.intp], kind: Format) -> Array:
    """The residual stream after the last layer: words of one length × positions × coordinates.

    `tokens` are rows of the embedding, $ first. Heads must be of the compiler's kinds.

    >>> from longreach.crasp.library import load
    >>> from longreach.limit.compile.program_to_limit import compile_program
    >>> model = compile_program(load("majority").core)
    >>> found = rounded_states(model, model.encode(list("0110"))[None], FORMATS["bfloat16"])
    >>> found[0, :, model.coordinates["M"]].tolist(), float(found[0, 2, model.coordinates["C_1"]])
    ([1.0, 0.0, 1.0, 1.0, 1.0], 0.333984375)
    """
    length = tokens.shape[1]
    positions = model.positions[np.arange(length) % model.period]
    y = kind.round(model.embedding[tokens] + positions)
    for layer in model.layers:
        mixed = y.copy()
        for head in layer.heads:
            rows = np.flatnonzero(head.v.any(axis=1))
            found = _attend(head, _apply(head.v[rows], y, kind), length, kind)
            mixed[..., rows] = kind.round(mixed[..., rows] + found)
        y = _mlp(layer, mixed, kind)
    return y


def _attend(head: Head, values: Array, length: int, kind: Format) -> Array:
    if head.kq.any() or callable(head.phi):
        raise InputError("only heads with KQ = 0 and a local φ are run in rounded arithmetic")
    numerator = _running(values, kind)
    denominator = _running(np.ones((1, length, 1)), kind)
    phi = np.zeros(0) if head.phi is None else head.phi
    logarithm = kind.round(np.log([float(length)]))
    for distance in np.flatnonzero(phi[:length]):
        weight = kind.round(np.exp(kind.round(logarithm * phi[distance])))
        target = values[:, : length - distance]
        # The other positions first: their sum is the running sum without the target.
        for sums, part in ((numerator, target), (denominator, np.ones_like(target[:1, :, :1]))):
            others = kind.round(sums[:, distance:] - part)
            sums[:, distance:] = kind.round(others + kind.round(weight * part))
    return kind.round(numerator / denominator)


def _running(values: Array, kind: Format) -> Array:
    """Sums over the positions so far."""
    exact: Array = np.cumsum(values, axis=1)
    whole = bool((values == np.rint(values)).all())
    if kind.digits == 53 or (whole and np.abs(values).sum(axis=1).max(initial=0) <= 2.0**kind.digits):
        return exact
    sums = np.empty_like(values)
    total: Array = np.zeros_like(values[:, 0])
    for position in range(values.shape[1]):
        total = kind.round(total + values[:, position])
        sums[:, position] = total
    return sums


def _mlp(layer: Layer, y: Array, kind: Format) -> Array:
    hidden = _apply(layer.a, y, kind, layer.b)
    active = np.where(layer.heaviside, (hidden >= 0).astype(np.float64), np.maximum(hidden, 0))
    rows = np.flatnonzero(layer.out.any(axis=1))
    result = y.copy()
    result[..., rows] = kind.round(y[..., rows] + _apply(layer.out[rows], active, kind))
    return result


def _apply(matrix: Array, vectors: Array, kind: Format, bias: Sequence[float] | Array = ()) -> Array:
    """A matrix times the vectors, plus a bias: terms that are not zero one after the other."""
    if kind.digits == 53:
        product: Array = vectors @ matrix.T
        return product + bias if len(bias) else product
    result: Array = np.zeros((*vectors.shape[:-1], len(matrix)))
    parameters = kind.round(matrix)
    for row in range(len(matrix)):
        total = result[..., row]
        for column in np.flatnonzero(parameters[row]):
            total = kind.round(total + kind.round(parameters[row, column] * vectors[..., column]))
        result[..., row] = kind.round(total + kind.round(np.asarray(bias[row]))) if len(bias) else total
    return result
