"""`longreach forecast`: what is expected of a task, and why, before anything is trained."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from longreach.cli.language import (
    CONVENTION,
    PANEL,
    DrawOption,
    ExplainOption,
    FileOption,
    MeasuresOption,
    PredictorOption,
    ProgramOption,
    Reading,
    VerdictsOption,
    Wanted,
    WhyOption,
    add_more,
    check_wanted,
    print_list,
    print_more,
    running_budget,
    show_language,
    showing,
)
from longreach.cli.language import SECONDS as LANGUAGE_SECONDS
from longreach.cli.options import (
    DEFAULT_RUNS,
    TASKS,
    AlphabetOption,
    BudgetOption,
    IndexHintsOption,
    JsonOption,
    ReversedOption,
    ScratchpadOption,
    alphabet_of_task,
    changed_name,
)
from longreach.cli.output import (
    CAVEAT,
    STYLES,
    TITLES,
    about_language,
    check_directory,
    console,
    finite_note,
    print_hanging,
    print_heading,
    print_json,
    print_program,
    print_side,
    print_table,
    print_terms,
)
from longreach.errors import InputError
from longreach.theory.names import TaskName
from longreach.theory.program_class import ENCODING_SIDES
from longreach.wording import Column, Table, counted, percent

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import Console

    from longreach.answers.forecast import Forecast
    from longreach.runs.cells import Cell, Spread
    from longreach.tasks.task import Task
    from longreach.theory.automata.automaton import Automaton

EXPECTED = {"yes": "work", "no": "fail", "undecided": "unknown"}
"""What is expected, in one word."""
BY = {
    "flow": "proof", "sampled-flow": "proof", "reduction": "proof", "communication": "argument", "none": "–",
    "learned-program": "learned", "learned-flow": "learned", "found-program": "tried",
    "measured-communication": "measured",
}  # fmt: skip
"""What kind of certificate there is, in plain words; other kinds keep their names."""
ALIKE = 0.1
"""Runs whose accuracies lie closer together than this are shown by their mean."""


def forecast(
    task: Annotated[str | None, typer.Argument(metavar="TASK", help=TASKS)] = None,
    alphabet: AlphabetOption = None,
    scratchpad: ScratchpadOption = False,
    reversed_: ReversedOption = False,
    index_hints: IndexHintsOption = False,
    why: WhyOption = False,
    program: ProgramOption = False,
    all_tasks: Annotated[
        bool, typer.Option("--all", help="A table of the 25 tasks of the benchmark instead of one TASK.")
    ] = False,
    runs: Annotated[
        Path | None, typer.Option(metavar="DIR", help="The results of your own runs; default: runs.")
    ] = None,
    budget: BudgetOption = None,
    as_json: JsonOption = False,
    predictor: PredictorOption = False,
    explain: ExplainOption = False,
    measures: MeasuresOption = False,
    reading: Annotated[
        Reading | None, typer.Option("--convention", help=CONVENTION, rich_help_panel=PANEL)
    ] = None,
    draw: DrawOption = None,
    file: FileOption = None,
    verdicts: VerdictsOption = False,
) -> None:
    """Predict from theory whether a task generalizes, and say why.

    Verdicts for transformers without positional encoding (NoPE) and with learned absolute positions (APE), on
    the task as it is trained. With --convention, on membership in a regular language. Each has a certificate,
    which --json prints and `longreach verify` checks. Nothing is trained.

    Example: longreach forecast "regex:(a|b)*bb(a|b)*" --program --explain
    """
    choices = {"TASK": task, "--all": all_tasks or None, "--file": file}
    given = [label for label, value in choices.items() if value is not None]
    if len(given) != 1:
        raise InputError(
            f"{given[1]}: goes without {given[0]}" if given else "TASK: missing; --all shows all"
        )
    if task is not None:
        task = changed_name(task, scratchpad=scratchpad, reversed_=reversed_, index_hints=index_hints)
    letters = alphabet_of_task(alphabet, task)
    wanted = Wanted(why, program, predictor, explain, measures, draw, verdicts)
    seconds = LANGUAGE_SECONDS if budget is None else budget
    if file is not None:
        print_list(file, wanted, reading or Reading.LAST, seconds=seconds, as_json=as_json)
        return
    check_wanted(wanted, reading)
    if reading is not None and task is not None:
        limit = running_budget(seconds)
        show_language(task, _language(task, letters), wanted, reading, limit, as_json=as_json)
        return
    if all_tasks:
        names = ("program", "why", "predictor", "explain", "measures", "draw")
        wanted.refuse(names, "goes with one TASK, not with --all")
    check_directory(runs, "--runs")
    directory = DEFAULT_RUNS if runs is None else runs
    from longreach.answers.forecast import forecast as forecast_task
    from longreach.answers.forecast import forecast_all

    known = directory if directory.is_dir() else None
    if task is None:
        found = forecast_all(known)
        if as_json:
            print_json({"forecasts": [each.document() for each in found]})
        else:
            _print_all(console(), found)
        return
    answer = forecast_task(task, letters, known, budget=budget)
    automaton = _automaton(answer.task)
    if automaton is None:
        wanted.refuse(("measures", "draw"), "goes with a regular language")
    with showing(automaton, answer.name, wanted):
        if as_json:
            document = _document(answer, wanted)
            add_more(document, answer.sides, automaton, wanted)
            print_json(document)
        else:
            _print(answer, wanted, alphabet)
            print_more(answer.sides, automaton, wanted)


def _language(task: str, letters: list[str] | None) -> Automaton:
    from longreach.tasks.catalog import load_argument
    from longreach.tasks.regular import RegularLanguage

    loaded = load_argument(task, letters)
    if not isinstance(loaded, RegularLanguage):
        raise InputError("--convention: goes with a regular language")
    return loaded.automaton


def _automaton(task: Task) -> Automaton | None:
    """Of a regular language; of a task that asks for states, that of the language they are states of."""
    found: Automaton | None = getattr(task, "language", None) or getattr(task, "automaton", None)
    return found


def _document(answer: Forecast, wanted: Wanted) -> dict[str, Any]:
    document = answer.document(certificates=not wanted.verdicts)
    if wanted.program:
        for key, side in answer.sides.items():
            if side.program is not None:
                document[key]["program"] = side.program.text
            if side.differs and side.trained_proof.program is not None:
                document[key]["predictor"] = side.trained_proof.program.text
    return document


def _print(answer: Forecast, wanted: Wanted, alphabet: str | None) -> None:
    from rich.text import Text

    from longreach.config.encodings import side_title
    from longreach.theory.verdicts.verdict import Answer

    out = console()
    automaton = _automaton(answer.task)
    about = answer.task.about
    if automaton is not None and not hasattr(answer.task, "language"):
        about = about_language(automaton)
    print_heading(out, TaskName(answer.name).expression, about)
    finite = None if automaton is None else finite_note(automaton)
    if finite is not None:
        print_hanging(out, finite)
    for key in ENCODING_SIDES:
        side = answer.sides[key]
        print_side(out, side_title(key), side.trained, side.clause, side.basis)
    coupled = answer.encodings["coupled"]
    if coupled.known and not any(answer.sides[key].trained is Answer.YES for key in ENCODING_SIDES):
        few = coupled.statement.partition(":")[0]  # which tokens these are is said by --why
        print_hanging(out, f"{side_title('coupled')}: {few}", 2, 4)
    _print_numbers(out, answer)
    _print_odds(out, answer, wanted.why)
    if wanted.why:
        _print_why(out, answer)
    elif any(answer.sides[key].trained is Answer.NO for key in ENCODING_SIDES):
        print_hanging(out, Text(CAVEAT, "dim"))
    _print_next(out, answer, alphabet, wanted.why)
    if wanted.program:
        _print_programs(out, answer)


# Published and own accuracies


def _print_numbers(out: Console, answer: Forecast) -> None:
    """A row of accuracies for each encoding, published and own, and what is to be said of them below."""
    from rich.text import Text

    from longreach.runs.table import column_order

    # A column is a range of lengths and its repetition: two bins of the paper may have the same lengths.
    rows: list[tuple[str, dict[tuple[str, int], str]]] = []
    remarks: dict[str, None] = {}
    paper = answer.paper
    for key in ENCODING_SIDES:
        if paper is not None and key in paper.accuracy:
            labels = [each.label for each in paper.bins]
            bins = [(label, labels[:place].count(label)) for place, label in enumerate(labels)]
            shares = map(percent, paper.accuracy[key].values())
            rows.append((f"paper {TITLES[key]}", dict(zip(bins, shares, strict=True))))
            if not answer.agreement[key]:
                remarks[f"paper {TITLES[key]}: their verdict is {paper.verdicts[key]}"] = None
    if paper is not None and paper.lengths_note:
        remarks[f"paper: {paper.lengths_note}"] = None
    for cell in _best(answer.measured):
        title = f"yours {TITLES.get(cell.encoding, cell.encoding)}"
        rows.append((title, {(name, 0): _spread(spread) for name, spread in cell.accuracy.items()}))
        right = f"{len(cell.successful)} of {counted(len(cell.rows), 'run')}"
        remarks[f"{title}: {right} right up to the training length"] = None
    if not rows:
        return
    ranges = sorted({each for _, shares in rows for each in shares}, key=lambda e: (column_order(e[0]), e[1]))
    # The shortest and the longest range say most.
    columns = [Column(each[0], len(ranges) - place if place else 1) for place, each in enumerate(ranges)]
    lines = [[f"  {title}", *(shares.get(each) for each in ranges)] for title, shares in rows]
    print_table(Table(["  lengths", *columns], lines))
    for remark in remarks:
        print_hanging(out, Text(remark, "dim"), 2, 4)


def _spread(spread: Spread) -> str:
    """Of runs that do different things from the worst to the best, never a mean."""
    if spread.high - spread.low <= ALIKE:
        return percent(spread.mean)
    return f"{100 * spread.low:.0f}–{100 * spread.high:.0f} %"


def _best(measured: tuple[Cell, ...]) -> list[Cell]:
    """One configuration per encoding: the best."""
    return list({each.encoding: each for each in reversed(measured)}.values())[::-1]


def _print_odds(out: Console, answer: Forecast, why: bool) -> None:
    """A row of odds for each encoding, and what they rest on; or one line that says why there are none."""
    from rich.text import Text

    from longreach.answers.odds import OTHER_KIND, USUAL_LENGTH, odds_words

    found = answer.odds()
    if found.model is None:
        # Of tasks of another kind it goes without saying, unless more is asked for.
        if why or found.reason != OTHER_KIND:
            print_hanging(out, Text(f"odds for one run: not known; {found.reason}", "dim"), 2, 4)
        return
    by_encoding = {
        row.encoding: [each for each in found.rows if each.encoding == row.encoding] for row in found.rows
    }
    ranges = [row.tested for row in found.rows if row.encoding == found.rows[0].encoding]
    columns = [Column(f"{each.first}–{each.last}", len(ranges) - place) for place, each in enumerate(ranges)]
    lines = [
        [f"  {TITLES[key]}", *(odds_words(row.odds) for row in rows)] for key, rows in by_encoding.items()
    ]
    print_table(Table([f"  odds, trained to {USUAL_LENGTH}", *columns], lines))
    about = f"that one run works there; {found.basis(found.at(3).values())}"
    print_hanging(out, Text(about, "dim"), 2, 4)


# The terms of the papers, and what to do next


def _print_why(out: Console, answer: Forecast) -> None:
    from rich.text import Text

    from longreach.answers.bounds import bound_lines
    from longreach.theory.verdicts.verdict import Answer

    out.print(Text("in the terms of the papers", "bold"))
    sides = {key: answer.sides[key] for key in ENCODING_SIDES}
    print_terms(out, sides, trained=True)
    notes = answer.encodings
    lines = [f"{', '.join(names)}: {says}" for says, names in _grouped(notes).items()]
    unknown = [name for name, note in notes.items() if not note.known]
    lines.append(f"{', '.join(unknown)}: not decided by theory")
    if any(Answer.NO in (side.trained, side.answer) for side in sides.values()):
        lines.append(f"no: {answer.meaning_of_no}")
    lines += [f"training length by theory: {line}" for line in bound_lines(answer.bounds)]
    for line in lines:
        print_hanging(out, Text(line, "dim"), 2, 4)


def _print_next(out: Console, answer: Forecast, alphabet: str | None, why: bool) -> None:
    """Commands that end within minutes, on lines of their own that can be copied."""
    from rich.text import Text

    nameless = TaskName(answer.stored).is_text and answer.name == TaskName(answer.stored).short
    if nameless:
        return
    given = [answer.name, *(["--alphabet", alphabet] if alphabet is not None else [])]
    commands = [] if why else [("why", ["forecast", *given, "--why"])]
    if {own.encoding for own in answer.measured}.isdisjoint(ENCODING_SIDES):
        commands.append(("next", ["ask", *given]))
    for title, command in commands:
        out.print(Text(f"  {title}: longreach {shlex.join(command)}", "dim"), soft_wrap=True)


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
            about = f"{TITLES[key]}: {core.class_name}, {counted(core.size, 'operation')}"
            print_program(out, about, program.text)


# All tasks


def _print_all(out: Console, found: Sequence[Forecast]) -> None:
    """Tasks by encodings: what is expected, the published accuracy at the longest range, and one's own."""
    from rich.text import Text

    own = any(each.measured for each in found)
    columns = [Column("task", right=False)]
    shown: list[list[object]] = [[each.name for each in found]]
    for place, key in enumerate(ENCODING_SIDES):
        words = [each.sides[key].trained.value for each in found]
        columns.append(Column(TITLES[key], 1, right=False))
        shown.append([Text(EXPECTED[word], f"bold {STYLES[word]}") for word in words])
        columns.append(Column("paper", 4 + place))
        shown.append([Text(_last(each, key), "dim") for each in found])
        if own:
            columns.append(Column("yours", 2 + place))
            shown.append([Text(_last_own(each, key), "dim") for each in found])
    columns.append(Column("by", 6, right=False))
    shown.append([Text(_by(each), "dim") for each in found])
    print_table(Table(columns, list(zip(*shown, strict=True))))
    print_hanging(out, Text("expected on inputs longer than those of the training; " + CAVEAT_ALL, "dim"), 0)


CAVEAT_ALL = '"fail" is a prediction, not a proof that no run can work.'


def _by(answer: Forecast) -> str:
    kinds = [answer.sides[key].trained_certificate.kind for key in ENCODING_SIDES]
    return ", ".join(dict.fromkeys(BY.get(kind, kind) for kind in kinds))


def _last(answer: Forecast, key: str) -> str:
    if answer.paper is None or key not in answer.paper.accuracy:
        return ""
    return percent(list(answer.paper.accuracy[key].values())[-1])


def _last_own(answer: Forecast, key: str) -> str:
    found = (own for own in _best(answer.measured) if own.encoding == key)
    return next((_spread(list(own.accuracy.values())[-1]) for own in found if own.accuracy), "")
