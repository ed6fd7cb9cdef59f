"""Tables that fit the terminal: where it is narrow, whole columns are left out, never letters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from longreach.cli.output import console, note

GAP = 2  # between columns


@dataclass(frozen=True)
class Column:
    """A column, and how easily it can be spared."""

    title: str
    rank: int = 0
    """Columns with the highest rank go first; those with 0 stay."""
    right: bool = True
    """Whether it is set to the right, as numbers are."""


def kept_columns(columns: Sequence[Column], lines: Sequence[Sequence[str]], width: int) -> list[int]:
    """The places of the columns that fit, the less important ones left out.

    >>> columns = [Column("task"), Column("seconds", rank=2), Column("steps", rank=1)]
    >>> kept_columns(columns, [["parity", "1.5", "100"]], width=14)
    [0, 2]
    """
    sizes = _sizes(columns, lines)
    kept = list(range(len(columns)))
    for place in sorted(kept, key=lambda place: -columns[place].rank):
        if not columns[place].rank or _total([sizes[each] for each in kept]) <= width:
            break
        kept.remove(place)
    return kept


def fits(columns: Sequence[Column], lines: Sequence[Sequence[str]], width: int) -> bool:
    """Whether all columns that must stay fit."""
    sizes = _sizes(columns, lines)
    return _total([size for size, column in zip(sizes, columns, strict=True) if not column.rank]) <= width


def print_fitted(columns: Sequence[Column], lines: Sequence[Sequence[str]]) -> None:
    """Print a table, in a terminal with the columns that fit; those that do not are named."""
    out = console()
    kept, sizes = kept_columns(columns, lines, out.width), _sizes(columns, lines)
    titles = [column.title for column in columns]
    for number, line in enumerate([titles, *lines]):
        cells = []
        for place in kept:
            room = " " * (sizes[place] - _size(line[place]))
            cells.append(room + line[place] if columns[place].right else line[place] + room)
        text = (" " * GAP).join(cells).rstrip()
        out.print(text, style="bold" if not number else None, markup=False, highlight=False)
    left_out = [column.title for place, column in enumerate(columns) if place not in kept]
    if left_out:
        note(f"no room for: {', '.join(left_out)}")


def _sizes(columns: Sequence[Column], lines: Sequence[Sequence[str]]) -> list[int]:
    return [
        max(_size(column.title), *(_size(line[place]) for line in lines), 0)
        for place, column in enumerate(columns)
    ]


def _total(sizes: Sequence[int]) -> int:
    return sum(sizes) + GAP * (len(sizes) - 1)


def _size(text: str) -> int:
    """In columns of a terminal: some characters take two, some none."""
    if text.isascii():
        return len(text)
    from rich.cells import cell_len

    return cell_len(text)
