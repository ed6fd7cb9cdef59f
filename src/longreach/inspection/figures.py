"""The figures of an inspection: histograms over heads, heat maps, profiles by distance, accuracy."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from longreach.figures import BLUE, GREEN, GREY, ORANGE, figure_bytes
from longreach.inspection.positions import invariant_version, window_weights
from longreach.inspection.report import HeadReport, Inspection, chosen_heads
from longreach.theory.limit.model import Array

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure
    from matplotlib.image import AxesImage

MOST_PANELS = 24
_SMALL = 7


def figures_of(found: Inspection) -> dict[str, Callable[[], Figure]]:
    """The figures of an inspection, by file name."""
    made: dict[str, Callable[[], Figure]] = {
        "histogram": lambda: histogram(found.heads, title_of(found)),
        "heatmaps": lambda: heat_maps(chosen_heads(found.heads), found.products_from),
        "profiles": lambda: profiles(found.heads, found.facts.get("trained_to")),
        "hardness": lambda: attention(found.heads),
    }
    if found.lengths:
        made["lengths"] = lambda: lengths(found)
    if found.construction:
        made["construction"] = lambda: construction(found)
    return made


def figure_files(draw: Callable[[], Figure], name: str, suffixes: Sequence[str]) -> dict[str, bytes]:
    """A figure as `.png` and `.svg`, drawn once."""
    figure = draw()

    def drawn() -> Figure:
        return figure

    made = {}
    for suffix in suffixes:
        made[suffix] = figure_bytes(drawn, suffix, salt=f"inspection-{name}")
        figure.set_layout_engine("none")  # its places are found
    return made


def title_of(found: Inspection) -> str:
    """The model and its task."""
    task = found.facts.get("task")
    return f"{found.name}" + (f", {task}" if task and len(str(task)) < 60 else "")


def histogram(heads: Sequence[HeadReport], title: str) -> Figure:
    """Heads by offset variance (Figures 7 and 10 of Huang et al.)."""
    from matplotlib.ticker import MaxNLocator

    figure, axis = _figure(4.6, 2.8, "offset variance (Equation 81)", "heads")
    values = [each.offset_variance for each in heads]
    axis.hist(values, bins=min(20, max(5, len(values))), color=BLUE, edgecolor="white", linewidth=0.5)
    axis.yaxis.set_major_locator(MaxNLocator(integer=True))
    axis.set_title(title, fontsize=_SMALL + 2)
    return figure


def heat_maps(heads: Sequence[HeadReport], source: str) -> Figure:
    """A row for each head: the matrix, its translation-invariant version, softmax in windows (8, 9, 11)."""
    from matplotlib.figure import Figure

    windows = max(len(head.shift.offsets) for head in heads)
    figure = Figure(figsize=(1.6 * (windows + 2.4), heads_height(len(heads))))
    draw_heads(figure, [(f"head {head.name}", head) for head in heads])
    figure.suptitle(f"{source}: queries down, keys across", fontsize=_SMALL + 1)
    return figure


def heads_height(rows: int) -> float:
    """The inches of so many rows of heat maps."""
    return 1.8 * rows + 0.4


def draw_heads(part: Figure | SubFigure, heads: Sequence[tuple[str, HeadReport]]) -> None:
    """The rows of heat maps, each head under a name."""
    windows = max(len(head.shift.offsets) for _, head in heads)
    # Fixed places: a layout that looks at every label takes seconds for so many panels.
    high = heads_height(len(heads))
    grid = {"left": 0.03, "right": 0.99, "bottom": 0.25 / high, "top": 1 - 0.55 / high, "wspace": 0.28}
    shares = [1.0, 1.0, 0.09, 0.25, *[1.0] * windows]
    axes = part.subplots(
        len(heads), len(shares), squeeze=False, gridspec_kw={**grid, "hspace": 0.45, "width_ratios": shares}
    )
    for row, (name, head) in zip(axes, heads, strict=True):
        assert head.matrix is not None
        values = head.matrix[np.tri(len(head.matrix), dtype=bool)]
        # A few extreme pairs would leave one colour for all others.
        least, most = np.quantile(values, [0.005, 0.995]).tolist()
        most = most if most - least > 1e-12 else least + 1.0
        image = _map(row[0], head.matrix, least, most, "viridis")
        _map(row[1], invariant_version(head.matrix), least, most, "viridis")
        row[0].set_title(f"{name}\noffset variance {head.offset_variance:.3g}", fontsize=_SMALL - 0.5)
        row[1].set_title("means by distance", fontsize=_SMALL - 0.5)
        bar = part.colorbar(image, cax=row[2])
        bar.ax.tick_params(labelsize=_SMALL - 1.5, length=2, pad=1)
        for axis in row[3:]:
            axis.set_visible(False)
        softmax = [window_weights(head.matrix, head.shift.window, offset) for offset in head.shift.offsets]
        # The first queries have few keys: their weights would leave all others dark.
        most = max(float(weights[len(weights) // 4 :].max()) for weights in softmax)
        for axis, offset, weights in zip(row[4:], head.shift.offsets, softmax, strict=False):
            axis.set_visible(True)
            _map(axis, weights, 0.0, most, "magma")
            axis.set_title(f"softmax at {offset}", fontsize=_SMALL - 0.5)


def _map(axis: Axes, values: Array, low: float, high: float, colours: str) -> AxesImage:
    hidden = np.ma.masked_array(values, ~np.tri(len(values), dtype=bool))
    image = axis.imshow(hidden, vmin=low, vmax=high, cmap=colours, interpolation="nearest")
    axis.tick_params(labelsize=_SMALL - 2, length=1.5, pad=1)
    for side in ("top", "right"):
        axis.spines[side].set_visible(False)
    return image


def profiles(heads: Sequence[HeadReport], trained_to: int | None) -> Figure:
    """The mean at each distance and the local and periodic fit to it."""
    from matplotlib.figure import Figure

    shown = heads[:MOST_PANELS]
    columns = min(4, len(shown))
    rows = -(-len(shown) // columns)
    high = 1.55 * rows + 0.4
    figure = Figure(figsize=(2.4 * columns, high))
    grid = {"left": 0.06, "right": 0.99, "bottom": 0.25 / high, "top": 1 - 0.55 / high}
    axes = figure.subplots(rows, columns, squeeze=False, gridspec_kw={**grid, "wspace": 0.3, "hspace": 0.4})
    for axis in axes.flat[len(shown) :]:
        axis.set_visible(False)
    for axis, head in zip(axes.flat, shown, strict=False):
        places = np.arange(len(head.means))
        if trained_to is not None and trained_to < len(places):
            axis.axvspan(0, trained_to, color="#0b2040", alpha=0.06, linewidth=0)
        axis.plot(places, head.means, color=BLUE, linewidth=1.0)
        axis.plot(places, head.fit.at(places.astype(np.float64)), color=ORANGE, linewidth=1.0, linestyle="--")
        axis.set_title(f"head {head.name}: {head.fit.words}", fontsize=_SMALL - 0.5)
        _plain(axis)
    figure.suptitle("mean logit by distance (blue), fit (dashed)", fontsize=_SMALL + 1)
    return figure


def attention(heads: Sequence[HeadReport]) -> Figure:
    """How spread out each head's attention is at the training length."""
    figure, axis = _figure(max(3.6, 0.28 * len(heads) + 1.6), 2.6, "head (layer.number)")
    places = np.arange(len(heads))
    axis.bar(places - 0.2, [h.softness.largest for h in heads], 0.4, color=BLUE, label="largest weight")
    axis.bar(places + 0.2, [h.softness.entropy for h in heads], 0.4, color=ORANGE, label="entropy")
    axis.set_xticks(places, [head.name for head in heads], rotation=90 if len(heads) > 12 else 0)
    axis.set_ylim(0, 1.02)
    axis.legend(fontsize=_SMALL, frameon=False, ncols=2, loc="lower center", bbox_to_anchor=(0.5, 1.0))
    return figure


def lengths(found: Inspection) -> Figure:
    """Accuracy by length of the model and of its limit transformer."""
    figure, axis = _figure(4.6, 2.8, "length", "inputs that come out right")
    lines = (
        ("the model", "model", BLUE, "-", "o"),
        ("periodic positions and local φ", "kept", GREEN, "--", "s"),
        ("limit transformer, linear layer norms", "strict", ORANGE, ":", "^"),
    )
    for name, field, colour, style, marker in lines:
        known = [(r.length, v) for r in found.lengths if (v := getattr(r, field)) is not None]
        if known:
            axis.plot(
                *zip(*known, strict=True), color=colour, linestyle=style, marker=marker, markersize=3.5,
                linewidth=1.3, label=name,
            )  # fmt: skip
    trained = found.facts.get("trained_to")
    if trained:
        axis.axvspan(0, trained, color="#0b2040", alpha=0.06, linewidth=0)
    if found.failure is not None:
        axis.axhline(found.failure.level, color=GREY, linewidth=0.7, linestyle=(0, (1.5, 3)))
    axis.set_ylim(-0.03, 1.05)
    axis.set_xlim(left=0)
    axis.legend(fontsize=_SMALL, frameon=False)
    return figure


def construction(found: Inspection) -> Figure:
    """Weights on the keys that the program attends to, and on the others (Figure 3 of Izzo et al.)."""
    heads = found.construction[:MOST_PANELS]
    figure, axis = _figure(max(3.8, 0.5 * len(heads) + 2), 2.8, "", "weight of a key")
    for place, each in enumerate(heads):
        hard = each.hardness
        weights = (
            (-0.12, hard.wanted, hard.wanted_deviation, BLUE, "o", "should be attended"),
            (0.12, hard.other, hard.other_deviation, ORANGE, "s", "the others"),
        )
        for shift, mean, deviation, colour, marker, label in weights:
            axis.errorbar(
                place + shift, mean, yerr=deviation, color=colour, marker=marker, markersize=4, capsize=2,
                linewidth=1, label=label if place == 0 else None,
            )  # fmt: skip
        axis.plot(
            [place - 0.3, place + 0.3], [hard.ideal] * 2, color="black", linestyle="--", linewidth=0.8,
            label="if hard" if place == 0 else None,
        )  # fmt: skip
    names = [f"{h.program_layer}.{h.program_head} ({h.does})\n→ head {h.layer}.{h.head}" for h in heads]
    axis.set_xticks(range(len(heads)), names, rotation=90 if len(heads) > 4 else 0)
    axis.legend(fontsize=_SMALL, frameon=False)
    return figure


def _figure(width: float, height: float, across: str, upwards: str = "") -> tuple[Figure, Axes]:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained")
    axis = figure.subplots()
    axis.set_xlabel(across, fontsize=_SMALL + 1)
    axis.set_ylabel(upwards, fontsize=_SMALL + 1)
    _plain(axis)
    return figure, axis


def _plain(axis: Axes) -> None:
    axis.tick_params(labelsize=_SMALL - 0.5, length=2)
    for side in ("top", "right"):
        axis.spines[side].set_visible(False)
