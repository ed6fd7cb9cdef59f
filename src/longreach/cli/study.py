"""`longreach study`: train what a published table or figure needs, draw it, and judge the forecasts."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterator, Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from longreach.cli.output import console, note, print_json, write_bytes
from longreach.cli.train import (
    DEFAULT_RUNS,
    WATCH_SECONDS,
    EngineName,
    _check_torch,
    _duration,
    _engine,
    _job,
    _progress,
    _state,
)
from longreach.errors import InputError

if TYPE_CHECKING:
    from longreach.results.index import Row
    from longreach.results.schema import Result
    from longreach.studies.outcome import Outcome
    from longreach.studies.study import Study
    from longreach.training.config import TrainConfig


class ScaleName(StrEnum):
    smoke = "smoke"
    laptop = "laptop"
    paper = "paper"


def study(
    name: Annotated[str | None, typer.Argument(metavar="[NAME]", help="A study; --list names them.")] = None,
    listed: Annotated[bool, typer.Option("--list", help="List the studies.")] = False,
    scale: Annotated[ScaleName, typer.Option(help="How much is trained.")] = ScaleName.laptop,
    tasks: Annotated[str | None, typer.Option(metavar="A,B,…", help="Only these tasks of the study.")] = None,
    encodings: Annotated[
        str | None, typer.Option(metavar="A,B,…", help="Only these encodings of the study.")
    ] = None,
    seeds: Annotated[
        int | None, typer.Option(metavar="K", min=1, help="Members a cell; default: by the scale.")
    ] = None,
    engine: Annotated[EngineName, typer.Option(help="Where members train.")] = EngineName.local,
    workers: Annotated[
        int | None, typer.Option(metavar="N", min=1, help="Processes; default: one per core.")
    ] = None,
    runs: Annotated[Path, typer.Option(metavar="DIR", help="The results directory.")] = DEFAULT_RUNS,
    out: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="The figure; default: DIR/figures/NAME-SCALE.svg."),
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Count the jobs and train nothing.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """Reproduce a published table or figure: train its members, draw it, compare forecast and measurement.

    Members that are done are not trained again; after an interruption the same command goes on.
    The exit code is 1 when a member failed.

    Example: longreach study figure1 --scale smoke
    """
    if listed:
        _list(as_json)
        return
    if name is None:
        raise InputError("NAME: missing; --list names the studies")
    from longreach.studies.catalog import load_study

    chosen = load_study(name)
    if out is not None:
        _check_out(out, chosen.formats)
    if chosen.table is not None:
        given = {"--tasks": tasks, "--encodings": encodings, "--seeds": seeds}
        _theory(chosen, [option for option, value in given.items() if value is not None], out, as_json)
        return
    if engine is not EngineName.local:
        raise InputError(f"--engine: {engine.value} is not available yet; there is local")
    if runs.exists() and not runs.is_dir():
        raise InputError(f"--runs: {runs}: not a directory")
    _check_torch()
    places = chosen.select(_names("--tasks", tasks), _names("--encodings", encodings))
    if not places:
        raise InputError(f"--encodings: no cell of {chosen.name} is left")
    from longreach.studies.study import longest_first

    members = chosen.members_by_place(scale.value, seeds, places)
    # Figures may share members: each is trained once.
    configs = longest_first({config.key: config for each in members.values() for config in each}.values())
    if dry_run:
        _plan(chosen, scale, configs, runs, workers, as_json)
        return
    failed = _train(configs, runs, workers)
    # Judged in the light of the whole study, whatever part of it was asked for.
    every = chosen.outcomes(_rows(runs), scale.value, seeds)
    found = [outcome for outcome in every if outcome.place in members]
    path = _figure(chosen, found, scale, runs, out)
    if as_json:
        _print_document(chosen, found, scale, path)
    else:
        _print_cells(found)
        if scale is ScaleName.smoke:
            print("\nsmoke scale: tiny models, no claim")
        else:
            _print_agreement(found)
        note(f"wrote {path}")
    for result in failed:
        note(f"{result.key}: {(result.error or 'failed').splitlines()[0]}")
    if failed:
        raise typer.Exit(1)


def _names(option: str, text: str | None) -> list[str] | None:
    if text is None:
        return None
    names = [part.strip() for part in text.split(",")]
    if not all(names):
        raise InputError(f"{option}: {text!r} is not a list of names, as in a,b")
    return names


def _check_out(out: Path, formats: Sequence[str]) -> None:
    if out.suffix.lower() not in formats:
        raise InputError(f"--out: {out}: must end in {', '.join(formats)}")
    if not out.parent.is_dir():
        raise InputError(f"--out: {out}: no such directory")


def _list(as_json: bool) -> None:
    from longreach.studies.catalog import STUDIES

    if as_json:
        fields = ("name", "title", "source", "about", "time")
        print_json(
            {"studies": [{field: getattr(each, field) for field in fields} for each in STUDIES.values()]}
        )
        return
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="bold")
    for title in ("study", "about", "source", "time"):
        table.add_column(title)
    for each in STUDIES.values():
        table.add_row(each.name, each.about, each.source, each.time)
    console().print(table)


def _theory(chosen: Study, unfit: Sequence[str], out: Path | None, as_json: bool) -> None:
    if unfit:
        raise InputError(f"{unfit[0]}: {chosen.name} is a table of theory and trains nothing")
    assert chosen.table is not None, chosen.name
    table = chosen.table()
    if as_json:
        print_json({"study": chosen.name, "source": chosen.source, **table.document()})
    else:
        print(table.markdown(), end="")
    if out is not None:
        write_bytes(out, chosen.content((), "paper", out.suffix.lower()))


def _plan(
    chosen: Study,
    scale: ScaleName,
    configs: Sequence[TrainConfig],
    runs: Path,
    workers: int | None,
    as_json: bool,
) -> None:
    from dataclasses import asdict

    from longreach.execution.plan import plan, shape
    from longreach.execution.record import pending
    from longreach.training.engine import seconds_at_most

    jobs, parallel = [_job(config) for config in configs], _engine(configs, workers).parallel
    found = plan(jobs, runs, parallel)
    most: float | None = None
    if found.estimated < found.pending:
        waiting = {job.key for job in pending(jobs, runs)}
        members = [config for config in configs if config.key in waiting]
        # One of each shape is timed, for a few steps.
        shapes = {shape(config.document()): config for config in members}
        each = {name: seconds_at_most(config) for name, config in shapes.items()}
        times = [each[shape(config.document())] for config in members]
        most = max(sum(times) / parallel, *times)
    if as_json:
        print_json({"study": chosen.name, "scale": scale.value, **asdict(found), "seconds_at_most": most})
        return
    again = f", {found.failed} of them failed before" if found.failed else ""
    print(f"{found.jobs} jobs: {found.done} done, {found.pending} to run{again}")
    if most is not None:
        print(f"at most about {_duration(most)}, if no member stops early")
    elif found.seconds is not None:
        print(f"about {_duration(found.seconds)}")


def _train(configs: Sequence[TrainConfig], runs: Path, workers: int | None) -> list[Result]:
    """Train the members that are not done; those that failed."""
    from longreach.execution.record import pending, run_pending

    jobs = [_job(config) for config in configs]
    waiting = {job.key for job in pending(jobs, runs)}
    failed = []
    with _bars([config for config in configs if config.key in waiting], len(jobs), runs) as ended:
        for result in run_pending(jobs, runs, _engine(configs, workers)):
            ended(result)
            if result.status == "failed":
                failed.append(result)
    return failed


@contextlib.contextmanager
def _bars(waiting: Sequence[TrainConfig], jobs: int, runs: Path) -> Iterator[Callable[[Result], None]]:
    """On a terminal a bar for all members and one for each that trains, on standard error."""
    if not waiting or sys.stderr is None or not sys.stderr.isatty():
        yield lambda result: None
        return
    import threading

    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (
        TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn(),
        TextColumn("{task.fields[state]}", style="dim"),
    )  # fmt: skip
    ended, over = threading.Event(), set[str]()
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        total = progress.add_task("members", total=jobs, completed=jobs - len(waiting), state="")
        bars = {
            config.key: progress.add_task(
                f"{config.task} {config.encoding} seed {config.seed}",
                total=config.max_steps,
                visible=False,
                state="",
            )
            for config in waiting
        }

        def watch() -> None:
            while not ended.wait(WATCH_SECONDS):
                for key, bar in bars.items():
                    if key not in over and (found := _progress(runs / key)) is not None:
                        speed = next(task.speed for task in progress.tasks if task.id == bar)
                        progress.update(
                            bar, completed=found["step"], visible=key not in over, state=_state(found, speed)
                        )

        def finished(result: Result) -> None:
            over.add(result.key)
            progress.update(bars[result.key], visible=False)
            progress.advance(total)

        thread = threading.Thread(target=watch, daemon=True)
        thread.start()
        try:
            yield finished
        finally:
            ended.set()
            thread.join()


def _rows(runs: Path) -> list[Row]:
    from longreach.results.index import open_index

    if not runs.is_dir():
        return []
    with open_index(runs) as index:
        return index.rows()


def _figure(chosen: Study, found: Sequence[Outcome], scale: ScaleName, runs: Path, out: Path | None) -> Path:
    path = out
    if path is None:
        path = runs / "figures" / f"{chosen.name}-{scale.value}{chosen.formats[0]}"
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InputError(f"--runs: {path.parent}: cannot be created: {error.strerror}") from None
    write_bytes(path, chosen.content(found, scale.value, path.suffix.lower()))
    return path


def _print_document(chosen: Study, found: Sequence[Outcome], scale: ScaleName, path: Path) -> None:
    from longreach.studies.outcome import agreement

    print_json(
        {
            "study": chosen.name,
            "title": chosen.title,
            "source": chosen.source,
            "scale": scale.value,
            "figure": str(path),
            "cells": [outcome.document() for outcome in found],
            "agreement": agreement(found),
        }
    )


def _print_cells(found: Sequence[Outcome]) -> None:
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="bold")
    for title in ("task", "encoding"):
        table.add_column(title)
    for title in ("success", *(f"bin {number + 1}" for number in range(len(found[0].ranges)))):
        table.add_column(title, justify="right")
    table.add_column("forecast")
    table.add_column("paper", justify="right")
    table.add_column("judgement")
    for each in found:
        success = "" if each.cell is None else f"{len(each.cell.successful)}/{len(each.cell.rows)}"
        bins = [
            "" if spread is None else f"{100 * spread.mean:.1f} ± {100 * spread.deviation:.1f}"
            for spread in each.accuracy
        ]
        learned = "" if each.learned or each.cell is None else "; not learned"
        table.add_row(
            each.place.task, each.place.label, success, *bins, each.forecast or "–", _percent(each.published),
            each.judgement.state + learned,
        )  # fmt: skip
    console().print(table)


def _percent(published: tuple[float, ...] | None) -> str:
    return "–" if published is None else f"{100 * published[-1]:.1f}"


def _print_agreement(found: Sequence[Outcome]) -> None:
    from longreach.studies.outcome import agreement

    counts = agreement(found)
    out = console()
    out.print()
    out.print(
        f"forecast and measurement agree in {counts['agrees']} of {counts['counted']} counted cells",
        markup=False,
    )
    aside = ", ".join(
        f"{counts[state]} {state.replace('_', ' ')}"
        for state in ("undecided", "not_counted", "no_forecast", "not_run")
        if counts[state]
    )
    if aside:
        out.print(f"apart: {aside}", markup=False)
    for each in found:
        if each.judgement.state in ("disagrees", "undecided", "not counted"):
            last = each.accuracy[-1]
            measured = "" if last is None else f", {100 * last.mean:.1f} on the last bin"
            out.print(
                f"  {each.place.task} {each.place.label}: {each.judgement.state}: {each.judgement.reason}"
                f"{measured} (paper: {_percent(each.published)})",
                markup=False,
            )
