"""Where the states, the edges and their labels stand in a drawing of an automaton.

In layers by the distance from the start, as long as no edge runs over a state or a note; else on a ring, with
edges inside and notes outside, where none can.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from longreach.theory.automata.automaton import Automaton
from longreach.theory.automata.paths import Paths, moves_inside

RADIUS = 22.0
LAYER, ROW = 130.0, 96.0  # distances between centres, to the right and down
NARROW, MANY_LAYERS = 96.0, 9  # that distance where there are more layers than fit a screen
LETTER = 7.8  # how wide one is, at most
LINE = 14.0  # how tall one of text is
GAP = 4.0  # that edges keep from states
AROUND = 18.0
"""Room at the margins."""
LOOP = 40.0
"""How far loops reach from their state."""
START = 30.0
"""How long the arrow to the first state is."""
ASIDE = 24.0
"""How much further inwards the one of two edges between the same states bends."""
SPACING, SMALLEST_RING = 84.0, 110.0
"""Between states of a ring, and its radius."""
MOST_JUDGED = 200
"""Most edges for which the best layout is searched; larger drawings are unreadable anyway."""
MOST_LABEL = 24
STEPS = 32
"""Places on a curve that are looked at."""
LABEL_PLACES = (0.5, 0.42, 0.58, 0.34, 0.66, 0.27, 0.73, 0.2)
"""Where on its curve a label may stand, the best first."""

Point = tuple[float, float]


@dataclass(frozen=True, kw_only=True)
class Text:
    """A text centred at a point, and about how much room it takes."""

    text: str
    place: Point

    @property
    def box(self) -> tuple[float, float, float, float]:
        (x, y), half = self.place, len(self.text) * LETTER / 2
        return (x - half, y - LINE / 2, x + half, y + LINE / 2)

    def holds(self, point: Point) -> bool:
        left, top, right, bottom = self.box
        return left < point[0] < right and top < point[1] < bottom

    def meets(self, other: Text) -> bool:
        one, two = self.box, other.box
        return one[0] < two[2] and two[0] < one[2] and one[1] < two[3] and two[1] < one[3]


@dataclass(frozen=True, kw_only=True)
class Edge:
    """A Bézier curve of degree two or three from a state to a state, with its letters."""

    source: int
    target: int
    curve: tuple[Point, ...]
    label: Text

    def at(self, share: float) -> Point:
        """The point of the curve at a share of it."""
        return _on(self.curve, share)


@dataclass(frozen=True, kw_only=True)
class Layout:
    """Everything that is drawn; states that are left out have no place."""

    places: Mapping[int, Point]
    edges: tuple[Edge, ...]
    notes: Mapping[int, Text]
    crowded: int = 0
    """Labels that stand on something else."""
    left_out: tuple[int, ...] = ()

    @property
    def faults(self) -> int:
        """How many edges run over a state, a note or the label of a loop, and labels stand on something.

        >>> layout_of(from_expression("(ab)*")).faults
        0
        """
        return self.crowded + sum(map(self._is_over_something, self.edges))

    def _is_over_something(self, edge: Edge) -> bool:
        own = (edge.source, edge.target)
        loops = [each.label for each in self.edges if each.source == each.target and each != edge]
        for step in range(STEPS + 1):
            point = edge.at(step / STEPS)
            if any(each.holds(point) for each in (*self.notes.values(), *loops)):
                return True
            if any(
                math.dist(point, place) < RADIUS + GAP
                for state, place in self.places.items()
                if state not in own
            ):
                return True
        return False

    @property
    def _box(self) -> tuple[float, float, float, float]:
        """Left, top, right and bottom of all of it, with some room."""
        x, y = self.places[0]
        points = [(x - RADIUS - START, y)]
        points += [(x + a * RADIUS, y + a * RADIUS) for x, y in self.places.values() for a in (-1, 1)]
        points += [edge.at(step / STEPS) for edge in self.edges for step in range(STEPS + 1)]
        for text in (*self.notes.values(), *(edge.label for edge in self.edges)):
            left, top, right, bottom = text.box
            points += [(left, top), (right, bottom)]
        xs, ys = zip(*points, strict=True)
        return (min(xs) - AROUND, min(ys) - AROUND, max(xs) + AROUND, max(ys) + AROUND)

    @property
    def size(self) -> Point:
        left, top, right, bottom = self._box
        return (right - left, bottom - top)

    def from_zero(self, width: float = 0.0) -> Layout:
        """The same, with its left upper corner at zero; in the middle, where more width is asked for."""
        left, top, right, _ = self._box
        x, y = max(0.0, width - (right - left)) / 2 - left, -top

        def moved(point: Point) -> Point:
            return (point[0] + x, point[1] + y)

        def put(text: Text) -> Text:
            return replace(text, place=moved(text.place))

        return replace(
            self,
            places={state: moved(place) for state, place in self.places.items()},
            edges=tuple(
                replace(edge, curve=tuple(map(moved, edge.curve)), label=put(edge.label))
                for edge in self.edges
            ),
            notes={state: put(note) for state, note in self.notes.items()},
        )


def layout_of(automaton: Automaton, notes: Mapping[int, str] | None = None) -> Layout:
    """The plainest layout without faults: layers, layers without dead states, or a ring.

    >>> sorted(layout_of(from_expression("(ab)*")).places)
    [0, 1, 2]
    """
    notes = notes or {}
    dead = frozenset(range(1, len(automaton))) - automaton.live
    layered = _layers(automaton, notes, dead, frozenset())
    if len(layered.edges) > MOST_JUDGED or not layered.faults:
        return layered
    without = _layers(automaton, notes, dead, dead)
    return without if not without.faults else _ring(automaton, notes, dead)


def merged_edges(automaton: Automaton) -> dict[tuple[int, int], list[str]]:
    """The letters that lead from a state to a state."""
    edges: dict[tuple[int, int], list[str]] = {}
    for source, row in enumerate(automaton.transitions):
        for letter, target in enumerate(row):
            edges.setdefault((source, target), []).append(automaton.alphabet[letter])
    return edges


def _layers(
    automaton: Automaton, notes: Mapping[int, str], dead: frozenset[int], left_out: frozenset[int]
) -> Layout:
    """By the shortest word that leads to a state, each centred; a state that accepts nothing stands below."""
    paths = Paths(0, moves_inside(automaton))
    layer = {state: len(paths.to(state)) for state in list(paths)}
    rows: dict[int, list[int]] = {}
    for state, number in layer.items():
        if state not in dead:
            rows.setdefault(number, []).append(state)
    apart = NARROW if len(rows) > MANY_LAYERS else LAYER
    places: dict[int, Point] = {}
    for number, states in rows.items():
        for k, state in enumerate(states):
            places[state] = (number * apart, (k - (len(states) - 1) / 2) * ROW)
    right, bottom = (max(place[axis] for place in places.values()) for axis in (0, 1))
    for k, state in enumerate(sorted(dead - left_out)):
        places[state] = (right / 2 + k * LAYER, bottom + ROW)
    below = {
        state: Text(text=note, place=(places[state][0], places[state][1] + RADIUS + LINE))
        for state, note in notes.items()
        if state in places
    }
    clear = RADIUS + 2 * LINE if below else 0.0
    curves = {
        (source, target): _loop(places[source], (0.0, 1.0 if source in dead else -1.0))
        if source == target
        else _layer_curve(
            places[source], places[target], source in automaton.transitions[target], target in dead, clear
        )
        for source, target in merged_edges(automaton)
        if source in places and target in places
    }
    return _labelled(automaton, places, curves, below)


def _layer_curve(place: Point, other: Point, back: bool, pale: bool, clear: float) -> tuple[Point, ...]:
    """Bent where it must be; an arc below states passes `clear` of their centres."""
    (x, y), (u, v) = place, other
    length = math.dist(place, other)
    normal = (-(v - y) / length, (u - x) / length)
    # Edges bend when another one comes back, or when they would pass through states between.
    far = length > 1.2 * max(LAYER, ROW) and not pale
    bend = -(0.28 if far else 0.2) * length if back or far else 0.0
    if far and u < x:
        bend = min(bend, -2 * clear)  # half of the way to the control point is where the arc passes
    return _between(place, other, ((x + u) / 2 + normal[0] * bend, (y + v) / 2 + normal[1] * bend))


def _ring(automaton: Automaton, notes: Mapping[int, str], left_out: frozenset[int]) -> Layout:
    """All edges bend inwards, all notes and loops stand outside."""
    order = _ring_order(automaton, left_out)
    widest = max((len(note) for note in notes.values()), default=0) * LETTER
    radius = max(SMALLEST_RING, len(order) * max(SPACING, widest + LINE) / math.tau)
    turns = {state: math.tau * k / len(order) + math.pi for k, state in enumerate(order)}
    places = {state: _polar(radius, turn) for state, turn in turns.items()}
    loops = {state for state in order if state in automaton.transitions[state]}
    outside: dict[int, Text] = {}
    for state, note in notes.items():
        if state in places:
            beyond = RADIUS + LINE + (START if state == 0 else LOOP + LINE / 2 if state in loops else 0.0)
            outside[state] = _outside(note, places[state], _polar(radius + beyond, turns[state]), 0.0)
    rank = {state: k for k, state in enumerate(order)}
    curves = {}
    for source, target in merged_edges(automaton):
        if source == target and source in places:
            # Beside the arrow that comes to the first state.
            side = turns[source] + (math.pi / 3 if source == 0 else 0.0)
            curves[source, target] = _loop(places[source], _polar(1.0, side))
        elif source in places and target in places:
            back = source in automaton.transitions[target] and rank[source] > rank[target]
            dip = _dip(abs(rank[source] - rank[target]), len(order), radius) + (ASIDE if back else 0.0)
            curves[source, target] = _inwards(places[source], places[target], dip)
    return _labelled(automaton, places, curves, outside)


def _ring_order(automaton: Automaton, left_out: frozenset[int]) -> list[int]:
    """With states near those that they lead to: depth first, then each where edges are shortest."""
    order: list[int] = []
    stack = [0]
    while stack:
        state = stack.pop()
        if state not in order and state not in left_out:
            order.append(state)
            stack += reversed(automaton.transitions[state])
    edges = [(q, t) for q, t in merged_edges(automaton) if q != t and q not in left_out and t not in left_out]

    def length(order: list[int]) -> int:
        rank = {state: k for k, state in enumerate(order)}
        spans = (abs(rank[q] - rank[t]) for q, t in edges)
        return sum(min(span, len(order) - span) for span in spans)

    best = length(order)
    for state in order[1:]:
        rest = [each for each in order if each != state]
        for k in range(1, len(order)):
            tried = [*rest[:k], state, *rest[k:]]
            if (found := length(tried)) < best:
                best, order = found, tried
    return order


def _dip(steps: int, states: int, radius: float) -> float:
    """How far an edge of a ring bends inwards to clear the states beside those that it joins."""
    span = min(steps, states - steps)
    if span == 1:
        return 0.0
    straight = 2 * radius * math.sin(math.pi / states) * math.sin(math.pi * (span - 1) / states)
    share = 1 / span  # of the edge, to where it passes the first of them
    return max(0.0, (RADIUS + 3 * GAP - straight) / (4 * share * (1 - share)))


def _polar(radius: float, turn: float) -> Point:
    return (radius * math.cos(turn), radius * math.sin(turn))


def _inwards(place: Point, other: Point, dip: float) -> tuple[Point, ...]:
    """Bent by `dip` towards the centre of the ring, which is the origin; one across it, to its own side."""
    (x, y), (u, v) = place, other
    middle = ((x + u) / 2, (y + v) / 2)
    away = math.hypot(*middle)
    if away <= dip:
        length = math.dist(place, other)
        inward = ((v - y) / length, (x - u) / length)
    else:
        inward = (-middle[0] / away, -middle[1] / away)
    return _between(place, other, (middle[0] + 2 * dip * inward[0], middle[1] + 2 * dip * inward[1]))


def _between(place: Point, other: Point, control: Point) -> tuple[Point, ...]:
    """From the rim of a state to the rim of another."""
    return (_towards(place, control, RADIUS), control, _towards(other, control, RADIUS + 1))


def _loop(place: Point, side: Point) -> tuple[Point, ...]:
    """A loop on one side of a state."""
    (x, y), (a, b) = place, side

    def point(out: float, across: float) -> Point:
        return (x + out * a - across * b, y + out * b + across * a)

    near, far = RADIUS - 2, RADIUS + LOOP
    return (point(near, -9), point(far, -26), point(far, 26), point(near, 9))


def _labelled(
    automaton: Automaton,
    places: Mapping[int, Point],
    curves: Mapping[tuple[int, int], tuple[Point, ...]],
    notes: Mapping[int, Text],
) -> Layout:
    """Each label where it stands on its curve alone."""
    letters = merged_edges(automaton)
    taken = list(notes.values())
    judged = LABEL_PLACES if len(curves) <= MOST_JUDGED else ()
    edges, crowded = [], 0
    for (source, target), curve in curves.items():
        shown = ", ".join(letters[source, target])
        if len(shown) > MOST_LABEL:
            shown = shown[: MOST_LABEL - 1] + "…"
        if source == target:
            label = _outside(shown, places[source], _on(curve, 0.5), 0.75 * LINE)
        else:
            tried = [Text(text=shown, place=_on(curve, share)) for share in judged]
            free = next((each for each in tried if not _is_taken(each, places, taken)), None)
            crowded += bool(tried) and free is None
            label = free or Text(text=shown, place=_on(curve, 0.5))
        taken.append(label)
        edges.append(Edge(source=source, target=target, curve=curve, label=label))
    left_out = tuple(state for state in range(len(automaton)) if state not in places)
    return Layout(places=places, edges=tuple(edges), notes=notes, crowded=crowded, left_out=left_out)


def _outside(text: str, place: Point, rim: Point, room: float) -> Text:
    """Beyond a point, as seen from a place, on whichever side that is."""
    distance = math.dist(place, rim)
    x, y = _towards(place, rim, distance + room)
    return Text(text=text, place=(x + (rim[0] - place[0]) / distance * (len(text) - 1) * LETTER / 2, y))


def _is_taken(label: Text, places: Mapping[int, Point], taken: Collection[Text]) -> bool:
    return any(label.meets(each) for each in taken) or any(
        math.dist(label.place, place) < RADIUS + LINE / 2 for place in places.values()
    )


def _towards(place: Point, other: Point, distance: float) -> Point:
    length = math.dist(place, other) or 1.0
    return (
        place[0] + (other[0] - place[0]) * distance / length,
        place[1] + (other[1] - place[1]) * distance / length,
    )


def _on(curve: Sequence[Point], share: float) -> Point:
    """The point of a Bézier curve at a share of it, by the construction of de Casteljau."""
    while len(curve) > 1:
        curve = [(x + (u - x) * share, y + (v - y) * share) for (x, y), (u, v) in pairwise(curve)]
    return curve[0]
