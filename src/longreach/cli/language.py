"""`longreach language`: everything about one regular language, or about a list of them."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from longreach.cli.options import alphabet_of
from longreach.cli.output import (
    CAVEAT,
    TITLES,
    about_language,
    check_file,
    console,
    documents_alone,
    finite_note,
    note,
    print_hanging,
    print_heading,
    print_json,
    print_program,
    print_side,
    print_terms,
    write_bytes,
)
from longreach.errors import Argument, InputError
from longreach.theory.names import TaskName, read_letters
from longreach.theory.program_class import ENCODING_SIDES
from longreach.wording import counted

if TYPE_CHECKING:
    from longreach.theory.automata.automaton import Automaton
    from longreach.theory.automata.monoid import Measures
    from longreach.theory.budget import Budget
    from longreach.theory.decide.views import Convention
    from longreach.theory.verdicts.judge import LanguageVerdicts
    from longreach.theory.verdicts.verdict import Verdict

# `longreach language`: everything about one regular language, or about a list of them.


class Reading(StrEnum):
    """Where a program gives its answer, as an option."""

    LAST = "last-letter"
    EOS = "eos"

    @property
    def convention(self) -> Convention:
        from longreach.theory.decide.views import Convention

        return Convention.LAST_LETTER if self is Reading.LAST else Convention.END_OF_SEQUENCE


def language(
    regex: Annotated[
        str | None, typer.Argument(metavar="REGEX", help="A regular expression in automata-lib's syntax.")
    ] = None,
    alphabet: Annotated[
        str | None,
        typer.Option(
            metavar="LETTERS", help="The alphabet, as in abc or a,b,c; default: the letters of REGEX."
        ),
    ] = None,
    name: Annotated[
        str | None, typer.Option(metavar="NAME", help="A benchmark language, such as tomita-4.")
    ] = None,
    dfa: Annotated[
        Path | None, typer.Option(metavar="JSON", help="A deterministic automaton in a JSON file.")
    ] = None,
    why: Annotated[
        bool, typer.Option("--why", help="The terms of the papers as well: classes, reasons, certificates.")
    ] = False,
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
    reading: Annotated[
        Reading,
        typer.Option(
            "--convention", help="Verdicts for programs that answer at the last letter, or at EOS after it."
        ),
    ] = Reading.LAST,
    draw: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write a drawing of the automaton, as .svg, .pdf or .png."),
    ] = None,
    file: Annotated[
        Path | None,
        typer.Option(
            metavar="LIST",
            help="One REGEX a line, optionally a tab and its alphabet; - is standard input. One answer each.",
        ),
    ] = None,
    verdicts: Annotated[
        bool, typer.Option("--verdicts", help="JSON without certificates, many times faster.")
    ] = False,
    seconds: Annotated[
        float,
        typer.Option("--budget", metavar="SECONDS", help="Time for each language; what it ends is said."),
    ] = 10.0,
    as_json: Annotated[
        bool,
        typer.Option(
            "--json", callback=documents_alone, help="Print one JSON document (one a line with --file)."
        ),
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
    letters = alphabet_of(alphabet)
    if alphabet is not None and regex is None:
        raise InputError(f"--alphabet: goes with REGEX, not with {given[0]}")
    if not 0 < seconds < float("inf"):
        raise InputError(f"--budget: {seconds:g} is no time; give seconds above 0")
    one_only = {
        "--draw": draw,
        "--explain": explain,
        "--program": program,
        "--predictor": predictor,
        "--why": why,
    }
    wanted = [option for option, value in one_only.items() if value]
    if file is not None:
        if wanted:
            raise InputError(f"{wanted[0]}: goes with one language, not with --file")
        print_list(
            file, measures=measures, as_json=as_json, seconds=seconds,
            convention=reading.convention, certificates=not verdicts,
        )  # fmt: skip
        return
    if reading is Reading.EOS and (program or predictor):
        raise InputError("--convention: programs are written for reading at the last letter only")
    check_file(draw, "--draw")
    form = _format(draw)
    from longreach.theory.automata.monoid import measure
    from longreach.theory.automata.regex import from_expression  # noqa: F401
    from longreach.theory.budget import Budget
    from longreach.theory.names import END
    from longreach.theory.verdicts.judge import judge

    budget = Budget(seconds=seconds).running()
    task, automaton = _automaton(regex, letters, name, dfa, budget)
    if regex is not None:
        _warn_of_names(regex)
    answer = judge(automaton, budget)
    measured = measure(automaton) if measures else None
    if draw is not None:
        write_bytes(draw, _drawing(automaton, task, form))
    if predictor and END in automaton.alphabet:
        raise InputError(
            f"--predictor: the token {END!r} stands for the end, and the alphabet has it as well"
        )
    if as_json:
        document = answer.document(task, measured, convention=reading.convention, certificates=not verdicts)
        _add_programs(document, answer, program, predictor)
        print_json(document)
    else:
        _print(task, answer, reading, why)
        if program:
            _print_programs(answer)
        if explain:
            _print_explanations(answer, reading)
        if measured is not None:
            _print_measures(measured)
        if predictor:
            _print_predictors(answer)
    if draw is not None:
        note(f"wrote {draw}")


def _automaton(
    regex: str | None, letters: list[str] | None, name: str | None, dfa: Path | None, budget: Budget
) -> tuple[str, Automaton]:
    from longreach.files import read_text
    from longreach.theory.automata.files import read_automaton
    from longreach.theory.automata.named import named_automaton
    from longreach.theory.automata.regex import from_expression

    if dfa is not None:
        return str(dfa), read_automaton(read_text(dfa), file=str(dfa))
    if name is not None:
        try:
            return name, named_automaton(name)
        except InputError as error:
            raise InputError(f"--name: {error.message}") from None
    assert regex is not None
    try:
        return f"regex:{regex}", from_expression(regex, letters, budget)
    except InputError as error:
        raise error.at(Argument("regex")) from None


def _warn_of_names(regex: str) -> None:
    """REGEX is always an expression; say so where it looks like something that other commands take."""
    from longreach.theory.automata.named import NAMED_LANGUAGES
    from longreach.theory.names import TaskName

    prefix = TaskName(regex).prefix
    if prefix:
        note(f"warning: {prefix!r} is read as letters of the expression; leave it out, or use forecast")
    elif regex in NAMED_LANGUAGES:
        note(f"warning: {regex!r} is read as an expression; --name {regex} is the language of that name")


def _format(draw: Path | None) -> str:
    """The format of a drawing by the end of its name; without one, SVG."""
    form = "svg" if draw is None else draw.suffix.lower()[1:] or "svg"
    if form == "svg":
        return form
    from longreach.theory.automata.drawing import FORMATS

    if form not in FORMATS:
        raise InputError(f"--draw: {draw}: must end in .svg, .pdf or .png")
    return form


def _drawing(automaton: Automaton, task: str, form: str) -> bytes:
    from longreach.theory.automata.drawing import to_figure, to_svg

    if form == "svg":
        return to_svg(automaton, task).encode("utf-8", "replace")
    return to_figure(automaton, task, form)


def _add_programs(document: dict[str, Any], answer: LanguageVerdicts, program: bool, predictor: bool) -> None:
    if program:
        from longreach.theory.prove.equivalence import rightness

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


def _print(task: str, answer: LanguageVerdicts, reading: Reading, why: bool) -> None:
    from rich.text import Text

    from longreach.config.encodings import side_title
    from longreach.theory.verdicts.basis import clause, rests_on
    from longreach.theory.verdicts.verdict import MEANING_OF_NO, Answer

    out = console()
    print_heading(out, TaskName(task).expression, about_language(answer.automaton))
    finite = finite_note(answer.automaton)
    if finite is not None:
        print_hanging(out, finite)
    sides = {key: answer.sides[key] for key in ENCODING_SIDES}
    last = reading is Reading.LAST
    for key, side in sides.items():
        shown, other = (side, side.end_of_sequence) if last else (side.at_end, side.answer)
        questions = {
            "read at EOS, after the last letter" if last else "read at the last letter": other,
            "predicting what may follow, on its words": side.prediction,
        }
        others = [(question, said) for question, said in questions.items() if said is not shown.answer]
        print_side(out, side_title(key), shown.answer, clause(shown), rests_on(shown), others)
    if why:
        out.print(Text("in the terms of the papers", "bold"))
        print_terms(out, sides if last else {key: side.at_end for key, side in sides.items()}, trained=False)
    if any(Answer.NO in (side.answer, side.end_of_sequence) for side in sides.values()):
        print_hanging(out, Text(f"no: {MEANING_OF_NO}" if why else CAVEAT, "dim"), 2, 4 if why else 2)


def _print_programs(answer: LanguageVerdicts) -> None:
    from longreach.theory.prove.equivalence import rightness

    out = console()
    shown: set[str] = set()
    for key in ENCODING_SIDES:
        found = answer.sides[key]
        if found.not_written:
            out.print()
            print_program(out, f"{TITLES[key]}: not written: {found.not_written}")
        if found.program is None or found.program.text in shown:
            continue
        shown.add(found.program.text)
        core = found.program.core
        known = rightness(core, answer.automaton, budget=answer.budget)
        size = counted(core.size, "operation")
        out.print()
        print_program(out, f"{TITLES[key]}: {core.class_name}, {size}, {known}", found.program.text)


def _print_predictors(answer: LanguageVerdicts) -> None:
    from longreach.theory.certificates.check_yes import check_predictor

    out = console()
    shown: set[str] = set()
    for key, program in answer.predictors().items():
        if isinstance(program, str):
            print_program(out, f"{TITLES[key]}: not written: {program}")
        elif key != "local" and program.text not in shown:
            shown.add(program.text)
            found = check_predictor(program.core, answer.automaton)
            known = found.how if found.valid else f"{found.status.value}: {found.problem}"
            out.print()
            about = f"on words of the language, the letters that may follow, and EOS for the end; {known}"
            print_program(out, f"{TITLES[key]}: {about}", program.text)


def _print_explanations(answer: LanguageVerdicts, reading: Reading) -> None:
    for key in ENCODING_SIDES:
        side = answer.sides[key]
        _print_explanation(key, side if reading is Reading.LAST else side.at_end)


def _print_explanation(key: str, found: Verdict) -> None:
    from longreach.answers.kinds import kind_of

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


# `longreach language --file`: one answer for each line of a list.


STANDARD_INPUT = Path("-")


def print_list(
    path: Path, *, measures: bool, as_json: bool, seconds: float, convention: Convention, certificates: bool
) -> None:
    """One answer a line; a bad line is reported in its place, and the exit code is 2 at the end."""
    from longreach.theory.automata.monoid import measure
    from longreach.theory.automata.regex import from_expression
    from longreach.theory.budget import Budget
    from longreach.theory.verdicts.judge import judge

    failed = False
    for number, line in _lines(path):
        regex, tab, letters = line.partition("\t")
        budget = Budget(seconds=seconds).running()
        try:
            alphabet = read_letters(letters) if tab and letters.strip() else None
            automaton = from_expression(regex, alphabet, budget)
        except InputError as error:
            failed = True
            if as_json:
                print_json({"line": number, "error": error.message})
            note(f"{'standard input' if path == STANDARD_INPUT else path}:{number}{_after_line(error)}")
            continue
        answer = judge(automaton, budget)
        if as_json:
            measured = measure(automaton) if measures else None
            print_json(
                answer.document(f"regex:{regex}", measured, convention=convention, certificates=certificates)
            )
        else:
            console().print(_line(answer, regex), markup=False)
    if failed:
        raise typer.Exit(2)


def _after_line(error: InputError) -> str:
    """The column, where the expression is wrong at one, and the message."""
    said = f"column {error.column}: "
    if error.column is None or not error.message.startswith(said):
        return f": {error.message}"
    return f":{error.column}: {error.message.removeprefix(said)}"


def _line(answer: LanguageVerdicts, regex: str) -> str:
    """Both conventions of each side, where they differ, and prediction, where it does."""
    parts = []
    for key in ENCODING_SIDES:
        side = answer.sides[key]
        said = side.answer.value
        at_end = side.end_of_sequence.value
        parts.append(f"{TITLES[key]} {said if at_end == said else f'{said}, at EOS {at_end}':<16}")
    nope = answer.nope
    easier = "" if nope.prediction == nope.answer else f"   (NoPE on its words: {nope.prediction.value})"
    return f"{'  '.join(parts)}  {regex}{easier}"


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    """The lines of a file, or of standard input as they come, that are not blank."""
    from longreach.files import read_text

    if path == STANDARD_INPUT:
        lines: Iterator[str] = (line.decode("utf-8", "replace").rstrip("\r\n") for line in sys.stdin.buffer)
    else:
        # `splitlines` would also split at form feeds and the like.
        lines = iter(re.split(r"\r?\n", read_text(path)))
    for number, line in enumerate(lines, 1):
        if line.strip():
            yield number, line
