"""Core programs: what is well formed, and the measures."""

from __future__ import annotations

import dataclasses
import math

import pytest
from hypothesis import given

from longreach.errors import InputError
from longreach.theory.crasp import core as c
from longreach.theory.crasp.core import Core, CoreBuilder
from longreach.theory.crasp.program import Program, parse
from tests.helpers import crasp_oracle as oracle
from tests.helpers import crasp_strategies as strategies


def _read_by(op: c.Op) -> list[int]:
    """The operands, by the fields that hold them."""
    fields = ("body", "left", "right", "test", "then", "other")
    return [getattr(op, name) for name in fields if hasattr(op, name)]


@given(strategies.cores())
def test_measures_of_core_programs(core: Core) -> None:
    def depth(index: int) -> int:
        below = max(map(depth_of.__getitem__, _read_by(core.ops[index])), default=0)
        return below + 1 if type(core.ops[index]) is c.Count else below

    depth_of: list[int] = []
    for index in range(len(core.ops)):
        depth_of.append(depth(index))
    moduli = [op.modulus for op in core.ops if type(op) is c.Periodic]
    distances = [op.distances for op in core.ops if type(op) is c.Count and op.distances is not None]
    assert core.size == len(core.ops)
    assert core.depth == max(depth_of)
    assert core.modulus == math.lcm(1, *moduli)
    assert core.locality == max((max(d) for d in distances), default=0)
    inside = ["periodic"] * bool(moduli) + ["local"] * bool(distances)
    assert core.class_name == f"C-RASP[{', '.join(inside) if inside else '∅'}]"


@given(strategies.cores())
def test_operands_can_be_read_and_replaced(core: Core) -> None:
    for op in core.ops:
        assert list(c.operands(op)) == _read_by(op)
        assert c.with_operands(op, c.operands(op)) == op
        moved = c.with_operands(op, [k + 7 for k in c.operands(op)])
        assert list(c.operands(moved)) == [k + 7 for k in _read_by(op)]
        assert type(moved) is type(op)


@given(strategies.programs())
def test_measures_of_programs_as_written(program: Program) -> None:
    core, found = program.core, oracle.surface_measures(program)
    assert len(set(core.ops)) == core.size, "equal operations are shared"
    assert core.depth == found.depth
    assert core.modulus == math.lcm(1, *found.moduli)
    assert core.locality == max(found.distances, default=0)
    assert core.relations == ("periodic",) * bool(found.moduli) + ("local",) * bool(found.distances)


@pytest.mark.parametrize(
    ("text", "class_name", "depth", "modulus", "locality"),
    [
        ("P = true", "C-RASP[∅]", 0, 1, 0),
        ('P = exists ("b" && exists "a")', "C-RASP[∅]", 2, 1, 0),
        ('P = #[<] "a" >= 1', "C-RASP[∅]", 1, 1, 0),
        ('P = #[i] "a" >= 1', "C-RASP[∅]", 0, 1, 0),
        ("P = i % 1 == 0", "C-RASP[∅]", 0, 1, 0),
        ("P = i % 2 in {0, 1}", "C-RASP[∅]", 0, 1, 0),
        ("P = i % 4 == 0 && i % 6 == 0", "C-RASP[periodic]", 0, 12, 0),
        ('P = #[i-7..i-2] "a" + #[i-3] "a" > 2', "C-RASP[local]", 1, 1, 7),
        ('P = # (#[{i-1, i-4}] "a" > 0 && i % 3 == 1) > 2', "C-RASP[periodic, local]", 2, 3, 4),
    ],
)
def test_measures_of_examples(text: str, class_name: str, depth: int, modulus: int, locality: int) -> None:
    core = parse(text).core
    measured = (core.class_name, core.depth, core.modulus, core.locality)
    assert measured == (class_name, depth, modulus, locality)


GOOD = Core((c.Token("a"), c.Count(0), c.One(), c.Leq(2, 1)), ("a",), False, 3)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"alphabet": ("a", "a")}, "distinct"),
        ({"alphabet": ("a", "")}, "non-empty"),
        ({"alphabet": ("b",)}, "'a' is not in the alphabet"),
        ({"accept": None}, "either an acceptance or outputs"),
        ({"outputs": (("a", 3),)}, "either an acceptance or outputs"),
        ({"accept": 1}, "not Boolean"),
        ({"accept": 4}, "not Boolean"),
        ({"accept": -1}, "not Boolean"),
        ({"ops": (c.Not(0),), "accept": 0}, "cannot read operation 0"),
        ({"ops": (c.Top(), c.Not(-1)), "accept": 0}, "cannot read operation -1"),
        ({"ops": (c.Top(), c.One(), c.And(0, 1)), "accept": 0}, "cannot read operation 1"),
        ({"ops": (c.Top(), c.One(), c.Leq(1, 0)), "accept": 0}, "cannot read operation 0"),
        ({"ops": (c.Top(), c.One(), c.Count(1)), "accept": 0}, "cannot read operation 1"),
        ({"ops": (c.Top(), c.One(), c.Conditional(1, 1, 1)), "accept": 0}, "cannot read operation 1"),
        ({"ops": (c.Top(), c.One(), c.Conditional(0, 1, 0)), "accept": 0}, "cannot read operation 0"),
        ({"ops": (c.Top(), c.Add(0, 0)), "accept": 0}, "cannot read operation 0"),
        ({"ops": (c.Periodic(0, ()),), "accept": 0}, "modulus 0"),
        ({"ops": (c.Periodic(3, (1, 3)),), "accept": 0}, "modulus 3"),
        ({"ops": (c.Periodic(3, (2, 1)),), "accept": 0}, "modulus 3"),
        ({"ops": (c.Top(), c.Count(0, ())), "accept": 0}, "distances"),
        ({"ops": (c.Top(), c.Count(0, (2, 2))), "accept": 0}, "distances"),
        ({"ops": (c.Top(), c.Count(0, (-1,))), "accept": 0}, "distances"),
    ],
)
def test_ill_formed_programs_are_rejected(change: dict[str, object], message: str) -> None:
    assert GOOD.size == 4
    with pytest.raises(InputError, match=message):
        dataclasses.replace(GOOD, **change)  # type: ignore[arg-type]


@pytest.mark.parametrize("value", [-(10**30), -5, -1, 0, 1, 2, 3, 10, 2**63, 10**30])
def test_integers_are_built_from_ones(value: int) -> None:
    builder = CoreBuilder()
    index = builder.integer(value)
    accept = builder.add_op(c.Top())
    core = Core(tuple(builder.ops), (), False, accept)
    assert oracle.core_values(core, ["x"])[index] == [value]
    assert core.size <= 2 * max(1, abs(value).bit_length()) + 4


def test_integers_are_made_by_doubling_and_shared() -> None:
    for value in (1, 2, 3, 7, 10, 1000, 12345):
        builder, scaled = CoreBuilder(), CoreBuilder()
        assert builder.integer(value) == scaled.scale(value, scaled.add_op(c.One()))
        assert builder.ops == scaled.ops
    builder = CoreBuilder()
    builder.integer(10**1000)
    size = len(builder.ops)
    assert builder.integer(10**1000 >> 7) < size == len(builder.ops)
