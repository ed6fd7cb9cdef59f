"""`longreach threshold`: from which training length on models work at a long length."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from longreach.cli.options import (
    DEFAULT_RUNS,
    INTERRUPTED,
    IndexHintsOption,
    JsonOption,
    ReversedOption,
    RunsOption,
    ScratchpadOption,
    changed_name,
)
from longreach.cli.output import (
    check_file,
    console,
    note,
    print_hanging,
    print_json,
    print_table,
    write_bytes,
)
from longreach.cli.progress import Bars
from longreach.cli.training_options import (
    HERE,
    ScaleName,
    ScaleOption,
    Where,
    given_settings,
    help_of,
    with_engine_options,
    with_setting_options,
)
from longreach.errors import InputError
from longreach.figures import FORMATS
from longreach.theory.names import TaskName
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
@with_engine_options
def threshold(
    task: Annotated[str, typer.Argument(metavar="TASK", help=help_of("task"))],
    *,
    scratchpad: ScratchpadOption = False,
    reversed_: ReversedOption = False,
    index_hints: IndexHintsOption = False,
    to: Annotated[
        int | None,
        typer.Option(metavar="L", help="The length to reach; default: three times the training length."),
    ] = None,
    loss: Annotated[
        float | None,
        typer.Option(metavar="E", help="Where answers are numbers: the largest error at which runs work."),
    ] = None,
    seeds: Annotated[int, typer.Option(metavar="K", help="Most runs for each training length.")] = 3,
    every_seed: Annotated[
        bool, typer.Option("--every-seed", help="Train all seeds, even where fewer decide.")
    ] = False,
    minutes: Annotated[
        float, typer.Option(metavar="M", help="Time to measure; 0: use existing runs only.")
    ] = 10.0,
    most: Annotated[
        int | None,
        typer.Option(
            metavar="N", help="The longest training length (default: below the tested ones, 40 at 3N)."
        ),
    ] = None,
    within: Annotated[int, typer.Option(metavar="W", help="How close the answer must be; 1: exact.")] = 1,
    lengths: Annotated[
        str | None,
        typer.Option(metavar="A,B,…", help="Measure these training lengths and no others."),
    ] = None,
    scale: ScaleOption = ScaleName.laptop,
    where: Where = HERE,
    runs: RunsOption = DEFAULT_RUNS,
    out: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Where to draw the curve, as .svg, .png or .pdf."),
    ] = None,
    as_json: JsonOption = False,
    **settings: Any,
) -> None:
    """Find the least training length at which models generalize: `longreach ask TASK --to L`.

    Training lengths are doubled until runs work, then bisected; once the seeds so far decide a length, the
    others are not trained. Finished runs are reused: run the same command again to resume. Models trained to
    N are tested on lengths in (2N, 3N], or with --to L on lengths in (2L/3, L]. Where answers are numbers, as
    in simple-task:omega=2, runs work when their mean squared error is small. Exit code 1 if a run failed.

    Example: longreach threshold "regex:(aa)*" --to 60
    """
    task = changed_name(task, scratchpad=scratchpad, reversed_=reversed_, index_hints=index_hints)
    if settings["alphabet"] is not None and not TaskName(task).has_alphabet:
        raise InputError("--alphabet: goes with a TASK regex:… or states:…")
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

    path = out
    if path is None:
        path = runs / "figures" / f"{found.question.file_stem}.svg"
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InputError(f"--runs: {path.parent}: cannot be created: {error.strerror}") from None
    write_bytes(path, figure_content(found, path.suffix.lower()))
    return path


def _print(found: ThresholdAnswer, figure: Path | None) -> None:
    out = console()
    out.print(f"{found.title}, tested on {found.tested_words}", style="bold", markup=False)
    if found.cells:
        out.print()
        columns = [Column("trained to"), Column("tested", rank=3, right=False), Column("work")]
        print_table(Table([*columns, *_columns(found)], [_line(found, cell) for cell in found.cells]))
    out.print()
    out.print(f"measured: {found.sentence}" if found.cells else found.words, style="bold", markup=False)
    for remark in found.remarks:
        print_hanging(out, remark, 2, 4)
    print_hanging(out, f"theory:   {found.theory.words}", 0, 10)
    for line in (*found.bounds_words, *found.theory.notes):
        print_hanging(out, line, 2, 4)
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
