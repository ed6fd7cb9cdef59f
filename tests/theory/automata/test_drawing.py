"""Layouts and drawings of automata."""

from __future__ import annotations

import io
import math
import random
import re
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator, Mapping

import numpy as np
import pytest
from matplotlib.image import imread

from longreach.theory.automata.automaton import Automaton
from longreach.theory.automata.drawing import LEFT_OUT, PIXELS_PER_INCH, in_words, to_figure, to_svg
from longreach.theory.automata.layout import MOST_JUDGED, layout_of
from longreach.theory.automata.named import NAMED_LANGUAGES, named_automaton
from longreach.theory.automata.regex import from_expression
from longreach.theory.certificates.documents import AutomatonTable
from longreach.theory.certificates.tables import table_automaton
from tests.helpers.language_oracles import random_automaton

SVG = "{http://www.w3.org/2000/svg}"


@pytest.mark.parametrize("name", NAMED_LANGUAGES)
def test_every_state_and_edge_is_drawn_or_told(name: str) -> None:
    automaton = named_automaton(name)
    root = ElementTree.fromstring(to_svg(automaton, name))
    assert root.tag == f"{SVG}svg"
    circles = root.findall(f".//{SVG}circle")
    states = {int(each.text or -1) for each in root.findall(f"{SVG}g/{SVG}text")}
    told = [each.text or "" for each in root.iter(f"{SVG}text") if "said" in (each.get("class") or "")]
    left_out = set(range(len(automaton))) - states
    assert bool(left_out) == (name == "d-12")  # where its edges would run over the others
    assert told == [LEFT_OUT.format(each) for each in left_out]
    assert len(circles) == len(states) + len(automaton.accepting)
    arrows = {(q, t) for q, row in enumerate(automaton.transitions) for t in row if {q, t} <= states}
    assert len(root.findall(f"{SVG}g/{SVG}path")) == len(arrows) + 1
    inside = [float(circle.get(axis) or -1) for circle in circles for axis in ("cx", "cy")]
    assert all(0 < value < float(root.get("width") or 0) + float(root.get("height") or 0) for value in inside)


def test_arcs_pass_below_notes_and_stay_inside() -> None:
    automaton = table_automaton(
        AutomatonTable(alphabet=("a", "b"), transitions=((1, 0), (2, 1), (0, 2)), accepting=(0,))
    )
    notes = {0: "≈ 1, 2", 1: "≈ 0, 2", 2: "≈ 0, 1"}
    root = ElementTree.fromstring(to_svg(automaton, notes=notes))
    texts = {one.text: one for one in root.iter(f"{SVG}text") if "note" in (one.get("class") or "")}
    below = float(texts["≈ 0, 2"].get("y") or 0)
    back = [one for one in root.iter(f"{SVG}text") if one.text == "a" and float(one.get("y") or 0) > below]
    assert len(back) == 1  # the arc from 2 to 0, with its label, passes below the note of 1
    long = ElementTree.fromstring(to_svg(from_expression("(aaaaaaaaaaaa)*")))
    _, top, _, height = map(float, (long.get("viewBox") or "").split())
    labels = [float(one.get("y") or 0) for one in long.iter(f"{SVG}text")]
    assert top < min(labels)
    assert max(labels) < top + height
    wide = ElementTree.fromstring(to_svg(from_expression("(a|b)*a(a|b)(a|b)(a|b)")))
    assert max(float(one.get("x") or 0) for one in wide.iter(f"{SVG}text")) < float(wide.get("width") or 0)


def test_it_is_told_in_words() -> None:
    root = ElementTree.fromstring(to_svg(named_automaton("aa"), "(aa)*", part="one"))
    told = root.find(f"{SVG}desc")
    assert told is not None
    assert told.text == in_words(named_automaton("aa"))
    assert "State 1: a to 0." in (told.text or "")


def test_letters_are_escaped() -> None:
    drawing = to_svg(from_expression(r"(<|&)*".replace("&", r"\&"), "<&"), "<title>")
    assert "<title>&lt;title&gt;</title>" in drawing
    assert ElementTree.fromstring(drawing) is not None


def test_as_a_part_of_a_page_it_brings_no_style_and_its_own_ids() -> None:
    drawing = to_svg(named_automaton("aa"), "(aa)*", part="one")
    root = ElementTree.fromstring(drawing)
    assert root.get("class") == "automaton"
    assert root.find(f"{SVG}style") is None
    assert [marker.get("id") for marker in root.iter(f"{SVG}marker")] == ["tip-one"]
    assert drawing.count("url(#") == drawing.count("url(#tip-one)") == 1


AUTOMATA = [
    from_expression("(a|b)*abb"),
    random_automaton(6, "abc", random.Random(0), sink=0.2),
    from_expression("(a|b)*a(a|b)(a|b)(a|b)"),
]


@pytest.mark.parametrize("automaton", AUTOMATA)
def test_circles_stand_where_the_svg_has_them(automaton) -> None:
    svg = to_svg(automaton)
    picture = imread(io.BytesIO(to_figure(automaton, "mine", "png")))[..., :3]
    width, height = (int(found) for found in re.findall(r'(?:width|height)="(\d+)" ', svg)[:2])
    assert abs(picture.shape[1] - 2 * width) <= 2
    assert abs(picture.shape[0] - 2 * height) <= 2
    assert PIXELS_PER_INCH == 96
    for x, y in re.findall(r'class="state" cx="([\d.]+)" cy="([\d.]+)"', svg):
        # Off the number in the middle, within the circle: its fill, of which a pale one shows less.
        spot = picture[int(2 * float(y)) + 26, int(2 * float(x))]
        assert not np.allclose(spot, 1.0, atol=0.01)
        assert spot.min() > 0.9


@pytest.mark.parametrize("form", ["pdf", "png"])
def test_letters_are_shown_as_they_are(form) -> None:
    """Not as formulas, which a pair of dollars would begin."""
    automaton = from_expression(r"(\$a|<b)*", "$ab<\\")
    assert len(to_figure(automaton, "$x$ <y>", form)) > 1000


def test_a_drawing_is_the_same_each_time() -> None:
    automaton = AUTOMATA[0]
    assert to_figure(automaton, "t", "pdf") == to_figure(automaton, "t", "pdf")


# Drawings are read back from the SVG: where its curves, circles and texts really are.


RADIUS, LETTER, HALF_LINE = 22, 7.2, 5
EXPRESSIONS = [
    "(aab)*", "(ab|ba)*", "(a|b)*a(a|b)(a|b)(a|b)", "(a|b)*a(a|b)(a|b)(a|b)(a|b)", "a*b*c*d*e*f*",
    "(abcd)*(dcba)*", "(a{3}|b{5}|c{7})*", "(abc|acb|bac|bca|cab|cba)*", "(a|b)*(aab|bba|abab)(a|b)*",
    "abcdefgh|hgfedcba",
]  # fmt: skip
AUTOMATA_AUTOMATON_LAYOUT = {text: from_expression(text) for text in EXPRESSIONS} | {
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


@pytest.mark.parametrize("name", AUTOMATA_AUTOMATON_LAYOUT)
def test_no_edge_runs_over_a_state_or_a_note(name: str) -> None:
    automaton = AUTOMATA_AUTOMATON_LAYOUT[name]
    assert not list(run_over(to_svg(automaton)))
    assert not list(run_over(to_svg(automaton, notes=noted(automaton))))


@pytest.mark.parametrize("name", AUTOMATA_AUTOMATON_LAYOUT)
def test_all_lies_within_the_drawing(name: str) -> None:
    automaton = AUTOMATA_AUTOMATON_LAYOUT[name]
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
    automaton = AUTOMATA_AUTOMATON_LAYOUT["random 29"]
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
