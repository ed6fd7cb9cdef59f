"""`longreach crasp synthesize`: search for a program, from a language, from examples or from a task."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from longreach.cli.alphabet_option import alphabet_of
from longreach.cli.crasp import app
from longreach.cli.output import console, exit_code, print_json, say
from longreach.cli.shared_options import JsonOption
from longreach.cli.stages import stage
from longreach.cli.verdict_text import print_program
from longreach.errors import Argument, Field, InputError
from longreach.wording import counted

if TYPE_CHECKING:
    from longreach.synthesis.program_family import Family
    from longreach.synthesis.search_target import Target
    from longreach.synthesis.synthesizer import Synthesis


class ClassName(StrEnum):
    """The positional relations that a program may use."""

    empty = "empty"
    periodic = "periodic"
    local = "local"
    both = "both"


Class = Annotated[
    ClassName, typer.Option("--class", help="Relations that programs may use: none, positions, near letters.")
]
Modulus = Annotated[int, typer.Option(min=2, max=8, metavar="M", help="Position tests up to this modulus.")]
Distance = Annotated[
    int, typer.Option(min=1, max=6, metavar="C", help="Local relations up to this distance.")
]
Letters = Annotated[str | None, typer.Option(metavar="LETTERS", help="The alphabet, as in abc or a,b,c.")]


@app.command()
def synthesize(
    regex: Annotated[str | None, typer.Option(metavar="REGEX", help="A regular expression.")] = None,
    examples: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Lines of a word, a tab and a label, or JSON lines of input, output."
        ),
    ] = None,
    task: Annotated[
        str | None,
        typer.Option(
            metavar="TASK", help="A task that is a language, lib:NAME, or a function module:attribute."
        ),
    ] = None,
    alphabet: Letters = None,
    program_class: Class = ClassName.empty,
    modulus: Modulus = 2,
    distance: Distance = 1,
    max_size: Annotated[
        int, typer.Option(min=1, metavar="S", help="Operations of a program that is searched for, at most.")
    ] = 14,
    seconds: Annotated[float, typer.Option(min=0.1, metavar="T", help="Seconds of computing.")] = 30.0,
    memory: Annotated[int, typer.Option(min=16, metavar="MB", help="Memory for the search.")] = 1024,
    length: Annotated[
        int | None, typer.Option(min=0, max=20, metavar="N", help="Ask a function up to this length.")
    ] = None,
    seed: Annotated[int, typer.Option(metavar="S", min=0, help="Of the local search.")] = 0,
    as_json: JsonOption = False,
) -> None:
    """Search for a small program. Exit code 1 if none is found, or if none exists.

    Programs are tried in order of size, so that one which is found so has no smaller one; then programs are
    joined from small ones, then changed at random. What theory knows of a language is used.

    Example: longreach crasp synthesize --regex "(a|b)*ab(a|b)*"
    """
    from longreach.synthesis.program_family import Family
    from longreach.synthesis.synthesizer import synthesize_target

    target = _target(regex, examples, task, alphabet, length)
    family = Family.named(program_class.value, modulus, distance)
    with stage("searching programs in order of size"):
        found = synthesize_target(
            target, family, seconds=seconds, max_size=max_size, bytes=memory * 1_000_000, seed=seed
        )
    with exit_code(1, when=found.program is None):
        if as_json:
            print_json(document(found, family, target))
        else:
            _print(found, family)


def _target(
    regex: str | None, examples: Path | None, task: str | None, alphabet: str | None, length: int | None
) -> Target:
    from longreach.tasks.task_to_target import examples_target, regex_target, target_named

    given = {"--regex": regex, "--examples": examples, "--task": task}
    chosen = [name for name, value in given.items() if value is not None]
    if len(chosen) != 1:
        raise InputError(
            f"{' and '.join(chosen) or '--regex, --examples or --task'}: give exactly one of the three"
        )
    letters = alphabet_of(alphabet)
    if regex is not None:
        try:
            return regex_target(regex, letters)
        except InputError as error:
            raise InputError(f"--regex: {error.message}", source=error.source, column=error.column) from None
    if examples is not None:
        return examples_target(examples, letters)
    assert task is not None
    try:
        return target_named(task, letters, length=length)
    except InputError as error:
        if not isinstance(error.place, Argument):
            raise
        raise InputError(error.reason, place=Field("task")) from None


def document(found: Synthesis, family: Family, target: Target) -> dict[str, Any]:
    """As JSON has it."""
    core = None if found.program is None else found.program.core
    return {
        "class": family.class_name,
        "alphabet": list(target.alphabet),
        "program": None if found.program is None else found.program.text,
        "size": found.size,
        "depth": None if core is None else core.depth,
        "modulus": None if core is None else core.modulus,
        "locality": None if core is None else core.locality,
        "status": found.status.value,
        "checked_to": found.checked_to,
        "examples": found.examples,
        "method": found.method,
        "smallest": found.smallest,
        "none_up_to": found.none_up_to,
        "reason": found.reason or None,
        "tried": found.tried,
        "seconds": round(found.seconds, 3),
    }


def _print(found: Synthesis, family: Family) -> None:
    from longreach.synthesis.synthesizer import Status

    out = console()
    if found.program is None:
        out.print("impossible" if found.status is Status.IMPOSSIBLE else "none found", style="red", end="")
        out.print(f": {found.words(family)}", markup=False)
        return
    say(found.program.text)
    print_program(out, f"{counted(found.size or 0, 'operation')}, {found.words(family)}")
