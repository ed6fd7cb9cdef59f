"""Logit margins of a limit transformer, and the length up to which a compiled model is right in a data type.

The statement that is proved: at every position of every word up to the length, every Boolean operation's
coordinate is exactly 0 or 1 as it should be, so that acceptance and predictions are right. Rounding is that
of `rounding`, with u = 2^−digits, and γ_k = k·u/(1 − k·u) bounds the relative error of k roundings.

A bound is a pair (A, B) for A + B/(i+1), so that a bound at one position is one at all positions.

- Booleans are sums of Heaviside units with integer factors: exact while those add up to at most 2^digits.
- The uniform head adds integers: exact while they add up to at most 2^digits. One division: u·|C|/(i+1).
- A local head weighs its target with exp(fl(φ·fl(log n))); log and exp are taken to be right to one unit in
  the last place (2u). Its sums of at most n terms are right up to γ_n. What it finds differs from the exact
  value by at most `_near_error`, which has to be at most half the margin of `near.Threshold`; then tests
  are right, and the gate (1/(i+1) + x)⁺ − x⁺ needs no more than that.
- A row of an MLP with m terms: Σ|a|·error + γ_k·(Σ|a|·|y| + |b|), where k is m − 1, one more with a bias and
  one more if a factor is no power of two; and u·|a|·|y| more for a parameter that the type does not hold.
  Rows over Booleans alone are sums of halves: exact while small.
- Heaviside rows have to stay within their margin: ½/(i+1) for counts, ½ for Booleans. A closed gate leaves
  at least ½ (see `units`). ReLU rows pass errors on, never enlarged.

Logits are computed without rounding: equal ones must not look different by a last digit.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from longreach.theory.crasp.core import Core, is_boolean
from longreach.theory.crasp.lower import simplify
from longreach.theory.crasp.ranges import value_ranges
from longreach.theory.limit.model import START, Array, Head, Layer, Transformer
from longreach.theory.limit.rounding import Format
from longreach.theory.limit.units import INVERSE, Direction, threshold_of

LONGEST = 1 << 62


def provable_length(model: Transformer, core: Core, kind: Format) -> int:
    """The largest number of tokens up to which the analysis shows a compiled model to be right.

    −1: not even the empty word. The search stops at 2^62.

    >>> from longreach.theory.crasp.library import load
    >>> from longreach.theory.limit.compiler import compile_program
    >>> from longreach.theory.limit.rounding import FORMATS
    >>> core = load("majority").core
    >>> [provable_length(compile_program(core), core, FORMATS[name]) for name in ("float32", "bfloat16")]
    [1398099, 19]
    """
    analysis = _Analysis(model, simplify(core), kind)
    low, high = 0, 1  # how many positions, $ included; low is proved
    while high <= LONGEST and analysis.proves(high):
        low, high = high, 2 * high
    while low + 1 < high:
        middle = (low + high) // 2
        low, high = (middle, high) if analysis.proves(middle) else (low, middle)
    return low - 1


class _Analysis:
    def __init__(self, model: Transformer, core: Core, kind: Format) -> None:
        self.model, self.core, self.kind = model, core, kind
        # Names that the source gave come last; the compiler's own are wanted.
        names = reversed(list(model.coordinates.items()))
        self._directions = {place: Direction.read(name) for name, place in names}
        self.low, self.high = self._extents()
        self.magnitude: Array = np.maximum(-self.low, self.high)
        self.counts = np.array([self._is_count(place) for place in range(model.width)])
        read = [layer.a.any(axis=0) for layer in model.layers]
        read += [head.v.any(axis=0) for layer in model.layers for head in layer.heads]
        self.read: NDArray[np.bool_] = np.any([np.zeros(model.width, np.bool_), *read], axis=0)

    def _is_count(self, place: int) -> bool:
        return self._directions[place] == INVERSE or (
            place < self.core.size and not is_boolean(self.core.ops[place])
        )

    def _distance(self, place: int) -> int | None:
        """Of a look-up as a head finds it."""
        return self._directions[place].distance

    def _extents(self) -> tuple[Array, Array]:
        """Between which bounds the exact values are, as pairs."""
        low: Array = np.zeros((self.model.width, 2))
        high: Array = np.zeros((self.model.width, 2))
        high[:, 0] = 1
        scaled, whole = value_ranges(self.core, scaled=True), value_ranges(self.core)
        for place in range(self.model.width):
            if self._directions[place] == INVERSE:
                high[place] = (0, 1)
            elif place < self.core.size and not is_boolean(self.core.ops[place]):
                for ends, end, bound in (
                    (low, whole[place].low, scaled[place].low),
                    (high, whole[place].high, scaled[place].high),
                ):
                    # A count that stays bounded is bounded by a multiple of 1/(i+1).
                    ends[place] = (bound, 0) if end is None else (0, end)
        # A bound that pulls towards 0 says nothing where the other part is dropped.
        return np.minimum(low, 0), np.maximum(high, 0)

    def proves(self, positions: int) -> bool:
        """Whether all words with this many positions, and all shorter ones, are right."""
        unit = self.kind.unit
        if positions > 2**self.kind.digits:
            return False
        errors: Array = np.zeros((self.model.width, 2))
        for layer in self.model.layers:
            for head in layer.heads:
                rows = np.flatnonzero(head.v.any(axis=1) & self.read)
                if not self._sums_exactly(head, rows, positions):
                    return False
                exact_or_near = [self._distance(row) is not None for row in rows.tolist()]
                errors[rows] = np.where(np.array(exact_or_near)[:, None], 0, unit * self.magnitude[rows])
            if not self._mlp(layer, errors, positions):
                return False
        return True

    def _sums_exactly(self, head: Head, rows: NDArray[np.intp], positions: int) -> bool:
        """Whether the integers that a head adds up are exact in any order."""
        matrix = head.v[rows]
        largest = np.maximum(matrix.clip(0).sum(axis=1), (-matrix).clip(0).sum(axis=1)).max(initial=0)
        if head.phi is not None:  # −ℓ occurs once, at $; all else is 0 or 1
            return bool(largest + positions <= 2**self.kind.digits)
        return bool(largest * positions <= 2**self.kind.digits)

    def _mlp(self, layer: Layer, errors: Array, positions: int) -> bool:
        """Adds the errors of what a layer's MLP writes; False where a test is not safe."""
        unit = self.kind.unit
        absolute = np.abs(layer.a)
        found = absolute @ errors + self._rounding(layer.a, self.magnitude + errors, np.abs(layer.b))
        for row, heaviside in enumerate(layer.heaviside):
            columns = np.flatnonzero(layer.a[row])
            near = [d for d in (self._distance(column) for column in columns.tolist()) if d is not None]
            if near:
                threshold = threshold_of(near)
                assert threshold is not None
                allowed = float(threshold.margin) / 2
                if len(near) * _near_error(positions, min(near), unit) >= allowed:
                    return False
                if heaviside and found[row].sum() >= allowed:
                    return False
            elif not self.counts[columns].any():
                # Multiples of ½ in any order; the half is exact too.
                if absolute[row].sum() + abs(layer.b[row]) > 2.0 ** (self.kind.digits - 1):
                    return False
                found[row] = 0
            elif heaviside and found[row, 0] * positions + found[row, 1] >= 0.5:
                return False
        found[layer.heaviside] = 0
        sizes = self._sizes(layer)
        written = np.flatnonzero(layer.out.any(axis=1) & self.read)
        out = layer.out[written]
        if np.abs(out).sum(axis=1).max(initial=0) > 2**self.kind.digits:
            return False
        new = np.abs(out) @ found + self._rounding(out, sizes + found, np.zeros(len(out)))
        errors[written] = np.where(self.counts[written, None], new, 0)
        return True

    def _sizes(self, layer: Layer) -> Array:
        """Upper bounds of the hidden units."""
        sizes = layer.a.clip(0) @ self.high + layer.a.clip(max=0) @ self.low
        sizes[:, 0] += layer.b
        sizes = sizes.clip(0)
        sizes[layer.heaviside] = (1, 0)
        return sizes

    def _rounding(self, matrix: Array, sizes: Array, bias: Array) -> Array:
        """What rounding adds in the sums of products of a matrix with vectors up to these sizes."""
        unit = self.kind.unit
        absolute = np.abs(matrix)
        lossy = np.where(self.kind.round(matrix) != matrix, absolute, 0)
        products = (np.frexp(absolute)[0] % 0.5 != 0).any(axis=1)
        steps = ((absolute != 0).sum(axis=1) - 1 + (bias != 0)).clip(0) + products
        gamma = steps * unit / (1 - np.minimum(steps * unit, 0.5))
        total = absolute @ sizes
        total[:, 0] += bias
        total *= gamma[:, None]
        return total + unit * (lossy @ sizes)


def _near_error(positions: int, distance: int, unit: float) -> float:
    """How far what a local head finds can be from its exact value, where it has a target that is no $."""
    if positions < distance + 2:
        return 0.0
    weight = (1 + 2 * unit) * math.exp(4 * unit * math.log(max(positions, 2))) - 1
    terms = positions + 2
    if terms * unit > 0.5:
        return math.inf
    sums = (1 + weight) * (1 + terms * unit / (1 - terms * unit)) - 1
    if sums > 0.125:  # a target that is $, or none, must stay recognizable
        return math.inf
    # Numerator (its terms add up to at most 1¼ times the denominator) and denominator, then one division.
    return 2.25 * sums / (1 - sums) + 2 * unit


@dataclass(frozen=True, eq=False)
class Dyadic:
    """The array `whole` / `unit`: `whole` has Python integers, and `unit` is a power of two."""

    whole: NDArray[Any]
    unit: int

    @classmethod
    def of(cls, array: Array) -> Dyadic:
        """Exactly the numbers of a floating-point array.

        >>> found = Dyadic.of(np.array([0.75, -2.0]))
        >>> found.whole.tolist(), found.unit
        ([3, -8], 4)
        """
        ratios = [float(value).as_integer_ratio() for value in array.ravel()]
        unit = max((below for _, below in ratios), default=1)
        whole = np.empty(len(ratios), dtype=object)
        whole[:] = [above * (unit // below) for above, below in ratios]
        return cls(whole.reshape(array.shape), unit)

    def __matmul__(self, other: Dyadic) -> Dyadic:
        return Dyadic(self.whole @ other.whole, self.unit * other.unit)

    @property
    def T(self) -> Dyadic:
        return Dyadic(self.whole.T, self.unit)

    def squares(self) -> Fraction:
        """The sum of the squares, for an array the squared Frobenius norm."""
        return Fraction(sum(value * value for value in self.whole.flat), self.unit * self.unit)


@dataclass(frozen=True, slots=True)
class HeadMargin:
    """The least positive difference of two logits that one query can see; None: all are equal, or unknown."""

    layer: int
    head: int
    margin: float | None
    known: bool
    """False where the logits read activations of earlier layers, whose values are not enumerated here."""


def logit_margins(model: Transformer) -> list[HeadMargin]:
    """The margin of every head: over all distinct pairs of logits, since the largest one may be absent.

    >>> from longreach.theory.crasp.library import load
    >>> from longreach.theory.limit.compiler import compile_program
    >>> [found.margin for found in logit_margins(compile_program(load("contains-bb").core))]
    [None, 2.0, None]
    """
    _ = model.locality  # refuses relations that are not local
    return [_margin(model, layer, h, head) for layer, h, head in model.heads()]


def _margin(model: Transformer, layer: int, h: int, head: Head) -> HeadMargin:
    if not head.kq.any():
        gap = _least_gap({Fraction(0), *(Fraction(value) for value in head.local.tolist())})
    elif layer == 0:
        gap = first_layer_gap(model, head)
    else:
        return HeadMargin(layer, h, None, False)
    return HeadMargin(layer, h, None if gap is None else float(gap), True)


def first_layer_gap(model: Transformer, head: Head) -> Fraction | None:
    """The least positive difference of two logits of one query, exactly; None: all are equal."""
    gaps = (_least_gap(logits) for logits in attainable_logits(model, head).values())
    return min((gap for gap in gaps if gap is not None), default=None)


def attainable_logits(model: Transformer, head: Head) -> dict[tuple[str, int], frozenset[Fraction]]:
    """For each query token and residue of its position, every logit a + φ of a key in some input.

    The head is one of the first layer. Beyond τ a key is any token at any residue; at a distance d ≤ τ the
    residue is the query's less d, and at distance 0 the key is the query. The start symbol is at position 0.

    >>> from longreach.theory.limit.hand_built import induction_head
    >>> model = induction_head("ab")
    >>> logits = attainable_logits(model, model.layers[0].heads[0])
    >>> [str(logit) for logit in sorted(logits["a", 0])]
    ['0', '2']
    """
    period, phi = model.period, [Fraction(value) for value in head.local.tolist()]
    start = model.vocabulary.index(START)
    tokens = [row for row in range(len(model.vocabulary)) if row != start]
    inputs = first_inputs(model)
    scores = inputs @ Dyadic.of(head.kq) @ inputs.T  # (key, query), each (token, residue)
    table = scores.whole.reshape(len(model.vocabulary), period, len(model.vocabulary), period)
    found: dict[tuple[str, int], frozenset[Fraction]] = {}
    for token in tokens:
        for residue in range(period):
            whole = table[:, :, token, residue]
            logits = {Fraction(value, scores.unit) for value in {*whole[tokens].flat, whole[start, 0]}}
            logits |= {Fraction(whole[token, residue], scores.unit) + value for value in phi[:1]}
            for distance, value in enumerate(phi[1:], 1):
                near = set(whole[tokens, (residue - distance) % period].flat)
                if (residue - distance) % period == 0:  # then the key may be the start symbol
                    near.add(whole[start, 0])
                logits |= {Fraction(key, scores.unit) + value for key in near}
            found[model.vocabulary[token], residue] = frozenset(logits)
    return found


def first_inputs(model: Transformer) -> Dyadic:
    """E_s + p_r, what the first layer can read: one row for each token s and, within it, residue r."""
    both = Dyadic.of(np.concatenate([model.embedding, model.positions]))
    tokens = len(model.vocabulary)
    sums = both.whole[:tokens, None, :] + both.whole[None, tokens:, :]
    return Dyadic(sums.reshape(-1, model.width), both.unit)


def _least_gap(values: Iterable[Fraction]) -> Fraction | None:
    ordered = sorted(values)
    return min((b - a for a, b in pairwise(ordered)), default=None)
