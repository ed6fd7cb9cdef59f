from __future__ import annotations

import io

import pytest
from rich.console import Console
from rich.text import Text

from longreach.cli.verdict_text import finite_note, fitting_table, print_hanging, print_program, print_side
from longreach.languages.regular.expression_to_automaton import from_expression
from longreach.verdicts.verdict import Answer


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
