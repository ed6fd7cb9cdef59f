"""Results as tables for people: one by one, or many summed up by configuration."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from longreach.cli.fitted_table import Column, print_fitted
from longreach.cli.output import note
from longreach.wording import counted

if TYPE_CHECKING:
    from longreach.results.cells import Cell
    from longreach.results.index import Row

MOST_ROWS = 200  # more results are summed up


def printable(text: str) -> str:
    """Text from a file without what a terminal would act on."""
    return "".join(char if char.isprintable() else f"\\x{ord(char):02x}" for char in text)


def print_listing(rows: list[Row], every: bool, limit: int | None) -> None:
    """The results that were asked for; many are summed up."""
    if limit is not None and len(rows) > limit:
        _print_rows(rows[:limit])
        note(f"the first {limit} of {len(rows)} results; --all lists every one")
    elif every or limit is not None or len(rows) <= MOST_ROWS:
        _print_rows(rows)
    else:
        _print_cells(rows)


def _print_cells(rows: list[Row]) -> None:
    """A line per configuration: how many runs, how many learned, the means of those that count."""
    from longreach.config.task_name import TaskName
    from longreach.results.cells import cells
    from longreach.results.table import column_order

    found = cells(rows)
    shown = found[:MOST_ROWS]
    ranges = sorted({label for cell in shown for label in cell.ranges}, key=column_order)
    lines = []
    for cell in shown:
        key = cell.rows[0].key if len(cell.rows) == 1 else f"{cell.rows[0].key} …"
        counts = [len(cell.rows), len(cell.successful), len(cell.rows) - len(cell.finished)]
        words = [key, TaskName(cell.task).short, cell.encoding, *counts, f"{cell.seconds:.1f}"]
        lines.append([*words, *(_mean(cell, label) for label in ranges)])
    columns = [
        Column("key", rank=2, right=False),
        *(Column(title, right=False) for title in ("task", "encoding")),
        Column("runs"), Column("learned", rank=3), Column("failed", rank=4), Column("seconds", rank=5),
        *_ranges(ranges),
    ]  # fmt: skip
    _print_table(columns, lines)
    left = len(found) - len(shown)
    others = len(rows) - sum(len(cell.rows) for cell in found)
    note(
        f"{counted(len(rows), 'result')} of {counted(len(found), 'configuration')}, with the means of the "
        "runs that learned, or how many work where runs differ"
        + (f"; {counted(left, 'configuration')} not shown" if left else "")
        + (f"; {counted(others, 'result')} of no task and encoding" if others else "")
        + ": --all lists every result, --limit N the first N, --task and --encoding choose"
    )


def _mean(cell: Cell, label: str) -> str:
    """Over the runs that count, where all runs do the same thing; else how many work."""
    from longreach.comparison.tally import Tally, known_chance
    from longreach.config.length_range import read_name

    span, spread = read_name(label), cell.accuracy.get(label)
    tally = None if span is None else Tally.of(cell.rows, span, known_chance(cell.task))
    if tally is not None and tally.is_mixed:
        return f"{tally.work} of {tally.runs} work"
    return "" if spread is None else f"{spread.mean:.1%}"


def _ranges(names: list[str]) -> list[Column]:
    """The longest lengths tell most."""
    return [Column(name, rank=0 if name == names[-1] else 1) for name in names]


def _print_rows(rows: list[Row]) -> None:
    from longreach.config.task_name import TaskName
    from longreach.results.table import column_order

    if not rows:
        return
    ranges = sorted({label for row in rows for label in row.accuracy}, key=column_order)
    lines = []
    for row in rows:
        seconds = "" if row.seconds is None else f"{row.seconds:.1f}"
        accuracies = [f"{row.accuracy[label]:.1%}" if label in row.accuracy else "" for label in ranges]
        task = None if row.task is None else TaskName(row.task).short
        texts = [row.key, task, row.encoding, row.seed, row.status, row.steps, seconds, *accuracies]
        lines.append(texts)
    all_done = all(row.status == "done" for row in rows)
    columns = [
        Column("key", rank=2, right=False),
        *(Column(title, right=False) for title in ("task", "encoding", "seed")),
        Column("status", rank=3 if all_done else 0, right=False),
        Column("steps", rank=4), Column("seconds", rank=5),
        *_ranges(ranges),
    ]  # fmt: skip
    _print_table(columns, lines)


def _print_table(columns: list[Column], lines: list[list[Any]]) -> None:
    """In a terminal what fits; long tables without the care that takes seconds."""
    cells = [["" if text is None else printable(str(text)) for text in line] for line in lines]
    if len(lines) <= MOST_ROWS:
        print_fitted(columns, cells)
        return
    titles = [column.title for column in columns]
    widths = [max(map(len, column)) for column in zip(titles, *cells, strict=True)]
    for line in (titles, *cells):
        placed = [
            text.rjust(width) if column.right else text.ljust(width)
            for text, width, column in zip(line, widths, columns, strict=True)
        ]
        print("  ".join(placed).rstrip())
