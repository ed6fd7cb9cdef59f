"""Tracing: the value of every operation at every position of one word."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from longreach.crasp.core import Core, is_boolean
from longreach.crasp.evaluate import BLOCK, Kernel, State, at_empty_word
from longreach.crasp.printer import statement_text
from longreach.crasp.program import Program, raise_core
from longreach.crasp.words import Codes


@dataclass(frozen=True, slots=True)
class Row:
    """One statement: its name, its text, and its value at each position."""

    name: str
    text: str
    is_boolean: bool
    is_result: bool
    values: tuple[bool | int, ...]


@dataclass(frozen=True, slots=True)
class Trace:
    """A table of statements by positions. The empty word has the single position 0 and no token."""

    tokens: tuple[str, ...]
    positions: tuple[int, ...]
    rows: tuple[Row, ...]
    accepted: bool | None
    predicted: tuple[tuple[str, ...], ...]


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


def trace(program: Program, tokens: Sequence[str], codes: Codes, every_operation: bool = False) -> Trace:
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
    shown = raise_core(core) if every_operation else program
    # Raising keeps the operations, so that statement names lead to the same values.
    places = dict(shown.core.names) | {f"output {symbol}": index for symbol, index in core.outputs}
    values = values_of_all(core, codes)
    rows = []
    for statement in shown.statements:
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
