"""Lines, tables, programs and verdicts as people see them."""

from __future__ import annotations

import io
import sys

import pytest
from rich.text import Text

from longreach.cli.screen import Screen
from longreach.cli.verdicts import finite_note
from longreach.theory.automata.regex import from_expression
from longreach.theory.verdicts.verdict import Answer
from longreach.wording import Column, Table

COLUMNS = [Column("task", right=False), Column("steps", rank=1), Column("seconds", rank=2), Column("41-60")]
LINES = [["parity", "3000", "59.3", "100.0 %"], ["binary-majority", "200", "4.9", "0.0 %"]]


@pytest.mark.parametrize(("width", "gone"), [(80, []), (38, ["seconds"]), (26, ["steps", "seconds"])])
def test_what_is_left_out_is_named(width: int, gone: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    Screen(file=sys.stdout, width=width).table(Table(COLUMNS, LINES))
    shown = capsys.readouterr()
    head, *lines = shown.out.splitlines()
    assert head.split() == [column.title for column in COLUMNS if column.title not in gone]
    assert all(len(line) <= width and line == line.rstrip() for line in (head, *lines))
    assert [line.split()[-2:] for line in lines] == [["100.0", "%"], ["0.0", "%"]]
    assert shown.err == (f"no room for: {', '.join(gone)}\n" if gone else "")


def test_cells_keep_their_styles() -> None:
    stream = io.StringIO()
    coloured = Screen(file=stream, width=40, force_terminal=True, color_system="standard")
    coloured.table(Table(["said", "word"], [[Text("yes", "green"), "a"]]), heading=False)
    assert stream.getvalue() == "\x1b[32myes\x1b[0m   a\n"


def console(width: int) -> tuple[Screen, io.StringIO]:
    stream = io.StringIO()
    return Screen(file=stream, width=width, highlight=False), stream


def lines(stream: io.StringIO) -> list[str]:
    return [line.rstrip() for line in stream.getvalue().splitlines()]


def test_further_lines_hang() -> None:
    out, stream = console(24)
    out.hanging("one two three four five six seven", 2, 4)
    assert lines(stream) == ["  one two three four", "    five six seven"]
    out, stream = console(1000)
    out.hanging("one two three four five six seven", 2, 4)
    assert lines(stream) == ["  one two three four five six seven"]


def test_the_first_line_has_the_width_that_its_own_indent_leaves() -> None:
    out, stream = console(30)
    out.hanging("a label   one two three four five six seven", 2, 12)
    assert lines(stream) == ["  a label   one two three four", "            five six seven"]


def test_a_program_and_its_comment_are_not_broken() -> None:
    out, stream = console(20)
    text = '#alphabet a b\nL = exists ("b" && #[i-1] "b" >= 1)'
    out.program("APE: C-RASP[local], 7 operations, proved for all lengths", text)
    assert lines(stream) == [
        "// APE: C-RASP[local], 7 operations, proved for all lengths",
        *text.splitlines(),
    ]


def test_text_from_outside_is_no_markup() -> None:
    out, stream = console(60)
    out.hanging("[red]a*[/red]", 0)
    assert lines(stream) == ["[red]a*[/red]"]


def test_what_it_rests_on_stands_behind_or_below() -> None:
    for width, expected in (
        (80, ["  without positions             expected to fail", "    because of this · proved"]),
        (30, ["    because of this", "    program, proved for all", "      lengths"]),
    ):
        out, stream = console(width)
        basis = "proved" if width == 80 else "program, proved for all lengths"
        out.side("without positions", Answer.NO, "because of this", basis)
        assert lines(stream)[-len(expected) :] == expected


def test_what_is_not_known_rests_on_nothing() -> None:
    out, stream = console(80)
    out.side("without positions", Answer.UNDECIDED, "nobody has asked", "not known")
    assert lines(stream) == ["  without positions             not known", "    nobody has asked"]


@pytest.mark.parametrize(
    ("expression", "note"),
    [
        ("ab?", "finite: its longest word has 2 letters; no question of longer inputs"),
        ("a&b", "empty: no word is in the language, so there is nothing to learn"),
        ("a*b", None),
    ],
)
def test_notes_on_finite_languages(expression: str, note: str | None) -> None:
    assert finite_note(from_expression(expression)) == note
