"""Exact evaluation of transformers in rational numbers, for short inputs and for proofs.

The parameters are dyadic rationals, and a weight is |x| to the power of its logit: rational if the logit is
an integer or |x| a suitable power. If the model rounds to p bits, every weight is rational, and the rounding
is decided exactly, ties included. Only without rounding can a weight be irrational; then it stands with
`DIGITS` decimal digits, and the result says that it is not exact.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Context, Decimal
from fractions import Fraction
from math import floor
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from longreach.errors import InputError
from longreach.theory.limit.model import Head, Layer, Transformer
from longreach.theory.limit.rounding import RelativePrecision

Vector: TypeAlias = tuple[Fraction, ...]
Stream: TypeAlias = tuple[Vector, ...]
"""One vector per position."""
DIGITS = 60
ZERO = Fraction(0)


@dataclass(frozen=True)
class Run:
    """What `run` finds: outputs per position, residual streams if asked for, and whether all is exact."""

    outputs: Stream
    streams: tuple[Stream, ...]
    """Before the first layer, then after each layer; empty if not asked for."""
    exact: bool


def run(
    model: Transformer,
    word: Sequence[str],
    offset: int = 0,
    *,
    streams: bool = False,
    precision: int | RelativePrecision | Literal["own"] | None = "own",
) -> Run:
    """Evaluate one word, $ first; a finite transformer reads its positions from `offset` on.

    `precision` is how attention is rounded instead of as the model says itself.

    >>> share = Head(kq=np.zeros((2, 2)), v=np.array([[0.0, 0.0], [1.0, 0.0]]))
    >>> layer = Layer((share,), np.zeros((0, 2)), np.zeros(0), np.zeros((2, 0)), np.zeros(0, dtype=bool))
    >>> embedding = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 0.0]])
    >>> model = Transformer("limit", ("$", "a", "b"), embedding, np.zeros((1, 2)),
    ...                     (layer,), np.array([[0.0, 1.0]]))
    >>> [str(output) for (output,) in run(model, "aba").outputs]
    ['0', '1/2', '1/3', '1/2']
    """
    codes = model.encode(word, offset)
    length = len(codes)
    rounding = model.precision if precision == "own" else precision
    relative = isinstance(rounding, RelativePrecision)
    powers = _Powers(length, rounding.bits if isinstance(rounding, RelativePrecision) else rounding, relative)
    rows = (np.arange(length) + offset) % len(model.positions)
    stream: Stream = tuple(
        tuple(Fraction(e) + Fraction(p) for e, p in zip(model.embedding[c], model.positions[r], strict=True))
        for c, r in zip(codes.tolist(), rows.tolist(), strict=True)
    )
    kept = [stream]
    for layer in model.layers:
        stream = _layer(layer, stream, powers, offset)
        kept.append(stream)
    unembedding = _Matrix(model.unembedding)
    outputs = tuple(unembedding.times(vector) for vector in stream)
    return Run(outputs, tuple(kept) if streams else (), powers.exact)


def accepts(model: Transformer, word: Sequence[str], offset: int = 0) -> bool:
    """Whether an acceptor accepts the word: its output at the last position is > 0."""
    if model.read_out != "acceptor":
        raise InputError("read_out: a predictor does not accept words")
    return run(model, word, offset).outputs[-1][0] > 0


class _Matrix:
    """A matrix by its non-zero entries: constructed models are sparse, and fractions are slow."""

    def __init__(self, array: NDArray[np.float64]) -> None:
        self.rows = [
            [(int(column), Fraction(row[column])) for column in np.flatnonzero(row)]
            for row in array.astype(object)
        ]

    def times(self, vector: Vector) -> Vector:
        return tuple(sum((value * vector[c] for c, value in row), ZERO) for row in self.rows)


@dataclass
class _Powers:
    """Rounded powers of the length: the weights before normalization."""

    length: int
    precision: int | None
    relative: bool = False
    """Whether the precision is that of weights relative to the largest of a row."""
    exact: bool = True
    known: dict[Fraction, Fraction] = field(default_factory=dict)

    def weights(self, logits: Sequence[Fraction]) -> list[Fraction]:
        """Of one row of logits."""
        if self.relative:
            top = max(logits)
            return [self._weight(logit - top) if logit < top else Fraction(1) for logit in logits]
        if self.precision is not None:
            return [self._weight(rounded(logit, self.precision)) for logit in logits]
        return [self._weight(logit) for logit in logits]

    def _weight(self, logit: Fraction) -> Fraction:
        if logit not in self.known:
            self.known[logit] = self._power(logit)
        return self.known[logit]

    def _power(self, logit: Fraction) -> Fraction:
        value = rational_power(self.length, logit)
        if self.precision is None:
            if value is None:
                self.exact = False
                value = Fraction(_decimal_power(self.length, logit, DIGITS))
            return value
        if value is not None:
            return self._rounded(value)
        # Irrational, so never a tie: enough digits decide.
        digits = DIGITS
        while True:
            guess = Fraction(_decimal_power(self.length, logit, digits))
            margin = guess / 10 ** (digits - 1)
            low, high = (self._rounded(guess + side) for side in (-margin, margin))
            if low == high:
                return low
            digits *= 2

    def _rounded(self, value: Fraction) -> Fraction:
        assert self.precision is not None
        if self.relative and value <= Fraction(1, 2**self.precision):
            return ZERO
        return rounded(value, self.precision)


def rounded(value: Fraction, precision: int) -> Fraction:
    """⌊x·2^p + ½⌋ / 2^p.

    >>> rounded(Fraction(1, 8), 2), rounded(Fraction(-1, 8), 2)
    (Fraction(1, 4), Fraction(0, 1))
    """
    scale = 2**precision
    return Fraction(floor(value * scale + Fraction(1, 2)), scale)


def rational_power(base: int, exponent: Fraction) -> Fraction | None:
    """base^exponent if it is rational, for base ≥ 1.

    >>> rational_power(8, Fraction(-2, 3)), rational_power(3, Fraction(1, 2))
    (Fraction(1, 4), None)
    """
    degree = exponent.denominator
    if degree == 1 or base == 1:
        return Fraction(base) ** exponent.numerator
    if degree >= base.bit_length():  # 2^degree > base: no integer root but that of 1
        return None
    root = round(base ** (1 / degree))
    for candidate in (root - 1, root, root + 1):  # the float is next to the root at worst
        if candidate > 0 and candidate**degree == base:
            return Fraction(candidate) ** exponent.numerator
    return None


def _decimal_power(base: int, exponent: Fraction, digits: int) -> Decimal:
    """base^exponent with a relative error below 10^(1 − digits)."""
    # The size of the exponent's product with log(base) costs as many digits of the result.
    spare = len(str(abs(floor(exponent)) * base.bit_length())) + 10
    context = Context(prec=digits + spare)
    logarithm = context.multiply(context.ln(Decimal(base)), Decimal(exponent.numerator))
    return context.exp(context.divide(logarithm, Decimal(exponent.denominator)))


def _layer(layer: Layer, stream: Stream, powers: _Powers, offset: int) -> Stream:
    attended = [list(vector) for vector in stream]
    for head in layer.heads:
        for target, addition in zip(attended, _head(head, stream, powers, offset), strict=True):
            for place, value in enumerate(addition):
                target[place] += value
    inner, out = _Matrix(layer.a), _Matrix(layer.out)
    bias = [Fraction(value) for value in layer.b.tolist()]
    result = []
    for vector in attended:
        hidden = [x + b for x, b in zip(inner.times(tuple(vector)), bias, strict=True)]
        active = tuple(
            Fraction(int(x >= 0)) if step else max(x, ZERO)
            for x, step in zip(hidden, layer.heaviside.tolist(), strict=True)
        )
        result.append(tuple(x + y for x, y in zip(vector, out.times(active), strict=True)))
    return tuple(result)


def _head(head: Head, stream: Stream, powers: _Powers, offset: int) -> list[Vector]:
    """What a head adds at each position; nothing if all exponentials round to 0."""
    product, value = _Matrix(head.kq), _Matrix(head.v)
    values = [value.times(vector) for vector in stream]
    result = []
    for i, query_vector in enumerate(stream):
        query = [(place, x) for place, x in enumerate(product.times(query_vector)) if x]
        weights = powers.weights(
            [
                sum((stream[j][place] * x for place, x in query), _relation(head.phi, j, i, offset))
                for j in range(i + 1)
            ]
        )
        total = sum(weights, ZERO)
        result.append(
            tuple(
                sum((w * v for w, v in zip(weights, column, strict=True) if v), ZERO) / total
                if total
                else ZERO
                for column in zip(*values[: i + 1], strict=True)
            )
        )
    return result


def _relation(phi: Any, j: int, i: int, offset: int) -> Fraction:
    if phi is None:
        return ZERO
    if callable(phi):
        return Fraction(phi(j + offset, i + offset))
    return Fraction(float(phi[i - j])) if i - j < len(phi) else ZERO
