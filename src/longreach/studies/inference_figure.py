"""The inference procedure drawn: the size of T_n, its errors, and the inputs that tell thresholds apart."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from longreach.synthesis.threshold_functions import ThresholdPair

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from longreach.studies.inference_report import InferenceRow

# Okabe and Ito, as in the other figures; markers say the same once more.
COLOURS = ("#0072B2", "#009E73", "#56B4E9", "#E69F00", "#CC79A7", "#D55E00", "#000000")
MARKERS = "os^vDXP"
SLOW = "--"
SHIFT = 0.06  # so that equal sizes do not hide each other


def inference_figure(rows: Sequence[InferenceRow], pairs: Sequence[ThresholdPair], title: str) -> Figure:
    """Three panels; a slow training length is dashed, an open marker is a lower bound."""
    from matplotlib.figure import Figure
    from matplotlib.ticker import MaxNLocator

    figure = Figure(figsize=(13, 5.2), layout="constrained")
    figure.suptitle(title)
    sizes, errors, thresholds = figure.subplots(1, 3)
    names = list(dict.fromkeys((row.target, row.run.family.name) for row in rows))
    for row in rows:
        number = names.index((row.target, row.run.family.name)) % len(COLOURS)
        look = {"color": COLOURS[number], "marker": MARKERS[number], "markersize": 5}
        style = "-" if row.run.schedule.name == "half" else SLOW
        _sizes(sizes, row, look, style, SHIFT * number)
        _errors(errors, row, look, style)
    sizes.set(xlabel="n", ylabel="operations of T_n", title="size: bounded, or growing (open: at least)")
    errors.set(xlabel="n", ylabel="words up to n that T_n gets wrong", title="errors")
    errors.set_yscale("symlog", linthresh=1)
    thresholds.loglog(
        [float(pair.gap) for pair in pairs], [pair.length for pair in pairs], "o-", color=COLOURS[0]
    )
    thresholds.set(xlabel="β − 1", ylabel="shortest input on which F_1 and F_β differ", title="F_α (D.2)")
    for panel in (sizes, errors):
        panel.xaxis.set_major_locator(MaxNLocator(integer=True))
    for panel in (sizes, errors, thresholds):
        panel.grid(alpha=0.3)
    figure.legend(
        *sizes.get_legend_handles_labels(), loc="outside lower center", ncols=2, fontsize=8, frameon=False
    )
    return figure


def _sizes(panel: Axes, row: InferenceRow, look: dict[str, Any], style: str, shift: float) -> None:
    steps = row.run.steps
    known = [step for step in steps if step.complexity is not None]
    panel.plot(
        [step.n for step in known],
        [shift + (step.complexity or 0) for step in known],
        style,
        label=row.title,
        **look,
    )
    open_ = [step for step in steps if step.complexity is None]
    if open_:
        panel.plot(
            [step.n for step in open_], [shift + step.at_least for step in open_], linestyle="none",
            **{**look, "markerfacecolor": "none"},
        )  # fmt: skip


def _errors(panel: Axes, row: InferenceRow, look: dict[str, Any], style: str) -> None:
    known = [step for step in row.run.steps if step.errors is not None]
    panel.plot([step.n for step in known], [step.errors or 0 for step in known], style, **look)
