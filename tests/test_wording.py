"""Tables in a terminal, in Markdown and in HTML; text that nothing obeys."""

from __future__ import annotations

from html.parser import HTMLParser

from hypothesis import given
from hypothesis import strategies as st

from longreach.wording import GAP, Column, Table, html_listing, visible

COLUMNS = st.lists(st.tuples(st.integers(1, 20), st.integers(0, 3)), min_size=1, max_size=6)


@given(shapes=COLUMNS, width=st.integers(0, 100))
def test_the_least_important_columns_go_first(shapes: list[tuple[int, int]], width: int) -> None:
    columns = [Column(str(place) * size, rank) for place, (size, rank) in enumerate(shapes)]
    table = Table(columns, [])

    def total(kept: list[Column]) -> int:
        return sum(len(column.title) for column in kept) + GAP * (len(kept) - 1)

    gone = table.left_out(width)
    kept = [column for column in columns if column.title not in gone]
    assert table.terminal(width) == ["  ".join(column.title for column in kept)]
    assert total(kept) <= width or not any(column.rank for column in kept)
    assert table.fits(width) == (total([column for column in columns if not column.rank]) <= width)
    for column in columns:
        if column.title in gone:
            more = [each for each in columns if each in kept or each == column or each.rank < column.rank]
            assert column.rank > 0
            assert total(more) > width


def test_wide_texts_are_wrapped_before_columns_go() -> None:
    table = Table(
        ["task", Column("what it is", right=False, wrap=10)], [["parity", "even or odd ones, in the end"]]
    )
    assert table.terminal(20) == [
        "task    what it is",
        "parity  even or odd",
        "        ones, in the",
        "        end",
    ]
    assert table.terminal() == ["task    what it is", "parity  even or odd ones, in the end"]


def test_columns_count_what_a_terminal_shows() -> None:
    lines = Table(["a", "b"], [["日本", "x"], ["é", "y"]]).terminal()
    assert lines == ["a     b", "日本  x", "é     y"]


def test_markdown_keeps_bars_in_their_cells() -> None:
    assert Table(["language"], [["a|b"], [None]]).markdown().split("\n")[2:] == ["| a\\|b |", "|  |"]


@given(st.text())
def test_no_control_character_is_left(text: str) -> None:
    shown = visible(text)
    assert all(char in "\n\t" or char >= " " for char in shown)
    assert visible(shown) == shown


class _Cells(HTMLParser):
    """The texts of cells and paragraphs, and the names of all elements."""

    def __init__(self) -> None:
        super().__init__()
        self.texts: list[str] = []
        self.names: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.names.add(tag)
        if tag in ("td", "th", "p", "pre"):
            self.texts.append("")

    def handle_data(self, data: str) -> None:
        self.texts[-1] += data


def _read(html: str) -> _Cells:
    found = _Cells()
    found.feed(html)
    found.close()
    return found


@given(
    st.lists(st.text(alphabet="<>&\"'ab \\", max_size=6), min_size=2, max_size=2), st.text("<&a", min_size=1)
)
def test_text_is_shown_and_never_obeyed(cells: list[str], title: str) -> None:
    found = _read(Table(["one", "two"], [cells], title=title, note="<script>").html())
    assert found.texts == [title, "one", "two", *cells, "<script>"]
    assert found.names == {"p", "table", "thead", "tbody", "tr", "th", "td"}


def test_numbers_stand_on_the_right_and_words_on_the_left() -> None:
    html = Table(["a", "b", "c", "d"], [[3, "yes", "99.5 %", None]]).html()
    assert html.count('style="text-align:left"') == 1
    assert '<td style="text-align:left">yes</td>' in html


def test_a_listing_keeps_its_lines() -> None:
    assert _read(html_listing("a < b\nc", title="t")).texts == ["t", "a < b\nc"]
    assert html_listing("a") == "<pre>a</pre>"
