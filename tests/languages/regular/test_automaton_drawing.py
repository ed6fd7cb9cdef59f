from __future__ import annotations

import xml.etree.ElementTree as ElementTree

import pytest

from longreach.languages.regular.automaton_drawing import to_svg
from longreach.languages.regular.expression_to_automaton import from_expression
from longreach.languages.regular.named_languages import NAMED_LANGUAGES, named_automaton

SVG = "{http://www.w3.org/2000/svg}"


@pytest.mark.parametrize("name", NAMED_LANGUAGES)
def test_every_state_and_edge_is_drawn(name: str) -> None:
    automaton = named_automaton(name)
    root = ElementTree.fromstring(to_svg(automaton, name))
    assert root.tag == f"{SVG}svg"
    circles = root.findall(f".//{SVG}circle")
    assert len(circles) == len(automaton) + len(automaton.accepting)
    arrows = {(q, t) for q, row in enumerate(automaton.transitions) for t in row}
    assert len(root.findall(f"{SVG}g/{SVG}path")) == len(arrows) + 1
    inside = [float(circle.get(axis) or -1) for circle in circles for axis in ("cx", "cy")]
    assert all(0 < value < float(root.get("width") or 0) + float(root.get("height") or 0) for value in inside)


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
