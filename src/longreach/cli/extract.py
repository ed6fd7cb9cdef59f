"""`longreach extract`: the automaton and the program of a trained model, and where it parts from its task."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from longreach.cli.output import argument, console, print_json
from longreach.cli.shared_options import JsonOption
from longreach.errors import InputError
from longreach.wording import counted

if TYPE_CHECKING:
    from longreach.training.model_to_automaton import Extraction
    from longreach.training.model_to_program import ExtractedProgram


def extract(
    run: Annotated[Path, typer.Argument(metavar="RUN_DIRECTORY", help="Of a run: runs/KEY.")],
    task: Annotated[
        str | None, typer.Option(metavar="TASK", help="What it learned, if that is code of your own.")
    ] = None,
    seconds: Annotated[
        float, typer.Option(metavar="S", help="For learning the automaton, and again for a program.")
    ] = 20.0,
    as_json: JsonOption = False,
) -> None:
    """Learn the automaton and the program of what a trained model says; show where model and task part.

    The model is asked about words up to its training length; model, automaton, program and task are then
    compared on inputs within that length and beyond.

    Example: longreach extract runs/0123456789abcdef
    """
    if not seconds >= 0:
        raise InputError(f"--seconds: {seconds:g} is no time")
    from longreach.training.model_to_automaton import extract as extract_automaton
    from longreach.training.model_to_automaton import inputs_compared, open_run
    from longreach.training.model_to_program import extract_programs

    with argument("run", "RUN_DIRECTORY"):
        trained = open_run(run, task)
    found = extract_automaton(trained, seconds=seconds)
    programs = extract_programs(trained, inputs_compared(trained), seconds=seconds)
    none = programs if isinstance(programs, str) else None
    written = () if isinstance(programs, str) else programs
    if as_json:
        listed = {"programs": [each.document() for each in written], "no_programs": none}
        print_json({"run": str(run), **found.document(), **listed})
    else:
        _print(run, found)
        if none is not None:
            console().print(f"  no program: {none}", markup=False, highlight=False)
        for each in written:
            _print_program(each)


def _print(run: Path, found: Extraction) -> None:
    from longreach.synthesis.answers_to_automaton import NotLearned

    out = console()
    learned = found.learned
    if isinstance(learned, NotLearned):
        says = f"no automaton: {learned.reason}"
    else:
        states = counted(len(learned.machine), "state")
        says = f"an automaton with {states}, to length {learned.length}"
    out.print(f"{run}   {says}", markup=False, highlight=False)
    if found.first_token_only:
        out.print("  of each answer only the first token is asked for, here and below", style="dim")
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


def _print_program(found: ExtractedProgram) -> None:
    out = console()
    program = found.found.program
    if program is None:
        why = found.found.words(found.family)
        out.print(f"  no program for where it says {found.says}: {why}", markup=False, highlight=False)
        return
    size = counted(found.found.size or 0, "operation")
    size += f", none smaller in {found.family.searched}" if found.found.smallest else ""
    out.print(f"  it says {found.says} where this program accepts ({size}):", markup=False, highlight=False)
    for line in program.text.splitlines():
        out.print(f"    {line}", markup=False, highlight=False)
    for each in found.agreements:
        row = f"    {each.lengths.first}–{each.lengths.last}: of {each.inputs} inputs it says what the model "
        row += f"says on {each.model_and_program} and what is right on {each.program_and_task}"
        out.print(row, markup=False, highlight=False)
