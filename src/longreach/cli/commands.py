"""The commands by name. Their modules are loaded when they are asked for, so that all start quickly."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module

import typer

COMPLETION = "_LONGREACH_COMPLETE"
"""Set by the shell when it asks what may come next: then every command must be known whole."""


@dataclass(frozen=True)
class Command:
    """Where a command lives, and its line in the list of commands: the first sentence of its docstring."""

    about: str
    function: str | None = None
    """None for a group of commands, the module's `app`."""
    module: str | None = None
    """The module of this package that has it, where it is not named like the command."""
    also: tuple[str, ...] = ()
    """Modules with further commands of a group."""


COMMANDS = {
    "ask": Command(
        "Answer three questions on a task: will it work on longer inputs, from which length on, what helps.",
        "ask",
    ),
    "advise": Command(
        "Say what would help a task that fails on longer inputs, and try it beside the original.",
        "advise",
        module="ask",
    ),
    "forecast": Command(
        "Forecast whether a transformer trained on short inputs of a task works on long ones, and say why.",
        "forecast",
    ),
    "bound": Command(
        "Compute the known bounds on the training length, of a model, of a task or of given quantities.",
        "bound",
    ),
    "language": Command(
        "Decide whether a regular language has a C-RASP program: the verdict for NoPE and for APE.",
        "language",
    ),
    "crasp": Command(
        "Write, run, trace, check and compare C-RASP programs.",
        also=("limit", "crasp_search"),
    ),
    "verify": Command("Check a certificate. Exit code 1 unless all that is claimed is valid.", "verify"),
    "tasks": Command(
        "List the built-in tasks: vocabulary size, least length, what is to be done, an example.", "tasks"
    ),
    "threshold": Command(
        "Find the least training length from which on models work at a long length, by training some.",
        "threshold",
    ),
    "train": Command("Train members on short inputs and measure them on long ones.", "train"),
    "study": Command(
        "Reproduce a published table or figure: train its members, draw it, "
        "compare forecast and measurement.",
        "study",
    ),
    "results": Command("List, show, index, export and remove what has been run."),
    "report": Command("Write forecasts and measurements as one HTML file that needs no network.", "report"),
    "serve": Command(
        "Serve the report live over the results, and a playground to type languages and programs into.",
        "serve",
        module="report",
    ),
    "inspect": Command(
        "Look into a trained model: its functions of positions, its attention, its limit, how it fails.",
        "inspect",
    ),
    "simulate": Command(
        "Make a short word on which one or two models behave as on a long one, and measure the errors.",
        "simulate",
    ),
    "limit": Command("Limit transformers and the transformers made from them.", also=("crasp_search",)),
    "communicate": Command(
        "Count what Alice, with the first half of an input, must tell Bob, with the second.", "communicate"
    ),
    "perplexity": Command(
        "Measure the perplexity of a language model on text, by context length and by position.",
        "perplexity",
        module="inspect",
    ),
    "extract": Command(
        "Learn the automaton and the program of what a trained model says; show where model and task part.",
        "extract",
        module="inspect",
    ),
    "doctor": Command("Show versions, devices, threads, and which extras are missing.", "doctor"),
}
"""In the order of the list."""


def add_commands(app: typer.Typer, arguments: Sequence[str]) -> None:
    """The command that the arguments ask for, whole; of the others the line in the list."""
    wanted = next((argument for argument in arguments if not argument.startswith("-")), None)
    for name, command in COMMANDS.items():
        if name != wanted and COMPLETION not in os.environ:
            app.command(name, help=command.about, short_help=command.about)(_listed)
            continue
        module, *_ = [
            import_module(f"longreach.cli.{part}") for part in (command.module or name, *command.also)
        ]
        if command.function is None:
            app.add_typer(module.app, name=name)
        else:
            app.command(name)(getattr(module, command.function))


def _listed() -> None:
    """Stands in the list only."""
