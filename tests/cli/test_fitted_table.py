"""Whole columns go where a terminal is narrow; what is left is whole."""

from __future__ import annotations

import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longreach.cli import fitted_table
from longreach.cli.fitted_table import GAP, Column, fits, kept_columns, print_fitted

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
