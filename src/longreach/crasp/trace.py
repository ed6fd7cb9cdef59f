"""Tracing: the value of every operation at every position of one word."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Protocol

import numpy as np

from longreach.crasp.core import Core, is_boolean
from longreach.crasp.evaluate import BLOCK, Kernel, State, at_empty_word
from longreach.crasp.lowering import lower, raised
from longreach.crasp.printer import statement_text
from longreach.crasp.syntax import Statement
from longreach.crasp.words import Codes

WIDTH = 100
"""Characters of a line where no terminal says otherwise."""


class Lowered(Protocol):
    """A program: its statements, and their core operations."""

    @property
    def statements(self) -> tuple[Statement, ...]: ...

    @property
    def core(self) -> Core: ...


@dataclass(frozen=True, slots=True)
class Row:
    """One statement: its name, its text, and its value at each position."""

    name: str
    text: str
    is_boolean: bool
    is_result: bool
    values: tuple[bool | int, ...]


@dataclass(frozen=True, slots=True, repr=False)
class Trace:
    """A table of statements by positions. The empty word has the single position 0 and no token."""

    tokens: tuple[str, ...]
    positions: tuple[int, ...]
    rows: tuple[Row, ...]
    accepted: bool | None
    predicted: tuple[tuple[str, ...], ...]

    @property
    def cells(self) -> list[tuple[str, list[str]]]:
        """The table as text: positions, tokens, and each statement with its values."""
        found = [("", [str(position) for position in self.positions]), ("", list(self.tokens) or ["ε"])]
        for row in self.rows:
            shown = [("⊤" if value else "·") if row.is_boolean else str(value) for value in row.values]
            found.append((row.text, shown))
        return found

    def __repr__(self) -> str:
        cells = self.cells
        heads = max(len(head) for head, _ in cells)
        widths = widths_of(cells)
        blocks = []
        for columns in side_by_side(widths, WIDTH - heads - 1):
            lines = [
                " ".join([head.ljust(heads), *(values[k].rjust(widths[k]) for k in columns)]).rstrip()
                for head, values in cells
            ]
            blocks.append("\n".join(lines))
        verdict = [] if self.accepted is None else ["accept" if self.accepted else "reject"]
        return "\n".join(["\n\n".join(blocks), *verdict])

    def _repr_html_(self) -> str:
        (_, positions), (_, tokens), *rows = self.cells
        lines = [
            "".join(["<tr><th></th>", *(f"<th>{escape(cell)}</th>" for cell in cells), "</tr>"])
            for cells in (positions, tokens)
        ]
        for (head, cells), row in zip(rows, self.rows, strict=True):
            name = f"<b>{escape(head)}</b>" if row.is_result else escape(head)
            values = "".join(f"<td>{escape(cell)}</td>" for cell in cells)
            lines.append(f'<tr><td style="text-align:left"><code>{name}</code></td>{values}</tr>')
        verdict = "" if self.accepted is None else f"<p>{'accept' if self.accepted else 'reject'}</p>"
        return f"<table>{''.join(lines)}</table>{verdict}"


def widths_of(cells: Sequence[tuple[str, list[str]]]) -> list[int]:
    """The widths of the columns of a table."""
    return [max(len(values[k]) for _, values in cells) for k in range(len(cells[0][1]))]


def side_by_side(widths: Sequence[int], most: int) -> Iterator[range]:
    """As many columns, one space apart, as fit into so many characters, at least one; then the next.

    >>> list(side_by_side([1, 1, 3, 1], 4))
    [range(0, 2), range(2, 3), range(3, 4)]
    """
    start = 0
    while start < len(widths):
        end, used = start, 0
        while end < len(widths) and (end == start or used + widths[end] + 1 <= most):
            used += widths[end] + 1
            end += 1
        yield range(start, end)
        start = end


def values_of_all(core: Core, codes: Codes) -> list[list[bool | int]]:
    """Per operation its values at positions 1 … n, or at position 0 for the empty word."""
    if len(codes) == 0:
        return [[value] for value in at_empty_word(core)]
    everything = range(len(core.ops))
    kernel, state = Kernel(core, everything), State()
    rows: list[list[bool | int]] = [[] for _ in everything]
    for start in range(0, len(codes), BLOCK):
        block = codes[None, start : start + BLOCK]
        for index, value in kernel.advance(state, block).items():
            rows[index] += np.broadcast_to(value, block.shape)[0].tolist()
    return rows


def trace(program: Lowered, tokens: Sequence[str], codes: Codes, every_operation: bool = False) -> Trace:
    """The trace of a program on a word, per statement or per core operation.

    >>> from longreach.crasp import parse
    >>> from longreach.crasp.words import encode
    >>> program = parse('C = # "a"\\nP = C >= 2')
    >>> for row in trace(program, "aba", encode(program.core, "aba")).rows:
    ...     print(row.name, row.values)
    C (1, 1, 2)
    P (False, False, True)
    """
    core = program.core
    statements, names = program.statements, core.names
    if every_operation:
        # Raising keeps the operations, so that statement names lead to the same values.
        listing = raised(core)
        statements, names = listing.statements, lower(listing).names
    places = dict(names) | {f"output {symbol}": index for symbol, index in core.outputs}
    values = values_of_all(core, codes)
    rows = []
    for statement in statements:
        name = f"output {statement.name}" if statement.is_output else statement.name
        index = places[name]
        rows.append(
            Row(
                name,
                statement_text(statement),
                is_boolean(core.ops[index]),
                index in core.roots,
                tuple(values[index]),
            )
        )
    accepted = None if core.accept is None else bool(values[core.accept][-1])
    predicted = [
        tuple(symbol for symbol, index in core.outputs if values[index][at]) for at in range(len(tokens))
    ]
    positions = tuple(range(1, len(tokens) + 1)) or (0,)
    return Trace(tuple(tokens), positions, tuple(rows), accepted, tuple(predicted))


def to_html(traces: Sequence[tuple[str, Trace]], title: str) -> str:
    """One self-contained page with a table per trace, each under its heading."""
    import jinja2

    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(Path(__file__).parent),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.get_template("trace.html.jinja").render(traces=traces, title=title)
