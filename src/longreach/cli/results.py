"""`longreach results`: list, show, export and import runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from longreach.cli.options import DEFAULT_RUNS, JsonOption, RunsOption, flag, option
from longreach.cli.output import check_file, console, note, print_json, say, say_data, write_bytes
from longreach.errors import InputError, near_names
from longreach.wording import Column, Table, counted, visible

if TYPE_CHECKING:
    from longreach.runs.cells import Cell
    from longreach.runs.imported import ImportedRun
    from longreach.runs.index import Index, Row
    from longreach.training.result import Result

MOST_ROWS = 200  # more results are summed up


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
    from longreach.runs.cells import cells
    from longreach.runs.table import column_order
    from longreach.theory.names import TaskName

    found = cells(rows)
    shown = found[:MOST_ROWS]
    ranges = sorted({label for cell in shown for label in cell.ranges}, key=column_order)
    lines = []
    for cell in shown:
        key = cell.rows[0].key if len(cell.rows) == 1 else f"{cell.rows[0].key} …"
        counts = [len(cell.rows), len(cell.successful), len(cell.rows) - len(cell.finished)]
        words = [key, TaskName(cell.task).short, cell.encoding, *counts, f"{cell.seconds:.1f}"]
        lines.append([*words, *(_mean(cell, label) for label in ranges), _sure_of(cell)])
    columns = [
        Column("key", rank=1, right=False), Column("task", right=False), Column("model", right=False),
        Column("runs"), Column("learned", rank=3), Column("failed", rank=4), Column("seconds", rank=5),
        *_ranges(ranges), Column("sure", rank=1),
    ]  # fmt: skip
    console().table(_without_blanks(columns, lines))
    left = len(found) - len(shown)
    others = len(rows) - sum(len(cell.rows) for cell in found)
    note(
        f"{counted(len(rows), 'result')} of {counted(len(found), 'configuration')}, with the means of the "
        "runs that learned, or how many work where runs differ"
        + (f"; {counted(left, 'configuration')} not shown" if left else "")
        + (f"; {counted(others, 'result')} of no task and model" if others else "")
        + ": --all lists every result, --limit N the first N, --task and --encoding choose"
    )


def _mean(cell: Cell, label: str) -> str:
    """Over the runs that count, where all runs do the same thing; else how many work."""
    from longreach.runs.cells import ByAccuracy, known_chance
    from longreach.tasks.lengths import read_name

    span, spread = read_name(label), cell.accuracy.get(label)
    tally = None if span is None else cell.count(ByAccuracy(known_chance(cell.task)), span)
    if tally is not None and tally.is_mixed:
        return f"{tally.work} of {tally.runs} work"
    return "" if spread is None else f"{spread.mean:.1%}"


def _sure_of(cell: Cell) -> str:
    """How many runs are sure on the longest inputs; empty where no run has probing words there."""
    from longreach.runs.cells import ByAccuracy, known_chance

    tally = None if cell.tested is None else cell.count(ByAccuracy(known_chance(cell.task)), cell.tested)
    return f"{tally.sure} of {tally.probed}" if tally is not None and tally.probed else ""


def _without_blanks(columns: list[Column], lines: list[list[Any]]) -> Table:
    """The table without its last column where that is empty."""
    if any(line[-1] for line in lines):
        return Table(columns, lines)
    return Table(columns[:-1], [line[:-1] for line in lines])


def _ranges(names: list[str]) -> list[Column]:
    """The longest lengths tell most."""
    return [Column(name, rank=0 if name == names[-1] else 2) for name in names]


def name_of(row: Row) -> dict[str, Any]:
    """What tells a result from others."""
    from longreach.theory.names import TaskName

    task = None if row.task is None else TaskName(row.task).short
    return {"key": row.key, "task": task, "encoding": row.encoding, "seed": row.seed, "status": row.status}


def _print_rows(rows: list[Row]) -> None:
    from longreach.runs.cells import Cell
    from longreach.runs.table import column_order

    if not rows:
        return
    ranges = sorted({label for row in rows for label in row.accuracy}, key=column_order)
    lines = []
    for row in rows:
        seconds = "" if row.seconds is None else f"{row.seconds:.1f}"
        accuracies = [f"{row.accuracy[label]:.1%}" if label in row.accuracy else "" for label in ranges]
        sure = {"1 of 1": "yes", "0 of 1": "no"}.get(_sure_of(Cell.of(row.config, [row])), "")
        lines.append([*name_of(row).values(), row.steps, seconds, *accuracies, sure])
    all_done = all(row.status == "done" for row in rows)
    columns = [
        Column("key", rank=1, right=False),
        Column("task", right=False), Column("model", right=False), Column("seed", rank=1, right=False),
        Column("status", rank=3 if all_done else 0, right=False),
        Column("steps", rank=4), Column("seconds", rank=5),
        *_ranges(ranges), Column("sure", rank=1),
    ]  # fmt: skip
    console().table(_without_blanks(columns, lines))


def imported_runs(runs: Path) -> tuple[ImportedRun, ...]:
    """The imported runs; where their file is damaged, a line says so."""
    from longreach.runs.imported import read_imported

    try:
        return read_imported(runs)
    except InputError as error:
        note(f"skipped: {visible(error.message)}")
        return ()


def name_of_imported(run: ImportedRun) -> dict[str, Any]:
    """The same of a run that was measured elsewhere."""
    from longreach.theory.names import TaskName

    named = {"key": run.key, "task": TaskName(run.task).short, "encoding": run.encoding, "seed": run.seed}
    return {**named, "status": "imported"}


def _print_imported(found: Sequence[ImportedRun], limit: int | None) -> None:
    """A table of its own below that of the results."""
    from longreach.runs.table import column_order
    from longreach.theory.names import TaskName

    if not found:
        return
    shown = found[: limit or MOST_ROWS]
    ranges = sorted({label for run in shown for label in run.accuracy}, key=column_order)
    lines = [
        [run.key, TaskName(run.task).short, run.model, run.encoding, run.seed, run.trained_to]
        + [f"{run.accuracy[label]:.1%}" if label in run.accuracy else "" for label in ranges]
        for run in shown
    ]
    columns = [
        Column("imported", rank=2, right=False), Column("task", right=False), Column("model", right=False),
        Column("encoding", rank=3, right=False), Column("seed", rank=1, right=False),
        Column("trained to", rank=4), *_ranges(ranges),
    ]  # fmt: skip
    out = console()
    out.print()
    out.table(Table(columns, lines))
    more = f", the first {len(shown)} shown" if len(shown) < len(found) else ""
    note(f"{counted(len(found), 'run')} measured elsewhere and imported{more}; not counted above")


def import_results(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A .csv or .jsonl file.")],
    runs: RunsOption = DEFAULT_RUNS,
    as_json: JsonOption = False,
) -> None:
    """Import accuracies that were measured elsewhere.

    The columns are task, model, encoding (may be empty), seed, trained_to, length (a number, or a range such
    as 41-60) and accuracy (from 0 to 1). Imported runs are listed and reported apart from your own, and never
    counted among them. Importing a file again changes nothing.

    Example: longreach results import measured.csv
    """
    from longreach.runs.imported import import_file

    found = import_file(file, runs)
    if as_json:
        documents = [run.document() for run in found.runs]
        print_json({"added": found.added, "known": found.known, "runs": documents})
    else:
        say(found.words)


def one_key(key: str, known: list[str], none: str) -> str:
    """The one key that begins so."""
    found = [key] if key in known else [name for name in known if key and name.startswith(key)]
    if not found:
        raise InputError(f"KEY: {none}{near_names(key, known)}")
    if len(found) > 1:
        more = ", …" if len(found) > 5 else ""
        raise InputError(f"KEY: {key!r} is the beginning of {', '.join(found[:5])}{more}")
    return found[0]


SHOWN_EVALUATIONS = 10
MOST_DAMAGED = 20


class State(StrEnum):
    done = "done"
    failed = "failed"
    damaged = "damaged"


@dataclass(frozen=True)
class Only:
    """Which results, as options."""

    task: Annotated[str | None, option("Only results of this task.", "NAME")] = None
    encoding: Annotated[str | None, option("Only results with this positional encoding.", "NAME")] = None
    status: Annotated[State | None, option("Only results with this status.")] = None

    def rows(self, index: Index) -> list[Row]:
        """Damaged results only where they are asked for."""
        task = self.task
        if task is not None:
            from longreach.tasks.catalog import stored_as

            task = stored_as(task, index.names("task"))
        status = self.status
        found = index.rows(task=task, encoding=self.encoding, status=None if status is None else status.value)
        return [row for row in found if status is State.damaged or row.status != "damaged"]

    def imported(self, index: Index) -> list[ImportedRun]:
        """Those of the task and encoding; none where a status of own results is asked for."""
        from longreach.tasks.catalog import stored_as

        if self.status is not None:
            return []
        found = imported_runs(index.runs)
        task = None if self.task is None else stored_as(self.task, {run.task for run in found})
        return [run for run in found if task in (None, run.task) and self.encoding in (None, run.encoding)]

    def hint(self, index: Index) -> str:
        """What may have been meant, when a name that was asked for is not there."""
        if self.task is not None and self.task not in (known := index.names("task")):
            return f" of the task {self.task!r}{near_names(self.task, known)}"
        if self.encoding is not None and self.encoding not in (known := index.names("encoding")):
            return f" with the encoding {self.encoding!r}{near_names(self.encoding, known)}"
        return ""


EVERY = Only()


def list_results(
    only: Only = EVERY,
    every: Annotated[bool, flag("--all", f"Every result, even more than {MOST_ROWS}.")] = False,
    limit: Annotated[int | None, option("The first N results.", "N", min=1)] = None,
    rebuild: Annotated[
        bool, flag("--rebuild", "First rebuild the index and remove half-written files.")
    ] = False,
    runs: RunsOption = DEFAULT_RUNS,
    as_json: JsonOption = False,
) -> None:
    """List results with their accuracies by length.

    More than 200 are summarized by configuration, unless --all or --limit is given; --json has them all.
    Damaged results are named and skipped. A run is sure when it works on random words of the longest lengths,
    and on the probing words of the loop, or kind, it does worst on.

    Example: longreach results list --task parity --status done
    """
    from longreach.runs.cells import range_shares, sure_at
    from longreach.runs.index import read_index, write_index
    from longreach.training.result import clean

    if rebuild:
        removed = clean(runs)
        if removed:
            note(f"{counted(removed, 'half-written file')} removed")
    with write_index(runs) if rebuild else read_index(runs) as index:
        rows, imported = only.rows(index), only.imported(index)
        if as_json:
            shown = rows if limit is None else rows[:limit]
            listed = [
                {field.name: getattr(row, field.name) for field in fields(row)}
                | {"model": row.model, "encoding": row.positions}
                | {"probing": range_shares(row, "probing"), "worst_loop": range_shares(row, "worst loop")}
                | {"flow": range_shares(row, "flow"), "sure": sure_at(row)}
                for row in shown
            ]
            elsewhere = [run.document() for run in imported[:limit]]
            print_json({"runs": listed, "imported": elsewhere, **_aside(index)})
            return
        print_listing(rows, every, limit)
        _print_imported(imported, len(imported) if every else limit)
        if not rows and not imported:
            note(f"no results{only.hint(index)}")
        if only.status is not State.damaged:
            _report(index)


def _aside(index: Index) -> dict[str, Any]:
    damaged = index.rows(status="damaged")
    return {
        "damaged": [{"directory": row.key, "problem": row.error} for row in damaged],
        "unfinished": list(index.unfinished),
    }


def _report(index: Index) -> None:
    damaged = index.rows(status="damaged")
    for row in damaged[:MOST_DAMAGED]:
        note(f"skipped: {visible(row.error or '')}")
    if len(damaged) > MOST_DAMAGED:
        note(f"skipped: {len(damaged) - MOST_DAMAGED} more (--status damaged --all lists them)")
    if index.unfinished:
        note(f"unfinished: {len(index.unfinished)}")


def show(
    key: Annotated[str, typer.Argument(metavar="KEY", help="The key of a result, or its beginning.")],
    runs: RunsOption = DEFAULT_RUNS,
    as_json: JsonOption = False,
) -> None:
    """Show one result: configuration, versions, all numbers.

    Example: longreach results show 3f2a
    """
    from longreach.training.result import check_directory, entries, read_file

    found = {entry.name: entry for entry in entries(check_directory(runs))}
    imported = {run.key: run for run in imported_runs(runs)}
    name = one_key(key, [*found, *imported], f"no result {key!r} in {runs}")
    if name in imported:
        _show_imported(imported[name], as_json)
        return
    entry = found[name]
    if entry.stamp is None:
        raise InputError(entry.problem or f"KEY: {entry.name} has no result yet")
    result = read_file(entry.file)
    if as_json:
        from pydantic_core import to_jsonable_python

        print_json(to_jsonable_python(result.model_dump()))
    else:
        _print_result(result)


def _show_imported(run: ImportedRun, as_json: bool) -> None:
    if as_json:
        print_json(run.document())
        return
    lines = [f"{run.key}  imported: measured elsewhere"]
    said = {"task": run.task, "model": run.model, "encoding": run.encoding, "seed": run.seed}
    said["trained to"] = run.trained_to
    lines += [f"  {name:<11} {visible(str(value))}" for name, value in said.items() if value is not None]
    lines.append("  accuracy    " + ", ".join(f"{name} {share:.2%}" for name, share in run.accuracy.items()))
    for line in lines:
        console().text(line)


def _print_result(result: Result) -> None:
    import json

    lines = [f"{result.key}  {result.status}"]
    if result.error is not None:
        lines += [f"  {visible(line)}" for line in result.error.splitlines()]
    started = result.timings.started.isoformat(sep=" ", timespec="seconds")
    lines += [f"  started   {started}", f"  seconds   {result.timings.seconds:.1f}"]
    lines += [f"    {visible(name)} {seconds:.1f}" for name, seconds in result.timings.parts.items()]
    lines.append(f"  device    {visible(result.device or 'unknown')}")
    packages = ", ".join(f"{name} {version}" for name, version in result.packages.items())
    lines.append(f"  code      {visible(result.code)}{' with ' if packages else ''}{visible(packages)}")
    lines.append("  config")
    lines += [f"    {visible(name)}: {json.dumps(value)}" for name, value in result.config.items()]
    if result.final is not None:
        final = result.final
        reached = {True: ", 100 % in distribution", False: ", not 100 % in distribution", None: ""}
        stopped = final.details.get("stopped")  # at a loss, where answers are numbers
        end = f", stopped at {visible(str(stopped))}" if stopped else reached[final.reached]
        lines.append(f"  final     {final.steps} steps{end}")
        lines += [f"    {line}" for line in _number_lines(final)]
    if result.checkpoints:
        lines.append(f"  checkpoints {visible(', '.join(result.checkpoints))}")
    if count := len(result.rows):
        left_out = f", the last {SHOWN_EVALUATIONS} (--json has all)"
        lines.append(f"  evaluations {count}{left_out if count > SHOWN_EVALUATIONS else ''}")
        for row in result.rows[-SHOWN_EVALUATIONS:]:
            lines.append(f"    step {row.step}: {'; '.join(_number_lines(row))}")
    out = console()
    for line in lines:
        out.text(line)


def _number_lines(numbers: Any) -> list[str]:
    from longreach.runs.table import column_order

    def per_range(kind: dict[str, float], shape: str) -> str:
        labels = sorted(kind, key=column_order)
        return ", ".join(f"{visible(label)} {kind[label]:{shape}}" for label in labels)

    lines = [] if numbers.loss is None else [f"loss {numbers.loss:.4g}"]
    for title, kind, shape in (
        ("accuracy", numbers.accuracy, ".2%"),
        ("at random offsets", numbers.accuracy_random_offset, ".2%"),
        ("other", numbers.other, ".4g"),
    ):
        lines += [f"{title} {per_range(kind, shape)}"] if kind else []
    return lines


def rebuild_index(runs: RunsOption = DEFAULT_RUNS, as_json: JsonOption = False) -> None:
    """Rebuild the index from the result files and remove half-written ones: `results list --rebuild`.

    Example: longreach results index --runs runs
    """
    from longreach.runs.index import write_index
    from longreach.training.result import clean

    removed = clean(runs)
    with write_index(runs) as index:
        rows = index.rows()
        counts = {state.value: sum(row.status == state.value for row in rows) for state in State}
        if as_json:
            kept = {"index": str(index.path), "done": counts["done"], "failed": counts["failed"]}
            print_json({**kept, **_aside(index), "removed": removed})
            return
        _report(index)
        drafts = f", {counted(removed, 'half-written file')} removed" if removed else ""
        states = ", ".join(f"{count} {name}" for name, count in counts.items())
        console().text(f"{index.path}: {states}{drafts}")


def export(
    out: Annotated[
        Path | None, option("A .csv or .parquet file. Default: CSV on standard output.", "FILE")
    ] = None,
    evaluations: Annotated[
        bool, flag("--evaluations", "One row per evaluation during training, instead of per run.")
    ] = False,
    only: Only = EVERY,
    runs: RunsOption = DEFAULT_RUNS,
    as_json: JsonOption = False,
) -> None:
    """Export final numbers and settings, or all evaluations.

    As a table, with a row for each run or each evaluation.

    Example: longreach results export --out results.csv
    """
    from longreach.runs.index import read_index
    from longreach.runs.table import csv_text, evaluations_of, parquet_bytes, table_of
    from longreach.training.result import read_result

    suffix = ".csv" if out is None else out.suffix.lower()
    check_file(out, "--out", (".csv", ".parquet"))
    with read_index(runs) as index:
        rows = only.rows(index)
        whole = (read_result(runs, row.key) for row in rows if row.status != "damaged")
        table = evaluations_of(whole) if evaluations else table_of(rows, only.imported(index))
        if out is not None:
            content = csv_text(table).encode() if suffix == ".csv" else parquet_bytes(table)
            write_bytes(out, content)
        if as_json:
            records = {"out": str(out), "records": len(table.records)}
            if out is None:
                records = {"columns": list(table.columns), "records": table.records}
            print_json({**records, **_aside(index)})
            return
        if out is None:
            say_data(csv_text(table))
        _report(index)
        if out is not None:
            note(f"wrote {out}")
