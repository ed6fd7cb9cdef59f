"""Drawings of automata as SVG, PDF and PNG."""

from __future__ import annotations

import io
import re
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any
from xml.etree import ElementTree

from longreach.theory.automata.automaton import Automaton
from longreach.theory.automata.layout import LETTER, RADIUS, START, Point, Text, layout_of, merged_edges
from longreach.wording import counted

LEFT_OUT = "letters without an arrow lead to {}, where nothing is accepted any more"

_STYLE = """
  .ground { fill: #fff } .state { fill: #f4f6f8; stroke: #1d2733; stroke-width: 1.6 }
  .accepting { fill: none; stroke: #1d2733; stroke-width: 1.6 }
  .edge { fill: none; stroke: #66727f; stroke-width: 1.4 }
  .dead { opacity: .7 } text { font: 14px ui-monospace, monospace; fill: #1d2733; text-anchor: middle }
  .label { font-size: 13px; stroke: #fff; stroke-width: 5px; paint-order: stroke; stroke-linejoin: round }
  .tip, .said { fill: #66727f }
  @media (prefers-color-scheme: dark) {
    .ground { fill: #14181d } .state { fill: #1c2228; stroke: #dde4ea } .accepting { stroke: #dde4ea }
    .edge { stroke: #93a0ac } text { fill: #dde4ea } .label { stroke: #14181d } .tip, .said { fill: #93a0ac }
  }
"""


def to_svg(
    automaton: Automaton,
    title: str = "automaton",
    *,
    part: str | None = None,
    notes: Mapping[int, str] | None = None,
) -> str:
    """The automaton as one SVG document. Dead states are drawn pale, or omitted with a note.

    As a part of a page, which `part` names, it has ids of its own and no style: the page has that.
    Notes stand beside their states. A text description is included for screen readers.

    >>> to_svg(from_expression("(ab)*"), "(ab)*").count("<circle")
    4
    """
    tip = "tip" if part is None else f"tip-{part}"
    alive = automaton.live
    layout = layout_of(automaton, notes)
    said = LEFT_OUT.format(", ".join(map(str, layout.left_out))) if layout.left_out else ""
    width, height = layout.size
    width = max(width, (len(said) + 2) * LETTER)
    layout = layout.from_zero(width)
    last = [_text(Text(text=said, place=(width / 2, height)), "label said")] if said else []
    height += 20 * len(last)
    size = f'width="{width:.0f}" height="{height:.0f}"'
    parts = [
        (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" {size} '
            f'role="img" class="automaton" aria-label="{escape(title)}">'
        ),
        f"<title>{escape(title)}</title><desc>{escape(in_words(automaton))}</desc>",
        f"<style>{_STYLE}</style>" if part is None else "",
        (
            f'<defs><marker id="{escape(tip)}" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" '
            'markerHeight="7" orient="auto-start-reverse"><path class="tip" d="M0 0 8 4 0 8z"/></marker>'
            "</defs>"
        ),
    ]
    if part is None:
        parts.append(f'<rect class="ground" {size}/>')
    parts.append(f'<g marker-end="url(#{escape(tip)})">')  # all paths within inherit it
    x, y = layout.places[0]
    start = (x - RADIUS - START, y)
    parts.append(_path((start, start, (x - RADIUS, y)), ""))
    dead = '<g class="dead">'
    pale = {state: "" if state in alive else " dead" for state in range(len(automaton))}
    parts += [*(_path(edge.curve, pale[edge.target]) for edge in layout.edges), "</g>"]
    for state, (x, y) in sorted(layout.places.items()):
        ring = f'<circle class="accepting" cx="{x:.1f}" cy="{y:.1f}" r="{RADIUS - 4:.0f}"/>'
        parts.append(
            f"{'<g>' if state in alive else dead}"
            f'<circle class="state" cx="{x:.1f}" cy="{y:.1f}" r="{RADIUS:.0f}"/>'
            f"{ring if state in automaton.accepting else ''}"
            f'<text x="{x:.1f}" y="{y + 5:.1f}">{state}</text></g>'
        )
    parts += [_text(edge.label, f"label{pale[edge.target]}") for edge in layout.edges]
    parts += [_text(note, "label note") for note in layout.notes.values()]
    return "\n".join([*parts, *last, "</svg>"]) + "\n"


def in_words(automaton: Automaton) -> str:
    """The automaton in words, for screen readers.

    >>> in_words(from_expression("(aa)*"))
    '2 states, from 0; accepting: 0. State 0: a to 1. State 1: a to 0.'
    """
    moves: dict[int, list[str]] = {}
    for (source, target), letters in merged_edges(automaton).items():
        moves.setdefault(source, []).append(f"{', '.join(letters)} to {target}")
    count = counted(len(automaton), "state")
    accepting = ", ".join(map(str, sorted(automaton.accepting))) or "none"
    rows = [f"State {state}: {'; '.join(each)}." for state, each in sorted(moves.items())]
    return " ".join([f"{count}, from 0; accepting: {accepting}.", *rows])


def _path(curve: Sequence[Point], pale: str) -> str:
    first, *others = (f"{x:.1f} {y:.1f}" for x, y in curve)
    return f'<path class="edge{pale}" d="M{first}{"C" if len(others) == 3 else "Q"}{" ".join(others)}"/>'


def _text(text: Text, kind: str) -> str:
    x, y = text.place
    return f'<text class="{kind}" x="{x:.1f}" y="{y + 4:.1f}">{escape(text.text)}</text>'


# The same as PDF or PNG, drawn by matplotlib


FORMATS = ("pdf", "png")
_NUMBER = re.compile(r"-?\d+\.?\d*")
_INK, _EDGE, _FILL = "#1d2733", "#66727f", "#f4f6f8"
PIXELS_PER_INCH = 96
PALE = 0.45


def to_figure(automaton: Automaton, title: str, form: str) -> bytes:
    """A picture in one of the formats.

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
