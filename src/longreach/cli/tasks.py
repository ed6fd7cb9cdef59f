"""`longreach tasks`: the built-in tasks, examples of one, and whether a task is sound."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Any

import typer

from longreach.cli.export import NOT_EXPORTED, ExportOptions, export_tasks
from longreach.cli.options import AlphabetOption, JsonOption, option
from longreach.cli.output import console, exit_code, print_json
from longreach.errors import Argument, InputError
from longreach.tasks.names import has_numbers
from longreach.wording import Column, Table, some

if TYPE_CHECKING:
    from longreach.tasks.check import TaskCheck
    from longreach.tasks.task import Task

VERBS = ("show", "check", "export")
EXAMPLE_LENGTH = 6
"""Examples have the least length from here on that their task has."""
EXAMPLE_SEED = 6
EXAMPLES = 5
SPREAD = 8
"""Examples of tasks whose answers are numbers have lengths from the least one to so much more."""
ABOUT = 40
"""Columns that the description has at least where others are shown beside it."""


def tasks(
    words: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[show|check|export] [TASK]", help="Show examples of one task, check it, or export it."
        ),
    ] = None,
    alphabet: AlphabetOption = None,
    examples: Annotated[int, option("How many examples to show.", "K", min=1, max=1000)] = EXAMPLES,
    export: ExportOptions = NOT_EXPORTED,
    as_json: JsonOption = False,
) -> None:
    """List the built-in tasks; show, check or export one.

    `tasks TASK` shows examples. `tasks check TASK` checks that inputs and answers agree, that lengths and
    tokens are as declared, and that the same seed gives the same batch; it also measures the accuracy of
    guessing and the speed of drawing. Exit code 1 if a check fails.

    `tasks export TASK` writes training and test sets by length into a directory, for use without longreach:
    as JSON lines, a Hugging Face dataset, or tasks for the lm-evaluation-harness. `suite-1` means the
    development tasks of the profile suite, `suite-1:held-out` its held-out tasks.

    TASK may also be d-N for any N, regex:…, the states of its automaton at each letter (states:…) or after
    it (states-after:…), an automaton (dfa:FILE), a C-RASP program (crasp:FILE), examples (data:FILE), or
    your own Python (module:attribute).

    Example: longreach tasks check even-pairs
    """
    verb, name = _asked(words or [])
    if verb == "export":
        assert name is not None
        export_tasks(name, None if alphabet is None else list(alphabet), export, as_json)
        return
    export.refuse()
    if name is None:
        if alphabet is not None:
            raise InputError("--alphabet: only for a TASK regex:…, states:… or a plain function")
        _list(as_json)
        return
    if has_numbers(name) and verb == "show":
        _show_numbers(name, examples, as_json)
        return
    from longreach.tasks.catalog import load_argument

    task = load_argument(name, None if alphabet is None else list(alphabet))
    with _own_errors(name, task):
        if verb == "check":
            _check(name, task, as_json)
        else:
            _show(name, task, examples, as_json)


@contextmanager
def _own_errors(name: str, task: Task) -> Iterator[None]:
    """What a task of the user's own Python does wrong is said of the argument by which it was asked for."""
    from longreach.theory.names import TaskName

    try:
        yield
    except InputError as error:
        if not TaskName(name).is_attribute:
            raise
        said = error.message.removeprefix(f"{task.name}: ")
        raise InputError(f"{name}: {said}", place=Argument("task")) from None


def _asked(words: list[str]) -> tuple[str, str | None]:
    if not words:
        return "list", None
    if len(words) == 1 and words[0] in VERBS:
        raise InputError(f"TASK: missing, as in longreach tasks {words[0]} sort")
    if len(words) == 1:
        return "show", words[0]
    if words[0] not in VERBS:
        raise InputError(f"TASK: one at a time; expected show, check or export before it, not {words[0]!r}")
    if len(words) > 2:
        raise InputError(f"TASK: one at a time, not {len(words) - 1}: {' '.join(words[1:])}")
    return words[0], words[1]


def _list(as_json: bool) -> None:
    from longreach.tasks.catalog import TASKS

    documents = [_document(make()) for make in TASKS.values()]
    if as_json:
        print_json({"tasks": documents})
        return
    about = max(20, min(ABOUT, console().width - 30))
    columns: list[Column | str] = [
        "task", Column("kind", 2, right=False), Column("tokens", 3), Column("least length", 4),
        Column("about", right=False, wrap=about), Column("example", 1, right=False),
    ]  # fmt: skip
    rows = []
    for document in documents:
        example = document["example"]
        read = example["input"] if document["kind"] == "language" else example["input"][: example["given"]]
        shown = f"{' '.join(read)} → {' '.join(example['targets'])}"
        kept = [document[key] for key in ("task", "kind", "vocabulary", "least_length", "about")]
        rows.append([*kept, shown])
    console().table(Table(columns, rows))


def _show(name: str, task: Task, count: int, as_json: bool) -> None:
    shown = [_example(task, length, number) for number, length in enumerate(_some_lengths(task, count))]
    if as_json:
        print_json({**_document(task), "examples": shown})
        return
    out = console()
    out.text(_short(name), "bold", end="")
    out.text(f"   {task.about}", "dim")
    tokens = task.tokens
    listed = some(tokens, 30)
    out.text(f"  {len(tokens)} tokens: {listed}")
    out.print(f"  lengths from {task.least_length} on; {_guessing(task)}")
    for key, evidence in (("NoPE", task.nope), ("APE", task.ape)):
        kind = "" if evidence.kind == "none" else f" ({evidence.kind})"
        out.text(f"  {key}: {evidence.reason}{kind}", "dim")
    for example in shown:
        given = example["input"] if task.kind == "language" else example["input"][: example["given"]]
        out.text(f"  {' '.join(given)} → {' '.join(example['targets'])}")


def _show_numbers(name: str, count: int, as_json: bool) -> None:
    """Examples of a task whose answers are numbers."""
    import numpy as np

    from longreach.tasks.numbers import load_regression

    try:
        task = load_regression(name)
    except InputError as error:
        raise error.at(Argument("task")) from None
    rng = np.random.default_rng(EXAMPLE_SEED)
    words = task.words(task.least_length + rng.integers(0, SPREAD, count), rng)
    shown = [
        {"input": tokens[:length].tolist(), "answer": target.tolist()}
        for tokens, length, target in zip(words.tokens, words.lengths, words.targets, strict=True)
    ]
    if as_json:
        print_json(
            {
                "task": task.name,
                "about": task.about,
                "kind": "numbers",
                "vocabulary": task.symbols,
                "least_length": task.least_length,
                "outputs": task.outputs,
                "examples": shown,
            }
        )
        return
    out = console()
    out.text(task.name, "bold", end="")
    out.text(f"   {task.about}", "dim")
    out.print(f"  tokens 0 to {task.symbols - 1}, lengths from {task.least_length} on", highlight=False)
    for example in shown:
        answer = " ".join(f"{value:.4f}" for value in example["answer"])
        out.text(f"  {' '.join(map(str, example['input']))} → {answer}")


def _guessing(task: Task) -> str:
    from longreach.tasks.data import DataTask

    if isinstance(task, DataTask) and len(task.examples) == 1:
        return "what guessing gets right is not known: there is one example"
    return f"guessing is right on {100 * task.chance:.0f} %"


def _some_lengths(task: Task, count: int) -> list[int]:
    """The first lengths that the task has, again and again if there are too few."""
    known = task.lengths(task.least_length, task.least_length + 2 * count + 50).tolist()
    return [known[number % min(len(known), 12)] for number in range(count)]


def _check(name: str, task: Task, as_json: bool) -> None:
    from longreach.tasks.check import check_task

    found = check_task(task)
    with exit_code(1, when=not found.passed):
        _print_check(name, found, as_json)


def _print_check(name: str, found: TaskCheck, as_json: bool) -> None:
    if as_json:
        print_json(
            {
                "task": _short(name),
                "passed": found.passed,
                "checks": [
                    {"check": check.name, "status": check.status, "detail": check.detail}
                    for check in found.checks
                ],
                "chance": {"measured": found.chance, "declared": found.declared},
                "examples_per_second": found.per_second,
            }
        )
    else:
        from rich.text import Text

        styles = {"passed": "green", "failed": "bold red", "note": "yellow"}
        rows = [
            [Text(check.status, styles[check.status]), check.name, check.detail] for check in found.checks
        ]
        columns = [Column("status", right=False), Column("check", right=False)]
        console().table(Table([*columns, Column("detail", right=False, wrap=ABOUT)], rows), heading=False)


def _short(name: str) -> str:
    from longreach.theory.names import TaskName

    return TaskName(name).short


def _document(task: Task) -> dict[str, Any]:
    first = max(EXAMPLE_LENGTH, task.least_length)
    try:
        length = task.lengths(first, first + 10)[0]
    except InputError:  # such as a file of examples without these lengths
        length = task.lengths(task.least_length, first + 10)[0]
    return {
        "task": _short(task.name),
        "about": task.about,
        "kind": task.kind,
        "vocabulary": len(task.tokens),
        "tokens": list(task.tokens),
        "least_length": task.least_length,
        "evidence": {
            key: {"kind": evidence.kind, "name": evidence.name, "reason": evidence.reason}
            for key, evidence in (("nope", task.nope), ("ape", task.ape))
        },
        "example": _example(task, int(length)),
    }


def _example(task: Task, length: int, number: int = 0) -> dict[str, Any]:
    import numpy as np

    batch = task.sample([length], np.random.default_rng(EXAMPLE_SEED + number))
    mask, size = batch.mask[0], int(batch.sizes[0])
    first = int(mask.argmax())
    return {
        "length": length,
        "input": task.decode(batch.tokens[0].tolist()),
        # The answer is what follows, unless questions stand apart from each other.
        "given": first + 1 if first + mask.sum() == size else size,
        "targets": task.decode(batch.targets[0][batch.mask[0]].tolist()),
    }
