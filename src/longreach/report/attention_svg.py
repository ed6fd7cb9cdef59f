"""Where the transformer compiled from a program attends, one small SVG per head."""

from __future__ import annotations

from collections.abc import Sequence

from longreach.crasp.core import Core
from longreach.limit.compile.program_to_limit import compile_program
from longreach.limit.model import START, Array, Transformer
from longreach.limit.run.float_evaluator import attention
from longreach.report.text import escaped, shortened
from longreach.report.view import HeadView

MOST_HEADS = 6
MOST_WIDTH = 400  # of the compiled model: a larger one is slow to evaluate and shows nothing more
_CELL = 14  # the side of a square with its margin
_LEVELS = 20
_SHADE = 0.6  # small weights would hardly show in proportion


def head_views(
    core: Core, word: Sequence[str], part: str, *, most: int = MOST_HEADS
) -> tuple[list[HeadView], int]:
    """The first heads on a word, each with its title and drawing, and how many there are.

    >>> from longreach.crasp.library import load
    >>> heads, number = head_views(load("dyck-1").core, "(())", "dyck-1")
    >>> [head.title for head in heads], number
    (['layer 1, head 1', 'layer 2, head 1'], 2)
    """
    model = compile_program(core, max_width=MOST_WIDTH)
    places = [(k, h) for k, layer in enumerate(model.layers) for h in range(len(layer.heads))]
    views = []
    for layer, head in places[:most]:
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
    names = [escaped(shortened(token, 5)) for token in tokens]
    room = 8 + 6 * min(5, max(map(len, tokens)))
    inner = _CELL - 1
    shades: dict[int, list[str]] = {}
    for query, row in enumerate(weights.tolist()):
        for key, weight in enumerate(row[: query + 1]):
            if weight > 0:
                place = f"M{room + key * _CELL} {room + query * _CELL}h{inner}v{inner}h-{inner}z"
                shades.setdefault(max(round(weight * _LEVELS), 1), []).append(place)
    stairs = f"M{room} {room}h{inner}" + f"v{_CELL}h{_CELL}" * (len(tokens) - 1)
    parts = [f'<path class="possible" d="{stairs}v{inner}H{room}z"/>']
    parts += [
        f'<path class="weight" fill-opacity="{(level / _LEVELS) ** _SHADE:.2g}" d="{"".join(places)}"/>'
        for level, places in sorted(shades.items())
    ]
    for number, name in enumerate(names):
        middle = room + number * _CELL + inner / 2
        turned = f' transform="rotate(-90 {middle + 3:g} {room - 4})"' if room > 14 else ""
        across = f'x="{middle + (3 if turned else 0):g}" y="{room - 4}"'
        parts.append(f'<text class="{"turned" if turned else "key"}" {across}{turned}>{name}</text>')
        parts.append(f'<text class="query" x="{room - 4}" y="{middle + 3:g}">{name}</text>')
    side = room + _CELL * len(tokens) + 2
    label = escaped(f"attention weights of {title}")
    return (
        f'<svg class="attention" viewBox="0 0 {side} {side}" width="{side}" height="{side}" role="img" '
        f'aria-label="{label}"><title>{label}</title><desc>{escaped(_told(weights, tokens))}</desc>'
        f"{''.join(parts)}</svg>"
    )


def _told(weights: Array, tokens: Sequence[str]) -> str:
    """For whoever does not see the drawing: to what each position looks most.

    >>> import numpy as np
    >>> _told(np.array([[1.0, 0.0], [0.2, 0.8]]), ["start", "a"])
    'start looks most at start; 1 a looks most at 1 a'
    """
    names = [f"{place} {token}" if place else "start" for place, token in enumerate(tokens)]
    told = []
    for query, row in enumerate(weights.tolist()):
        most = max(row[: query + 1]) - 1e-9
        keys = [names[key] for key, weight in enumerate(row[: query + 1]) if weight >= most]
        more = f" and {len(keys) - 3} more" if len(keys) > 3 else ""
        told.append(f"{names[query]} looks most at {', '.join(keys[:3])}{more}")
    return "; ".join(told)
