"""Perplexity by position, and what few far tokens gain beside all of them, window by window."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from longreach.studies.drawing import BLUE, GREY, ORANGE

if TYPE_CHECKING:
    from matplotlib.figure import Figure

COLOURS = {"short": ORANGE, "long": BLUE}
LINES = {"short": "-", "long": "--"}


def language_figure(document: Mapping[str, Any], title: str) -> Figure:
    """Five panels: losses by position, then Figure 4 and the three variants of Figure 6."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(13, 3.0), layout="constrained")
    figure.suptitle(title, fontsize=9)
    first, *others = figure.subplots(1, 1 + len(document["influence"]))
    longest = max(entry["length"] for entry in document["perplexity"])
    for entry in document["perplexity"]:
        if entry["length"] == longest:
            losses = entry["loss_by_position"]
            name = entry["model"]
            look: dict[str, Any] = {"color": COLOURS[name], "linestyle": LINES[name], "linewidth": 1.1}
            first.plot(range(1, len(losses) + 1), losses, label=f"h_{name}", **look)
    shortest = min(entry["length"] for entry in document["perplexity"])
    first.axvline(shortest, color=GREY, linewidth=0.7, linestyle=":")
    first.set_xlabel("tokens before", fontsize=7)
    first.set_ylabel("loss", fontsize=7)
    first.set_title("loss by position", fontsize=7.5)
    first.legend(fontsize=6.5, frameon=False)
    for axis, entry in zip(others, document["influence"], strict=True):
        _scatter(axis, entry)
    for axis in (first, *others):
        axis.tick_params(labelsize=6.5)
    return figure


def _scatter(axis: Any, entry: Mapping[str, Any]) -> None:
    across = [point[0] for point in entry["points"]]
    up = [point[1] for point in entry["points"]]
    axis.scatter(across, up, s=6, alpha=0.5, color=COLOURS[entry["model"]], linewidths=0)
    low, high = min(across + up), max(across + up)
    axis.plot([low, high], [low, high], color=GREY, linewidth=0.7, linestyle="--")
    correlation = entry["correlation"]
    shown = "" if correlation is None else f", r = {correlation:.2f}"
    axis.set_title(f"h_{entry['model']}, chosen by h_{entry['chosen_by']}{shown}", fontsize=7.5)
    axis.set_xlabel("gain by all far tokens", fontsize=7)
    axis.set_ylabel("gain by the influential ones", fontsize=7)
