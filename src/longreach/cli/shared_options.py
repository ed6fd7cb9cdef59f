"""Arguments and options that several commands have, said once."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, TypeAlias

import typer

from longreach.cli.alphabet_option import HELP
from longreach.cli.output import documents_alone

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
        help="For finding evidence in the answers of data:FILE or module:attribute; default: 5, 0: none.",
    ),
]
TrainToOption: TypeAlias = Annotated[
    int | None, typer.Option(metavar="N", help="The longest training length; default: by the task.")
]
RunsOption: TypeAlias = Annotated[Path, typer.Option("--runs", metavar="DIR", help="The results directory.")]
PageOption: TypeAlias = Annotated[
    Path | None, typer.Option(metavar="FILE.html", help="The page; default: in the results directory.")
]
JsonOption: TypeAlias = Annotated[
    bool, typer.Option("--json", callback=documents_alone, help="Print one JSON document.")
]
