"""Tables of every statement at every position."""

from __future__ import annotations

import json
from dataclasses import asdict

from hypothesis import given
from hypothesis import strategies as st

from longreach.crasp import library, parse
from longreach.crasp.program import Program
from longreach.crasp.trace import WIDTH, to_html, trace
from longreach.crasp.words import encode
from tests.helpers import crasp_oracle as oracle
from tests.helpers import crasp_strategies as strategies


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
    table = trace(program, "011", encode(program.core, "011"))
    assert [(row.name, row.text, row.values) for row in table.rows] == [
        ("C_1", 'C_1 = # "1"', (0, 1, 2)),
        ("C_0", 'C_0 = # "0"', (1, 1, 1)),
        ("M", "M = C_1 >= C_0", (False, True, True)),
    ]
    assert [row.is_result for row in table.rows] == [False, False, True]
    assert table.accepted is True


def test_the_empty_word_has_one_position() -> None:
    program = library.load("dyck-1")
    table = trace(program, [], encode(program.core, []))
    assert (table.tokens, table.positions, table.accepted) == ((), (0,), True)
    assert {len(row.values) for row in table.rows} == {1}
    assert "ε" in to_html([("empty", table)], "none")


def test_huge_counts_are_json_integers() -> None:
    program = parse(f'C = {2**80} * # "a"\nB = # "b" + #[i-1] "b" + (1 if "b" else 0)\nP = C > B')
    rows = asdict(trace(program, "ab", encode(program.core, "ab")))["rows"]
    assert json.loads(json.dumps([row["values"] for row in rows])) == [
        [2**80, 2**80],
        [0, 2],
        [True, True],
    ]
    assert "true" not in json.dumps(rows[1]["values"])


def test_pages_escape_tokens_and_need_nothing_from_outside() -> None:
    program = parse('P = # "<b>" >= # "&amp;" && !"\'"')
    tokens = ["<b>", "<script>alert(1)</script>", "&amp;", "'"]
    page = to_html([("word <i>", trace(program, tokens, encode(program.core, tokens)))], "title & more")
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
            ("good", trace(dyck, "()", encode(dyck.core, "()"))),
            ("bad", trace(dyck, ")(", encode(dyck.core, ")("))),
            ("sorted", trace(sort, word, encode(sort.core, word))),
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
