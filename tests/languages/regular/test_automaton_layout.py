"""Drawings are read back from the SVG: where its curves, circles and texts really are."""

from __future__ import annotations

import math
import random
import re
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator, Mapping

import pytest

from longreach.languages.regular.automaton import Automaton
from longreach.languages.regular.automaton_drawing import to_svg
from longreach.languages.regular.automaton_layout import MOST_JUDGED, layout_of
from longreach.languages.regular.expression_to_automaton import from_expression
from tests.helpers.language_oracles import random_automaton

SVG = "{http://www.w3.org/2000/svg}"
RADIUS, LETTER, HALF_LINE = 22, 7.2, 5
EXPRESSIONS = [
    "(aab)*", "(ab|ba)*", "(a|b)*a(a|b)(a|b)(a|b)", "(a|b)*a(a|b)(a|b)(a|b)(a|b)", "a*b*c*d*e*f*",
    "(abcd)*(dcba)*", "(a{3}|b{5}|c{7})*", "(abc|acb|bac|bca|cab|cba)*", "(a|b)*(aab|bba|abab)(a|b)*",
    "abcdefgh|hgfedcba",
]  # fmt: skip
AUTOMATA = {text: from_expression(text) for text in EXPRESSIONS} | {
    f"random {size}": random_automaton(size, "ab", random.Random(size)) for size in (3, 5, 9, 17, 29, 40)
}


def run_over(svg: str) -> Iterator[tuple[str, str]]:
    """Curves with the states and notes that they run over."""
    root = ElementTree.fromstring(svg)
    circles = [each for each in root.iter(f"{SVG}circle") if each.get("class") == "state"]
    centres = [(float(each.get("cx") or 0), float(each.get("cy") or 0)) for each in circles]
    notes = [each for each in root.iter(f"{SVG}text") if "note" in (each.get("class") or "")]
    for path in root.findall(f"{SVG}g/{SVG}path"):
        drawn = path.get("d") or ""
        numbers = list(map(float, re.findall(r"-?[\d.]+", drawn)))
        start, *_, end = points = list(zip(numbers[::2], numbers[1::2], strict=True))
        for k in range(101):
            x, y = bezier(points, k / 100)
            for place in centres:
                joined = min(math.dist(place, start), math.dist(place, end)) < RADIUS + 2
                if math.dist((x, y), place) < RADIUS and not joined:
                    yield drawn, f"state at {place}"
            for note in notes:
                left, baseline = float(note.get("x") or 0), float(note.get("y") or 0)
                wide = len(note.text or "") * LETTER / 2
                if abs(x - left) < wide and abs(y - (baseline - 4)) < HALF_LINE:
                    yield drawn, f"note {note.text}"


def bezier(points: list[tuple[float, float]], t: float) -> tuple[float, float]:
    """By the sum of Bernstein."""
    n = len(points) - 1
    weights = [math.comb(n, k) * t**k * (1 - t) ** (n - k) for k in range(n + 1)]
    return (
        sum(w * p[0] for w, p in zip(weights, points, strict=True)),
        sum(w * p[1] for w, p in zip(weights, points, strict=True)),
    )


def noted(automaton: Automaton) -> Mapping[int, str]:
    return {state: f"{state}, -1 ≈ {'ABC'[state % 3]}" for state in range(len(automaton))}


@pytest.mark.parametrize("name", AUTOMATA)
def test_no_edge_runs_over_a_state_or_a_note(name: str) -> None:
    automaton = AUTOMATA[name]
    assert not list(run_over(to_svg(automaton)))
    assert not list(run_over(to_svg(automaton, notes=noted(automaton))))


@pytest.mark.parametrize("name", AUTOMATA)
def test_all_lies_within_the_drawing(name: str) -> None:
    automaton = AUTOMATA[name]
    layout = layout_of(automaton, noted(automaton))
    width, height = layout.size
    layout = layout.from_zero()
    for text in (*layout.notes.values(), *(edge.label for edge in layout.edges)):
        left, top, right, bottom = text.box
        assert 0 < left < right < width
        assert 0 < top < bottom < height
    for edge in layout.edges:
        for k in range(20):
            x, y = edge.at(k / 19)
            assert 0 < x < width
            assert 0 < y < height


def test_states_stand_apart_and_edges_join_them() -> None:
    automaton = AUTOMATA["random 29"]
    layout = layout_of(automaton)
    places = list(layout.places.values())
    assert min(math.dist(p, q) for k, p in enumerate(places) for q in places[:k]) > 2 * RADIUS
    assert {(edge.source, edge.target) for edge in layout.edges} == {
        (state, target) for state, row in enumerate(automaton.transitions) for target in row
    }
    for edge in layout.edges:
        assert math.dist(edge.curve[0], layout.places[edge.source]) < RADIUS + 2
        assert math.dist(edge.curve[-1], layout.places[edge.target]) < RADIUS + 2


def test_an_automaton_that_nobody_can_read_is_still_drawn() -> None:
    automaton = random_automaton(120, "abc", random.Random(0))
    layout = layout_of(automaton)
    assert len(layout.edges) > MOST_JUDGED
    assert len(layout.places) == len(automaton)
