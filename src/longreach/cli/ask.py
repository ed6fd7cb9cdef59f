"""`longreach ask`: will it work on longer inputs, from which training length on, and what would help."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from longreach.cli.alphabet_option import alphabet_of_task
from longreach.cli.change_options import IndexHintsOption, ReversedOption, ScratchpadOption, changed_name
from longreach.cli.output import check_directory, check_page, console, note, print_json, write_text
from longreach.cli.progress import Bars
from longreach.cli.shared_options import (
    DEFAULT_RUNS,
    INTERRUPTED,
    AlphabetOption,
    BudgetOption,
    JsonOption,
    PageOption,
    RunsOption,
    TaskArgument,
    TrainToOption,
)
from longreach.cli.verdict_text import STYLES as VERDICT_STYLES
from longreach.verdicts.verdict import Answer

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

    from longreach.answer import ThreeAnswers
    from longreach.answer.answers_to_words import Block, Line

WIDE = 120
"""Columns from which on a line of an answer stands on one line."""


def ask(
    task: TaskArgument,
    alphabet: AlphabetOption = None,
    scratchpad: ScratchpadOption = False,
    reversed_: ReversedOption = False,
    index_hints: IndexHintsOption = False,
    encoding: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="A positional encoding, again for more; default: nope and ape."),
    ] = None,
    minutes: Annotated[
        float, typer.Option(metavar="M", help="How long to measure; 0: the forecast alone.")
    ] = 2.0,
    seeds: Annotated[int, typer.Option(metavar="K", help="Runs of each kind.")] = 3,
    train_to: TrainToOption = None,
    budget: BudgetOption = None,
    runs: RunsOption = DEFAULT_RUNS,
    out: PageOption = None,
    as_json: JsonOption = False,
) -> None:
    """Answer three questions on a task: will it work on longer inputs, from which length on, what helps.

    The forecast comes from theory; then small transformers are trained within the minutes and measured.
    What was measured before is not measured again, and the same command goes on where it was.

    Example: longreach ask "regex:(aa)*"
    """
    task = changed_name(task, scratchpad=scratchpad, reversed_=reversed_, index_hints=index_hints)
    letters = alphabet_of_task(alphabet, task)
    check_page(out, "--out")
    check_directory(runs, "--runs")
    from longreach.answer import ask as answer

    found = answer(
        task,
        letters,
        encodings=("nope", "ape") if not encoding else tuple(encoding),
        minutes=minutes,
        seeds=seeds,
        train_to=train_to,
        budget=budget,
        runs=runs,
        progress=Bars(overall=True),
    )
    page = out
    if page is None and minutes:
        page = runs / f"{found.question.file_stem}.html"
    if page is not None:
        write_text(page, _page(found, runs))
    if as_json:
        print_json({**found.document(), "page": None if page is None else str(page)})
    else:
        _print(found, page)
    if found.measurement.interrupted:
        note("interrupted; the same command goes on where it was")
        raise typer.Exit(INTERRUPTED)


def _page(found: ThreeAnswers, runs: Path) -> str:
    from longreach.answer.answers_to_words import blocks, heading, judgement_words
    from longreach.report.answer_page import render_answer_page

    title, about = heading(found)
    return render_answer_page(
        title,
        about,
        blocks=blocks(found),
        judgement=" ".join(judgement_words(found)),
        task=found.question.task,
        runs=runs if runs.is_dir() else None,
        alphabet=found.question.alphabet,
    )


def _print(found: ThreeAnswers, page: Path | None) -> None:
    from longreach.answer.answers_to_words import blocks, heading, judgement_words, took

    out = console()
    name, about = heading(found)
    out.print(name, style="bold", markup=False, highlight=False, end="")
    out.print(f"   {about}", style="dim", markup=False, highlight=False)
    for block in blocks(found):
        out.print()
        out.print(block.question, style="bold", markup=False, highlight=False)
        _print_block(out, block)
    out.print()
    for sentence in judgement_words(found):
        out.print(sentence, markup=False, highlight=False)
    time = [took(found.seconds)] if found.question.minutes else []
    footer = ([] if page is None else [f"page: {page}"]) + time
    if footer:
        out.print(" · ".join(footer), style="dim", markup=False, highlight=False)


def _print_block(out: Console, block: Block) -> None:
    """On wide terminals and in pipes a line each; otherwise what it rests on stands below."""
    from rich.padding import Padding
    from rich.table import Table
    from rich.text import Text

    if out.soft_wrap:
        for row in _plain(block):
            out.print(row, markup=False)
        return
    if out.width >= WIDE:
        table = Table.grid(padding=(0, 3, 0, 0))
        for column in range(3):
            table.add_column(no_wrap=column < 2)
        for line in block.lines:
            table.add_row(Text(line.label), _said(line), Text(_rests(line, " · "), "dim"))
        out.print(Padding(table, (0, 0, 0, 2), expand=False))
        return
    width = _width(block)
    for line in block.lines:
        first = Text(line.label.ljust(width) if line.says else line.label)
        if line.says:
            first.append("   ").append_text(_said(line))
        out.print(Padding(first, (0, 0, 0, 2), expand=False))
        for part in (line.basis, line.measured):
            if part:
                out.print(Padding(Text(part, "dim"), (0, 0, 0, 6), expand=False))


def _plain(block: Block) -> list[str]:
    """A line each, whole, in columns."""
    width, said = _width(block), max(len(line.says) for line in block.lines)
    rows = []
    for line in block.lines:
        first = [line.label.ljust(width), line.says.ljust(said)] if said else [line.label]
        rows.append("  " + "   ".join([*first, _rests(line, " · ")]).rstrip())
    return rows


def _width(block: Block) -> int:
    """Of the column of labels."""
    return max((len(line.label) for line in block.lines if line.says), default=0)


STYLES = {answer.expectation: f"bold {VERDICT_STYLES[answer.value]}" for answer in Answer}
"""As `longreach forecast` has them."""


def _said(line: Line) -> Text:
    from rich.text import Text

    return Text(line.says, STYLES.get(line.says, "bold"))


def _rests(line: Line, between: str) -> str:
    return between.join(part for part in (line.basis, line.measured) if part)
