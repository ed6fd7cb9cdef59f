from __future__ import annotations

from html.parser import HTMLParser

from hypothesis import given
from hypothesis import strategies as st

from longreach.wording import html_listing, html_table


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
    found = _read(html_table(["one", "two"], [cells], title=title, note="<script>"))
    assert found.texts == [title, "one", "two", *cells, "<script>"]
    assert found.names == {"p", "table", "thead", "tbody", "tr", "th", "td"}


def test_numbers_stand_on_the_right_and_words_on_the_left() -> None:
    html = html_table(["a", "b", "c", "d"], [[3, "yes", "99.5 %", None]])
    assert html.count('style="text-align:left"') == 1
    assert '<td style="text-align:left">yes</td>' in html


def test_a_listing_keeps_its_lines() -> None:
    assert _read(html_listing("a < b\nc", title="t")).texts == ["t", "a < b\nc"]
    assert html_listing("a") == "<pre>a</pre>"
