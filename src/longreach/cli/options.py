"""Arguments and options that several commands have."""

from __future__ import annotations

import inspect
import re
import shlex
from collections.abc import Callable
from dataclasses import dataclass, fields, is_dataclass
from pathlib import Path
from typing import Annotated, Any, TypeAlias, get_type_hints

import typer

from longreach.cli.output import documents_alone
from longreach.errors import Field, InputError
from longreach.theory.names import TaskName, python_hint, read_letters

DEFAULT_RUNS = Path("runs")
INTERRUPTED = 130
"""The exit code after Ctrl-C."""
TASKS = "A built-in name, regex:…, states:…, dfa:FILE, crasp:FILE, data:FILE or module:attribute."


def option(help: str, metavar: str | None = None, *names: str, panel: str | None = None, **more: Any) -> Any:
    """An option with a value; without names it is called like its parameter."""
    return typer.Option(*names, metavar=metavar, help=help, rich_help_panel=panel, **more)


def flag(name: str, help: str, panel: str | None = None) -> Any:
    """An option that is there or not."""
    return typer.Option(name, help=help, rich_help_panel=panel)


TaskArgument: TypeAlias = Annotated[str, typer.Argument(metavar="TASK", help=TASKS)]
AlphabetOption: TypeAlias = Annotated[
    str | None, option("Letters of regex:…, states:… or a plain function: abc or a,b,c.", "LETTERS")
]
PythonOption: TypeAlias = Annotated[
    str | None,
    option(
        "A Python function instead of TASK, such as 'lambda w: w.count(\"a\") > 3'; needs --alphabet.",
        "EXPRESSION",
    ),
]
BudgetOption: TypeAlias = Annotated[
    float | None,
    option("Seconds to query a function or search data:FILE for evidence (default: 5; 0: none).", "SECONDS"),
]
TrainToOption: TypeAlias = Annotated[
    int | None, option("The longest training length (default depends on the task).", "N")
]
RunsOption: TypeAlias = Annotated[Path, option("The results directory.", "DIR", "--runs")]
JsonOption: TypeAlias = Annotated[
    bool, typer.Option("--json", callback=documents_alone, help="Print one JSON document.")
]


def alphabet_of(text: str | None) -> list[str] | None:
    """The letters that it gives.

    >>> alphabet_of("a,b")
    ['a', 'b']
    """
    try:
        return None if text is None else list(read_letters(text))
    except InputError as error:
        raise error.at(Field("alphabet")) from None


def alphabet_of_task(text: str | None, task: str | None) -> list[str] | None:
    """The same beside a TASK, which must be an expression or a plain function."""
    if text is not None and not TaskName(task or "").takes_alphabet:
        if hint := python_hint(task or ""):
            raise InputError(f"TASK: no task named {task!r}{hint}")
        raise InputError("--alphabet: only for a TASK regex:…, states:… or a plain function")
    return alphabet_of(text)


def asked_task(
    task: str | None, python: str | None, alphabet: str | None, changes: Changes
) -> tuple[str, list[str] | None]:
    """The name of the task that is asked about, with its letters: TASK, or the function of --python."""
    if python is None:
        if task is None:
            raise InputError("TASK: missing; give a task, or a function with --python")
        name = changes.of(task, alphabet)
        return name, alphabet_of_task(alphabet, name)
    if task is not None:
        raise InputError("--python: cannot be used with TASK")
    from longreach.tasks.own import remember
    from longreach.tasks.plain import TYPED, python_task

    name = remember(python_task(python, alphabet_of(alphabet)))
    TYPED[name] = (python, alphabet)
    return changes.of(name), None


def check_task(task: str | None, alphabet: str | None) -> None:
    """Refuse a TASK whose `+scratchpad` may be a change of it, or a part of its expression.

    >>> check_task("regex:(a|b)+scratchpad", "ab")
    >>> check_task("regex:(a|b)+scratchpad", None)
    Traceback (most recent call last):
    longreach.errors.InputError: TASK: '+scratchpad' may change the task or belong to its expression: ...
    """
    name = TaskName(task or "")
    if not name.is_ambiguous:
        return
    from longreach.theory.automata.regex import from_expression

    try:
        from_expression(name.text.removeprefix(name.prefix), alphabet_of(alphabet))
    except InputError:
        return
    behind = name.text.removeprefix(name.base)
    grouped = name.base + "".join(f"+({change})" for change in re.split(r"\+|::", behind)[1:])
    ways = f"write {shlex.quote(name.argument)} for the change, {shlex.quote(grouped)} for the letters"
    raise InputError(f"TASK: {behind!r} may change the task or belong to its expression: {ways}")


@dataclass(frozen=True)
class Changes:
    """Options that change the task."""

    scratchpad: Annotated[
        bool, flag("--scratchpad", "TASK+scratchpad: write intermediate steps before the answer.")
    ] = False
    reversed_: Annotated[bool, flag("--reversed", "TASK+reversed: write answers from right to left.")] = False
    index_hints: Annotated[
        bool, flag("--index-hints", "TASK+index-hints: put a hint before each symbol.")
    ] = False

    def of(self, task: str, alphabet: str | None = None) -> str:
        """The name of the changed task, whose TASK is refused where it can be read in two ways.

        >>> Changes(reversed_=True, index_hints=True).of("addition"), Changes().of("sort")
        ('addition+reversed+index-hints', 'sort')
        """
        check_task(task, alphabet)
        asked = {"scratchpad": self.scratchpad, "reversed": self.reversed_, "index-hints": self.index_hints}
        wanted = [change for change, is_asked in asked.items() if is_asked]
        return TaskName(task).changed(*wanted) if wanted else task


UNCHANGED = Changes()


def spread(command: Callable[..., None]) -> Callable[..., None]:
    """The command with an option for each field of a dataclass that one of its parameters takes.

    The options stand in the place of the parameter, and their defaults are those of its default.
    """
    groups: dict[str, Any] = {}
    parameters: list[inspect.Parameter] = []
    for each in inspect.signature(command, eval_str=True).parameters.values():
        if not is_dataclass(each.annotation):
            parameters.append(each)
            continue
        groups[each.name] = each.annotation
        hints = get_type_hints(each.annotation, include_extras=True)
        parameters += (
            each.replace(
                name=field.name, default=getattr(each.default, field.name), annotation=hints[field.name]
            )
            for field in fields(each.annotation)
        )

    def call(**given: Any) -> None:
        for name, kind in groups.items():
            given[name] = kind(**{field.name: given.pop(field.name) for field in fields(kind)})
        command(**given)

    call.__doc__ = command.__doc__
    sign(call, parameters)
    return call


def sign(command: Callable[..., None], parameters: list[inspect.Parameter]) -> None:
    """Gives a command these parameters. Typer looks at the annotations as well, and prefers them."""
    keywords = [each.replace(kind=inspect.Parameter.KEYWORD_ONLY) for each in parameters]
    command.__signature__ = inspect.Signature(keywords)  # type: ignore[attr-defined]
    command.__annotations__ = {each.name: each.annotation for each in keywords}
