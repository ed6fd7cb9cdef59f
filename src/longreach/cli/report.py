"""`longreach report` and `longreach serve`."""

from __future__ import annotations

import socket
from pathlib import Path
from typing import Annotated

import typer

from longreach.cli.options import DEFAULT_RUNS, JsonOption, RunsOption
from longreach.cli.output import check_page, note, print_json, write_text
from longreach.errors import InputError

# `longreach report`: forecasts and measurements in one HTML file.


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
    """Write an HTML report of the runs, or serve it live.

    One file with forecasts and measurements that needs no network; without runs, the forecasts alone. Prints
    the path on standard output, and a summary in one sentence on standard error.

    Example: longreach report --runs runs --out report.html
    """
    check_page(out, "--out")
    from longreach.report.collect import report_view
    from longreach.report.render import TITLE, conclusion, render

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


# `longreach serve`: the report live, and a playground, in the browser.


LOOPBACK = "127.0.0.1"


def serve(
    runs: RunsOption = DEFAULT_RUNS,
    host: Annotated[
        str,
        typer.Option(
            metavar="NAME", help="The address to listen at; any but the default lets other machines in."
        ),
    ] = LOOPBACK,
    port: Annotated[int, typer.Option(metavar="N", min=0, max=65535, help="The port; 0: any.")] = 8765,
    name: Annotated[
        list[str] | None,
        typer.Option(metavar="HOST", help="A further name under which it may be reached, again for more."),
    ] = None,
    workers: Annotated[
        int, typer.Option(metavar="N", min=1, max=64, help="Processes for the playground.")
    ] = 2,
    trainings: Annotated[int, typer.Option(metavar="N", min=0, max=64, help="Trainings at a time.")] = 1,
    minutes: Annotated[float, typer.Option(metavar="M", help="The longest training.")] = 10.0,
) -> None:
    """Serve the report live over the results, and a playground to type languages and programs into.

    Open the address that it prints in a browser; Ctrl-C ends it. Nobody but this machine can reach it unless
    --host says so.

    Example: longreach serve --runs runs --port 8765
    """
    if not 0 < minutes < float("inf"):
        raise InputError(f"--minutes: {minutes:g} is no time; give minutes above 0")
    if runs.exists() and not runs.is_dir():
        raise InputError(f"--runs: {runs}: is not a directory")
    from longreach.execution.jobs import load

    load("uvicorn", "longreach serve", "web")
    load("starlette", "longreach serve", "web")
    from longreach.report.web.app import LOOPBACK as OWN
    from longreach.report.web.app import LiveServer
    from longreach.report.web.workers import LiveLimits

    limits = LiveLimits(workers=workers, trainings=trainings, minutes=minutes)
    server = LiveServer(runs, (*OWN, host, *(name or ())), limits=limits)
    listening = _listening(host, port)
    shown = f"[{host}]" if ":" in host else host
    print(f"http://{shown}:{listening.getsockname()[1]}/", flush=True)
    note("the playground is at /playground; Ctrl-C ends it")
    server.run(sockets=[listening])


def _listening(host: str, port: int) -> socket.socket:
    """A socket at the address, or an error of one line."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        made = socket.socket(family, kind, protocol)
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.bind(address)
        made.listen(256)
        return made
    except socket.gaierror:
        raise InputError(f"--host: {host!r} is no address of this machine") from None
    except OSError as error:
        raise InputError(f"--port: {port}: {error.strerror or error}") from None
