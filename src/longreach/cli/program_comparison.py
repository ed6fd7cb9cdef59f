"""`longreach crasp check`, `equal` and `empty`: what programs accept, up to a length and for all lengths."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any

import typer

from longreach.cli.crasp import File, Peer, app
from longreach.cli.output import console, exit_code, note, print_json
from longreach.cli.shared_options import JsonOption
from longreach.errors import InputError

if TYPE_CHECKING:
    from longreach.crasp.core import Core
    from longreach.languages.prove.equivalence import Equivalence

Length = Annotated[
    int | None, typer.Option("--length", min=0, metavar="N", help="Words up to this length (default 12).")
]
DEFAULT_LENGTH = 12
SECONDS = 10.0
"""Computing time for an answer beyond the length."""


@app.command()
def check(
    file: File,
    regex: Annotated[
        str, typer.Argument(metavar="REGEX", help="A regular expression in automata-lib's syntax.")
    ],
    length: Length = None,
    prove: Annotated[bool, typer.Option("--prove", help="Also try to prove it for all lengths.")] = False,
    peer: Peer = False,
    as_json: JsonOption = False,
) -> None:
    """Check a program against a regular expression on all words up to a length. Exit code 1 if they differ.

    Example: longreach crasp check lib:tomita-2 "(10)*" --length 30
    """
    from longreach.crasp.equal import ProgramSide, compare
    from longreach.crasp.library import load_program
    from longreach.languages.budget import Budget
    from longreach.languages.prove.automaton_side import automaton_side
    from longreach.languages.prove.equivalence import Equivalence, agrees_with
    from longreach.languages.regular.expression_to_automaton import from_expression, letters_of

    core = load_program(file, peer=peer).core
    if core.is_predictor:
        raise InputError(f"{file}: is a predictor; a regular expression says which words an acceptor accepts")
    long_token = next((symbol for symbol in core.alphabet if len(symbol) != 1), None)
    if long_token is not None:
        raise InputError(
            f"{file}: token {long_token!r} has more than one character, and a regular expression cannot"
        )
    letters = core.alphabet
    try:
        if not core.closed:
            letters += tuple(letter for letter in letters_of(regex) if letter not in letters)
        automaton = from_expression(regex, letters or ("a",))
    except InputError as error:
        raise InputError(f"REGEX: {error.message}", source=error.source, column=error.column) from None
    longest = DEFAULT_LENGTH if length is None else length
    sides = ProgramSide(core, automaton.alphabet, length=longest), automaton_side(automaton)
    result = Equivalence(compare(*sides, automaton.alphabet, longest))
    if prove and result.comparison.equal:
        result = agrees_with(core, automaton, result.comparison, budget=Budget(seconds=SECONDS))
    _answer(result, length, as_json, ("accepted by the program alone", "in the language alone"), core)


@app.command()
def equal(
    file: File,
    other: Annotated[str, typer.Argument(metavar="FILE", help="The program to compare with.")],
    length: Length = None,
    peer: Peer = False,
    as_json: JsonOption = False,
) -> None:
    """Compare two programs, on all words up to a length and, where it can be proved, on all words.

    Programs without nested counts are decided for all lengths. Exit code 1 if the programs differ.

    Example: longreach crasp equal mine.cr lib:dyck-1 --length 40
    """
    from longreach.crasp.library import load_program
    from longreach.languages.budget import Budget
    from longreach.languages.prove.equivalence import equivalent

    left, right = load_program(file, peer=peer).core, load_program(other, peer=peer).core
    try:
        result = equivalent(
            left, right, DEFAULT_LENGTH if length is None else length, budget=Budget(seconds=SECONDS)
        )
    except InputError as error:
        raise InputError(f"FILE: {error.message}") from None
    sides = f"accepted by {file} alone", f"accepted by {other} alone"
    _answer(result, length, as_json, sides, None if left.is_predictor else left)


@app.command()
def empty(
    file: File,
    length: Length = None,
    peer: Peer = False,
    as_json: JsonOption = False,
) -> None:
    """Ask whether a program accepts no word at all. Exit code 1 if it accepts one, which is shown.

    Programs without nested counts are decided for all lengths.

    Example: longreach crasp empty mine.cr
    """
    from longreach.crasp.library import load_program
    from longreach.languages.budget import Budget
    from longreach.languages.prove.equivalence import accepts_nothing

    core = load_program(file, peer=peer).core
    try:
        result = accepts_nothing(
            core, DEFAULT_LENGTH if length is None else length, budget=Budget(seconds=SECONDS)
        )
    except InputError as error:
        raise InputError(f"{file}: {error.message}") from None
    result = _within(result, length)
    found = result.comparison
    with exit_code(1, when=not found.equal):
        if as_json:
            print_json({"empty": found.equal, **_known(result)})
        elif found.equal:
            console().print(f"[green]empty[/green]: accepts no word {_extent(result)}")
        else:
            console().print("[red]not empty[/red]: the first word that is accepted ", end="")
            console().print(_first_word(result), markup=False)


def _within(result: Equivalence, asked: int | None) -> Equivalence:
    """The answer to what was asked: a difference beyond the length that was asked for is a remark."""
    found = result.comparison
    if not found.complete:
        reason = f"more than the budget of states beyond length {found.length}"
        if asked is not None:
            raise InputError(f"--length: {reason}; ask for at most {found.length}")
        note(f"stopped early: {reason}")
    if result.reason:
        note(f"no proof for all lengths: {result.reason}")
    length = len(found.witness or ()) if result.shortest is None else result.shortest
    if asked is None or found.equal or length <= asked:
        return result
    first = "" if result.shortest is None else "first "
    note(f"beyond length {asked} there is a difference, {first}at length {length}")
    return replace(result, comparison=replace(found, equal=True, length=asked, witness=None))


def _known(result: Equivalence) -> dict[str, Any]:
    """What every document of a comparison says; `shortest` stands for a witness too long to be written."""
    found = result.comparison
    witness = None if found.witness is None else list(found.witness)
    known: dict[str, Any] = {"length": found.length, "proof": found.proof, "witness": witness}
    return known if found.equal or witness is not None else known | {"shortest": result.shortest}


def _extent(result: Equivalence) -> str:
    found = result.comparison
    if found.proof == "proved":
        return "of any length (proved)"
    return f"up to length {found.length} (checked; unknown beyond)"


def _first_word(result: Equivalence) -> str:
    from longreach.crasp.words import spelled

    witness = result.comparison.witness
    return f"has length {result.shortest}" if witness is None else f"is {spelled(witness)}"


def _answer(
    result: Equivalence, asked: int | None, as_json: bool, sides: tuple[str, str], core: Core | None
) -> None:
    result = _within(result, asked)
    with exit_code(1, when=not result.comparison.equal):
        _print(result, as_json, sides, core)


def _print(result: Equivalence, as_json: bool, sides: tuple[str, str], core: Core | None) -> None:
    from longreach.crasp.words import spelled

    found = result.comparison
    if as_json:
        print_json({"equal": found.equal, **_known(result)})
    elif found.proof == "proved":
        console().print("[green]equal[/green] on words of every length (proved)")
    elif found.equal:
        beyond = "; unknown beyond" if result.reason else ""
        console().print(f"[green]equal[/green] on all words up to length {found.length} (checked{beyond})")
    elif found.witness is None:
        console().print(f"[red]different[/red], first on a word of length {result.shortest}")
    else:
        word = spelled(found.witness)
        console().print("[red]different[/red] on ", end="")
        console().print(word, markup=False, end="")
        console().print("" if core is None else f", {_which(core, found.witness, sides)}", markup=False)


def _which(core: Core, witness: Sequence[str], sides: tuple[str, str]) -> str:
    from longreach.crasp.evaluate import accepts
    from longreach.crasp.words import Encoder

    return sides[0] if accepts(core, [Encoder(core).tokens(witness)])[0] else sides[1]
