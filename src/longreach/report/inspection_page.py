"""One page for what was found in one model: numbers, figures, and what they mean."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from longreach import __version__
from longreach.report.render import environment

if TYPE_CHECKING:
    from longreach.inspection.model_inspection import Inspection

CAPTIONS = {
    "lengths": "Accuracy by length; the shaded lengths were trained. A limit transformer has no longest "
    "input.",
    "histogram": "Heads by offset variance: 0 where the product of two positions depends on their distance "
    "alone.",
    "heatmaps": "Some heads, from the largest offset variance to the least: the product of each pair of "
    "positions, the same with its mean at each distance, and the softmax of windows at several offsets.",
    "profiles": "The mean at each distance, and the nearest local and periodic function.",
    "hardness": "How hard attention is at the training length: the mean largest weight of a query, and its "
    "entropy as a share of that of even attention.",
    "construction": "Weights on the keys that the heads of the task's program attend, and on the others, of "
    "the trained head that is nearest.",
}
ORDER = tuple(CAPTIONS)


def render_inspection_page(found: Inspection, figures: Mapping[str, bytes], *, title: str) -> str:
    """One HTML document that needs nothing else; `figures` are SVG files by their names."""
    shown = [
        {"name": name, "caption": CAPTIONS[name], "source": _data(figures[name])}
        for name in ORDER
        if name in figures
    ]
    template = environment().get_template("inspection.html.jinja")
    return template.render(
        title=f"{title}: what it does",
        heading=title,
        found=found,
        facts=[(name, value) for name, value in _facts(found).items() if value is not None],
        figures=shown,
        number=_number,
        percent_or_none=lambda value: "" if value is None else f"{100 * value:.0f} %",
        provenance=(("page made by", f"longreach {__version__}"),),
    )


def _data(content: bytes) -> Markup:
    """An image that is part of the page."""
    return Markup("data:image/svg+xml;base64,") + Markup(base64.b64encode(content).decode())


def _number(value: float) -> str:
    return f"{value:.3g}"


def _facts(found: Inspection) -> dict[str, Any]:
    facts = found.facts
    layers = facts.get("layers")
    shape = None
    if layers:
        shape = f"{layers} layers of {facts['heads_per_layer']} heads, width {facts['width']}"
    return {
        "task": facts.get("task"),
        "kind": facts.get("architecture") or found.kind,
        "shape": shape,
        "positions": facts.get("encoding"),
        "trained to": facts.get("trained_to"),
        "seed": facts.get("seed"),
        "product functions": found.products_from,
    }
