"""`longreach crasp`: write, run, trace, check and compare C-RASP programs."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from longreach.cli.output import (
    any_number_of_digits,
    check_page,
    console,
    note,
    print_json,
    say,
    write_text,
)
from longreach.cli.shared_options import JsonOption
from longreach.errors import InputError
from longreach.wording import counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from longreach.crasp.core import Core
    from longreach.crasp.library import Entry
    from longreach.crasp.trace import Trace

LIBRARY_COLUMNS = {"name": 0, "family": 120, "class": 80, "size": 100, "depth": 100, "what": 0}
"""Of `crasp list`, each with the least width of a terminal that has room for it."""

app = typer.Typer(
    help="Write, run, trace, check and compare C-RASP programs.\n\n"
    'Example: longreach crasp run lib:dyck-1 "(())" "())("'
)

File = Annotated[str, typer.Argument(metavar="FILE", help="A program: a .cr file or lib:NAME.")]
Peer = Annotated[
    bool, typer.Option("--peer", help="Read files as coli-saar's interpreter does; see docs/crasp.md.")
]


class Notation(StrEnum):
    text = "text"
    paper = "paper"
    latex = "latex"


@app.callback(invoke_without_command=True)
def _group(context: typer.Context) -> None:
    if context.invoked_subcommand is None:
        print(context.get_help(), end="")


@app.command()
def run(
    file: File,
    words: Annotated[
        list[str] | None, typer.Argument(metavar="WORD", help="Words; ε is the empty word.")
    ] = None,
    words_file: Annotated[
        str | None,
        typer.Option("--input", metavar="WORDS", help="A file with one word a line; - is standard input."),
    ] = None,
    peer: Peer = False,
    as_json: JsonOption = False,
) -> None:
    """Say which words a program accepts, or what a predictor predicts.

    Example: longreach crasp run lib:dyck-1 "(())" "())("
    """
    from longreach.crasp.library import load_program
    from longreach.crasp.run import run_words

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
            out.print(text, style="bold", markup=False)
            _print_predictions(core, text, result)
        elif out.is_terminal:
            mark = "[green]accept[/green]" if result else "[red]reject[/red]"
            out.print(mark, end="  ")
            out.print(text, markup=False)
        else:  # there may be many
            say(f"{'accept' if result else 'reject'}  {text}")


def _print_predictions(core: Core, text: str, predicted: list[list[str]]) -> None:
    from longreach.crasp.words import Encoder

    out = console()
    tokens = Encoder(core).split(text) if len(text) < 1000 else [""] * len(predicted)
    width = max(map(len, tokens), default=0)
    for position, (token, following) in enumerate(zip(tokens, predicted, strict=False), 1):
        shown = " ".join(following) or "·"
        out.print(f"{position:>5}  {token:<{width}} → {shown}", markup=False)


@app.command()
def trace(
    file: File,
    word: Annotated[str, typer.Argument(metavar="WORD", help="A word; ε is the empty word.")],
    html: Annotated[
        Path | None, typer.Option("--html", metavar="OUT", help="Also write an HTML page.")
    ] = None,
    core: Annotated[
        bool, typer.Option("--core", help="Show every core operation, not only statements.")
    ] = False,
    peer: Peer = False,
    as_json: JsonOption = False,
) -> None:
    """Show the value of every statement at every position of a word.

    Example: longreach crasp trace lib:dyck-1 "(()" --html trace.html
    """
    from longreach.crasp.library import load_program
    from longreach.crasp.trace import to_html
    from longreach.crasp.trace import trace as make_trace
    from longreach.crasp.words import Encoder

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

    from longreach.crasp.trace import side_by_side, widths_of

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


@app.command()
def lower(
    file: File,
    notation: Annotated[
        Notation, typer.Option(help="The .cr format, the papers' notation, or LaTeX.")
    ] = Notation.text,
    simplified: Annotated[
        bool, typer.Option("--simplify", help="Fold constants and drop unread operations.")
    ] = False,
    peer: Peer = False,
    as_json: JsonOption = False,
) -> None:
    """Show the core operations of a program, with its class, size and depth.

    Example: longreach crasp lower lib:dyck-1 --notation paper
    """
    from longreach.crasp.library import load_program
    from longreach.crasp.printer import write
    from longreach.crasp.program import raise_core
    from longreach.crasp.simplify import simplify

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


@app.command("list")
def list_programs(as_json: JsonOption = False) -> None:
    """List the library of programs.

    Example: longreach crasp list
    """
    from longreach.crasp.library import ENTRIES, load

    entries = [(entry, load(entry.example).core) for entry in ENTRIES.values()]
    if as_json:
        listed = [{"name": e.example, "family": e.name, "about": e.about, **measures(c)} for e, c in entries]
        print_json({"programs": listed})
        return
    _print_library(entries)


def _print_library(entries: Sequence[tuple[Entry, Core]]) -> None:
    """A line for each program; in a narrow terminal columns are left out, so that names are whole."""
    from rich.table import Table

    out = console()
    columns = [title for title, least in LIBRARY_COLUMNS.items() if out.width >= least]
    table = Table(box=None, pad_edge=False)
    for title in columns:
        numeric = title in ("size", "depth")
        table.add_column(title, justify="right" if numeric else "left", no_wrap=title != "what")
    for entry, core in entries:
        row = {
            "name": f"lib:{entry.example}",
            "family": "" if entry.default is None else entry.name,
            "class": core.class_name.replace("[", "\\["),
            "size": str(core.size),
            "depth": str(core.depth),
            "what": f"{entry.about}{' (predictor)' if core.is_predictor else ''}",
        }
        table.add_row(*(row[title] for title in columns))
    out.print(table)
    if left_out := [title for title in LIBRARY_COLUMNS if title not in columns]:
        note(f"no room for: {', '.join(left_out)}")
