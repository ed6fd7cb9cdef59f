"""Simplification preserves meaning and never grows."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from longreach.crasp import core as c
from longreach.crasp import parse
from longreach.crasp.core import Core
from longreach.crasp.program import Program
from longreach.crasp.simplify import simplify
from tests.helpers import crasp_oracle as oracle
from tests.helpers import crasp_strategies as strategies
from tests.helpers.examples import examples


def _roots(core: Core, word: list[str]) -> list[list[bool]]:
    values = oracle.core_values(core, word)
    return [[bool(value) for value in values[root]] for root in core.roots]


def _check(core: Core, words: list[list[str]]) -> None:
    small = simplify(core)
    for word in [[], *words]:
        assert _roots(small, word) == _roots(core, word)
    assert small.size <= core.size
    assert small.depth <= core.depth
    assert set(small.relations) <= set(core.relations)
    assert len(set(small.ops)) == small.size
    assert (small.alphabet, small.closed) == (core.alphabet, core.closed)
    assert [token for token, _ in small.outputs] == [token for token, _ in core.outputs]
    assert simplify(small) == small
    read = {k for op in small.ops for k in c.operands(op)} | set(small.roots)
    assert read == set(range(small.size)), "every operation is read"


@settings(max_examples=examples(500))
@given(st.data(), strategies.cores())
def test_random_core_programs(data: st.DataObject, core: Core) -> None:
    _check(core, data.draw(strategies.batches(core, 8)))


@settings(max_examples=examples(500))
@given(st.data(), strategies.programs())
def test_random_programs(data: st.DataObject, program: Program) -> None:
    _check(program.core, data.draw(strategies.batches(program.core, 8)))


TOP = (c.Top(),)
FALSE = (c.Top(), c.Not(0))


@pytest.mark.parametrize(
    ("expression", "ops"),
    [
        ('"a" || true', TOP),
        ('"a" && false', FALSE),
        ('"a" && !"a"', FALSE),
        ('"a" && "b"', FALSE),
        ("# false == 0", TOP),
        ('#[i-2..i-1] "a" <= 2', TOP),
        ('# "a" < 0', FALSE),
        ('# "a" - # "a" == 0', TOP),
        ("2 + 3 == 5", TOP),
        ("7 - 9 > 0 - 2", FALSE),
        ('(# "a" if true else # "b") >= # "a"', TOP),
        ('(2 if "a" else 5) > 1', TOP),
        ('"a" && "a" && true', (c.Token("a"),)),
        ('# "a" + 0 >= # "b" - 0', (c.Token("b"), c.Count(0), c.Token("a"), c.Count(2), c.Leq(1, 3))),
    ],
)
def test_examples(expression: str, ops: tuple[c.Op, ...]) -> None:
    small = simplify(parse(f"P = {expression}").core)
    assert set(small.ops) == set(ops) or [type(op) for op in small.ops] == [type(op) for op in ops]


@pytest.mark.parametrize(
    "text",
    [
        "# true >= 1",
        "# true > 0",
        '"a" && # true == 1',
        "i % 2 == 1",
        "#[i] true == 1",
        "#[<] true < #[i] true",
    ],
)
def test_what_differs_at_the_empty_word_alone_is_kept(text: str) -> None:
    core = parse(f"P = {text}").core
    for length in range(5):
        word = ["a"] * length
        assert oracle.core_accepts(simplify(core), word) == oracle.core_accepts(core, word)
    assert oracle.core_accepts(simplify(core), []) != oracle.core_accepts(simplify(core), ["a"])


def test_equal_programs_keep_their_own_names() -> None:
    first, second = parse('P = # "a" >= 1').core, parse('Q = # "a" >= 1').core
    assert first == second
    assert [name for name, _ in simplify(first).names] == ["P"]
    assert [name for name, _ in simplify(second).names] == ["Q"]


def test_names_of_removed_operations_go() -> None:
    small = simplify(parse('unused = # "b"\nkept = # "a"\nP = kept >= 1').core)
    assert [name for name, _ in small.names] == ["kept", "P"]
    assert c.Token("b") not in small.ops
