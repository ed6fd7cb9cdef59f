"""The commands by name. A command's module is loaded when the command is asked for: all start quickly."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from importlib import import_module
from itertools import groupby
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

from longreach.cli.options import spread


@dataclass(frozen=True)
class Command:
    """A line in the list of commands, which is also the first sentence of the command's help."""

    about: str
    code: str = ""
    """The function, as module:name; by default both are the last word of the command."""
    panel: str = "Commands"


COMMANDS = {
    "ask": Command("Will it work on longer inputs, from which length, and what helps?", panel="Answers"),
    "forecast": Command("Predict from theory whether a task generalizes, and say why.", panel="Answers"),
    "profile": Command("Measure what a model generalizes, need by need.", panel="Answers"),
    "board": Command("Compare profiles of many models.", panel="Answers"),
    "verify": Command("Check a certificate with code that did not produce it.", panel="Answers"),
    "tasks": Command("List the built-in tasks; show, check or export one.", panel="Answers"),
    "train": Command("Train on short inputs and measure on longer ones.", panel="Experiments"),
    "study": Command("Reproduce a published table or figure.", panel="Experiments"),
    "results": Command("List, show, export or remove runs.", panel="Experiments"),
    "results list": Command("List results with their accuracies by length.", "results:list_results"),
    "results show": Command("Show one result: configuration, versions, all numbers.", "results:show"),
    "results export": Command("Export final numbers and settings, or all evaluations.", "results:export"),
    "results import": Command("Import accuracies that were measured elsewhere.", "results:import_results"),
    "results remove": Command("Remove runs: results, models and checkpoints.", "remove:remove"),
    "report": Command("Write an HTML report of the runs, or serve it live.", panel="Experiments"),
    "inspect": Command("Look inside a trained model.", panel="Experiments"),
    "crasp": Command("Run, trace, compare, compile and find C-RASP programs.", panel="Theory"),
    "crasp run": Command("Show which words a program accepts, or what it predicts.", "crasp:run"),
    "crasp trace": Command("Show the value of every statement at every position.", "crasp:trace"),
    "crasp show": Command("Show a program's core operations, or list the library.", "crasp:show"),
    "crasp compare": Command("Compare a program with another or with an expression.", "crasp:compare"),
    "crasp compile": Command("Compile a program to a transformer.", "limit:compile_program"),
    "crasp transform": Command("Combine, negate or otherwise transform programs.", "programs:transform"),
    "crasp synthesize": Command("Search for a small program.", "programs:synthesize"),
    "crasp infer": Command("Run the inference procedure on programs.", "programs:infer"),
    "theory": Command("Bounds, simulation, communication, limit transformers.", panel="Theory"),
    "theory bound": Command("Bound the training length that is enough."),
    "theory simulate": Command("Find a short word on which a model behaves as on a long one."),
    "theory communicate": Command("Count the bits that one half of an input must tell the other."),
    "theory limit": Command("Limit transformers and the transformers made from them."),
    "theory limit info": Command("Show the size, regularizer, period and locality of a model.", "limit:info"),
    "theory limit models": Command("List the models built by hand.", "limit:models"),
    "theory limit build": Command("Write a model built by hand as files.", "limit:build"),
    "theory limit infer": Command("Infer limit transformers from examples.", "programs:infer_transformers"),
    "doctor": Command("Show versions, devices, threads and missing extras.", panel="Setup"),
}

GROUPS = {
    "results": "longreach results list",
    "crasp": 'longreach crasp run lib:dyck-1 "(())" "())("',
    "theory": 'longreach theory bound "regex:(aa)*"',
    "theory limit": "longreach theory limit info hand:simple-task",
}
"""Commands that have commands below them, with an example."""

ALIASES = {
    "advise": "ask:advise",
    "threshold": "threshold:threshold",
    "language": "language:language",
    "serve": "report:serve",
    "extract": "inspect:extract",
    "perplexity": "inspect:perplexity",
    "bound": "theory bound",
    "simulate": "theory simulate",
    "communicate": "theory communicate",
    "limit": "theory limit",
    "results index": "results:rebuild_index",
    "crasp lower": "crasp:lower",
    "crasp list": "crasp:list_programs",
    "crasp check": "crasp:check",
    "crasp equal": "crasp:equal",
    "crasp empty": "crasp:empty",
    "crasp attend": "limit:attend",
}
"""Not listed: what another command's help names, and earlier names, which are kept. A function, or the name
by which the command is listed now."""

EXAMPLE = "Example: "
USUAL = ("Arguments", "Options")
"""The first panels of a command's help."""
VERBATIM = "\b\n"
"""Marks a paragraph whose lines are kept as they are."""


def load_command(words: str) -> Any:
    """The command with this name, with its options; None if there is none.

    >>> load_command("crasp run").name, load_command("bound").name, load_command("nothing")
    ('run', 'bound', None)
    """
    name = words.rpartition(" ")[2]
    target = ALIASES.get(words, words)
    if target in GROUPS:
        return _group(name, target)
    row = COMMANDS.get(target, Command("", target))
    module, _, function = (row.code or f"{name}:{name}").partition(":")
    if not function:
        return None
    app = typer.Typer(rich_markup_mode=None, add_completion=False)
    code = getattr(import_module(f"longreach.cli.{module}"), function)
    app.command(name, cls=Leaf, hidden=words in ALIASES)(spread(code))
    return readable_help(typer.main.get_command(app))


def _group(name: str, words: str) -> Any:
    about = f"{COMMANDS[words].about}\n\n{EXAMPLE}{GROUPS[words]}"
    app = typer.Typer(name=name, cls=Group, help=about, rich_markup_mode=None, add_completion=False)
    app.callback(invoke_without_command=True)(show_help)
    return finish_group(app, words)


def finish_group(app: typer.Typer, words: str = "") -> Any:
    """The group of commands whose names begin with these words."""
    made = readable_help(typer.main.get_command(app))
    made.words = words
    return made


def show_help(context: typer.Context) -> None:
    if context.invoked_subcommand is None:
        print(context.get_help())


def readable_help(command: Any) -> Any:
    """The command, with each example of its help on one line and no sentence cut short."""
    paragraphs = [" ".join(each.split()) for each in (command.help or "").split("\n\n")]
    command.short_help = paragraphs[0]
    command.help = "\n\n".join(VERBATIM + each if each.startswith(EXAMPLE) else each for each in paragraphs)
    return command


class Leaf(TyperCommand):
    """A command whose options are listed in panels, in a terminal and in a pipe alike."""

    def format_options(self, ctx: Any, formatter: Any) -> None:
        panels: dict[str, list[tuple[str, str]]] = {name: [] for name in USUAL}
        for each in self.get_params(ctx):
            record = each.get_help_record(ctx)
            usual = USUAL[each.param_type_name == "option"]
            if record is not None:
                panels.setdefault(getattr(each, "rich_help_panel", None) or usual, []).append(record)
        for panel, records in panels.items():
            if records:
                with formatter.section(panel):
                    formatter.write_dl(records)


class Group(TyperGroup):
    """Commands whose names begin with the same words; each is loaded when it is asked for."""

    words = ""

    def list_commands(self, ctx: Any) -> list[str]:
        return self._named(COMMANDS)

    @property
    def earlier(self) -> list[str]:
        """Names that still work and are not listed."""
        return self._named(ALIASES)

    def _named(self, table: Iterable[str]) -> list[str]:
        start = f"{self.words} " if self.words else ""
        found = [each.removeprefix(start) for each in table if each.startswith(start)]
        return [each for each in found if " " not in each]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        return load_command(f"{self.words} {cmd_name}".strip())

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """The commands in panels, then the options, without blank lines so that all of it fits a screen."""
        rows = [(COMMANDS[f"{self.words} {name}".strip()], name) for name in self.list_commands(ctx)]
        width = max(len(name) for _, name in rows)
        for panel, listed in groupby(rows, lambda row: row[0].panel):
            formatter.write_heading(panel)
            with formatter.indentation():
                formatter.write_dl([(name.ljust(width), row.about) for row, name in listed])
        records = [each.get_help_record(ctx) for each in self.get_params(ctx)]
        formatter.write_text("Options: " + ", ".join(record[0] for record in records if record))
