"""How numbers, words of a language, lists and tables are written for people."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from html import escape

EMPTY = "ε"
"""The empty word."""


def counted(number: int, noun: str, plural: str | None = None) -> str:
    """A number of things.

    >>> counted(1, "run"), counted(1200, "run"), counted(2, "automaton", "automata")
    ('1 run', '1,200 runs', '2 automata')
    """
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def percent(share: float | None, digits: int = 1) -> str:
    """A share in per cent; nothing for None.

    >>> percent(0.98765), percent(1, 0), percent(None)
    ('98.8 %', '100 %', '')
    """
    return "" if share is None else f"{100 * share:.{digits}f} %"


def duration(seconds: float) -> str:
    """A measured time.

    >>> duration(4.21), duration(42.3), duration(75), duration(7300)
    ('4.2 s', '42 s', '1 min 15 s', '2 h 1 min')
    """
    whole = round(seconds)
    if whole < 60:
        return f"{seconds:.1f} s" if seconds < 10 else f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"


def roughly(seconds: float) -> str:
    """An estimated time.

    >>> roughly(0.2), roughly(90), roughly(600), roughly(9000), roughly(1e7), roughly(1e9)
    ('1 second', '90 seconds', '10 minutes', '2.5 hours', '116 days', '11,574 days')
    """
    if seconds < 120:
        return counted(max(1, round(seconds)), "second")
    if seconds < 2 * 3600:
        return f"{seconds / 60:.0f} minutes"
    return f"{seconds / 3600:.1f} hours" if seconds < 48 * 3600 else f"{seconds / 86_400:,.0f} days"


def some(items: Sequence[str], most: int, between: str = " ") -> str:
    """The first items; an ellipsis stands for the rest.

    >>> some("abcd", 4), some("abcde", 3), some(["x", "y"], 1, ", ")
    ('a b c d', 'a b c …', 'x, …')
    """
    return between.join(items if len(items) <= most else [*items[:most], "…"])


def word(tokens: Sequence[str], most: int | None = None) -> str:
    """A word of a language; of a long one the beginning.

    >>> word(["a", "b"]), word([]), word("abcd", 2)
    ('a b', 'ε', 'a b …')
    """
    return some(tokens, len(tokens) if most is None else most) or EMPTY


def spelled(tokens: Sequence[str]) -> str:
    """A word of a language, without blanks where every token is one letter.

    >>> spelled(["a", "b"]), spelled(["not", "1"]), spelled([])
    ('ab', 'not 1', 'ε')
    """
    return ("" if all(len(token) == 1 for token in tokens) else " ").join(tokens) or EMPTY


def listed(items: Sequence[str], last: str = "and", most: int | None = None) -> str:
    """Items in a sentence.

    >>> listed(["a"]), listed(["a", "b", "c"]), listed("abcd", "or", most=2)
    ('a', 'a, b and c', 'a, b or …')
    """
    shown = list(items) if most is None or len(items) <= most else [*items[:most], "…"]
    return f" {last} ".join([", ".join(shown[:-1]), shown[-1]] if len(shown) > 1 else shown)


def shortened(text: str, most: int) -> str:
    """The beginning of a text that is too long.

    >>> shortened("abcdef", 6), shortened("abcdef", 4)
    ('abcdef', 'abc…')
    """
    return text if len(text) <= most else text[: most - 1] + "…"


# Control characters but tab and newline, bytes that are not text, and characters that do not show, break
# lines where `print` does not, or turn the direction of the text around them.
_UNSEEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f"
    "\ud800-\udfff\ufeff\ufff9-\ufffb\U000e0000-\U000e007f]"
)


def visible(text: str) -> str:
    r"""Text from outside with escapes for what would not show, or would be obeyed by a terminal or a browser.

    >>> visible("a\x1b[2Jb\u202e")
    'a\\x1b[2Jb\\u202e'
    """
    return _UNSEEN.sub(lambda found: ascii(found[0])[1:-1], text)


GAP = 2
"""Blanks between columns in a terminal."""


@dataclass(frozen=True)
class Column:
    """A column of a table, and how easily it can be spared where the table is too wide."""

    title: str
    rank: int = 0
    """Columns of the highest rank go first; those with 0 stay."""
    right: bool = True
    """Aligned to the right, as numbers are."""
    wrap: int = 0
    """If not 0, long texts are wrapped where the table is too wide, to no less than this."""


class Table:
    """Rows under titles, for a terminal, for Markdown and for HTML; None is an empty cell.

    A column given by its title alone holds words. HTML has the title above and the note below.

    >>> table = Table(["task", Column("seconds", rank=1)], [["parity", 1.5]])
    >>> print("\\n".join(table.terminal()))
    task    seconds
    parity      1.5
    >>> table.terminal(10), table.left_out(10)
    (['task', 'parity'], ['seconds'])
    >>> print(table.markdown())
    | task | seconds |
    |---|---|
    | parity | 1.5 |
    """

    def __init__(
        self,
        columns: Iterable[Column | str],
        rows: Iterable[Sequence[object]],
        *,
        title: str = "",
        note: str = "",
    ) -> None:
        self.columns = [each if isinstance(each, Column) else Column(each, right=False) for each in columns]
        self.rows = list(rows)
        self.title, self.note = title, note

    @property
    def titles(self) -> list[str]:
        return [column.title for column in self.columns]

    def fits(self, width: int) -> bool:
        """Whether all columns that must stay fit a terminal of this width."""
        sizes = self._sizes(shrunk=True)
        return (
            _total([size for size, column in zip(sizes, self.columns, strict=True) if not column.rank])
            <= width
        )

    def terminal(self, width: int | None = None) -> list[str]:
        """Lines of text, the titles first, with the columns that fit the width."""
        return [
            "".join(f"{before}{text}{after}" for before, text, after in line).rstrip()
            for line in self.laid_out(width)
        ]

    def left_out(self, width: int) -> list[str]:
        """The titles of the columns for which a terminal of this width has no room."""
        kept = self._kept(width)
        return [column.title for place, column in enumerate(self.columns) if place not in kept]

    def laid_out(self, width: int | None = None) -> Iterator[list[tuple[str, object, str]]]:
        """The lines of `terminal` in cells, each with the blanks before and after it."""
        kept, sizes = self._kept(width), self._sizes()
        if width is not None and (over := _total([sizes[place] for place in kept]) - width) > 0:
            for place in kept:
                if least := self.columns[place].wrap:
                    sizes[place] = max(min(least, sizes[place]), sizes[place] - over)
        for row in (self.titles, *self.rows):
            wrapped = [_wrapped(row[place], sizes[place], self.columns[place]) for place in kept]
            for number in range(max(map(len, wrapped), default=1)):
                line: list[tuple[str, object, str]] = []
                for place, parts in zip(kept, wrapped, strict=True):
                    cell = parts[number] if number < len(parts) else ""
                    room = " " * (sizes[place] - _size(cell))
                    gap = " " * GAP if place != kept[-1] else ""
                    right = self.columns[place].right
                    line.append((room if right else "", cell, gap if right else room + gap))
                yield line

    def markdown(self) -> str:
        """A table in Markdown, without a newline at its end."""
        rule = f"|{'---|' * len(self.columns)}"
        return "\n".join([_markdown_row(self.titles), rule, *map(_markdown_row, self.rows)])

    def html(self) -> str:
        """A table for notebooks; all text is escaped.

        >>> Table(["a"], [["<"]]).html()
        '<table><thead><tr><th>a</th></tr></thead><tbody><tr><td style="text-align:left">&lt;</td>...'
        >>> Table([], [[1, None]]).html()
        '<table><thead><tr></tr></thead><tbody><tr><td>1</td><td></td></tr></tbody></table>'
        """
        titles = "".join(f"<th>{escape(each)}</th>" for each in self.titles)
        rows = "".join(f"<tr>{''.join(map(_html_cell, row))}</tr>" for row in self.rows)
        above, below = (f"<p>{escape(text)}</p>" if text else "" for text in (self.title, self.note))
        return f"{above}<table><thead><tr>{titles}</tr></thead><tbody>{rows}</tbody></table>{below}"

    def _kept(self, width: int | None) -> list[int]:
        """The places of the columns that fit, the less important ones left out."""
        kept = list(range(len(self.columns)))
        if width is None:
            return kept
        sizes = self._sizes(shrunk=True)
        for place in sorted(kept, key=lambda place: -self.columns[place].rank):
            if not self.columns[place].rank or _total([sizes[each] for each in kept]) <= width:
                break
            kept.remove(place)
        return kept

    def _sizes(self, *, shrunk: bool = False) -> list[int]:
        """The width of each column; `shrunk`: with texts wrapped as far as they may be."""
        sizes = [
            max(_size(column.title), *(_size(row[place]) for row in self.rows), 0)
            for place, column in enumerate(self.columns)
        ]
        if not shrunk:
            return sizes
        return [min(size, column.wrap or size) for size, column in zip(sizes, self.columns, strict=True)]


def _wrapped(cell: object, size: int, column: Column) -> Sequence[object]:
    if not column.wrap or _size(cell) <= size:
        return ["" if cell is None else cell]
    import textwrap

    return textwrap.wrap(str(cell), size) or [""]


def _total(sizes: Sequence[int]) -> int:
    return sum(sizes) + GAP * (len(sizes) - 1)


def _size(cell: object) -> int:
    """In columns of a terminal: some characters take two, some none."""
    text = "" if cell is None else str(cell)
    if text.isascii():
        return len(text)
    from rich.cells import cell_len

    return cell_len(text)


def _markdown_row(cells: Iterable[object]) -> str:
    texts = ("" if cell is None else str(cell).replace("|", "\\|") for cell in cells)
    return f"| {' | '.join(texts)} |"


def _html_cell(value: object) -> str:
    if value is None:
        return "<td></td>"
    # Notebooks align to the right, which is for numbers; accuracies are text with a number in front.
    left = isinstance(value, str) and not value[:1].isdigit()
    style = ' style="text-align:left"' if left else ""
    return f"<td{style}>{escape(str(value))}</td>"


def html_listing(text: str, *, title: str = "") -> str:
    """Text as it stands, under a line of its own.

    >>> html_listing("a < b", title="mine")
    '<p>mine</p><pre>a &lt; b</pre>'
    """
    above = f"<p>{escape(title)}</p>" if title else ""
    return f"{above}<pre>{escape(text)}</pre>"
