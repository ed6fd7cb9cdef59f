"""The study of natural language: its report and figures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from longreach.figures import BLUE, GREY, ORANGE
from longreach.studies.cells import markdown_table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from longreach.inspection.perplexity import AtLength

# What the study of natural language is; training and measuring are in `longreach.language_models`.


@dataclass(frozen=True, kw_only=True)
class LanguageStudy:
    """Two models on real text."""

    name: str
    title: str
    source: str
    about: str
    time: str
    formats: tuple[str, ...] = (".svg", ".png", ".pdf", ".md")


STUDY = LanguageStudy(
    name="natural-language",
    title="Sparsity and length generalization in natural language",
    source="Golowich et al., arXiv 2502.16792, Table 1, Figures 4 and 6",
    about="perplexity beyond the trained context with PoSE, and how few far tokens a prediction rests on",
    time="laptop: 2 runs and their analysis, 49 minutes of one core that was shared",
)


# The findings of the study of natural language as a document and as tables.


PANELS = {
    ("short", "short"): "Figure 4",
    ("long", "long"): "Figure 6a",
    ("long", "short"): "Figure 6b",
    ("short", "long"): "Figure 6c",
}
"""By the model that predicts and the one that chose the tokens."""


class _Documented(Protocol):
    def document(self) -> dict[str, Any]: ...


def findings_document(
    perplexity: Mapping[str, Mapping[int, _Documented]], losses: Mapping[tuple[str, str], _Documented]
) -> dict[str, Any]:
    """As JSON has it."""
    return {
        "perplexity": [
            {"model": name, **measured.document()}
            for name, by_length in perplexity.items()
            for measured in by_length.values()
        ],
        "influence": [
            {"panel": panel, "model": model, "chosen_by": chooser, **losses[model, chooser].document()}
            for (model, chooser), panel in PANELS.items()
        ],
    }


def perplexity_rows(document: Mapping[str, Any]) -> list[list[str]]:
    """Table 1: a row per model, after a row of titles.

    >>> found = {"perplexity": [{"model": "short", "length": 64, "perplexity": 20.123}]}
    >>> perplexity_rows(found)
    [['model', 'at 64'], ['h_short', '20.12']]
    """
    lengths = sorted({entry["length"] for entry in document["perplexity"]})
    rows = [["model", *(f"at {length}" for length in lengths)]]
    for name in dict.fromkeys(entry["model"] for entry in document["perplexity"]):
        found = {e["length"]: e["perplexity"] for e in document["perplexity"] if e["model"] == name}
        rows.append([f"h_{name}", *(f"{found[length]:.2f}" for length in lengths)])
    return rows


def influence_rows(document: Mapping[str, Any]) -> list[list[str]]:
    """What few far tokens gain beside all of them, a row per panel, after a row of titles."""
    rows = [["panel", "loss of", "chosen by", "near", "all", "near and few", "correlation"]]
    for entry in document["influence"]:
        correlation = entry["correlation"]
        losses = [f"{entry[key]:.3f}" for key in ("loss_short", "loss_long", "loss_short_sparse")]
        shown = "–" if correlation is None else f"{correlation:.2f}"
        rows.append([entry["panel"], f"h_{entry['model']}", f"h_{entry['chosen_by']}", *losses, shown])
    return rows


def markdown(document: Mapping[str, Any]) -> str:
    """Both tables, for a file."""
    lines = []
    for head, *rows in (perplexity_rows(document), influence_rows(document)):
        lines += [*markdown_table(head, rows), ""]
    return "\n".join(lines)


# Perplexity by position, and what few far tokens gain beside all of them, window by window.


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


# Losses of a language model by position, and the mean at each length.


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
