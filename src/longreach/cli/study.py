"""`longreach study`: train what a published table or figure needs, draw it, and judge the forecasts."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
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
)
from longreach.cli.output import console, note, print_json, write_bytes
from longreach.cli.progress import Bars, print_plan
from longreach.cli.summary import BRACKETS
from longreach.cli.train import DEFAULT_RUNS
from longreach.errors import InputError

if TYPE_CHECKING:
    from longreach.comparison.outcome import Outcome
    from longreach.results.cells import Spread
    from longreach.studies.study_definition import Study


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

    chosen = load_study(name)
    if out is not None:
        _check_out(out, chosen.formats)
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
        planned = plan(study_members(chosen, scale.value, seeds=seeds, places=places), runs, engine=make)
        if as_json:
            print_json({"study": chosen.name, "scale": scale.value, **planned.document()})
        else:
            print_plan(planned)
        return
    bars = Bars(overall=True, remarks=False)
    done = run_study(chosen, scale.value, seeds=seeds, places=places, runs=runs, engine=make, progress=bars)
    cells = done.cells
    path = _figure(chosen, cells, scale, runs, out)
    if as_json:
        _print_document(chosen, cells, scale, path)
    else:
        _print_cells(cells)
        if scale is ScaleName.smoke:
            print("\nsmoke scale: tiny models, no claim")
        else:
            _print_agreement(cells)
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


def _check_out(out: Path, formats: Sequence[str]) -> None:
    if out.suffix.lower() not in formats:
        raise InputError(f"--out: {out}: must end in {', '.join(formats)}")
    if not out.parent.is_dir():
        raise InputError(f"--out: {out}: no such directory")


def _list(as_json: bool) -> None:
    from longreach.studies.all_studies import STUDIES

    if as_json:
        fields = ("name", "title", "source", "about", "time")
        print_json(
            {"studies": [{field: getattr(each, field) for field in fields} for each in STUDIES.values()]}
        )
        return
    out = console()
    for each in STUDIES.values():
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


def _print_document(chosen: Study, found: Sequence[Outcome], scale: ScaleName, path: Path) -> None:
    from longreach.comparison.outcome import agreement

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
        table.add_column(title, justify="right", no_wrap=True)
    table.add_column("forecast")
    table.add_column("measured")
    table.add_column("paper", justify="right")
    table.add_column("judgement")
    for each in found:
        success = "" if each.cell is None else f"{len(each.cell.successful)}/{len(each.cell.rows)}"
        bins = map(_bin, each.accuracy, each.accuracy_random_offset)
        learned = "" if each.learned or each.cell is None else "; not learned"
        table.add_row(
            each.place.task, each.place.label, success, *bins, each.forecast or "–", _works(each),
            _paper(each), each.judgement.state + learned,
        )  # fmt: skip
    console().print(table)
    if any(spread for each in found for spread in each.accuracy_random_offset):
        console().print(f"bins: per cent from the first position on, {BRACKETS}", style="dim")
    if any(each.published and each.published_lengths[-1].endswith("*") for each in found):
        console().print("* axis of the paper's figure; the lengths of its files are not known", style="dim")


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
            shifted = each.accuracy_random_offset[-1]
            measured = "" if last is None else f", {100 * last.mean:.1f}{_shifted(shifted)} on the last bin"
            out.print(
                f"  {each.place.task} {each.place.label}: {each.judgement.state}: {each.judgement.reason}"
                f"{measured} (paper: {_paper(each)})",
                markup=False,
            )
