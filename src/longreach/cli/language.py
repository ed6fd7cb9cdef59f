"""`longreach language`: whether a regular language has a program, for one expression or for a list."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from longreach.cli.options import alphabet_of, option
from longreach.cli.output import blamed_on, console, documents_alone, note, print_json
from longreach.cli.verdicts import (
    AT_LAST_LETTER,
    CAVEAT,
    Reading,
    Wanted,
    about_language,
    described,
    measures_of,
    print_programs,
    print_verdicts,
    show,
)
from longreach.errors import Argument, InputError
from longreach.theory.names import TaskName, read_letters
from longreach.theory.program_class import ENCODING_SIDES, PROGRAM_SIDES

if TYPE_CHECKING:
    from longreach.cli.screen import Screen
    from longreach.theory.automata.automaton import Automaton
    from longreach.theory.budget import Budget
    from longreach.theory.verdicts.judge import LanguageVerdicts
    from longreach.theory.verdicts.verdict import Answer, Verdict

SECONDS = 10.0
"""Time for one language."""


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
    """Decide whether a regular language has a C-RASP program, for NoPE and APE.

    Shows the same as `longreach forecast regex:REGEX --convention last-letter`.

    Example: longreach language "(a|b)*bb(a|b)*" --program --explain
    """
    choices = {"REGEX": regex, "--name": name, "--dfa": dfa, "--file": wanted.file}
    given = [label for label, value in choices.items() if value is not None]
    if len(given) != 1:
        raise InputError(f"{' and '.join(given) or 'REGEX'}: give one of {', '.join(choices)}")
    letters = alphabet_of(alphabet)
    if alphabet is not None and regex is None:
        raise InputError(f"--alphabet: only for REGEX, not for {given[0]}")
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
        raise InputError(f"--budget: must be more than 0, not {seconds:g}")
    from longreach.theory.automata.regex import from_expression  # noqa: F401
    from longreach.theory.budget import Budget

    return Budget(seconds=seconds).running()


def show_language(task: str, automaton: Automaton, wanted: Wanted, budget: Budget, *, as_json: bool) -> None:
    """The verdicts for membership under a convention, and what else is wanted."""
    from longreach.answers.reach import language_reach
    from longreach.theory.verdicts.judge import judge

    answer = judge(automaton, budget)
    reach = language_reach(automaton)
    known = {**answer.sides, "reach": reach}
    at_end = wanted.reading is Reading.EOS
    sides = {key: side.read_at_end() for key, side in known.items()} if at_end else known

    def text(out: Screen) -> None:
        _print(out, task, answer, known, sides, wanted)

    def document() -> dict[str, Any]:
        return _document(task, answer, reach, wanted)

    show(task, automaton, sides, wanted, text, document, as_json=as_json)


def _automaton(
    regex: str | None, letters: list[str] | None, name: str | None, dfa: Path | None, budget: Budget
) -> tuple[str, Automaton]:
    from longreach.theory.automata.named import named_automaton
    from longreach.theory.automata.regex import from_expression

    if dfa is not None:
        from longreach.files import DOCUMENT_BYTES, read_text
        from longreach.theory.automata.files import read_automaton

        return str(dfa), read_automaton(read_text(dfa, most=DOCUMENT_BYTES), file=str(dfa))
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

    prefix = TaskName(regex).prefix
    if prefix:
        note(f"warning: {prefix!r} is read as letters of the expression; leave it out, or use forecast")
    elif regex in NAMED_LANGUAGES:
        note(f"warning: {regex!r} is read as an expression; --name {regex} is the language of that name")


def _document(task: str, answer: LanguageVerdicts, reach: Verdict, wanted: Wanted) -> dict[str, Any]:
    assert wanted.reading is not None
    convention, certificates = wanted.reading.convention, not wanted.verdicts
    beside = {"reach": reach}
    document = answer.document(task, convention=convention, certificates=certificates, beside=beside)
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


def _print(
    out: Screen,
    task: str,
    answer: LanguageVerdicts,
    known: Mapping[str, Verdict],
    sides: Mapping[str, Verdict],
    wanted: Wanted,
) -> None:
    """`sides` are those that are known, as they are read."""
    from longreach.theory.prove.induction import rightness
    from longreach.theory.verdicts.verdict import MEANING_OF_NO, Answer

    def others(key: str) -> list[tuple[str, Answer]]:
        side = known[key]
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
    if any(Answer.NO in (known[key].answer, side.at_end.answer) for key, side in encodings.items()):
        meaning = (f"no: {MEANING_OF_NO}", 2, 4) if wanted.why else (CAVEAT, 2, 2)
        out.hanging(*meaning, "dim")
    if wanted.program:
        proofs = ((key, encodings[key].proof) for key in PROGRAM_SIDES)
        found = [(key, each) for key, proof in proofs for each in (proof.not_written, proof.program) if each]
        budget = answer.budget
        print_programs(
            out,
            found,
            lambda each: f"{described(each)}, {rightness(each.core, answer.automaton, budget=budget)}",
        )


# Lists of expressions: one answer for each line.

STANDARD_INPUT = Path("-")


def print_list(path: Path, wanted: Wanted, *, seconds: float, as_json: bool) -> None:
    """One answer a line; a bad line is reported in its place, and the exit code is 2 at the end."""
    wanted.refuse(("draw", "explain", "program", "predictor", "why"), "only for one language, not for --file")
    running_budget(seconds)
    from longreach.answers.reach import language_reach
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
        answer, reach = judge(automaton, budget), language_reach(automaton)
        if as_json:
            print_json(_document(f"regex:{regex}", answer, reach, wanted) | measures_of(automaton, wanted))
        else:
            out = console()
            out.text(_line(out, answer, reach, regex))
    if failed:
        raise typer.Exit(2)


def _after_line(error: InputError) -> str:
    """The column, where the expression is wrong at one, and the message."""
    said = f"column {error.column}: "
    if error.column is None or not error.message.startswith(said):
        return f": {error.message}"
    return f":{error.column}: {error.message.removeprefix(said)}"


def _line(out: Screen, answer: LanguageVerdicts, reach: Verdict, regex: str) -> str:
    """Both conventions of each side, where they differ, and prediction, where it does."""
    parts = []
    known = {**answer.sides, "reach": reach}
    for key in ENCODING_SIDES:
        side = known[key]
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
