"""Regular languages: what `longreach forecast` shows of them, and `longreach language`."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from longreach.cli.options import alphabet_of, flag, option
from longreach.cli.output import (
    blamed_on,
    check_file,
    console,
    documents_alone,
    note,
    print_json,
    write_bytes,
)
from longreach.errors import Argument, InputError
from longreach.theory.names import END, TaskName, read_letters
from longreach.theory.program_class import ENCODING_SIDES
from longreach.wording import counted

if TYPE_CHECKING:
    from longreach.cli.screen import Screen
    from longreach.theory.automata.automaton import Automaton
    from longreach.theory.budget import Budget
    from longreach.theory.crasp.program import Program
    from longreach.theory.decide.views import Convention
    from longreach.theory.verdicts.judge import LanguageVerdicts
    from longreach.theory.verdicts.verdict import Answer, Verdict

SECONDS = 10.0
"""Time for one language."""
CAVEAT = '"expected to fail" is a prediction, not a proof that no run can work.'


class Reading(StrEnum):
    """Where a program gives its answer, as an option."""

    LAST = "last-letter"
    EOS = "eos"

    @property
    def convention(self) -> Convention:
        from longreach.theory.decide.views import Convention

        return Convention.LAST_LETTER if self is Reading.LAST else Convention.END_OF_SEQUENCE


REGULAR = "For regular languages"


@dataclass(frozen=True)
class Wanted:
    """What to show besides the verdicts, as options."""

    why: Annotated[bool, flag("--why", "Also the papers' terms: classes, reasons, certificates, bounds.")] = (
        False
    )
    program: Annotated[bool, flag("--program", "Show the program behind a yes.")] = False
    predictor: Annotated[
        bool, flag("--predictor", "Show a program that predicts what follows.", panel=REGULAR)
    ] = False
    explain: Annotated[
        bool, flag("--explain", "Explain a no, with words that fool programs.", panel=REGULAR)
    ] = False
    measures: Annotated[
        bool, flag("--measures", "Star-free, AC⁰, dot-depth and other measures.", panel=REGULAR)
    ] = False
    reading: Annotated[
        Reading | None,
        option(
            "Verdicts for programs that answer at the last letter, or at EOS after it.",
            None,
            "--convention",
            panel=REGULAR,
        ),
    ] = None
    draw: Annotated[
        Path | None, option("Draw the automaton, as .svg, .pdf or .png.", "FILE", panel=REGULAR)
    ] = None
    file: Annotated[
        Path | None,
        option(
            "One regular expression a line, optionally a tab and its alphabet; - is standard input.",
            "LIST",
            panel=REGULAR,
        ),
    ] = None
    verdicts: Annotated[
        bool, flag("--verdicts", "JSON without certificates, many times faster.", panel=REGULAR)
    ] = False

    def refuse(self, names: Sequence[str], reason: str) -> None:
        """Refuse the options with these names."""
        for name in names:
            if getattr(self, name):
                raise InputError(f"--{name}: {reason}")

    def check(self) -> None:
        """Refuse what cannot be shown before any work is done for it."""
        if self.reading is Reading.EOS and (self.program or self.predictor):
            raise InputError("--convention: programs are written for reading at the last letter only")
        check_file(self.draw, "--draw")
        if self.draw is not None and _format(self.draw) not in ("svg", "pdf", "png"):
            raise InputError(f"--draw: {self.draw}: must end in .svg, .pdf or .png")


VERDICTS_ALONE = Wanted()
AT_LAST_LETTER = Wanted(reading=Reading.LAST)


def language(
    regex: Annotated[
        str | None, typer.Argument(metavar="REGEX", help="A regular expression in automata-lib's syntax.")
    ] = None,
    alphabet: Annotated[
        str | None, option("The alphabet, as in abc or a,b,c; default: the letters of REGEX.", "LETTERS")
    ] = None,
    name: Annotated[str | None, option("A benchmark language, such as tomita-4.", "NAME")] = None,
    dfa: Annotated[Path | None, option("A deterministic automaton in a JSON file.", "JSON")] = None,
    wanted: Wanted = AT_LAST_LETTER,
    seconds: Annotated[float, option("Time limit for each language.", "SECONDS", "--budget")] = SECONDS,
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
    choices = {"REGEX": regex, "--name": name, "--dfa": dfa, "--file": wanted.file}
    given = [label for label, value in choices.items() if value is not None]
    if len(given) != 1:
        raise InputError(f"{' and '.join(given) or 'REGEX'}: give one of {', '.join(choices)}")
    letters = alphabet_of(alphabet)
    if alphabet is not None and regex is None:
        raise InputError(f"--alphabet: goes with REGEX, not with {given[0]}")
    if wanted.file is not None:
        print_list(wanted.file, wanted, seconds=seconds, as_json=as_json)
        return
    wanted.check()
    budget = running_budget(seconds)
    task, automaton = _automaton(regex, letters, name, dfa, budget)
    if regex is not None:
        _warn_of_names(regex)
    show_language(task, automaton, wanted, budget, as_json=as_json)


def running_budget(seconds: float) -> Budget:
    """A budget whose time begins now; what takes long to import is imported before."""
    if not 0 < seconds < float("inf"):
        raise InputError(f"--budget: {seconds:g} is not a time; give seconds above 0")
    from longreach.theory.automata.regex import from_expression  # noqa: F401
    from longreach.theory.budget import Budget

    return Budget(seconds=seconds).running()


def show_language(task: str, automaton: Automaton, wanted: Wanted, budget: Budget, *, as_json: bool) -> None:
    """The verdicts for membership under a convention, and what else is wanted."""
    from longreach.theory.verdicts.judge import judge

    answer = judge(automaton, budget)
    sides = answer.sides
    if wanted.reading is Reading.EOS:
        sides = {key: side.read_at_end() for key, side in sides.items()}

    def text(out: Screen) -> None:
        _print(out, task, answer, sides, wanted)

    show(task, automaton, sides, wanted, text, lambda: _document(task, answer, wanted), as_json=as_json)


def show(
    task: str,
    automaton: Automaton | None,
    sides: Mapping[str, Verdict],
    wanted: Wanted,
    text: Callable[[Screen], None],
    document: Callable[[], dict[str, Any]],
    *,
    as_json: bool,
) -> None:
    """An answer as text or as a document, with what else is wanted; the automaton is drawn before."""
    if wanted.predictor and automaton is not None and END in automaton.alphabet:
        raise InputError(f"--predictor: {END!r} stands for the end, but it is also a letter of the alphabet")
    if wanted.draw is not None and automaton is not None:
        from longreach.theory.automata.drawing import to_figure, to_svg

        form = _format(wanted.draw)
        content = to_svg(automaton, task).encode("utf-8", "replace") if form == "svg" else b""
        write_bytes(wanted.draw, content or to_figure(automaton, task, form))
    if as_json:
        made = document() | _measures(automaton, wanted)
        for key, found in _predictors(sides, wanted):
            made[key]["predictor_not_written" if isinstance(found, str) else "predictor"] = _text(found)
        print_json(made)
    else:
        out = console()
        text(out)
        if wanted.explain:
            for key in ENCODING_SIDES:
                _print_explanation(out, key, sides[key])
        _print_measures(out, _measures(automaton, wanted))
        _print_predictors(out, sides, automaton, wanted)
    if wanted.draw is not None:
        note(f"wrote {wanted.draw}")


def _text(found: Program | str) -> str:
    return found if isinstance(found, str) else found.text


def _measures(automaton: Automaton | None, wanted: Wanted) -> dict[str, Any]:
    if not wanted.measures or automaton is None:
        return {}
    from longreach.theory.automata.monoid import measure

    return {"measures": asdict(measure(automaton))}


def _predictors(sides: Mapping[str, Verdict], wanted: Wanted) -> list[tuple[str, Program | str]]:
    """For each yes of prediction the program, or why it is not written."""
    if not wanted.predictor:
        return []
    found = ((key, side.prediction.proof.outcome) for key, side in sides.items())
    return [(key, program) for key, program in found if program is not None]


def _print_predictors(
    out: Screen, sides: Mapping[str, Verdict], automaton: Automaton | None, wanted: Wanted
) -> None:
    def about(program: Program) -> str:
        from longreach.theory.certificates.check_yes import check_predictor

        words = "on words of the language, the letters that may follow, and EOS for the end"
        if automaton is None:
            return words
        found = check_predictor(program.core, automaton)
        return f"{words}; {found.how if found.valid else f'{found.status.value}: {found.problem}'}"

    found = [
        (key, each) for key, each in _predictors(sides, wanted) if isinstance(each, str) or key != "local"
    ]
    print_programs(out, found, about, apart=False)


def print_programs(
    out: Screen,
    found: Iterable[tuple[str, Program | str | None]],
    about: Callable[[Program], str],
    *,
    apart: bool = True,
) -> None:
    """Programs, each once with what is to be said of it; or why one is not written."""
    shown: set[str] = set()
    for key, program in found:
        if program is None or _text(program) in shown:
            continue
        shown |= set() if isinstance(program, str) else {program.text}
        if apart or not isinstance(program, str):
            out.print()
        if isinstance(program, str):
            out.program(f"{out.titles[key]}: not written: {program}")
        else:
            out.program(f"{out.titles[key]}: {about(program)}", program.text)


def described(program: Program) -> str:
    """The class and size of a program."""
    return f"{program.core.class_name}, {counted(program.core.size, 'operation')}"


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


def _document(task: str, answer: LanguageVerdicts, wanted: Wanted) -> dict[str, Any]:
    assert wanted.reading is not None
    document = answer.document(task, convention=wanted.reading.convention, certificates=not wanted.verdicts)
    if not wanted.program:
        return document
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
    return document


def about_language(automaton: Automaton) -> str:
    """What a language's words are made of.

    >>> about_language(from_expression("a*"))
    'words over a, 1 state'
    """
    return f"words over {' '.join(automaton.alphabet)}, {counted(len(automaton), 'state')}"


def finite_note(automaton: Automaton) -> str | None:
    """What is to be said of a finite language."""
    from longreach.theory.automata.automaton import longest_word

    longest = longest_word(automaton)
    if longest is None:
        return None
    if longest < 0:
        return "empty: no word is in the language, so there is nothing to learn"
    return f"finite: its longest word has {counted(longest, 'letter')}; no question of longer inputs"


def print_verdicts(
    out: Screen,
    task: str,
    about: str,
    automaton: Automaton | None,
    sides: Mapping[str, Verdict],
    others: Callable[[str], Sequence[tuple[str, Answer]]] | None = None,
) -> None:
    """What is expected without and with positions: of membership with other questions, else as trained."""
    from longreach.config.encodings import side_title

    out.heading(TaskName(task).expression, about)
    finite = None if automaton is None else finite_note(automaton)
    if finite is not None:
        out.hanging(finite)
    for key in ENCODING_SIDES:
        side = sides[key]
        answer = side.trained if others is None else side.answer
        out.side(side_title(key), answer, side.clause, side.basis, others(key) if others else ())


def _print(
    out: Screen, task: str, answer: LanguageVerdicts, sides: Mapping[str, Verdict], wanted: Wanted
) -> None:
    from longreach.theory.prove.induction import rightness
    from longreach.theory.verdicts.verdict import MEANING_OF_NO, Answer

    def others(key: str) -> list[tuple[str, Answer]]:
        side = answer.sides[key]
        questions = {
            "read at EOS, after the last letter": side.at_end.answer,
            "read at the last letter": side.answer,
            "predicting what may follow, on its words": side.prediction.answer,
        }
        return [(question, said) for question, said in questions.items() if said is not sides[key].answer]

    print_verdicts(out, task, about_language(answer.automaton), answer.automaton, sides, others)
    encodings = {key: sides[key] for key in ENCODING_SIDES}
    if wanted.why:
        out.terms(encodings, trained=False)
    if any(Answer.NO in (answer.sides[key].answer, side.at_end.answer) for key, side in encodings.items()):
        meaning = (f"no: {MEANING_OF_NO}", 2, 4) if wanted.why else (CAVEAT, 2, 2)
        out.hanging(*meaning, "dim")
    if wanted.program:
        proofs = ((key, side.proof) for key, side in encodings.items())
        found = [(key, each) for key, proof in proofs for each in (proof.not_written, proof.program) if each]
        budget = answer.budget
        print_programs(
            out,
            found,
            lambda each: f"{described(each)}, {rightness(each.core, answer.automaton, budget=budget)}",
        )


def _print_explanation(out: Screen, key: str, found: Verdict) -> None:
    from longreach.answers.kinds import kind_of

    lines = kind_of(found.certificate).explain(found.certificate)
    if lines:
        out.print()
        out.text(f"Why not {found.program_class} ({out.titles[key]})", "bold")
    for line in lines:
        out.text(line)


MEASURES = {
    "states": "states",
    "monoid": "monoid elements",
    "star_free": "star-free",
    "dot_depth": "dot-depth",
    "piecewise_testable": "piecewise testable",
    "r_trivial": "R-trivial",
    "two_variable": "two-variable (DA)",
    "ac0": "AC⁰",
    "length_complexity": "length complexity 2n−2",
}


def _print_measures(out: Screen, document: Mapping[str, Any]) -> None:
    if not document:
        return
    measured = document["measures"]
    said = {None: "unknown (beyond the cap)", True: "yes", False: "no"}
    out.print()
    for name, label in MEASURES.items():
        value = measured[name]
        shown = said[value] if value is None or isinstance(value, bool) else str(value)
        if name == "dot_depth" and measured["star_free"] is False:
            shown = "–"
        out.text(f"  {label:<24}{shown}")


# Lists of expressions: one answer for each line.

STANDARD_INPUT = Path("-")


def print_list(path: Path, wanted: Wanted, *, seconds: float, as_json: bool) -> None:
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
            print_json(_document(f"regex:{regex}", answer, wanted) | _measures(automaton, wanted))
        else:
            out = console()
            out.text(_line(out, answer, regex))
    if failed:
        raise typer.Exit(2)


def _after_line(error: InputError) -> str:
    """The column, where the expression is wrong at one, and the message."""
    said = f"column {error.column}: "
    if error.column is None or not error.message.startswith(said):
        return f": {error.message}"
    return f":{error.column}: {error.message.removeprefix(said)}"


def _line(out: Screen, answer: LanguageVerdicts, regex: str) -> str:
    """Both conventions of each side, where they differ, and prediction, where it does."""
    parts = []
    for key in ENCODING_SIDES:
        side = answer.sides[key]
        said = side.answer.value
        at_end = side.at_end.answer.value
        parts.append(f"{out.titles[key]} {said if at_end == said else f'{said}, at EOS {at_end}':<16}")
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
