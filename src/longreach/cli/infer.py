"""`longreach crasp infer` and `limit infer`: the inference procedure on programs and on transformers."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from longreach.cli.alphabet_option import alphabet_of
from longreach.cli.crasp import app
from longreach.cli.limit import app as limit_app
from longreach.cli.output import console, print_json, say
from longreach.cli.shared_options import JsonOption
from longreach.cli.stages import stage
from longreach.cli.synthesize import Class, ClassName, Distance, Letters, Modulus
from longreach.errors import InputError

if TYPE_CHECKING:
    from longreach.synthesis.inference import Inference
    from longreach.synthesis.inference_steps import InferenceRun
    from longreach.synthesis.limit_inference import LimitInference


class ScheduleName(StrEnum):
    """Up to which length T_n matches the target."""

    half = "half"
    full = "full"
    third = "third"
    root = "root"
    log = "log"


TargetName = Annotated[
    str,
    typer.Argument(
        metavar="TARGET",
        help="A task that is a language, regex:…, lib:NAME, or a function module:attribute.",
    ),
]
TrainedTo = Annotated[ScheduleName, typer.Option(help="t(n): n/2, n, n/3, the root or the logarithm of n.")]
UpTo = Annotated[int, typer.Option(min=1, max=40, metavar="N", help="n goes from 1 to this.")]


@app.command()
def infer(
    target: TargetName,
    alphabet: Letters = None,
    schedule: TrainedTo = ScheduleName.half,
    to: UpTo = 10,
    program_class: Class = ClassName.empty,
    modulus: Modulus = 2,
    distance: Distance = 1,
    max_size: Annotated[int, typer.Option(min=1, metavar="S", help="Operations of a program, at most.")] = 9,
    seconds: Annotated[float, typer.Option(min=0.1, metavar="T", help="Seconds of computing.")] = 60.0,
    memory: Annotated[int, typer.Option(min=16, metavar="MB", help="Memory for the search.")] = 1024,
    as_json: JsonOption = False,
) -> None:
    """Run the inference procedure: T_n is a smallest program that matches the target up to length t(n).

    Says how large T_n is and how many words up to length n it gets wrong, and from which n on it is right.

    Example: longreach crasp infer lib:majority --to 8
    """
    from longreach.synthesis.inference import infer as run_procedure
    from longreach.synthesis.program_family import Family
    from longreach.synthesis.training_lengths import schedule_named
    from longreach.tasks.task_to_target import target_named

    wanted = target_named(target, alphabet_of(alphabet), length=to)
    _within_reach(len(wanted.alphabet), to)
    with stage("searching programs in order of size"):
        found = run_procedure(
            wanted,
            family=Family.named(program_class.value, modulus, distance),
            schedule=schedule_named(schedule.value),
            to=to,
            max_size=max_size,
            seconds=seconds,
            bytes=memory * 1_000_000,
        )
    if as_json:
        print_json({"target": target, "alphabet": list(wanted.alphabet), **found.document()})
    else:
        _print(found)


@limit_app.command(name="infer")
def infer_transformers(
    target: TargetName,
    alphabet: Letters = None,
    schedule: TrainedTo = ScheduleName.half,
    to: UpTo = 10,
    most: Annotated[
        int,
        typer.Option("--max-complexity", min=1, max=40, metavar="R", help="R_∞ of a transformer, at most."),
    ] = 14,
    seconds: Annotated[float, typer.Option(min=0.1, metavar="T", help="Seconds of computing.")] = 60.0,
    as_json: JsonOption = False,
) -> None:
    """Run the inference procedure on limit transformers: T_n has the least R_∞ of those that match.

    They have one layer, one head and integers as parameters, with places modulo a period and φ at small
    distances, and match the target up to length t(n).

    Example: longreach limit infer lib:majority --to 8
    """
    from longreach.synthesis.limit_inference import infer_limit
    from longreach.synthesis.training_lengths import schedule_named
    from longreach.tasks.task_to_target import target_named

    wanted = target_named(target, alphabet_of(alphabet), length=to)
    _within_reach(len(wanted.alphabet), to)
    with stage("searching limit transformers in order of R_∞"):
        found = infer_limit(
            wanted, schedule=schedule_named(schedule.value), to=to, most=most, seconds=seconds
        )
    if as_json:
        print_json({"target": target, "alphabet": list(wanted.alphabet), **found.document()})
    else:
        _print_transformers(found)


def _within_reach(letters: int, to: int) -> None:
    from longreach.synthesis.word_tree import MOST_NODES

    words = sum(letters**length for length in range(to + 1))
    if words > MOST_NODES:
        raise InputError(f"--to: {words:,} words up to length {to} are more than {MOST_NODES:,}")


def _print(found: Inference) -> None:
    _print_steps(found, "size of T_n", "smallest programs")
    for line in found.words():
        say(line)
    if found.program is not None:
        say("")
        say(found.program.text)


def _print_transformers(found: LimitInference) -> None:
    _print_steps(found, "R_∞ of T_n", "of its shape fit")
    for line in found.words():
        say(line)
    if found.model is not None:
        say("")
        for line in found.model.lines():
            say(line)


def _print_steps(found: InferenceRun, complexity: str, choices: str) -> None:
    from rich.table import Table

    table = Table(box=None, pad_edge=False)
    for column in ("n", "t(n)", complexity, "wrong up to n", choices):
        table.add_column(column, justify="right")
    for step in found.steps:
        size = str(step.complexity) if step.complexity is not None else f"≥ {step.at_least}"
        wrong = "not known" if step.errors is None else str(step.errors)
        table.add_row(str(step.n), str(step.trained_to), size, wrong, str(step.choices or "·"))
    console().print(table)
    say("")
