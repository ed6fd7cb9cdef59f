"""Programs to limit transformers: the schedule of the layers, and their weights.

Layer l first attends and then applies its MLP. A count without a relation is there after the attention of
the first layer that finds its body ready; everything else that is not read off the embedding is written by
an MLP. An operation is tried in the first layer in which its operands are there, in the form of sums of
units where they are written by the same MLP, and otherwise waits one layer, where they are coordinates and
it is always possible. So attention-free layers arise only where no unit of one MLP computes an operation.

The pipeline: simplify the program, schedule its operations into layers (`schedule`), name the coordinates of
the residual stream, and write the parameters layer by layer (`units`).

Every operation of the simplified program has a coordinate: a Boolean is 0 or 1, a count C is C/(i+1) with
i = 0 at the start symbol. There are a few more: "1" and "$" (constant, and 1 at the start symbol), "1/(i+1)",
"op.3@2" (what a head finds when it looks for operation 3 two positions back) and "op.3[i-2]" (the same as 0
or 1). A coordinate is 0 before the layer that writes it.

Deviations from the printed proof: $ is not wiped out but holds every operation's value at position 0, where
the empty word is read, and heads subtract it again, so that $ never counts; comparisons have a margin of ½;
local heads use φ = 2 and read −ℓ at $ (see `units`).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Protocol

import numpy as np

from longreach.errors import InputError
from longreach.theory.crasp import core as c
from longreach.theory.crasp.core import Core, at_zero
from longreach.theory.crasp.evaluate import at_empty_word
from longreach.theory.crasp.library import PREFIX, load_program
from longreach.theory.crasp.lower import simplify
from longreach.theory.crasp.program import Program, parse, raise_core
from longreach.theory.crasp.ranges import value_ranges
from longreach.theory.limit.finite import check_bytes, parameter_bytes, shown, to_finite
from longreach.theory.limit.mlp import UnitWriter, exact
from longreach.theory.limit.model import START, Array, Head, Layer, Transformer
from longreach.theory.limit.units import (
    INVERSE,
    MAX_PIECES,
    ONE,
    OPEN,
    PHI,
    START_BIT,
    Algebra,
    Direction,
    NotInOneLayer,
    Number,
    Ramp,
    Truth,
    constant_number,
    constant_truth,
    limited,
    looked_up,
    looked_up_bit,
    operation,
    total,
)

EMBEDDED = -1


@dataclass(frozen=True, slots=True)
class LookUp:
    """The Boolean operation `body` at position i − distance."""

    body: int
    distance: int

    @property
    def raw(self) -> Direction:
        """What the head finds: close to the truth value."""
        return looked_up(self.body, self.distance)

    @property
    def bit(self) -> Direction:
        """The truth value itself."""
        return looked_up_bit(self.body, self.distance)


@dataclass
class LayerPlan:
    """What one layer does."""

    counts: list[int] = field(default_factory=list)
    """Counting operations without a relation: the uniform head."""
    sums: dict[int, dict[Direction | None, int]] = field(default_factory=dict)
    """Sums of such counts, and with key None the constant: the uniform head too."""
    lookups: list[LookUp] = field(default_factory=list)
    truths: dict[int, Truth] = field(default_factory=dict)
    numbers: dict[int, Number] = field(default_factory=dict)


@dataclass
class Plan:
    """The whole schedule of a program."""

    core: Core
    at_start: Sequence[bool | int]
    """Every operation at position 0, where $ stands."""
    ready: list[int]
    """The layer after which an operation is a coordinate; −1: it is embedded."""
    layers: list[LayerPlan]
    algebra: Algebra
    lookups: dict[Direction, LookUp]
    """By their directions, of both kinds."""


def schedule(core: Core) -> Plan:
    """The plan with which the compiler fills in the parameters.

    >>> from longreach.theory.crasp.library import load
    >>> [len(schedule(load(name).core).layers) for name in ("aa", "majority", "dyck-1")]
    [0, 1, 2]
    """
    return _Scheduler(core).run()


class _Scheduler:
    """Places the operations one after the other; operands come first."""

    def __init__(self, core: Core) -> None:
        tokens = (operation(k) for k, op in enumerate(core.ops) if isinstance(op, c.Token))
        ranges = {operation(k): extent for k, extent in enumerate(value_ranges(core))}
        self.algebra = Algebra(frozenset((*tokens, START_BIT)), ranges)
        self.plan = Plan(core, at_empty_word(core), [], [], self.algebra, {})
        self._embedded = embedded_operations(core)
        # As the MLP of their layer writes them.
        self._truths: dict[int, Truth] = {}
        self._numbers: dict[int, Number] = {}
        # Counts as later layers see them: sums of coordinates.
        self._known: list[Number] = []

    def run(self) -> Plan:
        for index, op in enumerate(self.plan.core.ops):
            self._known.append(self._as_known(index, op))
            if index in self._embedded:
                self.plan.ready.append(EMBEDDED)
                continue
            layer = self._first_layer(op)
            try:
                self._place(index, op, layer)
            except NotInOneLayer:
                self._place(index, op, layer + 1)
        return self.plan

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
        self.plan.ready.append(layer)

    def _layer(self, number: int) -> LayerPlan:
        while len(self.plan.layers) <= number:
            self.plan.layers.append(LayerPlan())
        return self.plan.layers[number]

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
        ready = [0, *(self.plan.ready[k] for k in c.operands(op))]
        if isinstance(op, c.Count) and op.distances != (0,):
            ready.append(self.plan.ready[op.body] + 1)
        return max(ready)

    @cached_property
    def _uniform(self) -> frozenset[Direction]:
        ops = enumerate(self.plan.core.ops)
        return frozenset(operation(k) for k, op in ops if isinstance(op, c.Count) and op.distances is None)

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
        if self.plan.ready[index] == layer:
            return self._truths[index]
        op = self.plan.core.ops[index]
        if isinstance(op, c.Top):
            return constant_truth(True)
        if isinstance(op, c.Not):
            return self.algebra.negation(self._truth(op.body, layer))
        return self.algebra.literal(operation(index))

    def _number(self, index: int, layer: int) -> Number:
        """A count as the MLP of a layer sees it."""
        if self.plan.ready[index] == layer:
            return self._numbers[index]
        return self._known[index]

    def _combined(self, left: int, right: int, factor: int, layer: int) -> Number:
        return total([(self._number(left, layer), 1), (self._number(right, layer), factor)])

    def _look_up(self, body: int, distance: int, layer: int) -> Number:
        """P(i − distance) as a count; $ does not count."""
        if distance == 0:
            here = self._truth(body, layer)
            if self.plan.at_start[body]:
                here = self.algebra.conjunction(here, self.algebra.literal(START_BIT, False))
            return self.algebra.product(here, constant_number(1))
        lookup = LookUp(body, distance)
        if lookup.raw not in self.plan.lookups:
            self.plan.lookups[lookup.raw] = self.plan.lookups[lookup.bit] = lookup
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
        op = self.plan.core.ops[index]
        if isinstance(op, c.Not):
            bits, offset = self._bit(op.body)
            return {name: -factor for name, factor in bits.items()}, 1 - offset
        return {operation(index): 1}, 0

    def _bits_near(self, body: int, distances: Sequence[int]) -> tuple[dict[Direction, int], int]:
        bits, offset = self._bit(body) if 0 in distances else ({}, 0)
        if 0 in distances and self.plan.at_start[body]:
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


MAX_WIDTH = 2048
MAX_PERIOD_CELLS = 1 << 24


def compile_program(core: Core, max_width: int = MAX_WIDTH) -> Transformer:
    """The limit transformer that computes a program: an acceptor, or a predictor of its output tokens.

    Its vocabulary is $ and the program's alphabet. A program without a declared alphabet accepts words with
    other tokens too; the compiled model has no row for them and refuses them (declare the alphabet).

    >>> from longreach.theory.crasp.library import load
    >>> model = compile_program(load("dyck-1").core)
    >>> len(model.layers), model.period, model.locality, model.coordinates["C_open"]
    (2, 1, 0, 1)
    >>> compile_program(load("copy-unique-40").core, max_width=100)
    Traceback (most recent call last):
    longreach.errors.InputError: the compiled model would be at least 2829 wide; the limit is 100
    """
    if START in core.alphabet:
        raise InputError(f"the token {START!r} is the start symbol of compiled models; rename it")
    core = simplify(core)
    _check_width(core.size + _fewest_lookups(core), max_width, "at least ")
    plan = schedule(core)
    scaled = {operation(k): extent for k, extent in enumerate(value_ranges(core, scaled=True))}

    # The units come first: they tell which of the further coordinates are needed.
    writers = [UnitWriter(scaled, plan.algebra.near) for _ in plan.layers]
    for layer, writer in zip(plan.layers, writers, strict=True):
        for index, truth in layer.truths.items():
            writer.truth(operation(index), truth)
        for index, number in layer.numbers.items():
            writer.number(operation(index), number)
    read = set().union(*(writer.names() for writer in writers))
    for layer, writer in zip(plan.layers, writers, strict=True):
        for lookup in layer.lookups:
            if lookup.bit in read:
                writer.truth(lookup.bit, plan.algebra.literal(lookup.raw))

    places = _places(plan, read)
    width = len(places)
    _check_width(width, max_width)
    vocabulary = (START, *core.alphabet)
    heads_of = [
        bool(layer.counts or layer.sums or not number) + len({lookup.distance for lookup in layer.lookups})
        for number, layer in enumerate(plan.layers)
    ]
    needed = parameter_bytes(
        width,
        rows=len(vocabulary) + len(core.roots),
        layers=[(heads, writer.size) for heads, writer in zip(heads_of, writers, strict=True)],
    )
    check_bytes(needed, f"the compiled model, of width {width} with up to {sum(heads_of)} heads,")
    embedded = embedded_operations(core)
    layers: list[Layer] = []
    for layer, writer in zip(plan.layers, writers, strict=True):
        heads = _heads(plan, layer, places, with_inverse=not layers)
        layers.append(writer.layer(heads, places, width))
    names = {direction.name: place for direction, place in places.items()}
    unembedding: Array = np.zeros((len(core.roots), width))
    for row, root in enumerate(core.roots):
        # 2P − 1: as far from 0 when the answer is no as when it is yes.
        unembedding[row, root] += 2
        unembedding[row, places[ONE]] -= 1
    return Transformer(
        kind="limit",
        vocabulary=vocabulary,
        embedding=_embedding(core, vocabulary, embedded, places),
        positions=_positions(core, embedded, width),
        layers=tuple(layers),
        unembedding=unembedding,
        read_out=tuple(token for token, _ in core.outputs) if core.is_predictor else "acceptor",
        coordinates=names | {name: index for name, index in core.names if name not in names},
        program=raise_core(core).text,
    )


def _check_width(width: int, most: int, quantifier: str = "") -> None:
    if width > most:
        raise InputError(f"the compiled model would be {quantifier}{width} wide; the limit is {most}")


def _fewest_lookups(core: Core) -> int:
    """How many coordinates local relations need at least: one per distance at which a body is looked up."""
    most: dict[int, int] = {}
    for op in core.ops:
        if isinstance(op, c.Count) and op.distances is not None:
            most[op.body] = max(most.get(op.body, 0), sum(distance > 0 for distance in op.distances))
    return sum(most.values())


def _places(plan: Plan, read: set[Direction]) -> dict[Direction, int]:
    """The coordinates: operation k is coordinate k, then those that the construction adds."""
    directions = [operation(k) for k in range(plan.core.size)]
    directions += [ONE, START_BIT] + [INVERSE] * (INVERSE in read)
    for layer in plan.layers:
        directions += [lookup.raw for lookup in layer.lookups]
        directions += [lookup.bit for lookup in layer.lookups if lookup.bit in read]
    return {direction: place for place, direction in enumerate(directions)}


def _embedding(
    core: Core, vocabulary: Sequence[str], embedded: Mapping[int, str], places: Mapping[Direction, int]
) -> Array:
    """Every operation that the token alone decides, for each token; $ is like no token."""
    rows: Array = np.zeros((len(vocabulary), len(places)))
    rows[:, places[ONE]] = 1
    rows[vocabulary.index(START), places[START_BIT]] = 1
    for row, token in enumerate(vocabulary):
        values: list[bool | int] = []
        for index, op in enumerate(core.ops):
            known = embedded.get(index) == "token"
            here = op.symbol == token if isinstance(op, c.Token) else known and at_zero(op, values)
            values.append(here)
            rows[row, index] = here
    return rows


def _positions(core: Core, embedded: Mapping[int, str], width: int) -> Array:
    """Every operation that the position alone decides, for each residue; one zero row if there is none."""
    moduli = [op.modulus for op in core.ops if isinstance(op, c.Periodic)]
    period = math.lcm(*moduli)
    if period * width > MAX_PERIOD_CELLS:
        largest = MAX_PERIOD_CELLS // width
        raise InputError(f"the moduli give positions a period of {shown(period)}; the limit is {largest}")
    columns: dict[int, Array] = {}
    residues = np.arange(period)
    rows: Array = np.zeros((period, width))
    for index in (k for k, kind in embedded.items() if kind == "position"):
        match core.ops[index]:
            case c.Periodic(modulus, kept):
                column = np.isin(residues % modulus, kept).astype(np.float64)
            case c.Not(body):
                column = 1 - columns[body]
            case c.And(left, right):
                column = columns[left] * columns[right]
            case op:
                raise AssertionError(f"{op} does not depend on the position alone")
        columns[index] = rows[:, index] = column
    return rows


def _heads(
    plan: Plan, layer: LayerPlan, places: Mapping[Direction, int], with_inverse: bool
) -> tuple[Head, ...]:
    """A uniform head for the counts without a relation, and a head per distance."""
    width = len(places)
    nothing: Array = np.zeros((width, width))  # no head looks at what a position holds
    start = places[START_BIT]
    heads = []
    uniform: Array = np.zeros((width, width))
    sums = {index: {operation(index): 1} for index in layer.counts} | layer.sums
    for index, parts in sums.items():
        for count, factor in parts.items():
            if count is None:  # $ is one position of i + 1
                uniform[index, start] += exact(factor)
                continue
            body = _body(plan, count)
            uniform[index, body] += exact(factor)
            uniform[index, start] -= factor * plan.at_start[body]
    if with_inverse and INVERSE in places:
        uniform[places[INVERSE], start] = 1
    if uniform.any():
        heads.append(Head(nothing, uniform))
    for distance in sorted({lookup.distance for lookup in layer.lookups}):
        v: Array = np.zeros((width, width))
        for lookup in layer.lookups:
            if lookup.distance == distance:
                v[places[lookup.raw], lookup.body] = 1
                v[places[lookup.raw], start] = -distance - plan.at_start[lookup.body]
        phi: Array = np.zeros(distance + 1)
        phi[distance] = PHI
        heads.append(Head(nothing, v, phi))
    return tuple(heads)


def _body(plan: Plan, count: Direction) -> int:
    """The operation that a counting operation counts."""
    assert count.operation is not None
    op = plan.core.ops[count.operation]
    assert isinstance(op, c.Count)
    return op.body


class HoldsProgram(Protocol):
    """Something with a program, or without: a forecast, a verdict."""

    @property
    def program(self) -> Program | None:
        """None: there is none to compile."""


def compile_source(source: Program | HoldsProgram | str, context: int | None = None) -> Transformer:
    """The limit transformer of a program, or with a context of n positions the ordinary transformer T_n.

    A program is a `Program`, its text, `lib:NAME`, a file `….cr`, or whatever has one, such as a forecast.

    >>> compile_source('P = # "a" >= # "b"')
    limit transformer: 1 layer, 1 head, width 8; reads a b, accepts or rejects
    >>> compile_source("lib:dyck-1", context=64).context
    64
    """
    limit = compile_program(_program(source).core)
    return limit if context is None else to_finite(limit, context)


def _program(source: Program | HoldsProgram | str) -> Program:
    if isinstance(source, Program):
        return source
    if isinstance(source, str):
        named = source.startswith(PREFIX) or (source.endswith(".cr") and "\n" not in source)
        return load_program(source) if named else parse(source)
    program = source.program
    if program is None:
        raise InputError("there is no program to compile: none is known")
    return program
