"""`longreach crasp run`, `trace`, `show` and `compare`: C-RASP programs on words, as text, side by side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from longreach.cli.options import JsonOption, flag, option
from longreach.cli.output import (
    any_number_of_digits,
    blamed_on,
    check_page,
    console,
    exit_code,
    note,
    print_json,
    say,
    write_text,
)
from longreach.errors import InputError
from longreach.wording import Column, Table, counted, spelled

if TYPE_CHECKING:
    from longreach.theory.crasp.core import Core
    from longreach.theory.crasp.program import Trace
    from longreach.theory.prove.equivalence import Equivalence

File = Annotated[str, typer.Argument(metavar="FILE", help="A program: a .cr file or lib:NAME.")]
Peer = Annotated[bool, flag("--peer", "Read files as coli-saar's interpreter does; see docs/crasp.md.")]


class Notation(StrEnum):
    text = "text"
    paper = "paper"
    latex = "latex"


NotationOption = Annotated[Notation, option("The .cr format, the papers' notation, or LaTeX.")]
Simplified = Annotated[bool, flag("--simplify", "Fold constants and drop unread operations.")]


def run(
    file: File,
    words: Annotated[
        list[str] | None, typer.Argument(metavar="WORD", help="Words; ε is the empty word.")
    ] = None,
    words_file: Annotated[
        str | None, option("File with one word per line; - is standard input.", "WORDS", "--input")
    ] = None,
    peer: Peer = False,
    as_json: JsonOption = False,
) -> None:
    """Show which words a program accepts, or what it predicts.

    Example: longreach crasp run lib:dyck-1 "(())" "())("
    """
    from longreach.theory.crasp.library import load_program
    from longreach.theory.crasp.words import run_words

    core = load_program(file, peer=peer).core
    if not words and words_file is None:
        raise InputError("WORD: nothing to run on; give words, or --input FILE (- for standard input)")
    texts, results = run_words(core, words or [], words_file)
    if as_json:
        key = "predicted" if core.is_predictor else "accepted"
        print_json({"program": file, "alphabet": list(core.alphabet), key: results})
        return
    out = console()
    for text, result in zip(texts, results, strict=True):
        if isinstance(result, list):
            out.text(text, "bold")
            _print_predictions(core, text, result)
        elif out.is_terminal:
            mark = "[green]accept[/green]" if result else "[red]reject[/red]"
            out.print(mark, end="  ")
            out.text(text)
        else:  # there may be many
            say(f"{'accept' if result else 'reject'}  {text}")


def _print_predictions(core: Core, text: str, predicted: list[list[str]]) -> None:
    from longreach.theory.crasp.words import Encoder

    out = console()
    tokens = Encoder(core).split(text) if len(text) < 1000 else [""] * len(predicted)
    width = max(map(len, tokens), default=0)
    for position, (token, following) in enumerate(zip(tokens, predicted, strict=False), 1):
        shown = " ".join(following) or "·"
        out.text(f"{position:>5}  {token:<{width}} → {shown}")


def trace(
    file: File,
    word: Annotated[str, typer.Argument(metavar="WORD", help="A word; ε is the empty word.")],
    html: Annotated[Path | None, option("Also write an HTML page.", "OUT")] = None,
    core: Annotated[bool, flag("--core", "Show every core operation, not only statements.")] = False,
    peer: Peer = False,
    as_json: JsonOption = False,
) -> None:
    """Show the value of every statement at every position.

    Example: longreach crasp trace lib:dyck-1 "(()" --html trace.html
    """
    from longreach.theory.crasp.library import load_program
    from longreach.theory.crasp.program import to_html
    from longreach.theory.crasp.program import trace as make_trace
    from longreach.theory.crasp.words import Encoder

    check_page(html, "--html")
    program = load_program(file, peer=peer)
    encoder = Encoder(program.core)
    traced = make_trace(program, encoder.split(word), encoder.word(word, "WORD:1"), core)
    with any_number_of_digits():
        if html is not None:
            shown = word.strip() or "ε"
            write_text(html, to_html([(f"{file} on {shown}", traced)], "C-RASP trace"))
        if as_json:
            print_json(_trace_document(file, traced))
        else:
            _print_trace(traced)
    if html is not None:
        note(f"wrote {html}")


def _trace_document(file: str, traced: Trace) -> dict[str, Any]:
    document: dict[str, Any] = {
        "program": file,
        "word": list(traced.tokens),
        "positions": list(traced.positions),
        "operations": [
            {
                "name": row.name,
                "text": row.text,
                "sort": "Boolean" if row.is_boolean else "count",
                "values": list(row.values),
            }
            for row in traced.rows
        ],
    }
    if traced.accepted is None:
        return document | {"predicted": [list(tokens) for tokens in traced.predicted]}
    return document | {"accepted": traced.accepted}


def _print_trace(traced: Trace) -> None:
    """An aligned table; in a terminal, as many positions side by side as fit."""
    from rich.text import Text

    from longreach.theory.crasp.program import side_by_side, widths_of

    out, cells = console(), traced.cells
    styles = ["dim", "bold", *("green" if row.is_result else "" for row in traced.rows)]
    heads = min(max(len(head) for head, _ in cells), max(20, out.width // 2))
    widths = widths_of(cells)
    for columns in side_by_side(widths, out.width - heads - 1):
        if columns.start:
            out.print()
        for (head, values), style in zip(cells, styles, strict=True):
            line = Text(head if len(head) <= heads else head[: heads - 1] + "…")
            line.pad_right(heads - line.cell_len)
            for k in columns:
                line.append(
                    " " + values[k].rjust(widths[k]), style=style or ("" if values[k] != "·" else "dim")
                )
            out.print(line)
    if traced.accepted is not None:
        out.print("[green]accept[/green]" if traced.accepted else "[red]reject[/red]")


def show(
    file: Annotated[
        str | None, typer.Argument(metavar="[FILE]", help="A program: a .cr file or lib:NAME.")
    ] = None,
    notation: NotationOption = Notation.text,
    simplified: Simplified = False,
    peer: Peer = False,
    as_json: JsonOption = False,
) -> None:
    """Show a program's core operations, or list the library.

    With FILE, the core operations of the program, its class, size and depth; without, the programs lib:NAME.

    Example: longreach crasp show lib:dyck-1 --notation paper
    """
    if file is not None:
        lower(file, notation, simplified, peer, as_json)
    elif peer or simplified or notation is not Notation.text:
        raise InputError("FILE: missing")
    else:
        list_programs(as_json)


def lower(
    file: File,
    notation: NotationOption = Notation.text,
    simplified: Simplified = False,
    peer: Peer = False,
    as_json: JsonOption = False,
) -> None:
    """Show the core operations of a program, with its class, size and depth: `crasp show FILE`.

    Example: longreach crasp lower lib:dyck-1 --notation paper
    """
    from longreach.theory.crasp.library import load_program
    from longreach.theory.crasp.lower import simplify
    from longreach.theory.crasp.printer import write
    from longreach.theory.crasp.program import raise_core

    core = load_program(file, peer=peer).core
    core = simplify(core) if simplified else core
    raised = raise_core(core)
    if as_json:
        print_json({"program": file, **measures(core), "text": write(raised, notation.value)})
        return
    say(summary(core, {"text": "//", "paper": "#", "latex": "%"}[notation.value]))
    say(write(raised, notation.value))


def measures(core: Core) -> dict[str, Any]:
    """The measures of a program, as the documents give them."""
    return {
        "kind": "predictor" if core.is_predictor else "acceptor",
        "alphabet": list(core.alphabet),
        "class": core.class_name,
        "size": core.size,
        "depth": core.depth,
        "modulus": core.modulus,
        "locality": core.locality,
    }


def summary(core: Core, comment: str) -> str:
    """The same in one line, as a comment."""
    extra = f", modulus {core.modulus}" if core.modulus > 1 else ""
    extra += f", locality {core.locality}" if core.locality else ""
    return f"{comment} {core.class_name}, {counted(core.size, 'operation')}, depth {core.depth}{extra}"


def list_programs(as_json: JsonOption = False) -> None:
    """List the library of programs: `crasp show`.

    Example: longreach crasp list
    """
    from longreach.theory.crasp.library import ENTRIES, load

    entries = [(entry, load(entry.example).core) for entry in ENTRIES.values()]
    if as_json:
        listed = [{"name": e.example, "family": e.name, "about": e.about, **measures(c)} for e, c in entries]
        print_json({"programs": listed})
        return
    columns = [
        Column("name", right=False), Column("family", 4, right=False), Column("class", 1, right=False),
        Column("size", 2), Column("depth", 3), Column("what", right=False, wrap=16),
    ]  # fmt: skip
    rows = [
        [
            f"lib:{entry.example}",
            "" if entry.default is None else entry.name,
            core.class_name,
            core.size,
            core.depth,
            f"{entry.about}{' (predictor)' if core.is_predictor else ''}",
        ]
        for entry, core in entries
    ]
    console().table(Table(columns, rows))


# What programs accept, up to a length and for all lengths.

Length = Annotated[int | None, option("Words up to this length (default 12).", "N", "--length", min=0)]
Prove = Annotated[bool, flag("--prove", "Also try to prove it for all lengths.")]
DEFAULT_LENGTH = 12
REGEX = "regex:"
SECONDS = 10.0
"""Computing time for an answer beyond the length."""


def compare(
    file: File,
    other: Annotated[
        str | None,
        typer.Argument(metavar="[FILE|regex:…]", help="What to compare it with."),
    ] = None,
    nothing: Annotated[bool, flag("--empty", "Check whether FILE accepts no word.")] = False,
    length: Length = None,
    prove: Prove = False,
    peer: Peer = False,
    as_json: JsonOption = False,
) -> None:
    """Compare a program with another or with an expression.

    All words up to a length are compared. Two programs, or one with --empty, are also decided for all lengths
    where they have no nested counts; with regex:… that is tried with --prove. Exit code 1 if they differ.

    Example: longreach crasp compare mine.cr "regex:(10)*" --length 30
    """
    if nothing == (other is not None):
        raise InputError("FILE: give a second program or regex:…, or --empty")
    if prove and not (other or "").startswith(REGEX):
        raise InputError("--prove: needs regex:…")
    if other is None:
        empty(file, length, peer, as_json)
    elif other.startswith(REGEX):
        check(file, other.removeprefix(REGEX), length, prove, peer, as_json)
    elif set(other) & set("()*|+?") and not Path(other).exists():
        raise InputError(f"{other}: no such file; for a regular expression write regex:{other}")
    else:
        equal(file, other, length, peer, as_json)


def check(
    file: File,
    regex: Annotated[
        str, typer.Argument(metavar="REGEX", help="A regular expression in automata-lib's syntax.")
    ],
    length: Length = None,
    prove: Prove = False,
    peer: Peer = False,
    as_json: JsonOption = False,
) -> None:
    """Check a program against a regular expression: `crasp compare FILE regex:…`. Exit code 1 if they differ.

    Example: longreach crasp check lib:tomita-2 "(10)*" --length 30
    """
    from longreach.theory.automata.regex import from_expression, letters_of
    from longreach.theory.budget import Budget
    from longreach.theory.crasp.compare import ProgramSide, compare
    from longreach.theory.crasp.library import load_program
    from longreach.theory.prove.equivalence import Equivalence, agrees_with
    from longreach.theory.prove.step import automaton_side

    core = load_program(file, peer=peer).core
    if core.is_predictor:
        raise InputError(f"{file}: is a predictor; a regular expression says which words an acceptor accepts")
    long_token = next((symbol for symbol in core.alphabet if len(symbol) != 1), None)
    if long_token is not None:
        raise InputError(
            f"{file}: token {long_token!r} has more than one character, and a regular expression cannot"
        )
    letters = core.alphabet
    with blamed_on("REGEX"):
        if not core.closed:
            letters += tuple(letter for letter in letters_of(regex) if letter not in letters)
        automaton = from_expression(regex, letters or ("a",))
    longest = _longest(length)
    sides = ProgramSide(core, automaton.alphabet, length=longest), automaton_side(automaton)
    result = Equivalence(compare(*sides, automaton.alphabet, longest))
    if prove and result.comparison.equal:
        result = agrees_with(core, automaton, result.comparison, budget=Budget(seconds=SECONDS))
    _answer(result, length, as_json, ("accepted by the program alone", "in the language alone"), core)


def equal(
    file: File,
    other: Annotated[str, typer.Argument(metavar="FILE", help="The program to compare with.")],
    length: Length = None,
    peer: Peer = False,
    as_json: JsonOption = False,
) -> None:
    """Compare two programs: `crasp compare FILE FILE`.

    Programs without nested counts are decided for all lengths. Exit code 1 if the programs differ.

    Example: longreach crasp equal mine.cr lib:dyck-1 --length 40
    """
    from longreach.theory.budget import Budget
    from longreach.theory.crasp.library import load_program
    from longreach.theory.prove.equivalence import equivalent

    left, right = load_program(file, peer=peer).core, load_program(other, peer=peer).core
    with blamed_on("FILE"):
        result = equivalent(left, right, _longest(length), budget=Budget(seconds=SECONDS))
    sides = f"accepted by {file} alone", f"accepted by {other} alone"
    _answer(result, length, as_json, sides, None if left.is_predictor else left)


def empty(
    file: File,
    length: Length = None,
    peer: Peer = False,
    as_json: JsonOption = False,
) -> None:
    """Ask whether a program accepts no word: `crasp compare FILE --empty`. Exit code 1 if it accepts one.

    Programs without nested counts are decided for all lengths.

    Example: longreach crasp empty mine.cr
    """
    from longreach.theory.budget import Budget
    from longreach.theory.crasp.library import load_program
    from longreach.theory.prove.equivalence import accepts_nothing

    core = load_program(file, peer=peer).core
    with blamed_on(file):
        result = accepts_nothing(core, _longest(length), budget=Budget(seconds=SECONDS))
    result = _within(result, length)
    found, out = result.comparison, console()
    with exit_code(1, when=not found.equal):
        if as_json:
            print_json({"empty": found.equal, **_known(result)})
        elif found.equal:
            checked = f"up to length {found.length} (checked; unknown beyond)"
            extent = "of any length (proved)" if found.proof == "proved" else checked
            out.print(f"[green]empty[/green]: accepts no word {extent}")
        else:
            word = (
                f"has length {result.shortest}" if found.witness is None else f"is {spelled(found.witness)}"
            )
            out.print("[red]not empty[/red]: the first word that is accepted ", end="")
            out.text(word)


def _longest(length: int | None) -> int:
    return DEFAULT_LENGTH if length is None else length


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


def _answer(
    result: Equivalence, asked: int | None, as_json: bool, sides: tuple[str, str], core: Core | None
) -> None:
    result = _within(result, asked)
    found, out = result.comparison, console()
    with exit_code(1, when=not found.equal):
        if as_json:
            print_json({"equal": found.equal, **_known(result)})
        elif found.proof == "proved":
            out.print("[green]equal[/green] on words of every length (proved)")
        elif found.equal:
            beyond = "; unknown beyond" if result.reason else ""
            out.print(f"[green]equal[/green] on all words up to length {found.length} (checked{beyond})")
        elif found.witness is None:
            out.print(f"[red]different[/red], first on a word of length {result.shortest}")
        else:
            which = "" if core is None else f", {_which(core, found.witness, sides)}"
            out.print("[red]different[/red] on ", end="")
            out.text(f"{spelled(found.witness)}{which}")


def _which(core: Core, witness: Sequence[str], sides: tuple[str, str]) -> str:
    from longreach.theory.crasp.evaluate import accepts
    from longreach.theory.crasp.words import Encoder

    return sides[0] if accepts(core, [Encoder(core).tokens(witness)])[0] else sides[1]
