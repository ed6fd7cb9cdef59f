"""`longreach study` for tasks under encodings: a line for each cell, forecast and measurement beside it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from longreach.cli.fitted_table import Column, fits, print_fitted
from longreach.cli.output import console, note, write_bytes
from longreach.cli.progress import Bars, going_on
from longreach.cli.study_asked import StudyAsked, end, listed_names
from longreach.cli.summary import BRACKETS
from longreach.errors import InputError

if TYPE_CHECKING:
    from longreach.comparison.outcome import Outcome
    from longreach.results.cells import Spread
    from longreach.studies.study_definition import Study

FOR_LESS = "--scale smoke, some --tasks or --encodings, fewer --seeds"


def study_cells(chosen: Study, asked: StudyAsked) -> None:
    """Train what is missing, draw the figure and show the cells."""
    from longreach.experiments.running import check_runs
    from longreach.studies.study_run import run_study, study_members

    check_runs(asked.runs)
    tasks, encodings = listed_names("--tasks", asked.tasks), listed_names("--encodings", asked.encodings)
    places = chosen.select(tasks, encodings)
    if not places:
        raise InputError(f"--encodings: no cell of {chosen.name} is left")
    members = study_members(chosen, asked.scale, seeds=asked.seeds, places=places)
    if asked.dry_run:
        early = any(each.stop_early for each in members)
        asked.show_plan(chosen.name, members, less=FOR_LESS, stops_early=early)
        return
    asked.announce(members, less=FOR_LESS)
    with going_on():
        done = run_study(
            chosen, asked.scale,
            seeds=asked.seeds, places=places, runs=asked.runs, engine=asked.make() if asked.train else None,
            progress=Bars(overall=True, remarks=False), train=asked.train,
        )  # fmt: skip
    cells = done.cells
    path = asked.figure_path(chosen.name, chosen.formats[0])
    if path is not None:
        write_bytes(path, chosen.content(cells, asked.scale, path.suffix.lower()))
    if asked.as_json:
        asked.print_document(chosen, path, _document(chosen, cells))
    else:
        _print_cells(cells)
        if asked.scale == "smoke":
            print("\nsmoke scale: tiny models, no claim")
        else:
            _print_agreement(cells)
        if chosen.summary is not None:
            print(f"\n{chosen.summary(cells).text()}")
        if path is not None:
            note(f"wrote {path}")
    end(done.failed)


def _document(chosen: Study, found: Sequence[Outcome]) -> dict[str, Any]:
    from longreach.comparison.outcome import agreement

    document: dict[str, Any] = {
        "cells": [outcome.document() for outcome in found],
        "agreement": agreement(found),
    }
    if chosen.summary is not None:
        document["summary"] = chosen.summary(found).document()
    return document


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
