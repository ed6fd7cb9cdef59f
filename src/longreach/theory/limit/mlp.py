"""From sums of units to the matrices of one MLP.

Tests of counts are Heaviside((f − a + ½)/(i+1)): f is an integer, so the half is the margin. A gate is a
large multiple of the number of its Booleans that are not as wanted, subtracted inside the unit.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from longreach.errors import InputError
from longreach.theory.crasp.ranges import Range
from longreach.theory.limit.model import Array, Head, Layer
from longreach.theory.limit.units import (
    INVERSE,
    AllZero,
    Amount,
    Direction,
    Form,
    Gate,
    Number,
    Ramp,
    Test,
    Truth,
    form_of,
    range_of,
    threshold_of,
)

LARGEST = 1 << 50
"""Integers up to it, and halves between them, are exact in float64."""


@dataclass(frozen=True, slots=True)
class Unit:
    """One hidden unit: Heaviside or ReLU of a linear form of directions plus a bias."""

    form: tuple[tuple[Direction, float], ...]
    bias: float
    heaviside: bool


class UnitWriter:
    """Collects the units of one layer; equal ones are shared."""

    def __init__(self, scaled: Mapping[Direction, Range], near: Mapping[Direction, int]) -> None:
        self._scaled = scaled  # of counts, divided by i + 1
        self._near = near
        self._units: dict[Unit, int] = {}
        self._out: dict[tuple[Direction, int], float] = {}

    def names(self) -> set[Direction]:
        """The directions that the units read."""
        return {name for unit in self._units for name, _ in unit.form}

    @property
    def size(self) -> int:
        """How many units there are so far."""
        return len(self._units)

    def truth(self, target: Direction, truth: Truth) -> None:
        """Writes a Boolean."""
        for (gate, test), factor in truth.items():
            self._write(target, factor, self._test(gate, test))

    def number(self, target: Direction, number: Number) -> None:
        """Writes a count, divided by i + 1."""
        linear: dict[Gate, dict[Amount, int]] = {}
        for (gate, amount), factor in number.items():
            if isinstance(amount, Ramp):
                high = _high(amount.form, -amount.bound, self._scaled)
                weights = {**dict(amount.form), INVERSE: -amount.bound}
                self._write(target, factor, self._gated(gate, weights, 0.0, high, heaviside=False))
            else:
                linear.setdefault(gate, {})[amount] = factor
        for gate, amounts in linear.items():
            if any(name in self._near for name, _ in gate):
                self._near_constant(target, gate, amounts[None])
            else:
                self._linear(target, gate, amounts)

    def _write(self, target: Direction, factor: int, unit: Unit) -> None:
        place = self._units.setdefault(unit, len(self._units))
        self._out[target, place] = self._out.get((target, place), 0.0) + exact(factor)

    def _test(self, gate: Gate, test: Test) -> Unit:
        if test is None:
            distances = [self._near[name] for name, _ in gate if name in self._near]
            if distances:
                found = threshold_of(distances)
                assert found is not None
                weights = {name: 1.0 for name, _ in gate if name in self._near}
                return self._gated(gate, weights, -found.middle, len(distances) - found.middle)
            # Each Boolean that is not as wanted costs 1: an ∧ of any number is one unit.
            return self._gated(gate, {}, 0.5, 0.5)
        if isinstance(test, AllZero):
            form, bound = form_of(dict.fromkeys(test.names, -1)), 0
        else:
            form, bound = test.form, test.bound
        if test.bitwise:
            high = sum(max(factor, 0) for _, factor in form) - bound + 0.5
            return self._gated(gate, dict(form), 0.5 - bound, high)
        weights = {**dict(form), INVERSE: 0.5 - exact(bound)}
        return self._gated(gate, weights, 0.0, _high(form, 0.5 - bound, self._scaled))

    def _near_constant(self, target: Direction, gate: Gate, factor: int) -> None:
        """factor/(i+1) where all look-ups are true: (1/(i+1) + x)⁺ − x⁺, with x ≥ 0 there and x ≤ −1 else."""
        found = threshold_of([self._near[name] for name, _ in gate if name in self._near])
        assert found is not None
        looked = {name: found.slope for name, _ in gate if name in self._near}
        bias = -found.slope * found.middle
        high = sum(looked.values()) + bias
        both = self._gated(gate, {**looked, INVERSE: 1.0}, bias, high + 1, heaviside=False)
        self._write(target, factor, both)
        self._write(target, -factor, self._gated(gate, looked, bias, high, heaviside=False))

    def _linear(self, target: Direction, gate: Gate, amounts: Mapping[Amount, int]) -> None:
        """A gated sum of counts: x⁺ − (−x)⁺, or one of them when the sign is known."""
        form = form_of({name: factor for name, factor in amounts.items() if isinstance(name, Direction)})
        constant = amounts.get(None, 0)
        for sign in (1, -1):
            side = tuple((name, sign * factor) for name, factor in form)
            high = _high(side, sign * constant, self._scaled)
            if high > 0:
                weights = {**dict(side), INVERSE: sign * constant}
                self._write(target, sign, self._gated(gate, weights, 0.0, high, heaviside=False))

    def _gated(
        self, gate: Gate, weights: Mapping[Direction, float], bias: float, high: float, heaviside: bool = True
    ) -> Unit:
        """The unit, made negative (by more than ½ of its scale) where a Boolean is not as wanted."""
        known = [(name, wanted) for name, wanted in sorted(gate) if name not in self._near]
        weights = {name: exact(weight) for name, weight in weights.items() if weight}
        if known:
            strength = _power_above(high)
            for name, wanted in known:
                weights[name] = strength if wanted else -strength
            bias -= strength * sum(wanted for _, wanted in known)
        return Unit(tuple(sorted(weights.items())), bias, heaviside)

    def layer(self, heads: tuple[Head, ...], places: Mapping[Direction, int], width: int) -> Layer:
        a: Array = np.zeros((len(self._units), width))
        out: Array = np.zeros((width, len(self._units)))
        for row, unit in enumerate(self._units):
            for name, weight in unit.form:
                a[row, places[name]] = weight
        for (target, row), weight in self._out.items():
            out[places[target], row] = weight
        b: Array = np.array([unit.bias for unit in self._units], dtype=np.float64)
        return Layer(heads, a, b, out, np.array([unit.heaviside for unit in self._units], dtype=np.bool_))


def _high(form: Form, constant: float, scaled: Mapping[Direction, Range]) -> float:
    """An upper bound of (form + constant)/(i+1)."""
    high = range_of(form, scaled).high
    assert high is not None
    return high + max(constant, 0)


def _power_above(value: float) -> float:
    """A power of two, so that multiples are exact, that leaves a margin of at least ½."""
    power = 1.0
    while power < value + 0.5:
        power *= 2
    return power


def exact(value: float) -> float:
    """The number as a float, if no digit is lost.

    >>> exact(3)
    3.0
    """
    if abs(value) > LARGEST:
        raise InputError(f"the program needs the number {value}; compiled, numbers up to 2^50 are exact")
    return float(value)
