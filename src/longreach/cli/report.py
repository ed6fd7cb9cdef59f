"""`longreach report`: forecasts and measurements in one HTML file, or live in the browser."""

from __future__ import annotations

import socket
from pathlib import Path
from typing import Annotated

import typer

from longreach.cli.options import DEFAULT_RUNS, JsonOption, RunsOption
from longreach.cli.output import check_directory, check_page, note, print_json, write_text
from longreach.errors import InputError

DEFAULT_OUT = Path("report.html")
LOOPBACK = "127.0.0.1"
SERVING = "With --serve"

HostOption = Annotated[
    str,
    typer.Option(
        metavar="NAME",
        help="The address to listen at; any but the default lets other machines in.",
        rich_help_panel=SERVING,
    ),
]
PortOption = Annotated[
    int, typer.Option(metavar="N", min=0, max=65535, help="The port; 0: any.", rich_help_panel=SERVING)
]
NameOption = Annotated[
    list[str] | None,
    typer.Option(
        metavar="HOST", help="A further name under which to serve; repeat for more.", rich_help_panel=SERVING
    ),
]
WorkersOption = Annotated[
    int,
    typer.Option(metavar="N", min=1, max=64, help="Processes for the playground.", rich_help_panel=SERVING),
]
TrainingsOption = Annotated[
    int, typer.Option(metavar="N", min=0, max=64, help="Trainings at a time.", rich_help_panel=SERVING)
]
MinutesOption = Annotated[
    float, typer.Option(metavar="M", help="The longest training.", rich_help_panel=SERVING)
]


def report(
    runs: Annotated[
        Path | None, typer.Option(metavar="DIR", help="The results directory; default: runs, if it exists.")
    ] = None,
    out: Annotated[
        Path | None, typer.Option(metavar="FILE", help=f"The file to write; default: {DEFAULT_OUT}.")
    ] = None,
    title: Annotated[str | None, typer.Option(metavar="TITLE", help="The title of the report.")] = None,
    load: Annotated[
        bool,
        typer.Option("--load-tasks", help="Load the modules and files that results name as tasks."),
    ] = False,
    live: Annotated[
        bool, typer.Option("--serve", help="Serve the report live, with a playground, until Ctrl-C.")
    ] = False,
    as_json: JsonOption = False,
    host: HostOption = LOOPBACK,
    port: PortOption = 8765,
    name: NameOption = None,
    workers: WorkersOption = 2,
    trainings: TrainingsOption = 1,
    minutes: MinutesOption = 10.0,
) -> None:
    """Write an HTML report of the runs, or serve it live.

    One file with forecasts and measurements that needs no network; without runs, the forecasts alone. Prints
    the path on standard output, and a summary in one sentence on standard error. With --serve, the same pages
    over the results as they come, and a playground for languages and programs.

    Example: longreach report --runs runs --out report.html
    """
    if live:
        given = {"--out": out, "--title": title, "--load-tasks": load or None, "--json": as_json or None}
        for option in (option for option, value in given.items() if value is not None):
            raise InputError(f"{option}: goes without --serve")
        serve(DEFAULT_RUNS if runs is None else runs, host, port, name, workers, trainings, minutes)
        return
    out = DEFAULT_OUT if out is None else out
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


def serve(
    runs: RunsOption = DEFAULT_RUNS,
    host: HostOption = LOOPBACK,
    port: PortOption = 8765,
    name: NameOption = None,
    workers: WorkersOption = 2,
    trainings: TrainingsOption = 1,
    minutes: MinutesOption = 10.0,
) -> None:
    """Serve the report live, with a playground for languages and programs: `longreach report --serve`.

    Open the printed address in a browser; Ctrl-C stops the server. Only this machine can reach it unless
    --host says otherwise.

    Example: longreach serve --runs runs --port 8765
    """
    if not 0 < minutes < float("inf"):
        raise InputError(f"--minutes: {minutes:g} is not a time; give minutes above 0")
    check_directory(runs, "--runs")
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
    note("the playground is at /playground; press Ctrl-C to stop")
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
        raise InputError(f"--host: {host!r} is not an address of this machine") from None
    except OSError as error:
        raise InputError(f"--port: {port}: {error.strerror or error}") from None
