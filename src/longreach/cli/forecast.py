"""`longreach forecast`: what is expected of a task, and why, before anything is trained."""

from __future__ import annotations

import shlex
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from longreach.cli.language import SECONDS, print_list, running_budget, show_language
from longreach.cli.options import (
    DEFAULT_RUNS,
    TASKS,
    UNCHANGED,
    AlphabetOption,
    BudgetOption,
    Changes,
    JsonOption,
    PythonOption,
    alphabet_of_task,
    asked_task,
    flag,
    option,
)
from longreach.cli.output import blamed_on, check_directory, console, print_json
from longreach.cli.verdicts import (
    CAVEAT,
    VERDICTS_ALONE,
    Reading,
    Wanted,
    about_language,
    described,
    print_programs,
    print_verdicts,
    show,
)
from longreach.errors import InputError
from longreach.theory.names import TaskName
from longreach.theory.program_class import ENCODING_SIDES, PROGRAM_SIDES
from longreach.wording import Column, Table, counted, percent

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from longreach.answers.forecast import Forecast
    from longreach.cli.screen import Screen
    from longreach.runs.cells import Cell, Spread
    from longreach.tasks.lengths import LengthRange
    from longreach.theory.architectures.classes import ArchitectureVerdict
    from longreach.theory.automata.automaton import Automaton

EXPECTED = {"yes": "work", "no": "fail", "undecided": "unknown"}
"""What is expected, in one word."""
BY = {
    "flow": "proof", "sampled-flow": "proof", "reduction": "proof", "communication": "argument", "none": "–",
    "learned-program": "learned", "learned-flow": "learned", "found-program": "tried",
    "measured-communication": "measured", "cascade": "proof", "stable-group": "proof",
}  # fmt: skip
"""What kind of certificate there is, in plain words; other kinds keep their names."""
ALIKE = 0.1
"""Runs whose accuracies lie closer together than this are shown by their mean."""


def forecast(
    task: Annotated[str | None, typer.Argument(metavar="TASK", help=TASKS)] = None,
    alphabet: AlphabetOption = None,
    changes: Changes = UNCHANGED,
    python: PythonOption = None,
    wanted: Wanted = VERDICTS_ALONE,
    all_tasks: Annotated[
        bool, flag("--all", "Show the 25 benchmark tasks as a table, instead of one TASK.")
    ] = False,
    runs: Annotated[Path | None, option("Directory of your own runs (default: runs).", "DIR")] = None,
    budget: BudgetOption = None,
    model: Annotated[
        str | None,
        option("Also forecast this architecture: lstm, ssm, looped, …, or your own module:make.", "NAME"),
    ] = None,
    model_options: Annotated[
        list[str] | None,
        option("Option of --model, such as signed=true; repeat for more.", "KEY=VALUE", "--model-option"),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Predict from theory whether a task generalizes, and say why.

    Verdicts for transformers without positions (NoPE), with learned positions (APE) and with attention to the
    last match (reach), on the task as it is trained. With --convention, on membership in a regular language.
    Each has a certificate, which --json prints and `longreach verify` checks. Nothing is trained.

    Example: longreach forecast "regex:(a|b)*bb(a|b)*" --program --explain
    """
    choices = {"TASK": task, "--all": all_tasks or None, "--file": wanted.file, "--python": python}
    given = [label for label, value in choices.items() if value is not None]
    if len(given) != 1:
        raise InputError(
            f"{given[1]}: cannot be used with {given[0]}" if given else "TASK: missing; --all shows all"
        )
    if model is not None and (task is python or wanted.reading is not None):
        raise InputError("--model: only for one TASK" + ("" if task is None else ", without --convention"))
    letters = None
    if task is not None or python is not None:
        task, letters = asked_task(task, python, alphabet, changes)
    elif alphabet is not None:
        letters = alphabet_of_task(alphabet, task)
    seconds = SECONDS if budget is None else budget
    if wanted.file is not None:
        reading = wanted.reading or Reading.LAST
        print_list(wanted.file, replace(wanted, reading=reading), seconds=seconds, as_json=as_json)
        return
    wanted.check()
    if wanted.reading is not None and task is not None:
        limit = running_budget(seconds)
        show_language(task, _language(task, letters), wanted, limit, as_json=as_json)
        return
    if all_tasks:
        names = ("program", "why", "predictor", "explain", "measures", "draw")
        wanted.refuse(names, "only for one TASK, not for --all")
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
    own = _read_options(model_options)
    answer = forecast_task(task, letters, known, budget=budget, model=model, model_options=own)
    # Of a task that asks for states, the automaton of the language they are states of.
    automaton = getattr(answer.task, "language", None) or getattr(answer.task, "automaton", None)
    if automaton is None:
        wanted.refuse(("measures", "draw"), "only for a regular language")

    def text(out: Screen) -> None:
        _print(out, answer, automaton, wanted, alphabet, python)

    show(
        answer.name, automaton, answer.sides, wanted, text, lambda: _document(answer, wanted), as_json=as_json
    )


def _language(task: str, letters: list[str] | None) -> Automaton:
    from longreach.tasks.catalog import load_argument
    from longreach.tasks.regular import RegularLanguage

    loaded = load_argument(task, letters)
    if not isinstance(loaded, RegularLanguage):
        raise InputError("--convention: only for a regular language")
    return loaded.automaton


def _document(answer: Forecast, wanted: Wanted) -> dict[str, Any]:
    document = answer.document(certificates=not wanted.verdicts)
    if wanted.program:
        for key, side in answer.sides.items():
            if side.program is not None:
                document[key]["program"] = side.program.text
            if side.differs and side.trained_proof.program is not None:
                document[key]["predictor"] = side.trained_proof.program.text
    return document


def _print(
    out: Screen,
    answer: Forecast,
    automaton: Automaton | None,
    wanted: Wanted,
    alphabet: str | None,
    python: str | None,
) -> None:
    from longreach.config.encodings import side_title
    from longreach.theory.verdicts.verdict import Answer

    is_language = automaton is not None and not hasattr(answer.task, "language")
    about = about_language(automaton) if automaton is not None and is_language else answer.task.about
    name = answer.title if TaskName(answer.stored).is_session else answer.name
    print_verdicts(out, name, about, automaton, answer.sides)
    expected = [answer.sides[key].trained for key in ENCODING_SIDES]
    coupled = answer.encodings["coupled"]
    if coupled.known and Answer.YES not in expected:
        few = coupled.statement.partition(":")[0]  # which tokens these are is said by --why
        out.hanging(f"{side_title('coupled')}: {few}", 2, 4)
    if answer.model is not None:
        print_model(out, answer.model, wanted.why)
    _print_numbers(out, answer)
    _print_odds(out, answer, wanted.why)
    if wanted.why:
        _print_why(out, answer)
    elif Answer.NO in expected:
        out.hanging(CAVEAT, style="dim")
    _print_next(out, answer, alphabet, wanted.why, python)
    if wanted.program:
        found = [(key, answer.sides[key].trained_proof.program) for key in PROGRAM_SIDES]
        print_programs(out, found, described)


def print_model(out: Screen, found: ArchitectureVerdict, why: bool = False) -> None:
    """What an architecture can express, why, and on what that rests."""
    from rich.text import Text

    from longreach.theory.architectures.classes import ABILITY

    style = {"yes": "green", "no": "red"}.get(found.answer, "yellow")
    title = f"{called(found.name, found.options):<29} "
    out.hanging(Text.assemble(title, (found.words, f"bold {style}")), 2, 6)
    out.hanging(found.reason, 4, 6)
    if found.model_class is not None:
        out.hanging(f"{found.model_class} ({found.source})", 4, 6, "dim")
    if why:
        out.hanging(f"{found.condition}; {found.meaning}" if found.condition else found.meaning, 4, 6, "dim")
    elif found.words in ABILITY.values():
        out.hanging(NO_PROMISE, 4, 6, "dim")


NO_PROMISE = "about what weights can express at every length, not about training"


def called(name: str, options: Mapping[str, Any]) -> str:
    """An architecture with its options, as runs are labelled.

    >>> called("deltanet", {"signed": True}), called("mine:make", {"width": 32})
    ('DeltaNet (signed=true)', 'mine:make(width=32)')
    """
    from longreach.config.architectures import Options, architecture_row  # few forecasts name one

    row, given = architecture_row(name), Options(options).words
    return row.title + (f"{'' if row.is_own else ' '}({given})" if given else "")


def _read_options(given: Sequence[str] | None) -> dict[str, Any]:
    if not given:
        return {}
    from longreach.cli.training_options import read_model_options  # loads the configuration of runs

    with blamed_on("--model-option"):
        return read_model_options(given)


def _print_numbers(out: Screen, answer: Forecast) -> None:
    """A row of accuracies for each encoding, published and own, and what is to be said of them below."""
    from longreach.config.model import CellLabel
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
            rows.append((f"paper {out.titles[key]}", dict(zip(bins, shares, strict=True))))
            if not answer.agreement[key]:
                remarks[f"paper {out.titles[key]}: their verdict is {paper.verdicts[key]}"] = None
    if paper is not None and paper.lengths_note:
        remarks[f"paper: {paper.lengths_note}"] = None
    for cell in _best(answer.measured):
        title = f"yours {CellLabel.read(cell.encoding).title}"
        rows.append((title, {(name, 0): _spread(spread) for name, spread in cell.accuracy.items()}))
        right = f"{len(cell.successful)} of {counted(len(cell.rows), 'run')}"
        remarks[f"{title}: {right} right up to the training length"] = None
    if not rows:
        return
    ranges = sorted({each for _, shares in rows for each in shares}, key=lambda e: (column_order(e[0]), e[1]))
    # The shortest and the longest range say most.
    columns = [Column(each[0], len(ranges) - place if place else 1) for place, each in enumerate(ranges)]
    lines = [[f"  {title}", *(shares.get(each) for each in ranges)] for title, shares in rows]
    out.table(Table(["  lengths", *columns], lines))
    for remark in remarks:
        out.hanging(remark, 2, 4, "dim")


def _spread(spread: Spread) -> str:
    """Of runs that do different things from the worst to the best, never a mean."""
    if spread.high - spread.low <= ALIKE:
        return percent(spread.mean)
    return f"{100 * spread.low:.0f}–{100 * spread.high:.0f} %"


def _best(measured: tuple[Cell, ...]) -> list[Cell]:
    """One configuration per encoding: the best."""
    return list({each.encoding: each for each in reversed(measured)}.values())[::-1]


def _print_odds(out: Screen, answer: Forecast, why: bool) -> None:
    """A row of odds for each encoding, and what they rest on; or one line that says why there are none."""
    from longreach.answers.odds import OTHER_KIND, USUAL_LENGTH, odds_words

    found = answer.odds()
    if found.model is None:
        # Of tasks of another kind it goes without saying, unless more is asked for.
        if why or found.reason != OTHER_KIND:
            out.hanging(f"odds for one run: not known; {found.reason}", 2, 4, "dim")
        return
    # Some encodings were tested farther than others.
    ranges = sorted({row.tested for row in found.rows})
    by_encoding: dict[str, dict[LengthRange, str]] = {}
    for row in found.rows:
        by_encoding.setdefault(row.encoding, {})[row.tested] = odds_words(row.odds)
    columns = [Column(f"{each.first}–{each.last}", len(ranges) - place) for place, each in enumerate(ranges)]
    lines = [[f"  {out.titles[key]}", *map(said.get, ranges)] for key, said in by_encoding.items()]
    out.table(Table([f"  odds, trained to {USUAL_LENGTH}", *columns], lines))
    answers = {key: side.trained for key, side in answer.sides.items()}
    about = f"that one run works there; {found.basis(found.at(3).values(), answers)}"
    out.hanging(about, 2, 4, "dim")


def _print_why(out: Screen, answer: Forecast) -> None:
    from longreach.answers.bounds import bound_lines
    from longreach.theory.verdicts.verdict import Answer

    sides = {key: answer.sides[key] for key in ENCODING_SIDES}
    out.terms(sides, trained=True)
    notes = answer.encodings
    lines = [f"{', '.join(names)}: {says}" for says, names in _grouped(notes).items()]
    unknown = [name for name, note in notes.items() if not note.known]
    lines.append(f"{', '.join(unknown)}: not decided by theory")
    if any(Answer.NO in (side.trained, side.answer) for side in sides.values()):
        lines.append(f"no: {answer.meaning_of_no}")
    lines += [f"training length by theory: {line}" for line in bound_lines(answer.bounds)]
    for line in lines:
        out.hanging(line, 2, 4, "dim")


def _print_next(out: Screen, answer: Forecast, alphabet: str | None, why: bool, python: str | None) -> None:
    """Commands that end within minutes, on lines of their own that can be copied."""
    nameless = TaskName(answer.stored).is_text and answer.name == TaskName(answer.stored).short
    if nameless:
        return
    asked = [TaskName(answer.name).argument] if python is None else ["--python", python]
    given = [*asked, *(["--alphabet", alphabet] if alphabet is not None else [])]
    commands = [] if why else [("why", ["forecast", *given, "--why"])]
    if {own.encoding for own in answer.measured}.isdisjoint(ENCODING_SIDES):
        commands.append(("next", ["ask", *given]))
    for title, command in commands:
        out.command(f"  {title}: longreach {shlex.join(command)}")


def _grouped(notes: dict[str, Any]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for name, note in notes.items():
        if note.known:
            found.setdefault(note.statement, []).append(name)
    return found


def _print_all(out: Screen, found: Sequence[Forecast]) -> None:
    """Tasks by encodings: what is expected, the published accuracy at the longest range, and one's own."""
    from rich.text import Text

    own = any(each.measured for each in found)
    columns = [Column("task", right=False, wrap=16)]
    shown: list[list[object]] = [[each.name for each in found]]
    for place, key in enumerate(ENCODING_SIDES):
        words = [each.sides[key].trained.value for each in found]
        columns.append(Column(out.titles[key], right=False))
        shown.append([Text(EXPECTED[word], f"bold {out.styles[word]}") for word in words])
        if any(_last(each, key) for each in found):
            columns.append(Column("paper", 4 + place))
            shown.append([Text(_last(each, key), "dim") for each in found])
        if own:
            columns.append(Column("yours", 2 + place))
            shown.append([Text(_last_own(each, key), "dim") for each in found])
    columns.append(Column("by", 6, right=False))
    shown.append([Text(_by(each), "dim") for each in found])
    out.table(Table(columns, list(zip(*shown, strict=True))))
    out.hanging(f"expected on inputs longer than those of the training; {CAVEAT_ALL}", 0, style="dim")


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
