"""Programs: building, describing, tidying and tracing them."""

from __future__ import annotations

import json
import operator
from collections.abc import Callable
from dataclasses import asdict

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longreach.errors import InputError
from longreach.theory.crasp import library
from longreach.theory.crasp.compare import equal
from longreach.theory.crasp.program import WIDTH, Builder, Program, parse, tidy_statements, to_html, trace
from longreach.theory.crasp.syntax import (
    Expr,
    all_of,
    any_of,
    conditional,
    count,
    exists,
    integer,
    maximum,
    minimum,
    position,
    token,
)
from longreach.theory.crasp.words import encode
from tests.helpers import crasp_oracle as oracle
from tests.helpers import crasp_strategies as strategies
from tests.helpers.crasp_strategies import programs

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


@pytest.mark.parametrize("use", [bool, lambda e: e and True, lambda e: not e, lambda e: 1 < e < 3])
def test_expressions_have_no_truth_value(use: Callable[[Expr], object]) -> None:
    with pytest.raises(TypeError, match=r"use &, \|, ~ instead of and, or, not"):
        use(A)


def test_expressions_can_be_keys() -> None:
    assert {P: 1, Q: 2}[Q] == 2
    assert len({A, B, A}) == 2


def test_a_program_with_names_and_an_alphabet() -> None:
    builder = Builder(["(", ")"])
    height = builder.let("height", count("(") - count(")"))
    never = builder.let("never", count(height < 0) == 0)
    builder.let("D", never & (height == 0))
    program = builder.program()
    assert program.text == (
        '#alphabet ( )\nheight = # "(" - # ")"\nnever = # (height < 0) == 0\nD = never && height == 0'
    )
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


@given(programs())
def test_tidying_preserves_meaning(program: Program) -> None:
    tidied = tidy_statements(program)
    assert len(tidied.statements) <= len(program.statements)
    alphabet = program.core.alphabet[:2] or ("a",)
    assert equal(program.core, tidied.core, 4, alphabet).equal


def test_tidying_keeps_what_is_used_twice() -> None:
    text = 'A = # ("a" && # "b" >= 3) + # "b"\nB = # "c"\nP = A >= 1\nL = A >= 2 || P'
    assert tidy_statements(parse(text)).text == 'A = # ("a" && # "b" >= 3) + # "b"\nL = A >= 2 || A >= 1'


# Tables of every statement at every position.


@given(st.data(), strategies.programs(), st.booleans())
def test_rows_are_the_statements_values(data: st.DataObject, program: Program, every: bool) -> None:
    word = data.draw(strategies.words(program.core))
    table = trace(program, word, encode(program.core, word), every_operation=every)
    values = oracle.surface_values(program, word)
    expected = {
        (f"output {s.name}" if s.is_output else s.name): tuple(row)
        for s, row in zip(program.statements, values, strict=True)
    }
    found = {row.name: row.values for row in table.rows}
    assert {name: found[name] for name in expected} == expected
    assert table.tokens == tuple(word)
    assert table.positions == (tuple(range(1, len(word) + 1)) or (0,))
    if every:
        assert len(table.rows) >= len(program.statements)
    else:
        assert [row.name for row in table.rows] == list(expected)
    for row in table.rows:
        assert {type(value) for value in row.values} == {bool if row.is_boolean else int}
    if program.core.is_predictor:
        assert table.accepted is None
        assert [list(tokens) for tokens in table.predicted] == oracle.surface_predicts(program, word)
    else:
        assert table.accepted is oracle.surface_accepts(program, word)
        assert any(row.is_result for row in table.rows)


def test_a_table() -> None:
    program = library.load("majority")
    table = program.trace("011")
    assert [(row.name, row.text, row.values) for row in table.rows] == [
        ("C_1", 'C_1 = # "1"', (0, 1, 2)),
        ("C_0", 'C_0 = # "0"', (1, 1, 1)),
        ("M", "M = C_1 >= C_0", (False, True, True)),
    ]
    assert [row.is_result for row in table.rows] == [False, False, True]
    assert table.accepted is True


def test_the_empty_word_has_one_position() -> None:
    program = library.load("dyck-1")
    table = program.trace([])
    assert (table.tokens, table.positions, table.accepted) == ((), (0,), True)
    assert {len(row.values) for row in table.rows} == {1}
    assert "ε" in to_html([("empty", table)], "none")


def test_huge_counts_are_json_integers() -> None:
    program = parse(f'C = {2**80} * # "a"\nB = # "b" + #[i-1] "b" + (1 if "b" else 0)\nP = C > B')
    rows = asdict(program.trace("ab"))["rows"]
    assert json.loads(json.dumps([row["values"] for row in rows])) == [
        [2**80, 2**80],
        [0, 2],
        [True, True],
    ]
    assert "true" not in json.dumps(rows[1]["values"])


def test_pages_escape_tokens_and_need_nothing_from_outside() -> None:
    program = parse('P = # "<b>" >= # "&amp;" && !"\'"')
    tokens = ["<b>", "<script>alert(1)</script>", "&amp;", "'"]
    page = to_html([("word <i>", program.trace(tokens))], "title & more")
    assert "<script" not in page
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page
    assert "&lt;b&gt;" in page
    assert "<b>" not in page
    assert "&amp;amp;" in page
    assert "word &lt;i&gt;" in page
    assert "title &amp; more" in page
    assert page.startswith("<!doctype html>")
    for outside in ("http:", "https:", "src=", "href=", "@import", "url("):
        assert outside not in page


def test_pages_hold_one_table_per_trace() -> None:
    dyck, sort = library.load("dyck-1"), library.load("sort-3")
    word = ["SOS", "2", "0", "SEP", "0"]
    page = to_html(
        [
            ("good", dyck.trace("()")),
            ("bad", dyck.trace(")(")),
            ("sorted", sort.trace(word)),
        ],
        "traces",
    )
    assert page.count("<table>") == 3
    assert page.count("Accepted") == 1
    assert page.count("Rejected") == 1
    assert page.count("A predictor") == 1


def test_a_trace_prints_as_a_table_in_pieces_that_fit_a_line() -> None:
    program = parse('C = # "a"\nP = C >= 2')
    word = "ab" * 60
    shown = repr(program.trace(word))
    lines = shown.splitlines()
    assert max(map(len, lines)) <= WIDTH
    assert lines[-1] == "accept"
    pieces = "\n".join(lines[:-1]).split("\n\n")
    assert len(pieces) > 1
    values = [value for piece in pieces for value in piece.splitlines()[2].split('"a"')[1].split()]
    assert values == [str((place + 2) // 2) for place in range(len(word))]


def test_a_trace_in_a_notebook_is_one_table_of_escaped_text() -> None:
    program = parse('P = # "<b>" >= 1\nQ = !P')
    html = program.trace(["<b>", "<i>"])._repr_html_()
    assert "<b>Q = !P</b>" in html  # what decides
    assert "<i>" not in html
    assert "&lt;i&gt;" in html
    assert html.endswith("<p>reject</p>")
    assert library.load("sort-3").trace("SOS 2 SEP")._repr_html_().endswith("</table>")


def test_a_word_may_be_a_string_or_tokens() -> None:
    program = parse('P = # "a" >= 1')
    assert program.trace("ab") == program.trace(["a", "b"]) == program.trace("a b")
    assert program.trace("ε").positions == (0,)
