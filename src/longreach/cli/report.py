"""`longreach report`: forecasts and measurements in one HTML file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from longreach.cli.output import check_page, note, print_json, write_text
from longreach.cli.shared_options import DEFAULT_RUNS, JsonOption

DEFAULT_OUT = Path("report.html")


def report(
    runs: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="The results directory; default: runs, where it exists."),
    ] = None,
    out: Annotated[Path, typer.Option(metavar="FILE", help="The file to write.")] = DEFAULT_OUT,
    title: Annotated[str | None, typer.Option(metavar="TITLE", help="The title of the report.")] = None,
    load: Annotated[
        bool,
        typer.Option(
            "--load-tasks",
            help="Load the modules and files that results name as tasks, for their forecasts.",
        ),
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Write forecasts and measurements as one HTML file that needs no network.

    Without results it has the forecasts only. The path goes to standard output, what was found, in one
    sentence, to standard error.

    Example: longreach report --runs runs --out report.html
    """
    check_page(out, "--out")
    from longreach.report.conclusion import conclusion
    from longreach.report.render import TITLE, render
    from longreach.report.results_to_view import report_view

    if runs is None and DEFAULT_RUNS.is_dir():
        runs = DEFAULT_RUNS
    view = report_view(runs, title or TITLE, load=load)
    write_text(out, render(view))
    if as_json:
        print_json({"path": str(out), "cells": view.cells, "runs": view.runs})
    else:
        print(out, flush=True)
        if view.runs:
            note(conclusion(view))
