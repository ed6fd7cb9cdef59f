"""`longreach ask` and `longreach advise`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from longreach.cli.options import (
    DEFAULT_RUNS,
    INTERRUPTED,
    AlphabetOption,
    BudgetOption,
    IndexHintsOption,
    JsonOption,
    PageOption,
    ReversedOption,
    RunsOption,
    ScratchpadOption,
    TaskArgument,
    TrainToOption,
    alphabet_of_task,
    changed_name,
)
from longreach.cli.output import STYLES as VERDICT_STYLES
from longreach.cli.output import (
    check_directory,
    check_page,
    console,
    note,
    print_hanging,
    print_json,
    print_table,
    write_text,
)
from longreach.cli.progress import Bars
from longreach.errors import InputError
from longreach.theory.verdicts.verdict import Answer
from longreach.wording import Column, Table, duration, roughly

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

    from longreach.answers.advice import TaskAdvice
    from longreach.answers.ask import Block, Line, ThreeAnswers

MORE = "Other questions"
WIDE = 120
"""Terminals at least this wide show each answer on one line."""


def ask(
    task: TaskArgument,
    alphabet: AlphabetOption = None,
    scratchpad: ScratchpadOption = False,
    reversed_: ReversedOption = False,
    index_hints: IndexHintsOption = False,
    encoding: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="A positional encoding; repeat for more (default: nope and ape)."),
    ] = None,
    minutes: Annotated[
        float | None,
        typer.Option(
            metavar="M", help="Time to measure (default: 2, with --try 5, with --to 10); 0: forecast only."
        ),
    ] = None,
    seeds: Annotated[
        int | None, typer.Option(metavar="K", help="Runs of each kind (default: 3, with --try 2).")
    ] = None,
    train_to: TrainToOption = None,
    budget: BudgetOption = None,
    runs: RunsOption = DEFAULT_RUNS,
    out: Annotated[
        Path | None,
        typer.Option(metavar="FILE.html", help="The page, or with --to the figure (default: in --runs)."),
    ] = None,
    as_json: JsonOption = False,
    tried: Annotated[
        bool, typer.Option("--try", help="Train what should help beside the original.", rich_help_panel=MORE)
    ] = False,
    to: Annotated[
        int | None,
        typer.Option(
            metavar="L", help="Find the least training length that reaches length L.", rich_help_panel=MORE
        ),
    ] = None,
    lengths: Annotated[
        str | None,
        typer.Option(
            metavar="A,B,…", help="Measure these training lengths and no others.", rich_help_panel=MORE
        ),
    ] = None,
) -> None:
    """Will it work on longer inputs, from which length on, what helps?

    First a forecast from theory; then small transformers are trained and measured within --minutes.
    With --try, what should help is trained beside the original. With --to or --lengths, the training length
    is searched. Finished runs are reused: run the same command again to resume.

    Example: longreach ask "regex:(aa)*"
    """
    if tried or to is not None or lengths is not None:
        _check_alone(tried, to, lengths, train_to=train_to, budget=budget, encoding=encoding)
    if tried:
        minutes, seeds = 5.0 if minutes is None else minutes, 2 if seeds is None else seeds
        advise(
            task, alphabet, scratchpad, reversed_, index_hints, minutes, seeds, train_to, runs, out, as_json
        )
        return
    if to is not None or lengths is not None:
        from longreach.cli.threshold import threshold

        minutes, seeds = 10.0 if minutes is None else minutes, 3 if seeds is None else seeds
        threshold(
            task, scratchpad=scratchpad, reversed_=reversed_, index_hints=index_hints, to=to, seeds=seeds,
            minutes=minutes, lengths=lengths, runs=runs, out=out, as_json=as_json, alphabet=alphabet,
            **({} if not encoding else {"encoding": encoding[0]}),
        )  # fmt: skip
        return
    minutes, seeds = 2.0 if minutes is None else minutes, 3 if seeds is None else seeds
    task = changed_name(task, scratchpad=scratchpad, reversed_=reversed_, index_hints=index_hints)
    letters = alphabet_of_task(alphabet, task)
    check_page(out, "--out")
    check_directory(runs, "--runs")
    from longreach.answers.ask import ask as answer

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
        _print_answers(found, page)
    _end(found.measurement.interrupted)


def _check_alone(
    tried: bool,
    to: int | None,
    lengths: str | None,
    *,
    train_to: int | None,
    budget: float | None,
    encoding: list[str] | None,
) -> None:
    """Refuse options that the other question has no use for."""
    asked = "--try" if tried else "--to" if to is not None else "--lengths"
    if tried and (to is not None or lengths is not None):
        raise InputError(f"--try: goes without {'--to' if to is not None else '--lengths'}")
    if budget is not None:
        raise InputError(f"--budget: goes without {asked}")
    if tried and encoding:
        raise InputError("--encoding: goes without --try")
    if not tried and train_to is not None:
        raise InputError(f"--train-to: goes without {asked}")
    if not tried and encoding and len(encoding) > 1:
        raise InputError(f"--encoding: one at a time with {asked}")


def _end(interrupted: bool) -> None:
    if interrupted:
        note("interrupted; run the same command again to resume")
        raise typer.Exit(INTERRUPTED)


def _page(found: ThreeAnswers, runs: Path) -> str:
    from longreach.answers.ask import blocks, heading, judgement_words
    from longreach.report.pages import render_answer_page

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


def _print_answers(found: ThreeAnswers, page: Path | None) -> None:
    from longreach.answers.ask import blocks, heading, judgement_words

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
    time = [duration(found.seconds)] if found.question.minutes else []
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


# What would help a task, and whether it does when tried.


def advise(
    task: TaskArgument,
    alphabet: AlphabetOption = None,
    scratchpad: ScratchpadOption = False,
    reversed_: ReversedOption = False,
    index_hints: IndexHintsOption = False,
    minutes: Annotated[
        float, typer.Option(metavar="M", help="Time to train; 0: theory and measured sparsity only.")
    ] = 5.0,
    seeds: Annotated[int, typer.Option(metavar="K", help="Runs of the original and of each change.")] = 2,
    train_to: TrainToOption = None,
    runs: RunsOption = DEFAULT_RUNS,
    out: PageOption = None,
    as_json: JsonOption = False,
) -> None:
    """Say what would help a task that fails on longer inputs, and try it: `longreach ask TASK --try`.

    Theory names the changes: another encoding, a scratchpad, reversed answers, coupled position ids, index
    hints. Then the original and the most promising change are trained with the same steps and tested on
    inputs three times as long; if the change fails, the next one. Run the same command again to resume.

    Example: longreach advise parity --minutes 5
    """
    name = changed_name(task, scratchpad=scratchpad, reversed_=reversed_, index_hints=index_hints)
    letters = alphabet_of_task(alphabet, name)
    check_page(out, "--out")
    check_directory(runs, "--runs")
    from longreach.answers.advice import advise as advice_on

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
        from longreach.report.pages import render_advice_page

        write_text(page, render_advice_page(found))
    if as_json:
        print_json({**found.document(), "page": None if page is None else str(page)})
    else:
        _print_advice(found, page)
    _end(found.trials.interrupted)


def _print_advice(found: TaskAdvice, page: Path | None) -> None:
    from rich.text import Text

    from longreach.cli.output import print_heading, print_side
    from longreach.config.encodings import side_title

    out = console()
    print_heading(out, found.forecast.title, found.forecast.task.about)
    for key in ("nope", "ape"):
        side = found.forecast.sides[key]
        print_side(out, side_title(key), side.trained, side.clause, side.basis)
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
        print_hanging(out, Text(f"no time was left for {remedy.name}, about {roughly(seconds)}", "dim"), 2, 4)
    for remedy, reason in found.trials.refused:
        print_hanging(out, Text(f"not tried at these lengths: {remedy.name}: {reason}", "dim"), 2, 4)
    out.print()
    print_hanging(out, Text(found.conclusion, "bold"), 0)
    if found.best is not None:
        out.print(Text(f"  train it: {found.best.command}", "dim"), soft_wrap=True)
    if page is not None:
        out.print(Text(f"  page: {page}", "dim"), soft_wrap=True)


def _print_title(out: Console, title: str) -> None:
    out.print()
    out.print(title, style="bold", markup=False, highlight=False)


def _print_trials(out: Console, found: TaskAdvice) -> None:
    """Accuracy by length, a row for the original and for each change."""
    from longreach.answers.suggestions import shares_words

    _, first = found.tried[0]
    steps = f"{first.steps:,} steps each, trained to {first.train_to}"
    _print_title(out, f"Tried: {steps}; right on whole inputs of these lengths")
    rows = [
        [
            name,
            *(shares_words(cell.span(lengths)) for lengths in found.ranges),
            cell.words,
        ]
        for name, cell in found.tried
    ]
    columns = [
        Column("", right=False),
        *(Column(lengths.words) for lengths in found.ranges),
        Column("at the longest", right=False),
    ]
    print_table(Table(columns, rows))
