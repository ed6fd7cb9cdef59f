"""Bars for jobs that run, on standard error."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from longreach.cli.output import error_console, note

if TYPE_CHECKING:
    from longreach.config.training import TrainConfig
    from longreach.experiments.planning import Planned
    from longreach.results.schema import Result

WATCH_SECONDS = 0.5


@dataclass(frozen=True)
class Bar:
    """One job as people see it."""

    key: str
    title: str
    steps: int | None
    """Its last step, if it is known."""


@contextlib.contextmanager
def show_bars(
    bars: Sequence[Bar], runs: Path, *, total: int | None = None
) -> Iterator[Callable[[Result], None]]:
    """A bar per job that runs, when standard error is a terminal; to be told of each result.

    What a job says of itself is read in its directory, whichever engine runs it. With `total`, the number of
    jobs that were done before and of those with bars, one more bar is for all of them.
    """
    if not bars or sys.stderr is None or not sys.stderr.isatty():
        yield lambda result: None
        return
    import threading

    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (
        TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn(),
        TextColumn("{task.fields[state]}", style="dim"),
    )  # fmt: skip
    ended, over = threading.Event(), set[str]()
    with Progress(*columns, console=error_console(), transient=True) as progress:
        everything = None
        if total is not None:
            everything = progress.add_task("members", total=total, completed=total - len(bars), state="")
        tasks = {
            bar.key: progress.add_task(bar.title, total=bar.steps, visible=False, state="") for bar in bars
        }

        def watch() -> None:
            while not ended.wait(WATCH_SECONDS):
                for key, task_id in tasks.items():
                    if key not in over and (found := _progress(runs / key)) is not None:
                        speed = next(task.speed for task in progress.tasks if task.id == task_id)
                        state = _state(found, speed)
                        progress.update(
                            task_id, completed=found["step"], visible=key not in over, state=state
                        )

        def finished(result: Result) -> None:
            over.add(result.key)
            progress.update(tasks[result.key], visible=False)
            if everything is not None:
                progress.advance(everything)

        thread = threading.Thread(target=watch, daemon=True)
        thread.start()
        try:
            yield finished
        finally:
            ended.set()
            thread.join()


@dataclass(frozen=True)
class Bars:
    """Shows people how training goes on: bars, and remarks on standard error."""

    overall: bool = False
    """Whether there is one more bar for all members."""
    remarks: bool = True

    @contextlib.contextmanager
    def watch(
        self, waiting: Sequence[TrainConfig], runs: Path, total: int
    ) -> Iterator[Callable[[Result], None]]:
        """A bar for each member that waits, once it runs."""
        from longreach.config.task_name import TaskName

        bars = [
            Bar(each.key, f"{TaskName(each.task).short} {each.encoding} seed {each.seed}", each.max_steps)
            for each in waiting
        ]
        with show_bars(bars, runs, total=total if self.overall else None) as ended:
            yield ended

    def say(self, remark: str) -> None:
        """A line."""
        if self.remarks:
            note(remark)


def print_plan(planned: Planned) -> None:
    """What would run, for people."""
    found, most = planned.plan, planned.seconds_at_most
    again = f", {found.failed} of them failed before" if found.failed else ""
    plural = "s" if found.jobs > 1 else ""
    print(f"{found.jobs} job{plural}: {found.done} done, {found.pending} to run{again}")
    if most is not None:
        print(f"at most about {duration(most)}, if no member stops early")
    elif found.seconds is not None:
        print(f"about {duration(found.seconds)}")


def duration(seconds: float) -> str:
    """A time in words.

    >>> duration(90), duration(600), duration(9000)
    ('90 seconds', '10 minutes', '2.5 hours')
    """
    if seconds < 120:
        return f"{seconds:.0f} seconds"
    return f"{seconds / 60:.0f} minutes" if seconds < 7200 else f"{seconds / 3600:.1f} hours"


def _progress(directory: Path) -> dict[str, Any] | None:
    """What a job that runs last said, if anything."""
    import json

    from longreach.training.checkpoint import PROGRESS

    try:
        found = json.loads((directory / PROGRESS).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return found if isinstance(found, dict) and isinstance(found.get("step"), int) else None


def _state(found: dict[str, Any], speed: float | None) -> str:
    parts = [] if speed is None else [f"{speed:.0f} steps/s"]
    if isinstance(found.get("loss"), float):
        parts.append(f"loss {found['loss']:.4f}")
    parts += [f"{name} {100 * share:.1f} %" for name, share in found.get("accuracy", {}).items()]
    return "  ".join(parts)
