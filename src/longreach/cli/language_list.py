"""`longreach language --file`: one answer for each line of a list."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from longreach.cli.output import console, note, print_json
from longreach.cli.verdict_text import TITLES
from longreach.config.letters import read_letters
from longreach.errors import InputError
from longreach.languages.program_class import ENCODING_SIDES

if TYPE_CHECKING:
    from longreach.languages.decide.extended_automaton import Convention
    from longreach.verdicts.automaton_to_verdicts import LanguageVerdicts

STANDARD_INPUT = Path("-")


def print_list(
    path: Path, *, measures: bool, as_json: bool, seconds: float, convention: Convention, certificates: bool
) -> None:
    """One answer a line; a bad line is reported in its place, and the exit code is 2 at the end."""
    from longreach.languages.budget import Budget
    from longreach.languages.regular.expression_to_automaton import from_expression
    from longreach.languages.regular.measures import measure
    from longreach.verdicts.automaton_to_verdicts import judge

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
    from longreach.crasp.parser import read_text

    if path == STANDARD_INPUT:
        lines: Iterator[str] = (line.decode("utf-8", "replace").rstrip("\r\n") for line in sys.stdin.buffer)
    else:
        # `splitlines` would also split at form feeds and the like.
        lines = iter(re.split(r"\r?\n", read_text(path)))
    for number, line in enumerate(lines, 1):
        if line.strip():
            yield number, line
