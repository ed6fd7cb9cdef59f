"""`longreach tasks TASK` for tasks whose answers are numbers."""

from __future__ import annotations

from typing import Any

from longreach.cli.output import console, print_json
from longreach.errors import Argument, InputError

SEED = 6
SPREAD = 8
"""Examples have lengths from the least one to so much more."""


def show_numbers(name: str, count: int, as_json: bool) -> None:
    """Examples of a task."""
    import numpy as np

    from longreach.tasks.regression_catalog import load_regression

    try:
        task = load_regression(name)
    except InputError as error:
        raise error.at(Argument("task")) from None
    rng = np.random.default_rng(SEED)
    words = task.words(task.least_length + rng.integers(0, SPREAD, count), rng)
    shown: list[dict[str, Any]] = []
    for tokens, length, target in zip(words.tokens, words.lengths, words.targets, strict=True):
        shown.append({"input": tokens[:length].tolist(), "answer": target.tolist()})
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
    out.print(task.name, style="bold", markup=False, highlight=False, end="")
    out.print(f"   {task.about}", style="dim", markup=False, highlight=False)
    out.print(f"  tokens 0 to {task.symbols - 1}, lengths from {task.least_length} on", highlight=False)
    for example in shown:
        answer = " ".join(f"{value:.4f}" for value in example["answer"])
        out.print(f"  {' '.join(map(str, example['input']))} → {answer}", markup=False, highlight=False)
