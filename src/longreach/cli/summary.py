"""What several members of one configuration come to, beside the forecast."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from longreach.cli.output import console
from longreach.config.cell_label import encoding_label
from longreach.errors import InputError
from longreach.results.cells import Cell, Spread, cells
from longreach.results.index import row_of

if TYPE_CHECKING:
    from longreach.comparison.tally import Finding, Tally
    from longreach.config.training import TrainConfig
    from longreach.results.schema import Result
    from longreach.verdicts.verdict import Answer

BRACKETS = "in brackets at random offsets"
OPTIONS = {
    "train for more steps, or a larger model": "--max-steps, --width, --layers",
    "train on longer inputs": "--train-lengths",
    "test on longer inputs": "--test-lengths",
    "train more seeds": "--seeds",
}
"""How to ask for what a reason ends with."""


def cell_of(results: Sequence[Result]) -> Cell | None:
    """The cell of these results; None if there are none or they differ in more than their seeds."""
    found = cells(map(row_of, results))
    return found[0] if len(found) == 1 else None


def forecast_of(task: str, encoding: str, alphabet: Sequence[str] | None) -> Answer | None:
    """The forecast for what is trained, where theory has one for the encoding."""
    from longreach.forecast import forecast

    if encoding not in ("ape", "nope"):
        return None
    try:
        found = forecast(task, alphabet)
    except InputError:  # such as a task in a module that is gone
        return None
    return found.sides[encoding].trained


def judged(config: TrainConfig, results: Sequence[Result]) -> tuple[Tally, Finding]:
    """The runs of a configuration counted, and what they say of its forecast."""
    from longreach.comparison.tally import Finding, Tally, judge_runs
    from longreach.training.shape import task_of

    try:
        chance = task_of(config).chance
    except InputError as error:  # a user's own functions that fail
        # Without it no run can be said to work; those that failed are none anyway.
        tally = Tally.of(results, config.longest_test, 1.0)
        return tally, Finding("cannot be judged", f"cannot be judged: {error.about_argument}")
    tally = Tally.of(results, config.longest_test, chance)
    encoding = encoding_label(config.encoding, config.document())
    return tally, judge_runs(forecast_of(config.task, encoding, config.alphabet), tally)


def judgement(tally: Tally, finding: Finding) -> dict[str, Any]:
    """As a document."""
    return {
        "state": finding.state,
        "words": finding.words,
        **asdict(tally),
        "reasons": list(finding.reasons),
    }


def print_judgement(finding: Finding) -> None:
    """What the runs say of the forecast, and what to try next."""
    out = console()
    out.print()
    out.print(finding.words, markup=False, highlight=False)
    for reason in finding.reasons:
        options = next((names for what, names in OPTIONS.items() if reason.endswith(what)), "")
        out.print(f"  {reason}{options and f' ({options})'}", markup=False, highlight=False)


def summary(cell: Cell) -> dict[str, Any]:
    """As a document: how many succeeded of all, mean and spread of those, and the forecast."""
    found = forecast_of(cell.task, cell.encoding, cell.config.get("alphabet"))
    return {
        "runs": len(cell.rows),
        "finished": len(cell.finished),
        "reached": len(cell.successful),
        "success": cell.success,
        "counted": "successful" if cell.learned else "finished",
        "accuracy": {name: asdict(spread) for name, spread in cell.accuracy.items()},
        "accuracy_random_offset": {
            name: asdict(spread) for name, spread in cell.accuracy_random_offset.items()
        },
        "forecast": None if found is None else found.value,
    }


def print_summary(cell: Cell, config: TrainConfig) -> None:
    """How many learned, and the means; of ranges where runs do opposite things, how many work instead."""
    from longreach.comparison.tally import Tally
    from longreach.training.shape import task_of

    try:
        out, chance = console(), task_of(config).chance
    except InputError:  # as in `judged`, which says so
        return
    tallies = {span.name: Tally.of(cell.rows, span, chance) for span in config.ranges}
    shifted = cell.accuracy_random_offset
    means = [
        f"{name} {_mean(spread, shifted.get(name))}"
        for name, spread in cell.accuracy.items()
        if name in tallies and not tallies[name].is_mixed
    ]
    lines = [tallies[config.longest_test.name].learned_words]
    if means:
        of = "those" if cell.learned and len(cell.successful) < len(cell.finished) else "all"
        lines.append(f"mean of {of}: {'  '.join(means)}")
    lines += [f"no mean at {name}: {tally.words}" for name, tally in tallies.items() if tally.is_mixed]
    out.print()
    for line in lines:
        out.print(line, markup=False, highlight=False)


def _mean(spread: Spread, shifted: Spread | None) -> str:
    text = f"{100 * spread.mean:.2f} ± {100 * spread.deviation:.2f} %"
    return text if shifted is None else f"{text} ({100 * shifted.mean:.2f} %)"
