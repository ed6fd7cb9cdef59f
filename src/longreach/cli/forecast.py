"""`longreach forecast`: the verdict on a task, with its certificate, before anything is trained."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from longreach.cli.language import STYLES, TITLES
from longreach.cli.output import console, print_json
from longreach.config.task_name import TaskName
from longreach.errors import InputError
from longreach.languages.program_class import ENCODING_SIDES

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from longreach.forecast import Forecast
    from longreach.forecast.own_runs import Measured
    from longreach.verdicts.verdict import Verdict

DEFAULT_RUNS = Path("runs")


def forecast(
    task: Annotated[
        str | None,
        typer.Argument(
            metavar="TASK",
            help="A built-in task, d-N, regex:…, dfa:FILE, crasp:FILE, data:FILE, module:attribute.",
        ),
    ] = None,
    alphabet: Annotated[
        str | None, typer.Option(metavar="LETTERS", help="The alphabet of regex:…, as in abc.")
    ] = None,
    program: Annotated[bool, typer.Option("--program", help="Show the program of a yes.")] = False,
    all_tasks: Annotated[
        bool, typer.Option("--all", help="A table of the 25 tasks of the benchmark instead of one TASK.")
    ] = False,
    runs: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="The results of your own runs, if there are any; default: runs."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """Forecast whether a transformer trained on short inputs of a task works on long ones, and say why.

    The verdicts for no positional encoding (NoPE) and for learned absolute ones (APE) come with
    certificates, which --json prints and longreach verify checks. Nothing is trained.

    Example: longreach forecast copy-unique
    """
    if (task is None) != all_tasks:
        raise InputError("TASK: missing; --all shows all" if task is None else "--all: goes without TASK")
    if alphabet is not None and (task is None or not TaskName(task).is_regex):
        raise InputError("--alphabet: goes with a TASK regex:…")
    if program and all_tasks:
        raise InputError("--program: goes with one TASK, not with --all")
    directory = _runs(runs)
    from longreach import forecast as theory

    if task is None:
        found = theory.forecast_all(directory)
        if as_json:
            print_json({"forecasts": [each.document() for each in found]})
        else:
            console().print(_matrix(found))
        return
    answer = theory.forecast(task, None if alphabet is None else list(alphabet), directory)
    if as_json:
        print_json(_document(answer, program))
    else:
        _print(answer, program)


def _runs(runs: Path | None) -> Path | None:
    """The results directory; one that is not there yet has no runs, and is no error."""
    found = DEFAULT_RUNS if runs is None else runs
    if runs is not None and runs.exists() and not runs.is_dir():
        raise InputError(f"--runs: {runs}: not a directory")
    return found if found.is_dir() else None


def _document(answer: Forecast, program: bool) -> dict[str, Any]:
    document = answer.document()
    if program:
        for key, side in answer.sides.items():
            if side.program is not None:
                document[key]["program"] = side.program.text
            if side.differs and side.trained_proof.program is not None:
                document[key]["predictor"] = side.trained_proof.program.text
    return document


def _print(answer: Forecast, program: bool) -> None:
    out = console()
    out.print(TaskName(answer.name).expression, style="bold", markup=False, end="")
    about = answer.task.about
    states = getattr(answer.task, "automaton", None)
    shown = f"over {' '.join(answer.alphabet)}, {len(states)} states" if states is not None else about
    out.print(f"   {shown}", style="dim", markup=False)
    out.print(_verdicts(answer))
    numbers = _numbers(answer)
    if numbers is not None:
        out.print(numbers)
    _print_notes(out, answer)
    if program:
        _print_programs(out, answer)


def _verdicts(answer: Forecast) -> Table:
    from rich.table import Table
    from rich.text import Text

    table = Table.grid(padding=(0, 2, 0, 0))
    for width in (None, None, 1):
        table.add_column(no_wrap=width is None)
    for key in ENCODING_SIDES:
        side = answer.sides[key]
        word, reason = side.trained.value, side.trained_proof.reason
        if side.differs:
            reason = f"for what is trained, words of the language only: {reason}"
        table.add_row(f"  {TITLES[key]}", Text(word, f"bold {STYLES[word]}"), Text(reason))
        table.add_row("", "", Text(_proof(side), "dim"))
        if side.differs:
            other = f"as membership over all words: {side.answer.value}; {side.reason}"
            table.add_row("", "", Text(other, "dim"))
    return table


def _proof(side: Verdict) -> str:
    """The certificate in one line."""
    from longreach.forecast.certificate_kinds import kind_of

    certificate = side.trained_certificate
    kind = kind_of(certificate)
    if kind.proves is None:
        return f"no certificate in {side.program_class}"
    if kind.proves == "no":
        return kind.in_short(certificate)
    program = side.trained_proof.program
    assert program is not None
    core = program.core
    return f"program in {core.class_name}, {core.size} operations, depth {core.depth}" + _needs(side)


def _needs(side: Verdict) -> str:
    trained = side.trained_needs
    window, modulus = trained if side.differs else (side.window, side.modulus)
    if not window and modulus in (None, 1):
        return ""
    less = "" if (window, modulus) == trained else f"; for what is trained {trained[0]} and {trained[1]}"
    return f" (window {window}, modulus {modulus}{less})"


def _numbers(answer: Forecast) -> Table | None:
    """Published and own accuracies, one row each."""
    from rich.table import Table
    from rich.text import Text

    from longreach.results.table import column_order

    # A column is a range of lengths and its repetition: two bins of the paper may have the same lengths.
    rows: list[tuple[str, dict[tuple[str, int], float], str]] = []
    paper = answer.paper
    for key in ENCODING_SIDES:
        if paper is not None and key in paper.accuracy:
            labels = [each.label for each in paper.bins]
            columns = [(label, labels[:place].count(label)) for place, label in enumerate(labels)]
            theirs = "" if answer.agreement[key] else f"their verdict: {paper.verdicts[key]}"
            note = "; ".join(part for part in (theirs, paper.lengths_note) if part)
            shares = dict(zip(columns, paper.accuracy[key].values(), strict=True))
            rows.append((f"paper  {TITLES[key]}", shares, note))
    for own in _best(answer.measured):
        cell = own.cell
        note = f"{len(cell.successful)} of {len(cell.rows)} runs right up to the training length"
        means = {(name, 0): spread.mean for name, spread in own.accuracy.items()}
        rows.append((f"yours  {TITLES.get(own.encoding, own.encoding)}", means, note))
    if not rows:
        return None
    found = {column for _, shares, _ in rows for column in shares}
    ranges = sorted(found, key=lambda column: (column_order(column[0]), column[1]))
    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_column(no_wrap=True)
    for _ in ranges:
        table.add_column(no_wrap=True, justify="right")
    table.add_column()
    table.add_row("  lengths", *(Text(name, "dim") for name, _ in ranges), "")
    for title, shares, note in rows:
        shown = [f"{100 * shares[column]:.1f} %" if column in shares else "" for column in ranges]
        table.add_row(f"  {title}", *shown, Text(note, "dim"))
    return table


def _best(measured: tuple[Measured, ...]) -> list[Measured]:
    """One configuration per encoding: the best."""
    return list({each.encoding: each for each in reversed(measured)}.values())[::-1]


def _print_notes(out: Console, answer: Forecast) -> None:
    from longreach.verdicts.verdict import Answer

    notes = answer.encodings
    verdicts = {key: answer.sides[key].trained for key in ENCODING_SIDES}
    lines = [f"{', '.join(names)}: {says}" for says, names in _grouped(notes).items()]
    unknown = [name for name, note in notes.items() if not note.known]
    lines.append(f"{', '.join(unknown)}: not decided by theory")
    if Answer.NO in verdicts.values() or any(answer.sides[key].differs for key in ENCODING_SIDES):
        lines.append(f"no: {answer.meaning_of_no}")
    best = next((key for key in ENCODING_SIDES if verdicts[key] is Answer.YES), "ape")
    nameless = TaskName(answer.stored).is_text and answer.name == TaskName(answer.stored).short
    if not nameless and not any(own.encoding == best for own in answer.measured):
        command = ["longreach", "train", answer.name, "--encoding", best, "--seeds", "3"]
        lines.append(f"next: {shlex.join(command)}")
    for line in lines:
        out.print(f"  {line}", style="dim", markup=False)


def _grouped(notes: dict[str, Any]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for name, note in notes.items():
        if note.known:
            found.setdefault(note.statement, []).append(name)
    return found


def _print_programs(out: Console, answer: Forecast) -> None:
    shown: set[str] = set()
    for key in ENCODING_SIDES:
        program = answer.sides[key].trained_proof.program
        if program is not None and program.text not in shown:
            shown.add(program.text)
            out.print()
            core = program.core
            title = f"// {TITLES[key]}: {core.class_name}, {core.size} operations"
            out.print(title, style="dim", markup=False)
            out.print(program.text, markup=False)


def _matrix(found: tuple[Forecast, ...]) -> Table:
    """Tasks by encodings: the verdict, the published accuracy at the longest range, and one's own."""
    from rich.table import Table
    from rich.text import Text

    own = any(each.measured for each in found)
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("task")
    for key in ENCODING_SIDES:
        table.add_column(TITLES[key])
        table.add_column("paper", justify="right")
        if own:
            table.add_column("yours", justify="right")
    table.add_column("by")
    for each in found:
        cells: list[Text] = [Text(each.name)]
        for key in ENCODING_SIDES:
            word = each.sides[key].trained.value
            cells.append(Text(word, f"bold {STYLES[word]}"))
            cells.append(Text(_percent(_last(each, key)), "dim"))
            if own:
                cells.append(Text(_percent(_last_own(each, key))))
        kinds = dict.fromkeys(each.sides[key].trained_certificate.kind for key in ENCODING_SIDES)
        cells.append(Text(", ".join(kinds), "dim"))
        table.add_row(*cells)
    return table


def _last(answer: Forecast, key: str) -> float | None:
    if answer.paper is None or key not in answer.paper.accuracy:
        return None
    return list(answer.paper.accuracy[key].values())[-1]


def _last_own(answer: Forecast, key: str) -> float | None:
    return next((own.last for own in _best(answer.measured) if own.encoding == key), None)


def _percent(share: float | None) -> str:
    return "" if share is None else f"{100 * share:.1f} %"
