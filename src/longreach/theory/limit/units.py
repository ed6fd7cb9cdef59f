"""What one MLP can compute: directions, linear forms, gated sums, and looking back by a distance.

The head reads a Boolean P(j) at every position and −ℓ at $. With n = |x| the target weighs n², every other
position 1, so at position i the head finds, before dividing by n² + i (or by i + 1 when i < ℓ),

    target true      at least n² − ℓ          (all others false, and i ≥ ℓ + 1)
    target false     at most i − 1            (all others true)
    target is $      at most i − ℓ·n² < 0     (i = ℓ)
    no target        at most i − ℓ < 0        (i < ℓ)

The value at $ replaces a test of 1/(i+1) against a constant between 1/(ℓ+1) and 1/ℓ: the weight of $ is
1/(i+1) without a target and about 1/n² with one, so the same comparison happens inside the head, and the
answer needs no second layer. φ = 1 would let "true" and "false" approach each other like 1/n
(Huang et al., arXiv 2410.02140, Theorem 27 states the case φ = 1).

A count C is stored as C/(i+1), so a form Σ c·C − a is known at position i up to the factor 1/(i+1), which
does not change its sign. Forms are kept over integers, where tests can be sharpened and merged.

With one hidden layer a value is a sum Σ coefficient · unit. A unit here is a conjunction of Booleans that
are coordinates already, times at most one fresh *test* of a count (for Booleans) or one *amount* (for
counts). Sums and complements are free; a product of two sums is one again wherever each product of two
units is, by these rules for integers f, g:

    [f ≥ a] · [f ≥ b] = [f ≥ max(a, b)]
    [f = 0] · [g = 0] = [f + g = 0]             for f, g ≥ 0 (so existence tests combine freely)
    [f ≥ a] · (α·f + β) = α·(f−a)⁺ + (α·a+β)·((f−a+1)⁺ − (f−a)⁺)        with (x)⁺ the ReLU

Two tests of unrelated counts do not multiply: a finite sum of half-planes is no quadrant. The product then
has to wait for the next layer, where both are coordinates (`NotInOneLayer`).
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Literal, TypeAlias, TypeVar

from longreach.theory.crasp.ranges import BIT, Range


@dataclass(frozen=True, slots=True, order=True)
class Direction:
    """One direction. Names are unique, so that directions are ordered by name alone.

    >>> operation(3).name, LookUp(3, 2).raw.name, LookUp(3, 2).bit.name, INVERSE.name
    ('op.3', 'op.3@2', 'op.3[i-2]', '1/(i+1)')
    """

    name: str
    operation: int | None = None
    """The operation of the program that it holds, or that is looked up."""
    distance: int | None = None
    """Of what a head finds when it looks back: how far. The truth value made of it is at no distance."""

    def __hash__(self) -> int:
        return hash(self.name)  # which strings remember

    @classmethod
    def read(cls, name: str) -> Direction:
        """The direction of a name in a file.

        >>> Direction.read("op.3@2") == LookUp(3, 2).raw
        True
        """
        found = re.fullmatch(r"op\.([0-9]+)(?:@([0-9]+))?", name)
        if found is None:
            return cls(name)
        return cls(name, int(found[1]), int(found[2]) if found[2] else None)


ONE = Direction("1")
START_BIT = Direction("$")
"""1 at the start symbol, 0 elsewhere."""
INVERSE = Direction("1/(i+1)")


def operation(index: int) -> Direction:
    """Of the value of an operation: a Boolean, or a count divided by i + 1."""
    return Direction(f"op.{index}", index)


@dataclass(frozen=True, slots=True)
class LookUp:
    """The Boolean operation `body` at position i − distance, as a head looks for it."""

    body: int
    distance: int

    @property
    def raw(self) -> Direction:
        """What the head finds: close to the truth value."""
        return Direction(f"op.{self.body}@{self.distance}", self.body, self.distance)

    @property
    def bit(self) -> Direction:
        """The truth value itself."""
        return Direction(f"op.{self.body}[i-{self.distance}]")


PHI = 2.0
LEAST_GAP = Fraction(1, 8)
# sup over i < n of (i − 1)/(n² + i): it is (n − 2)/(n² + n − 1), largest at n = 4.
FALSE_AT_MOST = Fraction(2, 19)


@dataclass(frozen=True, slots=True)
class Threshold:
    """The sum of look-ups is ≥ `middle` + `margin` if all are true, ≤ `middle` − `margin` if one is not."""

    middle: float
    margin: Fraction
    slope: float
    """Times half the margin it is at least ½, so that it stays above 1/(i+1) under rounding errors too."""


def threshold_of(distances: Iterable[int]) -> Threshold | None:
    """How a sum of look-ups tells whether all are true; None when they are too many to tell.

    >>> threshold_of([1])
    Threshold(middle=0.4375, margin=Fraction(51, 176), slope=4.0)
    >>> threshold_of(range(1, 9)) is None
    True
    """
    listed = list(distances)
    # All true needs i > ℓ for every ℓ; the least n, with i = n − 1, is the worst case.
    n = max(listed) + 2
    all_true = sum((Fraction(n * n - distance, n * n + n - 1) for distance in listed), Fraction(0))
    one_false = len(listed) - 1 + FALSE_AT_MOST
    if all_true - one_false < 2 * LEAST_GAP:
        return None
    # Sixteenths are exact in every data type; the gap is at least four of them.
    middle = Fraction(round((all_true + one_false) * 8), 16)
    margin = min(all_true - middle, middle - one_false)
    slope = 1
    while slope * margin < 1:  # 1/(i+1) ≤ ½ except at $, where sums are ≤ −1
        slope *= 2
    return Threshold(float(middle), margin, float(slope))


Form: TypeAlias = tuple[tuple[Direction, int], ...]
"""(direction, coefficient) in the order of the directions; no coefficient is zero."""


def form_of(coefficients: Mapping[Direction, int]) -> Form:
    """The form with these coefficients.

    >>> a, b, c = map(Direction, "abc")
    >>> form_of({b: -1, a: 2, c: 0}) == ((a, 2), (b, -1))
    True
    """
    return tuple(sorted((name, value) for name, value in coefficients.items() if value))


def primitive(form: Form) -> tuple[Form, int]:
    """The form divided by the greatest common divisor, first coefficient positive; and the signed divisor.

    >>> a, b = map(Direction, "ab")
    >>> primitive(((a, -4), (b, 6))) == (((a, 2), (b, -3)), -2)
    True
    """
    divisor = math.gcd(*(value for _, value in form))
    divisor = divisor if form[0][1] > 0 else -divisor
    return tuple((name, value // divisor) for name, value in form), divisor


def range_of(form: Form, ranges: Mapping[Direction, Range]) -> Range:
    """The values of a form.

    >>> a, b = map(Direction, "ab")
    >>> range_of(((a, 2), (b, -1)), {a: BIT, b: BIT})
    Range(low=-1, high=2)
    """
    total = Range(0, 0)
    for name, factor in form:
        total = total.plus(ranges[name].times(factor))
    return total


MAX_TERMS = 32
"""Units of a Boolean; beyond, it waits for the next layer, so that sizes do not explode."""
MAX_PIECES = 256
"""The same for a count: pieces of conditionals are shared by those that are nested in one another."""
MAX_CASES = 16


class NotInOneLayer(Exception):
    """A product that one hidden layer cannot compute, or only with too many units."""


@dataclass(frozen=True, slots=True)
class AtLeast:
    """[form ≥ bound], the form primitive; over known Booleans if `bitwise`, otherwise over counts."""

    form: Form
    bound: int
    bitwise: bool


@dataclass(frozen=True, slots=True)
class AllZero:
    """[every one of these naturals is 0]."""

    names: frozenset[Direction]
    bitwise: bool


@dataclass(frozen=True, slots=True)
class Ramp:
    """(form − bound)⁺, as a count."""

    form: Form
    bound: int


Test: TypeAlias = AtLeast | AllZero | None
"""None: no test, the gate alone."""
Amount: TypeAlias = Direction | Ramp | None
"""A count's direction, a ramp, or None for the constant 1."""
Gate: TypeAlias = frozenset[tuple[Direction, bool]]
"""Known Booleans with the value that is wanted. Look-ups are always wanted true."""
Truth: TypeAlias = dict[tuple[Gate, Test], int]
Number: TypeAlias = dict[tuple[Gate, Amount], int]
Amounts: TypeAlias = dict[Amount, int]

OPEN: Gate = frozenset()
Key = TypeVar("Key")
What = TypeVar("What", Test, Amount)


def total(parts: Iterable[tuple[Mapping[Key, int], int]]) -> dict[Key, int]:
    """Σ factor · part, without terms that cancel.

    >>> total([({"a": 1, "b": 2}, 2), ({"b": 4}, -1)])
    {'a': 2}
    """
    result: dict[Key, int] = {}
    for part, factor in parts:
        for key, value in part.items():
            result[key] = result.get(key, 0) + factor * value
    return {key: value for key, value in result.items() if value}


def constant_truth(value: bool) -> Truth:
    return {(OPEN, None): 1} if value else {}


def constant_number(value: int) -> Number:
    return {(OPEN, None): value} if value else {}


@dataclass
class Algebra:
    """The rules, and what they need to know about coordinates.

    >>> counts = [Direction("x"), Direction("y")]
    >>> algebra = Algebra(frozenset(), dict.fromkeys(counts, Range(0, None)))
    >>> some = [algebra.at_least_zero({(OPEN, each): 1, (OPEN, None): -1}) for each in counts]
    >>> len(algebra.conjunction(*some))  # 1 − [x = 0] − [y = 0] + [x + y = 0]
    4
    """

    exclusive: frozenset[Direction]
    """Booleans of which at most one holds: the tokens and the start symbol."""
    ranges: dict[Direction, Range] = field(default_factory=dict)
    """The values of counts."""
    near: dict[Direction, int] = field(default_factory=dict)
    """Look-ups, with their distance: Booleans that are known approximately."""
    bits: dict[Direction, tuple[dict[Direction, int], int]] = field(default_factory=dict)
    """Counts that are sums of known Booleans and a constant: tests of them have a margin at any length."""

    # Booleans

    def literal(self, name: Direction, wanted: bool = True) -> Truth:
        """A known Boolean or its negation."""
        if name in self.near and not wanted:
            return self.negation(self.literal(name))
        return {(frozenset({(name, wanted)}), None): 1}

    def negation(self, truth: Truth) -> Truth:
        if len(truth) == 1:  # the negation of a literal is a literal
            ((gate, test),) = truth
            if test is None and len(gate) == 1 and not any(name in self.near for name, _ in gate):
                ((name, wanted),) = gate
                return {(frozenset({(name, not wanted)}), None): 1}
        return total([(constant_truth(True), 1), (truth, -1)])

    def conjunction(self, left: Truth, right: Truth) -> Truth:
        terms: Truth = {}
        for (gate, test), factor in left.items():
            for (other_gate, other_test), other_factor in right.items():
                joined = self._join(gate, other_gate)
                if joined is None:
                    continue
                both = _both(test, other_test)
                if both is not False:
                    self._check(joined, alone=both is None)
                    terms[joined, both] = terms.get((joined, both), 0) + factor * other_factor
        return limited({key: value for key, value in terms.items() if value}, MAX_TERMS)

    def at_least_zero(self, number: Number) -> Truth:
        """[number ≥ 0]: by cases of the gates, each case one test."""
        truth: Truth = {}
        for case, coefficients, constant in self._cases(number):
            truth = total([(truth, 1), (self.conjunction(case, self._test(coefficients, constant)), 1)])
        return limited(truth, MAX_TERMS)

    def _cases(self, number: Number) -> list[tuple[Truth, dict[Direction, int], int]]:
        """Disjoint cases that leave no gates: when, the coefficients of counts, and the constant."""
        groups = _by_gate(number)
        # With n gates on exclusive Booleans there are n + 1 cases, otherwise more.
        if len({name for gate in groups for name, _ in gate}) >= MAX_CASES:
            raise NotInOneLayer
        pending, done = [(constant_truth(True), groups)], []
        while pending:
            case, rest = pending.pop()
            names = sorted({name for gate in rest for name, _ in gate})
            if not names:
                done.append((case, *_linear_part(rest.get(OPEN, {}))))
                continue
            for wanted in (True, False):
                narrowed = self.conjunction(case, self.literal(names[0], wanted))
                if narrowed:
                    pending.append((narrowed, self._given(rest, names[0], wanted)))
            if len(pending) + len(done) > MAX_CASES:
                raise NotInOneLayer
        return done

    def _given(self, groups: dict[Gate, Amounts], name: Direction, value: bool) -> dict[Gate, Amounts]:
        """A number where a Boolean has this value."""
        known = frozenset({(name, value)})
        result: dict[Gate, list[Amounts]] = {}
        for gate, amounts in groups.items():
            joined = self._join(gate, known)
            if joined is not None:
                result.setdefault(joined - known, []).append(amounts)
        return {gate: total((part, 1) for part in parts) for gate, parts in result.items()}

    def _test(self, coefficients: dict[Direction, int], constant: int) -> Truth:
        """[Σ coefficient · count + constant ≥ 0]."""
        bitwise = all(name in self.bits for name in coefficients)
        if bitwise:
            parts = [(self.bits[name], factor) for name, factor in coefficients.items()]
            constant += sum(factor * offset for (_, offset), factor in parts)
            coefficients = total((bits, factor) for (bits, _), factor in parts)
        if not coefficients:
            return constant_truth(constant >= 0)
        form, divisor = primitive(form_of(coefficients))
        if divisor > 0:
            return self._step(form, -(constant // divisor), bitwise)
        return self.negation(self._step(form, constant // -divisor + 1, bitwise))

    def _step(self, form: Form, bound: int, bitwise: bool) -> Truth:
        """[form ≥ bound]."""
        ranges = dict.fromkeys((name for name, _ in form), BIT) if bitwise else self.ranges
        extent = range_of(form, ranges)
        if extent.low is not None and bound <= extent.low:
            return constant_truth(True)
        if extent.high is not None and bound > extent.high:
            return {}
        if bitwise and len(form) == 1:
            return self.literal(form[0][0])
        if bound == 1 and all(factor > 0 and ranges[name].low == 0 for name, factor in form):
            return self.negation({(OPEN, AllZero(frozenset(name for name, _ in form), bitwise)): 1})
        return {(OPEN, AtLeast(form, bound, bitwise)): 1}

    # Counts

    def product(self, truth: Truth, number: Number) -> Number:
        """The number where the Boolean holds, 0 elsewhere."""
        groups = _by_gate(number)
        parts: list[tuple[Number, int]] = []
        for (gate, test), factor in truth.items():
            for other, amounts in groups.items():
                joined = self._join(gate, other)
                if joined is None:
                    continue
                kept = amounts if test is None else _cut(test, amounts)
                self._check(joined, alone=kept.keys() <= {None})
                parts.append(({(joined, amount): value for amount, value in kept.items()}, factor))
        return limited(total(parts), MAX_PIECES)

    # Gates

    def _join(self, left: Gate, right: Gate) -> Gate | None:
        """Both gates, or None when they exclude each other."""
        joined = left | right
        positive = {name for name, wanted in joined if wanted}
        if any(not wanted and name in positive for name, wanted in joined):
            return None
        held = positive & self.exclusive
        if len(held) > 1:
            return None
        if held:  # the others do not hold: no need to say so
            joined = frozenset(
                (name, wanted) for name, wanted in joined if wanted or name not in self.exclusive
            )
        return joined

    def _check(self, gate: Gate, alone: bool) -> None:
        """Look-ups are approximate: few of them can be in one gate, and none beside a count."""
        distances = [self.near[name] for name, _ in gate if name in self.near]
        if distances and not (alone and threshold_of(distances)):
            raise NotInOneLayer


def limited(terms: dict[tuple[Gate, What], int], most: int) -> dict[tuple[Gate, What], int]:
    """The same terms, if they are not too many; a sum of counts behind one gate is one of them."""
    if len({(gate, None if isinstance(what, Direction) else what) for gate, what in terms}) > most:
        raise NotInOneLayer
    return terms


def _by_gate(number: Number) -> dict[Gate, Amounts]:
    groups: dict[Gate, Amounts] = {}
    for (gate, amount), factor in number.items():
        groups.setdefault(gate, {})[amount] = factor
    return groups


def _linear_part(amounts: Amounts) -> tuple[dict[Direction, int], int]:
    """The coefficients and the constant; there must be no ramps."""
    coefficients: dict[Direction, int] = {}
    for amount, factor in amounts.items():
        if isinstance(amount, Ramp):
            raise NotInOneLayer
        if amount is not None:
            coefficients[amount] = factor
    return coefficients, amounts.get(None, 0)


def _both(left: Test, right: Test) -> Test | Literal[False]:
    """The product of two tests; False when it is 0."""
    match left, right:
        case None, _:
            return right
        case _, None:
            return left
        case AllZero(names, bitwise), AllZero(others, other_bitwise) if bitwise == other_bitwise:
            return AllZero(names | others, bitwise)
        case AtLeast(form, bound, bitwise), AtLeast(other, other_bound, _) if form == other:
            return AtLeast(form, max(bound, other_bound), bitwise)
        case (AllZero(names, bitwise), AtLeast(form, bound, _)) | (
            AtLeast(form, bound, _),
            AllZero(names, bitwise),
        ):
            if all(name in names for name, _ in form):  # the form is 0 there
                return AllZero(names, bitwise) if bound <= 0 else False
    raise NotInOneLayer


def _cut(test: AtLeast | AllZero, amounts: Amounts) -> Amounts:
    """The sum of the amounts where the test holds; it must be a function of what is tested."""
    if test.bitwise:
        raise NotInOneLayer
    if isinstance(test, AllZero):
        coefficients, constant = _linear_part(amounts)
        if not coefficients.keys() <= test.names:
            raise NotInOneLayer
        # [x + y = 0] = 1 − (x + y) + (x + y − 1)⁺
        everything = dict.fromkeys(test.names, 1)
        zero: Amounts = {None: 1, Ramp(form_of(everything), 1): 1, **dict.fromkeys(test.names, -1)}
        return total([(zero, constant)])
    form, bound = test.form, test.bound
    ramps = {amount: factor for amount, factor in amounts.items() if isinstance(amount, Ramp)}
    coefficients, constant = _linear_part({key: amounts[key] for key in amounts.keys() - ramps.keys()})
    name, unit = form[0]
    slope, remainder = divmod(coefficients.get(name, 0), unit)
    if remainder or coefficients != {key: slope * factor for key, factor in form if slope}:
        raise NotInOneLayer
    parts = [(_ramp(form, bound), slope), (_jump(form, bound), slope * bound + constant)]
    for ramp, factor in ramps.items():
        if ramp.form != form:
            raise NotInOneLayer
        later = max(bound, ramp.bound)
        parts += [(_ramp(form, later), factor), (_jump(form, later), factor * (later - ramp.bound))]
    return total(parts)


def _ramp(form: Form, bound: int) -> Amounts:
    return {Ramp(form, bound): 1}


def _jump(form: Form, bound: int) -> Amounts:
    """[form ≥ bound] as a count: integers jump from 0 to 1 along a ramp of length 1."""
    return {Ramp(form, bound - 1): 1, Ramp(form, bound): -1}
