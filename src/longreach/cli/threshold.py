"""`longreach threshold`: from which training length on models work at a long length."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from longreach.cli.options import (
    DEFAULT_RUNS,
    INTERRUPTED,
    UNCHANGED,
    Changes,
    JsonOption,
    RunsOption,
    flag,
    option,
)
from longreach.cli.output import check_file, console, figure_path, note, print_json, write_bytes
from longreach.cli.progress import Bars
from longreach.cli.training_options import (
    HERE,
    ScaleName,
    ScaleOption,
    Where,
    check_alphabet,
    given_settings,
    help_of,
    with_setting_options,
)
from longreach.errors import InputError
from longreach.figures import FORMATS
from longreach.wording import Column, Table

if TYPE_CHECKING:
    from longreach.answers.judge import MeasuredCell
    from longreach.answers.threshold import ThresholdAnswer
    from longreach.runs.train import EngineMaker

STRIP = 24
"""Columns from 0 to 100 % in the strip of runs."""
CHOSEN = ("train_lengths", "test_lengths")
"""Settings that the search chooses."""


@partial(with_setting_options, without=CHOSEN)
def threshold(
    task: Annotated[str, typer.Argument(metavar="TASK", help=help_of("task"))],
    *,
    changes: Changes = UNCHANGED,
    to: Annotated[
        int | None, option("The target length (default: three times the training length).", "L")
    ] = None,
    loss: Annotated[
        float | None, option("Where answers are numbers: the largest error at which runs work.", "E")
    ] = None,
    seeds: Annotated[int, option("Maximum number of runs per training length.", "K")] = 3,
    every_seed: Annotated[bool, flag("--every-seed", "Train all seeds, even where fewer decide.")] = False,
    minutes: Annotated[float, option("Time to measure; 0: use existing runs only.", "M")] = 10.0,
    most: Annotated[
        int | None,
        option(
            "The longest training length to try (default: just below the tested ones; 40 without --to).", "N"
        ),
    ] = None,
    within: Annotated[int, option("How close the answer must be; 1 is exact.", "W")] = 1,
    lengths: Annotated[str | None, option("Measure only these training lengths.", "A,B,…")] = None,
    scale: ScaleOption = ScaleName.laptop,
    where: Where = HERE,
    runs: RunsOption = DEFAULT_RUNS,
    out: Annotated[Path | None, option("Where to draw the curve, as .svg, .png or .pdf.", "FILE")] = None,
    as_json: JsonOption = False,
    **settings: Any,
) -> None:
    """Find the shortest training length that generalizes: `longreach ask TASK --to L`.

    Doubles the training length until runs work, then bisects; a length gets no more seeds once it is decided.
    Models trained to N are tested on lengths in (2N, 3N], or with --to L on lengths in (2L/3, L]. Where
    answers are numbers, as in simple-task:omega=2, runs work when their mean squared error is small. Finished
    runs are reused: run the same command again to resume. Exit code 1 if a run failed.

    Example: longreach threshold "regex:(aa)*" --to 60
    """
    task = changes.of(task, settings["alphabet"])
    check_alphabet(settings, task)
    check_file(out, "--out", FORMATS)
    chosen = _lengths(lengths)
    given = given_settings(settings)
    make: EngineMaker | None = None
    here = True
    from longreach.answers.threshold import threshold as search

    if minutes:
        make, here = where.engine_maker(runs), where.is_here
    found = search(
        task, given.pop("encoding", None),
        to=to, loss=loss, seeds=seeds, every_seed=every_seed, minutes=minutes, most=most, within=within,
        lengths=chosen, scale=scale.value, runs=runs, engine=make, here=here, progress=Bars(overall=True),
        **given,
    )  # fmt: skip
    figure = _figure(found, runs, out, minutes)
    if as_json:
        for remark in found.remarks:
            note(remark)
        print_json({**found.document(), "figure": None if figure is None else str(figure)})
    else:
        _print(found, figure)
    for result in found.failed:
        note(f"{result.key}: {(result.error or 'failed').splitlines()[0]}")
    if found.stopped == "interrupted":
        raise typer.Exit(INTERRUPTED)
    if found.failed:
        raise typer.Exit(1)


def _lengths(text: str | None) -> tuple[int, ...] | None:
    if text is None:
        return None
    parts = [part.strip() for part in text.split(",")]
    if not all(part.isascii() and part.isdigit() and len(part) < 7 for part in parts):
        raise InputError(f"--lengths: {text!r} is not a list of lengths, as in 5,10,20")
    return tuple(map(int, parts))


def _figure(found: ThresholdAnswer, runs: Path, out: Path | None, minutes: float) -> Path | None:
    """Where the curve was written; nowhere without runs, or where nothing was to be measured or written."""
    if not found.cells or (out is None and not minutes):
        return None
    from longreach.answers.threshold_figure import figure_content

    path = out or figure_path(runs, f"{found.question.file_stem}.svg")
    write_bytes(path, figure_content(found, path.suffix.lower()))
    return path


def _print(found: ThresholdAnswer, figure: Path | None) -> None:
    out = console()
    out.text(f"{found.title}, tested on {found.tested_words}", "bold")
    if found.cells:
        out.print()
        columns = [Column("trained to"), Column("tested", rank=3, right=False), Column("work")]
        out.table(Table([*columns, *_columns(found)], [_line(found, cell) for cell in found.cells]))
    out.print()
    out.text(f"measured: {found.sentence}" if found.cells else found.words, "bold")
    for remark in found.remarks:
        out.hanging(remark, 2, 4)
    out.hanging(f"theory:   {found.theory.words}", 0, 10)
    for line in (*found.bounds_words, *found.theory.notes):
        out.hanging(line, 2, 4)
    if figure is not None:
        note(f"wrote {figure}")


def _columns(found: ThresholdAnswer) -> list[Column]:
    if found.question.has_numbers:
        return [Column(f"error of each run, {found.criterion.level:g} or less works", rank=1, right=False)]
    return [
        Column("accuracy of each run", rank=1, right=False),
        Column("0 %" + "100 %".rjust(STRIP - 3), rank=2, right=False),
    ]


def _line(found: ThresholdAnswer, cell: MeasuredCell) -> list[str]:
    first = [str(cell.train_to), cell.tested.name, f"{cell.tally.work} of {cell.tally.runs}"]
    if found.question.has_numbers:
        return [*first, " ".join(f"{value:.2e}" for value in cell.values)]
    shares = " ".join(f"{100 * share:.1f}" for share in cell.values)
    return [*first, shares, strip(cell.values, found.criterion.level)]


def strip(shares: tuple[float, ...], level: float) -> str:
    """Runs on a line from 0 to 100 %, with a bar where they begin to work; digits count those in one place.

    >>> strip((0.0, 1.0, 1.0), 0.5)
    'o···········|··········2'
    """
    places = [round(share * (STRIP - 1)) for share in shares]
    bar = round(level * (STRIP - 1))
    marks = []
    for place in range(STRIP):
        count = places.count(place)
        empty = "|" if place == bar else "·"
        marks.append(empty if not count else "o" if count == 1 else str(count) if count < 10 else "*")
    return "".join(marks)
