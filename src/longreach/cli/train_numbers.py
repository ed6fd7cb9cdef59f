"""`longreach train` for tasks whose answers are numbers: losses by length instead of accuracies."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import typer

from longreach.cli.fitted_table import Column, print_fitted
from longreach.cli.output import console, note, print_json

if TYPE_CHECKING:
    from longreach.config.regression import RegressionConfig
    from longreach.results.schema import Result

LOSS = "loss "


def regression_members(task: str, seeds: Sequence[int], given: dict[str, Any]) -> list[RegressionConfig]:
    """The members with these seeds."""
    from longreach.experiments.regression_members import resolve_regression

    first = resolve_regression(task, seed=seeds[0], **given)
    return [first, *(first.with_seed(seed) for seed in seeds[1:])]


def print_losses(results: Sequence[Result], as_json: bool) -> None:
    """The results, for people or as JSON; the exit code is 1 when one failed."""
    if as_json:
        print_json({"runs": [_document(each) for each in results]})
    else:
        _print(results)
    if any(each.status == "failed" for each in results):
        raise typer.Exit(1)


def _losses(result: Result) -> dict[str, float]:
    other = {} if result.final is None else result.final.other
    return {name.removeprefix(LOSS): value for name, value in other.items() if name.startswith(LOSS)}


def _document(result: Result) -> dict[str, Any]:
    final = result.final
    other = {} if final is None else final.other
    document: dict[str, Any] = {
        "key": result.key,
        "task": result.config["task"],
        "seed": result.seed,
        "status": result.status,
        "steps": None if final is None else final.steps,
        "seconds": result.timings.seconds,
        "reached": final is not None and bool(final.reached),
        "loss": _losses(result),
        "measured": {name: value for name, value in other.items() if not name.startswith(LOSS)},
    }
    if result.error is not None:
        document["error"] = result.error.splitlines()[0]
    return document


def _print(results: Sequence[Result]) -> None:
    names = list(dict.fromkeys(name for each in results for name in _losses(each)))
    columns = [
        Column("key", rank=3, right=False),
        Column("seed"),
        Column("steps", rank=4),
        Column("stopped at", rank=2, right=False),
        Column("seconds", rank=5),
        *(Column(name, rank=1 if name != names[-1] else 0) for name in names),
    ]
    lines = []
    for each in results:
        losses, final = _losses(each), each.final
        stopped = "" if final is None else str(final.details.get("stopped", each.status))
        lines.append(
            [
                each.key, str(each.seed), "" if final is None else str(final.steps), stopped,
                f"{each.timings.seconds:.1f}",
                *(f"{losses[name]:.2e}" if name in losses else "" for name in names),
            ]
        )  # fmt: skip
    print_fitted(columns, lines)
    console().print("mean squared error by length; the first range is that of training", style="dim")
    for each in results:
        if each.error is not None:
            note(f"{each.key}: {each.error.splitlines()[0]}")
