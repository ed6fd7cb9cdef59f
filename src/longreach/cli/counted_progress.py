"""Work that is counted, on standard error: a bar in a terminal, a line now and then in a pipe."""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Callable, Iterator

from longreach.cli.output import error_console, note

LINE_SECONDS = 30.0
Stages = Callable[[str, int], Callable[[int], None]]


@contextlib.contextmanager
def counted_stages(silent: bool = False) -> Iterator[Stages]:
    """Gives a function that begins a stage: told what it is and how much there is, it gives what is told of
    each advance. A stage ends where the next begins; one of unknown size has size 0.

    >>> with counted_stages(silent=True) as stage:
    ...     advance = stage("reading", 10)
    ...     advance(3)
    """
    if silent or sys.stderr is None:
        yield lambda doing, total: lambda more: None
    elif sys.stderr.isatty():
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
        with Progress(*columns, console=error_console(), transient=True) as progress:

            def stage(doing: str, total: int) -> Callable[[int], None]:
                for task in list(progress.task_ids):
                    progress.remove_task(task)
                begun = progress.add_task(doing, total=total or None)
                return lambda more: progress.advance(begun, more)

            yield stage
    else:
        yield _line_stage


def _line_stage(doing: str, total: int) -> Callable[[int], None]:
    done, spoke = 0, time.monotonic()

    def advance(more: int) -> None:
        nonlocal done, spoke
        done += more
        if time.monotonic() - spoke >= LINE_SECONDS:
            note(f"{doing}: {done} of {total}")
            spoke = time.monotonic()

    return advance
