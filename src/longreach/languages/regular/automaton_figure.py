"""The drawing of an automaton as PDF or PNG: what `automaton_drawing` lays out, drawn by matplotlib."""

from __future__ import annotations

import io
import re
from typing import Any
from xml.etree import ElementTree

from longreach.languages.regular.automaton import Automaton
from longreach.languages.regular.automaton_drawing import to_svg

FORMATS = ("pdf", "png")
_NUMBER = re.compile(r"-?\d+\.?\d*")
_INK, _EDGE, _FILL = "#1d2733", "#66727f", "#f4f6f8"
PIXELS_PER_INCH = 96
PALE = 0.45


def to_figure(automaton: Automaton, title: str, form: str) -> bytes:
    """A picture in one of the formats.

    >>> from longreach.languages.regular.expression_to_automaton import from_expression
    >>> to_figure(from_expression("(ab)*"), "(ab)*", "pdf")[:5]
    b'%PDF-'
    """
    from matplotlib.figure import Figure

    # The text of our own drawing, nothing from outside but letters, which it escapes.
    root = ElementTree.fromstring(to_svg(automaton, title))
    width, height = float(root.attrib["width"]), float(root.attrib["height"])
    figure = Figure(figsize=(width / PIXELS_PER_INCH, height / PIXELS_PER_INCH))
    axes = figure.add_axes((0, 0, 1, 1), xlim=(0, width), ylim=(height, 0))
    axes.set_axis_off()
    _draw(axes, root, 1.0)
    content = io.BytesIO()
    metadata = {"Title": title, "CreationDate": None} if form == "pdf" else {"Title": title, "Software": None}
    figure.savefig(content, format=form, dpi=2 * PIXELS_PER_INCH, metadata=metadata)
    return content.getvalue()


def _draw(axes: Any, element: ElementTree.Element, opacity: float) -> None:
    for each in element:
        kind = each.tag.rpartition("}")[2]
        pale = PALE if "dead" in each.get("class", "").split() else opacity
        if kind == "g":
            _draw(axes, each, pale)
        elif kind == "path":
            _draw_edge(axes, each.attrib["d"], pale)
        elif kind == "circle":
            _draw_circle(axes, each, pale)
        elif kind == "text":
            _draw_text(axes, each, pale)


def _draw_edge(axes: Any, drawn: str, opacity: float) -> None:
    from matplotlib.patches import FancyArrowPatch
    from matplotlib.path import Path

    numbers = list(map(float, _NUMBER.findall(drawn)))
    points = list(zip(numbers[::2], numbers[1::2], strict=True))
    code = Path.CURVE4 if "C" in drawn else Path.CURVE3
    path = Path(points, [Path.MOVETO, *[code] * (len(points) - 1)])
    axes.add_patch(
        FancyArrowPatch(path=path, arrowstyle="-|>", mutation_scale=10, color=_EDGE, alpha=opacity, zorder=1)
    )


def _draw_circle(axes: Any, circle: ElementTree.Element, opacity: float) -> None:
    from matplotlib.patches import Circle

    x, y, radius = (float(circle.attrib[name]) for name in ("cx", "cy", "r"))
    fill = _FILL if circle.get("class") == "state" else "none"
    axes.add_patch(Circle((x, y), radius, facecolor=fill, edgecolor=_INK, alpha=opacity, zorder=2))


def _draw_text(axes: Any, text: ElementTree.Element, opacity: float) -> None:
    label = "label" in text.get("class", "").split()
    ground = {"facecolor": "white", "edgecolor": "none", "pad": 1.0} if label else None
    axes.text(
        float(text.attrib["x"]), float(text.attrib["y"]), text.text or "", ha="center", va="baseline",
        family="monospace", size=10, color=_INK, alpha=opacity, bbox=ground, zorder=3, parse_math=False,
    )  # fmt: skip
