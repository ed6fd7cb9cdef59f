"""Curves as a figure: a panel each, mean accuracy against length, with a band from the lowest run to the
highest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from longreach.studies.coupling.curves import Measured

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Colours of Okabe and Ito; markers say the same once more.
LOOKS = (
    ("#0072B2", "o"), ("#E69F00", "s"), ("#009E73", "^"), ("#D55E00", "D"), ("#CC79A7", "v"),
    ("#56B4E9", "P"), ("#777777", "X"),
)  # fmt: skip
MOST_COLUMNS = 4


def curve_figure(panels: Mapping[str, Sequence[Measured]], title: str) -> Figure:
    """All panels under one title, with the same scale of accuracy."""
    from matplotlib.figure import Figure

    columns = min(len(panels), MOST_COLUMNS)
    rows = -(-len(panels) // columns)
    drawn = Figure(figsize=(0.6 + 3.1 * columns, 0.5 + 2.9 * rows), layout="constrained")
    drawn.suptitle(title, fontsize=9)
    axes = drawn.subplots(rows, columns, squeeze=False, sharey=True).ravel()
    for axis, (name, curves) in zip(axes, panels.items(), strict=False):
        _panel(axis, name, curves)
    for axis in axes[len(panels) :]:
        axis.set_visible(False)
    for axis in axes[::columns]:
        axis.set_ylabel("accuracy, %", fontsize=8)
    return drawn


def _panel(axis: Axes, name: str, curves: Sequence[Measured]) -> None:
    axis.set_title(name, fontsize=8)
    axis.set_ylim(-3, 103)
    axis.set_xlabel("length", fontsize=7)
    axis.tick_params(labelsize=7)
    for chance in {each.curve.chance for each in curves} - {0.0}:
        axis.axhline(100 * chance, color="#BBBBBB", linewidth=1.2, zorder=0)
    # Behind the line lengths are longer than those of training.
    for last in {each.curve.config.train_lengths.last for each in curves}:
        axis.axvline(last, color="#BBBBBB", linewidth=0.8, linestyle=(0, (4, 3)), zorder=0)
    for place, each in enumerate(curves):
        colour, marker = LOOKS[place % len(LOOKS)]
        known = [(length, spread) for length in each.curve.lengths if (spread := each.spread(length))]
        if not known:
            continue
        at = [length for length, _ in known]
        axis.fill_between(
            at, [100 * spread.low for _, spread in known], [100 * spread.high for _, spread in known],
            color=colour, alpha=0.2, linewidth=0,
        )  # fmt: skip
        axis.plot(
            at, [100 * spread.mean for _, spread in known],
            color=colour, marker=marker, markersize=3.5, linewidth=1.3, label=each.curve.name,
        )  # fmt: skip
    if axis.get_legend_handles_labels()[1]:
        axis.legend(fontsize=6, frameon=False, loc="best")
