"""`longreach results remove`: results, models and checkpoints."""

from __future__ import annotations

import sys
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from longreach.cli.options import DEFAULT_RUNS, JsonOption, RunsOption, option
from longreach.cli.output import note, print_json, say
from longreach.cli.results import imported_runs, name_of, name_of_imported, one_key
from longreach.errors import InputError
from longreach.wording import counted

if TYPE_CHECKING:
    from longreach.runs.index import Index

MOST_LINES = 20
UNITS = ("bytes", "kB", "MB", "GB", "TB")


class Removable(StrEnum):
    done = "done"
    failed = "failed"
    damaged = "damaged"
    unfinished = "unfinished"
    imported = "imported"


def remove(
    keys: Annotated[
        list[str] | None, typer.Argument(metavar="KEY", help="Keys of runs, or their beginnings.")
    ] = None,
    task: Annotated[str | None, option("All runs of this task.", "NAME")] = None,
    encoding: Annotated[str | None, option("All with this encoding.", "NAME")] = None,
    status: Annotated[
        Removable | None, option("All with this status; unfinished runs could be resumed.")
    ] = None,
    yes: Annotated[bool, option("Do not ask.", None, "--yes", "-y")] = False,
    runs: RunsOption = DEFAULT_RUNS,
    as_json: JsonOption = False,
) -> None:
    """Remove runs: results, models and checkpoints.

    Options combine. The command shows what it will remove and asks first. Nothing is removed while one of the
    runs is active.

    Example: longreach results remove --task parity --status failed
    """
    from longreach.runs.imported import remove_imported
    from longreach.runs.index import read_index
    from longreach.runs.record import remove_runs, size_of

    if not keys and task is None and encoding is None and status is None:
        raise InputError("KEY: missing; or choose runs by --task, --encoding or --status")
    with read_index(runs) as index:
        known = [*_known(index), *map(name_of_imported, imported_runs(runs))]
        chosen = _chosen(known, keys or [], task, encoding, status)
    size = sum(size_of(runs / each["key"]) for each in chosen)
    what = f"{counted(len(chosen), 'run')}, {_size(size)}"
    if chosen and not yes and (as_json or not sys.stdin.isatty()):
        raise InputError(f"--yes: required to remove {what} non-interactively")
    if not chosen:
        note("no such run: nothing is removed")
    elif not as_json:
        for each in chosen[:MOST_LINES]:
            note("  ".join(str(value) for value in each.values() if value is not None))
        if len(chosen) > MOST_LINES:
            note(f"and {len(chosen) - MOST_LINES} more")
    if chosen and not yes and not typer.confirm(f"remove {what}?", err=True):
        note("nothing is removed")
        chosen, size = [], 0
    elsewhere = [each["key"] for each in chosen if each["status"] == "imported"]
    remove_runs(runs, [each["key"] for each in chosen if each["status"] != "imported"])
    remove_imported(runs, elsewhere)
    if as_json:
        print_json({"removed": chosen, "bytes": size})
    elif chosen:
        say(f"removed {what}")


def _known(index: Index) -> list[dict[str, Any]]:
    """What may be removed, by key; directories with other names are not ours."""
    from longreach.files import KEY

    nothing = {"task": None, "encoding": None, "seed": None}
    unfinished = [{"key": key, **nothing, "status": "unfinished"} for key in index.unfinished]
    return [each for each in [*map(name_of, index.rows()), *unfinished] if KEY.fullmatch(each["key"])]


def _chosen(
    known: list[dict[str, Any]],
    keys: list[str],
    task: str | None,
    encoding: str | None,
    status: Removable | None,
) -> list[dict[str, Any]]:
    from longreach.theory.names import TaskName

    wanted = {
        "task": None if task is None else TaskName(task).short,
        "encoding": encoding,
        "status": None if status is None else status.value,
    }
    names = {one_key(key, [each["key"] for each in known], f"no run {key!r}") for key in keys}
    return [
        each
        for each in known
        if (not names or each["key"] in names)
        and all(value is None or each[name] == value for name, value in wanted.items())
    ]


def _size(size: float) -> str:
    """A number of bytes for people.

    >>> _size(0), _size(2_500_000)
    ('0 bytes', '2.5 MB')
    """
    place = 0
    while size >= 1000 and place < len(UNITS) - 1:
        size, place = size / 1000, place + 1
    return f"{size:.0f} {UNITS[place]}" if place < 2 else f"{size:.1f} {UNITS[place]}"
