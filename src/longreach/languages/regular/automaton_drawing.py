"""A drawing of an automaton as SVG, in layers by the distance from the start; needs no other program."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from html import escape

from longreach.languages.regular.automaton import Automaton, live_states
from longreach.wording import counted

RADIUS = 22
LAYER, ROW = 130, 96  # distances between centres, to the right and down
MARGIN = 70
ROOM = 24  # beyond an arc, for its label
BELOW_NOTES = RADIUS + 32.0

_STYLE = """
  .ground { fill: #fff } .state { fill: #f4f6f8; stroke: #1d2733; stroke-width: 1.6 }
  .accepting { fill: none; stroke: #1d2733; stroke-width: 1.6 }
  .edge { fill: none; stroke: #66727f; stroke-width: 1.4 }
  .dead { opacity: .7 } text { font: 14px ui-monospace, monospace; fill: #1d2733; text-anchor: middle }
  .label { font-size: 13px; stroke: #fff; stroke-width: 5px; paint-order: stroke; stroke-linejoin: round }
  .tip { fill: #66727f }
  @media (prefers-color-scheme: dark) {
    .ground { fill: #14181d } .state { fill: #1c2228; stroke: #dde4ea } .accepting { stroke: #dde4ea }
    .edge { stroke: #93a0ac } text { fill: #dde4ea } .label { stroke: #14181d } .tip { fill: #93a0ac }
  }
"""

Point = tuple[float, float]


def to_svg(
    automaton: Automaton,
    title: str = "automaton",
    *,
    part: str | None = None,
    notes: Mapping[int, str] | None = None,
) -> str:
    """The automaton as one SVG document; states that accept nothing any more are pale.

    As a part of a page, which `part` names, it has ids of its own and no style: the page has that.
    Notes stand below their states. Whoever does not see it is told the automaton in words.

    >>> from longreach.languages.regular.expression_to_automaton import from_expression
    >>> to_svg(from_expression("(ab)*"), "(ab)*").count("<circle")
    4
    """
    tip = "tip" if part is None else f"tip-{part}"
    alive = live_states(automaton)
    places = _places(automaton, alive)
    edges = [
        _loop(places[source], ", ".join(letters), "" if target in alive else " dead")
        if source == target
        else _edge(
            places[source], places[target], source in automaton.transitions[target], ", ".join(letters),
            "" if target in alive else " dead", BELOW_NOTES if notes else 0.0,
        )
        for (source, target), letters in _merged_edges(automaton).items()
    ]  # fmt: skip
    # Long arcs may reach beyond the states.
    top = min(0.0, *(edge.middle[1] - ROOM for edge in edges))
    right, bottom = (
        max(*(place[axis] + MARGIN for place in places), *(edge.middle[axis] + ROOM for edge in edges))
        for axis in (0, 1)
    )
    width, height = right, bottom - top
    parts = [
        (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 {top:.0f} {width:.0f} {height:.0f}" '
            f'width="{width:.0f}" height="{height:.0f}" role="img" class="automaton" '
            f'aria-label="{escape(title)}">'
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
        parts.append(f'<rect class="ground" y="{top:.0f}" width="{width:.0f}" height="{height:.0f}"/>')
    parts.append(f'<g marker-end="url(#{escape(tip)})">')  # all paths within inherit it
    x, y = places[0]
    parts.append(_path((x - RADIUS - 30, y), (x - RADIUS - 30, y), (x - RADIUS, y), ""))
    parts += [*(edge.line for edge in edges), "</g>"]
    labels = [edge.label for edge in edges]
    for state, (x, y) in enumerate(places):
        pale = "" if state in alive else ' class="dead"'
        ring = f'<circle class="accepting" cx="{x:.1f}" cy="{y:.1f}" r="{RADIUS - 4}"/>'
        parts.append(
            f'<g{pale}><circle class="state" cx="{x:.1f}" cy="{y:.1f}" r="{RADIUS}"/>'
            f"{ring if state in automaton.accepting else ''}"
            f'<text x="{x:.1f}" y="{y + 5:.1f}">{state}</text></g>'
        )
        if notes and state in notes:
            place = f'x="{x:.1f}" y="{y + RADIUS + 16:.1f}"'
            labels.append(f'<text class="label note" {place}>{escape(notes[state])}</text>')
    return "\n".join([*parts, *labels, "</svg>"]) + "\n"


def in_words(automaton: Automaton) -> str:
    """The automaton for whoever does not see the drawing.

    >>> from longreach.languages.regular.expression_to_automaton import from_expression
    >>> in_words(from_expression("(aa)*"))
    '2 states, from 0; accepting: 0. State 0: a to 1. State 1: a to 0.'
    """
    moves: dict[int, list[str]] = {}
    for (source, target), letters in _merged_edges(automaton).items():
        moves.setdefault(source, []).append(f"{', '.join(letters)} to {target}")
    count = counted(len(automaton), "state")
    accepting = ", ".join(map(str, sorted(automaton.accepting))) or "none"
    rows = [f"State {state}: {'; '.join(each)}." for state, each in sorted(moves.items())]
    return " ".join([f"{count}, from 0; accepting: {accepting}.", *rows])


def _places(automaton: Automaton, alive: Collection[int]) -> list[Point]:
    """Layers by the shortest word that leads to a state, each centred; a state that accepts nothing below."""
    layer = {0: 0}
    queue = deque([0])
    while queue:
        state = queue.popleft()
        for target in automaton.transitions[state]:
            if target not in layer:
                layer[target] = layer[state] + 1
                queue.append(target)
    rows: dict[int, list[int]] = {}
    for state, number in layer.items():
        if state in alive or state == 0:
            rows.setdefault(number, []).append(state)
    tallest = max(len(states) for states in rows.values())
    places: dict[int, Point] = {}
    for number, states in rows.items():
        top = MARGIN + 20 + (tallest - len(states)) * ROW / 2
        for k, state in enumerate(states):
            places[state] = (MARGIN + 20 + number * LAYER, top + k * ROW)
    right, bottom = (max(place[k] for place in places.values()) for k in (0, 1))
    below = ((MARGIN + 20 + right) / 2, bottom + ROW)
    return [places.get(state, below) for state in range(len(automaton))]


def _merged_edges(automaton: Automaton) -> dict[tuple[int, int], list[str]]:
    edges: dict[tuple[int, int], list[str]] = {}
    for source, row in enumerate(automaton.transitions):
        for letter, target in enumerate(row):
            edges.setdefault((source, target), []).append(automaton.alphabet[letter])
    return edges


@dataclass(frozen=True)
class _Edge:
    """What is drawn of an edge, and how far it reaches."""

    line: str
    label: str
    middle: Point


def _loop(place: Point, label: str, pale: str) -> _Edge:
    x, y = place
    # A pale state stands at the bottom, where its loop has room below.
    side = 1 if pale else -1
    start, top = y + side * (RADIUS - 2), y + side * 62
    numbers = (
        f"M{x - 9:.1f} {start:.1f}C{x - 26:.1f} {top:.1f} {x + 26:.1f} {top:.1f} {x + 9:.1f} {start:.1f}"
    )
    middle = (x, y + side * 56 + (8 if pale else 0))
    return _Edge(_drawn(numbers, pale), _label(middle, label, pale), middle)


def _edge(place: Point, other: Point, back: bool, label: str, pale: str, clear: float) -> _Edge:
    """Bent where it must be; an arc below states passes `clear` of their centres."""
    (x, y), (u, v) = place, other
    length = math.hypot(u - x, v - y)
    normal = (-(v - y) / length, (u - x) / length)
    # Edges bend when another one comes back, or when they would pass through states between.
    far = length > 1.2 * max(LAYER, ROW) and not pale
    bend = -(0.28 if far else 0.2) * length if back or far else 0.0
    if far and u < x:
        bend = min(bend, -2 * clear)  # half of the way to the control point is where the arc passes
    control = ((x + u) / 2 + normal[0] * bend, (y + v) / 2 + normal[1] * bend)
    start, end = _towards((x, y), control, RADIUS), _towards((u, v), control, RADIUS + 1)
    middle = ((start[0] + 2 * control[0] + end[0]) / 4, (start[1] + 2 * control[1] + end[1]) / 4)
    return _Edge(_path(start, control, end, pale), _label((middle[0], middle[1] + 4), label, pale), middle)


def _towards(place: Point, other: Point, distance: float) -> Point:
    length = math.hypot(other[0] - place[0], other[1] - place[1]) or 1.0
    return (
        place[0] + (other[0] - place[0]) * distance / length,
        place[1] + (other[1] - place[1]) * distance / length,
    )


def _path(start: Point, control: Point, end: Point, pale: str) -> str:
    numbers = f"M{start[0]:.1f} {start[1]:.1f}Q{control[0]:.1f} {control[1]:.1f} {end[0]:.1f} {end[1]:.1f}"
    return _drawn(numbers, pale)


def _drawn(numbers: str, pale: str) -> str:
    return f'<path class="edge{pale}" d="{numbers}"/>'


def _label(place: Point, text: str, pale: str) -> str:
    shown = text if len(text) <= 24 else text[:23] + "…"
    return f'<text class="label{pale}" x="{place[0]:.1f}" y="{place[1]:.1f}">{escape(shown)}</text>'
