"""The demonstration of `make demo`: library programs on sample words, verdicts, and two traces in HTML."""

from __future__ import annotations

import argparse
from pathlib import Path

from rich.console import Console
from rich.progress import track
from rich.table import Table

from longreach.crasp.library import ENTRIES, load
from longreach.crasp.run import run_words
from longreach.crasp.trace import Trace, to_html, trace
from longreach.crasp.words import Encoder
from longreach.languages.names import NAMED_LANGUAGES, named_automaton
from longreach.languages.verdict import decide

TRACES = [("dyck-1", "(()())"), ("tomita-4", "1001000")]


def library_table() -> Table:
    """Every library program with its class, size and depth, and its answers on sample words."""
    table = Table(title="The library of C-RASP programs", title_justify="left", box=None, pad_edge=False)
    for column in ("program", "class", "size", "depth", "sample words"):
        table.add_column(column, justify="right" if column in ("size", "depth") else "left")
    for entry in track(ENTRIES.values(), description="running", transient=True):
        core = load(entry.example).core
        texts, results = run_words(core, entry.samples)
        shown = []
        for text, result in zip(texts, results, strict=True):
            if isinstance(result, list):
                shown.append(f"{text} → {' '.join(result[-1]) or '·'}")
            else:
                shown.append(f"[green]{text} ✓[/green]" if result else f"[red]{text} ✗[/red]")
        name = core.class_name.replace("[", "\\[")
        table.add_row(f"lib:{entry.example}", name, str(core.size), str(core.depth), "  ".join(shown))
    return table


def verdict_table() -> Table:
    """The benchmark's regular languages: is there a program, and so a prediction of success?"""
    table = Table(
        title="Will it generalize? Verdicts for the benchmark's regular languages",
        title_justify="left",
        box=None,
        pad_edge=False,
    )
    for column in ("language", "NoPE", "APE", "why, for APE"):
        table.add_column(column)
    style = {"yes": "[green]yes[/green]", "no": "[red]no[/red]", "undecided": "undecided"}
    for name in NAMED_LANGUAGES:
        verdicts = decide(named_automaton(name))
        answers = [style[verdict.answer.value] for verdict in (verdicts.nope, verdicts.ape)]
        table.add_row(name, *answers, verdicts.ape.reason)
    return table


def traced(name: str, word: str) -> Trace:
    program = load(name)
    encoder = Encoder(program.core)
    return trace(program, encoder.split(word), encoder.word(word))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("demo"), help="directory for the HTML page")
    out: Path = parser.parse_args().out
    console = Console()
    console.print(library_table())
    console.print()
    console.print(verdict_table())
    out.mkdir(parents=True, exist_ok=True)
    page = out / "index.html"
    pages = [(f"lib:{name} on {word}", traced(name, word)) for name, word in TRACES]
    page.write_text(to_html(pages, "longreach: two C-RASP traces"), encoding="utf-8")
    console.print(f"\nTwo traces are in [bold]{page}[/bold]; open it in a browser.")


if __name__ == "__main__":
    main()
