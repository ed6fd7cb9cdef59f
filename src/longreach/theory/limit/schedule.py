"""Which layer computes which operation of a program, and how: each as early as the rules of `units` allow.

Layer l first attends and then applies its MLP. A count without a relation is there after the attention of
the first layer that finds its body ready; everything else that is not read off the embedding is written by
an MLP. An operation is tried in the first layer in which its operands are there, in the form of sums of
units where they are written by the same MLP, and otherwise waits one layer, where they are coordinates and
it is always possible. So attention-free layers arise only where no unit of one MLP computes an operation.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from longreach.theory.crasp import core as c
from longreach.theory.crasp.core import Core
from longreach.theory.crasp.evaluate import at_empty_word
from longreach.theory.crasp.ranges import value_ranges
from longreach.theory.limit.units import (
    MAX_PIECES,
    OPEN,
    START_BIT,
    Algebra,
    Direction,
    LookUp,
    NotInOneLayer,
    Number,
    Ramp,
    Truth,
    constant_number,
    constant_truth,
    limited,
    operation,
    total,
)

EMBEDDED = -1


@dataclass
class LayerPlan:
    counts: list[int] = field(default_factory=list)
    """Counting operations without a relation: the uniform head."""
    sums: dict[int, dict[Direction | None, int]] = field(default_factory=dict)
    """Sums of such counts, and with key None the constant: the uniform head too."""
    lookups: list[LookUp] = field(default_factory=list)
    truths: dict[int, Truth] = field(default_factory=dict)
    numbers: dict[int, Number] = field(default_factory=dict)


class Plan:
    """The schedule of a program: places the operations one after the other; operands come first.

    >>> from longreach.theory.crasp.library import load
    >>> [len(Plan(load(name).core).layers) for name in ("aa", "majority", "dyck-1")]
    [0, 1, 2]
    """

    def __init__(self, core: Core) -> None:
        self.core = core
        self.at_start: Sequence[bool | int] = at_empty_word(core)
        """Every operation at position 0, where $ stands."""
        self.layers: list[LayerPlan] = []
        tokens = (operation(k) for k, op in enumerate(core.ops) if isinstance(op, c.Token))
        ranges = {operation(k): extent for k, extent in enumerate(value_ranges(core))}
        self.algebra = Algebra(frozenset((*tokens, START_BIT)), ranges)
        self.embedded = embedded_operations(core)
        # The layer after which an operation is a coordinate.
        self._ready: list[int] = []
        self._uniform = frozenset(
            operation(k) for k, op in enumerate(core.ops) if isinstance(op, c.Count) and op.distances is None
        )
        # As the MLP of their layer writes them.
        self._truths: dict[int, Truth] = {}
        self._numbers: dict[int, Number] = {}
        # Counts as later layers see them: sums of coordinates.
        self._known: list[Number] = []
        for index, op in enumerate(core.ops):
            self._known.append(self._as_known(index, op))
            if index in self.embedded:
                self._ready.append(EMBEDDED)
                continue
            layer = self._first_layer(op)
            try:
                self._place(index, op, layer)
            except NotInOneLayer:
                self._place(index, op, layer + 1)

    def _place(self, index: int, op: c.Op, layer: int) -> None:
        """Enters an operation into the plan of a layer."""
        if c.is_boolean(op):
            truth = self._truths[index] = self._boolean(op, layer)
            self._layer(layer).truths[index] = truth
        else:
            number = self._numbers[index] = self._count(op, layer, index)
            if isinstance(op, c.Count) and op.distances is None:
                self._layer(layer).counts.append(index)
            elif (parts := self._uniform_parts(number)) is not None:
                self._layer(layer).sums[index] = parts
            else:
                self._layer(layer).numbers[index] = number
        self._ready.append(layer)

    def _layer(self, number: int) -> LayerPlan:
        while len(self.layers) <= number:
            self.layers.append(LayerPlan())
        return self.layers[number]

    def _uniform_parts(self, number: Number) -> dict[Direction | None, int] | None:
        """A number as a sum of counts without a relation, if it is one: the uniform head writes it too."""
        parts: dict[Direction | None, int] = {}
        for (gate, amount), factor in number.items():
            if gate or isinstance(amount, Ramp) or (amount is not None and amount not in self._uniform):
                return None
            parts[amount] = factor
        return parts

    def _first_layer(self, op: c.Op) -> int:
        """The first layer in which the operands are there, before or after its attention."""
        ready = [0, *(self._ready[k] for k in c.operands(op))]
        if isinstance(op, c.Count) and op.distances != (0,):
            ready.append(self._ready[op.body] + 1)
        return max(ready)

    # Values in terms of units

    def _boolean(self, op: c.Op, layer: int) -> Truth:
        algebra = self.algebra
        match op:
            case c.Not(body):
                return algebra.negation(self._truth(body, layer))
            case c.And(left, right):
                return algebra.conjunction(self._truth(left, layer), self._truth(right, layer))
            case c.Leq(left, right):
                return algebra.at_least_zero(self._combined(right, left, -1, layer))
            case _:
                raise AssertionError(f"{op} is embedded")

    def _count(self, op: c.Op, layer: int, index: int) -> Number:
        match op:
            case c.Count(body, tuple(distances)):
                return total((self._look_up(body, distance, layer), 1) for distance in distances)
            case c.Conditional(test, then, other):
                change = self._combined(then, other, -1, layer)
                change = self.algebra.product(self._truth(test, layer), change)
                return limited(total([(self._number(other, layer), 1), (change, 1)]), MAX_PIECES)
            case c.Add(left, right):
                return limited(self._combined(left, right, 1, layer), MAX_PIECES)
            case c.Subtract(left, right):
                return limited(self._combined(left, right, -1, layer), MAX_PIECES)
            case c.One():
                return constant_number(1)
            case _:
                return {(OPEN, operation(index)): 1}

    def _truth(self, index: int, layer: int) -> Truth:
        """A Boolean operation as the MLP of a layer sees it."""
        if self._ready[index] == layer:
            return self._truths[index]
        op = self.core.ops[index]
        if isinstance(op, c.Top):
            return constant_truth(True)
        if isinstance(op, c.Not):
            return self.algebra.negation(self._truth(op.body, layer))
        return self.algebra.literal(operation(index))

    def _number(self, index: int, layer: int) -> Number:
        """A count as the MLP of a layer sees it."""
        if self._ready[index] == layer:
            return self._numbers[index]
        return self._known[index]

    def _combined(self, left: int, right: int, factor: int, layer: int) -> Number:
        return total([(self._number(left, layer), 1), (self._number(right, layer), factor)])

    def _look_up(self, body: int, distance: int, layer: int) -> Number:
        """P(i − distance) as a count; $ does not count."""
        if distance == 0:
            here = self._truth(body, layer)
            if self.at_start[body]:
                here = self.algebra.conjunction(here, self.algebra.literal(START_BIT, False))
            return self.algebra.product(here, constant_number(1))
        lookup = LookUp(body, distance)
        if lookup.raw not in self.algebra.near:
            self.algebra.near[lookup.raw] = distance
            self._layer(layer).lookups.append(lookup)
        return self.algebra.product(self.algebra.literal(lookup.raw), constant_number(1))

    # Values in terms of coordinates

    def _as_known(self, index: int, op: c.Op) -> Number:
        """A count where it is a coordinate; sums are read off their parts, which are more exact."""
        name = operation(index)
        match op:
            case c.One():
                return constant_number(1)
            case c.Add(left, right):
                return total([(self._known[left], 1), (self._known[right], 1)])
            case c.Subtract(left, right):
                return total([(self._known[left], 1), (self._known[right], -1)])
            case c.Conditional(test, then, other):
                one, two = (_constant(self._known[k]) for k in (then, other))
                if one is not None and two is not None:
                    bit, offset = self._bit(test)
                    bits = {key: (one - two) * factor for key, factor in bit.items()}
                    self.algebra.bits[name] = (bits, two + (one - two) * offset)
            case c.Count(body, tuple(distances)):
                self.algebra.bits[name] = self._bits_near(body, distances)
            case _:
                pass
        return {(OPEN, name): 1}

    def _bit(self, index: int) -> tuple[dict[Direction, int], int]:
        """A Boolean as a sum of coordinates that no negation doubles, and a constant."""
        op = self.core.ops[index]
        if isinstance(op, c.Not):
            bits, offset = self._bit(op.body)
            return {name: -factor for name, factor in bits.items()}, 1 - offset
        return {operation(index): 1}, 0

    def _bits_near(self, body: int, distances: Sequence[int]) -> tuple[dict[Direction, int], int]:
        bits, offset = self._bit(body) if 0 in distances else ({}, 0)
        if 0 in distances and self.at_start[body]:
            bits = bits | {START_BIT: -1}
        return bits | {LookUp(body, k).bit: 1 for k in distances if k}, offset


def _constant(number: Number) -> int | None:
    """The value of a constant count."""
    return number.get((OPEN, None), 0) if number.keys() <= {(OPEN, None)} else None


def embedded_operations(core: Core) -> dict[int, str]:
    """The operations that the token alone or the position alone decides, and which of the two.

    >>> embedded_operations(parse('P = !("a" || "b") && i % 2 == 0 && "c"').core)
    {0: 'token', 1: 'token', 2: 'token', 3: 'token', 4: 'token', 5: 'position', 7: 'token'}
    """
    found: dict[int, str] = {}
    for index, op in enumerate(core.ops):
        match op:
            case c.Token() | c.Top():
                found[index] = "token"
            case c.Periodic():
                found[index] = "position"
            case c.Not() | c.And():
                kinds = {found.get(k, "") for k in c.operands(op)}
                if len(kinds) == 1 and "" not in kinds:
                    found[index] = kinds.pop()
            case _:
                pass
    return found
