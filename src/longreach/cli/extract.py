"""`longreach extract`: the automaton that says what a trained model says, and where model and task part."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from longreach.cli.output import console, print_json
from longreach.errors import InputError

if TYPE_CHECKING:
    from longreach.training.model_to_automaton import Extraction


def extract(
    run: Annotated[Path, typer.Argument(metavar="RUN_DIRECTORY", help="Of a run: runs/KEY.")],
    task: Annotated[
        str | None, typer.Option(metavar="TASK", help="What it learned, if that is code of your own.")
    ] = None,
    seconds: Annotated[float, typer.Option(metavar="S", help="For learning the automaton.")] = 20.0,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """Learn the automaton that says what a trained model says, and show where model and task part.

    The model is asked about words up to its training length; model, automaton and task are then compared on
    inputs within that length and beyond.

    Example: longreach extract runs/0123456789abcdef
    """
    if not seconds >= 0:
        raise InputError(f"--seconds: {seconds:g} is no time")
    from longreach.training.model_to_automaton import extract as extract_automaton
    from longreach.training.model_to_automaton import open_run

    found = extract_automaton(open_run(run, task), seconds=seconds)
    if as_json:
        print_json({"run": str(run), **found.document()})
    else:
        _print(run, found)


def _print(run: Path, found: Extraction) -> None:
    from longreach.synthesis.answers_to_automaton import NotLearned

    out = console()
    learned = found.learned
    if isinstance(learned, NotLearned):
        says = f"no automaton: {learned.reason}"
    else:
        count = len(learned.machine)
        says = f"an automaton with {count} {'state' if count == 1 else 'states'}, to length {learned.length}"
    out.print(f"{run}   {says}", markup=False, highlight=False)
    for each in found.agreements:
        row = f"  {each.lengths.first}–{each.lengths.last}: of {each.inputs} inputs the model is right on "
        row += str(each.model_and_task)
        if each.model_and_automaton is not None:
            row += f", the automaton says what the model says on {each.model_and_automaton}"
            row += f" and what is right on {each.automaton_and_task}"
        out.print(row, markup=False, highlight=False)
    for parting in found.partings:
        word = " ".join(parting.word[:40]) or "ε"
        more = f" … ({len(parting.word)} letters)" if len(parting.word) > 40 else ""
        said = f"  after {word}{more} the model says {parting.model}, right is {parting.task}"
        out.print(said, markup=False, highlight=False)
