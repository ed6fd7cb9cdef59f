"""Tests of `cli.output`."""

from __future__ import annotations

import io
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console
from rich.text import Text

from longreach.cli import output as fitted_table
from longreach.cli.output import (
    GAP,
    Column,
    finite_note,
    fits,
    fitting_table,
    kept_columns,
    print_fitted,
    print_hanging,
    print_program,
    print_side,
)
from longreach.theory.automata.regex import from_expression
from longreach.theory.verdicts.verdict import Answer

# Whole columns go where a terminal is narrow; what is left is whole.


COLUMNS = [Column("task", right=False), Column("steps", rank=1), Column("seconds", rank=2), Column("41-60")]
LINES = [["parity", "3000", "59.3", "100.0 %"], ["binary-majority", "200", "4.9", "0.0 %"]]


@given(st.integers(1, 80), st.lists(st.integers(0, 3), min_size=1, max_size=5), st.data())
def test_the_most_important_columns_that_fit(width: int, ranks: list[int], data: st.DataObject) -> None:
    columns = [Column("x" * data.draw(st.integers(1, 20)), rank) for rank in ranks]
    kept = kept_columns(columns, [], width)

    def total(places: list[int]) -> int:
        return sum(len(columns[place].title) for place in places) + GAP * (len(places) - 1)

    assert {place for place, column in enumerate(columns) if not column.rank} <= set(kept)
    gone = [place for place in range(len(columns)) if place not in kept]
    for place in gone:
        assert columns[place].rank >= max(columns[each].rank for each in kept) if kept else True
    if any(columns[place].rank for place in kept):
        assert total(kept) <= width
    if gone:  # with the last one that went it was too wide
        last = min(gone, key=lambda place: (columns[place].rank, -place))
        assert total(sorted([*kept, last])) > width
    assert fits(columns, [], width) == (total([p for p, c in enumerate(columns) if not c.rank]) <= width)


@pytest.mark.parametrize(("width", "gone"), [(80, []), (38, ["seconds"]), (26, ["steps", "seconds"])])
def test_what_is_left_out_is_named(
    width: int, gone: list[str], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from rich.console import Console

    monkeypatch.setattr(fitted_table, "console", lambda: Console(file=sys.stdout, width=width))
    print_fitted(COLUMNS, LINES)
    shown = capsys.readouterr()
    head, *lines = shown.out.splitlines()
    assert head.split() == [column.title for column in COLUMNS if column.title not in gone]
    assert all(len(line) <= width and line == line.rstrip() for line in (head, *lines))
    assert [line.split()[-2:] for line in lines] == [["100.0", "%"], ["0.0", "%"]]
    assert shown.err == (f"no room for: {', '.join(gone)}\n" if gone else "")


def console(width: int) -> tuple[Console, io.StringIO]:
    stream = io.StringIO()
    return Console(file=stream, width=width, highlight=False), stream


def lines(stream: io.StringIO) -> list[str]:
    return [line.rstrip() for line in stream.getvalue().splitlines()]


def test_further_lines_hang() -> None:
    out, stream = console(24)
    print_hanging(out, "one two three four five six seven", 2, 4)
    assert lines(stream) == ["  one two three four", "    five six seven"]
    out, stream = console(1000)
    print_hanging(out, "one two three four five six seven", 2, 4)
    assert lines(stream) == ["  one two three four five six seven"]


def test_the_first_line_has_the_width_that_its_own_indent_leaves() -> None:
    out, stream = console(30)
    print_hanging(out, "a label   one two three four five six seven", 2, 12)
    assert lines(stream) == ["  a label   one two three four", "            five six seven"]


def test_a_program_and_its_comment_are_not_broken() -> None:
    out, stream = console(20)
    text = '#alphabet a b\nL = exists ("b" && #[i-1] "b" >= 1)'
    print_program(out, "APE: C-RASP[local], 7 operations, proved for all lengths", text)
    assert lines(stream) == [
        "// APE: C-RASP[local], 7 operations, proved for all lengths",
        *text.splitlines(),
    ]


def test_text_from_outside_is_no_markup() -> None:
    out, stream = console(60)
    print_hanging(out, "[red]a*[/red]", 0)
    assert lines(stream) == ["[red]a*[/red]"]


@pytest.mark.parametrize(
    ("width", "shown"), [(80, ["a", "bb", "cc", "dd"]), (13, ["a", "bb", "dd"]), (8, ["a", "dd"]), (1, ["a"])]
)
def test_columns_go_whole(width: int, shown: list[str]) -> None:
    out, stream = console(width)
    columns = [[Text(title), Text("x" * 3)] for title in ("a", "bb", "cc", "dd")]
    out.print(fitting_table(out, columns, [9, 2, 1, 3]), soft_wrap=True, crop=False)
    assert lines(stream)[0].split() == shown


def test_what_it_rests_on_stands_behind_or_below() -> None:
    for width, expected in (
        (80, ["  without positions             expected to fail", "    because of this · proved"]),
        (30, ["    because of this", "    program, proved for all", "      lengths"]),
    ):
        out, stream = console(width)
        basis = "proved" if width == 80 else "program, proved for all lengths"
        print_side(out, "without positions", Answer.NO, "because of this", basis)
        assert lines(stream)[-len(expected) :] == expected


def test_what_is_not_known_rests_on_nothing() -> None:
    out, stream = console(80)
    print_side(out, "without positions", Answer.UNDECIDED, "nobody has asked", "not known")
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
