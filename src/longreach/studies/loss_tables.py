"""A study of losses as tables in Markdown: cells, the least N with bounds, laws."""

from __future__ import annotations

from longreach.results.schema import loss_number
from longreach.studies.loss_report import LossReport
from longreach.studies.markdown_table import markdown_table

CELLS = ("task", "N", "runs", "at the target loss", "training", "longest test", "lowest", "highest")
THRESHOLDS = ("task", "least N", "by seed", "bound", "bound / measured")


def cell_lines(report: LossReport) -> list[list[str]]:
    """A line for each task and N."""
    lines = []
    for each in report.outcomes:
        first, plateau = each.spread(loss_number(each.ranges[0].name)), each.plateau
        numbers = ["", "", "", ""]
        if first is not None and plateau is not None:
            found = (first.mean, plateau.mean, plateau.low, plateau.high)
            numbers = [f"{value:.2e}" for value in found]
        reached = f"{sum(bool(row.reached) for row in each.runs)} of {len(each.runs)}" if each.runs else ""
        lines.append([each.cell.task, str(each.cell.train_to), str(len(each.runs)), reached, *numbers])
    return lines


def threshold_lines(report: LossReport) -> list[list[str]]:
    """A line for each task and bound."""
    lines = []
    for each in report.thresholds:
        seeds = ", ".join("–" if value is None else f"{value:.1f}" for value in each.by_seed.values())
        first = [each.task, "–" if each.length is None else str(each.length), seeds]
        for bound in each.bounds or (None,):
            ratio = None if bound is None else bound.ratio(each.length)
            shown = "" if bound is None else f"{bound.name}: {bound.value}"
            lines.append([*first, shown, "" if ratio is None else f"{ratio:.3g}"])
            first = ["", "", ""]
    return lines


def law_lines(report: LossReport, law: str) -> list[str]:
    """What the least N follows, and where some run never reached the loss."""
    lines = [f"least N for a loss of {report.loss:g}; the paper: {law}"]
    for each in report.laws:
        lines.append(each.words)
        if each.missing:
            values = ", ".join(f"{value:g}" for value in each.missing)
            lines.append(f"  some run did not reach the loss at {each.parameter} = {values}")
        if each.below:
            values = ", ".join(f"{value:g}" for value in each.below)
            lines.append(f"  the smallest N was enough for some run at {each.parameter} = {values}: left out")
    return lines


def loss_tables(report: LossReport, law: str) -> str:
    """All of it."""
    parts = [
        "\n".join([*markdown_table(CELLS, cell_lines(report)), ""]),
        "\n".join([*markdown_table(THRESHOLDS, threshold_lines(report)), ""]),
        "".join(f"- {line.strip()}\n" for line in law_lines(report, law)),
    ]
    return "\n".join(parts)
