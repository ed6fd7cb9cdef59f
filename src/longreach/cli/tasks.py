"""`longreach tasks`: the built-in tasks, each with an example."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from longreach.cli.output import console, print_json

if TYPE_CHECKING:
    from longreach.tasks.task import Task

EXAMPLE_LENGTH = 6
"""Examples have the least length from here on that their task has."""
EXAMPLE_SEED = 6


def tasks(
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """List the built-in tasks: vocabulary size, least length, what is to be done, an example.

    Wherever TASK is expected there are also d-N for any N, regex:… with --alphabet, a C-RASP program as
    crasp:FILE, and a task of your own Python as module:attribute.

    Example: longreach tasks
    """
    from longreach.tasks.catalog import TASKS

    documents = [_document(make()) for make in TASKS.values()]
    if as_json:
        print_json({"tasks": documents})
        return
    from rich.markup import escape
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="bold")
    for title in ("task", "kind", "tokens", "least length", "about", "example"):
        table.add_column(title, justify="right" if title in ("tokens", "least length") else "left")
    for document in documents:
        example = document["example"]
        read = example["input"] if document["kind"] == "language" else example["input"][: example["given"]]
        shown = f"{' '.join(read)} → {' '.join(example['targets'])}"
        table.add_row(
            document["task"], document["kind"], str(document["vocabulary"]), str(document["least_length"]),
            escape(document["about"]), escape(shown),
        )  # fmt: skip
    console().print(table)


def _document(task: Task) -> dict[str, Any]:
    import numpy as np

    first = max(EXAMPLE_LENGTH, task.least_length)
    length = task.lengths(first, first + 10)[0]
    batch = task.sample([length], np.random.default_rng(EXAMPLE_SEED))
    return {
        "task": task.name,
        "about": task.about,
        "kind": task.kind,
        "vocabulary": len(task.tokens),
        "tokens": list(task.tokens),
        "least_length": task.least_length,
        "evidence": {
            key: {"kind": evidence.kind, "name": evidence.name, "reason": evidence.reason}
            for key, evidence in (("nope", task.nope), ("ape", task.ape))
        },
        "example": {
            "length": int(length),
            "input": task.decode(batch.tokens[0].tolist()),
            "given": int(batch.mask[0].argmax()) + 1,
            "targets": task.decode(batch.targets[0][batch.mask[0]].tolist()),
        },
    }
