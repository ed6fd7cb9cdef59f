"""Where the transformer compiled from a program attends, one small SVG per head."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from longreach.crasp.core import Core
from longreach.limit.compiler import compile_program
from longreach.limit.evaluate import attention
from longreach.limit.model import START, Array, Transformer
from longreach.report.text import shortened
from longreach.report.view import HeadView

MOST_HEADS = 6
MOST_WIDTH = 400  # of the compiled model: a larger one is slow to evaluate and shows nothing more
_CELL, _ROOM = 14, 16  # the side of a square, and the room for labels
_LEVELS = 20


def head_views(core: Core, word: Sequence[str], part: str) -> tuple[list[HeadView], int]:
    """The first heads on a word, each with its title and drawing, and how many there are.

    >>> from longreach.crasp.library import load
    >>> heads, number = head_views(load("dyck-1").core, "(())", "dyck-1")
    >>> [head.title for head in heads], number
    (['layer 1, head 1', 'layer 2, head 1'], 2)
    """
    model = compile_program(core, max_width=MOST_WIDTH)
    places = [(k, h) for k, layer in enumerate(model.layers) for h in range(len(layer.heads))]
    views = []
    for layer, head in places[:MOST_HEADS]:
        title = _title(model, layer, head)
        weights = attention(model, list(word), layer, head)
        views.append(HeadView(title=title, svg=_drawing(weights, [START, *word], f"{part}, {title}")))
    return views, len(places)


def _title(model: Transformer, layer: int, head: int) -> str:
    phi = model.layers[layer].heads[head].phi
    title = f"layer {layer + 1}, head {head + 1}"
    if phi is None or callable(phi) or not phi.any():
        return title
    distances = [str(distance) for distance, value in enumerate(phi) if value]
    return f"{title}, {', '.join(distances)} back"


def _drawing(weights: Array, tokens: Sequence[str], title: str) -> str:
    """Rows are queries, columns keys; squares of one shade are one path, which keeps the page small."""
    shades: dict[int, list[str]] = {}
    for query, row in enumerate(weights.tolist()):
        for key, weight in enumerate(row[: query + 1]):
            level = min(_LEVELS, round(weight * _LEVELS))
            if level or weight > 0:
                inner = _CELL - 1
                place = f"M{_ROOM + key * _CELL} {_ROOM + query * _CELL}h{inner}v{inner}h-{inner}z"
                shades.setdefault(max(level, 1), []).append(place)
    side = _ROOM + _CELL * len(tokens) + 2
    names = [escape(shortened(token, 3)) for token in tokens]
    across = "".join(
        f'<text x="{_ROOM + k * _CELL + 6.5:g}" y="11">{name}</text>' for k, name in enumerate(names)
    )
    down = "".join(
        f'<text class="query" x="12" y="{_ROOM + k * _CELL + 10.5:g}">{name}</text>'
        for k, name in enumerate(names)
    )
    stairs = f"M{_ROOM} {_ROOM}h{_CELL - 1}" + f"v{_CELL}h{_CELL}" * (len(tokens) - 1)
    whole = f'<path class="possible" d="{stairs}v{_CELL - 1}H{_ROOM}z"/>'
    paths = "".join(
        f'<path class="weight" fill-opacity="{level / _LEVELS:g}" d="{"".join(places)}"/>'
        for level, places in sorted(shades.items())
    )
    label = escape(f"attention weights of {title}")
    return (
        f'<svg class="attention" viewBox="0 0 {side} {side}" width="{side}" height="{side}" role="img" '
        f'aria-label="{label}"><title>{label}</title>{whole}{paths}{across}{down}</svg>'
    )
