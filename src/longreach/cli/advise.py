"""`longreach advise`: what would help a task, and whether it does when tried."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from longreach.cli.alphabet_option import alphabet_of_task
from longreach.cli.change_options import IndexHintsOption, ReversedOption, ScratchpadOption, changed_name
from longreach.cli.fitted_table import Column, print_fitted
from longreach.cli.output import check_directory, check_page, console, note, print_json, write_text
from longreach.cli.progress import Bars
from longreach.cli.shared_options import (
    DEFAULT_RUNS,
    INTERRUPTED,
    AlphabetOption,
    JsonOption,
    PageOption,
    RunsOption,
    TaskArgument,
    TrainToOption,
)
from longreach.cli.verdict_text import print_hanging

if TYPE_CHECKING:
    from rich.console import Console

    from longreach.advice import TaskAdvice


def advise(
    task: TaskArgument,
    alphabet: AlphabetOption = None,
    scratchpad: ScratchpadOption = False,
    reversed_: ReversedOption = False,
    index_hints: IndexHintsOption = False,
    minutes: Annotated[
        float, typer.Option(metavar="M", help="How long to try; 0: theory and measured sparsity alone.")
    ] = 5.0,
    seeds: Annotated[int, typer.Option(metavar="K", help="Runs of the original and of each change.")] = 2,
    train_to: TrainToOption = None,
    runs: RunsOption = DEFAULT_RUNS,
    out: PageOption = None,
    as_json: JsonOption = False,
) -> None:
    """Say what would help a task that fails on longer inputs, and try it beside the original.

    Theory names the changes: another encoding, steps written down, reversed answers, coupled position ids,
    index hints. Then the original and the surest change are trained with the same steps, and tested on inputs
    three times as long; if that fails, the next one. The same command goes on where it was.

    Example: longreach advise parity --minutes 5
    """
    name = changed_name(task, scratchpad=scratchpad, reversed_=reversed_, index_hints=index_hints)
    letters = alphabet_of_task(alphabet, name)
    check_page(out, "--out")
    check_directory(runs, "--runs")
    from longreach.advice import advise as advice_on

    found = advice_on(
        name,
        letters,
        minutes=minutes,
        seeds=seeds,
        train_to=train_to,
        runs=runs,
        progress=Bars(overall=True),
    )
    page = out
    if page is None and found.trials.tried:
        page = runs / f"{found.question.file_stem}.html"
    if page is not None:
        from longreach.report.advice_page import render_advice_page

        write_text(page, render_advice_page(found))
    if as_json:
        print_json({**found.document(), "page": None if page is None else str(page)})
    else:
        _print(found, page)
    if found.trials.interrupted:
        note("interrupted; the same command goes on where it was")
        raise typer.Exit(INTERRUPTED)


def _print(found: TaskAdvice, page: Path | None) -> None:
    from rich.text import Text

    from longreach.advice.advice_words import conclusion, time_words, title
    from longreach.cli.verdict_text import print_heading, print_side
    from longreach.verdicts.plain_words import clause, rests_on, side_title

    out = console()
    print_heading(out, title(found), found.forecast.task.about)
    for key in ("nope", "ape"):
        side = found.forecast.sides[key]
        print_side(out, side_title(key), side.trained, clause(side), rests_on(side))
    if found.remedies:
        _print_title(out, "What would help, by theory")
    for number, remedy in enumerate(found.remedies, 1):
        print_hanging(out, Text(f"{number}  {remedy.change}"), 2, 5)
        print_hanging(out, Text(remedy.basis, "dim"), 5)
        if (known := found.in_study(remedy)) is not None:
            print_hanging(out, Text(known.words), 5)
    if found.sparsity:
        _print_title(out, "On how many tokens each step depends, measured from examples")
        width = max(len(each.name) for each in found.sparsity)
        for each in found.sparsity:
            print_hanging(out, Text(f"{each.name.ljust(width)}   {each.words}"), 2, width + 5)
    if found.trials.tried:
        _print_trials(out, found)
    for remedy, seconds in found.trials.untried:
        print_hanging(out, Text(f"no time was left for {remedy.name}, {time_words(seconds)}", "dim"), 2, 4)
    for remedy, reason in found.trials.refused:
        print_hanging(out, Text(f"not tried at these lengths: {remedy.name}: {reason}", "dim"), 2, 4)
    out.print()
    print_hanging(out, Text(conclusion(found), "bold"), 0)
    if found.best is not None:
        out.print(Text(f"  train it: {found.best.command}", "dim"), soft_wrap=True)
    if page is not None:
        out.print(Text(f"  page: {page}", "dim"), soft_wrap=True)


def _print_title(out: Console, title: str) -> None:
    out.print()
    out.print(title, style="bold", markup=False, highlight=False)


def _print_trials(out: Console, found: TaskAdvice) -> None:
    """Accuracy by length, a row for the original and for each change."""
    from longreach.advice.advice_words import shares_words, trial_name, trial_ranges

    original = found.trials.original
    trials = [*([] if original is None else [original]), *(trial for _, trial in found.trials.tried)]
    first = trials[0].cell
    steps = f"{first.steps:,} steps each, trained to {first.train_to}"
    _print_title(out, f"Tried: {steps}; right on whole inputs of these lengths")
    rows = [
        [
            trial_name(trial),
            *(shares_words(trial.span(lengths)) for lengths in trial_ranges(found)),
            trial.cell.words,
        ]
        for trial in trials
    ]
    columns = [
        Column("", right=False),
        *(Column(lengths.words) for lengths in trial_ranges(found)),
        Column("at the longest", right=False),
    ]
    print_fitted(columns, rows)
