"""Figures: attention of a compiled model, and R(T_n) against n; PNG, SVG, or HTML with the SVG inside."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

from longreach.errors import Argument, InputError
from longreach.figures import figure_bytes
from longreach.theory.limit.model import START, Transformer
from longreach.theory.limit.run import attention

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FORMATS = (".png", ".svg", ".html")
MAX_DRAWN = 120  # positions of an attention map that can still be read


def attention_figure(model: Transformer, word: Sequence[str], title: str) -> Figure:
    """One map per layer and head: rows are queries, columns keys; darker is more weight."""
    from matplotlib.figure import Figure

    if len(word) > MAX_DRAWN:
        reason = f"{len(word)} tokens; an attention map is drawn for at most {MAX_DRAWN}"
        raise InputError(reason, place=Argument("word"))
    maps = [(number, h, attention(model, list(word), number, h)) for number, h, _ in model.heads()]
    if not maps:
        raise InputError("the program counts nothing, so its transformer has no attention to draw")
    columns = max(len(layer.heads) for layer in model.layers)
    rows = sorted({number for number, _, _ in maps})
    side = max(2.4, 0.19 * (len(word) + 1) + 1.0)
    figure = Figure(figsize=(side * columns + 0.4, (side + 0.35) * len(rows) + 0.5), layout="constrained")
    figure.suptitle(title)
    axes = figure.subplots(len(rows), columns, squeeze=False)
    for axis in axes.flat:
        axis.axis("off")
    labels = [START, *word]
    for number, h, weights in maps:
        axis = axes[rows.index(number), h]
        axis.axis("on")
        axis.imshow(weights, cmap="Blues", vmin=0, vmax=1)
        axis.set_title(f"layer {number}, {_describe(model, number, h)}", fontsize=9)
        axis.set_xticks(
            range(len(labels)), labels, fontsize=7, rotation=90 if max(map(len, labels)) > 1 else 0
        )
        axis.set_yticks(range(len(labels)), labels, fontsize=7)
        axis.set_xlabel("key j", fontsize=8)
        axis.set_ylabel("query i", fontsize=8)
    return figure


def _describe(model: Transformer, layer: int, head: int) -> str:
    phi = model.layers[layer].heads[head].phi
    if phi is None or callable(phi) or not phi.any():
        return f"head {head}"
    distances = [str(d) for d, value in enumerate(phi) if value]
    return f"head {head} (φ at distance {', '.join(distances)})"


def growth_figure(rows: Sequence[tuple[int, dict[str, float]]], title: str) -> Figure:
    """R(T_n) and its groups against n."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6.4, 4.0), layout="constrained")
    axis = figure.subplots()
    lengths = [n for n, _ in rows]
    for name in rows[0][1]:
        style = {"color": "black", "linewidth": 2.2} if name == "total" else {"linewidth": 1.3}
        axis.plot(
            lengths, [groups[name] for _, groups in rows], marker="o", markersize=3, label=name, **style
        )
    axis.set_xscale("log", base=2)
    axis.set_xlabel("context n")
    axis.set_ylabel("R(T_n)")
    axis.set_title(title)
    axis.legend(fontsize=8, loc="upper left", bbox_to_anchor=(1.0, 1.0), frameon=False)
    return figure


def content_of(figure: Figure, path: Path, title: str) -> bytes:
    """The file's content, by the ending of its name."""
    if path.suffix.lower() != ".html":
        return figure_bytes(lambda: figure, path.suffix.lower(), salt=title)
    svg = figure_bytes(lambda: figure, ".svg", salt=title).decode("utf-8")
    page = (
        f'<!doctype html>\n<html lang="en"><meta charset="utf-8"><title>{escape(title)}</title>\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        "<style>body { margin: 2rem; background: #fff } svg { max-width: 100%; height: auto }</style>\n"
        f"{svg[svg.index('<svg') :]}\n</html>\n"
    )
    return page.encode("utf-8")
