"""Errors against the length of z: the rows and the figure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from longreach.bounds.simulation.finite_string import FiniteSimulation
from longreach.bounds.simulation.infinite_string import InfiniteSimulation
from longreach.bounds.simulation.model_pair import Errors, Word
from longreach.bounds.simulation.simulation_counts import Case

if TYPE_CHECKING:
    from matplotlib.figure import Figure

POINTS = 10
# Okabe and Ito's colours, which stay apart for colour-blind readers.
BLUE, GREEN, ORANGE, PURPLE = "#0072B2", "#009E73", "#D55E00", "#CC79A7"


@dataclass(frozen=True, kw_only=True, slots=True)
class CurveRow:
    """One simulation string of the same x."""

    length: int
    errors: Errors
    promised: float
    """What the construction promises: of the outputs, or with infinite precision of the statistics."""
    statistics: tuple[float, float] | None = None
    """Suffix and histogram."""


def finite_curve(simulation: FiniteSimulation, x: Word, points: int = POINTS) -> list[CurveRow]:
    """From the largest error that says anything on, halved each time, while z is shorter than x."""
    rows: list[CurveRow] = []
    error = simulation.sensitivity or 1.0
    for _ in range(points):
        found = simulation.string(x, error)
        if found.case is Case.WHOLE or (rows and found.case is Case.COPIED):
            break
        if not rows or len(found.z) > rows[-1].length:
            rows.append(CurveRow(length=len(found.z), errors=found.errors, promised=error))
        error /= 2
    return rows


def infinite_curve(simulation: InfiniteSimulation, x: Word, points: int = POINTS) -> list[CurveRow]:
    """Targets from the least to half the length of x."""
    rows = []
    least = simulation.least
    if len(x) <= 2 * least:
        return []
    for target in np.unique(np.geomspace(least, len(x) / 2, points).astype(int)).tolist():
        found = simulation.of_length(x, target)
        if len(found.z) < len(x):
            rows.append(
                CurveRow(
                    length=len(found.z),
                    errors=found.errors,
                    promised=found.rates.larger * target ** (-1 / 3),
                    statistics=(found.statistics.suffix, found.statistics.histogram),
                )
            )
    return rows


def error_figure(rows: Sequence[CurveRow], title: str, *, pair: bool) -> Figure:
    """Both axes logarithmic; errors of 0 stand at the lower edge."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6.4, 4.2), layout="constrained")
    axis = figure.subplots()
    lengths = [row.length for row in rows]
    drawn = [("‖f(x) − f(z)‖", BLUE, [row.errors.f for row in rows])]
    if pair:
        drawn.append(("‖g(x) − g(z)‖", GREEN, [row.errors.g for row in rows]))
    statistics = [row.statistics for row in rows if row.statistics is not None]
    if statistics:
        drawn.append(("suffix", ORANGE, [suffix for suffix, _ in statistics]))
        drawn.append(("histogram", PURPLE, [histogram for _, histogram in statistics]))
        rate = [row.length ** (-1 / 3) for row in rows]
        axis.plot(lengths, rate, color="0.4", linestyle=":", label="|z|^(−1/3)")
    promised = "promised for suffix and histogram" if statistics else "promised for the outputs"
    axis.plot(lengths, [row.promised for row in rows], color="black", linestyle="--", label=promised)
    least = min((value for _, _, values in drawn for value in values if value > 0), default=1e-3)
    for label, colour, values in drawn:
        shown = [max(value, least / 3) for value in values]
        axis.plot(lengths, shown, color=colour, marker="o", markersize=4, label=label)
    axis.set_xscale("log")
    axis.set_yscale("log")
    axis.set_xlabel("|z|, tokens")
    axis.set_ylabel("error")
    axis.set_title(title)
    axis.legend(fontsize=8, frameon=False, loc="upper left", bbox_to_anchor=(1.0, 1.0))
    return figure
