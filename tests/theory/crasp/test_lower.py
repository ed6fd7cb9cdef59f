"""From programs as written to core operations and back, and simplification."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from longreach.theory.crasp import core as c
from longreach.theory.crasp.core import Core
from longreach.theory.crasp.lower import simplify
from longreach.theory.crasp.program import Program, parse, raise_core
from longreach.theory.crasp.syntax import integer
from tests.helpers import crasp_oracle as oracle
from tests.helpers import crasp_strategies as strategies
from tests.helpers.examples import examples


@settings(max_examples=examples(500))
@given(st.data(), strategies.programs())
def test_every_statement_keeps_its_meaning(data: st.DataObject, program: Program) -> None:
    word = data.draw(strategies.words(program.core))
    lowered = oracle.core_values(program.core, word)
    found = {name: lowered[index] for name, index in program.core.names}
    found |= {f"output {token}": lowered[index] for token, index in program.core.outputs}
    written = oracle.surface_values(program, word)
    expected = {
        f"output {s.name}" if s.is_output else s.name: values
        for s, values in zip(program.statements, written, strict=True)
    }
    assert found == expected


@settings(max_examples=examples(500))
@given(strategies.programs())
def test_text_reads_back(program: Program) -> None:
    again = parse(program.text)
    assert again.core == program.core
    assert again.core.names == program.core.names
    assert again.text == program.text
    assert parse(strategies.bracketed(program)).core == program.core


@settings(max_examples=examples(500))
@given(strategies.programs())
def test_raised_programs_lower_to_the_same_operations(program: Program) -> None:
    raised = raise_core(program.core)
    assert raised.core == program.core
    assert parse(raised.text).core == program.core
    assert set(program.core.names) <= set(raised.core.names)


@given(st.data(), strategies.cores())
def test_any_core_program_can_be_written_down(data: st.DataObject, core: Core) -> None:
    again = parse(raise_core(core).text).core
    word = data.draw(strategies.words(core))
    if core.is_predictor:
        assert oracle.core_predicts(again, word) == oracle.core_predicts(core, word)
    else:
        assert oracle.core_accepts(again, word) == oracle.core_accepts(core, word)
    assert parse(raise_core(again).text).core == again


@given(strategies.cores())
def test_simplified_programs_read_back(core: Core) -> None:
    small = simplify(core)
    if core.closed:
        # Tests without residues are written `false`, and a count of the current position alone is read as a
        # conditional, so that only the second reading is exact.
        again = parse(raise_core(small).text).core
        assert parse(raise_core(again).text).core == again
        here = any(isinstance(op, c.Count) and op.distances == (0,) for op in small.ops)
        if c.Periodic not in map(type, small.ops) and not here:
            assert again == small


TOKENS = (c.Token("a"), c.Count(0), c.Token("b"), c.Count(2))


@pytest.mark.parametrize(
    ("expression", "rest"),
    [
        ("A <= B", [c.Leq(1, 3)]),
        ("A >= B", [c.Leq(3, 1)]),
        ("A < B", [c.Leq(3, 1), c.Not(4)]),
        ("A > B", [c.Leq(1, 3), c.Not(4)]),
        ("A == B", [c.Leq(1, 3), c.Leq(3, 1), c.And(4, 5)]),
        ("A != B", [c.Leq(1, 3), c.Leq(3, 1), c.And(4, 5), c.Not(6)]),
        ("A + B <= A - B", [c.Add(1, 3), c.Subtract(1, 3), c.Leq(4, 5)]),
        ('"a" && "b"', [c.And(0, 2)]),
        ('"a" || "b"', [c.Not(0), c.Not(2), c.And(4, 5), c.Not(6)]),
        ('"a" => "b"', [c.Not(2), c.And(0, 4), c.Not(5)]),
        ('!!"a"', []),
        ("3 * A <= B", [c.Add(1, 1), c.Add(4, 1), c.Leq(5, 3)]),
        ("B * 2 <= A", [c.Add(3, 3), c.Leq(4, 1)]),
        ("min(A, B) <= B", [c.Leq(1, 3), c.Conditional(4, 1, 3), c.Leq(5, 3)]),
        ("max(A, B) <= B", [c.Leq(1, 3), c.Conditional(4, 3, 1), c.Leq(5, 3)]),
        ('(A if "b" else B) <= B', [c.Conditional(2, 1, 3), c.Leq(4, 3)]),
        ('exists "b"', [c.One(), c.Leq(4, 3)]),
        ('#[i-2] "a" <= A', [c.Count(0, (2,)), c.Leq(4, 1)]),
        ('#[i] "a" <= A', [c.One(), c.Subtract(4, 4), c.Conditional(0, 4, 5), c.Leq(6, 1)]),
        (
            '#[<] "a" <= A',
            [c.One(), c.Subtract(4, 4), c.Conditional(0, 4, 5), c.Subtract(1, 6), c.Leq(7, 1)],
        ),
    ],
)
def test_core_operations_of_each_construct(expression: str, rest: list[c.Op]) -> None:
    core = parse(f'A = # "a"\nB = # "b"\nP = {expression}').core
    assert core.ops == (*TOKENS, *rest)


def test_equal_operations_are_shared_and_unread_ones_dropped() -> None:
    core = parse('P = # "a" + # "a" >= # "a" && # "a" + # "a" >= # "a"').core
    assert core.ops == (c.Token("a"), c.Count(0), c.Add(1, 1), c.Leq(1, 2), c.And(3, 3))
    assert core.accept == 4


def test_acceptance_is_the_last_boolean_statement() -> None:
    program = parse('P = "a"\nQ = "b"\nC = # P')
    assert program.accepts("ab")
    assert not program.accepts("ba")
    assert parse('Q = "b"\nP = "a"\nR = Q').accepts("ab")


def test_fresh_names_avoid_given_ones() -> None:
    program = parse('P1 = # "a" >= # "b" && !"a"\nC1 = # P1\nL = C1 >= 1 + 1')
    raised = raise_core(program.core)
    names = [statement.name for statement in raised.statements]
    assert len(set(names)) == len(names)
    assert raised.core == program.core
    assert {"P1", "C1", "L"} <= set(names)


def test_an_integer_factor_may_stand_on_either_side() -> None:
    left, right = parse('P = 5 * # "a" > # "b"'), parse('P = # "a" * 5 > # "b"')
    assert left.core == right.core
    assert integer(-3).kind == "sub"


# Simplification preserves meaning and never grows.


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
