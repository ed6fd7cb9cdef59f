"""Building programs in Python."""

from __future__ import annotations

import operator
from collections.abc import Callable

import pytest

from longreach.crasp import (
    Builder,
    Expr,
    all_of,
    any_of,
    conditional,
    count,
    exists,
    integer,
    maximum,
    minimum,
    parse,
    position,
    token,
)
from longreach.errors import InputError
from tests.helpers import crasp_oracle as oracle

P, Q, A, B = token("p"), token("q"), count("a"), count("b")


@pytest.mark.parametrize(
    ("expr", "text"),
    [
        (P & Q, '"p" && "q"'),
        (P | "q", '"p" || "q"'),
        (~P, '!"p"'),
        (P >> Q, '"p" => "q"'),
        (P.iff(Q), '"p" <=> "q"'),
        (P & True, '"p" && true'),
        (P | False, '"p" || false'),
        (exists("p"), 'exists "p"'),
        (A == 3, '# "a" == 3'),
        (A != B, '# "a" != # "b"'),
        (A < 3, '# "a" < 3'),
        (A <= 3, '# "a" <= 3'),
        (A > 3, '# "a" > 3'),
        (operator.lt(3, A), '# "a" > 3'),
        (operator.ge(4, A), '# "a" <= 4'),
        (A + 1 >= 2 + B, '# "a" + 1 >= 2 + # "b"'),
        (A - 1 >= 2 - B, '# "a" - 1 >= 2 - # "b"'),
        (A * 2 >= 3 * B, '# "a" * 2 >= 3 * # "b"'),
        (A >= -2, '# "a" >= 0 - 2'),
        (A - (B - 1) == 0, '# "a" - (# "b" - 1) == 0'),
        (minimum(A, 4) < maximum(1, B), 'min(# "a", 4) < max(1, # "b")'),
        (conditional("p", A, 0) == 1, '(# "a" if "p" else 0) == 1'),
        (count("a", 1) == 1, '#[i-1] "a" == 1'),
        (count("a", 3, 1, 2) == 1, '#[i-3..i-1] "a" == 1'),
        (count("a", 4, 0, 4) == 1, '#[{i, i-4}] "a" == 1'),
        (count("a", before=True) == 1, '#[<] "a" == 1'),
        (count(P & Q) == 1, '# ("p" && "q") == 1'),
        (position(3, 1), "i % 3 == 1"),
        (position(5, 3, 1, 3), "i % 5 in {1, 3}"),
        (all_of([P, "q", True]), '"p" && "q" && true'),
        (all_of([]), "true"),
        (any_of(["p", Q]), '"p" || "q"'),
        (any_of([]), "false"),
    ],
)
def test_operators_and_functions(expr: Expr, text: str) -> None:
    builder = Builder()
    builder.let("L", expr)
    program = builder.program()
    assert program.text == f"L = {text}"
    assert parse(program.text).core == program.core
    for word in oracle.all_words("abpq", 3):
        assert program.accepts(word) == oracle.surface_accepts(parse(program.text), word)


def test_a_program_with_names_and_an_alphabet() -> None:
    builder = Builder(["(", ")"], title="brackets")
    height = builder.let("height", count("(") - count(")"))
    never = builder.let("never", count(height < 0) == 0)
    builder.let("D", never & (height == 0))
    program = builder.program()
    assert program.text == (
        '#alphabet ( )\nheight = # "(" - # ")"\nnever = # (height < 0) == 0\nD = never && height == 0'
    )
    assert program.title == "brackets"
    assert program.accepts("(())()")
    assert not program.accepts("())(")
    assert program.core == parse(program.text).core


def test_predictors() -> None:
    builder = Builder("ab")
    even = builder.let("even", position(2, 0))
    builder.output("a", even)
    builder.output("b", ~even)
    program = builder.program()
    assert program.predicts("aba") == [["b"], ["a"], ["b"]]
    assert program.text.endswith('output "a" = even\noutput "b" = !even')


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: Builder().let("1x", P), "'1x' is not a name"),
        (lambda: Builder().let("in", P), "'in' is not a name"),
        (lambda: Builder().let("a b", P), "'a b' is not a name"),
        (lambda: Builder().let("", P), "'' is not a name"),
        (lambda: Builder().output("a", A), "must be a Boolean, not a count"),
        (lambda: Builder().program(), "no Boolean statement"),
    ],
)
def test_bad_arguments(build: Callable[[], object], message: str) -> None:
    with pytest.raises(InputError) as caught:
        build()
    assert message in caught.value.message


def test_names_and_outputs_are_defined_once_and_tokens_declared() -> None:
    builder = Builder("ab")
    builder.let("x", P)
    with pytest.raises(InputError, match="'x' is defined twice"):
        builder.let("x", Q)
    with pytest.raises(InputError, match="'p' is not in the alphabet"):
        builder.program()
    predictor = Builder()
    predictor.output("a", True)
    with pytest.raises(InputError, match="'a' is defined twice"):
        predictor.output("a", False)


def test_integers() -> None:
    builder = Builder()
    builder.let("L", count("a") - integer(-3) == 2**70)
    assert builder.program().text == f'L = # "a" - (0 - 3) == {2**70}'
    assert not builder.program().accepts("a")


def test_a_program_is_described_in_one_line_and_printed_as_its_text() -> None:
    program = parse('#alphabet a b\nP = # "a" >= # "b"')
    assert repr(program) == "Program: an acceptor over a b in C-RASP[∅], 5 operations, depth 1"
    assert str(program) == program.text
    letters = " ".join(f"t{number}" for number in range(30))
    assert "t11 … in" in repr(parse(f'#alphabet {letters}\nP = "t0"'))
    assert repr(parse('P = "a"')) == "Program: an acceptor over a in C-RASP[∅], 1 operation, depth 0"
    builder = Builder("ab")
    builder.let("x", count("c"))
    assert repr(builder.draft()) == "Program: 1 statement, not a program yet"


def test_a_program_in_a_notebook_is_its_text() -> None:
    program = parse('P = # "<" >= 1')
    html = program._repr_html_()
    assert "&lt;" in html
    assert '"<"' not in html
    assert html.startswith("<p>Program: an acceptor")


def test_an_acceptor_predicts_nothing() -> None:
    with pytest.raises(InputError, match="accepts or rejects words and predicts nothing"):
        parse('P = "a"').predicts("a")
