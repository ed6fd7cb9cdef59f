"""The law of thresholds for people: a table, a line for each law, and a figure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from longreach.results.figure_files import figure_bytes
from longreach.studies.growth_law import GrowthLaw
from longreach.studies.markdown_table import markdown_table

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from longreach.studies.threshold_law import LawRow, ThresholdLaw

HEAD = (
    "language", "states", "window", "modulus", "works from", "bound", "bound / measured", "runs that work",
)  # fmt: skip
LOOKS = {"yes/yes": ("#0072B2", "o", "no positions needed"), "no/yes": ("#E69F00", "s", "positions needed")}
"""Colour, marker and name by the verdicts without and with positions."""
GREY = "#777777"


def law_text(found: ThresholdLaw) -> str:
    """The table and the laws as plain text."""
    return f"{_table(found)}\n{chr(10).join(_laws(found))}\n"


def law_content(found: ThresholdLaw, suffix: str, title: str) -> bytes:
    """The figure, or with `.md` what the terminal shows."""
    if suffix == ".md":
        return law_text(found).encode()
    return figure_bytes(lambda: law_figure(found, title), suffix, salt="thresholds")


def _table(found: ThresholdLaw) -> str:
    rows = []
    for row in found.rows:
        ratio = "" if row.ratio is None else f"{row.ratio:.2g}"
        curve = row.answer.curve
        rows.append(
            [
                f"`{row.name}`", str(row.states), str(row.window), str(row.modulus), _from(row, found),
                str(row.bound), ratio, "" if curve is None else curve.counts,
            ]
        )  # fmt: skip
    return "\n".join([*markdown_table(HEAD, rows), ""])


def _from(row: LawRow, found: ThresholdLaw) -> str:
    if row.answer.stopped is not None:
        return "not learned" if row.answer.stopped == "not learned" else "not measured"
    start = row.answer.threshold
    if start is None:
        return f"none up to {found.setting.lengths[-1]}"
    return f"≤ {start}" if row.answer.curve is not None and row.answer.curve.is_open_below else str(start)


def _laws(found: ThresholdLaw) -> list[str]:
    measured = len(found.measured)
    lengths = ", ".join(map(str, found.setting.lengths))
    about = f"tested on lengths up to {found.setting.to}, trained to {lengths}"
    lines = [f"{measured} of {len(found.rows)} languages measured; {about}"]
    lines += [f"{law.quantity}: {_law(law)}" for law in found.laws]
    return [*lines, _against_bound(found)]


def _against_bound(found: ThresholdLaw) -> str:
    """Whether the law of the bound holds of what was measured."""
    if found.follows_bound is None:
        return "the bound 2n − 2 is linear in the number of states n; too little is measured to compare"
    inside = "inside the interval: they may grow alike" if found.follows_bound else "outside the interval"
    return f"the bound 2n − 2 has slope {found.bound_slope:.2f} over the same languages, {inside}"


def _law(law: GrowthLaw) -> str:
    without = f", {law.missing} without a length left out" if law.missing else ""
    return f"slope {law.slope.words} over {law.languages} languages{without}; τ = {law.tau.words}"


def law_figure(found: ThresholdLaw, title: str) -> Figure:
    """The length from which on languages work against each quantity, and bound / measured."""
    from matplotlib.figure import Figure

    drawn = Figure(figsize=(11, 3.6), layout="constrained")
    drawn.suptitle(title, fontsize=9)
    axes = drawn.subplots(1, len(found.laws) + 1)
    for axis, law in zip(axes, found.laws, strict=False):
        _panel(axis, found, law)
    _bound_line(axes[0], found.measured)
    _ratios(axes[-1], found.measured)
    axes[0].set_ylabel("works from training length", fontsize=8)
    if found.measured:
        axes[0].legend(fontsize=6, frameon=False, loc="lower right")
    return drawn


def _panel(axis: Axes, found: ThresholdLaw, law: GrowthLaw) -> None:
    longest = found.setting.lengths[-1]
    for verdict, (colour, marker, name) in LOOKS.items():
        rows = [row for row in found.measured if row.language.stratum.verdict == verdict]
        for place, row in enumerate(rows):
            start = row.answer.threshold
            shift = 1 + 0.015 * (place % 5 - 2)  # so that languages at one place are seen
            axis.plot(
                [getattr(row, law.quantity) * shift], [(2 * longest if start is None else start) * shift],
                marker=marker, markersize=5, linestyle="", color=colour,
                markerfacecolor="white" if start is None else colour, label=name if not place else None,
            )  # fmt: skip
    axis.set_xscale("log", base=2)
    axis.set_yscale("log", base=2)
    ticks = [*found.setting.lengths, 2 * longest]
    axis.set_yticks(ticks, [*map(str, found.setting.lengths), f"> {longest}"])
    axis.set_ylim(min(ticks) / 2.8, 2.3 * longest)
    values = sorted({getattr(row, law.quantity) for row in found.measured})
    axis.set_xticks(values, [str(value) for value in values])
    axis.minorticks_off()
    axis.tick_params(labelsize=7)
    axis.set_xlabel(f"{law.quantity}\nslope {law.slope.words}\nτ = {law.tau.words}", fontsize=7)


def _bound_line(axis: Axes, rows: Sequence[LawRow]) -> None:
    bounds = sorted({(row.states, row.bound) for row in rows})
    if bounds:
        axis.plot(
            [states for states, _ in bounds], [bound for _, bound in bounds],
            color=GREY, linestyle=":", linewidth=1.2, label="bound 2n − 2", zorder=0,
        )  # fmt: skip


def _ratios(axis: Axes, rows: Sequence[LawRow]) -> None:
    known = [(row.states, row.ratio) for row in rows if row.ratio is not None]
    axis.plot([x for x, _ in known], [y for _, y in known], "o", markersize=4, color=GREY)
    axis.axhline(1.0, color="#BBBBBB", linewidth=0.8, linestyle=(0, (4, 3)), zorder=0)
    axis.set_xlabel("states", fontsize=7)
    axis.set_title("bound / measured", fontsize=8)
    axis.tick_params(labelsize=7)
