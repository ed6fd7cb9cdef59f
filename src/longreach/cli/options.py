"""Arguments and options that several commands have."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, TypeAlias

import typer

from longreach.cli.output import documents_alone
from longreach.errors import Field, InputError
from longreach.theory.names import TaskName, read_letters

HELP = "The alphabet of regex:… or states:…, as in abc or a,b,c."


def alphabet_of(text: str | None) -> list[str] | None:
    """The letters that it gives.

    >>> alphabet_of("a,b")
    ['a', 'b']
    """
    try:
        return None if text is None else list(read_letters(text))
    except InputError as error:
        raise error.at(Field("alphabet")) from None


def alphabet_of_task(text: str | None, task: str | None) -> list[str] | None:
    """The same beside a TASK, which must be an expression."""
    if text is not None and not TaskName(task or "").has_alphabet:
        raise InputError("--alphabet: goes with a TASK regex:… or states:…")
    return alphabet_of(text)


ScratchpadOption: TypeAlias = Annotated[
    bool, typer.Option("--scratchpad", help="TASK+scratchpad: write intermediate steps before the answer.")
]
ReversedOption: TypeAlias = Annotated[
    bool, typer.Option("--reversed", help="TASK+reversed: write answers from right to left.")
]
IndexHintsOption: TypeAlias = Annotated[
    bool, typer.Option("--index-hints", help="TASK+index-hints: put a hint before each symbol.")
]


def changed_name(task: str, *, scratchpad: bool, reversed_: bool, index_hints: bool) -> str:
    """The name of the task with the changes that are asked for.

    >>> changed_name("addition", scratchpad=False, reversed_=True, index_hints=True)
    'addition+reversed+index-hints'
    """
    asked = {"scratchpad": scratchpad, "reversed": reversed_, "index-hints": index_hints}
    wanted = [change for change, is_asked in asked.items() if is_asked]
    return TaskName(task).changed(*wanted) if wanted else task


DEFAULT_RUNS = Path("runs")
INTERRUPTED = 130
"""The exit code after Ctrl-C."""

TASKS = "Built in, or d-N, regex:…, states:…, dfa:FILE, crasp:FILE, data:FILE, module:attribute."

TaskArgument: TypeAlias = Annotated[str, typer.Argument(metavar="TASK", help=TASKS)]
AlphabetOption: TypeAlias = Annotated[str | None, typer.Option(metavar="LETTERS", help=HELP)]
BudgetOption: TypeAlias = Annotated[
    float | None,
    typer.Option(
        metavar="SECONDS",
        help="Time to look for evidence in data:FILE or module:attribute (default: 5; 0: none).",
    ),
]
TrainToOption: TypeAlias = Annotated[
    int | None, typer.Option(metavar="N", help="The longest training length (default depends on the task).")
]
RunsOption: TypeAlias = Annotated[Path, typer.Option("--runs", metavar="DIR", help="The results directory.")]
PageOption: TypeAlias = Annotated[
    Path | None, typer.Option(metavar="FILE.html", help="The page to write (default: in --runs).")
]
JsonOption: TypeAlias = Annotated[
    bool, typer.Option("--json", callback=documents_alone, help="Print one JSON document.")
]
