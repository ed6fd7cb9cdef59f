"""`longreach study`: train what a published table or figure needs, draw it, and judge the forecasts."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from longreach.cli.engine_options import (
    AddressOption,
    DeviceOption,
    EngineName,
    EngineOption,
    GpusOption,
    PartitionOption,
    StackOption,
    TimeLimitOption,
    WorkersOption,
    chosen_engine,
    trains_here,
)
from longreach.cli.fitted_table import Column, fits, print_fitted
from longreach.cli.output import console, note, print_json, write_bytes
from longreach.cli.progress import Bars, going_on, print_plan
from longreach.cli.setting_options import ScaleName, ScaleOption
from longreach.cli.study_losses import Asked, loss_study
from longreach.cli.summary import BRACKETS
from longreach.cli.train import DEFAULT_RUNS, announce_members
from longreach.errors import InputError

if TYPE_CHECKING:
    from longreach.comparison.outcome import Outcome
    from longreach.results.cells import Spread
    from longreach.studies.study_definition import Study


FOR_LESS = "--scale smoke, some --tasks or --encodings, fewer --seeds"


def study(
    name: Annotated[str | None, typer.Argument(metavar="[NAME]", help="A study; --list names them.")] = None,
    listed: Annotated[bool, typer.Option("--list", help="List the studies.")] = False,
    scale: ScaleOption = ScaleName.laptop,
    tasks: Annotated[str | None, typer.Option(metavar="A,B,…", help="Only these tasks of the study.")] = None,
    encodings: Annotated[
        str | None, typer.Option(metavar="A,B,…", help="Only these encodings of the study.")
    ] = None,
    seeds: Annotated[
        int | None, typer.Option(metavar="K", min=1, help="Members a cell; default: by the scale.")
    ] = None,
    engine: EngineOption = EngineName.local,
    workers: WorkersOption = None,
    address: AddressOption = None,
    gpus: GpusOption = None,
    partition: PartitionOption = None,
    time_limit: TimeLimitOption = None,
    device: DeviceOption = "auto",
    stack: StackOption = None,
    runs: Annotated[Path, typer.Option(metavar="DIR", help="The results directory.")] = DEFAULT_RUNS,
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="The figure, or its cells as .md; default: a figure in DIR/figures."
        ),
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Count the jobs and train nothing.")] = False,
    no_train: Annotated[
        bool, typer.Option("--no-train", help="Judge what is there; train nothing, write only --out.")
    ] = False,
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
    from longreach.studies.all_studies import load_study
    from longreach.studies.loss_study import LossStudy

    chosen = load_study(name)
    if out is not None:
        _check_out(out, chosen.formats)
    if isinstance(chosen, LossStudy):
        if encodings is not None:
            raise InputError(f"--encodings: the models of {chosen.name} have the positions of their tasks")
        make = chosen_engine(
            engine, runs,
            workers=workers, address=address, gpus=gpus, partition=partition, time_limit=time_limit,
            device=device, stack=stack,
        )  # fmt: skip
        asked = Asked(
            scale=scale, tasks=_task_names(tasks), seeds=seeds, runs=runs, out=out, dry_run=dry_run,
            no_train=no_train, as_json=as_json, here=trains_here(engine, device),
        )  # fmt: skip
        loss_study(chosen, make, asked)
        return
    if chosen.table is not None:
        given = {"--tasks": tasks, "--encodings": encodings, "--seeds": seeds}
        _theory(chosen, [option for option, value in given.items() if value is not None], out, as_json)
        return
    from longreach.experiments.planning import plan
    from longreach.experiments.running import check_runs
    from longreach.studies.study_run import run_study, study_members

    check_runs(runs)
    make = chosen_engine(
        engine, runs,
        workers=workers, address=address, gpus=gpus, partition=partition, time_limit=time_limit,
        device=device, stack=stack,
    )  # fmt: skip
    places = chosen.select(_names("--tasks", tasks), _names("--encodings", encodings))
    if not places:
        raise InputError(f"--encodings: no cell of {chosen.name} is left")
    if dry_run:
        members = study_members(chosen, scale.value, seeds=seeds, places=places)
        planned = plan(members, runs, engine=make)
        if as_json:
            print_json({"study": chosen.name, "scale": scale.value, **planned.document()})
        else:
            print_plan(planned, less=FOR_LESS, stops_early=any(each.stop_early for each in members))
        return
    if not no_train and trains_here(engine, device):
        members = study_members(chosen, scale.value, seeds=seeds, places=places)
        announce_members(members, runs, make, FOR_LESS)
    bars = Bars(overall=True, remarks=False)
    with going_on():
        done = run_study(
            chosen, scale.value,
            seeds=seeds, places=places, runs=runs, engine=make, progress=bars, train=not no_train,
        )  # fmt: skip
    cells = done.cells
    path = None if no_train and out is None else _figure(chosen, cells, scale, runs, out)
    if as_json:
        _print_document(chosen, cells, scale, path)
    else:
        _print_cells(cells)
        if scale is ScaleName.smoke:
            print("\nsmoke scale: tiny models, no claim")
        else:
            _print_agreement(cells)
        if path is not None:
            note(f"wrote {path}")
    for result in done.failed:
        note(f"{result.key}: {(result.error or 'failed').splitlines()[0]}")
    if done.failed:
        raise typer.Exit(1)


def _names(option: str, text: str | None) -> list[str] | None:
    if text is None:
        return None
    names = [part.strip() for part in text.split(",")]
    if not all(names):
        raise InputError(f"{option}: {text!r} is not a list of names, as in a,b")
    return names


def _task_names(text: str | None) -> list[str] | None:
    """Names with parameters: a comma before a parameter does not end one.

    >>> _task_names("modp-task:p=2,k=0,modp-task:p=3")
    ['modp-task:p=2,k=0', 'modp-task:p=3,k=0']
    """
    names = _names("--tasks", text)
    if names is None:
        return None
    from longreach.config.regression_name import RegressionName

    joined: list[str] = []
    for part in names:
        if joined and "=" in part and ":" not in part:
            joined[-1] += f",{part}"
        else:
            joined.append(part)
    return [RegressionName.read(each).text if RegressionName.is_one(each) else each for each in joined]


def _check_out(out: Path, formats: Sequence[str]) -> None:
    if out.suffix.lower() not in formats:
        raise InputError(f"--out: {out}: must end in {', '.join(formats)}")
    if not out.parent.is_dir():
        raise InputError(f"--out: {out}: no such directory")


def _list(as_json: bool) -> None:
    from longreach.studies.all_studies import EVERY

    if as_json:
        fields = ("name", "title", "source", "about", "time")
        print_json(
            {"studies": [{field: getattr(each, field) for field in fields} for each in EVERY.values()]}
        )
        return
    out = console()
    for each in EVERY.values():
        out.print(f"{each.name:12} {each.about}", markup=False, highlight=False)
        out.print(f"{'':12} {each.source}; {each.time}", markup=False, highlight=False, style="dim")


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


def _print_document(chosen: Study, found: Sequence[Outcome], scale: ScaleName, path: Path | None) -> None:
    from longreach.comparison.outcome import agreement

    print_json(
        {
            "study": chosen.name,
            "title": chosen.title,
            "source": chosen.source,
            "scale": scale.value,
            "figure": None if path is None else str(path),
            "cells": [outcome.document() for outcome in found],
            "agreement": agreement(found),
        }
    )


def _print_cells(found: Sequence[Outcome]) -> None:
    last = len(found[0].ranges) - 1
    columns = [
        Column("task", right=False),
        Column("encoding", right=False),
        Column("learned", rank=3),
        *(Column(f"bin {place + 1}", rank=1 if place == last else 4) for place in range(last + 1)),
        Column("work", rank=0),
        Column("forecast", rank=2, right=False),
        Column("measured", rank=6, right=False),
        Column("paper", rank=5),
        Column("judgement", right=False),
    ]
    offsets = any(spread for each in found for spread in each.accuracy_random_offset)
    lines = [_cell_line(each, offsets=offsets) for each in found]
    bins = [Column(each.title, 0 if each.title.startswith("bin") else each.rank) for each in columns]
    if offsets and not fits(bins, lines, console().width):  # rather all bins than the brackets
        offsets, lines = False, [_cell_line(each, offsets=False) for each in found]
    print_fitted(columns, lines)
    out = console()
    brackets = f" ({BRACKETS})" if offsets else ""
    out.print(
        f"bins: mean per cent from the first position on{brackets}; – where some runs work, others not",
        style="dim",
    )
    if any(each.published and each.published_lengths[-1].endswith("*") for each in found):
        out.print("* axis of the paper's figure; the lengths of its files are not known", style="dim")


def _cell_line(each: Outcome, *, offsets: bool) -> list[str]:
    shifted = each.accuracy_random_offset if offsets else [None] * len(each.accuracy)
    bins = [
        "–" if tally.is_mixed else _bin(*spreads)
        for tally, *spreads in zip(each.tallies, each.accuracy, shifted, strict=True)
    ]
    last, cell = each.tallies[-1], each.cell
    return [
        each.place.task, each.place.label,
        "" if cell is None else f"{len(cell.successful)}/{len(cell.rows)}",
        *bins,
        f"{last.work} of {last.runs}" if last.runs else "",
        each.forecast or "–", _works(each), _paper(each),
        each.judgement.state,
    ]  # fmt: skip


def _bin(spread: Spread | None, shifted: Spread | None) -> str:
    return (
        "" if spread is None else f"{100 * spread.mean:.1f}±{100 * spread.deviation:.1f}{_shifted(shifted)}"
    )


def _shifted(spread: Spread | None) -> str:
    return "" if spread is None else f" ({100 * spread.mean:.1f})"


def _works(outcome: Outcome) -> str:
    return {True: "works", False: "fails", None: ""}[outcome.judgement.works]


def _paper(outcome: Outcome) -> str:
    """The last published number and its lengths."""
    if outcome.published is None:
        return "–"
    return f"{100 * outcome.published[-1]:.1f} at {outcome.published_lengths[-1]}"


def _print_agreement(found: Sequence[Outcome]) -> None:
    from longreach.comparison.outcome import agreement

    counts = agreement(found)
    out = console()
    out.print()
    by_runs = counts["by_runs"]
    out.print(
        f"forecast and measurement agree in {counts['agrees']} of {counts['counted']} counted cells by the "
        f"mean, in {by_runs['agrees']} of {by_runs['counted']} by runs (at least half of them)",
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
            out.print(f"  {each.place.task} {each.place.label}: {_said(each)}", markup=False)
        elif each.judgement_by_runs.state == "disagrees":
            words = f"{each.tallies[-1].words}; agrees by the mean only"
            out.print(f"  {each.place.task} {each.place.label}: {words}", markup=False)


def _said(each: Outcome) -> str:
    tally, last = each.tallies[-1], each.accuracy[-1]
    measured = ""
    if tally.is_mixed:
        measured = f", {tally.words} on the last bin"
    elif last is not None:
        measured = f", {100 * last.mean:.1f}{_shifted(each.accuracy_random_offset[-1])} on the last bin"
    return f"{each.judgement.state}: {each.judgement.reason}{measured} (paper: {_paper(each)})"
