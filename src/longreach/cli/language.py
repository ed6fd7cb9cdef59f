"""Regular languages: what `longreach forecast` shows of them, and `longreach language`."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from longreach.cli.options import alphabet_of
from longreach.cli.output import (
    CAVEAT,
    TITLES,
    about_language,
    blamed_on,
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
from longreach.theory.names import END, TaskName, read_letters
from longreach.theory.program_class import ENCODING_SIDES
from longreach.wording import counted

if TYPE_CHECKING:
    from longreach.theory.automata.automaton import Automaton
    from longreach.theory.automata.monoid import Measures
    from longreach.theory.budget import Budget
    from longreach.theory.crasp.program import Program
    from longreach.theory.decide.views import Convention
    from longreach.theory.verdicts.judge import LanguageVerdicts
    from longreach.theory.verdicts.verdict import Verdict

PANEL = "For regular languages"
SECONDS = 10.0
"""Time for one language."""


class Reading(StrEnum):
    """Where a program gives its answer, as an option."""

    LAST = "last-letter"
    EOS = "eos"

    @property
    def convention(self) -> Convention:
        from longreach.theory.decide.views import Convention

        return Convention.LAST_LETTER if self is Reading.LAST else Convention.END_OF_SEQUENCE


def _option(*name: str, help: str, metavar: str | None = None) -> Any:
    return typer.Option(*name, metavar=metavar, help=help, rich_help_panel=PANEL)


WhyOption = Annotated[
    bool, typer.Option("--why", help="Also the papers' terms: classes, reasons, certificates, bounds.")
]
ProgramOption = Annotated[bool, typer.Option("--program", help="Show the program behind a yes.")]
PredictorOption = Annotated[bool, _option("--predictor", help="Show a program that predicts what follows.")]
ExplainOption = Annotated[bool, _option("--explain", help="Explain a no, with words that fool programs.")]
MeasuresOption = Annotated[bool, _option("--measures", help="Star-free, AC⁰, dot-depth and other measures.")]
DrawOption = Annotated[
    Path | None, _option(metavar="FILE", help="Draw the automaton, as .svg, .pdf or .png.")
]
LIST = "One regular expression a line, optionally a tab and its alphabet; - is standard input."
FileOption = Annotated[Path | None, _option(metavar="LIST", help=LIST)]
VerdictsOption = Annotated[bool, _option("--verdicts", help="JSON without certificates, many times faster.")]
CONVENTION = "Verdicts for programs that answer at the last letter, or at EOS after it."
ReadingOption = Annotated[Reading, _option("--convention", help=CONVENTION)]


@dataclass(frozen=True)
class Wanted:
    """What to show besides the verdicts."""

    why: bool = False
    program: bool = False
    predictor: bool = False
    explain: bool = False
    measures: bool = False
    draw: Path | None = None
    verdicts: bool = False

    def refuse(self, names: Sequence[str], reason: str) -> None:
        """Refuse the options with these names."""
        for name in names:
            if getattr(self, name):
                raise InputError(f"--{name}: {reason}")


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
    why: WhyOption = False,
    program: ProgramOption = False,
    predictor: PredictorOption = False,
    explain: ExplainOption = False,
    measures: MeasuresOption = False,
    reading: ReadingOption = Reading.LAST,
    draw: DrawOption = None,
    file: FileOption = None,
    verdicts: VerdictsOption = False,
    seconds: Annotated[
        float, typer.Option("--budget", metavar="SECONDS", help="Time limit for each language.")
    ] = SECONDS,
    as_json: Annotated[
        bool,
        typer.Option(
            "--json", callback=documents_alone, help="Print one JSON document (one a line with --file)."
        ),
    ] = False,
) -> None:
    """Decide whether a regular language has a C-RASP program, for NoPE and for APE.

    What `longreach forecast regex:REGEX --convention last-letter` shows.

    Example: longreach language "(a|b)*bb(a|b)*" --program --explain
    """
    choices = {"REGEX": regex, "--name": name, "--dfa": dfa, "--file": file}
    given = [label for label, value in choices.items() if value is not None]
    if len(given) != 1:
        raise InputError(f"{' and '.join(given) or 'REGEX'}: give one of {', '.join(choices)}")
    letters = alphabet_of(alphabet)
    if alphabet is not None and regex is None:
        raise InputError(f"--alphabet: goes with REGEX, not with {given[0]}")
    wanted = Wanted(why, program, predictor, explain, measures, draw, verdicts)
    if file is not None:
        print_list(file, wanted, reading, seconds=seconds, as_json=as_json)
        return
    check_wanted(wanted, reading)
    budget = running_budget(seconds)
    task, automaton = _automaton(regex, letters, name, dfa, budget)
    if regex is not None:
        _warn_of_names(regex)
    show_language(task, automaton, wanted, reading, budget, as_json=as_json)


def running_budget(seconds: float) -> Budget:
    """A budget whose time begins now; what takes long to import is imported before."""
    if not 0 < seconds < float("inf"):
        raise InputError(f"--budget: {seconds:g} is not a time; give seconds above 0")
    from longreach.theory.automata.regex import from_expression  # noqa: F401
    from longreach.theory.budget import Budget

    return Budget(seconds=seconds).running()


def check_wanted(wanted: Wanted, reading: Reading | None) -> None:
    """Refuse what cannot be shown before any work is done for it."""
    if reading is Reading.EOS and (wanted.program or wanted.predictor):
        raise InputError("--convention: programs are written for reading at the last letter only")
    check_file(wanted.draw, "--draw")
    if wanted.draw is not None and _format(wanted.draw) not in ("svg", "pdf", "png"):
        raise InputError(f"--draw: {wanted.draw}: must end in .svg, .pdf or .png")


def show_language(
    task: str, automaton: Automaton, wanted: Wanted, reading: Reading, budget: Budget, *, as_json: bool
) -> None:
    """The verdicts for membership under a convention, and what else is wanted."""
    from longreach.theory.verdicts.judge import judge

    answer = judge(automaton, budget)
    with showing(automaton, task, wanted):
        if as_json:
            document = answer.document(task, convention=reading.convention, certificates=not wanted.verdicts)
            if wanted.program:
                _add_programs(document, answer)
            add_more(document, answer.sides, automaton, wanted)
            print_json(document)
        else:
            _print(task, answer, reading, wanted.why)
            if wanted.program:
                _print_programs(answer)
            sides = answer.sides
            if reading is Reading.EOS:
                sides = {key: side.read_at_end() for key, side in sides.items()}
            print_more(sides, automaton, wanted)


def add_more(
    document: dict[str, Any], sides: Mapping[str, Verdict], automaton: Automaton | None, wanted: Wanted
) -> None:
    """Adds measures and predictors to a document."""
    if wanted.measures and automaton is not None:
        from longreach.theory.automata.monoid import measure

        document["measures"] = asdict(measure(automaton))
    for key, written in _predictors(sides, wanted):
        if isinstance(written, str):
            document[key]["predictor_not_written"] = written
        else:
            document[key]["predictor"] = written.text


def print_more(sides: Mapping[str, Verdict], automaton: Automaton | None, wanted: Wanted) -> None:
    """Explanations, measures and predictors, for people."""
    if wanted.explain:
        for key in ENCODING_SIDES:
            _print_explanation(key, sides[key])
    if wanted.measures and automaton is not None:
        from longreach.theory.automata.monoid import measure

        _print_measures(measure(automaton))
    out = console()
    shown: set[str] = set()
    for key, program in _predictors(sides, wanted):
        if isinstance(program, str):
            print_program(out, f"{TITLES[key]}: not written: {program}")
        elif key != "local" and program.text not in shown:
            shown.add(program.text)
            out.print()
            print_program(out, f"{TITLES[key]}: {_predictor_words(program, automaton)}", program.text)


def _predictors(sides: Mapping[str, Verdict], wanted: Wanted) -> list[tuple[str, Program | str]]:
    """For each yes of prediction the program, or why it is not written."""
    if not wanted.predictor:
        return []
    found = ((key, side.prediction.proof.outcome) for key, side in sides.items())
    return [(key, program) for key, program in found if program is not None]


def _predictor_words(program: Program, automaton: Automaton | None) -> str:
    from longreach.theory.certificates.check_yes import check_predictor

    about = "on words of the language, the letters that may follow, and EOS for the end"
    if automaton is None:
        return about
    found = check_predictor(program.core, automaton)
    return f"{about}; {found.how if found.valid else f'{found.status.value}: {found.problem}'}"


@contextmanager
def showing(automaton: Automaton | None, task: str, wanted: Wanted) -> Iterator[None]:
    """Around an answer: refuses what cannot be shown, draws the automaton, and afterwards says so."""
    if wanted.predictor and automaton is not None and END in automaton.alphabet:
        raise InputError(f"--predictor: {END!r} stands for the end, but it is also a letter of the alphabet")
    path = wanted.draw
    if path is not None and automaton is not None:
        from longreach.theory.automata.drawing import to_figure, to_svg

        form = _format(path)
        content = to_svg(automaton, task).encode("utf-8", "replace") if form == "svg" else b""
        write_bytes(path, content or to_figure(automaton, task, form))
    yield
    if path is not None:
        note(f"wrote {path}")


def _format(path: Path) -> str:
    """The format of a drawing by the end of its name; without one, SVG."""
    return path.suffix.lower()[1:] or "svg"


def _automaton(
    regex: str | None, letters: list[str] | None, name: str | None, dfa: Path | None, budget: Budget
) -> tuple[str, Automaton]:
    from longreach.theory.automata.named import named_automaton
    from longreach.theory.automata.regex import from_expression

    if dfa is not None:
        from longreach.files import read_text
        from longreach.theory.automata.files import read_automaton

        return str(dfa), read_automaton(read_text(dfa), file=str(dfa))
    if name is not None:
        with blamed_on("--name"):
            return name, named_automaton(name)
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


def _add_programs(document: dict[str, Any], answer: LanguageVerdicts) -> None:
    from longreach.theory.prove.induction import rightness

    for key, found in answer.sides.items():
        if found.proof.not_written:
            document[key]["not_written"] = found.proof.not_written
        if found.program is not None:
            known = rightness(found.program.core, answer.automaton, budget=answer.budget)
            if not known.proved:
                document[key]["not_proved"] = known.reason
            document[key] |= {
                "program": found.program.text, "proof": known.word, "checked_length": known.length
            }  # fmt: skip


def _print(task: str, answer: LanguageVerdicts, reading: Reading, why: bool) -> None:
    from rich.text import Text

    from longreach.config.encodings import side_title
    from longreach.theory.verdicts.verdict import MEANING_OF_NO, Answer

    out = console()
    print_heading(out, TaskName(task).expression, about_language(answer.automaton))
    finite = finite_note(answer.automaton)
    if finite is not None:
        print_hanging(out, finite)
    sides = {key: answer.sides[key] for key in ENCODING_SIDES}
    last = reading is Reading.LAST
    for key, side in sides.items():
        shown, other = (side, side.at_end.answer) if last else (side.read_at_end(), side.answer)
        questions = {
            "read at EOS, after the last letter" if last else "read at the last letter": other,
            "predicting what may follow, on its words": side.prediction.answer,
        }
        others = [(question, said) for question, said in questions.items() if said is not shown.answer]
        print_side(out, side_title(key), shown.answer, shown.clause, shown.basis, others)
    if why:
        out.print(Text("in the terms of the papers", "bold"))
        print_terms(
            out, sides if last else {key: side.read_at_end() for key, side in sides.items()}, trained=False
        )
    if any(Answer.NO in (side.answer, side.at_end.answer) for side in sides.values()):
        print_hanging(out, Text(f"no: {MEANING_OF_NO}" if why else CAVEAT, "dim"), 2, 4 if why else 2)


def _print_programs(answer: LanguageVerdicts) -> None:
    from longreach.theory.prove.induction import rightness

    out = console()
    shown: set[str] = set()
    for key in ENCODING_SIDES:
        found = answer.sides[key]
        if found.proof.not_written:
            out.print()
            print_program(out, f"{TITLES[key]}: not written: {found.proof.not_written}")
        if found.program is None or found.program.text in shown:
            continue
        shown.add(found.program.text)
        core = found.program.core
        known = rightness(core, answer.automaton, budget=answer.budget)
        size = counted(core.size, "operation")
        out.print()
        print_program(out, f"{TITLES[key]}: {core.class_name}, {size}, {known}", found.program.text)


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


# Lists of expressions: one answer for each line.

STANDARD_INPUT = Path("-")


def print_list(path: Path, wanted: Wanted, reading: Reading, *, seconds: float, as_json: bool) -> None:
    """One answer a line; a bad line is reported in its place, and the exit code is 2 at the end."""
    wanted.refuse(
        ("draw", "explain", "program", "predictor", "why"), "goes with one language, not with --file"
    )
    running_budget(seconds)
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
            document = answer.document(
                f"regex:{regex}", convention=reading.convention, certificates=not wanted.verdicts
            )
            add_more(document, answer.sides, automaton, wanted)
            print_json(document)
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
        at_end = side.at_end.answer.value
        parts.append(f"{TITLES[key]} {said if at_end == said else f'{said}, at EOS {at_end}':<16}")
    predicted = answer.nope.prediction.answer
    easier = "" if predicted == answer.nope.answer else f"   (NoPE on its words: {predicted.value})"
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
