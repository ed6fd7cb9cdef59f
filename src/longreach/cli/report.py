"""`longreach report`: forecasts and measurements in one HTML file, or live in the browser."""

from __future__ import annotations

import socket
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from longreach.cli.options import DEFAULT_RUNS, JsonOption, RunsOption, flag, option
from longreach.cli.output import check_directory, check_page, note, print_json, write_text
from longreach.errors import InputError

DEFAULT_OUT = Path("report.html")


SERVING = "With --serve"


@dataclass(frozen=True)
class Serving:
    """How the report is served, as options."""

    host: Annotated[
        str,
        option("Address to listen on; any but the default admits other machines.", "NAME", panel=SERVING),
    ] = "127.0.0.1"
    port: Annotated[int, option("The port; 0: any.", "N", panel=SERVING, min=0, max=65535)] = 8765
    name: Annotated[
        list[str] | None,
        option("Additional host name to accept; repeat for more.", "HOST", panel=SERVING),
    ] = None
    workers: Annotated[int, option("Processes for the playground.", "N", panel=SERVING, min=1, max=64)] = 2
    trainings: Annotated[int, option("Parallel trainings.", "N", panel=SERVING, min=0, max=64)] = 1
    minutes: Annotated[float, option("Maximum minutes per training.", "M", panel=SERVING)] = 10.0

    def listen(self) -> socket.socket:
        """A socket at the address, or an error of one line."""
        try:
            family, kind, protocol, _, address = socket.getaddrinfo(
                self.host, self.port, type=socket.SOCK_STREAM
            )[0]
            made = socket.socket(family, kind, protocol)
            made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            made.bind(address)
            made.listen(256)
            return made
        except socket.gaierror:
            raise InputError(f"--host: {self.host!r} is not an address of this machine") from None
        except OSError as error:
            raise InputError(f"--port: {self.port}: {error.strerror or error}") from None


TO_THIS_MACHINE = Serving()


def report(
    runs: Annotated[Path | None, option("Results directory (default: runs, if it exists).", "DIR")] = None,
    out: Annotated[Path | None, option(f"File to write (default: {DEFAULT_OUT}).", "FILE")] = None,
    title: Annotated[str | None, option("The title of the report.", "TITLE")] = None,
    load: Annotated[
        bool, flag("--load-tasks", "Load the modules and files that results name as tasks.")
    ] = False,
    live: Annotated[bool, flag("--serve", "Serve the report live, with a playground, until Ctrl-C.")] = False,
    as_json: JsonOption = False,
    serving: Serving = TO_THIS_MACHINE,
) -> None:
    """Write an HTML report of the runs, or serve it live.

    One self-contained file with forecasts and measurements; without runs, forecasts only. Prints the path on
    standard output, and a one-sentence summary on standard error. With --serve, shows results as they arrive,
    with a playground for languages and programs.

    Example: longreach report --runs runs --out report.html
    """
    if live:
        given = {"--out": out, "--title": title, "--load-tasks": load or None, "--json": as_json or None}
        for option in (option for option, value in given.items() if value is not None):
            raise InputError(f"{option}: cannot be used with --serve")
        serve(DEFAULT_RUNS if runs is None else runs, serving)
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
    serving: Serving = TO_THIS_MACHINE,
) -> None:
    """Serve the report live, with a playground for languages and programs: `longreach report --serve`.

    Open the printed address in a browser; Ctrl-C stops the server. Only this machine can reach it unless
    --host says otherwise.

    Example: longreach serve --runs runs --port 8765
    """
    if not 0 < serving.minutes < float("inf"):
        raise InputError(f"--minutes: must be more than 0, not {serving.minutes:g}")
    check_directory(runs, "--runs")
    from longreach.execution.jobs import load

    load("uvicorn", "longreach serve", "web")
    load("starlette", "longreach serve", "web")
    from longreach.report.web.app import LOOPBACK, LiveServer
    from longreach.report.web.workers import LiveLimits

    limits = LiveLimits(workers=serving.workers, trainings=serving.trainings, minutes=serving.minutes)
    server = LiveServer(runs, (*LOOPBACK, serving.host, *(serving.name or ())), limits=limits)
    listening = serving.listen()
    shown = f"[{serving.host}]" if ":" in serving.host else serving.host
    print(f"http://{shown}:{listening.getsockname()[1]}/", flush=True)
    note("the playground is at /playground; press Ctrl-C to stop")
    server.run(sockets=[listening])
