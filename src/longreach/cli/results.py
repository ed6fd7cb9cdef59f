"""`longreach results`: list, show, index, export and remove what has been run."""

from __future__ import annotations

from dataclasses import fields
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from longreach.cli.output import (
    console,
    note,
    print_document,
    print_json,
    say_data,
    write_bytes,
)
from longreach.cli.remove_results import remove
from longreach.cli.results_listing import MOST_ROWS, print_listing, printable
from longreach.cli.shared_options import DEFAULT_RUNS, JsonOption, RunsOption
from longreach.errors import InputError, near_names
from longreach.wording import counted

if TYPE_CHECKING:
    from longreach.results.index import Index, Row
    from longreach.results.schema import Result

app = typer.Typer(
    help="List, show, index, export and remove what has been run.\n\nExample: longreach results list"
)

Task = Annotated[str | None, typer.Option(metavar="NAME", help="Only results of this task.")]
Encoding = Annotated[
    str | None, typer.Option(metavar="NAME", help="Only results with this positional encoding.")
]
SHOWN_EVALUATIONS = 10
MOST_DAMAGED = 20


class State(StrEnum):
    done = "done"
    failed = "failed"
    damaged = "damaged"


Status = Annotated[State | None, typer.Option(help="Only results with this status.")]


@app.callback(invoke_without_command=True)
def _group(context: typer.Context) -> None:
    if context.invoked_subcommand is None:
        print(context.get_help(), end="")


@app.command("list")
def list_command(
    task: Task = None,
    encoding: Encoding = None,
    status: Status = None,
    every: Annotated[
        bool, typer.Option("--all", help=f"Every result, also where there are more than {MOST_ROWS}.")
    ] = False,
    limit: Annotated[int | None, typer.Option(metavar="N", min=1, help="The first N results.")] = None,
    runs: RunsOption = DEFAULT_RUNS,
    as_json: JsonOption = False,
) -> None:
    """List the results with their accuracies per range of lengths; damaged ones are named and skipped.

    Many results are summed up by configuration, unless --all or --limit says otherwise; --json has them all.

    Example: longreach results list --task parity --status done
    """
    from longreach.results.index import read_index

    with read_index(runs) as index:
        rows = _asked(index, task, encoding, status)
        damaged = _damaged(index)
        if as_json:
            shown = rows if limit is None else rows[:limit]
            print_json({"runs": [_finite(_fields(row)) for row in shown], **_aside(index, damaged)})
            return
        print_listing(rows, every, limit)
        if not rows:
            note(f"no results{_hint(index, task, encoding)}")
        if status is not State.damaged:
            _report(index, damaged)


def _asked(index: Index, task: str | None, encoding: str | None, status: State | None) -> list[Row]:
    if task is not None:
        from longreach.tasks.catalog import stored_as

        task = stored_as(task, index.names("task"))
    found = index.rows(task=task, encoding=encoding, status=None if status is None else status.value)
    return found if status is State.damaged else [row for row in found if row.status != "damaged"]


def _damaged(index: Index) -> list[Row]:
    return index.rows(status="damaged")


def _aside(index: Index, damaged: list[Row]) -> dict[str, Any]:
    return {
        "damaged": [{"directory": row.key, "problem": row.error} for row in damaged],
        "unfinished": list(index.unfinished),
    }


def _hint(index: Index, task: str | None, encoding: str | None) -> str:
    """What may have been meant, when a name that was asked for is not there."""
    if task is not None and task not in (known := index.names("task")):
        return f" of the task {task!r}{near_names(task, known)}"
    if encoding is not None and encoding not in (known := index.names("encoding")):
        return f" with the encoding {encoding!r}{near_names(encoding, known)}"
    return ""


def _fields(row: Row) -> dict[str, Any]:
    return {field.name: getattr(row, field.name) for field in fields(row)}


def _report(index: Index, damaged: list[Row]) -> None:
    for row in damaged[:MOST_DAMAGED]:
        note(f"skipped: {printable(row.error or '')}")
    if len(damaged) > MOST_DAMAGED:
        note(f"skipped: {len(damaged) - MOST_DAMAGED} more (--status damaged --all lists them)")
    if index.unfinished:
        note(f"unfinished: {len(index.unfinished)}")


def _finite(value: Any) -> Any:
    """JSON has no NaN: such numbers become strings, as in the files."""
    if isinstance(value, float) and value - value != 0:
        return {"nan": "NaN", "inf": "Infinity", "-inf": "-Infinity"}[str(value)]
    if isinstance(value, dict):
        return {name: _finite(entry) for name, entry in value.items()}
    return [_finite(entry) for entry in value] if isinstance(value, list | tuple) else value


@app.command()
def show(
    key: Annotated[str, typer.Argument(metavar="KEY", help="The key of a result, or its beginning.")],
    runs: RunsOption = DEFAULT_RUNS,
    as_json: JsonOption = False,
) -> None:
    """Show one result: configuration, versions, evaluations, final numbers.

    Example: longreach results show 3f2a
    """
    from longreach.results.files import candidates, check_directory, read_file

    found = {candidate.name: candidate for candidate in candidates(check_directory(runs))}
    names = [key] if key in found else [name for name in found if key and name.startswith(key)]
    if not names:
        raise InputError(f"KEY: no result {key!r} in {runs}{near_names(key, found)}")
    if len(names) > 1:
        more = ", …" if len(names) > 5 else ""
        raise InputError(f"KEY: {key!r} is the beginning of {', '.join(names[:5])}{more}")
    candidate = found[names[0]]
    if candidate.stamp is None:
        raise InputError(candidate.problem or f"KEY: {candidate.name} has no result yet")
    result = read_file(candidate.file)
    if as_json:
        print_document(result.model_dump_json())
    else:
        _print_result(result)


def _print_result(result: Result) -> None:
    import json

    lines = [f"{result.key}  {result.status}"]
    if result.error is not None:
        lines += [f"  {printable(line)}" for line in result.error.splitlines()]
    started = result.timings.started.isoformat(sep=" ", timespec="seconds")
    lines += [f"  started   {started}", f"  seconds   {result.timings.seconds:.1f}"]
    lines += [f"    {printable(name)} {seconds:.1f}" for name, seconds in result.timings.parts.items()]
    lines.append(f"  device    {printable(result.device or 'unknown')}")
    packages = ", ".join(f"{name} {version}" for name, version in result.packages.items())
    lines.append(f"  code      {printable(result.code)}{' with ' if packages else ''}{printable(packages)}")
    lines.append("  config")
    lines += [f"    {printable(name)}: {json.dumps(value)}" for name, value in result.config.items()]
    if result.final is not None:
        final = result.final
        reached = {True: ", 100 % in distribution", False: ", not 100 % in distribution", None: ""}
        stopped = final.details.get("stopped")  # at a loss, where answers are numbers
        end = f", stopped at {printable(str(stopped))}" if stopped else reached[final.reached]
        lines.append(f"  final     {final.steps} steps{end}")
        lines += [f"    {line}" for line in _number_lines(final)]
    if result.checkpoints:
        lines.append(f"  checkpoints {printable(', '.join(result.checkpoints))}")
    if result.rows:
        lines.append(f"  evaluations {len(result.rows)}" + _left_out(len(result.rows)))
        for row in result.rows[-SHOWN_EVALUATIONS:]:
            lines.append(f"    step {row.step}: {'; '.join(_number_lines(row))}")
    out = console()
    for line in lines:
        out.print(line, markup=False)


def _left_out(count: int) -> str:
    return f", the last {SHOWN_EVALUATIONS} (--json has all)" if count > SHOWN_EVALUATIONS else ""


def _number_lines(numbers: Any) -> list[str]:
    from longreach.results.table import column_order

    def per_range(kind: dict[str, float], shape: str) -> str:
        labels = sorted(kind, key=column_order)
        return ", ".join(f"{printable(label)} {kind[label]:{shape}}" for label in labels)

    lines = [] if numbers.loss is None else [f"loss {numbers.loss:.4g}"]
    for title, kind, shape in (
        ("accuracy", numbers.accuracy, ".2%"),
        ("at random offsets", numbers.accuracy_random_offset, ".2%"),
        ("other", numbers.other, ".4g"),
    ):
        lines += [f"{title} {per_range(kind, shape)}"] if kind else []
    return lines


@app.command("index")
def index_command(runs: RunsOption = DEFAULT_RUNS, as_json: JsonOption = False) -> None:
    """Build the index anew from the result files, and remove what killed jobs left half-written.

    Example: longreach results index --runs runs
    """
    from longreach.results.files import clean
    from longreach.results.index import open_index

    removed = clean(runs)
    with open_index(runs, rebuild=True) as index:
        rows, damaged = index.rows(), _damaged(index)
        counts = {state.value: sum(row.status == state.value for row in rows) for state in State}
        document = {
            "index": str(index.path), "done": counts["done"], "failed": counts["failed"],
            **_aside(index, damaged), "removed": removed,
        }  # fmt: skip
        if as_json:
            print_json(document)
            return
        _report(index, damaged)
        drafts = f", {counted(removed, 'half-written file')} removed" if removed else ""
        states = ", ".join(f"{count} {name}" for name, count in counts.items())
        console().print(f"{index.path}: {states}{drafts}", markup=False)


@app.command()
def export(
    out: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="A .csv or .parquet file. Default: CSV on standard output."),
    ] = None,
    evaluations: Annotated[
        bool, typer.Option("--evaluations", help="A line per evaluation on the way, not per result.")
    ] = False,
    task: Task = None,
    encoding: Encoding = None,
    status: Status = None,
    runs: RunsOption = DEFAULT_RUNS,
    as_json: JsonOption = False,
) -> None:
    """Export final numbers and configurations, or all evaluations, as a table.

    Example: longreach results export --out results.csv
    """
    from longreach.results.files import read_result
    from longreach.results.index import read_index
    from longreach.results.table import csv_text, evaluations_of, parquet_bytes, table_of

    suffix = ".csv" if out is None else out.suffix.lower()
    if suffix not in (".csv", ".parquet"):
        raise InputError(f"--out: {out}: must end in .csv or .parquet")
    if out is not None and not out.parent.is_dir():
        raise InputError(f"--out: {out}: no such directory")
    with read_index(runs) as index:
        rows, damaged = _asked(index, task, encoding, status), _damaged(index)
        whole = (read_result(runs, row.key) for row in rows if row.status != "damaged")
        table = evaluations_of(whole) if evaluations else table_of(rows)
        if out is not None:
            content = csv_text(table).encode() if suffix == ".csv" else parquet_bytes(table)
            write_bytes(out, content)
        if as_json:
            records = {"out": str(out), "records": len(table.records)}
            if out is None:
                records = {"columns": list(table.columns), "records": _finite(table.records)}
            print_json({**records, **_aside(index, damaged)})
            return
        if out is None:
            say_data(csv_text(table))
        _report(index, damaged)
        if out is not None:
            note(f"wrote {out}")


app.command("remove")(remove)
