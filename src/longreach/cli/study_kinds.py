"""What `longreach study` does for each kind of study."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from longreach.cli.output import Column, console, fits, note, print_fitted, print_json, say, write_bytes
from longreach.cli.progress import Bars, going_on, print_plan, stage
from longreach.cli.train import BRACKETS, announce_members
from longreach.errors import InputError

if TYPE_CHECKING:
    from longreach.config.run import RunConfig
    from longreach.config.scales import Scale
    from longreach.runs.cells import Spread
    from longreach.runs.train import EngineMaker
    from longreach.studies.catalog import AnyStudy
    from longreach.studies.cells import Outcome
    from longreach.studies.losses import LossReport, LossStudy
    from longreach.studies.study import ComputedStudy, StandaloneStudy, Study
    from longreach.training.result import Result

# What `longreach study` was asked for, and what every kind of study does with it.


class PartName(StrEnum):
    development = "development"
    held_out = "held-out"
    all = "all"


@dataclass(frozen=True, kw_only=True)
class StudyAsked:
    """The options, as they were given."""

    scale: Scale
    tasks: str | None
    encodings: str | None
    seeds: int | None
    runs: Path
    out: Path | None
    dry_run: bool
    train: bool
    as_json: bool
    part: PartName
    train_to: str | None
    table: Path | None
    recipes: bool
    fit: bool
    make: Callable[[], EngineMaker]
    """The engine that the options describe."""
    here: Callable[[], bool]
    """Whether members train on this machine's processor."""
    device: str = "auto"
    text: tuple[Path, ...] = ()

    def refuse(self, study: str, reason: str, *options: str) -> None:
        """Options that a study cannot use are said, not ignored."""
        given = {
            "--tasks": self.tasks is not None,
            "--encodings": self.encodings is not None,
            "--seeds": self.seeds is not None,
            "--part": self.part is not PartName.all,
            "--train-to": self.train_to is not None,
            "--table": self.table is not None,
            "--recipes": self.recipes,
            "--fit": self.fit,
            "--text": bool(self.text),
        }
        for option in options:
            if given[option]:
                raise InputError(f"{option}: {study} {reason}")

    def check_out(self, formats: Sequence[str]) -> None:
        """Refuse a figure that cannot be written before anything is trained."""
        if self.out is None:
            return
        if self.out.suffix.lower() not in formats:
            raise InputError(f"--out: {self.out}: must end in {', '.join(formats)}")
        if not self.out.parent.is_dir():
            raise InputError(f"--out: {self.out}: no such directory")

    def figure_path(self, study: str, suffix: str) -> Path | None:
        """Where the figure goes; None where nothing is trained and none was asked for."""
        if self.out is not None:
            return self.out
        if not self.train:
            return None
        path = self.runs / "figures" / f"{study}-{self.scale}{suffix}"
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InputError(f"--runs: {path.parent}: cannot be created: {error.strerror}") from None
        return path

    def show_plan(
        self, study: str, members: Sequence[RunConfig], *, less: str, stops_early: bool = False
    ) -> None:
        """What would run, and how long it takes."""
        from longreach.runs.plan import plan

        planned = plan(members, self.runs, engine=self.make())
        if self.as_json:
            print_json({"study": study, "scale": self.scale, **planned.document()})
        else:
            print_plan(planned, less=less, stops_early=stops_early)

    def print_document(self, study: AnyStudy, figure: Path | None, found: Mapping[str, Any]) -> None:
        """What a study found, as JSON, behind what it is."""
        heading = {"study": study.name, "title": study.title, "source": study.source, "scale": self.scale}
        print_json({**heading, "figure": None if figure is None else str(figure), **found})

    def announce(self, members: Sequence[RunConfig], *, less: str) -> None:
        """Say what will run where it trains on this machine."""
        if not self.train:
            return
        make = self.make()
        if self.here():
            announce_members(members, self.runs, make, less)


def listed_names(option: str, text: str | None) -> list[str] | None:
    """The names in an option.

    >>> listed_names("--tasks", "a, b")
    ['a', 'b']
    """
    if text is None:
        return None
    names = [part.strip() for part in text.split(",")]
    if not all(names):
        raise InputError(f"{option}: {text!r} is not a list of names, as in a,b")
    return names


def end(failed: Iterable[Result]) -> None:
    """Say which members failed; the exit code is then 1."""
    every = list(failed)
    for result in every:
        note(f"{result.key}: {(result.error or 'failed').splitlines()[0]}")
    if every:
        raise typer.Exit(1)


# `longreach study` for tasks under encodings: a line for each cell, forecast and measurement beside it.


FEWER_CELLS = "--scale smoke, some --tasks or --encodings, fewer --seeds"


def study_cells(chosen: Study, asked: StudyAsked) -> None:
    """Train what is missing, draw the figure and show the cells."""
    from longreach.runs.train import check_runs
    from longreach.studies.study import run_study, study_members

    check_runs(asked.runs)
    tasks, encodings = listed_names("--tasks", asked.tasks), listed_names("--encodings", asked.encodings)
    places = chosen.select(tasks, encodings)
    if not places:
        raise InputError(f"--encodings: no cell of {chosen.name} is left")
    members = study_members(chosen, asked.scale, seeds=asked.seeds, places=places)
    if asked.dry_run:
        early = any(each.stop_early for each in members)
        asked.show_plan(chosen.name, members, less=FEWER_CELLS, stops_early=early)
        return
    asked.announce(members, less=FEWER_CELLS)
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
    from longreach.studies.cells import agreement

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
    from longreach.studies.cells import agreement

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


# `longreach study` for tasks with numbers as answers: losses by length, the least N, bounds beside it.


FEWER_LOSSES = "--scale smoke, some --tasks, fewer --seeds"


def loss_study(study: LossStudy, asked: StudyAsked) -> None:
    """Train what is missing, then show the whole of it; the exit code is 1 when a member failed."""
    from longreach.runs.train import check_runs
    from longreach.studies.losses import run_loss_study

    asked.refuse(study.name, "trains models that have the positions of their tasks", "--encodings")
    check_runs(asked.runs)
    tasks = task_names(asked.tasks)
    members = study.members(asked.scale, asked.seeds, tasks)
    if asked.dry_run:
        asked.show_plan(study.name, members, less=FEWER_LOSSES, stops_early=True)
        return
    asked.announce(members, less=FEWER_LOSSES)
    with going_on():
        done = run_loss_study(
            study, asked.scale,
            seeds=asked.seeds, tasks=tasks, runs=asked.runs, engine=asked.make() if asked.train else None,
            progress=Bars(overall=True, remarks=False), train=asked.train,
        )  # fmt: skip
    path = asked.figure_path(study.name, study.formats[0])
    if path is not None:
        write_bytes(path, study.content(done.report, asked.scale, path.suffix.lower()))
    if asked.as_json:
        asked.print_document(study, path, {"law": study.law, **done.report.document()})
    else:
        _print(study, done.report, asked.scale)
        if path is not None:
            note(f"wrote {path}")
    end(done.failed)


def task_names(text: str | None) -> list[str] | None:
    """Names with parameters: a comma before a parameter does not end one.

    >>> task_names("modp-task:p=2,k=0,modp-task:p=3")
    ['modp-task:p=2,k=0', 'modp-task:p=3,k=0']
    """
    names = listed_names("--tasks", text)
    if names is None:
        return None
    from longreach.tasks.names import FamilyName, has_numbers

    joined: list[str] = []
    for part in names:
        if joined and "=" in part and ":" not in part:
            joined[-1] += f",{part}"
        else:
            joined.append(part)
    return [FamilyName.read(each).text if has_numbers(each) else each for each in joined]


def _print(study: LossStudy, report: LossReport, scale: Scale) -> None:
    from longreach.studies.losses import CELLS, THRESHOLDS, cell_lines, law_lines, threshold_lines

    ranks = {"runs": 4, "at the target loss": 3, "training": 2, "lowest": 5, "highest": 5}
    columns = [Column(title, rank=ranks.get(title, 0), right=title != "task") for title in CELLS]
    print_fitted(columns, cell_lines(report))
    print()
    shown = [Column(title, rank=1 if title == "by seed" else 0, right=False) for title in THRESHOLDS]
    print_fitted(shown, threshold_lines(report))
    print()
    if scale == "smoke":
        print("smoke scale: tiny models, no claim")
        return
    for line in law_lines(report, study.law):
        print(line)


# `longreach study` for studies that compute and train nothing.


def computed_study(study: ComputedStudy, asked: StudyAsked) -> None:
    """Compute, then the document or the table, and the figure."""
    asked.refuse(study.name, "computes and trains nothing", "--tasks", "--encodings", "--seeds")
    if asked.dry_run:
        if asked.as_json:
            asked.print_document(study, None, {"jobs": 0})
        else:
            say(f"0 jobs: {study.name} computes and trains nothing; {study.time}")
        return
    with stage(f"computing {study.name}"):
        report = study.compute(asked.scale)
    path = asked.figure_path(study.name, study.formats[0])
    if path is not None:
        write_bytes(path, study.content(report, asked.scale, path.suffix.lower()))
    if asked.as_json:
        asked.print_document(study, path, report.document)
        return
    ranks = {title: len(report.spare) - place for place, title in enumerate(report.spare)}
    columns = [Column(title, rank=ranks.get(title, 0), right=False) for title in report.columns]
    print_fitted(columns, report.lines)
    for remark in report.remarks:
        say(f"\n{remark}")
    if path is not None:
        note(f"wrote {path}")


# `longreach study` for studies that train no members of `longreach train`.


OPTIONS = ("--tasks", "--encodings", "--seeds", "--part", "--train-to", "--table", "--recipes", "--fit")


def standalone(chosen: StandaloneStudy, asked: StudyAsked) -> None:
    """Compute what is missing; then the document or the text, and the figure."""
    from longreach.studies.study import StandaloneAsked

    asked.refuse(chosen.name, "has no use for it", *(each for each in OPTIONS if each not in chosen.options))
    with contextlib.ExitStack() as speaking:

        def tell(doing: str) -> None:
            speaking.close()
            speaking.enter_context(stage(doing))

        wanted = StandaloneAsked(
            scale=asked.scale,
            seeds=asked.seeds,
            runs=asked.runs,
            held_out=asked.part is PartName.held_out,
            train=asked.train,
            tell=tell,
            table=asked.table,
            fit=asked.fit,
            progress=tell if sys.stderr is not None and sys.stderr.isatty() else lambda _: None,
        )
        if asked.dry_run:
            planned = {"study": chosen.name, "scale": asked.scale, **chosen.plan(wanted)}
            if asked.as_json:
                print_json(planned)
            else:
                say(f"{planned['jobs']} jobs, {planned['done']} of them done; {chosen.time}")
            return
        done = chosen.run(wanted)
    path = asked.figure_path(chosen.name, chosen.formats[0])
    if path is not None:
        write_bytes(path, done.content(path.suffix.lower(), chosen.heading(asked.scale)))
    if asked.as_json:
        asked.print_document(chosen, path, done.document())
        return
    say(done.text(), end="")
    if asked.scale == "smoke":
        say("smoke scale: few steps and runs, no claim")
    if path is not None:
        note(f"wrote {path}")


# `longreach study` for studies whose cells are not tasks under encodings.


FEWER_SEEDS = "--scale smoke, fewer --seeds"


def own_study(chosen: Study, asked: StudyAsked) -> None:
    """Train what is missing, with bars; then the document or the text, the figure, and whoever failed."""
    assert chosen.own is not None, chosen.name
    from longreach.runs.train import check_runs

    asked.refuse(chosen.name, "has cells of its own", "--tasks", "--encodings")
    check_runs(asked.runs)
    members = chosen.members(asked.scale, asked.seeds)
    if asked.dry_run:
        # Where fewer seeds decide, the others are spared.
        asked.show_plan(chosen.name, members, less=FEWER_SEEDS, stops_early=True)
        return
    if members:
        asked.announce(members, less=FEWER_SEEDS)
    with going_on():
        done = chosen.own.run(
            asked.scale,
            seeds=asked.seeds,
            runs=asked.runs,
            engine=asked.make() if asked.train else None,
            progress=Bars(overall=True, remarks=False),
            train=asked.train,
        )
    path = asked.figure_path(chosen.name, chosen.formats[0])
    if path is not None:
        write_bytes(path, done.content(path.suffix.lower(), chosen.heading(asked.scale)))
    if asked.as_json:
        asked.print_document(chosen, path, done.document())
    else:
        say(done.text(), end="")
        if asked.scale == "smoke":
            say("\nsmoke scale: tiny models, no claim")
        if path is not None:
            note(f"wrote {path}")
    end(done.failed)
