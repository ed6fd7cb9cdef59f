"""`longreach ask` and `longreach advise`."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from longreach.cli.options import (
    DEFAULT_RUNS,
    INTERRUPTED,
    TASKS,
    UNCHANGED,
    AlphabetOption,
    BudgetOption,
    Changes,
    JsonOption,
    PythonOption,
    RunsOption,
    TaskArgument,
    TrainToOption,
    alphabet_of_task,
    asked_task,
    flag,
    option,
)
from longreach.cli.output import check_directory, check_page, console, note, print_json, write_text
from longreach.cli.progress import Bars
from longreach.config.architectures import DECODER, HUGGING_FACE, unknown_architecture
from longreach.config.model import CellLabel
from longreach.errors import Field, InputError
from longreach.theory.program_class import ENCODING_SIDES, PROGRAM_SIDES
from longreach.theory.verdicts.verdict import Answer
from longreach.wording import Column, Table, duration, listed, roughly

if TYPE_CHECKING:
    from rich.text import Text

    from longreach.answers.advice import TaskAdvice
    from longreach.answers.ask import Block, Line, ThreeAnswers
    from longreach.cli.screen import Screen

MORE = "Other questions"


def ask(
    task: Annotated[str | None, typer.Argument(metavar="TASK", help=TASKS)] = None,
    alphabet: AlphabetOption = None,
    changes: Changes = UNCHANGED,
    python: PythonOption = None,
    encoding: Annotated[
        list[str] | None,
        option(
            "Positional encoding; repeat for more (default: nope, ape and, where it may help, reach).",
            "NAME",
        ),
    ] = None,
    models: Annotated[
        str | None,
        option(
            "Models to compare, such as decoder,lstm,ssm; decoder means one per --encoding.",
            "A,B,…",
            "--models",
            "--model",
        ),
    ] = None,
    minutes: Annotated[
        float | None,
        option("Minutes to train (default: 2; --try: 5; --to: 10); 0: forecast only.", "M"),
    ] = None,
    seeds: Annotated[int | None, option("Runs per encoding or model (default: 3; --try: 2).", "K")] = None,
    train_to: TrainToOption = None,
    budget: BudgetOption = None,
    runs: RunsOption = DEFAULT_RUNS,
    out: Annotated[
        Path | None, option("Page to write, or figure with --to (default: in --runs).", "FILE.html")
    ] = None,
    as_json: JsonOption = False,
    why: Annotated[bool, flag("--why", "Show all reasons, bounds and accuracies.")] = False,
    tried: Annotated[
        bool, flag("--try", "Train what should help and compare it with the original.", panel=MORE)
    ] = False,
    to: Annotated[
        int | None, option("Find the shortest training length that generalizes to length L.", "L", panel=MORE)
    ] = None,
    ask_for: Annotated[
        int | None,
        option("For data:FILE: print N inputs whose labels would settle it.", "N", "--ask-for", panel=MORE),
    ] = None,
    lengths: Annotated[
        str | None, option("Measure only these training lengths.", "A,B,…", panel=MORE)
    ] = None,
) -> None:
    """Will it work on longer inputs, from which length, and what helps?

    Forecasts from theory, then trains small models within --minutes and compares. With --try, it also
    trains what should help. With --to or --lengths, it searches the training length. Finished runs are
    reused: run the same command again to resume.

    Example: longreach ask "regex:(aa)*"
    """
    asked, letters = asked_task(task, python, alphabet, changes)
    if python is not None:
        task, alphabet, changes = asked, None, UNCHANGED
    assert task is not None
    if ask_for is not None:
        _ask_for(asked, ask_for, budget, as_json=as_json)
        return
    if tried or to is not None or lengths is not None:
        _check_alone(tried, to, lengths, train_to=train_to, budget=budget, encoding=encoding, models=models)
    if tried:
        minutes, seeds = 5.0 if minutes is None else minutes, 2 if seeds is None else seeds
        advise(task, alphabet, changes, minutes, seeds, train_to, runs, out, as_json)
        return
    seeds = 3 if seeds is None else seeds
    if to is not None or lengths is not None:
        from longreach.cli.threshold import threshold

        threshold(
            task, changes=changes, to=to, seeds=seeds, minutes=10.0 if minutes is None else minutes,
            lengths=lengths, runs=runs, out=out, as_json=as_json, alphabet=alphabet,
            **({} if not encoding else {"encoding": encoding[0]}),
        )  # fmt: skip
        return
    check_page(out, "--out")
    check_directory(runs, "--runs")
    from longreach.answers.ask import ask as answer

    found = answer(
        asked,
        letters,
        encodings=_compared(models, None if not encoding else tuple(encoding)),
        minutes=2.0 if minutes is None else minutes,
        seeds=seeds,
        train_to=train_to,
        budget=budget,
        runs=runs,
        progress=Bars(overall=True),
    )
    page = out or (runs / f"{found.question.file_stem}.html" if found.question.minutes else None)
    if page is not None:
        write_text(page, _page(found, runs))
    if as_json:
        _print_document(found, page)
    else:
        _print_answers(found, page, why=why)
    _end(found.measurement.interrupted)


def _ask_for(name: str, count: int, budget: float | None, *, as_json: bool) -> None:
    """Print the inputs of a file of examples whose labels would decide."""
    from longreach.answers.examples import deciding_inputs
    from longreach.answers.oracle import SECONDS
    from longreach.tasks.catalog import load_argument
    from longreach.tasks.data import DataTask

    if count < 1:
        raise InputError(f"--ask-for: must be at least 1, not {count}")
    task = load_argument(name)
    if not isinstance(task, DataTask):
        raise InputError("--ask-for: needs a TASK data:FILE")
    found = deciding_inputs(task, count, seconds=SECONDS if budget is None else budget)
    if as_json:
        print_json({"task": name, "ask_for": [each.document() for each in found]})
        return
    out = console()
    if not found:
        out.text("Nothing is known that explains the examples: any label would help.")
        return
    rivals = [title for title, _ in found[0].answers]
    if len(rivals) > 1:
        out.hanging(f"Label these: {listed(rivals)} explain the examples and differ here.")
    else:
        out.hanging(f"Label these: one thing explains the examples ({rivals[0]}), and it would say:")
    rows = [[" ".join(each.input), *(said for _, said in each.answers)] for each in found]
    out.table(Table(["input", *rivals], rows))


def _checked(task: str, alphabet: str | None, runs: Path, out: Path | None) -> list[str] | None:
    """The letters of the alphabet; what cannot be written is refused."""
    letters = alphabet_of_task(alphabet, task)
    check_page(out, "--out")
    check_directory(runs, "--runs")
    return letters


def _compared(models: str | None, encodings: tuple[str, ...] | None) -> tuple[str, ...] | None:
    """What is compared: the encodings of a decoder, and other models by name; None: the usual encodings.

    >>> _compared("decoder,lstm", None), _compared(None, ("rope",))
    (('nope', 'ape', 'lstm'), ('rope',))
    """
    for name in encodings or ():
        if ":" in name:
            _check_exists(name, "encoding")
    if models is None:
        return encodings
    encodings = encodings or PROGRAM_SIDES
    found: list[str] = []
    for name in re.split(r",(?![^(]*\))", models):
        if name == DECODER:
            found += encodings
            continue
        own = ":" in name and "(" not in name
        label = CellLabel.read(f"{name}()" if own else name)
        if label.problem is not None:
            unknown = unknown_architecture(name) if label.architecture == DECODER else None
            raise InputError(unknown or label.problem, place=Field("models"))
        if own:
            _check_exists(name, "models")
        found.append(label.text)
    return tuple(found)


def _check_exists(name: str, option: str) -> None:
    """A misspelled name is refused although a forecast needs only the name."""
    if name.startswith(HUGGING_FACE):
        path = Path(name.removeprefix(HUGGING_FACE))
        if not path.exists():
            raise InputError(f"{path}: no such file or directory", place=Field(option))
        return
    from longreach.tasks.outside import attribute_value
    from longreach.theory.names import TaskName

    if not TaskName(name).is_attribute:
        raise InputError(f"{name!r} is not a name such as module:attribute", place=Field(option))
    try:
        attribute_value(name, expected="")
    except InputError as error:
        raise error.at(Field(option)) from None


def _check_alone(
    tried: bool,
    to: int | None,
    lengths: str | None,
    *,
    train_to: int | None,
    budget: float | None,
    encoding: list[str] | None,
    models: str | None,
) -> None:
    """Refuse options that the other question has no use for."""
    asked = "--try" if tried else "--to" if to is not None else "--lengths"
    if tried and (to is not None or lengths is not None):
        raise InputError(f"--try: cannot be used with {'--to' if to is not None else '--lengths'}")
    if models is not None:
        hint = "" if tried else f"; longreach threshold TASK {asked} … --model NAME searches one model"
        raise InputError(f"--models: cannot be used with {asked}{hint}")
    if budget is not None:
        raise InputError(f"--budget: cannot be used with {asked}")
    if tried and encoding:
        raise InputError("--encoding: cannot be used with --try")
    if not tried and train_to is not None:
        raise InputError(f"--train-to: cannot be used with {asked}")
    if not tried and encoding and len(encoding) > 1:
        raise InputError(f"--encoding: only one with {asked}")


def _print_document(found: ThreeAnswers | TaskAdvice, page: Path | None) -> None:
    print_json({**found.document(), "page": None if page is None else str(page)})


def _end(interrupted: bool) -> None:
    if interrupted:
        note("run the same command again to resume")
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


def _print_answers(found: ThreeAnswers, page: Path | None, *, why: bool) -> None:
    from longreach.answers.ask import blocks, heading, judgement_words
    from longreach.answers.brief import brief, is_tried

    out, shown = console(), blocks(found) if why else brief(found)  # which may still ask a user's function
    out.heading(*heading(found))
    for block in shown:
        _print_title(out, block.question, apart=why or bool(found.question.minutes))
        _print_block(out, block)
    if why or found.question.minutes:
        out.print()
    more = "" if why else "--why says more" + ("; --try trains the change." if is_tried(found) else ".")
    if not found.question.minutes:
        out.hanging(" ".join([*judgement_words(found), more]).rstrip(), 0)
        return
    for sentence in judgement_words(found):
        out.hanging(sentence, 0)
    out.text(" · ".join([f"page: {page}", duration(found.seconds), *([more] if more else [])]), "dim")


def _print_block(out: Screen, block: Block) -> None:
    """A line for each answer, and below it what it rests on."""
    from rich.text import Text

    width = max((len(line.label) for line in block.lines if line.says), default=0)
    for line in block.lines:
        label = Text(f"{line.label.ljust(width)}   " if line.label and line.says else line.label)
        out.hanging(label.append_text(_said(out, line)), 2, 4 if line.label else 2)
        for part in (line.basis, line.measured):
            if part:
                out.hanging(part, 4, 6, "dim")


def _said(out: Screen, line: Line) -> Text:
    """An expectation in its colour."""
    from rich.text import Text

    answers = (answer for answer in Answer if line.says.startswith(answer.expectation))
    style = next((f"bold {out.styles[answer.value]}" for answer in answers), "bold")
    said, colon, rest = line.says.partition(": ")
    return Text.assemble((said, style if line.label else ""), (f"{colon}{rest}", "dim" if line.label else ""))


# What would help a task, and whether it does when tried.


def advise(
    task: TaskArgument,
    alphabet: AlphabetOption = None,
    changes: Changes = UNCHANGED,
    minutes: Annotated[float, option("Time to train; 0: theory and measured sparsity only.", "M")] = 5.0,
    seeds: Annotated[int, option("Runs of the original and of each change.", "K")] = 2,
    train_to: TrainToOption = None,
    runs: RunsOption = DEFAULT_RUNS,
    out: Annotated[Path | None, option("The page to write (default: in --runs).", "FILE.html")] = None,
    as_json: JsonOption = False,
) -> None:
    """Say what would help a task that fails on longer inputs, and try it: `longreach ask TASK --try`.

    Theory names the changes: another encoding, a scratchpad, reversed answers, coupled position ids, index
    hints. Then the original and the most promising change are trained with the same steps and tested on
    inputs three times as long; if the change fails, the next one. Run the same command again to resume.

    Example: longreach advise parity --minutes 5
    """
    name = changes.of(task, alphabet)
    letters = _checked(name, alphabet, runs, out)
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
    page = out or (runs / f"{found.question.file_stem}.html" if found.trials.tried else None)
    if page is not None:
        from longreach.report.pages import render_advice_page

        write_text(page, render_advice_page(found))
    if as_json:
        _print_document(found, page)
    else:
        _print_advice(found, page)
    _end(found.trials.interrupted)


def _print_advice(found: TaskAdvice, page: Path | None) -> None:
    from longreach.config.encodings import side_title

    out = console()
    out.heading(found.forecast.title, found.forecast.task.about)
    for key in ENCODING_SIDES:
        side = found.forecast.sides[key]
        out.side(side_title(key), side.trained, side.clause, side.basis)
    if found.remedies:
        _print_title(out, "What would help, by theory")
    for number, remedy in enumerate(found.remedies, 1):
        out.hanging(f"{number}  {remedy.change}", 2, 5)
        out.hanging(remedy.basis, 5, style="dim")
        if (known := found.in_study(remedy)) is not None:
            out.hanging(known.words, 5)
    if found.sparsity:
        _print_title(out, "On how many tokens each step depends, measured from examples")
        width = max(len(each.name) for each in found.sparsity)
        for each in found.sparsity:
            out.hanging(f"{each.name.ljust(width)}   {each.words}", 2, width + 5)
    if found.trials.tried:
        _print_trials(out, found)
    for remedy, seconds in found.trials.untried:
        out.hanging(f"no time was left for {remedy.name}, about {roughly(seconds)}", 2, 4, "dim")
    for remedy, reason in found.trials.refused:
        out.hanging(f"not tried at these lengths: {remedy.name}: {reason}", 2, 4, "dim")
    out.print()
    out.hanging(found.conclusion, 0, style="bold")
    if found.best is not None:
        out.command(f"  train it: {found.best.command}")
    if page is not None:
        out.command(f"  page: {page}")


def _print_title(out: Screen, title: str, *, apart: bool = True) -> None:
    if apart:
        out.print()
    out.text(title, "bold")


def _print_trials(out: Screen, found: TaskAdvice) -> None:
    """Accuracy by length, a row for the original and for each change."""
    from longreach.answers.suggestions import shares_words

    _, first = found.tried[0]
    steps = f"{first.steps:,} steps each, trained to {first.train_to}"
    _print_title(out, f"Tried: {steps}; right on whole inputs of these lengths")
    rows = [
        [name, *(shares_words(cell.span(lengths)) for lengths in found.ranges), cell.words]
        for name, cell in found.tried
    ]
    columns = [Column(lengths.words) for lengths in found.ranges]
    out.table(Table(["", *columns, "at the longest"], rows))
