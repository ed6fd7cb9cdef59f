"""Losses of a language model by position, and the mean at each length."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from longreach.studies.drawing import BLUE, GREY, ORANGE

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from longreach.language_models.text_perplexity import AtLength


def perplexity_figure(found: Sequence[AtLength], name: str) -> Figure:
    """A line for the longest inputs, a point per length."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6, 3.4), layout="constrained")
    axis = figure.subplots()
    longest = max(found, key=lambda each: each.length)
    places = range(1, longest.length + 1)
    axis.plot(
        places, longest.by_position, color=BLUE, linewidth=1, label=f"by position, inputs of {longest.length}"
    )
    axis.plot([each.length for each in found], [each.loss for each in found], color=ORANGE, marker="o",
              linestyle="--", linewidth=1, markersize=4, label="mean at each length")  # fmt: skip
    axis.set_xscale("log", base=2)
    axis.set_xlabel("tokens before, or length of the input", fontsize=8)
    axis.set_ylabel("loss (log perplexity)", fontsize=8)
    axis.set_title(name, fontsize=9)
    axis.grid(color=GREY, alpha=0.2, linewidth=0.5)
    axis.legend(fontsize=7, frameon=False)
    axis.tick_params(labelsize=7)
    return figure
