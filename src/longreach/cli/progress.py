"""How far the work is, on standard error: bars in a terminal, lines in a pipe."""

from __future__ import annotations

import contextlib
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from longreach.cli.output import error_console, note
from longreach.training.result import progress_of
from longreach.wording import counted, roughly, shortened, visible

if TYPE_CHECKING:
    from rich.progress import Progress, ProgressColumn

    from longreach.config.run import RunConfig
    from longreach.runs.plan import Plan
    from longreach.training.result import Result

WATCH_SECONDS = 0.5
LINE_SECONDS = 30.0
SHOWN_RUNNING = 3
LONGEST_TITLE = 60
LONG = 15 * 60.0
"""Seconds above which people are told how to ask for less."""


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
    """A bar per job that runs, or a line now and then without a terminal; to be told of each result.

    What a job says of itself is read in its directory, whichever engine runs it. With `total`, the number of
    jobs that were done before and of those with bars, one more bar is for all of them.
    """
    if not bars or sys.stderr is None:
        yield lambda result: None
        return
    if not sys.stderr.isatty():
        with _lines_for_runs(bars, runs, total) as told:
            yield told
        return
    from rich.progress import TextColumn

    over = set[str]()
    with _bars(TextColumn("{task.fields[state]}", style="dim")) as progress:
        everything = None
        if total is not None:
            everything = progress.add_task("runs", total=total, completed=total - len(bars), state="")
        tasks = {
            bar.key: progress.add_task(
                shortened(bar.title, LONGEST_TITLE), total=bar.steps, visible=False, state=""
            )
            for bar in bars
        }

        def watch() -> None:
            for key, task_id in tasks.items():
                if key not in over and (found := progress_of(runs / key)) is not None:
                    speed = next(task.speed for task in progress.tasks if task.id == task_id)
                    state = _state(found, speed)
                    progress.update(task_id, completed=found["step"], visible=key not in over, state=state)

        def finished(result: Result) -> None:
            over.add(result.key)
            progress.update(tasks[result.key], visible=False)
            if everything is not None:
                progress.advance(everything)

        with _meanwhile(watch, WATCH_SECONDS):
            yield finished


@contextlib.contextmanager
def _lines_for_runs(bars: Sequence[Bar], runs: Path, total: int | None) -> Iterator[Callable[[Result], None]]:
    over, before, began = set[str](), (total or len(bars)) - len(bars), time.monotonic()

    def tell() -> None:
        waiting = [bar for bar in bars if bar.key not in over]
        running = [(bar, found) for bar in waiting if (found := progress_of(runs / bar.key))]
        parts = [f"{before + len(over)} of {counted(before + len(bars), 'run')} done"]
        if over and waiting:  # at the pace so far, which the first estimate could not know
            rest = (time.monotonic() - began) * len(waiting) / len(over)
            parts[0] += f", the rest in about {roughly(rest)}"
        for bar, found in running[:SHOWN_RUNNING]:
            last = "" if bar.steps is None else f" of {bar.steps}"
            parts.append(f"{shortened(bar.title, LONGEST_TITLE)} at step {found['step']}{last}")
        parts += [f"{len(running) - SHOWN_RUNNING} more"] if len(running) > SHOWN_RUNNING else []
        note("; ".join(parts))

    with _meanwhile(tell, LINE_SECONDS):
        yield lambda result: over.add(result.key)


@contextlib.contextmanager
def _meanwhile(act: Callable[[], None], first: float, then: float | None = None) -> Iterator[None]:
    """Act after so many seconds and again and again, in a thread, for as long as the work takes."""
    ended = threading.Event()

    def repeat() -> None:
        wait = first
        while not ended.wait(wait):
            act()
            wait = first if then is None else then

    thread = threading.Thread(target=repeat, daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


def _bars(*more: ProgressColumn) -> Progress:
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    return Progress(*columns, *more, console=error_console(), transient=True)


@dataclass(frozen=True)
class Bars:
    """Shows training progress on standard error: bars and remarks."""

    overall: bool = False
    """Whether there is one more bar for all runs."""
    remarks: bool = True
    ended_by: ClassVar[str] = "Ctrl-C"

    @contextlib.contextmanager
    def watch(
        self, waiting: Sequence[RunConfig], runs: Path, total: int
    ) -> Iterator[Callable[[Result], None]]:
        """A bar for each run once it has started."""
        bars = [
            Bar(each.key, f"{_called(each.task)} {each.label.name} seed {each.seed}", each.max_steps)
            for each in waiting
        ]
        with show_bars(bars, runs, total=total if self.overall else None) as ended:
            yield ended

    def say(self, remark: str) -> None:
        """A line."""
        if self.remarks:
            note(remark)


def _called(task: str) -> str:
    """A task's name without the hash that tells objects of a session apart.

    >>> _called("object:python@0123456789ab"), _called("regex:a@b")
    ('python', 'regex:a@b')
    """
    from longreach.theory.names import TaskName

    name = TaskName(task)
    return name.expression.partition("@")[0] if name.is_session else name.short


def print_plan(plan: Plan, *, less: str, stops_early: bool) -> None:
    """What would run, for people."""
    most = plan.seconds_at_most
    again = f", {plan.failed} of them failed before" if plan.failed else ""
    print(f"{counted(plan.jobs, 'job')}: {plan.done} done, {plan.pending} to run{again}")
    seconds = plan.seconds if most is None else most
    if most is not None and stops_early:
        print(f"at most about {roughly(most)}, if no run stops early")
    elif seconds is not None:
        print(f"about {roughly(seconds)}")
    if seconds is not None and seconds > LONG:
        print(f"for less: {less}")


def announce(plan: Plan, cores: int, *, less: str, stops_early: bool) -> None:
    """What will run and for how long, before it starts, on standard error."""
    if not plan.pending:
        note(f"{counted(plan.jobs, 'run')}, done before")
        return
    parts = [counted(plan.jobs, "run")]
    parts += [f"{plan.done} done before"] if plan.done else []
    seconds = plan.seconds if plan.seconds_at_most is None else plan.seconds_at_most
    if seconds is not None:
        most = "at most " if plan.seconds_at_most is not None and stops_early else ""
        parts.append(f"{most}about {roughly(seconds)} on {counted(cores, 'core')}")
    note(", ".join(parts))
    if seconds is not None and seconds > LONG:
        note(f"for less: {less}")


@contextlib.contextmanager
def going_on() -> Iterator[None]:
    """Around training: an interruption says that nothing is lost."""
    try:
        yield
    except KeyboardInterrupt:
        note("run the same command again to resume")
        raise


def _state(found: dict[str, Any], speed: float | None) -> str:
    parts = [] if speed is None else [f"{speed:.0f} steps/s"]
    if isinstance(found.get("loss"), float):
        parts.append(f"loss {found['loss']:.4f}")
    parts += [f"{name} {100 * share:.1f} %" for name, share in found.get("accuracy", {}).items()]
    return "  ".join(parts)


FIRST_SECONDS, THEN_SECONDS = 5.0, 30.0
"""Without a terminal: when a stage is first spoken of, and how often after that."""


@contextlib.contextmanager
def stage(doing: str) -> Iterator[None]:
    """Around work that may take long.

    >>> with stage("compiling"):
    ...     pass
    """
    if sys.stderr is None:
        yield
    elif sys.stderr.isatty():
        with error_console().status(visible(doing).replace("[", "\\[")):
            yield
    else:
        began = time.monotonic()

        def speak() -> None:
            note(f"{doing}: {time.monotonic() - began:.0f} s so far")

        with _meanwhile(speak, FIRST_SECONDS, THEN_SECONDS):
            yield


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
        with _bars() as progress:

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
