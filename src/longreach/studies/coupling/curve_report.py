"""What curves came to, for people and as JSON: all runs, their means, and which claims hold."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from longreach.results.cells import without_seed
from longreach.results.figure_files import figure_bytes
from longreach.results.schema import Result
from longreach.studies.coupling.curves import Claim, Measured

HOLDS = {True: "holds", False: "does not hold", None: "not measured"}


@dataclass(frozen=True, kw_only=True)
class CurveReport:
    """All curves of a study."""

    study: str
    curves: tuple[Measured, ...]
    claims: tuple[Claim, ...]
    failed: tuple[Result, ...] = ()

    @property
    def panels(self) -> dict[str, list[Measured]]:
        """The curves of each panel, in order."""
        found: dict[str, list[Measured]] = {}
        for each in self.curves:
            found.setdefault(each.curve.panel, []).append(each)
        return found

    def document(self) -> dict[str, Any]:
        """As JSON has it."""
        return {
            "curves": [_document(each) for each in self.curves],
            "claims": [
                {"claim": each.text, "holds": each.holds, "detail": each.detail} for each in self.claims
            ],
        }

    def text(self) -> str:
        """A table for each panel, then the claims."""
        parts = [f"{panel}\n\n{_table(curves)}" for panel, curves in self.panels.items()]
        return "\n".join([*parts, *(_line(each) for each in self.claims), ""])

    def content(self, suffix: str, title: str) -> bytes:
        """The figure, or with `.md` the tables, those of all runs included."""
        if suffix == ".md":
            return f"{self.text()}\nAll runs\n\n{_all_runs(self.curves)}".encode()
        from longreach.studies.coupling.curve_figure import curve_figure

        return figure_bytes(lambda: curve_figure(self.panels, title), suffix, salt=self.study)


def _document(each: Measured) -> dict[str, Any]:
    curve = each.curve
    points = []
    for length in curve.lengths:
        spread = each.spread(length)
        if spread is not None:
            points.append(
                {
                    "length": length, "mean": spread.mean, "low": spread.low, "high": spread.high,
                    "deviation": spread.deviation, "runs": spread.count,
                }
            )  # fmt: skip
    return {
        "panel": curve.panel,
        "curve": curve.name,
        "task": curve.config.task,
        "tested": curve.tested or curve.config.task,
        "chance": curve.chance,
        "train_lengths": list(curve.config.train_lengths),
        "seeds": len(each.members),
        "points": points,
        "runs": [
            {
                "key": result.key, "seed": result.seed, "seconds": result.timings.seconds,
                "training": each.in_training(result),
                "accuracy": {str(length): curve.accuracy(result, length) for length in curve.lengths},
            }
            for result in each.results
        ],
        "config": without_seed(curve.config.document()),
    }  # fmt: skip


def _percent(value: float | None) -> str:
    return "" if value is None else f"{100 * value:.1f}"


def _table(curves: list[Measured]) -> str:
    """Mean per cent at each length, and in brackets the lowest and the highest run."""
    lengths = sorted({length for each in curves for length in each.curve.lengths})
    head = ["", "runs", "training", *map(str, lengths)]
    lines = []
    for each in curves:
        trained = [value for result in each.results if (value := each.in_training(result)) is not None]
        mean = sum(trained) / len(trained) if trained else None
        cells = [_cell(each, length) for length in lengths]
        lines.append([each.curve.name, f"{len(each.results)}/{len(each.members)}", _percent(mean), *cells])
    return _markdown(head, lines)


def _cell(each: Measured, length: int) -> str:
    spread = each.spread(length)
    if spread is None:
        return ""
    if spread.count == 1:
        return _percent(spread.mean)
    return f"{_percent(spread.mean)} ({100 * spread.low:.0f}–{100 * spread.high:.0f})"


def _markdown(head: list[str], lines: list[list[str]]) -> str:
    widths = [max(len(line[place]) for line in (head, *lines)) for place in range(len(head))]
    rows = [
        "| " + " | ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)) + " |"
        for line in (head, *lines)
    ]
    rule = "|" + "|".join("-" * (width + 2) for width in widths) + "|"
    return "\n".join([rows[0], rule, *rows[1:], ""])


def _all_runs(curves: tuple[Measured, ...]) -> str:
    lines = [
        [
            each.curve.panel, each.curve.name, str(result.seed), _percent(each.in_training(result)),
            " ".join(
                f"{length}: {_percent(value)}"
                for length in each.curve.lengths
                if (value := each.curve.accuracy(result, length)) is not None
            ),
        ]
        for each in curves
        for result in each.results
    ]  # fmt: skip
    return _markdown(["panel", "curve", "seed", "training", "accuracy at length"], lines)


def _line(claim: Claim) -> str:
    return f"{HOLDS[claim.holds]}: {claim.text}" + (f" ({claim.detail})" if claim.detail else "")
