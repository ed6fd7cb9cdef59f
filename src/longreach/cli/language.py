"""`longreach language`: everything about one regular language, or about a list of them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from longreach.cli.output import console, note, print_json, write_text
from longreach.config.task_name import TaskName
from longreach.errors import Argument, InputError

if TYPE_CHECKING:
    from rich.table import Table

    from longreach.languages.budget import Budget
    from longreach.languages.regular.automaton import Automaton
    from longreach.languages.regular.measures import Measures
    from longreach.verdicts.automaton_to_verdicts import LanguageVerdicts
    from longreach.verdicts.verdict import Verdict

TITLES = {"nope": "NoPE", "ape": "APE", "local": "local"}
STYLES = {"yes": "green", "no": "red", "undecided": "yellow"}


def language(
    regex: Annotated[
        str | None, typer.Argument(metavar="REGEX", help="A regular expression in automata-lib's syntax.")
    ] = None,
    alphabet: Annotated[
        str | None,
        typer.Option(metavar="LETTERS", help="The alphabet, as in abc; default: the letters of REGEX."),
    ] = None,
    name: Annotated[
        str | None, typer.Option(metavar="NAME", help="A benchmark language, such as tomita-4.")
    ] = None,
    dfa: Annotated[
        Path | None, typer.Option(metavar="JSON", help="A deterministic automaton in a JSON file.")
    ] = None,
    program: Annotated[bool, typer.Option("--program", help="Show the program of a yes.")] = False,
    predictor: Annotated[
        bool,
        typer.Option("--predictor", help="Show a program that predicts, on its words, what may follow."),
    ] = False,
    explain: Annotated[
        bool, typer.Option("--explain", help="Say why a no is a no, with words that fool programs.")
    ] = False,
    measures: Annotated[
        bool, typer.Option("--measures", help="Star-free, AC⁰, dot-depth and other measures.")
    ] = False,
    draw: Annotated[
        Path | None, typer.Option(metavar="SVG", help="Write a drawing of the automaton.")
    ] = None,
    file: Annotated[
        Path | None,
        typer.Option(
            metavar="LIST", help="One REGEX a line, optionally a tab and its alphabet; one answer a line."
        ),
    ] = None,
    seconds: Annotated[
        float,
        typer.Option("--budget", metavar="SECONDS", help="Time for each language; what it ends is said."),
    ] = 10.0,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print one JSON document (one a line with --file).")
    ] = False,
) -> None:
    """Decide whether a regular language has a C-RASP program: the verdict for NoPE and for APE.

    Example: longreach language "(a|b)*bb(a|b)*" --program --explain
    """
    given = [
        label
        for label, value in (("REGEX", regex), ("--name", name), ("--dfa", dfa), ("--file", file))
        if value is not None
    ]
    if len(given) != 1:
        raise InputError(f"{' and '.join(given) or 'REGEX'}: give one of REGEX, --name, --dfa, --file")
    if alphabet is not None and len(set(alphabet)) != len(alphabet):
        raise InputError(f"--alphabet: a letter stands twice in {alphabet!r}")
    if alphabet == "":
        raise InputError("--alphabet: is empty; a language needs at least one letter")
    if alphabet is not None and regex is None:
        raise InputError(f"--alphabet: goes with REGEX, not with {given[0]}")
    if not 0 < seconds < float("inf"):
        raise InputError(f"--budget: {seconds:g} is no time; give seconds above 0")
    if file is not None:
        _many(
            file,
            measures,
            as_json,
            seconds,
            [
                label
                for label, value in (
                    ("--draw", draw),
                    ("--explain", explain),
                    ("--program", program),
                    ("--predictor", predictor),
                )
                if value
            ],
        )
        return
    from longreach.languages.budget import Budget
    from longreach.languages.prove.language_certificates import END
    from longreach.languages.regular.measures import measure
    from longreach.verdicts.automaton_to_verdicts import judge

    budget = Budget(seconds=seconds).running()
    task, automaton = _automaton(regex, alphabet, name, dfa, budget)
    answer = judge(automaton, budget)
    measured = measure(automaton) if measures else None
    if draw is not None:
        from longreach.languages.regular.automaton_drawing import to_svg

        write_text(draw, to_svg(automaton, task))
    if predictor and END in automaton.alphabet:
        raise InputError(
            f"--predictor: the token {END!r} stands for the end, and the alphabet has it as well"
        )
    if as_json:
        print_json(_document(task, answer, measured, program, predictor))
    else:
        _print(task, answer, measured, program, explain)
        if predictor:
            _print_predictors(answer)
    if draw is not None:
        note(f"wrote {draw}")


def _automaton(
    regex: str | None, alphabet: str | None, name: str | None, dfa: Path | None, budget: Budget
) -> tuple[str, Automaton]:
    from longreach.crasp.parser import read_text
    from longreach.languages.regular.automaton_documents import read_automaton
    from longreach.languages.regular.expression_to_automaton import from_expression
    from longreach.languages.regular.named_languages import named_automaton

    if dfa is not None:
        try:
            return str(dfa), read_automaton(read_text(dfa))
        except InputError as error:
            message = error.message
            raise InputError(message if message.startswith(str(dfa)) else f"{dfa}: {message}") from None
    if name is not None:
        try:
            return name, named_automaton(name)
        except InputError as error:
            raise InputError(f"--name: {error.message}") from None
    assert regex is not None
    letters = None if alphabet is None else list(alphabet)
    try:
        return f"regex:{regex}", from_expression(regex, letters, budget)
    except InputError as error:
        raise error.at(Argument("regex")) from None


def _document(
    task: str, answer: LanguageVerdicts, measured: Measures | None, program: bool, predictor: bool
) -> dict[str, Any]:
    document = answer.document(task, measured)
    if program:
        from longreach.languages.prove.rightness import rightness

        for key, found in answer.sides.items():
            if found.not_written:
                document[key]["not_written"] = found.not_written
            if found.program is not None:
                budget = answer.budget
                known = rightness(found.program.core, answer.automaton, budget=budget)
                if not known.proved:
                    document[key]["not_proved"] = known.reason
                document[key]["program"] = found.program.text
                document[key]["proof"] = known.word
                document[key]["checked_length"] = known.length
    if predictor:
        for key, written in answer.predictors().items():
            if isinstance(written, str):
                document[key]["predictor_not_written"] = written
            else:
                document[key]["predictor"] = written.text
    return document


def _print(
    task: str, answer: LanguageVerdicts, measured: Measures | None, program: bool, explain: bool
) -> None:
    from longreach.verdicts.verdict import MEANING_OF_NO

    out = console()
    automaton = answer.automaton
    out.print(TaskName(task).expression, style="bold", markup=False, end="")
    states = f"{len(automaton)} state" + ("s" if len(automaton) != 1 else "")
    out.print(f"   over {' '.join(automaton.alphabet)}, {states}", markup=False, style="dim")
    out.print(_verdict_table({key: found for key, found in answer.sides.items() if key != "local"}))
    if any(found.answer == "no" for found in answer.sides.values()):
        out.print(f"no: {MEANING_OF_NO}", style="dim", markup=False)
    shown: set[str] = set()
    for key, found in answer.sides.items():
        if program and key != "local" and found.program is not None and found.program.text not in shown:
            shown.add(found.program.text)
            _print_program(key, found, answer)
        elif program and key != "local" and found.not_written:
            out.print()
            out.print(f"// {TITLES[key]}: not written: {found.not_written}", style="dim", markup=False)
        if explain and key != "local":
            _print_explanation(key, found)
    if measured is not None:
        _print_measures(measured)


def _verdict_table(classes: dict[str, Verdict]) -> Table:
    """One row per class; long reasons wrap within their column."""
    from rich.table import Table
    from rich.text import Text

    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_column(no_wrap=True)
    table.add_column(no_wrap=True)
    table.add_column(no_wrap=True)
    table.add_column()
    for key, verdict in classes.items():
        word = verdict.answer.value
        reason = verdict.reason
        if verdict.window is not None and (verdict.window or (verdict.modulus or 1) > 1):
            reason += f" (window {verdict.window}, modulus {verdict.modulus})"
        style = f"bold {STYLES[word]}"
        table.add_row(f"  {TITLES[key]}", Text(word, style), Text(verdict.program_class), Text(reason))
        others = [
            ("read after the last letter", verdict.end_of_sequence, ""),
            ("what may follow, on words of the language only", verdict.prediction, verdict.prediction_reason),
        ]
        for label, other, why in others:
            if other != verdict.answer:
                table.add_row("", "", "", Text(f"{label}: {other.value}{why and f'; {why}'}", "dim"))
    return table


def _print_program(key: str, found: Verdict, language: LanguageVerdicts) -> None:
    from longreach.languages.prove.rightness import rightness

    assert found.program is not None
    core = found.program.core
    out = console()
    known = rightness(core, language.automaton, budget=language.budget)
    out.print()
    out.print(
        f"// {TITLES[key]}: {core.class_name}, {core.size} operations, {known}", style="dim", markup=False
    )
    out.print(found.program.text, markup=False)


def _print_predictors(answer: LanguageVerdicts) -> None:
    from longreach.languages.prove.predictor_checker import check_predictor

    out = console()
    shown: set[str] = set()
    for key, program in answer.predictors().items():
        if isinstance(program, str):
            out.print(f"// {TITLES[key]}: not written: {program}", style="dim", markup=False)
        elif key != "local" and program.text not in shown:
            shown.add(program.text)
            found = check_predictor(program.core, answer.automaton)
            known = found.how if found.valid else f"{found.status.value}: {found.problem}"
            out.print()
            out.print(
                f"// {TITLES[key]}: on words of the language, the letters that may follow, "
                f"and EOS for the end; {known}",
                style="dim",
                markup=False,
            )
            out.print(program.text, markup=False)


def _print_explanation(key: str, found: Verdict) -> None:
    from longreach.forecast.certificate_kinds import kind_of

    lines = kind_of(found.certificate).explain(found.certificate)
    if not lines:
        return
    out = console()
    out.print()
    out.print(f"Why not {found.program_class} ({TITLES[key]})", style="bold", markup=False)
    for line in lines:
        out.print(line, markup=False)


def _print_measures(measured: Measures) -> None:
    def shown(value: bool | int | str | None) -> str:
        if value is None:
            return "unknown (beyond the cap)"
        return ("yes" if value else "no") if isinstance(value, bool) else str(value)

    dot_depth = "–" if measured.star_free is False else shown(measured.dot_depth)
    rows = [
        ("states", shown(measured.states)),
        ("monoid elements", shown(measured.monoid)),
        ("star-free", shown(measured.star_free)),
        ("dot-depth", dot_depth),
        ("piecewise testable", shown(measured.piecewise_testable)),
        ("R-trivial", shown(measured.r_trivial)),
        ("two-variable (DA)", shown(measured.two_variable)),
        ("AC⁰", shown(measured.ac0)),
        ("length complexity 2n−2", shown(measured.length_complexity)),
    ]
    out = console()
    out.print()
    for label, value in rows:
        out.print(f"  {label:<24}{value}", markup=False)


def _many(path: Path, measures: bool, as_json: bool, seconds: float, unfit: list[str]) -> None:
    """One answer a line; a bad line is reported in its place, and the exit code is 2 at the end."""
    from longreach.languages.budget import Budget
    from longreach.languages.regular.expression_to_automaton import from_expression
    from longreach.languages.regular.measures import measure
    from longreach.verdicts.automaton_to_verdicts import judge

    if unfit:
        raise InputError(f"{unfit[0]}: goes with one language, not with --file")
    failed = False
    for number, regex, letters in _lines(path):
        budget = Budget(seconds=seconds).running()
        try:
            automaton = from_expression(regex, letters, budget)
        except InputError as error:
            failed = True
            if as_json:
                print_json({"line": number, "error": error.message})
            note(f"{path}:{number}: {error.message}")
            continue
        answer = judge(automaton, budget)
        if as_json:
            print_json(answer.document(f"regex:{regex}", measure(automaton) if measures else None))
        else:
            verdicts = "  ".join(
                f"{TITLES[k]} {a.answer.value:<9}" for k, a in answer.sides.items() if k != "local"
            )
            nope = answer.nope
            easier = (
                "" if nope.prediction == nope.answer else f"   (NoPE on its words: {nope.prediction.value})"
            )
            console().print(f"{verdicts}  {regex}{easier}", markup=False)
    if failed:
        raise typer.Exit(2)


def _lines(path: Path) -> Iterator[tuple[int, str, list[str] | None]]:
    from longreach.crasp.parser import read_text

    # `splitlines` would also split at form feeds and the like.
    for number, line in enumerate(re.split(r"\r?\n", read_text(path)), 1):
        if line.strip():
            regex, tab, letters = line.partition("\t")
            yield number, regex, list(letters.strip()) if tab and letters.strip() else None
