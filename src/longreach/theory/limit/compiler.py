"""Programs to limit transformers (Huang et al., arXiv 2410.02140, Theorem 9, proved as Theorem 27).

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
from typing import Protocol

import numpy as np

from longreach.errors import InputError
from longreach.theory.crasp import core as c
from longreach.theory.crasp.core import Core, at_zero
from longreach.theory.crasp.library import PREFIX, load_program
from longreach.theory.crasp.lower import simplify
from longreach.theory.crasp.program import Program, parse, raise_core
from longreach.theory.crasp.ranges import value_ranges
from longreach.theory.limit.finite import check_bytes, parameter_bytes, shown, to_finite
from longreach.theory.limit.mlp import UnitWriter, exact
from longreach.theory.limit.model import START, Array, Head, Layer, Transformer
from longreach.theory.limit.schedule import LayerPlan, Plan
from longreach.theory.limit.units import INVERSE, ONE, PHI, START_BIT, Direction, operation

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
    plan = Plan(core)
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
        embedding=_embedding(core, vocabulary, plan.embedded, places),
        positions=_positions(core, plan.embedded, width),
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
    """Compile a program to a limit transformer, or with a context of n positions to a transformer T_n.

    The program is a `Program`, its text, `lib:NAME`, a `.cr` file, or an object that has one, such as a
    forecast.

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
