"""`longreach results remove`: remove runs with all that they have left."""

from __future__ import annotations

import sys
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from longreach.cli.output import note, print_json, say
from longreach.cli.shared_options import DEFAULT_RUNS, JsonOption, RunsOption
from longreach.errors import InputError, near_names
from longreach.wording import counted

if TYPE_CHECKING:
    from longreach.results.index import Index

MOST_LINES = 20
UNITS = ("bytes", "kB", "MB", "GB", "TB")


class Removable(StrEnum):
    done = "done"
    failed = "failed"
    damaged = "damaged"
    unfinished = "unfinished"


def remove(
    keys: Annotated[
        list[str] | None, typer.Argument(metavar="KEY", help="Keys of runs, or their beginnings.")
    ] = None,
    task: Annotated[str | None, typer.Option(metavar="NAME", help="All runs of this task.")] = None,
    encoding: Annotated[str | None, typer.Option(metavar="NAME", help="All with this encoding.")] = None,
    status: Annotated[
        Removable | None, typer.Option(help="All with this status; unfinished ones would go on.")
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    runs: RunsOption = DEFAULT_RUNS,
    as_json: JsonOption = False,
) -> None:
    """Remove runs: results, models and states. It says what it removes, and asks before.

    Options narrow each other down. A run that is running is never removed, nor any other with it.

    Example: longreach results remove --task parity --status failed
    """
    from longreach.results.index import read_index
    from longreach.results.removal import remove_runs, size_of

    if not keys and task is None and encoding is None and status is None:
        raise InputError("KEY: missing; --task, --encoding and --status choose runs, too")
    with read_index(runs) as index:
        known = _known(index)
        chosen = _chosen(known, keys or [], task, encoding, status)
    size = sum(size_of(runs / each["key"]) for each in chosen)
    what = f"{counted(len(chosen), 'run')}, {_size(size)}"
    if chosen and not yes and (as_json or not sys.stdin.isatty()):
        raise InputError(f"--yes: needed to remove {what}, since nobody can be asked")
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
    remove_runs(runs, [each["key"] for each in chosen])
    if as_json:
        print_json({"removed": chosen, "bytes": size})
    elif chosen:
        say(f"removed {what}")


def _known(index: Index) -> list[dict[str, Any]]:
    """What may be removed, by key; directories with other names are not ours."""
    from longreach.config.keys import KEY
    from longreach.config.task_name import TaskName

    found: list[dict[str, Any]] = [
        {
            "key": row.key,
            "task": None if row.task is None else TaskName(row.task).short,
            "encoding": row.encoding,
            "seed": row.seed,
            "status": row.status,
        }
        for row in index.rows()
    ]
    nothing = {"task": None, "encoding": None, "seed": None}
    found += [{"key": key, **nothing, "status": "unfinished"} for key in index.unfinished]
    return [each for each in found if KEY.fullmatch(each["key"])]


def _chosen(
    known: list[dict[str, Any]],
    keys: list[str],
    task: str | None,
    encoding: str | None,
    status: Removable | None,
) -> list[dict[str, Any]]:
    from longreach.config.task_name import TaskName

    wanted = {
        "task": None if task is None else TaskName(task).short,
        "encoding": encoding,
        "status": None if status is None else status.value,
    }
    names = {_whole(key, [each["key"] for each in known]) for key in keys}
    return [
        each
        for each in known
        if (not names or each["key"] in names)
        and all(value is None or each[name] == value for name, value in wanted.items())
    ]


def _whole(key: str, known: list[str]) -> str:
    found = [key] if key in known else [name for name in known if key and name.startswith(key)]
    if not found:
        raise InputError(f"KEY: no run {key!r}{near_names(key, known)}")
    if len(found) > 1:
        more = ", …" if len(found) > 5 else ""
        raise InputError(f"KEY: {key!r} is the beginning of {', '.join(found[:5])}{more}")
    return found[0]


def _size(size: float) -> str:
    """A number of bytes for people.

    >>> _size(0), _size(2_500_000)
    ('0 bytes', '2.5 MB')
    """
    place = 0
    while size >= 1000 and place < len(UNITS) - 1:
        size, place = size / 1000, place + 1
    return f"{size:.0f} {UNITS[place]}" if place < 2 else f"{size:.1f} {UNITS[place]}"
