"""Words that depend on a number, and small HTML tables for notebooks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

# Words that depend on a number.


def counted(number: int, noun: str) -> str:
    """A number of things.

    >>> counted(1, "run"), counted(2, "run")
    ('1 run', '2 runs')
    """
    return f"{number} {noun}{'' if number == 1 else 's'}"


# HTML for notebooks: small tables of text that is always escaped.


def html_table(
    head: Sequence[str], rows: Iterable[Sequence[object]], *, title: str = "", note: str = ""
) -> str:
    """A table with a line above and a line below it, if there are any; None is an empty cell.

    >>> table(["a"], [[1], [None]])
    '<table><thead><tr><th>a</th></tr></thead><tbody><tr><td>1</td></tr><tr><td></td></tr></tbody></table>'
    >>> table([], [["<"]])
    '<table><thead><tr></tr></thead><tbody><tr><td style="text-align:left">&lt;</td></tr></tbody></table>'
    """
    titles = "".join(f"<th>{escape(each)}</th>" for each in head)
    cells = "".join(f"<tr>{''.join(map(_html_cell, row))}</tr>" for row in rows)
    above = f"<p>{escape(title)}</p>" if title else ""
    below = f"<p>{escape(note)}</p>" if note else ""
    return f"{above}<table><thead><tr>{titles}</tr></thead><tbody>{cells}</tbody></table>{below}"


def _html_cell(value: object) -> str:
    if value is None:
        return "<td></td>"
    # Notebooks align to the right, which is for numbers; accuracies are text with a number in front.
    left = isinstance(value, str) and not value[:1].isdigit()
    style = ' style="text-align:left"' if left else ""
    return f"<td{style}>{escape(str(value))}</td>"


def html_listing(text: str, *, title: str = "") -> str:
    """Text as it stands, under a line of its own.

    >>> listing("a < b", title="mine")
    '<p>mine</p><pre>a &lt; b</pre>'
    """
    above = f"<p>{escape(title)}</p>" if title else ""
    return f"{above}<pre>{escape(text)}</pre>"
