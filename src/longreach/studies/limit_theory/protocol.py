"""Theorem 12 as a protocol that runs: Alice sends C log N bits, and Bob computes his half's activations.

Alice holds $ and the first N tokens, Bob the rest; both know the limit transformer, N and the whole length.
For each layer and head she sends, for each class of her keys, how many positions have that key and the sum of
their value vectors; a class is the rounded key and its distance from the border, min(N − j, τ), beyond which
φ vanishes (Huang et al., arXiv 2410.02140, appendix B.3, where min is misprinted as max).

Numbers. B.3 holds activations at O(log N) bits: here activations, values and the heads' outputs are rounded
to `fraction_bits` fractional bits, keys y_jᵀ KQ to the p′ bits of B.3, logits and exponentials to the
transformer's `precision`, always as ⌊x·2^b + ½⌋ / 2^b. Everything between is exact integer arithmetic, so
that Bob gets the very numbers of the direct computation, in whatever order he adds. B.3 takes the rounding of
keys to be harmless, but it can carry a logit across a border of its own rounding; where no key needs rounding
(`Transcript.keys_exact`), the logits are those of the transformer itself.

Encoding. For each layer and head: the number of classes, less 1; for each class the distance, the number of
positions, less 1, every coordinate of the key and every coordinate of the sum. Each has a fixed width, signed
numbers in two's complement; the widths follow from bounds on the activations, which both sides compute
from the parameters, N and the length. Coordinates that KQ never reads or V never writes are left out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import isqrt
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from longreach.errors import InputError
from longreach.theory.limit.model import Array, Head, Transformer

Integers: TypeAlias = NDArray[np.object_]
"""Python integers, which never overflow; every array stands for its integers / 2^(its fractional bits)."""


@dataclass(frozen=True)
class KeyClass:
    """Alice's positions that no query of Bob's can tell apart."""

    distance: int
    """min(N − j, τ)"""
    key: tuple[int, ...]
    count: int
    total: tuple[int, ...]
    """Sum of the value vectors."""


Received: TypeAlias = Sequence[Sequence[Sequence[KeyClass]]]
"""Per layer, per head: the classes."""


@dataclass(frozen=True, eq=False)
class Transcript:
    """What was sent and what Bob made of it."""

    message: str
    """Zeros and ones."""
    classes: tuple[tuple[int, ...], ...]
    """Per layer, per head: how many classes of keys Alice had."""
    activations: tuple[Array, ...]
    """y⁽⁰⁾, …, y⁽ᴸ⁾ at Bob's positions, a row each."""
    outputs: Array
    keys_exact: bool
    """Whether rounding to p′ bits changed no key of either side."""

    @property
    def bits(self) -> int:
        return len(self.message)


def run_protocol(
    transformer: Transformer,
    first: Sequence[str],
    second: Sequence[str],
    *,
    fraction_bits: int | None = None,
    key_bits: int | None = None,
) -> Transcript:
    """Alice's message and Bob's activations on the word first + second.

    `fraction_bits` defaults to 2⌈log₂ length⌉ + precision + 8, `key_bits` to a p′ that moves no logit
    by more than a quarter of its last bit.

    >>> from longreach.theory.limit.model import Layer
    >>> uniform = Head(np.zeros((2, 2)), np.array([[0.0, 0.0], [1.0, 0.0]]))
    >>> layer = Layer((uniform,), np.zeros((0, 2)), np.zeros(0), np.zeros((2, 0)), np.zeros(0, dtype=bool))
    >>> tokens = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 0.0]])
    >>> share_of_a = Transformer("limit", ("$", "a", "b"), tokens, np.zeros((1, 2)), (layer,),
    ...                          np.array([[0.0, 1.0]]), precision=4)
    >>> done = run_protocol(share_of_a, "aab", "aba")
    >>> done.outputs[:, 0].round(3).tolist(), done.bits
    ([0.6, 0.5, 0.571], 26)
    """
    machine = Machine(transformer, len(first) + len(second) + 1, fraction_bits, key_bits)
    message, classes = machine.alice(first)
    layers = machine.bob(message, len(first), second)
    activations = tuple(machine.numbers(layer) for layer in layers)
    outputs = activations[-1] @ transformer.unembedding.T
    return Transcript(message, classes, activations, outputs, machine.keys_exact)


class Machine:
    """A limit transformer on inputs of one length ($ counted), in fixed-point numbers."""

    def __init__(
        self, transformer: Transformer, length: int, fraction_bits: int | None, key_bits: int | None
    ) -> None:
        if transformer.kind != "limit":
            raise InputError("the protocol is for limit transformers, and this one is finite")
        if transformer.precision is None:
            raise InputError("the protocol needs a transformer with rounding: its precision is not set")
        _ = transformer.locality  # refuses relations that are not local
        self.transformer = transformer
        self.length = length
        self.precision = transformer.precision
        usual = 2 * (length - 1).bit_length() + self.precision + 8
        self.fraction_bits = usual if fraction_bits is None else fraction_bits
        self.keys_exact = True
        tokens, token_bits = _dyadic(transformer.embedding)
        places, place_bits = _dyadic(transformer.positions)
        common = max(token_bits, place_bits)
        start = (tokens << (common - token_bits))[:, None] + (places << (common - place_bits))[None]
        self._start = _rounded(start, common, self.fraction_bits)
        bound = abs(self._start).max(axis=(0, 1))
        self.layers: list[_Layer] = []
        for layer in transformer.layers:
            heads = [_Head(head, bound, self, key_bits) for head in layer.heads]
            mlp = (_dyadic(layer.a), _dyadic(layer.b), _dyadic(layer.out), layer.heaviside)
            self.layers.append(_Layer(heads, *mlp, self.fraction_bits))
            bound = self.layers[-1].bound(bound)

    def numbers(self, activations: Integers) -> Array:
        """As floating-point numbers, exact up to 53 bits."""
        numbers: Array = (activations / Fraction(2**self.fraction_bits)).astype(np.float64)
        return numbers

    def direct(self, word: Sequence[str]) -> list[Integers]:
        """y⁽⁰⁾, …, y⁽ᴸ⁾ at all positions, without any protocol."""
        return self._activations(self.transformer.encode(tuple(word)), 0, None)

    def alice(self, first: Sequence[str]) -> tuple[str, tuple[tuple[int, ...], ...]]:
        """The message, and how many classes each layer and head has."""
        parts: list[str] = []
        numbers: list[tuple[int, ...]] = []
        for layer, y in zip(self.layers, self.direct(first)[:-1], strict=True):
            found = [head.classes(y) for head in layer.heads]
            parts += [head.encode(each, len(first)) for head, each in zip(layer.heads, found, strict=True)]
            numbers.append(tuple(map(len, found)))
        return "".join(parts), tuple(numbers)

    def bob(self, message: str, border: int, second: Sequence[str]) -> list[Integers]:
        """Activations at the positions after the border, from the message and Bob's own tokens."""
        reader = _Reader(message)
        received = [[head.decode(reader, border) for head in layer.heads] for layer in self.layers]
        reader.finish()
        return self._activations(self.transformer.encode(tuple(second))[1:], border + 1, received)

    def _activations(self, rows: NDArray[np.intp], start: int, received: Received | None) -> list[Integers]:
        """Activations of the positions from `start` on, which hold the tokens `rows`."""
        positions = np.arange(start, start + len(rows))
        activations = [self._start[rows, positions % self.transformer.period]]
        for number, layer in enumerate(self.layers):
            y = activations[-1]
            mixed = y.copy()
            for h, head in enumerate(layer.heads):
                try:
                    mixed[:, head.written] += head.attend(y, start, received[number][h] if received else [])
                except ZeroDivisionError:
                    raise InputError(
                        f"layer.{number}.head.{h}: all weights of some position are rounded to zero"
                    ) from None
            activations.append(layer.finish(mixed))
        return activations


class _Head:
    """One head's parameters as integers, and the widths of its part of the message."""

    def __init__(self, head: Head, bound: Integers, machine: Machine, key_bits: int | None) -> None:
        self.machine = machine
        activation = machine.fraction_bits
        kq, self._kq_bits = _dyadic(head.kq)
        self.read = np.flatnonzero(head.kq.any(axis=0))  # of the query
        self._kq = kq[:, self.read]
        # Rounding changes a logit by at most Σ |y_i| 2^(−p′−1), which p′ keeps to 2^(−p−2) (B.3).
        reach = (int(bound[self.read].sum()) >> activation) + 1
        usual = machine.precision + 1 + reach.bit_length()
        self.key_bits = usual if key_bits is None else key_bits
        key_bound = bound @ abs(self._kq)
        self._key_width = [
            (int(b) + 1).bit_length() + 1
            for b in _rounded(key_bound, activation + self._kq_bits, self.key_bits)
        ]
        v, self._v_bits = _dyadic(head.v)
        self.written = np.flatnonzero(head.v.any(axis=1))
        self._v = v[self.written].T
        self.value_bound = _rounded(bound @ abs(self._v), activation + self._v_bits, activation) + 1
        phi = head.phi if isinstance(head.phi, np.ndarray) and len(head.phi) else np.zeros(1)
        self.locality = int(max(np.flatnonzero(phi), default=0))
        # One more entry, zero, for all distances beyond τ.
        self._phi, self._phi_bits = _dyadic(np.append(phi[: self.locality + 1], 0.0))

    def _keys(self, y: Integers) -> Integers:
        exact_bits = self.machine.fraction_bits + self._kq_bits
        keys = y @ self._kq
        rounded = _rounded(keys, exact_bits, self.key_bits)
        more = max(exact_bits, self.key_bits)
        if ((keys << (more - exact_bits)) != (rounded << (more - self.key_bits))).any():
            self.machine.keys_exact = False
        return rounded

    def _values(self, y: Integers) -> Integers:
        bits = self.machine.fraction_bits
        return _rounded(y @ self._v, bits + self._v_bits, bits)

    def _weights(self, keys: Integers, y: Integers, distances: NDArray[np.int64]) -> Integers:
        """Round(exp(log|x| · a_ij)) for every query (row) and key (column), at the precision of logits."""
        machine = self.machine
        bits = machine.fraction_bits + self.key_bits
        more = max(bits, self._phi_bits)
        phi = self._phi[np.minimum(distances, self.locality + 1)] << (more - self._phi_bits)
        logits = _rounded(((y[:, self.read] @ keys.T) << (more - bits)) + phi, more, machine.precision)
        power = np.frompyfunc(lambda logit: _power(machine.length, logit, machine.precision), 1, 1)
        weights: Integers = power(logits)
        return weights

    def attend(self, y: Integers, start: int, received: Sequence[KeyClass]) -> Integers:
        """Weighted means of values for queries at `start`, …, over what was received and what stands here."""
        queries = np.arange(len(y))
        apart = queries[:, None] - queries[None, :]
        weights = np.where(apart >= 0, self._weights(self._keys(y), y, np.maximum(apart, 0)), 0)
        numerator, denominator = weights @ self._values(y), weights.sum(axis=1)
        if received:
            keys = _integers([c.key for c in received], len(self.read))
            # Position i is i − (start − 1) from the border; at the distance τ, all of them are beyond τ.
            beyond = queries[:, None] + 1 + np.array([c.distance for c in received])[None, :]
            weights = self._weights(keys, y, beyond)
            numerator = numerator + weights @ _integers([c.total for c in received], len(self.written))
            denominator = denominator + weights @ np.array([c.count for c in received], dtype=object)
        mean: Integers = (2 * numerator + denominator[:, None]) // (2 * denominator[:, None])
        return mean

    def classes(self, y: Integers) -> list[KeyClass]:
        """The classes of the positions 0, …, N whose activations are given."""
        border = len(y) - 1
        keys, values = self._keys(y), self._values(y)
        members: dict[tuple[int, tuple[int, ...]], list[int]] = {}
        for j in range(len(y)):
            members.setdefault((min(border - j, self.locality), tuple(keys[j])), []).append(j)
        return [
            KeyClass(distance, key, len(places), tuple(values[places].sum(axis=0)))
            for (distance, key), places in sorted(members.items())
        ]

    def _sum_widths(self, border: int) -> list[int]:
        return [(int(b) * (border + 1)).bit_length() + 1 for b in self.value_bound]

    def encode(self, classes: Sequence[KeyClass], border: int) -> str:
        size = border.bit_length()
        parts = [_bits(len(classes) - 1, size)]
        for found in classes:
            parts += [_bits(found.distance, self.locality.bit_length()), _bits(found.count - 1, size)]
            parts += map(_bits, found.key, self._key_width)
            parts += map(_bits, found.total, self._sum_widths(border))
        return "".join(parts)

    def decode(self, reader: _Reader, border: int) -> list[KeyClass]:
        size = border.bit_length()
        classes = []
        for _ in range(reader.natural(size) + 1):
            distance, count = reader.natural(self.locality.bit_length()), reader.natural(size) + 1
            key = tuple(map(reader.signed, self._key_width))
            classes.append(
                KeyClass(distance, key, count, tuple(map(reader.signed, self._sum_widths(border))))
            )
        return classes


@dataclass(frozen=True, eq=False)
class _Layer:
    heads: list[_Head]
    a: tuple[Integers, int]
    b: tuple[Integers, int]
    out: tuple[Integers, int]
    heaviside: NDArray[np.bool_]
    fraction_bits: int

    def _units(self, y: Integers, a: Integers, b: Integers) -> tuple[Integers, int]:
        """The units before ψ, and their fractional bits."""
        bits = self.fraction_bits + self.a[1]
        more = max(bits, self.b[1])
        return ((y @ a.T) << (more - bits)) + (b << (more - self.b[1])), more

    def finish(self, mixed: Integers) -> Integers:
        """Y ↦ Y + out ψ(a Y + b)."""
        units, bits = self._units(mixed, self.a[0], self.b[0])
        active = np.where(self.heaviside, np.where(units >= 0, 1 << bits, 0), np.maximum(units, 0))
        after: Integers = mixed + _rounded(active @ self.out[0].T, bits + self.out[1], self.fraction_bits)
        return after

    def bound(self, before: Integers) -> Integers:
        """No coordinate exceeds this in magnitude after the layer if none exceeds `before`."""
        mixed = before.copy()
        for head in self.heads:
            mixed[head.written] += head.value_bound
        units, bits = self._units(mixed[None], abs(self.a[0]), abs(self.b[0]))
        active = np.where(self.heaviside, 1 << bits, units[0])
        change = _rounded(active @ abs(self.out[0]).T, bits + self.out[1], self.fraction_bits)
        after: Integers = mixed + change + 1
        return after


class _Reader:
    def __init__(self, message: str) -> None:
        self._message, self._place = message, 0

    def natural(self, width: int) -> int:
        self._place += width
        if self._place > len(self._message):
            raise InputError(f"the message ends after {len(self._message)} bits, where more are expected")
        return int(self._message[self._place - width : self._place] or "0", 2)

    def signed(self, width: int) -> int:
        value = self.natural(width)
        return value - (1 << width) if value >> (width - 1) else value

    def finish(self) -> None:
        if self._place != len(self._message):
            raise InputError(
                f"the message has {len(self._message)} bits, of which {self._place} are expected"
            )


def _bits(value: int, width: int) -> str:
    assert -(1 << width) // 2 <= value < 1 << width, "a bound on activations does not hold"
    return format(value % (1 << width), f"0{width}b") if width else ""


def _integers(rows: Sequence[tuple[int, ...]], columns: int) -> Integers:
    return np.array(rows, dtype=object).reshape(len(rows), columns)


def _dyadic(array: Array) -> tuple[Integers, int]:
    """The integers and the least number of fractional bits that give the array exactly."""
    ratios = [float(x).as_integer_ratio() for x in array.flat]
    bits = max((d.bit_length() - 1 for _, d in ratios), default=0)
    integers = np.array([n << (bits - d.bit_length() + 1) for n, d in ratios], dtype=object)
    return integers.reshape(array.shape), bits


def _rounded(integers: Integers, bits: int, wanted: int) -> Integers:
    """⌊x · 2^wanted + ½⌋ of numbers with so many fractional bits."""
    rounded: Integers
    if wanted >= bits:
        rounded = integers << (wanted - bits)
    else:
        rounded = (integers + (1 << (bits - wanted - 1))) >> (bits - wanted)
    return rounded


@lru_cache(maxsize=2**16)
def _power(length: int, logit: int, precision: int) -> int:
    """⌊length^a · 2^p + ½⌋ for a = logit / 2^p, exactly: a 2^r-th root is r square roots, rounded down."""
    exponent = Fraction(logit, 1 << precision)
    roots = exponent.denominator.bit_length() - 1
    scale = (precision + 1) << roots
    power = length ** abs(exponent.numerator)
    whole: int = power << scale if logit >= 0 else (1 << scale) // power
    for _ in range(roots):
        whole = isqrt(whole)
    return (whole + 1) >> 1
