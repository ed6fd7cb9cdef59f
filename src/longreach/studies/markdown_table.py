"""A table in Markdown, for the files of studies."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def markdown_table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    r"""The lines of a table; an expression may have what separates columns.

    >>> print("\n".join(markdown_table(["language", "works"], [["a|b", "yes"]])))
    | language | works |
    |---|---|
    | a\|b | yes |
    """
    return [_line(head), f"|{'---|' * len(head)}", *map(_line, rows)]


def _line(cells: Sequence[str]) -> str:
    escaped = [cell.replace("|", "\\|") for cell in cells]
    return f"| {' | '.join(escaped)} |"
